/* SPDX-License-Identifier: MIT */
/* The elements of arrays read, written, copied, converted and joined; and what is
 * refused. */
#include <stdint.h>

#include "tests/arrays.h"
#include "tests/device.h"

#include "gpuarray/types.h"

static gpucontext *ctx;

static void open_context(void) { ctx = test_context(); }
static void close_context(void) { gpucontext_deref(ctx); }

START_TEST(host_round_trip)
{
  static const size_t sizes[] = {0, 1, 31, 33, 1023, 1025, 99991};
  size_t n = sizes[_i];
  int *x = malloc((n + 1) * sizeof *x), *y = malloc((n + 1) * sizeof *y);
  GpuArray a = {0};
  for (size_t i = 0; i < n; i++) x[i] = (int)(i * 2654435761u);
  OK(GpuArray_fromhost(&a, ctx, GA_INT, GA_DIMS(n), x));
  OK(GpuArray_tohost(y, n * sizeof *y, GA_INT, &a));
  ck_assert_int_eq(memcmp(x, y, n * sizeof *x), 0);
  OK(GpuArray_write(&a, y, n * sizeof *y));
  OK(GpuArray_read(x, n * sizeof *x, &a));
  ck_assert_int_eq(memcmp(x, y, n * sizeof *x), 0);
  OK(GpuArray_sync(&a));
  GpuArray_clear(&a);
  free(x);
  free(y);
}
END_TEST

START_TEST(tohost_checks_its_arguments)
{
  GpuArray a = iota(ctx, GA_DIMS(2, 3)), none = {0}, v = {0};
  double d[6];
  int x[6];
  FAILS(GA_VALUE_ERROR, "needs 24", GpuArray_tohost(x, 20, GA_INT, &a));
  FAILS(GA_VALUE_ERROR, "needs 24", GpuArray_tohost(x, 28, GA_INT, &a));
  FAILS(GA_VALUE_ERROR, "needs 48", GpuArray_tohost(d, 24, GA_DOUBLE, &a));
  FAILS(GA_VALUE_ERROR, "99", GpuArray_tohost(x, 24, 99, &a));
  FAILS(GA_VALUE_ERROR, "GA_SIZE", GpuArray_tohost(x, 48, GA_SIZE, &a));
  FAILS(GA_VALUE_ERROR, "cleared", GpuArray_tohost(x, 24, GA_INT, &none));
  FAILS(GA_VALUE_ERROR, "argument 4 is NULL", GpuArray_tohost(x, 24, GA_INT, NULL));
  FAILS(GA_VALUE_ERROR, "argument 1 is NULL", GpuArray_tohost(NULL, 24, GA_INT, &a));
  FAILS(GA_VALUE_ERROR, "argument 6 is NULL", GpuArray_fromhost(&v, ctx, GA_INT, GA_DIMS(2), NULL));
  OK(GpuArray_fromhost(&v, ctx, GA_INT, GA_DIMS(0), NULL));
  OK(GpuArray_tohost(NULL, 0, GA_INT, &v));
  GpuArray_clear(&v);
  OK(GpuArray_zeros(&v, ctx, GA_FLOAT4, GA_DIMS(1), GA_C_ORDER));
  FAILS(GA_UNSUPPORTED_ERROR, "297", GpuArray_tohost(x, 4, GA_INT, &v));
  GpuArray_clear(&v);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(tohost_packs_and_converts)
{
  GpuArray a = iota(ctx, GA_DIMS(4, 5)), r = {0};
  double d[20];
  unsigned char b[10];
  OK(GpuArray_slice(&r, &a, "::-2, 1::2"));
  OK(GpuArray_tohost(d, 4 * sizeof *d, GA_DOUBLE, &r));
  ck_assert(d[0] == 16 && d[1] == 18 && d[2] == 6 && d[3] == 8);
  GpuArray_clear(&r);
  OK(GpuArray_slice(&r, &a, "2, 3"));
  OK(GpuArray_tohost(d, sizeof *d, GA_DOUBLE, &r));
  ck_assert(d[0] == 13);
  GpuArray_clear(&r);
  OK(GpuArray_slice(&r, &a, ":2"));
  OK(GpuArray_tohost(b, 10, GA_BOOL, &r));
  for (int i = 0; i < 10; i++) ck_assert_int_eq(b[i], i != 0);
  GpuArray_clear(&r);
  OK(GpuArray_transpose(&r, &a, NULL));
  OK(GpuArray_tohost(d, sizeof d, GA_DOUBLE, &r));
  for (int i = 0; i < 20; i++) ck_assert(d[i] == i % 4 * 5 + i / 4);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(memset_of_a_view_stays_inside_it)
{
  GpuArray a = iota(ctx, GA_DIMS(8)), v = {0};
  int x[8];
  OK(GpuArray_slice(&v, &a, "2:4"));
  OK(GpuArray_memset(&v, 0));
  OK(GpuArray_tohost(x, sizeof x, GA_INT, &a));
  static const int want[8] = {0, 1, 0, 0, 4, 5, 6, 7};
  ck_assert_int_eq(memcmp(x, want, sizeof x), 0);
  GpuArray_clear(&v);
  OK(GpuArray_slice(&v, &a, "::2"));
  FAILS(GA_UNSUPPORTED_ERROR, "gaps", GpuArray_memset(&v, 0));
  FAILS(GA_UNSUPPORTED_ERROR, "gaps", GpuArray_read(x, 8, &v));
  FAILS(GA_UNSUPPORTED_ERROR, "gaps", GpuArray_write(&v, x, 8));
  GpuArray_clear(&v);
  OK(GpuArray_slice(&v, &a, "2:4"));
  FAILS(GA_VALUE_ERROR, "has 8", GpuArray_write(&v, x, 12));
  FAILS(GA_VALUE_ERROR, "has 8", GpuArray_read(x, 12, &v));
  v.flags &= ~GA_WRITEABLE;
  FAILS(GA_VALUE_ERROR, "read-only", GpuArray_memset(&v, 0));
  FAILS(GA_VALUE_ERROR, "read-only", GpuArray_write(&v, x, 4));
  GpuArray_clear(&v);
  GpuArray_clear(&a);
}
END_TEST

/* Every pair of layouts of a small matrix. */
static void layout(GpuArray *v, const GpuArray *a, int which)
{
  static const char *const specs[] = {"", "::-1, ::-1", "::2, 1:", ":, ::3", "..., ::-2"};
  OK(GpuArray_slice(v, a, specs[which % 5]));
  if (which >= 5) OK(GpuArray_transpose_inplace(v, NULL));
}

START_TEST(move_converts_between_layouts)
{
  GpuArray a = iota(ctx, GA_DIMS(6, 9)), v = {0}, base = {0}, d = {0};
  int want[54];
  double got[54];
  layout(&v, &a, _i);
  size_t n = v.dimensions[0] * v.dimensions[1];
  OK(GpuArray_tohost(want, n * sizeof *want, GA_INT, &v));
  /* Into a strided view of doubles. */
  OK(GpuArray_zeros(&base, ctx, GA_DOUBLE, GA_DIMS(v.dimensions[0] * 2, v.dimensions[1] + 3),
                    GA_F_ORDER));
  OK(GpuArray_slice(&d, &base, "::-2, 2:-1"));
  OK(GpuArray_move(&d, &v));
  OK(GpuArray_tohost(got, n * sizeof *got, GA_DOUBLE, &d));
  for (size_t i = 0; i < n; i++) ck_assert(got[i] == want[i]);
  GpuArray_clear(&d);
  for (int ord = -1; ord <= 1; ord++) {
    OK(GpuArray_copy(&d, &v, (ga_order)ord));
    ck_assert_int_ne(GpuArray_ISONESEGMENT(&d), 0);
    if (ord == GA_F_ORDER) ck_assert_int_ne(GpuArray_IS_F_CONTIGUOUS(&d), 0);
    if (ord == GA_C_ORDER) ck_assert_int_ne(GpuArray_IS_C_CONTIGUOUS(&d), 0);
    OK(GpuArray_tohost(got, n * sizeof *got, GA_DOUBLE, &d));
    for (size_t i = 0; i < n; i++) ck_assert(got[i] == want[i]);
    GpuArray_clear(&d);
  }
  FAILS(GA_VALUE_ERROR, "GpuArray_copy: argument 3 is 7", GpuArray_copy(&d, &v, (ga_order)7));
  GpuArray_clear(&base);
  GpuArray_clear(&v);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(move_refuses_what_does_not_fit)
{
  gpucontext *two = test_context();
  GpuArray a = iota(ctx, GA_DIMS(2, 3)), b = iota(ctx, GA_DIMS(3, 2)), o = {0}, f = {0}, none = {0};
  FAILS(GA_VALUE_ERROR, "(2, 3)", GpuArray_move(&a, &b));
  FAILS(GA_VALUE_ERROR, "(3, 2)", GpuArray_move(&a, &b));
  FAILS(GA_VALUE_ERROR, "cleared", GpuArray_move(&a, &none));
  FAILS(GA_VALUE_ERROR, "cleared", GpuArray_move(&none, &a));
  OK(GpuArray_zeros(&o, two, GA_INT, GA_DIMS(2, 3), GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "different contexts", GpuArray_move(&a, &o));
  FAILS(GA_VALUE_ERROR, "different contexts", GpuArray_setarray(&a, &o));
  OK(GpuArray_transfer(&a, &o));
  OK(GpuArray_zeros(&f, ctx, GA_FLOAT2, GA_DIMS(2, 3), GA_C_ORDER));
  FAILS(GA_UNSUPPORTED_ERROR, "296", GpuArray_move(&a, &f));
  a.flags &= ~GA_WRITEABLE;
  FAILS(GA_VALUE_ERROR, "read-only", GpuArray_move(&a, &a));
  FAILS(GA_VALUE_ERROR, "read-only", GpuArray_transfer(&a, &o));
  GpuArray_clear(&o);
  GpuArray_clear(&f);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  gpucontext_deref(two);
}
END_TEST

START_TEST(types_without_arithmetic_copy_as_words)
{
  static const int codes[] = {GA_BYTE3, GA_FLOAT4, GA_SHORT3, GA_LONG3, GA_QUAD, GA_CQUAD};
  size_t size = gpuarray_get_elsize(codes[_i]), n = 12 * size;
  unsigned char x[12 * 32], y[12 * 32];
  GpuArray a = {0}, t = {0}, c = {0};
  for (size_t i = 0; i < n; i++) x[i] = (unsigned char)(i * 7 + 1);
  OK(GpuArray_fromhost(&a, ctx, codes[_i], GA_DIMS(3, 4), x));
  OK(GpuArray_transpose(&t, &a, NULL));
  OK(GpuArray_copy(&c, &t, GA_C_ORDER));
  OK(GpuArray_tohost(y, n, codes[_i], &c));
  for (size_t i = 0; i < 12; i++)
    ck_assert_int_eq(memcmp(y + i * size, x + (i % 3 * 4 + i / 3) * size, size), 0);
  GpuArray_clear(&c);
  GpuArray_clear(&t);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(overlapping_move_reads_first)
{
  GpuArray a = iota(ctx, GA_DIMS(10)), lo = {0}, hi = {0}, rev = {0};
  int x[10];
  OK(GpuArray_slice(&lo, &a, ":7"));
  OK(GpuArray_slice(&hi, &a, "3:"));
  OK(GpuArray_move(&hi, &lo));
  OK(GpuArray_tohost(x, sizeof x, GA_INT, &a));
  for (int i = 0; i < 10; i++) ck_assert_int_eq(x[i], i < 3 ? i : i - 3);
  OK(GpuArray_slice(&rev, &a, "::-1"));
  OK(GpuArray_move(&rev, &a));
  OK(GpuArray_tohost(x, sizeof x, GA_INT, &a));
  for (int i = 0; i < 10; i++) ck_assert_int_eq(x[9 - i], i < 3 ? i : i - 3);
  GpuArray_clear(&rev);
  GpuArray_clear(&lo);
  GpuArray_clear(&hi);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(setarray_repeats)
{
  GpuArray a = iota(ctx, GA_DIMS(2, 3)), row = iota(ctx, GA_DIMS(3)),
           col = iota(ctx, GA_DIMS(2, 1)), bad = iota(ctx, GA_DIMS(2));
  float x[6];
  OK(GpuArray_setarray(&a, &row));
  OK(GpuArray_tohost(x, sizeof x, GA_FLOAT, &a));
  for (int i = 0; i < 6; i++) ck_assert(x[i] == i % 3);
  OK(GpuArray_setarray(&a, &col));
  OK(GpuArray_tohost(x, sizeof x, GA_FLOAT, &a));
  for (int i = 0; i < 6; i++) ck_assert(x[i] == i / 3);
  FAILS(GA_VALUE_ERROR, "axis 0 has 2, expected 1 or 3", GpuArray_setarray(&a, &bad));
  FAILS(GA_VALUE_ERROR, "fewer axes", GpuArray_setarray(&row, &a));
  GpuArray_clear(&a);
  GpuArray_clear(&row);
  GpuArray_clear(&col);
  GpuArray_clear(&bad);
}
END_TEST

START_TEST(transfer_needs_one_order)
{
  GpuArray a = iota(ctx, GA_DIMS(2, 3)), f = {0}, d = {0}, s = {0};
  OK(GpuArray_copy(&f, &a, GA_F_ORDER));
  FAILS(GA_UNSUPPORTED_ERROR, "orders", GpuArray_transfer(&f, &a));
  OK(GpuArray_zeros(&d, ctx, GA_FLOAT, GA_DIMS(2, 3), GA_C_ORDER));
  FAILS(GA_UNSUPPORTED_ERROR, "typecode", GpuArray_transfer(&d, &a));
  OK(GpuArray_zeros(&s, ctx, GA_INT, GA_DIMS(3, 2), GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "(3, 2)", GpuArray_transfer(&s, &a));
  GpuArray_clear(&a);
  GpuArray_clear(&f);
  GpuArray_clear(&d);
  GpuArray_clear(&s);
}
END_TEST

START_TEST(concatenate_joins_along_an_axis)
{
  GpuArray a = iota(ctx, GA_DIMS(2, 3)), b = iota(ctx, GA_DIMS(2, 2)), e = iota(ctx, GA_DIMS(2, 0)),
           t = {0}, r = {0};
  const GpuArray *as[4] = {&a, &b, &e, &t};
  double x[20];
  OK(GpuArray_transpose(&t, &b, NULL));
  OK(GpuArray_concatenate(&r, as, 4, 1, GA_DOUBLE));
  ck_assert_uint_eq(r.dimensions[1], 7);
  OK(GpuArray_tohost(x, 14 * sizeof *x, GA_DOUBLE, &r));
  static const double want[14] = {0, 1, 2, 0, 1, 0, 2, 3, 4, 5, 2, 3, 1, 3};
  ck_assert_int_eq(memcmp(x, want, sizeof want), 0);
  GpuArray_clear(&r);
  FAILS(GA_VALUE_ERROR, "array 1 has shape (2, 2)", GpuArray_concatenate(&r, as, 2, 0, GA_INT));
  FAILS(GA_VALUE_ERROR, "axis 2", GpuArray_concatenate(&r, as, 2, 2, GA_INT));
  FAILS(GA_VALUE_ERROR, "nothing", GpuArray_concatenate(&r, as, 0, 0, GA_INT));
  FAILS(GA_VALUE_ERROR, "argument 5", GpuArray_concatenate(&r, as, 2, 1, GA_SIZE));
  as[1] = NULL;
  FAILS(GA_VALUE_ERROR, "array 1 of argument 2 is NULL",
        GpuArray_concatenate(&r, as, 2, 1, GA_INT));
  IS_ZEROED(r);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&e);
  GpuArray_clear(&t);
}
END_TEST

static const test_case cases[] = {CASE_LOOP(host_round_trip, 7),
                                  CASE(tohost_checks_its_arguments),
                                  CASE(tohost_packs_and_converts),
                                  CASE(memset_of_a_view_stays_inside_it),
                                  CASE_LOOP(move_converts_between_layouts, 10),
                                  CASE(move_refuses_what_does_not_fit),
                                  CASE_LOOP(types_without_arithmetic_copy_as_words, 6),
                                  CASE(overlapping_move_reads_first),
                                  CASE(setarray_repeats),
                                  CASE(transfer_needs_one_order),
                                  CASE(concatenate_joins_along_an_axis),
                                  CASE_END};

int main(void) { return test_main_with("array_copy", cases, open_context, close_context); }
