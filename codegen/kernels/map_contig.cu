/* SPDX-License-Identifier: MIT */
/* Map, class CONTIG: one axis along which every operand has unit step or stays.
 *
 * One thread, one vector of GA_VEC elements: as many as give the widest operand
 * 16 bytes. The first output's vectors are aligned; what lies before its first
 * aligned vector and behind its last whole one is done by single threads that
 * follow those of the vectors.
 *
 *   21 float32 elements, output at 8 modulo 16, GA_VEC 4:
 *     head 2, nvec 4 (elements 2..17), tail 3; nsingle 5
 *     threads 0..3 do the vectors, threads 4..8 elements 0 1 18 19 20
 *
 * Operands that are not aligned where the output is (GA_ALIGNED 0) are read by
 * shifted vectors; outputs that are not (GA_STORE_VEC 0) are stored by elements.
 * GA_STILL: bits of the first 64 inputs that stay; the text knows them, as an operand that may do
 * either is shifted and taken apart for nothing.
 * step is 1 for an operand that moves and 0 for one that stays; GA_STEPPED 1: some input has
 * another step, and step is in bytes. That input's elements are asked for one by one, of
 * neighbours by one thread, so that they fill a vector of the output.
 */
struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong nvec, head, nsingle;
#if GA_IOTA
  ga_long iota_base, iota_step;
#endif
#if GA_STEPPED
  ga_long step[GA_NOP];
#else
  ga_uint step[GA_NOP];
#endif
  GA_NUMBERS(GA_NUMBER)
};

/* Where element e of an operand is. */
#if GA_STEPPED
#define GA_AT(i, T, e) (P.a##i + (ga_long)(e) * P.step[i])
#define GA_MOVES(i, T) (P.step[i] == (ga_long)sizeof(T))
#else
#define GA_AT(i, T, e) (P.a##i + (GA_MOVES(i, T) ? (e) * sizeof(T) : 0))
#define GA_MOVES(i, T) (i < 64 ? !(GA_STILL >> (i & 63) & 1) : P.step[i])
#endif

GA_FN void ga_single(const ga_params &P, ga_ulong e) {
  ga_in in;
  ga_out out;
  ga_long iota = 0;
#define X(i, T) in.x##i = ga_load<T>(GA_AT(i, T, e));
  GA_INPUTS(X)
#undef X
#if GA_IOTA
  iota = P.iota_base + (ga_long)e * P.iota_step;
#endif
  ga_kept kept;
  ga_keep(P, in, kept);
  ga_map(P, in, kept, iota, out);
#define X(i, T) ga_store<T>(P.a##i + e * sizeof(T), out.y##i);
  GA_OUTPUTS(X)
#undef X
}

#if GA_STEPPED
template <class T> GA_FN ga_vec<T, GA_VEC> ga_gather(const char *p, ga_long step) {
  ga_vec<T, GA_VEC> v;
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) v.v[k] = ga_load<T>(p + k * step);
  return v;
}
#define GA_REST(i, T, e) ga_gather<T>(GA_AT(i, T, e), P.step[i])
/* The kernel alone learns what moves: shifted where it is asked for, others are not shifted. */
#define GA_ASKED(T) ga_asked<T, GA_VEC, GA_ALIGNED, false>
#else
#define GA_ASKED(T) ga_asked<T, GA_VEC, GA_ALIGNED>
#define GA_REST(i, T, e) ga_splat<T, GA_VEC>(ga_load<T>(P.a##i))
#endif

GA_FN void ga_vector(const ga_params &P, ga_ulong e) {
#define X(i, T)                                                                  \
  GA_ASKED(T) w##i;                                                              \
  if (GA_MOVES(i, T))                                                            \
    w##i.ask(P.a##i + e * sizeof(T), 0, GA_VEC);                                 \
  else                                                                           \
    w##i.take(GA_REST(i, T, e));
  GA_INPUTS(X)
#undef X
#if GA_BY_BYTES
  ga_bytes_in in;
  ga_bytes_out out;
#define X(i, T) in.x##i = w##i.get();
  GA_INPUTS(X)
#undef X
  ga_map_bytes(P, in, out);
#define X(i, T) const ga_vec<T, GA_VEC> r##i = ga_elements<T, GA_VEC>(out.y##i);
  GA_OUTPUTS(X)
#undef X
#else
#define X(i, T) const ga_vec<T, GA_VEC> v##i = ga_elements<T, GA_VEC>(w##i.get());
  GA_INPUTS(X)
#undef X
#define X(i, T) ga_vec<T, GA_VEC> r##i;
  GA_OUTPUTS(X)
#undef X
  ga_in in;
  ga_kept kept;
#define X(i, T) in.x##i = v##i.v[0];
  GA_INPUTS(X)
#undef X
  ga_keep(P, in, kept);
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) {
    ga_out out;
    ga_long iota = 0;
#define X(i, T) in.x##i = v##i.v[k];
    GA_INPUTS(X)
#undef X
#if GA_IOTA
    iota = P.iota_base + (ga_long)(e + k) * P.iota_step;
#endif
    ga_map(P, in, kept, iota, out);
#define X(i, T) r##i.v[k] = out.y##i;
    GA_OUTPUTS(X)
#undef X
  }
#endif
#define X(i, T) GA_STORE_RESULTS(i, T, ga_store_aligned, P.a##i + e * sizeof(T))
  GA_OUTPUTS(X)
#undef X
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  ga_ulong t = (ga_ulong)blockIdx.x * GA_BLOCK + threadIdx.x;
  if (t < P.nvec) {
    ga_vector(P, P.head + t * GA_VEC);
    return;
  }
  t -= P.nvec;
  if (t < P.nsingle) ga_single(P, t < P.head ? t : t + P.nvec * GA_VEC);
}
