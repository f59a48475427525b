/* SPDX-License-Identifier: MIT */
/* Rows gathered by index: r[e] = v[index[e]] for whole rows, r in C order.
 *
 * The library defines before this file:
 *   GA_WIDE    1: positions or byte offsets take 64 bits
 *   GA_INDEX   the type of an index; GA_SIGNED 1: it may count from the end
 *   GA_WORD    bytes of a word: 1, 2, 4, 8 or 16, which r and v are made of
 *   GA_NK      bound of the number of axes of a row, outermost first
 *
 *   v of shape (10, 3), 3 indices 7 -1 12, GA_WORD 4: n = 9 words, row = 3;
 *   word 4 is word 1 of row 1, whose index -1 becomes 9; words 6..8 have an index
 *   beyond v: they are not written, and *bad becomes 1.
 */
#if GA_WIDE
typedef ga_ulong ga_index;
typedef ga_long ga_offset;
#else
typedef ga_uint ga_index;
typedef ga_int ga_offset;
#endif

#if GA_WORD == 1
typedef unsigned char ga_unit;
#elif GA_WORD == 2
typedef unsigned short ga_unit;
#elif GA_WORD == 4
typedef unsigned int ga_unit;
#elif GA_WORD == 8
typedef uint2 ga_unit;
#else
typedef uint4 ga_unit;
#endif

struct ga_params {
  char *r;
  const char *v;
  const char *index;
  ga_uint *bad;   /* NULL: nobody asks */
  ga_ulong n, row; /* words of r, of a row */
  ga_ulong rows;  /* of v */
  ga_long step;   /* bytes from a row of v to the next */
  ga_long dims[GA_NK], steps[GA_NK]; /* of a row of v: words, bytes */
  ga_ulong nk;
};

extern "C" __global__ void __launch_bounds__(256)
ga_take(const __grid_constant__ ga_params P) {
  const ga_ulong stride = (ga_ulong)gridDim.x * 256;
  for (ga_ulong t = (ga_ulong)blockIdx.x * 256 + threadIdx.x; t < P.n; t += stride) {
    const ga_index e = (ga_index)t / (ga_index)P.row;
    ga_index rest = (ga_index)t - e * (ga_index)P.row;
    const GA_INDEX given = ((const GA_INDEX *)P.index)[e];
    ga_ulong at = (ga_ulong)given;
    ga_offset off = 0;
#if GA_SIGNED
    if (given < 0) at = (ga_ulong)((ga_long)given + (ga_long)P.rows);
#endif
    if (at >= P.rows) {
      if (P.bad != nullptr) *P.bad = 1;
      continue;
    }
    for (int k = (int)P.nk - 1; k > 0; k--) {
      const ga_index q = rest / (ga_index)P.dims[k];
      off += (ga_offset)(rest - q * (ga_index)P.dims[k]) * (ga_offset)P.steps[k];
      rest = q;
    }
    off += (ga_offset)rest * (ga_offset)P.steps[0];
    ((ga_unit *)P.r)[t] = *(const ga_unit *)(P.v + (ga_long)at * P.step + off);
  }
}
