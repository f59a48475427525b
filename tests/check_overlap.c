/* SPDX-License-Identifier: MIT */
/* lib/overlap.c against the bytes themselves: small random arrays are laid over a
 * byte map and every element marked. */
#include "tests/common.h"

#include "lib/overlap.h"

#define MAP 4096
#define FIRST 2048

typedef struct shape {
  unsigned int nd;
  size_t dims[3], size;
  ssize_t strides[3];
} shape;

static unsigned int rnd(unsigned int n) { return (unsigned int)rand() % n; }

static shape random_shape(void) {
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
static int mark(unsigned char *map, ssize_t at, const shape *s, unsigned int axis) {
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

START_TEST(span_is_the_bytes_touched) {
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

START_TEST(self_overlap_is_never_missed) {
  int round, said = 0, real = 0;
  for (round = 0; round < 20000; round++) {
    unsigned char map[MAP] = {0};
    shape s = random_shape();
    int overlaps = mark(map, FIRST, &s, 0) > 1;
    int told = ga_overlaps_itself(s.nd, s.dims, s.strides, s.size);
    ck_assert_msg(told || !overlaps, "an overlap was missed in round %d", round);
    said += told;
    real += overlaps;
  }
  ck_assert_int_gt(real, 1000);
  ck_assert_int_lt(said, 10000); /* conservative, but not always "yes" */
}
END_TEST

START_TEST(ordinary_layouts_do_not_overlap_themselves) {
  size_t dims[] = {3, 1, 5, 7};
  ssize_t c[] = {140, 4, 28, 4}, f[] = {4, 12, 12, 60}, neg[] = {-140, 0, 28, -4};
  ssize_t gaps[] = {1000, 0, 100, 8};
  ck_assert(!ga_overlaps_itself(4, dims, c, 4));
  ck_assert(!ga_overlaps_itself(4, dims, f, 4));
  ck_assert(!ga_overlaps_itself(4, dims, neg, 4));
  ck_assert(!ga_overlaps_itself(4, dims, gaps, 4));
  ck_assert(!ga_overlaps_itself(0, NULL, NULL, 4));
}
END_TEST

START_TEST(arrays_meet_when_ranges_cross) {
  char buf[64] = {0};
  ga_span eight = {0, 8}, back = {-8, 4}, none = {0, 0};
  ck_assert(ga_span_meets(buf, eight, buf + 7, eight));
  ck_assert(!ga_span_meets(buf, eight, buf + 8, eight));
  ck_assert(ga_span_meets(buf, eight, buf + 12, back));
  ck_assert(!ga_span_meets(buf, eight, buf + 16, back));
  ck_assert(!ga_span_meets(buf, eight, buf, none));
}
END_TEST

static const test_case cases[] = {
    CASE(span_is_the_bytes_touched),
    CASE(self_overlap_is_never_missed),
    CASE(ordinary_layouts_do_not_overlap_themselves),
    CASE(arrays_meet_when_ranges_cross),
    CASE_END,
};

int main(void) { return test_main("overlap", cases); }
