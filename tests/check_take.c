/* SPDX-License-Identifier: MIT */
/* GpuArray_take1 against a loop, over layouts and types of index; what it
 * refuses; and its kernel where the device would not use it. GpuArray_fdump. */
#include "tests/arrays.h"
#include "tests/common.h"
#include "tests/device.h"

#include "gpuarray/arg.h"
#include "gpuarray/array.h"
#include "gpuarray/ops.h"
#include "lib/backend.h"
#include "lib/take.h"

static gpucontext *ctx;
static void open_context(void) { ctx = test_context(); }
static void close_context(void) { gpucontext_deref(ctx); }

enum { ROWS = 11, MOST = 1025 };

static GpuArray indices(int typecode, size_t n, int from_end, int64_t *values)
{
  GpuArray wide = {0}, i = {0};
  for (size_t k = 0; k < n; k++) {
    values[k] = (int64_t)(k * 7 % ROWS);
    if (from_end && k % 3 == 1) values[k] -= ROWS;
  }
  OK(GpuArray_fromhost(&wide, ctx, GA_LONG, GA_DIMS(n), values));
  OK(GpuArray_empty(&i, ctx, typecode, GA_DIMS(n), GA_C_ORDER));
  OK(GpuArray_move(&i, &wide));
  GpuArray_clear(&wide);
  return i;
}

/* a has rows of `inner` elements; row k must be row at[k] of `v`. */
static void expect_rows(const GpuArray *a, const GpuArray *v, const int64_t *at)
{
  size_t n = a->dimensions[0], inner = 1;
  for (unsigned int k = 1; k < a->nd; k++) inner *= a->dimensions[k];
  double *want = malloc(ROWS * inner * sizeof *want), *got = malloc(n * inner * sizeof *got + 1);
  OK(GpuArray_tohost(want, ROWS * inner * sizeof *want, GA_DOUBLE, v));
  OK(GpuArray_tohost(got, n * inner * sizeof *got, GA_DOUBLE, a));
  for (size_t k = 0; k < n; k++)
    for (size_t j = 0; j < inner; j++) {
      double w = want[(size_t)(at[k] < 0 ? at[k] + ROWS : at[k]) * inner + j];
      ck_assert_msg(got[k * inner + j] == w, "row %zu element %zu of %zu: %g, expected %g", k, j,
                    inner, got[k * inner + j], w);
    }
  free(want);
  free(got);
}

static const int index_types[] = {GA_BYTE, GA_UBYTE, GA_SHORT, GA_USHORT,
                                  GA_INT,  GA_UINT,  GA_LONG,  GA_ULONG};

START_TEST(take1_matches_a_loop_for_every_index_type)
{
  static const size_t sizes[] = {0, 1, 31, 33, 1023, MOST};
  int64_t at[MOST];
  GpuArray v = iota_of(ctx, GA_FLOAT, GA_DIMS(ROWS, 5));
  for (int s = 0; s < 6; s++) {
    GpuArray a = {0}, i = indices(index_types[_i], sizes[s], _i % 2 == 0, at);
    OK(GpuArray_empty(&a, ctx, GA_FLOAT, GA_DIMS(sizes[s], 5), GA_C_ORDER));
    OK(GpuArray_take1(&a, &v, &i, s % 2));
    expect_rows(&a, &v, at);
    GpuArray_clear(&a);
    GpuArray_clear(&i);
  }
  GpuArray_clear(&v);
}
END_TEST

static const char *const layouts[] = {"",           "::-1",      ":, ::2",
                                      ":, :, ::-1", ":, 1:, 1:", "::2, ::3, ::2"};

START_TEST(take1_reads_any_layout_and_converts)
{
  static const int types[] = {GA_BYTE, GA_HALF, GA_FLOAT, GA_CDOUBLE, GA_DOUBLE};
  int64_t at[40];
  for (int t = 0; t < 5; t++)
    for (int to = 0; to < 2; to++) {
      GpuArray all = {0}, base, v = {0}, a = {0}, i = indices(GA_INT, 40, 1, at);
      size_t dims[3];
      base = iota_of(ctx, GA_INT, GA_DIMS(_i == 5 ? 2 * ROWS : ROWS, 5, 4));
      OK(GpuArray_cast(&all, &base, types[t]));
      OK(GpuArray_slice(&v, &all, layouts[_i]));
      memcpy(dims, v.dimensions, sizeof dims);
      dims[0] = 40;
      OK(GpuArray_empty(&a, ctx, to && types[t] != GA_CDOUBLE ? GA_DOUBLE : types[t], 3, dims,
                        GA_C_ORDER));
      OK(GpuArray_take1(&a, &v, &i, 1));
      expect_rows(&a, &v, at);
      GpuArray_clear(&i);
      GpuArray_clear(&a);
      GpuArray_clear(&v);
      GpuArray_clear(&all);
      GpuArray_clear(&base);
    }
}
END_TEST

START_TEST(take1_moves_types_that_no_expression_has)
{
  GpuArray v = {0}, a = {0}, i = {0};
  float x[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}, got[2][4];
  int32_t at[2] = {2, -3};
  OK(GpuArray_fromhost(&v, ctx, GA_FLOAT4, GA_DIMS(3), x));
  OK(GpuArray_empty(&a, ctx, GA_FLOAT4, GA_DIMS(2), GA_C_ORDER));
  OK(GpuArray_fromhost(&i, ctx, GA_INT, GA_DIMS(2), at));
  OK(GpuArray_take1(&a, &v, &i, 1));
  OK(GpuArray_read(got, sizeof got, &a));
  ck_assert_mem_eq(got[0], x[2], sizeof got[0]);
  ck_assert_mem_eq(got[1], x[0], sizeof got[1]);
  GpuArray_clear(&i);
  GpuArray_clear(&a);
  GpuArray_clear(&v);
}
END_TEST

START_TEST(take1_from_itself_reads_first)
{
  GpuArray v = iota_of(ctx, GA_INT, GA_DIMS(4, 3)), i = {0};
  int32_t at[4] = {3, 2, 1, 0}, got[12];
  OK(GpuArray_fromhost(&i, ctx, GA_INT, GA_DIMS(4), at));
  OK(GpuArray_take1(&v, &v, &i, 1));
  OK(GpuArray_read(got, sizeof got, &v));
  for (int k = 0; k < 12; k++) ck_assert_int_eq(got[k], (3 - k / 3) * 3 + k % 3);
  GpuArray_clear(&i);
  GpuArray_clear(&v);
}
END_TEST

START_TEST(take1_tells_a_row_out_of_range_only_when_asked)
{
  static const int64_t bad[] = {ROWS, -ROWS - 1, INT64_MAX, INT64_MIN};
  for (int b = 0; b < 4; b++) {
    GpuArray v = iota_of(ctx, GA_INT, GA_DIMS(ROWS, 2)), a = {0}, i = {0}, none = {0}, empty = {0};
    int64_t at[3] = {1, bad[b], 2};
    int32_t got[6];
    OK(GpuArray_fromhost(&i, ctx, GA_LONG, GA_DIMS(3), at));
    OK(GpuArray_zeros(&a, ctx, GA_INT, GA_DIMS(3, 2), GA_C_ORDER));
    FAILS(GA_VALUE_ERROR, "Index out of bounds", GpuArray_take1(&a, &v, &i, 1));
    OK(GpuArray_memset(&a, 0));
    OK(GpuArray_take1(&a, &v, &i, 0));
    OK(GpuArray_read(got, sizeof got, &a));
    ck_assert_int_eq(got[0], 2);
    ck_assert_int_eq(got[2], 0); /* as it was */
    ck_assert_int_eq(got[5], 5);
    /* No elements: still a row that is not there. */
    OK(GpuArray_slice(&none, &v, ":, :0"));
    OK(GpuArray_empty(&empty, ctx, GA_INT, GA_DIMS(3, 0), GA_C_ORDER));
    FAILS(GA_VALUE_ERROR, "Index out of bounds", GpuArray_take1(&empty, &none, &i, 1));
    OK(GpuArray_take1(&empty, &none, &i, 0));
    GpuArray_clear(&none);
    GpuArray_clear(&empty);
    GpuArray_clear(&i);
    GpuArray_clear(&a);
    GpuArray_clear(&v);
  }
}
END_TEST

/* A row that stays keeps its bits, also where the type of `v` could not hold them. */
START_TEST(take1_leaves_rows_alone_when_it_converts)
{
  static const int types[] = {GA_BOOL, GA_BYTE, GA_INT, GA_CFLOAT};
  for (int t = 0; t < 4; t++) {
    GpuArray base = iota_of(ctx, GA_INT, GA_DIMS(2, 2)), v = {0}, a = {0}, i = {0};
    double x[6] = {0.1, -1e300, 7, 8, 1e-300, -2.5};
    int8_t at[3] = {2, -1, -3};
    OK(GpuArray_cast(&v, &base, types[t]));
    OK(GpuArray_fromhost(&a, ctx, GA_DOUBLE, GA_DIMS(3, 2), x));
    OK(GpuArray_fromhost(&i, ctx, GA_BYTE, GA_DIMS(3), at));
    OK(GpuArray_take1(&a, &v, &i, 0));
    double got[6];
    OK(GpuArray_read(got, sizeof got, &a));
    ck_assert_mem_eq(got, x, 2 * sizeof *x);
    ck_assert(got[2] == (t == 0 ? 1 : 2) && got[3] == (t == 0 ? 1 : 3));
    ck_assert_mem_eq(got + 4, x + 4, 2 * sizeof *x);
    GpuArray_clear(&i);
    GpuArray_clear(&a);
    GpuArray_clear(&v);
    GpuArray_clear(&base);
  }
}
END_TEST

START_TEST(take1_refuses_what_does_not_fit)
{
  GpuArray v = iota_of(ctx, GA_INT, GA_DIMS(4, 3)), i = iota_of(ctx, GA_INT, GA_DIMS(2)), a = {0},
           b = {0}, two = iota_of(ctx, GA_INT, GA_DIMS(2, 1)),
           real = iota_of(ctx, GA_FLOAT, GA_DIMS(2)), zero = {0};
  OK(GpuArray_empty(&a, ctx, GA_INT, GA_DIMS(2, 3), GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_take1(NULL, &v, &i, 1));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_take1(&a, NULL, &i, 1));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_take1(&a, &v, NULL, 1));
  FAILS(GA_VALUE_ERROR, "cleared", GpuArray_take1(&a, &zero, &i, 1));
  FAILS(GA_INVALID_ERROR, "2 axes, expected 1", GpuArray_take1(&a, &v, &two, 1));
  FAILS(GA_INVALID_ERROR, "integers", GpuArray_take1(&a, &v, &real, 1));
  FAILS(GA_INVALID_ERROR, "shape (2,)", GpuArray_take1(&i, &v, &i, 1));
  OK(GpuArray_empty(&b, ctx, GA_INT, GA_DIMS(3, 3), GA_C_ORDER));
  FAILS(GA_INVALID_ERROR, "3 rows, argument 3 2 numbers", GpuArray_take1(&b, &v, &i, 1));
  GpuArray_clear(&b);
  OK(GpuArray_empty(&b, ctx, GA_INT, GA_DIMS(2, 3), GA_F_ORDER));
  FAILS(GA_INVALID_ERROR, "C order", GpuArray_take1(&b, &v, &i, 1));
  a.flags &= ~GA_WRITEABLE;
  FAILS(GA_VALUE_ERROR, "read-only", GpuArray_take1(&a, &v, &i, 1));
  a.flags = (a.flags | GA_WRITEABLE) & ~GA_ALIGNED;
  FAILS(GA_UNALIGNED_ERROR, "argument 1", GpuArray_take1(&a, &v, &i, 1));
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&v);
  GpuArray_clear(&i);
  GpuArray_clear(&two);
  GpuArray_clear(&real);
}
END_TEST

/* The CPU device has loops of its own; what a GPU would run gives the same. */
START_TEST(take_kernel_agrees_with_the_device)
{
  int64_t at[100];
  GpuArray base = iota_of(ctx, GA_SHORT, GA_DIMS(ROWS, 6, 5)), v = {0}, a = {0}, i;
  gpudata *flag;
  uint32_t bad = 0;
  int err;
  i = indices(_i % 2 ? GA_UINT : GA_LONG, 100, _i % 2 == 0, at);
  OK(GpuArray_slice(&v, &base, _i < 2 ? ":, 1:4, ::2" : ""));
  OK(GpuArray_zeros(&a, ctx, GA_SHORT, GA_DIMS(100, v.dimensions[1], v.dimensions[2]), GA_C_ORDER));
  flag = gpudata_alloc(ctx, sizeof bad, &bad, GA_BUFFER_INIT, &err);
  ck_assert_ptr_nonnull(flag);
  ga_take t = {.r = a.data->ptr,
               .v = (char *)v.data->ptr + v.offset,
               .index = i.data->ptr,
               .bad = flag->ptr,
               .n = 100 * v.dimensions[1] * v.dimensions[2],
               .row = v.dimensions[1] * v.dimensions[2],
               .rows = ROWS,
               .step = v.strides[0],
               .dims = {(int64_t)v.dimensions[1], (int64_t)v.dimensions[2]},
               .steps = {v.strides[1], v.strides[2]},
               .nk = 2,
               .word = 2,
               .dtype = _i % 2 ? GA_DT_UINT32 : GA_DT_INT64,
               .wide = _i == 3};
  err = ga_take_kernel(ctx, &t, NULL);
  if (err != GA_LOAD_ERROR && err != GA_UNSUPPORTED_ERROR) { /* a compiler is there */
    ck_assert_msg(err == GA_NO_ERROR, "%s", gpuarray_error_message());
    expect_rows(&a, &v, at);
    OK(gpudata_read(&bad, flag, 0, sizeof bad));
    ck_assert_uint_eq(bad, 0);
    t.rows = 3;
    OK(ga_take_kernel(ctx, &t, NULL));
    OK(gpudata_read(&bad, flag, 0, sizeof bad));
    ck_assert_uint_eq(bad, 1);
  }
  gpudata_release(flag);
  GpuArray_clear(&i);
  GpuArray_clear(&a);
  GpuArray_clear(&v);
  GpuArray_clear(&base);
}
END_TEST

START_TEST(fdump_writes_every_type)
{
  static const struct {
    int typecode;
    const char *text;
  } all[] = {
      {GA_BOOL, "[1] = True\n"},  {GA_BYTE, "[1] = 1\n"},        {GA_UBYTE, "[1] = 1\n"},
      {GA_SHORT, "[1] = 1\n"},    {GA_USHORT, "[1] = 1\n"},      {GA_INT, "[1] = 1\n"},
      {GA_UINT, "[1] = 1\n"},     {GA_LONG, "[1] = 1\n"},        {GA_ULONG, "[1] = 1\n"},
      {GA_HALF, "[1] = 1.0\n"},   {GA_BFLOAT, "[1] = 1.0\n"},    {GA_FLOAT, "[1] = 1.0\n"},
      {GA_DOUBLE, "[1] = 1.0\n"}, {GA_CFLOAT, "[1] = (1+0j)\n"}, {GA_CDOUBLE, "[1] = (1+0j)\n"},
  };
  GpuArray a = {0}, d = {0}, v = {0};
  float x[4] = {0, 1, 2.5f, -3};
  char *text = NULL;
  size_t len;
  OK(GpuArray_arange(&a, ctx, GA_INT, 0, 2, 1));
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    FILE *fd = open_memstream(&text, &len);
    OK(GpuArray_cast(&d, &a, all[k].typecode));
    OK(GpuArray_fdump(fd, &d));
    GpuArray_fprintf(fd, &d);
    fclose(fd);
    ck_assert_msg(strstr(text, all[k].text) != NULL, "%d: %s", all[k].typecode, text);
    free(text);
    GpuArray_clear(&d);
  }
  FILE *fd = open_memstream(&text, &len);
  OK(GpuArray_fromhost(&v, ctx, GA_FLOAT2, GA_DIMS(2), x));
  OK(GpuArray_fdump(fd, &v));
  GpuArray_clear(&v);
  OK(GpuArray_fromhost(&v, ctx, GA_LONGLONG, GA_DIMS(1), x));
  OK(GpuArray_fdump(fd, &v));
  GpuArray_clear(&v);
  fclose(fd);
  ck_assert_ptr_nonnull(strstr(text, "[0] = (0.0, 1.0)\n[1] = (2.5, -3.0)\n"));
  ck_assert_ptr_nonnull(strstr(text, "[0] = 0xc0400000402000003f80000000000000\n"));
  free(text);
  GpuArray_clear(&a);
}
END_TEST

static const test_case cases[] = {CASE_LOOP(take1_matches_a_loop_for_every_index_type, 8),
                                  CASE_LOOP(take1_reads_any_layout_and_converts, 6),
                                  CASE(take1_moves_types_that_no_expression_has),
                                  CASE(take1_from_itself_reads_first),
                                  CASE(take1_tells_a_row_out_of_range_only_when_asked),
                                  CASE(take1_leaves_rows_alone_when_it_converts),
                                  CASE(take1_refuses_what_does_not_fit),
                                  CASE_LOOP(take_kernel_agrees_with_the_device, 4),
                                  CASE(fdump_writes_every_type),
                                  CASE_END};

int main(void) { return test_main_with("take", cases, open_context, close_context); }
