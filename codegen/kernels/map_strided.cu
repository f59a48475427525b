/* SPDX-License-Identifier: MIT */
/* Map, class STRIDED: any strides. Each thread takes GA_EACH elements, GA_BLOCK
 * apart, so that neighbours in a warp are neighbours along the innermost axis
 * and all loads of a thread are in flight together.
 *
 *   (7, 5) elements, GA_BLOCK 256, GA_EACH 4: n = 35, one block; thread 34 takes
 *   element 34 = (6, 4) by one division by 5; elements 290, 546, 802 are none.
 *
 * GA_GAPS 1: outputs are rows with gaps between; sectors that gaps cut are asked for.
 */
#define GA_EACH 4

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong n;
#if GA_IOTA
  ga_long iota_base;
#endif
  ga_axes<GA_NK> axes;
  GA_NUMBERS(GA_NUMBER)
};

extern "C" __global__ void __launch_bounds__(GA_BLOCK)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  const ga_index first = (ga_index)blockIdx.x * (GA_BLOCK * GA_EACH) + threadIdx.x;
  ga_in in[GA_EACH];
  ga_offset off[GA_EACH][GA_NOFF];
#pragma unroll
  for (int k = 0; k < GA_EACH; k++) {
    const ga_index e = first + k * GA_BLOCK;
#pragma unroll
    for (int o = 0; o < GA_NOFF; o++) off[k][o] = 0;
    if (e >= P.n) continue;
    ga_walk(P.axes, e, off[k]);
#if GA_GAPS
    const ga_div &inner = P.axes.dim[GA_NK <= 3 ? GA_NK - 1 : (int)P.axes.n - 1];
    const ga_index c = e - ga_quotient(e, inner) * inner.d;
    if (c == 0 || c == inner.d - 1) {
#define X(i, T) ga_ask_sector(P.a##i + off[k][i]);
      GA_OUTPUTS(X)
#undef X
    }
#endif
#define X(i, T) in[k].x##i = ga_load<T>(P.a##i + off[k][i]);
    GA_INPUTS(X)
#undef X
  }
#pragma unroll
  for (int k = 0; k < GA_EACH; k++) {
    const ga_index e = first + k * GA_BLOCK;
    ga_long iota = 0;
    ga_out out;
    if (e >= P.n) break;
#if GA_IOTA
    iota = P.iota_base + off[k][GA_NOP];
#endif
    ga_map(P, in[k], iota, out);
#define X(i, T) ga_store<T>(P.a##i + off[k][i], out.y##i);
    GA_OUTPUTS(X)
#undef X
  }
}
