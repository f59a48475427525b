/* SPDX-License-Identifier: MIT */
/* Moments (scalar_reduce.cuh: the sum of squared differences, the sum and the count of
 * some elements) inside a chunk, in the order of tree_impl.h, and joined. Two arrays
 * each; how many elements an accumulator is of is known, being the same for all that
 * are joined at once or, in a chunk that is not whole, counted beside them. */
#include "tree_impl.h"

/* As it comes about where each left side is an aligned group of a power of two and adds
 * to the count on its right, rounded: no count of DIGITS bits is. */
#define COUNT(T, C, DIGITS)                                \
  static C count_##T(uint64_t n)                           \
  {                                                        \
    uint64_t p = (uint64_t)1 << (63 - __builtin_clzll(n)); \
    if (n <= (uint64_t)1 << DIGITS || n == p) return (C)n; \
    return (C)p + count_##T(n - p);                        \
  }
COUNT(float32, ga_float, 24)
COUNT(float64, ga_double, 53)

/* Sums x and y, m2s p and q: of as many elements each, and else. */
#define EQUAL(x, y)   ((x) - (y))
#define UNEQUAL(x, y) ((x)*nb - (y)*na)
#define ONE(m, t)     (t[i] - t[i])
#define MANY(m, t)    (m[i])

#define LOOP(C, MA, MB, DIFFERENCE)     \
  {                                     \
    GA_INDEPENDENT                      \
    for (size_t i = 0; i < n; i++) {    \
      C x = ta[i], y = tb[i];           \
      C p = MA(ma, ta), q = MB(mb, tb); \
      C d = DIFFERENCE(x, y);           \
      m[i] = (p + q) + d * w * d;       \
      t[i] = x + y;                     \
    }                                   \
  }
#define LOOPS_OF(C, MA, MB) \
  if (na == nb)             \
    LOOP(C, MA, MB, EQUAL)  \
  else                      \
    LOOP(C, MA, MB, UNEQUAL)

#define JOIN(T, C)                                                                           \
  static void join_##T(size_t n, void *const *acc, const void *const *left,                  \
                       const void *const *right, uint64_t nleft, uint64_t nright)            \
  {                                                                                          \
    mem_##T *m = acc[0], *t = acc[1];                                                        \
    const mem_##T *ma = left[0], *ta = left[1], *mb = right[0], *tb = right[1];              \
    const C na = count_##T(nleft), nb = count_##T(nright), w = ga_weight_moment_##T(na, nb); \
    if (ma == NULL && mb == NULL) {                                                          \
      LOOPS_OF(C, ONE, ONE)                                                                  \
    } else if (mb == NULL) {                                                                 \
      LOOPS_OF(C, MANY, ONE)                                                                 \
    } else if (ma == NULL) {                                                                 \
      LOOPS_OF(C, ONE, MANY)                                                                 \
    } else {                                                                                 \
      LOOPS_OF(C, MANY, MANY)                                                                \
    }                                                                                        \
  }

/* (ta, ma) and (tb, mb), of as many elements each, as (t, m); by: 1 over all. */
#define EVEN(C, t, m, ta, ma, tb, mb, by) \
  const C t = (ta) + (tb), m = ((ma) + (mb)) + ((ta) - (tb)) * (C)(by) * ((ta) - (tb));

/* A whole chunk: its eight rows to one, then as tree_impl.h says. */
#define WHOLE(T, C)                                                                   \
  static void eight_##T(C *t, C *m, const mem_##T *a)                                 \
  {                                                                                   \
    GA_INDEPENDENT                                                                    \
    for (size_t j = 0; j < GA_ROW; j++) {                                             \
      const C x0 = a[j], x1 = a[GA_ROW + j], x2 = a[2 * GA_ROW + j];                  \
      const C x3 = a[3 * GA_ROW + j], x4 = a[4 * GA_ROW + j], x5 = a[5 * GA_ROW + j]; \
      const C x6 = a[6 * GA_ROW + j], x7 = a[7 * GA_ROW + j];                         \
      EVEN(C, t0, m0, x0, x0 - x0, x4, x4 - x4, 1.0 / 2)                              \
      EVEN(C, t1, m1, x1, x1 - x1, x5, x5 - x5, 1.0 / 2)                              \
      EVEN(C, t2, m2, x2, x2 - x2, x6, x6 - x6, 1.0 / 2)                              \
      EVEN(C, t3, m3, x3, x3 - x3, x7, x7 - x7, 1.0 / 2)                              \
      EVEN(C, t4, m4, t0, m0, t2, m2, 1.0 / 4)                                        \
      EVEN(C, t5, m5, t1, m1, t3, m3, 1.0 / 4)                                        \
      EVEN(C, t6, m6, t4, m4, t5, m5, 1.0 / 8)                                        \
      t[j] = t6;                                                                      \
      m[j] = m6;                                                                      \
    }                                                                                 \
  }                                                                                   \
  static inline void pairs_##T(size_t n, C *u, C *v, const C *t, const C *m, C by)    \
  {                                                                                   \
    GA_INDEPENDENT                                                                    \
    for (size_t j = 0; j < n; j++) {                                                  \
      EVEN(C, s, q, t[2 * j], m[2 * j], t[2 * j + 1], m[2 * j + 1], by)               \
      u[j] = s;                                                                       \
      v[j] = q;                                                                       \
    }                                                                                 \
  }                                                                                   \
  static void whole_##T(C *t, C *m, const mem_##T *a)                                 \
  {                                                                                   \
    C u[GA_ROW / 2], v[GA_ROW / 2], by = (C)(1.0 / 64);                               \
    eight_##T(t, m, a);                                                               \
    pairs_##T(GA_ROW / 2, u, v, t, m, (C)(1.0 / 16));                                 \
    pairs_##T(GA_ROW / 4, t, m, u, v, (C)(1.0 / 32));                                 \
    for (size_t h = GA_GROUPS / 2; h > 0; h /= 2, by /= 2) {                          \
      GA_INDEPENDENT                                                                  \
      for (size_t j = 0; j < h; j++) {                                                \
        EVEN(C, s, q, t[j], m[j], t[j + h], m[j + h], by)                             \
        t[j] = s;                                                                     \
        m[j] = q;                                                                     \
      }                                                                               \
    }                                                                                 \
  }

/* The same where elements are missing: each with its count, 0 for none. Elements x and
 * y of (t, m, c) to element r of (u, v, d). */
#define STEP(T, C, u, v, d, r, x, y)                               \
  {                                                                \
    const C tx = t[x], ty = t[y], mx = m[x], na = c[x], nb = c[y]; \
    const C by = ga_weight_moment_##T(na, nb);                     \
    const C e = na == nb ? tx - ty : tx * nb - ty * na;            \
    const C q = (mx + m[y]) + e * by * e, s = tx + ty;             \
    v[r] = nb == 0 ? mx : q;                                       \
    u[r] = nb == 0 ? tx : s;                                       \
    d[r] = na + nb;                                                \
  }
#define CUT(T, C)                                                                                  \
  static inline void cut_halves_##T(size_t n, C *t, C *m, C *c)                                    \
  {                                                                                                \
    GA_INDEPENDENT                                                                                 \
    for (size_t j = 0; j < n; j++) STEP(T, C, t, m, c, j, j, j + n)                                \
  }                                                                                                \
  static inline void cut_pairs_##T(size_t n, C *u, C *v, C *d, const C *t, const C *m, const C *c) \
  {                                                                                                \
    GA_INDEPENDENT                                                                                 \
    for (size_t j = 0; j < n; j++) STEP(T, C, u, v, d, j, 2 * j, 2 * j + 1)                        \
  }                                                                                                \
  static void cut_##T(size_t n, C *t, C *m, const mem_##T *a)                                      \
  {                                                                                                \
    C c[GA_CHUNK], u[GA_ROW / 2], v[GA_ROW / 2], d[GA_ROW / 2];                                    \
    size_t w = ga_tree_width(n);                                                                   \
    memcpy(t, a, n * sizeof(C));                                                                   \
    for (size_t j = n; j < w; j++) t[j] = 0;                                                       \
    for (size_t j = 0; j < w; j++) m[j] = t[j] - t[j];                                             \
    for (size_t j = 0; j < n; j++) c[j] = 1;                                                       \
    for (size_t j = n; j < w; j++) c[j] = 0;                                                       \
    for (; w > GA_ROW; w /= 2) cut_halves_##T(w / 2, t, m, c);                                     \
    cut_pairs_##T(w / 2, u, v, d, t, m, c);                                                        \
    cut_pairs_##T(w / 4, t, m, c, u, v, d);                                                        \
    for (w /= 8; w > 0; w /= 2) cut_halves_##T(w, t, m, c);                                        \
  }

#define TREE(T, C)                                                         \
  static void tree_##T(size_t n, void *const *acc, const void *const *src) \
  {                                                                        \
    C t[GA_CHUNK], m[GA_CHUNK];                                            \
    if (n == GA_CHUNK)                                                     \
      whole_##T(t, m, src[0]);                                             \
    else                                                                   \
      cut_##T(n, t, m, src[0]);                                            \
    *(mem_##T *)acc[0] = m[0];                                             \
    *(mem_##T *)acc[1] = t[0];                                             \
  }

#define ALL(name, T, C) JOIN(T, C) WHOLE(T, C) CUT(T, C) TREE(T, C)
GA_MOMENTS_float32(ALL) GA_MOMENTS_float64(ALL)

    extern const ga_tree GA_SYM(ga_moment_trees)[GA_NDTYPE];
extern const ga_moment_join GA_SYM(ga_moment_joins)[GA_NDTYPE];
const ga_tree GA_SYM(ga_moment_trees)[GA_NDTYPE] = {
    [GA_DT_FLOAT32] = tree_float32,
    [GA_DT_FLOAT64] = tree_float64,
};
const ga_moment_join GA_SYM(ga_moment_joins)[GA_NDTYPE] = {
    [GA_DT_FLOAT32] = join_float32,
    [GA_DT_FLOAT64] = join_float64,
};
