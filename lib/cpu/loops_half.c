/* SPDX-License-Identifier: MIT */
/* Elementwise loops of float16 and bfloat16. But for the operations on bits
 * below, one is a widening of some hundreds of elements to float32, the float32
 * loop, and a narrowing, as the scalar functions are for one element; functions of one number
 * come from a table of all numbers where many elements are computed. */
#include "codegen/ops.h"
#include "half_table.h"
#include "halves.h"

enum { BLOCK = 512 };

extern ga_loop GA_SYM(ga_loop_of)(int op, enum ga_dtype dtype);

/* Two elements are read as one word, eight before the loop goes on. */
static void look_up(size_t n, mem_uint16 *r, const mem_uint16 *a, const uint16_t *table)
{
  const int low = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 16;
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
#pragma GCC unroll 4
    for (size_t k = i; k < i + 8; k += 2) {
      uint32_t x;
      memcpy(&x, a + k, sizeof x);
      const uint16_t first = table[x >> low & 0xffff], second = table[x >> (16 - low) & 0xffff];
      r[k] = first;
      r[k + 1] = second;
    }
  }
  for (; i < n; i++) r[i] = table[a[i]];
}

static int by_table(size_t n, void *dst, const void *src, int op, enum ga_dtype dtype, ga_loop f)
{
  const int exact = ga_ops[op - GA_N_OP].flags & GA_OP_EXACT;
  const uint16_t *table = exact ? NULL : ga_half_table(dtype, op, n, f);
  if (table != NULL) look_up(n, dst, src, table);
  return table != NULL;
}

#define THROUGH(T)                                                                        \
  static void through_##T(size_t n, void *dst, const void *const *src, int op, int nargs, \
                          int narrow)                                                     \
  {                                                                                       \
    ga_float a[BLOCK], b[BLOCK];                                                          \
    const void *const floats[] = {a, b};                                                  \
    const ga_loop f = GA_SYM(ga_loop_of)(op, GA_DT_FLOAT32);                              \
    for (size_t i = 0; i < n; i += BLOCK) {                                               \
      size_t m = n - i < BLOCK ? n - i : BLOCK;                                           \
      ga_widen_##T(m, a, (const mem_##T *)src[0] + i);                                    \
      if (nargs == 2) ga_widen_##T(m, b, (const mem_##T *)src[1] + i);                    \
      if (narrow) {                                                                       \
        f(m, a, floats);                                                                  \
        ga_narrow_##T(m, (mem_##T *)dst + i, a);                                          \
      } else {                                                                            \
        f(m, (ga_bool *)dst + i, floats);                                                 \
      }                                                                                   \
    }                                                                                     \
  }
THROUGH(float16)
THROUGH(bfloat16)

/* Operations that look at bits, not at the number. */
#define DIRECT_where     ~, 1
#define DIRECT_nextafter ~, 1
#define DIRECT_positive  ~, 1
#define DIRECT_negative  ~, 1
#define DIRECT_absolute  ~, 1
#define DIRECT_fabs      ~, 1
#define DIRECT_copysign  ~, 1
#define DIRECT_isnan     ~, 1
#define DIRECT_isinf     ~, 1
#define DIRECT_isfinite  ~, 1
#define DIRECT_signbit   ~, 1

/* IS_DIRECT(op): 1 if DIRECT_<op> is defined, else 0 */
#define SECOND(a, b, ...) b
#define CHOOSE(...)       SECOND(__VA_ARGS__, 0, 0)
#define IS_DIRECT(op)     CHOOSE(DIRECT_##op)

#define HALF_1(op, args, T, C, R, RC) GA_LOOP_DEFINE(op, args, T, C, R, RC)
#define HALF_0(op, args, T, C, R, RC)                                      \
  static void loop_##op##_##T(size_t n, void *dst, const void *const *src) \
  {                                                                        \
    if (args == 1 && NARROW_##R &&                                         \
        by_table(n, dst, src[0], GA_OP_##op, DTYPE_##T, loop_##op##_##T))  \
      return;                                                              \
    through_##T(n, dst, src, GA_OP_##op, args, NARROW_##R);                \
  }
#define NARROW_bool                        0
#define NARROW_float16                     1
#define NARROW_bfloat16                    1
#define DTYPE_float16                      GA_DT_FLOAT16
#define DTYPE_bfloat16                     GA_DT_BFLOAT16
#define HALF_DEFINE(op, args, T, C, R, RC) GA_PASTE(HALF, IS_DIRECT(op))(op, args, T, C, R, RC)

#define HALF_TABLE(T)                                \
  extern const ga_loop GA_SYM(ga_loops_##T)[GA_NOP]; \
  GA_LOOPS_##T(HALF_DEFINE)                          \
      const ga_loop GA_SYM(ga_loops_##T)[GA_NOP] = {GA_LOOPS_##T(GA_LOOP_ROW)};
HALF_TABLE(float16)
HALF_TABLE(bfloat16)
