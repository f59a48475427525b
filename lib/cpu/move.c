/* SPDX-License-Identifier: MIT */
/* Elements between strided memory and contiguous blocks, by their size alone.
 * Nothing need be aligned: an element is moved by a memcpy of known size. These
 * loops are short and run for every block, so they are unrolled and vectorised
 * whatever the build's flags. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <string.h>

#include "loops.h"

typedef struct wide {
  uint64_t half[2];
} wide;

/* The cases of a switch over the element's size, S being a type of that size. */
#define BY_SIZE(CASE) \
  CASE(1, uint8_t)    \
  CASE(2, uint16_t)   \
  CASE(4, uint32_t)   \
  CASE(8, uint64_t)   \
  CASE(16, wide)

/* Every second element, or each from the last one back: steps that, known to the compiler, make
 * vectors. */
#define NEAR(name, target)                                                           \
  target static void name(size_t size, size_t n, char *r, const char *p, int second) \
  {                                                                                  \
    switch (size) {                                                                  \
      BY_SIZE(NEAR_CASE)                                                             \
    }                                                                                \
  }
#define NEAR_CASE(bytes, S)                     \
  case bytes: {                                 \
    S v;                                        \
    for (size_t i = 0; i < n && second; i++) {  \
      memcpy(&v, p + i * (2 * bytes), bytes);   \
      memcpy(r + i * bytes, &v, bytes);         \
    }                                           \
    for (size_t i = 0; i < n && !second; i++) { \
      memcpy(&v, p - i * bytes, bytes);         \
      memcpy(r + i * bytes, &v, bytes);         \
    }                                           \
    break;                                      \
  }
NEAR(gather_near, )
#if defined(__x86_64__) && !defined(__ILP32__)
NEAR(gather_near_avx2, __attribute__((target("avx2"))))
#else
#define gather_near_avx2 gather_near
#endif

enum { PART = 8 }; /* elements that are gathered side by side */

void ga_cpu_gather(size_t size, size_t n, void *dst, const void *src, ptrdiff_t stride)
{
  const char *p = src;
  char *r = dst;
  if (stride == (ptrdiff_t)size) {
    if (n) memmove(dst, src, n * size);
    return;
  }
  if (stride == 0) {
    if (n) ga_cpu_fill(size, n, dst, src);
    return;
  }
  if (stride == 2 * (ptrdiff_t)size || stride == -(ptrdiff_t)size) { /* [::2], [::-1] */
    if (ga_cpu_isa() == GA_ISA_BASE)
      gather_near(size, n, r, p, stride > 0);
    else
      gather_near_avx2(size, n, r, p, stride > 0);
    return;
  }
#define CASE(bytes, S)                                                  \
  case bytes: {                                                         \
    S v;                                                                \
    for (; n >= PART; n -= PART, p += PART * stride, r += PART * bytes) \
      for (ptrdiff_t i = 0; i < PART; i++) {                            \
        memcpy(&v, p + i * stride, bytes);                              \
        memcpy(r + i * bytes, &v, bytes);                               \
      }                                                                 \
    for (; n > 0; n--, p += stride, r += bytes) {                       \
      memcpy(&v, p, bytes);                                             \
      memcpy(r, &v, bytes);                                             \
    }                                                                   \
    break;                                                              \
  }
  switch (size) {
    BY_SIZE(CASE)
  }
#undef CASE
}

void ga_cpu_scatter(size_t size, size_t n, void *dst, ptrdiff_t stride, const void *src)
{
  const char *p = src;
  char *r = dst;
  if (stride == (ptrdiff_t)size) {
    if (n) memmove(dst, src, n * size);
    return;
  }
#define CASE(bytes, S)                                        \
  case bytes:                                                 \
    for (size_t i = 0; i < n; i++, p += bytes, r += stride) { \
      S v;                                                    \
      memcpy(&v, p, bytes);                                   \
      memcpy(r, &v, bytes);                                   \
    }                                                         \
    break;
  switch (size) {
    BY_SIZE(CASE)
  }
#undef CASE
}

/* `all`: elements side by side, the same wherever a vector of them begins. */
static void fill_long(size_t bytes, char *r, const void *all)
{
  typedef char vec __attribute__((vector_size(16), aligned(1), may_alias));
  const vec v = *(const vec *)all;
  for (size_t i = 0; i + 4 * sizeof v <= bytes; i += 4 * sizeof v)
    for (size_t k = 0; k < 4; k++) ((vec *)(r + i))[k] = v;
  for (size_t k = 4; k > 0; k--) *(vec *)(r + bytes - k * sizeof v) = v;
}

void ga_cpu_fill(size_t size, size_t n, void *dst, const void *value)
{
  enum { LONG = 64 };
  char *r = dst;
#define CASE(bytes, S)                                                     \
  case bytes: {                                                            \
    S all[16 / bytes];                                                     \
    for (size_t i = 0; i < 16 / bytes; i++) memcpy(&all[i], value, bytes); \
    if (n * bytes >= LONG)                                                 \
      fill_long(n *bytes, r, all);                                         \
    else                                                                   \
      for (size_t i = 0; i < n; i++) memcpy(r + i * bytes, all, bytes);    \
    break;                                                                 \
  }
  switch (size) {
    BY_SIZE(CASE)
  }
#undef CASE
}

/* One sum carried along: as it is written, no two elements are computed apart, which
 * GCC 12 and 13 vectorise wrongly. Where indices are many they are not made at all. */
void ga_cpu_iota(size_t n, int64_t *dst, int64_t start, int64_t step)
{
  uint64_t x = (uint64_t)start;
  if (step == 0) {
    ga_cpu_fill(sizeof x, n, dst, &x);
    return;
  }
  for (size_t i = 0; i < n; i++, x += (uint64_t)step) dst[i] = (int64_t)x;
}
