/* SPDX-License-Identifier: MIT */
/* Map, where operands are fast along several axes, or along short ones: a block does a box of
 * up to four axes, 2^GA_BITS0 by 2^GA_BITS1 by ... elements, the output's fastest axis
 * being axis 0. An operand that lies in memory in another order goes by way of shared memory:
 * threads side by side copy what lies side by side in the operand's order to where the
 * output's order has it. Then threads go along the output's order, load the other inputs,
 * and store. Axes may be shorter than their power of two: threads that have nothing wait.
 *
 *   a[i,j,k] + b of strides (k, i, j) + c of strides (j, k, i), float32: axes 0, 1, 2 are k,
 *   j, i; b's order is 1, 2, 0, c's is 2, 0, 1; GA_BITS 5, 4, 4. Thread 35 copies
 *   elements j = 3 of k = 2, 18 of each i of b. Then lane 3 of warp 1 does k = 3 of
 *   j = 1, 9 of each i.
 *   int32 of [3, 7, 255, 2047, 2], read reversed: GA_BITS 1, 5, 3, 2 for axes of 2, 2047, 7
 *   and 3; 1344 of the 2048 threads' elements are there, 84 bytes on end in the input.
 *
 * In shared memory words, or wider elements, are 1 further for each 32 and each 1024, so
 * that lanes a power of two apart meet no bank twice. Neighbouring boxes, which share
 * sectors of memory, are done at about the same time: by bands of `band` boxes along each axis.
 *
 * The generator supplies besides what operands.cuh says:
 *   GA_CROSSED(X)   X(i, T, A, B, C, D) for each operand that goes by way of shared memory:
 *                   its axes of the box from the fastest one on
 *   GA_DIRECT(X)    X(i, T) for the other inputs
 */
struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong n[4]; /* 1 where there are fewer axes */
#if GA_IOTA
  ga_long iota_base;
#endif
  ga_div bands[4];
  ga_axes<GA_NK> axes; /* but for those of the box */
  ga_offset step[4][GA_NOFF];
  ga_uint band[4]; /* log2 of the boxes of a band */
  GA_NUMBERS(GA_NUMBER)
};

#define GA_BITS (GA_BITS0 + GA_BITS1 + GA_BITS2 + GA_BITS3)
#define GA_BIT(K) ((K) == 0 ? GA_BITS0 : (K) == 1 ? GA_BITS1 : (K) == 2 ? GA_BITS2 : GA_BITS3)
#define GA_EACH 8 /* elements that a thread does at once */

/* A place in the box. */
struct ga_spot {
  int at[4];
};

/* What item n of the box stands for in the order of axes A, B, C, D. */
template <int A, int B, int C, int D> GA_FN ga_spot ga_spot_of(int n) {
  const int order[4] = {A, B, C, D};
  ga_spot s;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    s.at[order[k]] = n & ((1 << GA_BIT(order[k])) - 1);
    n >>= GA_BIT(order[k]);
  }
  return s;
}

/* Where item n of the output's order lies in shared memory. Bits of n that are apart may be
 * added. */
template <class T> GA_FN int ga_slot(int n) {
  const int size = (int)sizeof(T), unit = size < 4 ? 4 : size;
  const int line = unit == 4 ? 7 : unit == 8 ? 8 : 9;
  n *= size;
  return n + ((n >> line) + (n >> (line + 5))) * unit;
}

/* The spot in the output's order. */
GA_FN int ga_item(const ga_spot &s) {
  return s.at[0] | s.at[1] << GA_BITS0 | s.at[2] << (GA_BITS0 + GA_BITS1) |
         s.at[3] << (GA_BITS0 + GA_BITS1 + GA_BITS2);
}

/* Bytes from the box's beginning to the spot in operand o. */
GA_FN ga_offset ga_reach(const ga_params &P, int o, const ga_spot &s) {
  ga_offset r = 0;
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (GA_BIT(k) != 0) r += s.at[k] * P.step[k][o];
  return r;
}

/* Spot a + b, whose bits are apart, is among the n. */
GA_FN bool ga_is_there(const ga_spot &a, const ga_spot &b, const int (&n)[4]) {
  bool on = true;
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (GA_BIT(k) != 0) on = on && a.at[k] < n[k] - b.at[k];
  return on;
}

/* The box of operand o, which begins at p; n: what is there of it. */
template <class T, int A, int B, int C, int D>
GA_FN void ga_copy_box(char *tile, const ga_params &P, int o, const char *p, const int (&n)[4]) {
  const ga_spot t = ga_spot_of<A, B, C, D>((int)threadIdx.x);
  char *const to = tile + ga_slot<T>(ga_item(t));
  p += ga_reach(P, o, t);
  if constexpr (sizeof(T) >= 4) {
    const ga_shared at = ga_shared_at(to);
#pragma unroll 8
    for (int j = 0; j < 1 << GA_BITS; j += GA_BLOCK) {
      const ga_spot s = ga_spot_of<A, B, C, D>(j);
      ga_copy_if<(int)sizeof(T), true>(at, ga_slot<T>(ga_item(s)), p + ga_reach(P, o, s),
                                 ga_is_there(t, s, n));
    }
  } else {
#pragma unroll 1
    for (int g = 0; g < 1 << GA_BITS; g += GA_EACH * GA_BLOCK) {
      T x[GA_EACH];
#pragma unroll
      for (int e = 0; e < GA_EACH; e++) {
        const ga_spot s = ga_spot_of<A, B, C, D>(g + e * GA_BLOCK);
        x[e] = T();
        if (ga_is_there(t, s, n)) x[e] = ga_load<T>(p + ga_reach(P, o, s));
      }
#pragma unroll
      for (int e = 0; e < GA_EACH; e++)
        *(T *)(to + ga_slot<T>(ga_item(ga_spot_of<A, B, C, D>(g + e * GA_BLOCK)))) = x[e];
    }
  }
}

#define X(i, T, A, B, C, D) alignas(16) char tile##i[(sizeof(T) << GA_BITS) / 1024 * 1057];
struct ga_tiles {
  GA_CROSSED(X)
};
#undef X

extern "C" __global__ void __launch_bounds__(GA_BLOCK)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  extern __shared__ ga_tiles ga_held[];
  ga_tiles &tiles = ga_held[0];
  ga_offset off[GA_NOFF];
  int n[4], place[4];
  ga_index outer = (ga_index)blockIdx.x;
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) off[o] = 0;
#pragma unroll
  for (int k = 3; k >= 0; k--) {
    place[k] = (int)(outer & ((1u << P.band[k]) - 1));
    outer >>= P.band[k];
  }
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const ga_index rest = ga_quotient(outer, P.bands[k]);
    const ga_ulong box = ((ga_ulong)(outer - rest * P.bands[k].d) << P.band[k]) + place[k];
    const ga_ulong begin = box << GA_BIT(k);
    if (begin >= P.n[k]) return;
    n[k] = P.n[k] - begin < 1 << GA_BIT(k) ? (int)(P.n[k] - begin) : 1 << GA_BIT(k);
#pragma unroll
    for (int o = 0; o < GA_NOFF; o++) off[o] += (ga_offset)begin * P.step[k][o];
    outer = rest;
  }
  ga_walk(P.axes, outer, off);

#define X(i, T, A, B, C, D) ga_copy_box<T, A, B, C, D>(tiles.tile##i, P, i, P.a##i + off[i], n);
  GA_CROSSED(X)
#undef X
  const ga_spot t = ga_spot_of<0, 1, 2, 3>((int)threadIdx.x);
#define X(i, T, A, B, C, D) const char *const c##i = tiles.tile##i + ga_slot<T>((int)threadIdx.x);
  GA_CROSSED(X)
#undef X
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) off[o] += ga_reach(P, o, t);

#pragma unroll 1
  for (int g = 0; g < 1 << GA_BITS; g += GA_EACH * GA_BLOCK) {
    ga_out out[GA_EACH];
    bool on[GA_EACH];
#define X(i, T) T d##i[GA_EACH] = {};
    GA_INPUTS(X)
#undef X
#pragma unroll
    for (int e = 0; e < GA_EACH; e++) {
      const ga_spot s = ga_spot_of<0, 1, 2, 3>(g + e * GA_BLOCK);
      on[e] = ga_is_there(t, s, n);
#define X(i, T)                                                                     \
  if (on[e]) d##i[e] = ga_load<T>(P.a##i + (off[i] + ga_reach(P, i, s)));
      GA_DIRECT(X)
#undef X
    }
    if (g == 0) {
      ga_wait_for_copies();
      __syncthreads();
    }
#pragma unroll
    for (int e = 0; e < GA_EACH; e++) {
#define X(i, T, A, B, C, D) d##i[e] = *(const T *)(c##i + ga_slot<T>(g + e * GA_BLOCK));
      GA_CROSSED(X)
#undef X
    }
#pragma unroll
    for (int e = 0; e < GA_EACH; e++) {
      ga_in in;
      ga_long iota = 0;
      if (GA_GUARDED && !on[e]) continue;
#define X(i, T) in.x##i = d##i[e];
      GA_INPUTS(X)
#undef X
#if GA_IOTA
      iota = P.iota_base + off[GA_NOP] +
             ga_reach(P, GA_NOP, ga_spot_of<0, 1, 2, 3>(g + e * GA_BLOCK));
#endif
      ga_map(P, in, iota, out[e]);
    }
#pragma unroll
    for (int e = 0; e < GA_EACH; e++) {
      const ga_spot s = ga_spot_of<0, 1, 2, 3>(g + e * GA_BLOCK);
#define X(i, T) \
  if (on[e]) ga_store<T>(P.a##i + (off[i] + ga_reach(P, i, s)), out[e].y##i);
      GA_OUTPUTS(X)
#undef X
    }
  }
}
