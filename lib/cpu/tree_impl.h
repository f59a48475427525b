/* SPDX-License-Identifier: MIT */
/* A reduction inside a chunk of up to 1024 elements, in the order of DESIGN.md:
 * a balanced tree over the bits of the index, 9 8 7 first, then 0 1, then 6 to 2.
 *
 *   bits 9 8 7   whole rows of 128 are joined: vertical, as wide as the vectors
 *   bits 0 1     neighbours are joined: 128 -> 64 -> 32
 *   bits 6 to 2  halves are joined: 32 -> 16 -> ... -> 1
 *
 * A shorter chunk is padded with the identity, to whole rows or, of one row, to a
 * power of two of at least 4, and the steps over missing bits fall away. */
#ifndef GA_CPU_TREE_IMPL_H
#define GA_CPU_TREE_IMPL_H

#include "loops_impl.h"

enum { GA_CHUNK = 1024, GA_ROW = 128, GA_SEGMENT = 128, GA_GROUPS = GA_SEGMENT / 4 };

/* The power of two at or above n, at least 4. */
static inline size_t ga_tree_width(size_t n)
{
  size_t m = 4;
  while (m < n) m *= 2;
  return m;
}

/* Element j of the first rows of a chunk, AT(k) of row k, joined: the higher bits first; what is
 * joined to a row that is not there passes. */
#define GA_ROWS_1(f, AT) AT(0)
#define GA_ROWS_2(f, AT) f(AT(0), AT(1))
#define GA_ROWS_3(f, AT) f(f(AT(0), AT(2)), AT(1))
#define GA_ROWS_4(f, AT) f(f(AT(0), AT(2)), f(AT(1), AT(3)))
#define GA_ROWS_5(f, AT) f(f(f(AT(0), AT(4)), AT(2)), f(AT(1), AT(3)))
#define GA_ROWS_6(f, AT) f(f(f(AT(0), AT(4)), AT(2)), f(f(AT(1), AT(5)), AT(3)))
#define GA_ROWS_7(f, AT) f(f(f(AT(0), AT(4)), f(AT(2), AT(6))), f(f(AT(1), AT(5)), AT(3)))
#define GA_ROWS_8(f, AT) f(f(f(AT(0), AT(4)), f(AT(2), AT(6))), f(f(AT(1), AT(5)), f(AT(3), AT(7))))
#define GA_OF_CHUNK(k)   a[(k)*GA_ROW + j]
/* Elements [from, end) of the first `count` rows, to t. */
#define GA_JOIN_ROWS(count, name, T, C)                                                          \
  static inline void join##count##_##name##_##T(size_t from, size_t end, C *t, const mem_##T *a) \
  {                                                                                              \
    GA_INDEPENDENT                                                                               \
    for (size_t j = from; j < end; j++) t[j] = GA_ROWS_##count(join_##name##_##T, GA_OF_CHUNK);  \
  }

/* Rows of less than a chunk, each to one accumulator: rows are completed with the identity
 * to W = 2, 4, ... 128, longer ones joined to 128; then neighbours are joined in all rows at
 * once, and the halves of what is left of each. */
#define GA_HALVE(name, T, C, H)                                                   \
  static inline void halve##H##_##name##_##T(size_t rows, C *t, const C *u)       \
  {                                                                               \
    GA_INDEPENDENT                                                                \
    for (size_t r = 0; r < rows; r++)                                             \
      for (size_t j = 0; j < H; j++)                                              \
        t[r * H + j] = join_##name##_##T(u[2 * r * H + j], u[2 * r * H + H + j]); \
  }
/* All rows but the last are read W wide, which the rows after them allow. */
#define GA_PAD(name, T, C, W)                                                             \
  static inline void pad##W##_##name##_##T(size_t n, size_t rows, C *t, const mem_##T *a) \
  {                                                                                       \
    const C none = ga_identity_##name##_##T();                                            \
    size_t r = 0;                                                                         \
    for (; r * n + W <= rows * n; r++)                                                    \
      for (size_t j = 0; j < W; j++) {                                                    \
        C x = a[r * n + j];                                                               \
        t[r * W + j] = j < n ? x : none;                                                  \
      }                                                                                   \
    for (; r < rows; r++) { /* GCC reads W for `j < n ? a[...] : none` */                 \
      memcpy(t + r * W, a + r * n, n * sizeof(C));                                        \
      for (size_t j = n; j < W; j++) t[r * W + j] = none;                                 \
    }                                                                                     \
  }
#define GA_PAD_LONG(name, T, C)                                                         \
  static void pad_##name##_##T(size_t n, size_t rows, size_t w, C *t, const mem_##T *a) \
  {                                                                                     \
    const C none = ga_identity_##name##_##T();                                          \
    for (size_t r = 0; r < rows; r++) {                                                 \
      memcpy(t + r * w, a + r * n, n * sizeof(C));                                      \
      for (size_t j = n; j < w; j++) t[r * w + j] = none;                               \
    }                                                                                   \
  }
/* A chunk of more than 128 elements: its first columns have an element of the last row, which is
 * not whole, the others have none. */
#define GA_FOLD_AT_ONCE(name, T, C)                                                      \
  GA_JOIN_ROWS(1, name, T, C)                                                            \
  GA_JOIN_ROWS(2, name, T, C)                                                            \
  GA_JOIN_ROWS(3, name, T, C)                                                            \
  GA_JOIN_ROWS(4, name, T, C)                                                            \
  GA_JOIN_ROWS(5, name, T, C)                                                            \
  GA_JOIN_ROWS(6, name, T, C)                                                            \
  GA_JOIN_ROWS(7, name, T, C)                                                            \
  GA_JOIN_ROWS(8, name, T, C)                                                            \
  static void rows_##name##_##T(size_t n, C *t, const mem_##T *a)                        \
  {                                                                                      \
    static void (*const joins[])(size_t from, size_t end, C * t, const mem_##T *a) = {   \
        join1_##name##_##T, join2_##name##_##T, join3_##name##_##T, join4_##name##_##T,  \
        join5_##name##_##T, join6_##name##_##T, join7_##name##_##T, join8_##name##_##T}; \
    if (n == GA_CHUNK) {                                                                 \
      join8_##name##_##T(0, GA_ROW, t, a);                                               \
      return;                                                                            \
    }                                                                                    \
    joins[n / GA_ROW](0, n % GA_ROW, t, a);                                              \
    joins[n / GA_ROW - 1](n % GA_ROW, GA_ROW, t, a);                                     \
  }
#ifndef GA_FOLD_ROWS /* a file may have its own */
#define GA_FOLD_ROWS GA_FOLD_AT_ONCE
#endif
#define GA_SHORT(name, T, C)                                                         \
  GA_HALVE(name, T, C, 16)                                                           \
  GA_HALVE(name, T, C, 8)                                                            \
  GA_HALVE(name, T, C, 4)                                                            \
  GA_HALVE(name, T, C, 2)                                                            \
  GA_HALVE(name, T, C, 1)                                                            \
  GA_PAD(name, T, C, 4)                                                              \
  GA_PAD(name, T, C, 8)                                                              \
  GA_PAD(name, T, C, 16)                                                             \
  GA_PAD(name, T, C, 32)                                                             \
  GA_PAD_LONG(name, T, C)                                                            \
  GA_FOLD_ROWS(name, T, C)                                                           \
  static inline void pairs_##name##_##T(size_t n, C *t, const mem_##T *a)            \
  {                                                                                  \
    GA_INDEPENDENT                                                                   \
    for (size_t j = 0; j < n; j++) t[j] = join_##name##_##T(a[2 * j], a[2 * j + 1]); \
  }                                                                                  \
  static void short_##name##_##T(size_t n, size_t rows, void *acc, const void *src)  \
  {                                                                                  \
    C p[GA_CHUNK], t[GA_CHUNK / 2], u[GA_CHUNK / 4], *left = t, *next = u;           \
    size_t w = n <= 2 ? 2 : n > GA_ROW ? GA_ROW : ga_tree_width(n);                  \
    const mem_##T *a = w == n ? src : p;                                             \
    if (w != n && w == 4) pad4_##name##_##T(n, rows, p, src);                        \
    if (w != n && w == 8) pad8_##name##_##T(n, rows, p, src);                        \
    if (w != n && w == 16) pad16_##name##_##T(n, rows, p, src);                      \
    if (w != n && w == 32) pad32_##name##_##T(n, rows, p, src);                      \
    if (n < w && w > 32) pad_##name##_##T(n, rows, w, p, src);                       \
    for (size_t r = 0; n > w && r < rows; r++)                                       \
      rows_##name##_##T(n, p + r * w, (const mem_##T *)src + r * n);                 \
    pairs_##name##_##T(rows *w / 2, t, a);                                           \
    if (w > 2) {                                                                     \
      pairs_##name##_##T(rows *w / 4, u, t);                                         \
      left = u;                                                                      \
      next = t;                                                                      \
    }                                                                                \
    for (size_t h = w / 8; h > 0; h /= 2) {                                          \
      C *was = left;                                                                 \
      if (h == 16) halve16_##name##_##T(rows, next, left);                           \
      if (h == 8) halve8_##name##_##T(rows, next, left);                             \
      if (h == 4) halve4_##name##_##T(rows, next, left);                             \
      if (h == 2) halve2_##name##_##T(rows, next, left);                             \
      if (h == 1) halve1_##name##_##T(rows, next, left);                             \
      left = next;                                                                   \
      next = was;                                                                    \
    }                                                                                \
    memcpy(acc, left, rows * sizeof(C));                                             \
  }

#define GA_TREE(name, T, C)                                                              \
  static inline __attribute__((always_inline)) C join_##name##_##T(C a, C b)             \
  {                                                                                      \
    return ga_reduce_##name##_##T(a, b);                                                 \
  }                                                                                      \
  GA_SHORT(name, T, C)                                                                   \
  static void tree_##name##_##T(size_t n, void *const *acc, const void *const *src)      \
  {                                                                                      \
    C t[GA_ROW], u[GA_ROW / 2];                                                          \
    const mem_##T *a = src[0];                                                           \
    size_t m = GA_ROW;                                                                   \
    if (n > GA_ROW) {                                                                    \
      rows_##name##_##T(n, t, a);                                                        \
    } else {                                                                             \
      m = ga_tree_width(n);                                                              \
      memcpy(t, a, n * sizeof(C));                                                       \
      for (size_t j = n; j < m; j++) t[j] = ga_identity_##name##_##T();                  \
    }                                                                                    \
    for (size_t j = 0; j < m / 2; j++) u[j] = join_##name##_##T(t[2 * j], t[2 * j + 1]); \
    for (size_t j = 0; j < m / 4; j++) t[j] = join_##name##_##T(u[2 * j], u[2 * j + 1]); \
    for (m /= 8; m > 0; m /= 2)                                                          \
      for (size_t j = 0; j < m; j++) t[j] = join_##name##_##T(t[j], t[j + m]);           \
    *(mem_##T *)acc[0] = t[0];                                                           \
  }                                                                                      \
  static void combine_##name##_##T(size_t n, void *const *acc, const void *const *left,  \
                                   const void *const *right)                             \
  {                                                                                      \
    mem_##T *r = acc[0];                                                                 \
    const mem_##T *a = left[0], *b = right[0];                                           \
    GA_INDEPENDENT                                                                       \
    for (size_t i = 0; i < n; i++) r[i] = join_##name##_##T(a[i], b[i]);                 \
  }

/* A piece of a scanned row from element `at` on, a multiple of 128, in the order of
 * DESIGN.md ("Order of a scan"). state: the spans before it joined, then the tiles of its
 * span, the chunks of its tile, the segments of its chunk. */
#define GA_SCAN(name, T, C)                                                                     \
  static inline __attribute__((always_inline))                                                  \
  C segment_##name##_##T(size_t groups, int exclusive, C before, mem_##T *to, const mem_##T *x) \
  {                                                                                             \
    C l[4][GA_GROUPS], v[GA_GROUPS], base[GA_GROUPS];                                           \
    GA_INDEPENDENT                                                                              \
    for (size_t g = 0; g < groups; g++) {                                                       \
      l[0][g] = x[4 * g];                                                                       \
      l[1][g] = join_##name##_##T(l[0][g], x[4 * g + 1]);                                       \
      l[2][g] = join_##name##_##T(l[1][g], x[4 * g + 2]);                                       \
      v[g] = l[3][g] = join_##name##_##T(l[2][g], x[4 * g + 3]);                                \
    }                                                                                           \
    for (size_t half = 1; half < groups; half *= 2)                                             \
      for (size_t b = half; b < groups; b += 2 * half) {                                        \
        const size_t end = b + half < groups ? b + half : groups;                               \
        for (size_t j = b; j < end; j++) v[j] = join_##name##_##T(v[b - 1], v[j]);              \
      }                                                                                         \
    base[0] = before;                                                                           \
    GA_INDEPENDENT                                                                              \
    for (size_t g = 1; g < groups; g++) base[g] = join_##name##_##T(before, v[g - 1]);          \
    GA_INDEPENDENT                                                                              \
    for (size_t g = 0; g < groups; g++)                                                         \
      if (exclusive) {                                                                          \
        to[4 * g] = base[g];                                                                    \
        to[4 * g + 1] = join_##name##_##T(base[g], l[0][g]);                                    \
        to[4 * g + 2] = join_##name##_##T(base[g], l[1][g]);                                    \
        to[4 * g + 3] = join_##name##_##T(base[g], l[2][g]);                                    \
      } else {                                                                                  \
        to[4 * g] = join_##name##_##T(base[g], l[0][g]);                                        \
        to[4 * g + 1] = join_##name##_##T(base[g], l[1][g]);                                    \
        to[4 * g + 2] = join_##name##_##T(base[g], l[2][g]);                                    \
        to[4 * g + 3] = join_##name##_##T(base[g], l[3][g]);                                    \
      }                                                                                         \
    return v[groups - 1];                                                                       \
  }                                                                                             \
  static void scan_##name##_##T(size_t n, uint64_t at, int exclusive, void *state, void *dst,   \
                                const void *src)                                                \
  {                                                                                             \
    static const uint64_t ends[4] = {0, GA_SCAN_SPAN, GA_SCAN_TILE, GA_CHUNK};                  \
    const C none = ga_identity_##name##_##T();                                                  \
    mem_##T *s = state, *to = dst;                                                              \
    const mem_##T *from = src;                                                                  \
    for (size_t i = 0; i < n; i += GA_SEGMENT) {                                                \
      size_t m = n - i;                                                                         \
      mem_##T part[GA_SEGMENT];                                                                 \
      C total, before = join_##name##_##T(join_##name##_##T(s[0], s[1]), s[2]);                 \
      before = join_##name##_##T(before, s[3]);                                                 \
      if (m < GA_SEGMENT) { /* the row ends */                                                  \
        memcpy(part, from + i, m * sizeof(C));                                                  \
        for (size_t j = m; j % 4 != 0; j++) part[j] = none;                                     \
        segment_##name##_##T((m + 3) / 4, exclusive, before, part, part);                       \
        memcpy(to + i, part, m * sizeof(C));                                                    \
        return;                                                                                 \
      }                                                                                         \
      if (exclusive)                                                                            \
        total = segment_##name##_##T(GA_GROUPS, 1, before, to + i, from + i);                   \
      else                                                                                      \
        total = segment_##name##_##T(GA_GROUPS, 0, before, to + i, from + i);                   \
      s[3] = join_##name##_##T(s[3], total);                                                    \
      at += GA_SEGMENT;                                                                         \
      for (int k = 3; k > 0 && at % ends[k] == 0; k--) {                                        \
        s[k - 1] = join_##name##_##T(s[k - 1], s[k]);                                           \
        s[k] = none;                                                                            \
      }                                                                                         \
    }                                                                                           \
  }

/* Pairs: values in t, indices in s. */
#define GA_JOIN_PAIRS(name, T, C, r, x, y)               \
  {                                                      \
    C va = t[x], vb = t[y];                              \
    ga_long ia = s[x], ib = s[y];                        \
    ga_bool keep = ga_keep_##name##_##T(va, ia, vb, ib); \
    t[r] = ga_where_##T(keep, va, vb);                   \
    s[r] = keep ? ia : ib;                               \
  }
#define GA_ARGTREE(name, T, C)                                                          \
  static void tree_##name##_##T(size_t n, void *const *acc, const void *const *src)     \
  {                                                                                     \
    C t[GA_CHUNK];                                                                      \
    ga_long s[GA_CHUNK];                                                                \
    size_t m = ga_tree_width(n);                                                        \
    memcpy(t, src[0], n * sizeof(C));                                                   \
    memcpy(s, src[1], n * sizeof *s);                                                   \
    for (size_t j = n; j < m; j++) {                                                    \
      t[j] = ga_identity_##name##_##T().value;                                          \
      s[j] = ga_identity_##name##_##T().index;                                          \
    }                                                                                   \
    for (; m > GA_ROW; m /= 2)                                                          \
      for (size_t j = 0; j < m / 2; j++) GA_JOIN_PAIRS(name, T, C, j, j, j + m / 2)     \
    for (size_t j = 0; j < m / 2; j++) GA_JOIN_PAIRS(name, T, C, j, 2 * j, 2 * j + 1)   \
    for (size_t j = 0; j < m / 4; j++) GA_JOIN_PAIRS(name, T, C, j, 2 * j, 2 * j + 1)   \
    for (m /= 8; m > 0; m /= 2)                                                         \
      for (size_t j = 0; j < m; j++) GA_JOIN_PAIRS(name, T, C, j, j, j + m)             \
    *(mem_##T *)acc[0] = t[0];                                                          \
    *(mem_int64 *)acc[1] = s[0];                                                        \
  }                                                                                     \
  static void combine_##name##_##T(size_t n, void *const *acc, const void *const *left, \
                                   const void *const *right)                            \
  {                                                                                     \
    mem_##T *r = acc[0];                                                                \
    mem_int64 *k = acc[1];                                                              \
    const mem_##T *a = left[0], *b = right[0];                                          \
    const mem_int64 *i = left[1], *j = right[1];                                        \
    GA_INDEPENDENT                                                                      \
    for (size_t e = 0; e < n; e++) {                                                    \
      C va = a[e], vb = b[e];                                                           \
      ga_long ia = i[e], ib = j[e];                                                     \
      ga_bool keep = ga_keep_##name##_##T(va, ia, vb, ib);                              \
      r[e] = ga_where_##T(keep, va, vb);                                                \
      k[e] = keep ? ia : ib;                                                            \
    }                                                                                   \
  }

#define GA_TREE_ROW(name, T, C)    [GA_REDUCE_##name] = tree_##name##_##T,
#define GA_SHORT_ROW(name, T, C)   [GA_REDUCE_##name] = short_##name##_##T,
#define GA_COMBINE_ROW(name, T, C) [GA_REDUCE_##name] = combine_##name##_##T,
#define GA_SCAN_ROW(name, T, C)    [GA_REDUCE_##name] = scan_##name##_##T,

/* The trees of accumulators of dtype T, and their tables by reduction. */
#define GA_TREE_TABLE(T)                                                                          \
  extern const ga_tree GA_SYM(ga_trees_##T)[GA_NREDUCE];                                          \
  extern const ga_combine GA_SYM(ga_combines_##T)[GA_NREDUCE];                                    \
  extern const ga_short_rows GA_SYM(ga_shorts_##T)[GA_NREDUCE];                                   \
  extern const ga_scan_loop GA_SYM(ga_scans_##T)[GA_NREDUCE];                                     \
  GA_REDUCES_##T(GA_TREE) GA_REDUCES_##T(GA_SCAN) GA_ARGREDUCES_##T(GA_ARGTREE)                   \
      const ga_tree GA_SYM(ga_trees_##T)[GA_NREDUCE] = {GA_REDUCES_##T(GA_TREE_ROW)               \
                                                            GA_ARGREDUCES_##T(GA_TREE_ROW)};      \
  const ga_combine GA_SYM(ga_combines_##T)[GA_NREDUCE] = {GA_REDUCES_##T(GA_COMBINE_ROW)          \
                                                              GA_ARGREDUCES_##T(GA_COMBINE_ROW)}; \
  const ga_short_rows GA_SYM(ga_shorts_##T)[GA_NREDUCE] = {GA_REDUCES_##T(GA_SHORT_ROW)};         \
  const ga_scan_loop GA_SYM(ga_scans_##T)[GA_NREDUCE] = {GA_REDUCES_##T(GA_SCAN_ROW)};

#endif
