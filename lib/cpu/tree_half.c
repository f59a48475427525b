/* SPDX-License-Identifier: MIT */
/* Reductions inside a chunk for float16 and bfloat16 (min, max, argmin, argmax):
 * widened to float32, which changes no order, reduced there and narrowed, which
 * is exact. */
#include "halves.h"

enum { CHUNK = 1024 };

extern const ga_tree GA_SYM(ga_trees_float32)[GA_NREDUCE];
extern const ga_combine GA_SYM(ga_combines_float32)[GA_NREDUCE];
extern const ga_scan_loop GA_SYM(ga_scans_float32)[GA_NREDUCE];

#define THROUGH(T)                                                                           \
  static void tree_##T(int op, size_t n, void *const *acc, const void *const *src,           \
                       const void *index)                                                    \
  {                                                                                          \
    ga_float v[CHUNK], best;                                                                 \
    void *const to[] = {&best, index ? acc[1] : NULL};                                       \
    const void *const from[] = {v, index};                                                   \
    ga_widen_##T(n, v, src[0]);                                                              \
    GA_SYM(ga_trees_float32)[op](n, to, from);                                               \
    ga_narrow_##T(1, acc[0], &best);                                                         \
  }                                                                                          \
  static void combine_##T(int op, size_t n, void *const *acc, const void *const *left,       \
                          const void *const *right, int pair)                                \
  {                                                                                          \
    ga_float a[CHUNK], b[CHUNK];                                                             \
    for (size_t i = 0; i < n; i += CHUNK) {                                                  \
      size_t m = n - i < CHUNK ? n - i : CHUNK;                                              \
      void *const to[] = {a, pair ? (mem_int64 *)acc[1] + i : NULL};                         \
      const void *const l[] = {a, pair ? (const mem_int64 *)left[1] + i : NULL};             \
      const void *const r[] = {b, pair ? (const mem_int64 *)right[1] + i : NULL};            \
      ga_widen_##T(m, a, (const mem_##T *)left[0] + i);                                      \
      ga_widen_##T(m, b, (const mem_##T *)right[0] + i);                                     \
      GA_SYM(ga_combines_float32)[op](m, to, l, r);                                          \
      ga_narrow_##T(m, (mem_##T *)acc[0] + i, a);                                            \
    }                                                                                        \
  }                                                                                          \
  static void scan_##T(int op, size_t n, uint64_t at, int exclusive, void *state, void *dst, \
                       const void *src)                                                      \
  {                                                                                          \
    ga_float v[CHUNK], s[4];                                                                 \
    ga_widen_##T(4, s, state);                                                               \
    for (size_t i = 0; i < n; i += CHUNK) {                                                  \
      size_t m = n - i < CHUNK ? n - i : CHUNK;                                              \
      ga_widen_##T(m, v, (const mem_##T *)src + i);                                          \
      GA_SYM(ga_scans_float32)[op](m, at + i, exclusive, s, v, v);                           \
      ga_narrow_##T(m, (mem_##T *)dst + i, v);                                               \
    }                                                                                        \
    ga_narrow_##T(4, state, s);                                                              \
  }
THROUGH(float16)
THROUGH(bfloat16)

#define DEFINE(name, T, index, pair)                                                    \
  static void tree_##name##_##T(size_t n, void *const *acc, const void *const *src)     \
  {                                                                                     \
    tree_##T(GA_REDUCE_##name, n, acc, src, index);                                     \
  }                                                                                     \
  static void combine_##name##_##T(size_t n, void *const *acc, const void *const *left, \
                                   const void *const *right)                            \
  {                                                                                     \
    combine_##T(GA_REDUCE_##name, n, acc, left, right, pair);                           \
  }
#define VALUE(name, T, C) DEFINE(name, T, NULL, 0)
#define PAIR(name, T, C)  DEFINE(name, T, src[1], 1)
#define SCAN_VALUE(name, T, C)                                                                \
  static void scan_##name##_##T(size_t n, uint64_t at, int exclusive, void *state, void *dst, \
                                const void *src)                                              \
  {                                                                                           \
    scan_##T(GA_REDUCE_##name, n, at, exclusive, state, dst, src);                            \
  }
#define SCAN_ROW(name, T, C)    [GA_REDUCE_##name] = scan_##name##_##T,
#define TREE_ROW(name, T, C)    [GA_REDUCE_##name] = tree_##name##_##T,
#define COMBINE_ROW(name, T, C) [GA_REDUCE_##name] = combine_##name##_##T,

#define TABLE(T)                                                                                 \
  extern const ga_tree GA_SYM(ga_trees_##T)[GA_NREDUCE];                                         \
  extern const ga_combine GA_SYM(ga_combines_##T)[GA_NREDUCE];                                   \
  extern const ga_short_rows GA_SYM(ga_shorts_##T)[GA_NREDUCE];                                  \
  const ga_short_rows GA_SYM(ga_shorts_##T)[GA_NREDUCE] = {0};                                   \
  extern const ga_scan_loop GA_SYM(ga_scans_##T)[GA_NREDUCE];                                    \
  GA_REDUCES_##T(VALUE) GA_REDUCES_##T(SCAN_VALUE) GA_ARGREDUCES_##T(PAIR) const ga_tree GA_SYM( \
      ga_trees_##T)[GA_NREDUCE] = {GA_REDUCES_##T(TREE_ROW) GA_ARGREDUCES_##T(TREE_ROW)};        \
  const ga_combine GA_SYM(ga_combines_##T)[GA_NREDUCE] = {GA_REDUCES_##T(COMBINE_ROW)            \
                                                              GA_ARGREDUCES_##T(COMBINE_ROW)};   \
  const ga_scan_loop GA_SYM(ga_scans_##T)[GA_NREDUCE] = {GA_REDUCES_##T(SCAN_ROW)};
TABLE(float16)
TABLE(bfloat16)
