/* SPDX-License-Identifier: MIT */
/* lib/overlap.c against the bytes themselves: small random arrays are laid over a
 * byte map and every element marked. */
#include "tests/common.h"

#include "lib/overlap.h"

#define MAP   4096
#define FIRST 2048

typedef struct shape {
  unsigned int nd;
  size_t dims[3], size;
  ssize_t strides[3];
} shape;

static unsigned int rnd(unsigned int n) { return (unsigned int)rand() % n; }

static shape random_shape(void)
{
  shape s = {0};
  unsigned int i;
  s.nd = rnd(4);
  s.size = (size_t)1 << rnd(4);
  for (i = 0; i < s.nd; i++) {
    s.dims[i] = rnd(8) == 0 ? rnd(2) : 1 + rnd(5);
    s.strides[i] = ((ssize_t)rnd(41) - 20) * (ssize_t)s.size;
  }
  return s;
}

/* Adds 1 to every byte of every element; returns the most on one byte. */
static int mark(unsigned char *map, ssize_t at, const shape *s, unsigned int axis)
{
  int most = 0;
  size_t i;
  if (axis == s->nd) {
    for (i = 0; i < s->size; i++)
      if (++map[at + (ssize_t)i] > most) most = map[at + (ssize_t)i];
    return most;
  }
  for (i = 0; i < s->dims[axis]; i++) {
    int m = mark(map, at + (ssize_t)i * s->strides[axis], s, axis + 1);
    if (m > most) most = m;
  }
  return most;
}

START_TEST(span_is_the_bytes_touched)
{
  int round;
  for (round = 0; round < 5000; round++) {
    unsigned char map[MAP] = {0};
    shape s = random_shape();
    ga_span span = ga_span_of(s.nd, s.dims, s.strides, s.size);
    ssize_t low = 0, high = 0, i;
    mark(map, FIRST, &s, 0);
    for (i = MAP - 1; i >= 0; i--)
      if (map[i]) low = i - FIRST;
    for (i = 0; i < MAP; i++)
      if (map[i]) high = i + 1 - FIRST;
    ck_assert_int_eq(span.low, low);
    ck_assert_int_eq(span.high, high);
  }
}
END_TEST

START_TEST(self_overlap_is_told_exactly)
{
  int round, real = 0, interleaved = 0;
  for (round = 0; round < 40000; round++) {
    unsigned char map[MAP] = {0};
    shape s = random_shape();
    unsigned int i;
    if (round % 2) /* not on multiples of the elements' size */
      for (i = 0; i < s.nd; i++) s.strides[i] = (ssize_t)rnd(161) - 80;
    int overlaps = mark(map, FIRST, &s, 0) > 1;
    int told = ga_overlaps_itself(s.nd, s.dims, s.strides, s.size);
    ck_assert_msg(told == overlaps, "round %d: told %d, is %d", round, told, overlaps);
    real += overlaps;
    interleaved += !overlaps && s.nd == 2 && s.dims[0] > 1 && s.dims[1] > 1 &&
                   labs(s.strides[0]) < labs(s.strides[1]) &&
                   (ssize_t)s.dims[0] * labs(s.strides[0]) > labs(s.strides[1]);
  }
  ck_assert_int_gt(real, 1000);
  ck_assert_int_gt(interleaved, 100);
}
END_TEST

START_TEST(interleaved_layouts_are_told_from_overlapping_ones)
{
  /* Of 2-byte elements; the last is one more than fits. */
  ck_assert(!ga_overlaps_itself(2, (size_t[]){2, 3}, (ssize_t[]){6, 4}, 2));
  ck_assert(!ga_overlaps_itself(2, (size_t[]){2, 3}, (ssize_t[]){-6, 4}, 2));
  ck_assert(!ga_overlaps_itself(2, (size_t[]){999, 1001}, (ssize_t[]){2002, 1998}, 2));
  ck_assert(!ga_overlaps_itself(2, (size_t[]){999, 5000}, (ssize_t[]){2002, 1998}, 2));
  ck_assert(!ga_overlaps_itself(2, (size_t[]){999, 1000000000}, (ssize_t[]){2002, 1998}, 2));
  ck_assert(ga_overlaps_itself(2, (size_t[]){1000, 1002}, (ssize_t[]){2002, 1998}, 2));
  ck_assert(ga_overlaps_itself(2, (size_t[]){2, 4}, (ssize_t[]){6, 2}, 2));
  ck_assert(ga_overlaps_itself(2, (size_t[]){2, 3}, (ssize_t[]){4, 4}, 2));
  ck_assert(ga_overlaps_itself(2, (size_t[]){2, 3}, (ssize_t[]){0, 4}, 2));
}
END_TEST

/* They do not overlap, but to find out takes longer than the search is given: the answer
 * is on the safe side. */
START_TEST(a_long_search_says_that_they_may_overlap)
{
  const size_t dims[] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
  const ssize_t strides[] = {1000000007, 1234567891, 1357924681, 1098765433, 1479583613,
                             1618033989, 1414213563, 1732050809, 1141592653, 1718281829};
  ck_assert(ga_overlaps_itself(10, dims, strides, 1));
  ck_assert(!ga_overlaps_itself(3, dims, strides, 1));
}
END_TEST

START_TEST(ordinary_layouts_do_not_overlap_themselves)
{
  size_t dims[] = {3, 1, 5, 7};
  ssize_t c[] = {140, 4, 28, 4}, f[] = {4, 12, 12, 60}, neg[] = {-140, 0, 28, -4};
  ssize_t gaps[] = {1000, 0, 100, 8}, none[] = {0, 0, 0, 0};
  ck_assert(!ga_overlaps_itself(4, dims, c, 4));
  ck_assert(!ga_overlaps_itself(4, dims, f, 4));
  ck_assert(!ga_overlaps_itself(4, dims, neg, 4));
  ck_assert(!ga_overlaps_itself(4, dims, gaps, 4));
  ck_assert(!ga_overlaps_itself(0, NULL, NULL, 4));
  dims[3] = 0; /* nothing, whatever the steps */
  ck_assert(!ga_overlaps_itself(4, dims, none, 4));
}
END_TEST

START_TEST(arrays_meet_when_ranges_cross)
{
  char buf[64] = {0};
  ga_span eight = {0, 8}, back = {-8, 4}, none = {0, 0};
  ck_assert(ga_span_meets(buf, eight, buf + 7, eight));
  ck_assert(!ga_span_meets(buf, eight, buf + 8, eight));
  ck_assert(ga_span_meets(buf, eight, buf + 12, back));
  ck_assert(!ga_span_meets(buf, eight, buf + 16, back));
  ck_assert(!ga_span_meets(buf, eight, buf, none));
}
END_TEST

START_TEST(a_meeting_is_told_exactly)
{
  int round, crossing = 0, real = 0;
  for (round = 0; round < 40000; round++) {
    unsigned char map[MAP] = {0};
    shape s = random_shape(), t = random_shape();
    ssize_t off = (ssize_t)rnd(80) - 40;
    if (rnd(2)) { /* views of one array, as often as not */
      t.nd = s.nd;
      t.size = s.size;
      memcpy(t.strides, s.strides, sizeof t.strides);
      for (unsigned int i = 0; i < t.nd; i++) t.dims[i] = rnd(5);
    }
    if (round % 2) /* not on multiples of the elements' size */
      for (unsigned int i = 0; i < s.nd; i++) s.strides[i] = (ssize_t)rnd(161) - 80;
    ga_strided a = {(char *)map + FIRST, s.nd, s.dims, s.strides, s.size};
    ga_strided b = {(char *)map + FIRST + off, t.nd, t.dims, t.strides, t.size};
    mark(map, FIRST, &s, 0);
    for (size_t i = 0; i < MAP; i++) map[i] = map[i] ? 128 : 0;
    int meet = mark(map, FIRST + off, &t, 0) > 128;
    int told = ga_strided_meet(&a, &b);
    ck_assert_msg(told == meet, "round %d: told %d, is %d", round, told, meet);
    ck_assert_int_eq(ga_strided_meet(&b, &a), meet);
    real += meet;
    crossing += !meet && ga_span_meets(a.at, ga_span_of(a.nd, a.dims, a.strides, a.size), b.at,
                                       ga_span_of(b.nd, b.dims, b.strides, b.size));
  }
  ck_assert_int_gt(real, 1000);
  ck_assert_int_gt(crossing, 1000);
}
END_TEST

START_TEST(parts_of_a_matrix_do_not_meet)
{
  static const char m[4 * 6 * 4];
  const size_t half[] = {4, 3}, third[] = {4, 2};
  const ssize_t rows[] = {24, 4}, steps[] = {24, 8}, back[] = {24, -4};
  ga_strided left = {m, 2, half, rows, 4}, right = {m + 12, 2, half, rows, 4};
  ga_strided even = {m, 2, half, steps, 4}, odd = {m + 4, 2, half, steps, 4};
  ga_strided turned = {m + 20, 2, half, back, 4}, last = {m + 8, 2, third, rows, 4};
  ck_assert(!ga_strided_meet(&left, &right));
  ck_assert(!ga_strided_meet(&even, &odd));
  ck_assert(!ga_strided_meet(&turned, &left));
  ck_assert(ga_strided_meet(&turned, &right));
  ck_assert(ga_strided_meet(&left, &even));
  ck_assert(ga_strided_meet(&left, &last));
}
END_TEST

static const test_case cases[] = {
    CASE(span_is_the_bytes_touched),
    CASE(self_overlap_is_told_exactly),
    CASE(interleaved_layouts_are_told_from_overlapping_ones),
    CASE(a_long_search_says_that_they_may_overlap),
    CASE(ordinary_layouts_do_not_overlap_themselves),
    CASE(arrays_meet_when_ranges_cross),
    CASE(a_meeting_is_told_exactly),
    CASE(parts_of_a_matrix_do_not_meet),
    CASE_END,
};

int main(void) { return test_main("overlap", cases); }
