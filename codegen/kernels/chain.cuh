/* SPDX-License-Identifier: MIT */
/* What a chain is made of: reductions of the same rows, one after the other, each
 * with what the ones before it left, and a map over the rows at the end.
 *
 *   softmax of rows: level 0 max(x); level 1 sum(exp(x - m)); map exp(x - m) / s
 *
 * The generator supplies, in ga_stage.h:
 *   GA_LEVELS(X)    X(j) for each reduction level, 0 first
 *   GA_LANES        log2 of the lanes that have a row, or a chunk of it
 *   GA_HALVES       whether a warp has half a chunk (chain_rows.cu)
 *   GA_CLUSTER      blocks that have a row, or columns, together
 *   GA_MAP          the map's level: how many reduction levels there are
 *   GA_INPUTS(X)    X(i, T) for each operand i, of device type T, that is read along
 *                   the rows; ga_at<i>: the level that reads it first
 *   GA_OUTPUTS(X)   X(i, T) for each operand that is written along the rows
 *   GA_ROW_INPUTS(X), GA_ROW_OUTPUTS(X)   X(i, T) for each that has an element a
 *                   row; ga_at<i>: the level after whose reduction it is read or
 *                   written
 *   GA_OPERANDS(X)  all, in the order of the operands
 *   GA_NUMBERS(X)   X(i, T) for each number
 *   GA_MIN_BLOCKS   blocks that a multiprocessor is to have room for
 *   GA_NK, GA_NR    bounds of the kept and the reduced axes (see ga_axes)
 *   ga_acc<j>       an accumulator of level j, with functions
 *                     ga_leaf(P, in, kept, acc): one element's
 *                     ga_combine(a, b), a being the left one
 *                     ga_identity(acc): leaves what it is combined with unchanged
 *                     ga_after(P, acc, row, kept): what follows the reduction; reads
 *                       row.x3, assigns row.y4 and members of
 *                     ga_carry(f, j, in, acc): leaves the four f what its element j
 *                       carries to later levels
 *   GA_CARRIED(X)   X(i, T) for each value that elements carry (members k<i> of `in`),
 *                   which some ga_leaf sets and later levels read
 *   GA_ARG          whether there is one level, of argmin or argmax alone (chain_places.cuh):
 *                   ga_value, ga_better, ga_keep and ga_no_value then stand for ga_combine
 *                   and ga_identity
 *   ga_kept         what a row's later levels use of earlier ones
 *   ga_map(P, in, kept, out): one element of the map
 * and the skeleton defines ga_params with members a0, ..., p0, ...
 *
 * Everything here may swap the sides of ga_combine: each combination is
 * commutative to the bit. */
#define GA_PITCH (4 << GA_LANES) /* elements from a four of a lane to its next */
#define GA_WIDTH (GA_HALVES ? 2 : 4) /* of its elements a lane has */

/* The elements that a row has one of. */
struct ga_row {
#define X(i, T) T x##i;
  GA_ROW_INPUTS(X)
#undef X
#define X(i, T) T y##i;
  GA_ROW_OUTPUTS(X)
#undef X
  char unused;
};

/* An element, and what it carries from level to level. */
struct ga_one : ga_in {
#define X(i, T) T k##i;
  GA_CARRIED(X)
#undef X
};

/* Four neighbours, as they were loaded. */
struct ga_four {
#define X(i, T) ga_pack<T, GA_WIDTH> x##i;
  GA_INPUTS(X)
#undef X
#define X(i, T) ga_pack<T, GA_WIDTH> k##i;
  GA_CARRIED(X)
#undef X
  GA_FN_MEMBER ga_one get(int j) const {
    ga_one in;
#define X(i, T) in.x##i = x##i.get(j);
    GA_INPUTS(X)
#undef X
#define X(i, T) in.k##i = k##i.get(j);
    GA_CARRIED(X)
#undef X
    return in;
  }
};

/* The accumulator of the lane whose number differs in the bits of `mask`. */
template <class A> GA_FN A ga_exchange(const A &a, int mask) { return ga_exchange_value(a, mask); }

/* Whether the j-th element of a lane's c-th four exists, its first four beginning at
 * r. Where lanes have a row or a column, only their last fours can lack some. */
template <class GA_P> GA_FN bool ga_exists(const GA_P &P, ga_index r, int c, int j) {
  if (GA_WHOLE == 2 || (!GA_TEAM && c + 1 < GA_FOURS)) return true;
  if (GA_WHOLE || (GA_HALVES && GA_MAP == 1)) /* saves registers; elsewhere it spills some */
    return (int)((ga_index)P.reduced - r) > c * GA_PITCH + (GA_WHOLE ? 0 : j);
  return (int)((ga_index)P.reduced - r - c * GA_PITCH) > j;
}

/* ---- blocks that run together --------------------------------------------------- */

/* Accumulators of a level go to each block of a cluster by stores that its barrier counts (PTX
 * 8.1): a cluster's own barrier orders all memory, which takes long beside loads and stores. */
#if GA_CLUSTER > 1
#define GA_COUNTED (__CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1201)

GA_FN ga_uint ga_cluster_rank() {
  ga_uint r;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}

#if GA_COUNTED

GA_FN ga_uint ga_shared_place(const void *p) { return (ga_uint)__cvta_generic_to_shared(p); }

/* The block's barrier is to be passed when so many bytes have come. One thread. */
GA_FN void ga_expect(ga_ulong *barrier, ga_uint bytes) {
  const ga_uint at = ga_shared_place(barrier);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes)
               : "memory");
}

/* Says that this block expects, and waits until all of the cluster do. */
GA_FN void ga_cluster_arrive() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
GA_FN void ga_cluster_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }

/* Stores a in block `rank`, where s is here. */
template <class A> GA_FN void ga_send(A *s, ga_ulong *barrier, const A &a, ga_uint rank) {
  ga_uint to, counts, w[sizeof(A) / 4];
  memcpy(w, &a, sizeof(A));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(to)
               : "r"(ga_shared_place(s)), "r"(rank));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(counts)
               : "r"(ga_shared_place(barrier)), "r"(rank));
#pragma unroll
  for (int k = 0; k < (int)sizeof(A) / 4; k++)
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                 :
                 : "r"(to + 4 * k), "r"(w[k]), "r"(counts)
                 : "memory");
}

/* Waits for what the block expects. */
GA_FN void ga_receive(ga_ulong *barrier) {
  ga_uint done;
  do {
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                 "selp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(ga_shared_place(barrier))
                 : "memory");
  } while (!done);
}

#else

GA_FN void ga_expect(ga_ulong *, ga_uint) {}
GA_FN void ga_cluster_arrive() { asm volatile("barrier.cluster.arrive.release;" ::: "memory"); }
GA_FN void ga_cluster_wait() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }
template <class A> GA_FN void ga_send(A *s, ga_ulong *, const A &a, ga_uint rank) {
  ga_ulong to;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(to) : "l"((ga_ulong)s), "r"(rank));
  *(A *)to = a;
}
GA_FN void ga_receive(ga_ulong *) {
  ga_cluster_arrive();
  ga_cluster_wait();
}

#endif

#else

GA_FN ga_uint ga_cluster_rank() { return 0; }
GA_FN void ga_expect(ga_ulong *, ga_uint) {}
GA_FN void ga_cluster_arrive() {}
GA_FN void ga_cluster_wait() {}
GA_FN void ga_receive(ga_ulong *) {}

#endif
