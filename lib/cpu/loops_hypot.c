/* SPDX-License-Identifier: MIT */
/* hypot and absolute values of complex numbers by vectors, with the bits of scalar_hypot.cuh.
 *
 * float64: its formula without branches, where what a square loses comes from a fused
 * multiply-add. Both ways are exact (of a square so small that they are not, nothing is left in
 * the sum).
 * float32: only with AVX-512, whose root of eight float64 takes as long as 40 products. Squares are
 * exact in float64, and so a fused multiply-add is their sum. The root's last step (Markstein's)
 * rounds a value that is right to 2^-105; where that could be another float64, no float32 is near
 * the middle between two.
 *
 * Processors without these instructions use the scalar functions. */
#include "loops_impl.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#endif

extern const ga_loop GA_SYM(ga_hypot_float32)[GA_NOP];
extern const ga_loop GA_SYM(ga_hypot_complex64)[GA_NOP];
extern const ga_loop GA_SYM(ga_hypot_float64)[GA_NOP];
extern const ga_loop GA_SYM(ga_hypot_complex128)[GA_NOP];

#define ROW(op, loop) [GA_OP_##op - GA_N_OP] = loop

#if defined(__AVX512F__) && defined(__AVX512DQ__)

/* The roots of s; of 0, whose reciprocal root is none, 0. */
static inline __m512d root_of(__m512d s)
{
  const __m512d half = _mm512_set1_pd(0.5);
  __m512d y = _mm512_rsqrt14_pd(s), g = _mm512_mul_pd(s, y), h = _mm512_mul_pd(half, y);
  for (int i = 0; i < 2; i++) {
    __m512d e = _mm512_fnmadd_pd(g, h, half);
    g = _mm512_fmadd_pd(g, e, g);
    h = _mm512_fmadd_pd(h, e, h);
  }
  g = _mm512_fmadd_pd(_mm512_fnmadd_pd(g, g, s), h, g);
  return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(s, _mm512_setzero_pd(), _CMP_NEQ_UQ), g);
}
static inline __m256 hypots_of(__m256 a, __m256 b)
{
  const __m256 inf = _mm256_set1_ps(GA_INF_float32), none = _mm256_set1_ps(-0.0f);
  __m512d x = _mm512_cvtps_pd(a), y = _mm512_cvtps_pd(b);
  __m256 r = _mm512_cvtpd_ps(root_of(_mm512_fmadd_pd(y, y, _mm512_mul_pd(x, x))));
  __mmask8 far = _mm256_cmp_ps_mask(_mm256_andnot_ps(none, a), inf, _CMP_EQ_OQ);
  far |= _mm256_cmp_ps_mask(_mm256_andnot_ps(none, b), inf, _CMP_EQ_OQ);
  return _mm256_mask_mov_ps(r, far, inf);
}
static void absolute_complex64(size_t n, void *dst, const void *const *src)
{
  mem_float32 *r = dst;
  const mem_complex64 *a = src[0];
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m512i v = _mm512_loadu_si512((const void *)(a + i));
    __m256 x = _mm256_castsi256_ps(_mm512_cvtepi64_epi32(v));
    __m256 y = _mm256_castsi256_ps(_mm512_cvtepi64_epi32(_mm512_srli_epi64(v, 32)));
    _mm256_storeu_ps((void *)(r + i), hypots_of(x, y));
  }
  for (; i < n; i++) r[i] = ga_absolute_complex64(a[i]);
}
static void hypot_float32(size_t n, void *dst, const void *const *src)
{
  mem_float32 *r = dst;
  const mem_float32 *a = src[0], *b = src[1];
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m256 x = _mm256_loadu_ps((const void *)(a + i)), y = _mm256_loadu_ps((const void *)(b + i));
    _mm256_storeu_ps((void *)(r + i), hypots_of(x, y));
  }
  for (; i < n; i++) r[i] = ga_hypot_float32(a[i], b[i]);
}

const ga_loop GA_SYM(ga_hypot_float32)[GA_NOP] = {ROW(hypot, hypot_float32)};
const ga_loop GA_SYM(ga_hypot_complex64)[GA_NOP] = {ROW(absolute, absolute_complex64)};

#else

const ga_loop GA_SYM(ga_hypot_float32)[GA_NOP] = {0};
const ga_loop GA_SYM(ga_hypot_complex64)[GA_NOP] = {0};

#endif

#if defined(__FMA__) || defined(__aarch64__)

static inline ga_double hypot_of(ga_double a, ga_double b)
{
  ga_double x = __builtin_fabs(a), y = __builtin_fabs(b), most = x > y ? x : y;
  ga_double least = x > y ? y : x, up = 1, down = 1;
  up = most > 0x1p500 ? 0x1p-600 : up;
  down = most > 0x1p500 ? 0x1p600 : down;
  up = most < 0x1p-400 ? 0x1p600 : up;
  down = most < 0x1p-400 ? 0x1p-600 : down;
  ga_double p = most * up, q = least * up, ph = p * p, qh = q * q, s = ph + qh;
  ga_double e = (ph - s) + qh + (__builtin_fma(p, p, -ph) + __builtin_fma(q, q, -qh));
  ga_double r = __builtin_sqrt(s), rh = r * r, rl = __builtin_fma(r, r, -rh);
  ga_double h = (r + ((s - rh) - rl + e) / (2 * r)) * down;
  h = r > 0 ? h : r; /* 0 */
  h = ((x != x) | (y != y)) ? GA_NAN_float64 : h;
  const ga_double inf = GA_INF_float64;
  return ((x == inf) | (y == inf)) ? inf : h;
}

static void hypot_float64(size_t n, void *dst, const void *const *src)
{
  mem_float64 *r = dst;
  const mem_float64 *a = src[0], *b = src[1];
  GA_INDEPENDENT
  for (size_t i = 0; i < n; i++) r[i] = hypot_of(a[i], b[i]);
}
static void absolute_complex128(size_t n, void *dst, const void *const *src)
{
  mem_float64 *r = dst;
  const mem_float64 *a = src[0];
  GA_INDEPENDENT
  for (size_t i = 0; i < n; i++) r[i] = hypot_of(a[2 * i], a[2 * i + 1]);
}

const ga_loop GA_SYM(ga_hypot_float64)[GA_NOP] = {ROW(hypot, hypot_float64)};
const ga_loop GA_SYM(ga_hypot_complex128)[GA_NOP] = {ROW(absolute, absolute_complex128)};

#else

const ga_loop GA_SYM(ga_hypot_float64)[GA_NOP] = {0};
const ga_loop GA_SYM(ga_hypot_complex128)[GA_NOP] = {0};

#endif
