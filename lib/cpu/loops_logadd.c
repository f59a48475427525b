/* SPDX-License-Identifier: MIT */
/* logaddexp and logaddexp2 of float32 and float64 by the block: what the scalar functions of
 * scalar_math.cuh do for one element, with the vector loops of exp, exp2 and log1p between.
 * Of NaN no comparison is true, and the difference is the result. */
#include "loops_impl.h"

enum { BLOCK = 256 };

extern ga_loop GA_SYM(ga_loop_of)(int op, enum ga_dtype dtype);

#define FROM_logaddexp(C, equal, t)  ((equal) ? (C)0.693147180559945309417 : (t))
#define FROM_logaddexp2(C, equal, t) ((equal) ? (C)1 : (C)1.44269504088896340736 * (t))

#define LOOP(op, power, T, C, ID)                                               \
  static void op##_##T(size_t n, void *dst, const void *const *src)             \
  {                                                                             \
    const ga_loop up = GA_SYM(ga_loop_of)(GA_OP_##power, GA_DT_##ID);           \
    const ga_loop down = GA_SYM(ga_loop_of)(GA_OP_log1p, GA_DT_##ID);           \
    mem_##T *r = dst;                                                           \
    const mem_##T *u = src[0], *v = src[1];                                     \
    C t[BLOCK];                                                                 \
    const void *const at = t;                                                   \
    for (size_t i = 0; i < n; i += BLOCK) {                                     \
      size_t k = n - i < BLOCK ? n - i : BLOCK;                                 \
      for (size_t j = 0; j < k; j++) {                                          \
        C d = u[i + j] - v[i + j];                                              \
        t[j] = d > 0 ? -d : d;                                                  \
      }                                                                         \
      up(k, t, &at);                                                            \
      down(k, t, &at);                                                          \
      GA_INDEPENDENT                                                            \
      for (size_t j = 0; j < k; j++) {                                          \
        C a = u[i + j], b = v[i + j], d = a - b;                                \
        C x = ((a == b) | (d > 0)) ? a : b, y = x + FROM_##op(C, a == b, t[j]); \
        r[i + j] = ((a == b) | (d > 0) | (d <= 0)) ? y : d;                     \
      }                                                                         \
    }                                                                           \
  }
LOOP(logaddexp, exp, float32, ga_float, FLOAT32)
LOOP(logaddexp, exp, float64, ga_double, FLOAT64)
LOOP(logaddexp2, exp2, float32, ga_float, FLOAT32)
LOOP(logaddexp2, exp2, float64, ga_double, FLOAT64)

#define TABLE(T)                                      \
  extern const ga_loop GA_SYM(ga_logadd_##T)[GA_NOP]; \
  const ga_loop GA_SYM(ga_logadd_##T)[GA_NOP] = {     \
      [GA_OP_logaddexp - GA_N_OP] = logaddexp_##T,    \
      [GA_OP_logaddexp2 - GA_N_OP] = logaddexp2_##T,  \
  };
TABLE(float32)
TABLE(float64)
