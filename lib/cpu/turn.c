/* SPDX-License-Identifier: MIT */
/* Tiles turned in registers: dst[i][j] = src[j][i] for GA_TURN_EDGE x GA_TURN_EDGE
 * elements of 1, 2, 4, 8 or 16 bytes, on both sides with those of a row next to each
 * other. The source's rows may lie a multiple of a page apart, where caches keep but a
 * few of them: they are brought together first, or (AVX2) eight rows are read at a time, a
 * line of the cache each. Loops must be unrolled, whatever the build's flags. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "loops_impl.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__x86_64__)
#include <emmintrin.h>
#endif

enum { EDGE = GA_TURN_EDGE };

#define TURN(name, T)                                                        \
  static void name(char *d, ptrdiff_t d1, const char *s, ptrdiff_t s0)       \
  {                                                                          \
    T t[EDGE][EDGE], u[EDGE];                                                \
    for (size_t j = 0; j < EDGE; j++, s += s0) memcpy(t[j], s, sizeof t[j]); \
    for (size_t i = 0; i < EDGE; i++, d += d1) {                             \
      for (size_t j = 0; j < EDGE; j++) u[j] = t[j][i];                      \
      memcpy(d, u, sizeof u);                                                \
    }                                                                        \
  }

#if defined(__x86_64__)
/* Rows i and i + 8 of 16 woven together, element by element: done four times, the tile
 * is turned. */
#define WEAVE(t, u, bits)                                     \
  for (size_t i_ = 0; i_ < 8; i_++) {                         \
    u[2 * i_] = _mm_unpacklo_epi##bits(t[i_], t[i_ + 8]);     \
    u[2 * i_ + 1] = _mm_unpackhi_epi##bits(t[i_], t[i_ + 8]); \
  }

static void turn1(char *d, ptrdiff_t d1, const char *s, ptrdiff_t s0)
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
static void turn2_part(char *d, ptrdiff_t d1, const char *s, ptrdiff_t s0)
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

static void turn2(char *d, ptrdiff_t d1, const char *s, ptrdiff_t s0)
{
  for (ptrdiff_t i = 0; i < 2; i++)
    for (ptrdiff_t j = 0; j < 2; j++)
      turn2_part(d + 8 * i * d1 + 16 * j, d1, s + 8 * j * s0 + 16 * i, s0);
}

#endif

#if defined(__AVX2__)
/* 16 bytes of each of two rows. */
static __m256 pair(const char *a, const char *b)
{
  __m256 lower = _mm256_castps128_ps256(_mm_loadu_ps((const float *)a));
  return _mm256_insertf128_ps(lower, _mm_loadu_ps((const float *)b), 1);
}

/* Columns of 8 rows and 4 elements. */
static void turn4_part(char *d, ptrdiff_t d1, const char *s, ptrdiff_t s0)
{
  __m256 a = pair(s, s + 4 * s0), b = pair(s + s0, s + 5 * s0);
  __m256 c = pair(s + 2 * s0, s + 6 * s0), e = pair(s + 3 * s0, s + 7 * s0);
  __m256 ab = _mm256_unpacklo_ps(a, b), ce = _mm256_unpacklo_ps(c, e);
  _mm256_storeu_ps((float *)d, _mm256_shuffle_ps(ab, ce, 0x44));
  _mm256_storeu_ps((float *)(d + d1), _mm256_shuffle_ps(ab, ce, 0xee));
  ab = _mm256_unpackhi_ps(a, b);
  ce = _mm256_unpackhi_ps(c, e);
  _mm256_storeu_ps((float *)(d + 2 * d1), _mm256_shuffle_ps(ab, ce, 0x44));
  _mm256_storeu_ps((float *)(d + 3 * d1), _mm256_shuffle_ps(ab, ce, 0xee));
}

static void turn4(char *d, ptrdiff_t d1, const char *s, ptrdiff_t s0)
{
  for (ptrdiff_t j = 0; j < 2; j++)
    for (ptrdiff_t i = 0; i < 4; i++)
      turn4_part(d + 4 * i * d1 + 32 * j, d1, s + 8 * j * s0 + 16 * i, s0);
}

static void turn8(char *d, ptrdiff_t d1, const char *s, ptrdiff_t s0)
{
  for (size_t j = 0; j < EDGE; j += 4, s += 4 * s0, d += 32)
    for (ptrdiff_t i = 0; i < EDGE / 2; i++) {
      const char *p = s + 16 * i;
      __m256d a = _mm256_castps_pd(pair(p, p + 2 * s0));
      __m256d b = _mm256_castps_pd(pair(p + s0, p + 3 * s0));
      _mm256_storeu_pd((double *)(d + 2 * i * d1), _mm256_unpacklo_pd(a, b));
      _mm256_storeu_pd((double *)(d + (2 * i + 1) * d1), _mm256_unpackhi_pd(a, b));
    }
}

static void turn16(char *d, ptrdiff_t d1, const char *s, ptrdiff_t s0)
{
  for (size_t j = 0; j < EDGE; j += 2, s += 2 * s0, d += 32)
    for (ptrdiff_t i = 0; i < EDGE; i++)
      _mm256_storeu_ps((float *)(d + i * d1), pair(s + 16 * i, s + s0 + 16 * i));
}
#else
typedef struct bytes16 {
  uint64_t part[2];
} bytes16;
TURN(turn16, bytes16)
#if defined(__x86_64__)
static void turn8(char *d, ptrdiff_t d1, const char *s, ptrdiff_t s0)
{
  __m128i t[EDGE][EDGE / 2];
  for (size_t j = 0; j < EDGE; j++, s += s0) memcpy(t[j], s, sizeof t[j]);
  for (size_t i = 0; i < EDGE / 2; i++, d += 2 * d1)
    for (size_t j = 0; j < EDGE; j += 2) {
      _mm_storeu_si128((__m128i *)(d + 8 * j), _mm_unpacklo_epi64(t[j][i], t[j + 1][i]));
      _mm_storeu_si128((__m128i *)(d + d1 + 8 * j), _mm_unpackhi_epi64(t[j][i], t[j + 1][i]));
    }
}

static void turn4(char *d, ptrdiff_t d1, const char *s, ptrdiff_t s0)
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
#endif

extern const ga_turn GA_SYM(ga_turns)[5];
const ga_turn GA_SYM(ga_turns)[5] = {turn1, turn2, turn4, turn8, turn16};
