/* SPDX-License-Identifier: MIT */
/* Views by numbers: index, split, transpose, broadcast, reshape. */
#include "tests/arrays.h"
#include "tests/device.h"

static gpucontext *ctx;

static void open_context(void) { ctx = test_context(); }
static void close_context(void) { gpucontext_deref(ctx); }

/* Element `i` of an array, in C order. */
static int at(const GpuArray *a, size_t i)
{
  int x[1024];
  size_t n = 1;
  for (unsigned int k = 0; k < a->nd; k++) n *= a->dimensions[k];
  ck_assert_uint_lt(i, n);
  OK(GpuArray_tohost(x, n * sizeof *x, GA_INT, a));
  return x[i];
}

START_TEST(index_takes_every_step)
{
  GpuArray a = iota(ctx, GA_DIMS(10)), r = {0};
  static const struct {
    ssize_t start, stop, step;
    size_t n;
    int first, last;
  } t[] = {{0, 10, 1, 10, 0, 9}, {0, 10, 3, 4, 0, 9},  {2, 9, 7, 1, 2, 2},  {9, -1, -1, 10, 9, 0},
           {9, -1, -4, 3, 9, 1}, {5, 2, -1, 3, 5, 3},  {5, 5, 1, 0, 0, 0},  {5, 5, -1, 0, 0, 0},
           {10, 10, 1, 0, 0, 0}, {-1, -1, 1, 0, 0, 0}, {0, 1, 99, 1, 0, 0}, {4, 3, 2, 0, 0, 0},
           {-1, -1, -1, 0, 0, 0}};
  for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
    OK(GpuArray_index(&r, &a, &t[i].start, &t[i].stop, &t[i].step));
    ck_assert_uint_eq(r.nd, 1);
    ck_assert_uint_eq(r.dimensions[0], t[i].n);
    if (t[i].n != 0) {
      ck_assert_int_eq(at(&r, 0), t[i].first);
      ck_assert_int_eq(at(&r, t[i].n - 1), t[i].last);
    }
    GpuArray_clear(&r);
  }
  GpuArray_clear(&a);
}
END_TEST

START_TEST(index_drops_axes_of_step_0)
{
  GpuArray a = iota(ctx, GA_DIMS(3, 4, 5)), r = {0};
  ssize_t start[3] = {1, 3, 0}, stop[3] = {0, 0, 5}, step[3] = {0, -2, 2};
  OK(GpuArray_index(&r, &a, start, stop, step));
  ck_assert_uint_eq(r.nd, 2);
  ck_assert_uint_eq(r.dimensions[0], 2);
  ck_assert_uint_eq(r.dimensions[1], 3);
  ck_assert_int_eq(at(&r, 0), 20 + 15);
  ck_assert_int_eq(at(&r, 5), 20 + 5 + 4);
  GpuArray_clear(&r);
  OK(GpuArray_index_inplace(&a, start, stop, step));
  ck_assert_uint_eq(a.nd, 2);
  ck_assert_int_eq(at(&a, 5), 29);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(index_refuses_numbers_out_of_range)
{
  GpuArray a = iota(ctx, GA_DIMS(10)), r = {0};
  static const ssize_t bad[][3] = {{10, 0, 0}, {-1, 0, 0},  {-2, 5, 1},  {11, 11, 1},
                                   {0, 11, 1}, {0, -2, -1}, {5, 2, 1},   {2, 5, -1},
                                   {-1, 3, 1}, {10, 3, -1}, {0, 10, -1}, {10, 0, -9}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    FAILS(GA_VALUE_ERROR, "axis 0", GpuArray_index(&r, &a, &bad[i][0], &bad[i][1], &bad[i][2]));
    ck_assert_ptr_null(r.data);
    FAILS(GA_VALUE_ERROR, "axis 0", GpuArray_index_inplace(&a, &bad[i][0], &bad[i][1], &bad[i][2]));
    ck_assert_uint_eq(a.dimensions[0], 10);
  }
  FAILS(GA_VALUE_ERROR, "argument 3 is NULL", GpuArray_index(&r, &a, NULL, bad[0], bad[0]));
  FAILS(GA_VALUE_ERROR, "argument 4 is NULL", GpuArray_index_inplace(&a, bad[0], bad[0], NULL));
  GpuArray_clear(&a);
}
END_TEST

START_TEST(split_makes_one_view_more_than_cuts)
{
  GpuArray a = iota(ctx, GA_DIMS(2, 10)), r[4] = {{0}};
  GpuArray *rs[4] = {&r[0], &r[1], &r[2], &r[3]};
  size_t p[3] = {3, 3, 10}, bad[3] = {3, 2, 10};
  OK(GpuArray_split(rs, &a, 3, p, 1));
  ck_assert_uint_eq(r[0].dimensions[1], 3);
  ck_assert_uint_eq(r[1].dimensions[1], 0);
  ck_assert_uint_eq(r[2].dimensions[1], 7);
  ck_assert_uint_eq(r[3].dimensions[1], 0);
  ck_assert_int_eq(at(&r[2], 7), 13);
  for (int i = 0; i < 4; i++) GpuArray_clear(&r[i]);
  FAILS(GA_VALUE_ERROR, "cut 1 is 2", GpuArray_split(rs, &a, 3, bad, 1));
  bad[1] = 11;
  FAILS(GA_VALUE_ERROR, "cut 1 is 11", GpuArray_split(rs, &a, 3, bad, 1));
  FAILS(GA_VALUE_ERROR, "axis 2", GpuArray_split(rs, &a, 3, p, 2));
  rs[2] = NULL;
  FAILS(GA_VALUE_ERROR, "array 2", GpuArray_split(rs, &a, 3, p, 1));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_split(NULL, &a, 3, p, 1));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_split(rs, &a, 1, NULL, 1));
  OK(GpuArray_split(rs, &a, 0, NULL, 0));
  GpuArray_clear(&r[0]);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(transpose_permutes)
{
  GpuArray a = iota(ctx, GA_DIMS(2, 3, 4)), r = {0};
  static const unsigned int axes[3] = {1, 2, 0}, twice[3] = {1, 1, 0}, beyond[3] = {0, 1, 7};
  OK(GpuArray_transpose(&r, &a, axes));
  ck_assert_uint_eq(r.dimensions[0], 3);
  ck_assert_uint_eq(r.dimensions[2], 2);
  ck_assert_int_eq(at(&r, 1), 12);
  GpuArray_clear(&r);
  OK(GpuArray_transpose(&r, &a, NULL));
  ck_assert_int_ne(GpuArray_IS_F_CONTIGUOUS(&r), 0);
  OK(GpuArray_transpose_inplace(&r, NULL));
  ck_assert_int_ne(GpuArray_IS_C_CONTIGUOUS(&r), 0);
  GpuArray_clear(&r);
  FAILS(GA_VALUE_ERROR, "axis 1 twice", GpuArray_transpose(&r, &a, twice));
  FAILS(GA_VALUE_ERROR, "axis 7", GpuArray_transpose(&r, &a, beyond));
  FAILS(GA_VALUE_ERROR, "axis 7", GpuArray_transpose_inplace(&a, beyond));
  FAILS(GA_VALUE_ERROR, "axis 1 twice", GpuArray_transpose_inplace(&a, twice));
  ck_assert_int_eq(at(&a, 23), 23);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(broadcast_repeats_and_is_read_only)
{
  GpuArray a = iota(ctx, GA_DIMS(3, 1)), r = {0}, e = iota(ctx, GA_DIMS(1, 0)), s = {0};
  OK(GpuArray_broadcast_to(&r, &a, GA_DIMS(2, 3, 4)));
  ck_assert_int_eq(r.strides[0], 0);
  ck_assert_int_eq(r.strides[1], 4);
  ck_assert_int_eq(r.strides[2], 0);
  ck_assert_int_eq(GpuArray_ISWRITEABLE(&r), 0);
  ck_assert_int_eq(at(&r, 23), 2);
  FAILS(GA_VALUE_ERROR, "read-only", GpuArray_memset(&r, 0));
  GpuArray_clear(&r);
  OK(GpuArray_broadcast_to(&r, &a, GA_DIMS(3, 0)));
  GpuArray_clear(&r);
  OK(GpuArray_broadcast_to(&r, &e, GA_DIMS(5, 0)));
  GpuArray_clear(&r);
  FAILS(GA_VALUE_ERROR, "axis 0 has 3, expected 1 or 4",
        GpuArray_broadcast_to(&r, &a, GA_DIMS(4, 4)));
  FAILS(GA_VALUE_ERROR, "(3, 1)", GpuArray_broadcast_to(&r, &a, GA_DIMS(3)));
  FAILS(GA_VALUE_ERROR, "expected 1 or 1", GpuArray_broadcast_to(&r, &e, GA_DIMS(1, 1)));
  OK(GpuArray_slice(&s, &a, "0, 0"));
  FAILS(GA_XLARGE_ERROR, "overflows",
        GpuArray_broadcast_to(&r, &s, GA_DIMS((size_t)1 << 32, (size_t)1 << 32)));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_broadcast_to(&r, &s, 2, NULL));
  GpuArray_clear(&s);
  GpuArray_clear(&e);
  GpuArray_clear(&a);
}
END_TEST

/* What reshaping gives, from whichever layout: the elements in C order. */
static void check_reshape(const GpuArray *a, unsigned int nd, const size_t *dims, int view)
{
  GpuArray r = {0};
  size_t n = 1;
  int before[1024], after[1024];
  for (unsigned int k = 0; k < a->nd; k++) n *= a->dimensions[k];
  OK(GpuArray_tohost(before, n * sizeof *before, GA_INT, a));
  int err = GpuArray_reshape(&r, a, nd, dims, GA_C_ORDER, 1);
  ck_assert_msg(err == (view ? GA_NO_ERROR : GA_COPY_ERROR), "%d: %s", err,
                gpuarray_error_message());
  GpuArray_clear(&r);
  OK(GpuArray_reshape(&r, a, nd, dims, GA_C_ORDER, 0));
  ck_assert_int_eq(GpuArray_share(&r, a), view);
  ck_assert_uint_eq(r.nd, nd);
  OK(GpuArray_tohost(after, n * sizeof *after, GA_INT, &r));
  ck_assert_int_eq(memcmp(before, after, n * sizeof *before), 0);
  GpuArray_clear(&r);
}

START_TEST(reshape_copies_only_when_it_must)
{
  GpuArray a = iota(ctx, GA_DIMS(6, 4)), v = {0};
  check_reshape(&a, GA_DIMS(24), 1);
  check_reshape(&a, GA_DIMS(2, 3, 2, 2), 1);
  check_reshape(&a, GA_DIMS(3, 8), 1);
  check_reshape(&a, GA_DIMS(1, 24, 1), 1);
  OK(GpuArray_slice(&v, &a, "::2"));
  check_reshape(&v, GA_DIMS(3, 2, 2), 1);
  check_reshape(&v, GA_DIMS(12), 0);
  check_reshape(&v, GA_DIMS(1, 3, 1, 4, 1), 1);
  GpuArray_clear(&v);
  OK(GpuArray_slice(&v, &a, "::-1"));
  check_reshape(&v, GA_DIMS(2, 3, 4), 1);
  check_reshape(&v, GA_DIMS(24), 0);
  GpuArray_clear(&v);
  OK(GpuArray_transpose(&v, &a, NULL));
  check_reshape(&v, GA_DIMS(24), 0);
  check_reshape(&v, GA_DIMS(2, 2, 6), 1);
  check_reshape(&v, GA_DIMS(8, 3), 0);
  GpuArray_clear(&v);
  OK(GpuArray_slice(&v, &a, "3, 2"));
  check_reshape(&v, GA_DIMS(1, 1), 1);
  check_reshape(&v, GA_DIMS(), 1);
  GpuArray_clear(&v);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(reshape_in_fortran_order_reads_and_places_so)
{
  GpuArray a = iota(ctx, GA_DIMS(2, 3)), r = {0}, f = {0};
  static const int want[6] = {0, 4, 3, 2, 1, 5}; /* NumPy: reshape((3, 2), order='F') */
  OK(GpuArray_reshape(&r, &a, GA_DIMS(3, 2), GA_F_ORDER, 0));
  for (size_t i = 0; i < 6; i++) ck_assert_int_eq(at(&r, i), want[i]);
  GpuArray_clear(&r);
  OK(GpuArray_copy(&f, &a, GA_F_ORDER));
  OK(GpuArray_reshape(&r, &f, GA_DIMS(3, 2), GA_F_ORDER, 1));
  for (size_t i = 0; i < 6; i++) ck_assert_int_eq(at(&r, i), want[i]);
  GpuArray_clear(&r);
  OK(GpuArray_reshape(&r, &f, GA_DIMS(3, 2), GA_ANY_ORDER, 1)); /* keeps Fortran order */
  for (size_t i = 0; i < 6; i++) ck_assert_int_eq(at(&r, i), want[i]);
  GpuArray_clear(&r);
  OK(GpuArray_reshape_inplace(&f, GA_DIMS(6), GA_F_ORDER));
  ck_assert_int_eq(at(&f, 1), 3);
  GpuArray_clear(&f);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(reshape_refuses_what_cannot_be)
{
  GpuArray a = iota(ctx, GA_DIMS(2, 3)), t = {0}, r = {0};
  size_t half = (size_t)1 << 32;
  FAILS(GA_INVALID_ERROR, "(4,) has 4", GpuArray_reshape(&r, &a, GA_DIMS(4), GA_C_ORDER, 0));
  FAILS(GA_INVALID_ERROR, "has 0", GpuArray_reshape(&r, &a, GA_DIMS(0), GA_C_ORDER, 0));
  FAILS(GA_XLARGE_ERROR, "overflows",
        GpuArray_reshape(&r, &a, GA_DIMS(half, half, 6), GA_C_ORDER, 0));
  FAILS(GA_VALUE_ERROR, "ga_order", GpuArray_reshape(&r, &a, GA_DIMS(6), (ga_order)3, 0));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_reshape(&r, &a, 1, NULL, GA_C_ORDER, 0));
  OK(GpuArray_transpose(&t, &a, NULL));
  FAILS(GA_COPY_ERROR, "(3, 2) to (6,)", GpuArray_reshape(&r, &t, GA_DIMS(6), GA_C_ORDER, 1));
  FAILS(GA_COPY_ERROR, "copy", GpuArray_reshape_inplace(&t, GA_DIMS(6), GA_C_ORDER));
  ck_assert_uint_eq(t.nd, 2);
  ck_assert_int_eq(at(&t, 1), 3);
  FAILS(GA_INVALID_ERROR, "has 5", GpuArray_reshape_inplace(&a, GA_DIMS(5), GA_C_ORDER));
  GpuArray_clear(&t);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(reshape_of_nothing_is_a_view)
{
  GpuArray a = iota(ctx, GA_DIMS(0, 3)), t = {0}, r = {0};
  OK(GpuArray_transpose(&t, &a, NULL));
  OK(GpuArray_reshape(&r, &t, GA_DIMS(5, 0, 7), GA_C_ORDER, 1));
  ck_assert_uint_eq(r.nd, 3);
  GpuArray_clear(&r);
  FAILS(GA_INVALID_ERROR, "has 1", GpuArray_reshape(&r, &t, GA_DIMS(), GA_C_ORDER, 0));
  GpuArray_clear(&t);
  GpuArray_clear(&a);
}
END_TEST

static const test_case cases[] = {CASE(index_takes_every_step),
                                  CASE(index_drops_axes_of_step_0),
                                  CASE(index_refuses_numbers_out_of_range),
                                  CASE(split_makes_one_view_more_than_cuts),
                                  CASE(transpose_permutes),
                                  CASE(broadcast_repeats_and_is_read_only),
                                  CASE(reshape_copies_only_when_it_must),
                                  CASE(reshape_in_fortran_order_reads_and_places_so),
                                  CASE(reshape_refuses_what_cannot_be),
                                  CASE(reshape_of_nothing_is_a_view),
                                  CASE_END};

int main(void) { return test_main_with("index", cases, open_context, close_context); }
