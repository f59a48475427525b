/* SPDX-License-Identifier: MIT */
/* The loops that convert, for every pair of dtypes. */
#include "halves.h"

#define CAST(from, F, ID, to, C)                                              \
  static void cast_##from##_##to(size_t n, void *dst, const void *const *src) \
  {                                                                           \
    mem_##to *r = dst;                                                        \
    const mem_##from *a = src[0];                                             \
    GA_INDEPENDENT                                                            \
    for (size_t i = 0; i < n; i++) r[i] = ga_cast_##from##_##to(a[i]);        \
  }
#define CASTS(ID, from, F) GA_DTYPES_WITH(CAST, from, F)
GA_DTYPES(CASTS)

#define ROW(from, F, ID, to, C) [GA_DT_##ID] = cast_##from##_##to,
#define TABLE(ID, from, F)                                 \
  extern const ga_loop GA_SYM(ga_casts_##from)[GA_NDTYPE]; \
  const ga_loop GA_SYM(ga_casts_##from)[GA_NDTYPE] = {GA_DTYPES_WITH(ROW, from, F)};
GA_DTYPES(TABLE)

/* Those for which the processor has an instruction that the compiler would not
 * find: the rows of float16, and the way to it. */
static void widen(size_t n, void *dst, const void *const *src) { ga_widen_float16(n, dst, src[0]); }
static void narrow(size_t n, void *dst, const void *const *src)
{
  ga_narrow_float16(n, dst, src[0]);
}

/* To bool by vectors (loops_compare.c). */
#if defined(__AVX2__)
#define TRUTH(T) extern void GA_SYM(ga_truth_##T)(size_t, void *, const void *const *);
TRUTH(float32)
TRUTH(float64)
TRUTH(int32)
TRUTH(uint32)
TRUTH(int64)
TRUTH(uint64)
#define TO_BOOL(T) [GA_DT_BOOL] = GA_SYM(ga_truth_##T),
#else
#define TO_BOOL(T)
#endif

extern const ga_loop GA_SYM(ga_fast_casts)[GA_NDTYPE][GA_NDTYPE];
const ga_loop GA_SYM(ga_fast_casts)[GA_NDTYPE][GA_NDTYPE] = {
    [GA_DT_FLOAT16] = {[GA_DT_FLOAT32] = widen},
    [GA_DT_FLOAT32] = {TO_BOOL(float32)[GA_DT_FLOAT16] = narrow},
    [GA_DT_FLOAT64] = {TO_BOOL(float64)},
    [GA_DT_INT32] = {TO_BOOL(int32)},
    [GA_DT_UINT32] = {TO_BOOL(uint32)},
    [GA_DT_INT64] = {TO_BOOL(int64)},
    [GA_DT_UINT64] = {TO_BOOL(uint64)},
};
