/* SPDX-License-Identifier: MIT */
/* float16 and bfloat16 to and from float32 by the block: by the processor's
 * conversion instructions where the compiler may use them (they give the bits of
 * the scalar functions, NaN included), else by loops over those. */
#ifndef GA_CPU_HALVES_H
#define GA_CPU_HALVES_H

#include "loops_impl.h"

#if defined(__F16C__) && defined(__AVX__)
#include <immintrin.h>
#endif

static inline void ga_widen_float16(size_t n, mem_float32 *r, const mem_float16 *a)
{
  size_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16)
    _mm512_storeu_ps((void *)(r + i), _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(a + i))));
#endif
#if defined(__F16C__) && defined(__AVX__)
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps((void *)(r + i), _mm256_cvtph_ps(_mm_loadu_si128((const void *)(a + i))));
#endif
  GA_INDEPENDENT
  for (; i < n; i++) r[i] = ga_cast_float16_float32(a[i]);
}
static inline void ga_narrow_float16(size_t n, mem_float16 *r, const mem_float32 *a)
{
  size_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16)
    _mm256_storeu_si256((void *)(r + i), _mm512_cvtps_ph(_mm512_loadu_ps((const void *)(a + i)),
                                                         _MM_FROUND_TO_NEAREST_INT));
#endif
#if defined(__F16C__) && defined(__AVX__)
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128((void *)(r + i), _mm256_cvtps_ph(_mm256_loadu_ps((const void *)(a + i)),
                                                      _MM_FROUND_TO_NEAREST_INT));
#endif
  GA_INDEPENDENT
  for (; i < n; i++) r[i] = ga_cast_float32_float16(a[i]);
}
static inline void ga_widen_bfloat16(size_t n, mem_float32 *r, const mem_bfloat16 *a)
{
  GA_INDEPENDENT
  for (size_t i = 0; i < n; i++) r[i] = ga_cast_bfloat16_float32(a[i]);
}
static inline void ga_narrow_bfloat16(size_t n, mem_bfloat16 *r, const mem_float32 *a)
{
  GA_INDEPENDENT
  for (size_t i = 0; i < n; i++) r[i] = ga_cast_float32_bfloat16(a[i]);
}

#endif
