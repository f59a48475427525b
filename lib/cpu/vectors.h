/* SPDX-License-Identifier: MIT */
/* The vectors of float32 and float64 of the instruction set that is compiled for, where a loop is
 * to say itself what is one: loads and stores at any address, sums, and the lesser and greater of
 * two, which is the second where either is NaN or both are zero. GA_VECTORS is defined where there
 * are any: for AVX2 and AVX-512. */
#ifndef GA_CPU_VECTORS_H
#define GA_CPU_VECTORS_H

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define GA_VECTORS
#define VECTOR_float32  __m512
#define VECTOR_float64  __m512d
#define LOAD_float32(p) _mm512_loadu_ps((const void *)(p))
#define LOAD_float64(p) _mm512_loadu_pd((const void *)(p))
#define STORE_float32   _mm512_storeu_ps
#define STORE_float64   _mm512_storeu_pd
#define ADD_float32     _mm512_add_ps
#define ADD_float64     _mm512_add_pd
#define MIN_float32     _mm512_min_ps
#define MIN_float64     _mm512_min_pd
#define MAX_float32     _mm512_max_ps
#define MAX_float64     _mm512_max_pd
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define GA_VECTORS
#define VECTOR_float32  __m256
#define VECTOR_float64  __m256d
#define LOAD_float32(p) _mm256_loadu_ps((const void *)(p))
#define LOAD_float64(p) _mm256_loadu_pd((const void *)(p))
#define STORE_float32   _mm256_storeu_ps
#define STORE_float64   _mm256_storeu_pd
#define ADD_float32     _mm256_add_ps
#define ADD_float64     _mm256_add_pd
#define MIN_float32     _mm256_min_ps
#define MIN_float64     _mm256_min_pd
#define MAX_float32     _mm256_max_ps
#define MAX_float64     _mm256_max_pd
#endif

#endif
