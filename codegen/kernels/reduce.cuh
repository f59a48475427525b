/* SPDX-License-Identifier: MIT */
/* What the reduction skeletons share: joining accumulators across lanes in the
 * order of DESIGN.md ("Order of a reduction"), and finishing an output element.
 *
 * The generator supplies, in ga_stage.h:
 *   GA_INPUTS(X)   X(i, T) for each operand i, of device type T, that is reduced
 *   GA_OUTERS(X)   X(i, T) for each operand read by the kept axes only
 *   GA_OUTPUTS(X)  X(i, T) for each operand that is written
 *   GA_OPERANDS(X) all, in the order of the operands
 *   GA_NUMBERS(X)  X(i, T) for each number
 *   GA_STILL       bit i: it is known that operand i does not move along the reduced axes
 *   GA_MIN_BLOCKS  blocks that a multiprocessor is to have room for
 *   GA_NK, GA_NR   bounds of the kept and the reduced axes (see ga_axes)
 *   ga_acc, GA_MEMBERS(X)  an accumulator, and X(T, m) for each member;
 *                  GA_COUNTS(X), GA_VALUES(X): X(m) for each that counts elements, and others
 *   functions: ga_leaf(P, in, iota): one element's accumulator, from in.x0,
 *                  ..., P.p0, ...; ga_combine(a, b), a being the left one;
 *                  GA_ROLL 1: its text is long;
 *                  ga_identity(): leaves what it is combined with unchanged;
 *                  ga_empty(): the value of a reduction over nothing;
 *                  ga_post(P, acc, outer, out): reads outer.x3, assigns out.y4
 * and the skeleton defines ga_params with members a0, ..., p0, ..., iota_base,
 * kept_axes and reduced_axes.
 *
 * Everything here may swap the sides of ga_combine: each combination is
 * commutative to the bit (argmin and argmax compare positions too).
 */
#define GA_WARPS (GA_BLOCK / 32)
#define GA_STANDS(i) ((i) < 64 && (GA_STILL >> ((i) & 63) & 1) != 0)

/* The compiler does not know what x is. */
#if GA_WIDE
#define GA_OPAQUE(x) asm("" : "+l"(x))
#else
#define GA_OPAQUE(x) asm("" : "+r"(x))
#endif

struct ga_outer {
#define X(i, T) T x##i;
  GA_OUTERS(X)
#undef X
  char unused;
};

/* One element's accumulator, or where it does not exist what stands for none. No jump is made
 * of that: long functions of several elements are to go side by side. */
template <class GA_P, class GA_I>
GA_FN ga_acc ga_leaf_or_none(const GA_P &P, const GA_I &in, ga_long iota, bool exists) {
  const ga_acc a = ga_leaf(P, in, iota), none = ga_identity();
  ga_acc r;
#define X(T, m) r.m = exists ? a.m : none.m;
  GA_MEMBERS(X)
#undef X
  return r;
}

/* The accumulator of the lane whose number differs in the bits of `mask`. */
GA_FN ga_acc ga_exchange(const ga_acc &a, int mask) {
  ga_acc r;
#define X(T, m) r.m = ga_exchange_value(a.m, mask);
  GA_MEMBERS(X)
#undef X
  return r;
}

#if GA_SUB
GA_FN ga_sub ga_exchange(const ga_sub &a, int mask) {
  ga_sub r;
#define X(T, m) r.m = ga_exchange_value(a.m, mask);
  GA_SUB_MEMBERS(X)
#undef X
  return r;
}
#else
typedef ga_acc ga_sub;
GA_FN ga_sub ga_narrow(const ga_acc &a) { return a; }
GA_FN ga_acc ga_widen(const ga_sub &a) { return a; }
#endif

/* a and b joined. EVEN: they are of as many elements, a power of two. */
#if GA_ROLL
template <bool EVEN, class A> GA_FN A ga_combine_some(const A &a, const A &b) {
  if constexpr (EVEN) return ga_combine_even(a, b);
  else return ga_combine(a, b);
}
#else
template <bool EVEN, class A> GA_FN A ga_combine_some(const A &a, const A &b) {
  return ga_combine(a, b);
}
GA_FN ga_sub ga_combine_cut(const ga_sub &a, const ga_sub &b) { return ga_combine(a, b); }
#endif

/* Joins the lanes of bit b, which have as many elements each: the other's counts are this
 * lane's, which the compiler may know. */
GA_FN ga_sub ga_join_even(const ga_sub &a, int b) {
  ga_sub other = a;
#define X(m) other.m = ga_exchange_value(a.m, 1 << b);
  GA_VALUES(X)
#undef X
  return ga_combine(a, other);
}

/* What another block has written: past the first cache. */
template <class A> GA_FN A ga_fetch(const A *p) {
  A a;
  ga_uint w[sizeof(A) / 4];
#pragma unroll
  for (int k = 0; k < (int)(sizeof(A) / 4); k++) w[k] = __ldcg((const ga_uint *)p + k);
  memcpy(&a, w, sizeof a);
  return a;
}

/* Takes the next number of a ticket, after what this thread has written and before
 * what it reads next, as other blocks see it. (A fence and a plain atomic would also
 * order what need not be: a microsecond for each block.) */
GA_FN ga_uint ga_take_ticket(ga_uint *ticket) {
#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
  ga_uint old;
  asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], 1;"
               : "=r"(old)
               : "l"(__cvta_generic_to_global(ticket))
               : "memory");
  return old;
#else
  __threadfence();
  const ga_uint old = atomicAdd(ticket, 1u);
  __threadfence();
  return old;
#endif
}

/* n / d for d > 1 and n * d below 2^32, `by` being 2^32 / d rounded up. */
GA_FN ga_uint ga_divide_small(ga_uint n, ga_uint by) { return __umulhi(n, by); }

/* What follows the reduction of the k-th kept position. */
template <class GA_P> GA_FN void ga_finish(const GA_P &P, ga_index k, const ga_acc &acc) {
  const auto row = ga_seek(P.kept_axes, k);
  ga_outer outer;
  ga_out out;
#define X(i, T) outer.x##i = ga_load<T>(P.a##i + row.off[i]);
  GA_OUTERS(X)
#undef X
  ga_post(P, P.reduced ? acc : ga_empty(), outer, out);
#define X(i, T) ga_store<T>(P.a##i + row.off[i], out.y##i);
  GA_OUTPUTS(X)
#undef X
}
