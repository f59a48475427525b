/* SPDX-License-Identifier: MIT */
/* Two-dimensional copies between memory of any strides: how blocks of operands
 * that do not lie without gaps get into registers and out again. Elements are
 * moved as bytes, so no address need be aligned. Tiles are turned in registers, for
 * which their loops must be unrolled whatever the build's flags. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <string.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
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

/* dst[i][j] = src[j][i] for an EDGE x EDGE tile, both with elements of a row next
 * to each other. The source's rows are brought together first: they may lie a
 * multiple of a page apart, where caches keep but a few of them. */
enum { EDGE = 16 };

#define TURN(name, T)                                                        \
  static void name(char *d, ssize_t d1, const char *s, ssize_t s0)           \
  {                                                                          \
    T t[EDGE][EDGE], u[EDGE];                                                \
    for (size_t j = 0; j < EDGE; j++, s += s0) memcpy(t[j], s, sizeof t[j]); \
    for (size_t i = 0; i < EDGE; i++, d += d1) {                             \
      for (size_t j = 0; j < EDGE; j++) u[j] = t[j][i];                      \
      memcpy(d, u, sizeof u);                                                \
    }                                                                        \
  }

TURN(turn16, ga_16)

#if defined(__x86_64__)
/* Rows i and i + 8 of 16 woven together, element by element: done four times, the tile
 * is turned. */
#define WEAVE(t, u, bits)                                     \
  for (size_t i_ = 0; i_ < 8; i_++) {                         \
    u[2 * i_] = _mm_unpacklo_epi##bits(t[i_], t[i_ + 8]);     \
    u[2 * i_ + 1] = _mm_unpackhi_epi##bits(t[i_], t[i_ + 8]); \
  }

static void turn1(char *d, ssize_t d1, const char *s, ssize_t s0)
{
  __m128i t[EDGE], u[EDGE];
  for (size_t j = 0; j < EDGE; j++, s += s0) t[j] = _mm_loadu_si128((const __m128i *)s);
  WEAVE(t, u, 8)
  WEAVE(u, t, 8)
  WEAVE(t, u, 8)
  WEAVE(u, t, 8)
  for (size_t i = 0; i < EDGE; i++, d += d1) _mm_storeu_si128((__m128i *)d, t[i]);
}

/* 8 x 8 elements. */
static void turn2_part(char *d, ssize_t d1, const char *s, ssize_t s0)
{
  __m128i t[8], u[8];
  for (size_t j = 0; j < 8; j++, s += s0) t[j] = _mm_loadu_si128((const __m128i *)s);
  for (int k = 0; k < 3; k++) {
    for (size_t i = 0; i < 4; i++) {
      u[2 * i] = _mm_unpacklo_epi16(t[i], t[i + 4]);
      u[2 * i + 1] = _mm_unpackhi_epi16(t[i], t[i + 4]);
    }
    memcpy(t, u, sizeof t);
  }
  for (size_t i = 0; i < 8; i++, d += d1) _mm_storeu_si128((__m128i *)d, t[i]);
}

static void turn2(char *d, ssize_t d1, const char *s, ssize_t s0)
{
  for (ssize_t i = 0; i < 2; i++)
    for (ssize_t j = 0; j < 2; j++)
      turn2_part(d + 8 * i * d1 + 16 * j, d1, s + 8 * j * s0 + 16 * i, s0);
}

static void turn8(char *d, ssize_t d1, const char *s, ssize_t s0)
{
  __m128i t[EDGE][EDGE / 2];
  for (size_t j = 0; j < EDGE; j++, s += s0) memcpy(t[j], s, sizeof t[j]);
  for (size_t i = 0; i < EDGE / 2; i++, d += 2 * d1)
    for (size_t j = 0; j < EDGE; j += 2) {
      _mm_storeu_si128((__m128i *)(d + 8 * j), _mm_unpacklo_epi64(t[j][i], t[j + 1][i]));
      _mm_storeu_si128((__m128i *)(d + d1 + 8 * j), _mm_unpackhi_epi64(t[j][i], t[j + 1][i]));
    }
}

static void turn4(char *d, ssize_t d1, const char *s, ssize_t s0)
{
  __m128 t[EDGE][EDGE / 4];
  for (size_t j = 0; j < EDGE; j++, s += s0) memcpy(t[j], s, sizeof t[j]);
  for (size_t i = 0; i < EDGE / 4; i++, d += 4 * d1)
    for (size_t j = 0; j < EDGE; j += 4) {
      __m128 a = t[j][i], b = t[j + 1][i], c = t[j + 2][i], e = t[j + 3][i];
      _MM_TRANSPOSE4_PS(a, b, c, e);
      _mm_storeu_ps((float *)(d + 4 * j), a);
      _mm_storeu_ps((float *)(d + d1 + 4 * j), b);
      _mm_storeu_ps((float *)(d + 2 * d1 + 4 * j), c);
      _mm_storeu_ps((float *)(d + 3 * d1 + 4 * j), e);
    }
}
#else
TURN(turn1, uint8_t)
TURN(turn2, uint16_t)
TURN(turn4, uint32_t)
TURN(turn8, uint64_t)
#endif

static void turn(size_t size, char *d, ssize_t d1, const char *s, ssize_t s0)
{
  switch (size) {
  case 1: turn1(d, d1, s, s0); break;
  case 2: turn2(d, d1, s, s0); break;
  case 4: turn4(d, d1, s, s0); break;
  case 8: turn8(d, d1, s, s0); break;
  default: turn16(d, d1, s, s0); break;
  }
}

/* Tile by tile, so that the lines which one side touches once an element stay in
 * cache until all of their elements are used; along the source's rows, and with
 * the next sixteen of these asked for, so that memory sees long runs. */
static void transposed(size_t size, size_t n1, size_t n0, char *d, ssize_t d1, ssize_t d0,
                       const char *s, ssize_t s1, ssize_t s0)
{
  int dense = d0 == (ssize_t)size && s1 == (ssize_t)size;
  for (size_t j = 0; j < n0; j += EDGE)
    for (size_t i = 0; i < n1; i += EDGE) {
      size_t ni = n1 - i < EDGE ? n1 - i : EDGE, nj = n0 - j < EDGE ? n0 - j : EDGE;
      char *to = d + (ssize_t)i * d1 + (ssize_t)j * d0;
      const char *from = s + (ssize_t)i * s1 + (ssize_t)j * s0;
      if (dense && n0 - j > 2 * EDGE)
        for (size_t k = 0; k < EDGE; k++) __builtin_prefetch(from + (ssize_t)(EDGE + k) * s0);
      if (dense && ni == EDGE && nj == EDGE)
        turn(size, to, d1, from, s0);
      else
        strided(size, ni, nj, to, d1, d0, from, s1, s0);
    }
}

void ga_cpu_move(size_t size, size_t n1, size_t n0, void *dst, ssize_t d1, ssize_t d0,
                 const void *src, ssize_t s1, ssize_t s0)
{
  enum { SHORT = 16 };
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
  size_t head = -(uintptr_t)d & 15;
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
