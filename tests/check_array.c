/* SPDX-License-Identifier: MIT */
/* Arrays made, viewed and described; and what they refuse. */
#include <math.h>
#include <stdint.h>

#include "tests/arrays.h"
#include "tests/device.h"

#include "gpuarray/expr.h"
#include "gpuarray/types.h"

static gpucontext *ctx;

static void open_context(void) { ctx = test_context(); }
static void close_context(void) { gpucontext_deref(ctx); }

START_TEST(empty_has_extents_strides_and_flags)
{
  GpuArray a = {0};
  OK(GpuArray_empty(&a, ctx, GA_DOUBLE, GA_DIMS(2, 3, 4), GA_C_ORDER));
  ck_assert_uint_eq(a.nd, 3);
  ck_assert_int_eq(a.strides[0], 96);
  ck_assert_int_eq(a.strides[2], 8);
  ck_assert_int_eq(a.flags, GA_CARRAY);
  ck_assert_uint_eq(a.offset, 0);
  ck_assert_ptr_eq(GpuArray_context(&a), ctx);
  GpuArray_clear(&a);
  IS_ZEROED(a);
  OK(GpuArray_empty(&a, ctx, GA_DOUBLE, GA_DIMS(2, 3), GA_F_ORDER));
  ck_assert_int_eq(a.strides[0], 8);
  ck_assert_int_eq(a.strides[1], 16);
  ck_assert_int_eq(a.flags, GA_FARRAY);
  ck_assert_int_ne(GpuArray_ISFORTRAN(&a), 0);
  GpuArray_clear(&a);
  OK(GpuArray_empty(&a, ctx, GA_BYTE, 0, NULL, GA_ANY_ORDER));
  ck_assert_int_eq(a.flags, GA_CARRAY | GA_FARRAY);
  GpuArray_clear(&a);
  GpuArray_clear(&a);
  GpuArray_clear(NULL);
}
END_TEST

START_TEST(empty_refuses_what_cannot_be)
{
  GpuArray a;
  size_t many[65];
  for (int i = 0; i < 65; i++) many[i] = 1;
  FAILS(GA_VALUE_ERROR, "GA_SIZE", GpuArray_empty(&a, ctx, GA_SIZE, GA_DIMS(2), GA_C_ORDER));
  IS_ZEROED(a);
  FAILS(GA_VALUE_ERROR, "GA_SSIZE", GpuArray_empty(&a, ctx, GA_SSIZE, GA_DIMS(2), GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "-1", GpuArray_empty(&a, ctx, GA_BUFFER, GA_DIMS(2), GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "18", GpuArray_empty(&a, ctx, 18, GA_DIMS(2), GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "ga_order", GpuArray_empty(&a, ctx, GA_INT, GA_DIMS(2), (ga_order)7));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_empty(&a, ctx, GA_INT, 1, NULL, GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_empty(&a, NULL, GA_INT, GA_DIMS(2), GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_empty(NULL, ctx, GA_INT, GA_DIMS(2), GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "65", GpuArray_empty(&a, ctx, GA_INT, 65, many, GA_C_ORDER));
  OK(GpuArray_empty(&a, ctx, GA_INT, 64, many, GA_C_ORDER));
  GpuArray_clear(&a);
}
END_TEST

START_TEST(sizes_that_overflow_are_refused)
{
  GpuArray a;
  size_t half = (size_t)1 << 32, top = (size_t)1 << 63;
  FAILS(GA_XLARGE_ERROR, "overflows",
        GpuArray_empty(&a, ctx, GA_BYTE, GA_DIMS(half, half), GA_C_ORDER));
  FAILS(GA_XLARGE_ERROR, "overflows", GpuArray_empty(&a, ctx, GA_BYTE, GA_DIMS(top), GA_C_ORDER));
  FAILS(GA_XLARGE_ERROR, "overflows",
        GpuArray_zeros(&a, ctx, GA_BYTE, GA_DIMS(half, half, half, half), GA_C_ORDER));
  FAILS(GA_XLARGE_ERROR, "overflows",
        GpuArray_empty(&a, ctx, GA_DOUBLE, GA_DIMS(top >> 3), GA_F_ORDER));
  FAILS(GA_XLARGE_ERROR, "overflows",
        GpuArray_empty(&a, ctx, GA_BYTE, GA_DIMS(0, half, half), GA_C_ORDER));
  FAILS(GA_XLARGE_ERROR, "overflows",
        GpuArray_fromhost(&a, ctx, GA_INT, GA_DIMS((size_t)-1), &half));
  FAILS(GA_XLARGE_ERROR, "overflows", GpuArray_full(&a, ctx, GA_INT, GA_DIMS(half, half), 1));
  IS_ZEROED(a);
  FAILS(GA_MEMORY_ERROR, "", GpuArray_empty(&a, ctx, GA_BYTE, GA_DIMS(top - 1), GA_C_ORDER));
  IS_ZEROED(a);
}
END_TEST

START_TEST(zero_dimensions_hold_one_number)
{
  GpuArray a = {0};
  float x = 2.5f;
  double d = 0;
  OK(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(), &x));
  OK(GpuArray_tohost(&d, sizeof d, GA_DOUBLE, &a));
  ck_assert(d == 2.5);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(fromdata_shares_and_checks)
{
  GpuArray a = iota(ctx, GA_DIMS(10)), v = {0};
  unsigned int n = 0;
  ssize_t back[1] = {-4}, wide[2] = {20, 4};
  OK(GpuArray_fromdata(&v, a.data, 36, GA_INT, GA_DIMS(10), back, 0));
  OK(gpudata_property(a.data, GA_BUFFER_PROP_REFCNT, &n));
  ck_assert_uint_eq(n, 2);
  ck_assert_int_eq(GpuArray_ISWRITEABLE(&v), 0);
  ck_assert_int_eq(v.flags, GA_ALIGNED);
  int x[10];
  OK(GpuArray_tohost(x, sizeof x, GA_INT, &v));
  for (int i = 0; i < 10; i++) ck_assert_int_eq(x[i], 9 - i);
  GpuArray_clear(&v);
  OK(gpudata_property(a.data, GA_BUFFER_PROP_REFCNT, &n));
  ck_assert_uint_eq(n, 1);
  FAILS(GA_VALUE_ERROR, "40 bytes",
        GpuArray_fromdata(&v, a.data, 32, GA_INT, GA_DIMS(10), back, 1));
  FAILS(GA_VALUE_ERROR, "40 bytes", GpuArray_fromdata(&v, a.data, 4, GA_INT, GA_DIMS(10), NULL, 1));
  FAILS(GA_VALUE_ERROR, "40 bytes",
        GpuArray_fromdata(&v, a.data, 0, GA_INT, GA_DIMS(2, 6), wide, 1));
  FAILS(GA_VALUE_ERROR, "40 bytes",
        GpuArray_fromdata(&v, a.data, 41, GA_BYTE, GA_DIMS(0), NULL, 1));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_fromdata(&v, NULL, 0, GA_INT, GA_DIMS(1), NULL, 1));
  FAILS(GA_VALUE_ERROR, "GA_SIZE", GpuArray_fromdata(&v, a.data, 0, GA_SIZE, GA_DIMS(1), NULL, 1));
  IS_ZEROED(v);
  ssize_t huge[2] = {(ssize_t)((size_t)-1 >> 1), 4};
  FAILS(GA_XLARGE_ERROR, "overflows",
        GpuArray_fromdata(&v, a.data, 0, GA_INT, GA_DIMS(3, 1), huge, 1));
  OK(GpuArray_fromdata(&v, a.data, 2, GA_INT, GA_DIMS(9), NULL, 1));
  ck_assert_int_eq(GpuArray_ISALIGNED(&v), 0);
  FAILS(GA_UNALIGNED_ERROR, "argument 4", GpuArray_tohost(x, 72, GA_DOUBLE, &v));
  GpuArray_clear(&v);
  OK(GpuArray_fromdata(&v, a.data, 0, GA_BYTE3, GA_DIMS(13), NULL, 1));
  ck_assert_int_ne(GpuArray_ISALIGNED(&v), 0);
  GpuArray_clear(&v);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(type_without_alignment_is_aligned)
{
  static gpuarray_type odd = {"odd", 5, 0, 0};
  GpuArray a = {0};
  int code = gpuarray_register_type(&odd, NULL);
  OK(GpuArray_zeros(&a, ctx, code, GA_DIMS(7), GA_C_ORDER));
  ck_assert_int_ne(GpuArray_ISALIGNED(&a), 0);
  ck_assert_uint_eq(GpuArray_ITEMSIZE(&a), 5);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(view_shares_the_elements)
{
  GpuArray a = iota(ctx, GA_DIMS(3)), v = {0}, none = {0};
  int x[3];
  OK(GpuArray_view(&v, &a));
  OK(GpuArray_memset(&v, 0));
  OK(GpuArray_tohost(x, sizeof x, GA_INT, &a));
  ck_assert_int_eq(x[2], 0);
  ck_assert_int_eq(GpuArray_share(&a, &v), 1);
  ck_assert_int_eq(GpuArray_share(&a, &none), 0);
  ck_assert_int_eq(GpuArray_share(NULL, &a), 0);
  FAILS(GA_VALUE_ERROR, "one array", GpuArray_view(&a, &a));
  FAILS(GA_VALUE_ERROR, "cleared", GpuArray_view(&none, &(GpuArray){0}));
  GpuArray_clear(&a);
  OK(GpuArray_tohost(x, sizeof x, GA_INT, &v));
  GpuArray_clear(&v);
}
END_TEST

START_TEST(device_address_includes_the_offset)
{
  GpuArray a = iota(ctx, GA_DIMS(10)), v = {0}, none = {0};
  void *p = NULL, *q = NULL;
  OK(GpuArray_slice(&v, &a, "3:"));
  OK(GpuArray_devptr(&p, &a));
  OK(GpuArray_devptr(&q, &v));
  ck_assert_ptr_eq((char *)p + 12, q);
  ck_assert_ptr_eq(*(void **)a.data, p); /* the first word of a buffer is its address */
  FAILS(GA_VALUE_ERROR, "cleared", GpuArray_devptr(&p, &none));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_devptr(NULL, &a));
  GpuArray_clear(&v);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(full_has_one_value)
{
  GpuArray a = {0};
  signed char b[12];
  float f[3];
  OK(GpuArray_full(&a, ctx, GA_BYTE, GA_DIMS(3, 4), -7));
  OK(GpuArray_read(b, 12, &a));
  for (int i = 0; i < 12; i++) ck_assert_int_eq(b[i], -7);
  GpuArray_clear(&a);
  OK(GpuArray_full(&a, ctx, GA_HALF, GA_DIMS(3), 0.1));
  OK(GpuArray_tohost(f, sizeof f, GA_FLOAT, &a));
  ck_assert(f[2] == 0.0999755859375f);
  GpuArray_clear(&a);
  OK(GpuArray_full(&a, ctx, GA_CDOUBLE, GA_DIMS(), NAN));
  GpuArray_clear(&a);
  OK(GpuArray_full(&a, ctx, GA_BOOL, GA_DIMS(0, 5), 1));
  GpuArray_clear(&a);
  FAILS(GA_UNSUPPORTED_ERROR, "296", GpuArray_full(&a, ctx, GA_FLOAT2, GA_DIMS(2), 1));
  IS_ZEROED(a);
}
END_TEST

START_TEST(arange_is_numpys)
{
  GpuArray a = {0};
  int i4[8];
  float f[16];
  double d[16];
  OK(GpuArray_arange(&a, ctx, GA_INT, 3, 10, 2));
  ck_assert_uint_eq(a.dimensions[0], 4);
  OK(GpuArray_tohost(i4, 16, GA_INT, &a));
  ck_assert(i4[0] == 3 && i4[3] == 9);
  GpuArray_clear(&a);
  OK(GpuArray_arange(&a, ctx, GA_DOUBLE, 1, 0, -0.1));
  ck_assert_uint_eq(a.dimensions[0], 10);
  OK(GpuArray_tohost(d, 80, GA_DOUBLE, &a));
  for (int i = 0; i < 10; i++) ck_assert(d[i] == 1 + i * ((1 - 0.1) - 1));
  GpuArray_clear(&a);
  OK(GpuArray_arange(&a, ctx, GA_FLOAT, 0, 1, 0.1));
  OK(GpuArray_tohost(f, 40, GA_FLOAT, &a));
  for (int i = 0; i < 10; i++) ck_assert(f[i] == (float)i * 0.1f);
  GpuArray_clear(&a);
  OK(GpuArray_arange(&a, ctx, GA_HALF, 0, 1, 0.3));
  OK(GpuArray_tohost(f, 16, GA_FLOAT, &a));
  ck_assert(f[2] == 0.60009765625f && f[3] == 0.900390625f); /* from 0.30004883 */
  GpuArray_clear(&a);
  OK(GpuArray_arange(&a, ctx, GA_UBYTE, 250, 260, 1)); /* wraps around */
  unsigned char u[10];
  OK(GpuArray_tohost(u, 10, GA_UBYTE, &a));
  ck_assert_int_eq(u[9], 3);
  GpuArray_clear(&a);
  OK(GpuArray_arange(&a, ctx, GA_INT, 0, 5, 0.5)); /* both first values are 0 */
  ck_assert_uint_eq(a.dimensions[0], 10);
  OK(GpuArray_tohost(d, 80, GA_DOUBLE, &a));
  ck_assert(d[9] == 0);
  GpuArray_clear(&a);
  OK(GpuArray_arange(&a, ctx, GA_FLOAT, 5, 0, 1));
  ck_assert_uint_eq(a.dimensions[0], 0);
  GpuArray_clear(&a);
  OK(GpuArray_arange(&a, ctx, GA_BOOL, 0, 2, 1));
  GpuArray_clear(&a);
  OK(GpuArray_arange(&a, ctx, GA_LONG, 0, 200001, 1)); /* several pieces */
  long long last;
  GpuArray v = {0};
  OK(GpuArray_slice(&v, &a, "-1"));
  OK(GpuArray_tohost(&last, 8, GA_LONG, &v));
  ck_assert_int_eq(last, 200000);
  GpuArray_clear(&v);
  GpuArray_clear(&a);
  FAILS(GA_VALUE_ERROR, "step", GpuArray_arange(&a, ctx, GA_INT, 0, 1, 0));
  FAILS(GA_VALUE_ERROR, "number of elements", GpuArray_arange(&a, ctx, GA_INT, 0, NAN, 1));
  FAILS(GA_VALUE_ERROR, "number of elements", GpuArray_arange(&a, ctx, GA_INT, 0, INFINITY, 1));
  FAILS(GA_XLARGE_ERROR, "elements", GpuArray_arange(&a, ctx, GA_INT, 0, 1e19, 1));
  FAILS(GA_VALUE_ERROR, "bools", GpuArray_arange(&a, ctx, GA_BOOL, 0, 3, 1));
  FAILS(GA_VALUE_ERROR, "do not fit", GpuArray_arange(&a, ctx, GA_INT, 1e20, 1e20 + 1e5, 65536));
  FAILS(GA_VALUE_ERROR, "296", GpuArray_arange(&a, ctx, GA_FLOAT2, 0, 1, 1));
  IS_ZEROED(a);
}
END_TEST

/* Element i of a range of `t` from `start` by `step`, as a double; halves as floats. */
static double spaced(int t, double start, double step, size_t i)
{
  if (t == GA_UBYTE) return (unsigned char)((long long)start + (long long)i * (long long)step);
  if (t == GA_FLOAT || t == GA_CFLOAT) return (float)start + (float)i * (float)step;
  return start + (double)i * step;
}

/* What is long is made on the device but for its first elements and its last. */
START_TEST(long_ranges_are_as_short_ones)
{
  static const struct {
    int type;
    double start, step;
  } rows[] = {{GA_LONG, -5, 3},     {GA_UBYTE, 250, 7}, {GA_FLOAT, 0.5, 0.25},
              {GA_DOUBLE, -1, 0.1}, {GA_CFLOAT, 3, -2}, {GA_INT, 7, 0}};
  const size_t n = (1 << 20) + 70001;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const int t = rows[k].type;
    const double start = rows[k].start, step = t == GA_INT ? 0.25 : rows[k].step;
    const double by = t == GA_DOUBLE ? (start + step) - start : rows[k].step;
    GpuArray a = {0}, x = {0};
    double *d = malloc(n * sizeof *d);
    OK(GpuArray_arange(&a, ctx, t, start, start + step * ((double)n - 0.5), step));
    ck_assert_uint_eq(a.dimensions[0], n);
    OK(GpuArray_eval(&x, ctx, t == GA_CFLOAT ? "real(a)" : "a", GA_ARGS(ga_array("a", &a))));
    OK(GpuArray_tohost(d, n * sizeof *d, GA_DOUBLE, &x));
    for (size_t i = 0; i < n; i++)
      if (d[i] != spaced(t, start, by, i))
        ck_abort_msg("type %d, element %zu: %.17g for %.17g", t, i, d[i], spaced(t, start, by, i));
    free(d);
    GpuArray_clear(&x);
    GpuArray_clear(&a);
  }
  GpuArray a = {0}, v = {0};
  unsigned long long u;
  float f;
  OK(GpuArray_arange(&a, ctx, GA_ULONG, 9223372036854775808.0, 9223372036854775808.0 + 4096e6,
                     2048));
  OK(GpuArray_slice(&v, &a, "1999998"));
  OK(GpuArray_tohost(&u, 8, GA_ULONG, &v));
  ck_assert(u == (1ull << 63) + 1999998ull * 2048);
  GpuArray_clear(&v);
  GpuArray_clear(&a);
  OK(GpuArray_arange(&a, ctx, GA_HALF, -0.0, 1200000, 1));
  OK(GpuArray_slice(&v, &a, "1100001"));
  OK(GpuArray_tohost(&f, 4, GA_FLOAT, &v));
  ck_assert(isinf(f));
  GpuArray_clear(&v);
  OK(GpuArray_slice(&v, &a, "0"));
  OK(GpuArray_tohost(&f, 4, GA_FLOAT, &v));
  ck_assert(f == 0 && signbit(f));
  GpuArray_clear(&v);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(empty_like_keeps_the_order_of_axes)
{
  GpuArray a = iota(ctx, GA_DIMS(2, 3, 4)), t = {0}, r = {0};
  static const unsigned int axes[3] = {2, 0, 1};
  OK(GpuArray_transpose(&t, &a, axes)); /* (4, 2, 3), axis 0 fastest */
  OK(GpuArray_empty_like(&r, &t));
  ck_assert_int_eq(r.strides[0], 4);
  ck_assert_int_eq(r.strides[1], 48);
  ck_assert_int_eq(r.strides[2], 16);
  ck_assert_int_eq(r.typecode, GA_INT);
  GpuArray_clear(&r);
  OK(GpuArray_slice(&r, &a, "::-1, ::2, ::-3"));
  GpuArray_clear(&t);
  OK(GpuArray_empty_like(&t, &r)); /* gaps and signs go */
  ck_assert_int_ne(GpuArray_IS_C_CONTIGUOUS(&t), 0);
  GpuArray_clear(&t);
  GpuArray_clear(&r);
  OK(GpuArray_broadcast_to(&r, &a, GA_DIMS(5, 2, 3, 4)));
  OK(GpuArray_empty_like(&t, &r));
  ck_assert_int_ne(GpuArray_IS_C_CONTIGUOUS(&t), 0);
  ck_assert_int_ne(GpuArray_ISWRITEABLE(&t), 0);
  GpuArray_clear(&t);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(description_and_dump_are_text)
{
  GpuArray a = iota(ctx, GA_DIMS(2, 2)), l = {0};
  char *text = NULL;
  size_t len;
  FILE *fd = open_memstream(&text, &len);
  GpuArray_fprintf(fd, &a);
  GpuArray_fprintf(fd, NULL);
  GpuArray_fprintf(NULL, &a);
  OK(GpuArray_arange(&l, ctx, GA_LONG, -1, 1, 1));
  OK(GpuArray_fdump(fd, &l));
  OK(GpuArray_fdump(fd, &a));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_fdump(NULL, &l));
  fclose(fd);
  ck_assert_ptr_nonnull(strstr(text, "nd=2"));
  ck_assert_ptr_nonnull(strstr(text, "C_CONTIGUOUS ALIGNED WRITEABLE"));
  ck_assert_ptr_nonnull(strstr(text, "[0] = -1\n[1] = 0\n"));
  free(text);
  GpuArray_clear(&l);
  GpuArray_clear(&a);
}
END_TEST

static const test_case cases[] = {CASE(empty_has_extents_strides_and_flags),
                                  CASE(empty_refuses_what_cannot_be),
                                  CASE(sizes_that_overflow_are_refused),
                                  CASE(zero_dimensions_hold_one_number),
                                  CASE(fromdata_shares_and_checks),
                                  CASE(type_without_alignment_is_aligned),
                                  CASE(view_shares_the_elements),
                                  CASE(device_address_includes_the_offset),
                                  CASE(full_has_one_value),
                                  CASE(arange_is_numpys),
                                  CASE(long_ranges_are_as_short_ones),
                                  CASE(empty_like_keeps_the_order_of_axes),
                                  CASE(description_and_dump_are_text),
                                  CASE_END};

int main(void) { return test_main_with("array", cases, open_context, close_context); }
