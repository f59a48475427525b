/* SPDX-License-Identifier: MIT */
/* Elements of every dtype for the tests of scalar functions and loops: random
 * bits, moderate numbers and special values in turn, and the comparison that
 * takes any NaN for another. */
#ifndef TESTS_SCALAR_DATA_H
#define TESTS_SCALAR_DATA_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <check.h>

#include "lib/cpu/loops.h"
#include "lib/cpu/scalar.h"

/* ck_assert_msg for inner loops: Check writes a record at each of its own. */
#define EXPECT(condition, ...)                   \
  do {                                           \
    if (!(condition)) ck_abort_msg(__VA_ARGS__); \
  } while (0)

static inline uint64_t next_random(uint64_t *state)
{ /* xorshift64* */
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545f4914f6cdd1dull;
}

/* One real number of a floating dtype at p. */
static inline void put_real(enum ga_dtype t, void *p, uint64_t *state)
{
  static const double special[] = {0.0,  -0.0,  1.0,  -1.0,  INFINITY, -INFINITY, NAN,
                                   0.5,  2.0,   -2.5, 65504, 1e-7,     1e300,     -1e-310,
                                   3e38, 1e-44, 100,  -745,  88.5,     709.9};
  uint64_t u = next_random(state), v = next_random(state);
  double x = (double)(int64_t)u * 0x1p-60;
  if (v % 4 == 0) x = special[u % (sizeof special / sizeof *special)];
  if (v % 4 == 1) x *= 1000;
  switch (t) {
  case GA_DT_FLOAT16: {
    ga_half h = ga_cast_float64_float16(x);
    if (v % 4 == 3) h.data = (ga_ushort)u;
    memcpy(p, &h, 2);
    break;
  }
  case GA_DT_BFLOAT16: {
    ga_bfloat h = ga_cast_float64_bfloat16(x);
    if (v % 4 == 3) h.data = (ga_ushort)u;
    memcpy(p, &h, 2);
    break;
  }
  case GA_DT_FLOAT32: {
    float f = (float)x;
    memcpy(p, v % 4 == 3 ? (void *)&u : (void *)&f, 4);
    break;
  }
  default: memcpy(p, v % 4 == 3 ? (void *)&u : (void *)&x, 8);
  }
}

/* n elements of dtype t at p, any alignment. */
static inline void put_elements(enum ga_dtype t, void *p, size_t n, uint64_t *state)
{
  size_t size = ga_dtypes[t].size;
  char *c = p;
  for (size_t i = 0; i < n; i++, c += size) {
    uint64_t u = next_random(state), v = next_random(state);
    switch (ga_dtypes[t].kind) {
    case 'b': *c = (char)(u >> 7 & 1); break;
    case 'f': put_real(t, c, state); break;
    case 'c':
      put_real(t == GA_DT_COMPLEX64 ? GA_DT_FLOAT32 : GA_DT_FLOAT64, c, state);
      put_real(t == GA_DT_COMPLEX64 ? GA_DT_FLOAT32 : GA_DT_FLOAT64, c + size / 2, state);
      break;
    default: /* all magnitudes, and the ends of the range */
      u = (uint64_t)((int64_t)u >> (v % 64));
      if (v % 8 == 0) u = v & 256 ? 0 : (uint64_t)1 << (8 * size - 1);
      if (v % 8 == 1) u = v & 256 ? UINT64_MAX : ((uint64_t)1 << (8 * size - 1)) - 1;
      memcpy(c, &u, size);
    }
  }
}

/* Are two elements the same bits, or both NaN (part by part)? */
static inline int same_element(enum ga_dtype t, const void *a, const void *b)
{
  size_t size = ga_dtypes[t].size;
  if (memcmp(a, b, size) == 0) return 1;
  switch (t) {
#define NANS(T, C)                             \
  {                                            \
    C x, y;                                    \
    memcpy(&x, a, sizeof x);                   \
    memcpy(&y, b, sizeof y);                   \
    return ga_isnan_##T(x) && ga_isnan_##T(y); \
  }
  case GA_DT_FLOAT16: NANS(float16, ga_half)
  case GA_DT_BFLOAT16: NANS(bfloat16, ga_bfloat)
  case GA_DT_FLOAT32: NANS(float32, ga_float)
  case GA_DT_FLOAT64: NANS(float64, ga_double)
#undef NANS
  case GA_DT_COMPLEX64:
  case GA_DT_COMPLEX128: {
    enum ga_dtype part = t == GA_DT_COMPLEX64 ? GA_DT_FLOAT32 : GA_DT_FLOAT64;
    return same_element(part, a, b) &&
           same_element(part, (const char *)a + size / 2, (const char *)b + size / 2);
  }
  default: return 0;
  }
}

/* An element's bytes as text, highest first. */
static inline const char *show_element(enum ga_dtype t, const void *p, char text[64])
{
  size_t size = ga_dtypes[t].size;
  for (size_t i = 0; i < size; i++)
    sprintf(text + 2 * i, "%02x", ((const unsigned char *)p)[size - 1 - i]);
  return text;
}

#endif
