/* SPDX-License-Identifier: MIT */
/* GpuArray_maxandargmax against a loop, over lists of axes, types and layouts, and
 * what it refuses. What is asked of all of a row of short floats, or of any, where NaNs are. */
#include <math.h>

#include "tests/common.h"
#include "tests/device.h"

#include "gpuarray/arg.h"
#include "gpuarray/array.h"
#include "gpuarray/expr.h"
#include "gpuarray/ops.h"

static gpucontext *ctx;
static void open_context(void) { ctx = test_context(); }
static void close_context(void) { gpucontext_deref(ctx); }

enum { NX = 5, NY = 33, NZ = 7, N = NX * NY * NZ };
static const size_t dims[3] = {NX, NY, NZ};

static double values[N];

static GpuArray source(int typecode, int layout)
{
  static const unsigned int turn[3] = {2, 0, 1};
  GpuArray d = {0}, c = {0}, t = {0}, r = {0};
  for (int i = 0; i < N; i++) values[i] = i * 7919 % 101;
  OK(GpuArray_fromhost(&d, ctx, GA_DOUBLE, 3, dims, values));
  OK(GpuArray_cast(&c, &d, typecode));
  GpuArray_clear(&d);
  if (layout == 0) return c;
  /* The axes lie in another order in memory. */
  OK(GpuArray_transpose(&t, &c, turn));
  OK(GpuArray_copy(&d, &t, GA_C_ORDER));
  GpuArray_clear(&t);
  GpuArray_clear(&c);
  OK(GpuArray_transpose(&r, &d, (const unsigned int[3]){1, 2, 0}));
  GpuArray_clear(&d);
  return r;
}

static const struct {
  unsigned int n, axes[3];
} lists[] = {{1, {0}},    {1, {1}},    {1, {2}},       {2, {0, 1}},    {2, {1, 0}},   {2, {0, 2}},
             {2, {2, 0}}, {2, {1, 2}}, {3, {0, 1, 2}}, {3, {2, 0, 1}}, {3, {1, 2, 0}}};
enum { NLIST = sizeof lists / sizeof *lists };

/* The largest of what `at` of the kept axes leaves, and its place in the list. */
static void loop(unsigned int l, const size_t *at, double *max, int64_t *where)
{
  size_t n = 1;
  for (unsigned int i = 0; i < lists[l].n; i++) n *= dims[lists[l].axes[i]];
  for (size_t r = 0; r < n; r++) {
    size_t pos[3] = {at[0], at[1], at[2]}, rest = r;
    for (unsigned int i = lists[l].n; i-- > 0;) {
      pos[lists[l].axes[i]] = rest % dims[lists[l].axes[i]];
      rest /= dims[lists[l].axes[i]];
    }
    double x = values[(pos[0] * NY + pos[1]) * NZ + pos[2]];
    if (r == 0 || x > *max) {
      *max = x;
      *where = (int64_t)r;
    }
  }
}

static void check_list(unsigned int l, int typecode, int layout, int index)
{
  GpuArray s = source(typecode, layout), m = {0}, i = {0};
  size_t kept[3], nk = 0, n = 1, axis[3];
  double max[N];
  int64_t where[N];
  for (unsigned int k = 0; k < 3; k++) {
    int listed = 0;
    for (unsigned int j = 0; j < lists[l].n; j++) listed |= lists[l].axes[j] == k;
    if (listed) continue;
    axis[nk] = k;
    kept[nk++] = dims[k];
    n *= dims[k];
  }
  OK(GpuArray_empty(&m, ctx, typecode, (unsigned int)nk, kept, layout ? GA_F_ORDER : GA_C_ORDER));
  OK(GpuArray_empty(&i, ctx, index, (unsigned int)nk, kept, GA_C_ORDER));
  OK(GpuArray_maxandargmax(&m, &i, &s, lists[l].n, lists[l].axes));
  OK(GpuArray_tohost(max, n * sizeof *max, GA_DOUBLE, &m));
  OK(GpuArray_tohost(where, n * sizeof *where, GA_LONG, &i));
  for (size_t e = 0; e < n; e++) {
    size_t at[3] = {0, 0, 0}, rest = e;
    double want = 0;
    int64_t place = 0;
    for (size_t k = nk; k-- > 0;) {
      at[axis[k]] = rest % kept[k];
      rest /= kept[k];
    }
    loop(l, at, &want, &place);
    ck_assert_msg(max[e] == want && where[e] == place,
                  "list %u type %d layout %d element %zu: %g at %lld, expected %g at %lld", l,
                  typecode, layout, e, max[e], (long long)where[e], want, (long long)place);
  }
  GpuArray_clear(&i);
  GpuArray_clear(&m);
  GpuArray_clear(&s);
}

START_TEST(maxandargmax_matches_a_loop)
{
  static const int types[] = {GA_FLOAT, GA_DOUBLE, GA_HALF, GA_BYTE, GA_ULONG, GA_BFLOAT};
  for (int t = 0; t < (test_on_cpu() ? 6 : 2); t++)
    for (int layout = 0; layout < 2; layout++)
      check_list((unsigned int)_i, types[t], layout, layout ? GA_ULONG : GA_LONG);
}
END_TEST

START_TEST(maxandargmax_gives_the_first_nan)
{
  float x[4] = {1, NAN, 3, NAN}, max;
  int64_t at;
  unsigned int axis = 0;
  GpuArray s = {0}, m = {0}, i = {0};
  OK(GpuArray_fromhost(&s, ctx, GA_FLOAT, GA_DIMS(4), x));
  OK(GpuArray_empty(&m, ctx, GA_FLOAT, GA_DIMS(), GA_C_ORDER));
  OK(GpuArray_empty(&i, ctx, GA_LONG, GA_DIMS(), GA_C_ORDER));
  OK(GpuArray_maxandargmax(&m, &i, &s, 1, &axis));
  OK(GpuArray_read(&max, sizeof max, &m));
  OK(GpuArray_read(&at, sizeof at, &i));
  ck_assert(isnan(max));
  ck_assert_int_eq(at, 1);
  GpuArray_clear(&s);
  GpuArray_clear(&m);
  GpuArray_clear(&i);
}
END_TEST

START_TEST(maxandargmax_refuses_what_cannot_be)
{
  GpuArray s = {0}, m = {0}, i = {0}, none = {0}, wrong = {0}, zero = {0}, empty = {0};
  unsigned int axes[3] = {0, 1, 0}, far[1] = {2};
  OK(GpuArray_zeros(&s, ctx, GA_FLOAT, GA_DIMS(3, 4), GA_C_ORDER));
  OK(GpuArray_zeros(&m, ctx, GA_FLOAT, GA_DIMS(4), GA_C_ORDER));
  OK(GpuArray_zeros(&i, ctx, GA_LONG, GA_DIMS(4), GA_C_ORDER));
  OK(GpuArray_zeros(&zero, ctx, GA_FLOAT, GA_DIMS(), GA_C_ORDER));
  OK(GpuArray_zeros(&wrong, ctx, GA_INT, GA_DIMS(4), GA_C_ORDER));
  OK(GpuArray_zeros(&empty, ctx, GA_FLOAT, GA_DIMS(0, 4), GA_C_ORDER));
  FAILS(GA_INVALID_ERROR, "argument 1 is NULL", GpuArray_maxandargmax(NULL, &i, &s, 1, axes));
  FAILS(GA_INVALID_ERROR, "argument 2 is NULL", GpuArray_maxandargmax(&m, NULL, &s, 1, axes));
  FAILS(GA_INVALID_ERROR, "argument 3 is NULL", GpuArray_maxandargmax(&m, &i, NULL, 1, axes));
  FAILS(GA_INVALID_ERROR, "argument 5 is NULL", GpuArray_maxandargmax(&m, &i, &s, 1, NULL));
  FAILS(GA_INVALID_ERROR, "argument 3 is a cleared", GpuArray_maxandargmax(&m, &i, &none, 1, axes));
  FAILS(GA_INVALID_ERROR, "argument 4 is 0", GpuArray_maxandargmax(&m, &i, &s, 0, axes));
  FAILS(GA_INVALID_ERROR, "argument 4 is 3", GpuArray_maxandargmax(&m, &i, &s, 3, axes));
  axes[1] = 0;
  FAILS(GA_INVALID_ERROR, "axis 0 twice", GpuArray_maxandargmax(&m, &i, &s, 2, axes));
  FAILS(GA_INVALID_ERROR, "axis 2", GpuArray_maxandargmax(&m, &i, &s, 1, far));
  FAILS(GA_INVALID_ERROR, "0 axes", GpuArray_maxandargmax(&zero, &i, &zero, 1, axes));
  FAILS(GA_INVALID_ERROR, "typecode", GpuArray_maxandargmax(&i, &i, &s, 1, axes));
  FAILS(GA_INVALID_ERROR, "typecode", GpuArray_maxandargmax(&m, &wrong, &s, 1, axes));
  FAILS(GA_INVALID_ERROR, "shape", GpuArray_maxandargmax(&zero, &i, &s, 1, axes));
  FAILS(GA_VALUE_ERROR, "no elements", GpuArray_maxandargmax(&m, &i, &empty, 1, axes));
  m.flags &= ~GA_WRITEABLE;
  FAILS(GA_VALUE_ERROR, "read-only", GpuArray_maxandargmax(&m, &i, &s, 1, axes));
  m.flags |= GA_WRITEABLE;
  s.flags &= ~GA_ALIGNED;
  FAILS(GA_UNALIGNED_ERROR, "argument 3", GpuArray_maxandargmax(&m, &i, &s, 1, axes));
  GpuArray_clear(&s);
  GpuArray_clear(&m);
  GpuArray_clear(&i);
  GpuArray_clear(&zero);
  GpuArray_clear(&wrong);
  GpuArray_clear(&empty);
}
END_TEST

START_TEST(maxandargmax_of_kept_axes_of_no_extent_is_nothing)
{
  GpuArray s = {0}, m = {0}, i = {0};
  unsigned int axis = 1;
  OK(GpuArray_zeros(&s, ctx, GA_FLOAT, GA_DIMS(0, 4), GA_C_ORDER));
  OK(GpuArray_zeros(&m, ctx, GA_FLOAT, GA_DIMS(0), GA_C_ORDER));
  OK(GpuArray_zeros(&i, ctx, GA_LONG, GA_DIMS(0), GA_C_ORDER));
  OK(GpuArray_maxandargmax(&m, &i, &s, 1, &axis));
  GpuArray_clear(&s);
  GpuArray_clear(&m);
  GpuArray_clear(&i);
}
END_TEST

enum { ROWS = 6, ROW = 3000 };
/* A row of 1s, one of NaNs, and four with one other number among the 1s. */
static const float other[ROWS] = {1, NAN, NAN, INFINITY, -INFINITY, -0.0f};
static float asked[ROWS * ROW];

START_TEST(no_nan_is_more_or_less)
{
  static const int types[] = {GA_HALF, GA_BFLOAT};
  static const struct {
    const char *text;
    int want[ROWS];
  } asks[] = {
      {"any(a > 1, axis=1)", {0, 0, 0, 1, 0, 0}},   {"all(a > -1, axis=1)", {1, 0, 0, 1, 0, 1}},
      {"any(a < 1, axis=1)", {0, 0, 0, 0, 1, 1}},   {"all(a < 2, axis=1)", {1, 0, 0, 0, 1, 1}},
      {"any(1 >= a, axis=1)", {1, 0, 1, 1, 1, 1}},  {"all(0 <= a, axis=1)", {1, 0, 0, 1, 0, 1}},
      {"any(a.T > 1, axis=0)", {0, 0, 0, 1, 0, 0}}, {"all(a.T < 2, axis=0)", {1, 0, 0, 0, 1, 1}},
  };
  const size_t all[2] = {ROWS, ROW};
  GpuArray d = {0}, a = {0}, r = {0};
  unsigned char got[ROWS];
  for (int i = 0; i < ROWS * ROW; i++) asked[i] = 1;
  for (int i = 0; i < ROW; i++) asked[ROW + i] = NAN;
  for (int i = 2; i < ROWS; i++) asked[i * ROW + 1234 + i] = other[i];
  OK(GpuArray_fromhost(&d, ctx, GA_FLOAT, 2, all, asked));
  OK(GpuArray_cast(&a, &d, types[_i]));
  for (size_t k = 0; k < sizeof asks / sizeof *asks; k++) {
    OK(GpuArray_eval(&r, ctx, asks[k].text, GA_ARGS(ga_array("a", &a))));
    OK(GpuArray_read(got, sizeof got, &r));
    for (int i = 0; i < ROWS; i++)
      ck_assert_msg(got[i] == asks[k].want[i], "%s, row %d: %d", asks[k].text, i, got[i]);
    GpuArray_clear(&r);
  }
  GpuArray_clear(&a);
  GpuArray_clear(&d);
}
END_TEST

static const test_case cases[] = {CASE_LOOP(no_nan_is_more_or_less, 2),
                                  CASE_LOOP(maxandargmax_matches_a_loop, NLIST),
                                  CASE(maxandargmax_gives_the_first_nan),
                                  CASE(maxandargmax_refuses_what_cannot_be),
                                  CASE(maxandargmax_of_kept_axes_of_no_extent_is_nothing),
                                  CASE_END};

int main(void) { return test_main_with("extreme", cases, open_context, close_context); }
