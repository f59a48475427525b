/* SPDX-License-Identifier: MIT */
/* Reductions that no order changes, made as fast as elements can be read (tree_free.c has
 * their trees):
 *
 *   finds   where in a block the value is that argmin or argmax is about
 *   rakes   rows joined to one row of accumulators, element by element: many
 *           kept elements at once
 *
 * All that is here gives what the trees and combines of tree_impl.h give. */
#include "halves.h"
#include "order.h"
#include "vectors.h"

/* Few columns are raked as many: this many rows side by side, as if they were one. */
enum { WIDTH = 128 };
static inline size_t together(size_t rows, size_t cols)
{
  return cols < WIDTH / 4 && rows * cols >= 4 * WIDTH ? WIDTH / cols : 1;
}

/* ---- sums of narrow integers ------------------------------------------------------------ */

#define WIDE(ID, T, P, PID)                                                               \
  typedef P acc_##T __attribute__((aligned(1)));                                          \
  static inline void rows_sum_##T(size_t rows, size_t cols, acc_##T *r, const mem_##T *a) \
  {                                                                                       \
    for (; rows >= 4; rows -= 4, a += 4 * cols) {                                         \
      GA_INDEPENDENT                                                                      \
      for (size_t c = 0; c < cols; c++)                                                   \
        r[c] += ((P)a[c] + (P)a[c + cols]) + ((P)a[c + 2 * cols] + (P)a[c + 3 * cols]);   \
    }                                                                                     \
    for (; rows > 0; rows--, a += cols) {                                                 \
      GA_INDEPENDENT                                                                      \
      for (size_t c = 0; c < cols; c++) r[c] += (P)a[c];                                  \
    }                                                                                     \
  }                                                                                       \
  static void rake_sum_##T(size_t rows, size_t cols, void *const *acc, const void *src,   \
                           size_t row)                                                    \
  {                                                                                       \
    P w[WIDTH] = {0};                                                                     \
    acc_##T *r = acc[0];                                                                  \
    const mem_##T *a = src;                                                               \
    size_t g = together(rows, cols), n = rows / g;                                        \
    if (row == 0) memset(r, 0, cols * sizeof(P));                                         \
    if (g > 1) {                                                                          \
      rows_sum_##T(n, g *cols, w, a);                                                     \
      for (size_t i = 0; i < g; i++)                                                      \
        for (size_t c = 0; c < cols; c++) r[c] += w[i * cols + c];                        \
      a += n * g * cols;                                                                  \
      rows -= n * g;                                                                      \
    }                                                                                     \
    rows_sum_##T(rows, cols, r, a);                                                       \
  }
GA_NARROW_INTEGERS(WIDE)

/* ---- finds ------------------------------------------------------------------------------ */

enum { BLOCK = 64 };

/* The first of n elements that is `value`, which is the least or greatest of them: any NaN is
 * NaN, and -0 is 0. W: an integer of an element's size, so that a vector's lanes stay. */
#define FIND(T, M, C, W, SAME) FIND_OF(find_##T, T, M, C, W, SAME)
#define FIND_OF(NAME, T, M, C, W, SAME)                                            \
  static size_t NAME(size_t n, const void *src, const void *value)                 \
  {                                                                                \
    const M *a = src;                                                              \
    const C best = *(const M *)value;                                              \
    unsigned char is[BLOCK];                                                       \
    size_t i = 0;                                                                  \
    for (; i + BLOCK <= n; i += BLOCK) {                                           \
      W found = 0;                                                                 \
      for (size_t j = 0; j < BLOCK; j++) found |= SAME(T, a[i + j], best) ? 1 : 0; \
      if (found) break;                                                            \
    }                                                                              \
    size_t m = n - i < BLOCK ? n - i : BLOCK;                                      \
    for (size_t j = 0; j < m; j++) is[j] = SAME(T, a[i + j], best) ? 1 : 0;        \
    const unsigned char *p = memchr(is, 1, m);                                     \
    return p != NULL ? i + (size_t)(p - is) : n;                                   \
  }
/* Of bytes: C's own. */
#define FIND_BYTE(T)                                                      \
  static size_t find_##T(size_t n, const void *src, const void *value)    \
  {                                                                       \
    const unsigned char *a = src;                                         \
    const unsigned char *p = memchr(a, *(const unsigned char *)value, n); \
    return p != NULL ? (size_t)(p - a) : n;                               \
  }
/* Of what there are vectors of. No NaN is its own equal. V: the dtype of the vectors. */
#ifdef GA_VECTORS
#define FIND_LANES(T, V, C, W, SAME)                                      \
  FIND_OF(find_by_one_##T, T, mem_##T, C, W, SAME)                        \
  static size_t find_##T(size_t n, const void *src, const void *value)    \
  {                                                                       \
    enum { LANES = sizeof(VECTOR_##V) / sizeof(C) };                      \
    const mem_##T *a = src;                                               \
    const C best = *(const mem_##T *)value;                               \
    if (n < LANES || best != best) return find_by_one_##T(n, src, value); \
    const VECTOR_##V all = SPREAD_##V((mem_##V)best);                     \
    for (size_t i = 0; i < n; i += LANES) {                               \
      size_t at = i + LANES <= n ? i : n - LANES;                         \
      unsigned int same = SAME_##V(LOAD_##V(a + at), all);                \
      if (same) return at + (size_t)__builtin_ctz(same);                  \
    }                                                                     \
    return n;                                                             \
  }
#else
#define FIND_LANES(T, V, C, W, SAME) FIND(T, mem_##T, C, W, SAME)
#endif
#define SAME_INT(T, x, y)   ((x) == (y))
#define SAME_FLOAT(T, x, y) (((x) == (y)) | (((x) != (x)) & ((y) != (y))))
#define SAME_HALF(T, x, y)                        \
  (((x) == (y)) | ((((x) | (y)) & 0x7fff) == 0) | \
   ((((x)&0x7fff) > INF_##T) & (((y)&0x7fff) > INF_##T)))
#define SAME_COMPLEX(T, x, y) (ga_equal_##T(x, y) | (ga_isnan_##T(x) & ga_isnan_##T(y)))
#define INF_float16           0x7c00
#define INF_bfloat16          0x7f80
FIND_BYTE(bool)
FIND_BYTE(int8)
FIND_BYTE(uint8)
FIND(int16, mem_int16, ga_short, uint16_t, SAME_INT)
FIND(uint16, mem_uint16, ga_ushort, uint16_t, SAME_INT)
FIND_LANES(int32, int32, ga_int, uint32_t, SAME_INT)
FIND_LANES(uint32, int32, ga_uint, uint32_t, SAME_INT)
FIND_LANES(int64, int64, ga_long, uint64_t, SAME_INT)
FIND_LANES(uint64, int64, ga_ulong, uint64_t, SAME_INT)
FIND(float16, word_float16, int16_t, uint16_t, SAME_HALF)
FIND(bfloat16, word_bfloat16, int16_t, uint16_t, SAME_HALF)
FIND_LANES(float32, float32, ga_float, uint32_t, SAME_FLOAT)
FIND_LANES(float64, float64, ga_double, uint64_t, SAME_FLOAT)
FIND(complex64, mem_complex64, ga_cfloat, uint64_t, SAME_COMPLEX)
FIND(complex128, mem_complex128, ga_cdouble, uint64_t, SAME_COMPLEX)

/* The last one, for indices that fall. */
#define LAST(T, M, C, W, SAME)                                                             \
  static size_t last_##T(size_t n, const void *src, const void *value)                     \
  {                                                                                        \
    const M *a = src;                                                                      \
    const C best = *(const M *)value;                                                      \
    size_t i = n;                                                                          \
    for (; i >= BLOCK; i -= BLOCK) {                                                       \
      W found = 0;                                                                         \
      for (size_t j = 0; j < BLOCK; j++) found |= SAME(T, a[i - BLOCK + j], best) ? 1 : 0; \
      if (found) break;                                                                    \
    }                                                                                      \
    while (i > 0 && !(SAME(T, a[i - 1], best))) i--;                                       \
    return i > 0 ? i - 1 : n;                                                              \
  }
LAST(bool, mem_bool, ga_bool, uint8_t, SAME_INT)
LAST(int8, mem_int8, ga_byte, uint8_t, SAME_INT)
LAST(uint8, mem_uint8, ga_ubyte, uint8_t, SAME_INT)
LAST(int16, mem_int16, ga_short, uint16_t, SAME_INT)
LAST(uint16, mem_uint16, ga_ushort, uint16_t, SAME_INT)
LAST(int32, mem_int32, ga_int, uint32_t, SAME_INT)
LAST(uint32, mem_uint32, ga_uint, uint32_t, SAME_INT)
LAST(int64, mem_int64, ga_long, uint64_t, SAME_INT)
LAST(uint64, mem_uint64, ga_ulong, uint64_t, SAME_INT)
LAST(float16, word_float16, int16_t, uint16_t, SAME_HALF)
LAST(bfloat16, word_bfloat16, int16_t, uint16_t, SAME_HALF)
LAST(float32, mem_float32, ga_float, uint32_t, SAME_FLOAT)
LAST(float64, mem_float64, ga_double, uint64_t, SAME_FLOAT)
LAST(complex64, mem_complex64, ga_cfloat, uint64_t, SAME_COMPLEX)
LAST(complex128, mem_complex128, ga_cdouble, uint64_t, SAME_COMPLEX)

#define FINDS(ID, T, C) [GA_DT_##ID] = find_##T,
#define LASTS(ID, T, C) [GA_DT_##ID] = last_##T,
extern const ga_find GA_SYM(ga_finds)[GA_NDTYPE];
const ga_find GA_SYM(ga_finds)[GA_NDTYPE] = {GA_DTYPES(FINDS)};
extern const ga_find GA_SYM(ga_find_lasts)[GA_NDTYPE];
const ga_find GA_SYM(ga_find_lasts)[GA_NDTYPE] = {GA_DTYPES(LASTS)};

#define WHOLE(X)                                                                            \
  GA_ARGREDUCES_bool(X) GA_ARGREDUCES_int8(X) GA_ARGREDUCES_uint8(X) GA_ARGREDUCES_int16(X) \
      GA_ARGREDUCES_uint16(X) GA_ARGREDUCES_int32(X) GA_ARGREDUCES_uint32(X)                \
          GA_ARGREDUCES_int64(X) GA_ARGREDUCES_uint64(X) GA_ARGREDUCES_float32(X)           \
              GA_ARGREDUCES_float64(X)

/* ---- rakes ------------------------------------------------------------------------------ */

#define RAKE(name, T, C)      RAKE_##name(name, T, C)
#define RAKE_sum(name, T, C)  RAKE_JOIN(name, T, C)
#define RAKE_prod(name, T, C) RAKE_JOIN(name, T, C)
#define RAKE_min(name, T, C)  RAKE_JOIN(name, T, C)
#define RAKE_max(name, T, C)  RAKE_JOIN(name, T, C)
#define RAKE_any(name, T, C)  RAKE_JOIN(name, T, C)
#define RAKE_all(name, T, C)  RAKE_JOIN(name, T, C)

#define RAKE_JOIN(name, T, C)                                                          \
  static inline C join_##name##_##T(C a, C b) { return ga_reduce_##name##_##T(a, b); } \
  RAKE_OF(name, T, mem_##T, C)
#define RAKE_OF(name, T, M, C) \
  ROWS(name, T, M, C)          \
  RAKE_ROWS(name, T, M, C)
/* One row, and four, to the accumulators. */
#define ROWS(name, T, M, C)                                                                   \
  static inline void one_##name##_##T(size_t cols, M *r, const M *a)                          \
  {                                                                                           \
    GA_INDEPENDENT                                                                            \
    for (size_t c = 0; c < cols; c++) r[c] = join_##name##_##T(r[c], a[c]);                   \
  }                                                                                           \
  static inline void four_##name##_##T(size_t cols, M *r, const M *a)                         \
  {                                                                                           \
    GA_INDEPENDENT                                                                            \
    for (size_t c = 0; c < cols; c++)                                                         \
      r[c] = join_##name##_##T(join_##name##_##T(r[c], join_##name##_##T(a[c], a[c + cols])), \
                               join_##name##_##T(a[c + 2 * cols], a[c + 3 * cols]));          \
  }
#define RAKE_ROWS(name, T, M, C)                                                              \
  static inline void rows_##name##_##T(size_t rows, size_t cols, M *r, const M *a, int begin) \
  {                                                                                           \
    if (begin) {                                                                              \
      memcpy(r, a, cols * sizeof(C));                                                         \
      a += cols;                                                                              \
      rows--;                                                                                 \
    }                                                                                         \
    for (; rows >= 4; rows -= 4, a += 4 * cols) four_##name##_##T(cols, r, a);                \
    for (; rows > 0; rows--, a += cols) one_##name##_##T(cols, r, a);                         \
  }                                                                                           \
  static void rake_##name##_##T(size_t rows, size_t cols, void *const *acc, const void *src,  \
                                size_t row)                                                   \
  {                                                                                           \
    M *r = acc[0];                                                                            \
    const M *a = src;                                                                         \
    C w[WIDTH];                                                                               \
    size_t g = together(rows, cols), n = rows / g;                                            \
    if (g > 1) {                                                                              \
      rows_##name##_##T(n, g *cols, w, a, 1);                                                 \
      rows_##name##_##T(g, cols, r, w, row == 0);                                             \
      a += n * g * cols;                                                                      \
      rows -= n * g;                                                                          \
      row += n * g;                                                                           \
    }                                                                                         \
    rows_##name##_##T(rows, cols, r, a, row == 0);                                            \
  }

/* keep ? x : y, by bits: a choice that may leave memory as it is would be compiled to a
 * branch around the store. */
#define PICK(T, C, W)                              \
  static inline C pick_##T(ga_bool keep, C x, C y) \
  {                                                \
    W a, b;                                        \
    memcpy(&a, &x, sizeof a);                      \
    memcpy(&b, &y, sizeof b);                      \
    b = (W)(b ^ ((a ^ b) & (W)(0 - (W)keep)));     \
    memcpy(&y, &b, sizeof b);                      \
    return y;                                      \
  }
PICK(bool, ga_bool, uint8_t)
PICK(int8, ga_byte, uint8_t)
PICK(uint8, ga_ubyte, uint8_t)
PICK(int16, ga_short, uint16_t)
PICK(uint16, ga_ushort, uint16_t)
PICK(int32, ga_int, uint32_t)
PICK(uint32, ga_uint, uint32_t)
PICK(int64, ga_long, uint64_t)
PICK(uint64, ga_ulong, uint64_t)
PICK(float32, ga_float, uint32_t)
PICK(float64, ga_double, uint64_t)

/* Values, and the rows they were found in. */
#define RAKE_ARG(name, T, C) RAKE_ARG_OF(name, T, mem_##T, C, ga_keep_##name##_##T, pick_##T)
#define RAKE_ARG_OF(name, T, M, C, KEEP, PICK)                                                    \
  static inline void rows_##name##_##T(size_t rows, size_t cols, M *r, mem_int32 *at, const M *a, \
                                       size_t row)                                                \
  {                                                                                               \
    if (row == 0) {                                                                               \
      memcpy(r, a, cols * sizeof(C));                                                             \
      memset(at, 0, cols * sizeof *at);                                                           \
    }                                                                                             \
    for (size_t k = row == 0; k < rows; k++) {                                                    \
      const M *v = a + k * cols;                                                                  \
      ga_int here = (ga_int)(row + k);                                                            \
      GA_INDEPENDENT                                                                              \
      for (size_t c = 0; c < cols; c++) {                                                         \
        C x = r[c], y = v[c];                                                                     \
        ga_bool keep = KEEP(x, 0, y, 1);                                                          \
        r[c] = PICK(keep, x, y);                                                                  \
        at[c] = pick_int32(keep, at[c], here);                                                    \
      }                                                                                           \
    }                                                                                             \
  }                                                                                               \
  static void rake_##name##_##T(size_t rows, size_t cols, void *const *acc, const void *src,      \
                                size_t row)                                                       \
  {                                                                                               \
    M *r = acc[0];                                                                                \
    mem_int32 *at = acc[1];                                                                       \
    const M *a = src;                                                                             \
    C w[WIDTH];                                                                                   \
    ga_int wide[WIDTH];                                                                           \
    size_t g = together(rows, cols), n = rows / g;                                                \
    if (g > 1) {                                                                                  \
      rows_##name##_##T(n, g *cols, w, wide, a, 0);                                               \
      for (size_t i = 0; i < g; i++)                                                              \
        for (size_t c = 0; c < cols; c++) {                                                       \
          C x = w[i * cols + c];                                                                  \
          ga_int here = (ga_int)(row + (size_t)wide[i * cols + c] * g + i);                       \
          ga_bool keep = KEEP(r[c], at[c], x, here) & ((row > 0) | (i > 0));                      \
          r[c] = PICK(keep, r[c], x);                                                             \
          at[c] = pick_int32(keep, at[c], here);                                                  \
        }                                                                                         \
      a += n * g * cols;                                                                          \
      rows -= n * g;                                                                              \
      row += n * g;                                                                               \
    }                                                                                             \
    rows_##name##_##T(rows, cols, r, at, a, row);                                                 \
  }
#define ALL(X)                                                                          \
  GA_REDUCES_bool(X) GA_REDUCES_int8(X) GA_REDUCES_uint8(X) GA_REDUCES_int16(X)         \
      GA_REDUCES_uint16(X) GA_REDUCES_int32(X) GA_REDUCES_uint32(X) GA_REDUCES_int64(X) \
          GA_REDUCES_uint64(X)
ALL(RAKE)
WHOLE(RAKE_ARG)

/* With AVX-512 floats have an instruction that knows zeros' signs; NaN goes through a sum. */
#if defined(__AVX512F__) && defined(__AVX512DQ__)
enum { LEAST = 4, GREATEST = 5 };
#define RAKE_FLOAT(name, WHICH, T, C, p)                                                      \
  static inline C join_##name##_##T(C a, C b) { return ga_reduce_##name##_##T(a, b); }        \
  static inline VECTOR_##T both_##name##_##T(VECTOR_##T a, VECTOR_##T b)                      \
  {                                                                                           \
    return _mm512_mask_add_##p(_mm512_range_##p(a, b, WHICH),                                 \
                               _mm512_cmp_##p##_mask(a, b, _CMP_UNORD_Q), a, b);              \
  }                                                                                           \
  static inline void one_##name##_##T(size_t cols, mem_##T *r, const mem_##T *a)              \
  {                                                                                           \
    enum { LANES = sizeof(VECTOR_##T) / sizeof(C) };                                          \
    size_t c = 0;                                                                             \
    for (; c + LANES <= cols; c += LANES)                                                     \
      STORE_##T((void *)(r + c), both_##name##_##T(LOAD_##T(r + c), LOAD_##T(a + c)));        \
    for (; c < cols; c++) r[c] = join_##name##_##T(r[c], a[c]);                               \
  }                                                                                           \
  static inline void four_##name##_##T(size_t cols, mem_##T *r, const mem_##T *a)             \
  {                                                                                           \
    enum { LANES = sizeof(VECTOR_##T) / sizeof(C) };                                          \
    size_t c = 0;                                                                             \
    for (; c + LANES <= cols; c += LANES) {                                                   \
      const mem_##T *at = a + c;                                                              \
      VECTOR_##T x = both_##name##_##T(LOAD_##T(at), LOAD_##T(at + cols));                    \
      VECTOR_##T y = both_##name##_##T(LOAD_##T(at + 2 * cols), LOAD_##T(at + 3 * cols));     \
      x = both_##name##_##T(LOAD_##T(r + c), x);                                              \
      STORE_##T((void *)(r + c), both_##name##_##T(x, y));                                    \
    }                                                                                         \
    for (; c < cols; c++)                                                                     \
      r[c] = join_##name##_##T(join_##name##_##T(r[c], join_##name##_##T(a[c], a[c + cols])), \
                               join_##name##_##T(a[c + 2 * cols], a[c + 3 * cols]));          \
  }                                                                                           \
  RAKE_ROWS(name, T, mem_##T, C)
#else
#define RAKE_FLOAT(name, WHICH, T, C, p) RAKE_JOIN(name, T, C)
#endif
RAKE_FLOAT(min, LEAST, float32, ga_float, ps)
RAKE_FLOAT(max, GREATEST, float32, ga_float, ps)
RAKE_FLOAT(min, LEAST, float64, ga_double, pd)
RAKE_FLOAT(max, GREATEST, float64, ga_double, pd)

/* float16 and bfloat16: NaN stays, the rest is compared as integers. */
#define RAKE_HALF(name, BETTER, T, INF)                         \
  static inline int16_t join_##name##_##T(int16_t a, int16_t b) \
  {                                                             \
    int16_t r = key_##T(a) BETTER key_##T(b) ? a : b;           \
    r = (b & 0x7fff) > INF ? b : r;                             \
    return (a & 0x7fff) > INF ? a : r;                          \
  }                                                             \
  RAKE_OF(name, T, word_##T, int16_t)
RAKE_HALF(min, <, float16, 0x7c00)
RAKE_HALF(max, >, float16, 0x7c00)
RAKE_HALF(min, <, bfloat16, 0x7f80)
RAKE_HALF(max, >, bfloat16, 0x7f80)

/* Of their positions: zeros are equal, and a NaN comes before all. */
#define RAKE_ARG_HALF(name, BETTER, FIRST, T, INF)                                    \
  static inline int16_t rank_##name##_##T(int16_t a)                                  \
  {                                                                                   \
    int16_t k = key_##T(a);                                                           \
    k = k == -1 ? 0 : k;                                                              \
    return (a & 0x7fff) > INF ? FIRST : k;                                            \
  }                                                                                   \
  static inline ga_bool keep_##name##_##T(int16_t a, ga_long i, int16_t b, ga_long j) \
  {                                                                                   \
    int16_t x = rank_##name##_##T(a), y = rank_##name##_##T(b);                       \
    return (ga_bool)((x BETTER y) | ((x == y) & (i < j)));                            \
  }                                                                                   \
  RAKE_ARG_OF(name, T, word_##T, int16_t, keep_##name##_##T, pick_int16)
RAKE_ARG_HALF(argmin, <, -0x8000, float16, 0x7c00)
RAKE_ARG_HALF(argmax, >, 0x7fff, float16, 0x7c00)
RAKE_ARG_HALF(argmin, <, -0x8000, bfloat16, 0x7f80)
RAKE_ARG_HALF(argmax, >, 0x7fff, bfloat16, 0x7f80)

#define RAKE_ROW(name, T, C) [GA_REDUCE_##name] = rake_##name##_##T,
#define SUM_ROW(T)           [GA_REDUCE_sum] = rake_sum_##T,
#define NO_ROW(T)
#define RAKES(ID, T, SUM) \
  [GA_DT_##ID] = {SUM(T) GA_REDUCES_##T(RAKE_ROW) GA_ARGREDUCES_##T(RAKE_ROW)},
#define RAKES_FLOAT(ID, T)                        \
  [GA_DT_##ID] = {[GA_REDUCE_min] = rake_min_##T, \
                  [GA_REDUCE_max] = rake_max_##T, \
                  GA_ARGREDUCES_##T(RAKE_ROW)},
extern const ga_rake GA_SYM(ga_rakes)[GA_NDTYPE][GA_NREDUCE];
const ga_rake GA_SYM(ga_rakes)[GA_NDTYPE][GA_NREDUCE] = {
    RAKES(BOOL, bool, SUM_ROW) RAKES(INT8, int8, SUM_ROW) RAKES(UINT8, uint8, SUM_ROW)
        RAKES(INT16, int16, SUM_ROW) RAKES(UINT16, uint16, SUM_ROW) RAKES(INT32, int32, SUM_ROW)
            RAKES(UINT32, uint32, SUM_ROW) RAKES(INT64, int64, NO_ROW) RAKES(UINT64, uint64, NO_ROW)
                RAKES_FLOAT(FLOAT16, float16) RAKES_FLOAT(BFLOAT16, bfloat16)
                    RAKES_FLOAT(FLOAT32, float32) RAKES_FLOAT(FLOAT64, float64)};
