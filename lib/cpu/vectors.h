/* SPDX-License-Identifier: MIT */
/* The vectors of the instruction set that is compiled for, where a loop is to say itself what is
 * one: loads at any address, one number spread, and a bit for each pair of lanes that are the same;
 * of floats also stores, sums, and the lesser and greater of two, which is the second where either
 * is NaN or both are zero. GA_VECTORS is defined where there are any: for AVX2 and AVX-512. */
#ifndef GA_CPU_VECTORS_H
#define GA_CPU_VECTORS_H

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define GA_VECTORS
#define VECTOR_float32     __m512
#define VECTOR_float64     __m512d
#define LOAD_float32(p)    _mm512_loadu_ps((const void *)(p))
#define LOAD_float64(p)    _mm512_loadu_pd((const void *)(p))
#define STORE_float32      _mm512_storeu_ps
#define STORE_float64      _mm512_storeu_pd
#define ADD_float32        _mm512_add_ps
#define ADD_float64        _mm512_add_pd
#define MIN_float32        _mm512_min_ps
#define MIN_float64        _mm512_min_pd
#define MAX_float32        _mm512_max_ps
#define MAX_float64        _mm512_max_pd
#define SPREAD_float32     _mm512_set1_ps
#define SPREAD_float64     _mm512_set1_pd
#define SPREAD_int32       _mm512_set1_epi32
#define SPREAD_int64       _mm512_set1_epi64
#define VECTOR_int32       __m512i
#define VECTOR_int64       __m512i
#define LOAD_int32(p)      _mm512_loadu_si512((const void *)(p))
#define LOAD_int64(p)      _mm512_loadu_si512((const void *)(p))
#define SAME_float32(a, b) (unsigned int)_mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)
#define SAME_float64(a, b) (unsigned int)_mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ)
#define SAME_int32(a, b)   (unsigned int)_mm512_cmpeq_epi32_mask(a, b)
#define SAME_int64(a, b)   (unsigned int)_mm512_cmpeq_epi64_mask(a, b)
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define GA_VECTORS
#define VECTOR_float32     __m256
#define VECTOR_float64     __m256d
#define LOAD_float32(p)    _mm256_loadu_ps((const void *)(p))
#define LOAD_float64(p)    _mm256_loadu_pd((const void *)(p))
#define STORE_float32      _mm256_storeu_ps
#define STORE_float64      _mm256_storeu_pd
#define ADD_float32        _mm256_add_ps
#define ADD_float64        _mm256_add_pd
#define MIN_float32        _mm256_min_ps
#define MIN_float64        _mm256_min_pd
#define MAX_float32        _mm256_max_ps
#define MAX_float64        _mm256_max_pd
#define SPREAD_float32     _mm256_set1_ps
#define SPREAD_float64     _mm256_set1_pd
#define SPREAD_int32       _mm256_set1_epi32
#define SPREAD_int64       _mm256_set1_epi64x
#define VECTOR_int32       __m256i
#define VECTOR_int64       __m256i
#define LOAD_int32(p)      _mm256_loadu_si256((const void *)(p))
#define LOAD_int64(p)      _mm256_loadu_si256((const void *)(p))
#define SAME_float32(a, b) (unsigned int)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ))
#define SAME_float64(a, b) (unsigned int)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ))
#define SAME_int32(a, b) \
  (unsigned int)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b)))
#define SAME_int64(a, b) \
  (unsigned int)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, b)))
#endif

#endif
