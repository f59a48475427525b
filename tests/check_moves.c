/* SPDX-License-Identifier: MIT */
/* What the CPU device moves without computing: elements with steps, tiles that are turned, and
 * the numbers of positions. */
#include <stdio.h>

#include "codegen/oploops.h"
#include "lib/cpu/interp.h"
#include "tests/common.h"
#include "tests/scalar_data.h"

START_TEST(moves_keep_every_byte)
{
  static const size_t sizes[] = {1, 2, 4, 8, 16};
  static unsigned char mem[4096], block[1024], back[4096];
  uint64_t state = 5;
  for (size_t i = 0; i < sizeof mem; i++) mem[i] = (unsigned char)next_random(&state);
  for (size_t k = 0; k < 5; k++)
    for (ptrdiff_t stride = -37; stride <= 37; stride++)
      for (size_t n = 0; n <= (stride < -32 || stride > 32 ? 33 : 60); n += 3) {
        size_t size = sizes[k];
        ga_cpu_gather(size, n, block, mem + 2001, stride);
        for (size_t i = 0; i < n; i++)
          EXPECT(memcmp(block + i * size, mem + 2001 + (ptrdiff_t)i * stride, size) == 0,
                 "gather of %zu bytes, stride %td: element %zu", size, stride, i);
        if (stride < (ptrdiff_t)size && -stride < (ptrdiff_t)size) continue; /* overlaps */
        memset(back, 0, sizeof back);
        ga_cpu_scatter(size, n, back + 2001, stride, block);
        for (size_t i = 0; i < n; i++) {
          unsigned char *p = back + 2001 + (ptrdiff_t)i * stride;
          EXPECT(memcmp(p, block + i * size, size) == 0,
                 "scatter of %zu bytes, stride %td: element %zu", size, stride, i);
          memset(p, 0, size);
        }
        for (size_t i = 0; i < sizeof back; i++)
          EXPECT(back[i] == 0, "scatter of %zu bytes, stride %td: wrote elsewhere", size, stride);
      }
}
END_TEST

START_TEST(iota_wraps)
{
  int64_t x[3];
  ga_cpu_iota(3, x, INT64_MAX, 2);
  ck_assert_int_eq(x[0], INT64_MAX);
  ck_assert_int_eq(x[1], INT64_MIN + 1);
  ck_assert_int_eq(x[2], INT64_MIN + 3);
}
END_TEST

/* Every length and step: GCC 12 and 13 miscompiled a loop that made several at once. */
START_TEST(iota_counts_at_every_length)
{
  enum { MOST = 300 };
  static const int64_t steps[] = {0, 1, -1, 2, 3, 7, -5, 1024, INT64_MAX, INT64_MIN};
  static int64_t x[MOST + 1];
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
    for (size_t n = 0; n <= MOST; n++) {
      uint64_t want = 17;
      x[n] = 99;
      ga_cpu_iota(n, x, 17, steps[k]);
      for (size_t i = 0; i < n; i++, want += (uint64_t)steps[k])
        EXPECT(x[i] == (int64_t)want, "element %zu of %zu, step %lld: %lld, not %lld", i, n,
               (long long)steps[k], (long long)x[i], (long long)want);
      EXPECT(x[n] == 99, "%zu elements, step %lld: wrote past the end", n, (long long)steps[k]);
    }
}
END_TEST

/* Both sides off their elements, rows with something between them. */
START_TEST(tiles_are_turned_byte_for_byte)
{
  enum { EDGE = GA_TURN_EDGE, MOST = 16, GAP = 7, PITCH = EDGE * MOST + GAP };
  static unsigned char from[EDGE * PITCH + 1], to[EDGE * PITCH + 1];
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  uint64_t state = 88172645463325252ull;
  for (size_t k = 0; l != NULL && k < 5; k++) {
    size_t size = (size_t)1 << k, pitch = EDGE * size + GAP;
    put_elements(GA_DT_UINT8, from, sizeof from, &state);
    memset(to, 0xa5, sizeof to);
    l->turn[k]((char *)to + 1, (ptrdiff_t)pitch, (const char *)from + 1, (ptrdiff_t)pitch);
    ck_assert_uint_eq(to[0], 0xa5);
    for (size_t i = 0; i < EDGE; i++) {
      const unsigned char *row = to + 1 + i * pitch;
      for (size_t b = 0; b < EDGE * size; b++)
        ck_assert_uint_eq(row[b], from[1 + b / size * pitch + i * size + b % size]);
      for (size_t b = EDGE * size; b < pitch; b++) ck_assert_uint_eq(row[b], 0xa5);
    }
  }
}
END_TEST

/* Rows of up to 70 elements, with something between them on both sides, either way up. */
START_TEST(short_rows_are_moved_byte_for_byte)
{
  enum { ROWS = 5, MOST = 70, GAP = 3 };
  const size_t size = (size_t)1 << _i;
  static unsigned char from[ROWS * (MOST * 16 + GAP)], to[ROWS * (MOST * 16 + GAP)];
  uint64_t state = 9;
  for (size_t i = 0; i < sizeof from; i++) from[i] = (unsigned char)next_random(&state);
  for (size_t n = 1; n <= MOST; n++)
    for (int up = 0; up < 2; up++) {
      ptrdiff_t pitch = (ptrdiff_t)(n * size + GAP), back = up ? -pitch : pitch;
      memset(to, 0xa5, sizeof to);
      ga_cpu_move(size, ROWS, n, to, pitch, (ssize_t)size, from + (up ? (ROWS - 1) * pitch : 0),
                  back, (ssize_t)size);
      for (ptrdiff_t i = 0; i < ROWS; i++) {
        const unsigned char *row = to + i * pitch, *was = from + (up ? ROWS - 1 - i : i) * pitch;
        EXPECT(memcmp(row, was, n * size) == 0, "row %td of %zu elements of %zu bytes", i, n, size);
        for (size_t b = n * size; b < (size_t)pitch; b++) ck_assert_uint_eq(row[b], 0xa5);
      }
    }
}
END_TEST

static const test_case cases[] = {
    CASE(moves_keep_every_byte),
    CASE_LOOP(short_rows_are_moved_byte_for_byte, 5),
    CASE(iota_wraps),
    CASE(iota_counts_at_every_length),
    CASE_LOOP(tiles_are_turned_byte_for_byte, GA_NISA),
    CASE_END,
};

int main(void) { return test_main("moves", cases); }
