/* SPDX-License-Identifier: MIT */
/* Two-dimensional copies between memory of any strides: how blocks of operands
 * that do not lie without gaps get into registers and out again. Elements are
 * moved as bytes, so no address need be aligned. Short loops are unrolled, whatever
 * the build's flags. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "interp.h"

#define COPY1(T, at, from)        \
  do {                            \
    T v_;                         \
    memcpy(&v_, from, sizeof v_); \
    memcpy(at, &v_, sizeof v_);   \
  } while (0)

typedef struct ga_16 {
  uint64_t part[2];
} ga_16;

/* For rows so short that a call for each would cost more than it does. */
#define SHORT_ROWS(name, T)                                                              \
  static void name(size_t n1, size_t n0, char *d, ssize_t d1, ssize_t d0, const char *s, \
                   ssize_t s1, ssize_t s0)                                               \
  {                                                                                      \
    for (size_t i = 0; i < n1; i++, d += d1, s += s1) {                                  \
      char *to = d;                                                                      \
      const char *from = s;                                                              \
      for (size_t j = 0; j < n0; j++, to += d0, from += s0) COPY1(T, to, from);          \
    }                                                                                    \
  }

SHORT_ROWS(short_rows1, uint8_t)
SHORT_ROWS(short_rows2, uint16_t)
SHORT_ROWS(short_rows4, uint32_t)
SHORT_ROWS(short_rows8, uint64_t)
SHORT_ROWS(short_rows16, ga_16)

static void strided(size_t size, size_t n1, size_t n0, char *d, ssize_t d1, ssize_t d0,
                    const char *s, ssize_t s1, ssize_t s0)
{
  switch (size) {
  case 1: short_rows1(n1, n0, d, d1, d0, s, s1, s0); break;
  case 2: short_rows2(n1, n0, d, d1, d0, s, s1, s0); break;
  case 4: short_rows4(n1, n0, d, d1, d0, s, s1, s0); break;
  case 8: short_rows8(n1, n0, d, d1, d0, s, s1, s0); break;
  default: short_rows16(n1, n0, d, d1, d0, s, s1, s0); break;
  }
}

/* Rows of 1 to 64 bytes on end: their two ends, which may overlap. */
typedef struct ga_32 {
  uint64_t part[4];
} ga_32;
#define TWO_ENDS(T)                                  \
  for (size_t i = 0; i < n; i++, d += d1, s += s1) { \
    const size_t rest = bytes - sizeof(T);           \
    COPY1(T, d, s);                                  \
    COPY1(T, d + rest, s + rest);                    \
  }
static void short_runs(size_t bytes, size_t n, char *d, ssize_t d1, const char *s, ssize_t s1)
{
  if (bytes >= sizeof(ga_32))
    TWO_ENDS(ga_32)
  else if (bytes >= sizeof(ga_16))
    TWO_ENDS(ga_16)
  else if (bytes >= sizeof(uint64_t))
    TWO_ENDS(uint64_t)
  else if (bytes >= sizeof(uint32_t))
    TWO_ENDS(uint32_t)
  else if (bytes >= sizeof(uint16_t))
    TWO_ENDS(uint16_t)
  else
    TWO_ENDS(uint8_t)
}

static void row(size_t size, size_t n, char *d, ssize_t d0, const char *s, ssize_t s0)
{
  ssize_t unit = (ssize_t)size;
  if (d0 == unit && s0 == unit)
    memcpy(d, s, n * size);
  else if (d0 == unit && s0 == 0)
    ga_cpu_fill(size, n, d, s);
  else if (d0 == unit)
    ga_cpu_gather(size, n, d, s, s0);
  else if (s0 == unit)
    ga_cpu_scatter(size, n, d, d0, s);
  else
    strided(size, 1, n, d, 0, d0, s, 0, s0);
}

static ssize_t magnitude(ssize_t s) { return s < 0 ? -s : s; }

/* Tile by tile, so that the lines which one side touches once an element stay in
 * cache until all of their elements are used; along the source's rows, those AHEAD
 * of them being asked for. They may lie a multiple of a page apart, so they are
 * asked into the second cache, whose places they share with fewer others. */
enum { EDGE = GA_TURN_EDGE, AHEAD = GA_TURN_AHEAD };

static void ask(const char *s, ssize_t s0, size_t rows, size_t bytes)
{
  for (size_t k = 0; k < rows && k < EDGE; k++, s += s0)
    for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch(s + at, 0, 2);
}

static void transposed(size_t size, size_t n1, size_t n0, char *d, ssize_t d1, ssize_t d0,
                       const char *s, ssize_t s1, ssize_t s0)
{
  ga_turn turn = ga_cpu_turn(size);
  int dense = d0 == (ssize_t)size && s1 == (ssize_t)size;
  for (size_t j = 0; j < n0; j += EDGE)
    for (size_t i = 0; i < n1; i += EDGE) {
      size_t ni = n1 - i < EDGE ? n1 - i : EDGE, nj = n0 - j < EDGE ? n0 - j : EDGE;
      char *to = d + (ssize_t)i * d1 + (ssize_t)j * d0;
      const char *from = s + (ssize_t)i * s1 + (ssize_t)j * s0;
      if (dense && n0 - j > AHEAD) ask(from + AHEAD * s0, s0, n0 - j - AHEAD, ni * size);
      if (dense && ni == EDGE && nj == EDGE)
        turn(to, d1, from, s0);
      else
        strided(size, ni, nj, to, d1, d0, from, s1, s0);
    }
}

void ga_cpu_move(size_t size, size_t n1, size_t n0, void *dst, ssize_t d1, ssize_t d0,
                 const void *src, ssize_t s1, ssize_t s0)
{
  enum { SHORT = 16 };
  const ssize_t unit = (ssize_t)size;
  char *d = dst;
  const char *s = src;
  /* Rows that follow each other on both sides are one row. */
  if (n1 > 1 && d1 == (ssize_t)n0 * d0 && s1 == (ssize_t)n0 * s0) {
    n0 *= n1;
    n1 = 1;
  }
  if (n1 == 1)
    row(size, n0, d, d0, s, s0);
  else if (n0 == 1)
    row(size, n1, d, d1, s, s1);
  else if (n0 > 1 && d0 == unit && s0 == unit && n0 * size <= 2 * sizeof(ga_32))
    short_runs(n0 * size, n1, d, d1, s, s1);
  else if (n0 >= 8 && n1 >= 8 &&
           (magnitude(s1) < magnitude(s0)) != (magnitude(d1) < magnitude(d0)) && s1 != 0)
    transposed(size, n1, n0, d, d1, d0, s, s1, s0);
  else if (n0 < SHORT && n1 < SHORT)
    strided(size, n1, n0, d, d1, d0, s, s1, s0);
  else if (n0 < SHORT)
    for (size_t j = 0; j < n0; j++, d += d0, s += s0) row(size, n1, d, d1, s, s1);
  else
    for (size_t i = 0; i < n1; i++, d += d1, s += s1) row(size, n0, d, d0, s, s0);
}

void ga_cpu_stream(void *dst, const void *src, size_t n)
{
#if defined(__x86_64__)
  char *d = dst;
  const char *s = src;
  size_t head = -(uintptr_t)d & 63; /* whole lines go to memory at once */
  if (n >= 256) {
    memcpy(d, s, head);
    d += head;
    s += head;
    n -= head;
    for (; n >= 64; n -= 64, d += 64, s += 64) {
      __m128i a = _mm_loadu_si128((const __m128i *)s);
      __m128i b = _mm_loadu_si128((const __m128i *)(s + 16));
      __m128i c = _mm_loadu_si128((const __m128i *)(s + 32));
      __m128i e = _mm_loadu_si128((const __m128i *)(s + 48));
      _mm_stream_si128((__m128i *)d, a);
      _mm_stream_si128((__m128i *)(d + 16), b);
      _mm_stream_si128((__m128i *)(d + 32), c);
      _mm_stream_si128((__m128i *)(d + 48), e);
    }
  }
  memcpy(d, s, n);
#else
  memcpy(dst, src, n);
#endif
}
