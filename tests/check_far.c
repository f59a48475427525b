/* SPDX-License-Identifier: MIT */
/* Arrays past 2^32 elements and bytes through libgpuarray's functions: GpuElemwise,
 * take1, memset, concatenate, copies, maxandargmax, reductions, BLAS. On a GPU with
 * the memory for it; skipped (77) on others and on the CPU device.
 *
 * Element (i, j) of a test array is i*COLS + j, kept modulo 2^32, so that one from
 * a wrong place shows. */
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/device.h"

#include "gpuarray.h"
#include "gpuarray/blas.h"
#include "gpuarray/elemwise.h"

#define ROWS   ((size_t)65536)
#define COLS   ((size_t)65543) /* ROWS * COLS is 2^32 + 458752 */
#define NEEDED ((size_t)70 << 30)

static gpucontext *ctx;
static GpuArray rows, cols; /* (ROWS, 1) and (COLS) of uint32 */

/* Asked in a process of its own: the driver does not survive a fork. */
static int has_memory(void)
{
  int status = 1;
  pid_t pid = fork();
  if (pid == 0) {
    size_t avail = 0;
    if (gpucontext_init(&ctx, test_device(), NULL) == GA_NO_ERROR)
      gpucontext_property(ctx, GA_CTX_PROP_FREE_GMEM, &avail);
    _exit(avail < NEEDED);
  }
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && status == 0;
}

static void begin(void)
{
  GpuArray flat = {0};
  OK(gpucontext_init(&ctx, test_device(), NULL));
  OK(GpuArray_arange(&flat, ctx, GA_UINT, 0, (double)ROWS, 1));
  OK(GpuArray_reshape(&rows, &flat, GA_DIMS(ROWS, 1), GA_C_ORDER, 1));
  GpuArray_clear(&flat);
  OK(GpuArray_arange(&cols, ctx, GA_UINT, 0, (double)COLS, 1));
}

static void end(void)
{
  GpuArray_clear(&rows);
  GpuArray_clear(&cols);
  gpucontext_deref(ctx);
}

/* What `text` of a, b, the rows R and the columns C gives: an array, or a number. */
static GpuArray eval(const char *text, const GpuArray *a, const GpuArray *b)
{
  GpuArray r = {0};
  gpuarg args[4] = {ga_array("R", &rows), ga_array("C", &cols)};
  unsigned int n = 2;
  if (a != NULL) args[n++] = ga_array("a", a);
  if (b != NULL) args[n++] = ga_array("b", b);
  OK(GpuArray_eval(&r, ctx, text, n, args));
  return r;
}

static int64_t number(const char *text, const GpuArray *a, const GpuArray *b)
{
  GpuArray r = eval(text, a, b);
  int64_t x = -1;
  OK(GpuArray_tohost(&x, sizeof x, GA_LONG, &r));
  GpuArray_clear(&r);
  return x;
}

#define VALUES "(R*uint32(65543) + C)"
/* 0 for every element, or how many are wrong. */
#define RIGHT(text, a, b) ck_assert_int_eq(number("sum(" text ")", a, b), 0)

static GpuArray zeros(int typecode, unsigned int nd, const size_t *dims)
{
  GpuArray a = {0};
  OK(GpuArray_zeros(&a, ctx, typecode, nd, dims, GA_C_ORDER));
  return a;
}

/* ---- elementwise ----------------------------------------------------------------- */

static GpuElemwise *ge_double(void)
{
  gpuelemwise_arg args[2] = {{"a", GA_UINT, GE_READ}, {"r", GA_UINT, GE_WRITE}};
  GpuElemwise *ge = GpuElemwise_new(ctx, NULL, "r = 2*a + 1", 2, args, 2, 0);
  ck_assert_msg(ge != NULL, "%s", gpuarray_error_message());
  return ge;
}

START_TEST(elemwise_without_gaps)
{
  GpuArray a = eval(VALUES, NULL, NULL), r = zeros(GA_UINT, GA_DIMS(ROWS, COLS));
  GpuElemwise *ge = ge_double();
  OK(GpuElemwise_call(ge, (void *[]){&a, &r}, 0));
  RIGHT("a != 2*" VALUES " + uint32(1)", &r, NULL);
  OK(GpuArray_memset(&r, 0));
  OK(GpuElemwise_call(ge, (void *[]){&a, &r}, GE_NOCOLLAPSE));
  RIGHT("a != 2*" VALUES " + uint32(1)", &r, NULL);
  GpuElemwise_free(ge);
  GpuArray_clear(&a);
  GpuArray_clear(&r);
}
END_TEST

/* Steps, reversed axes, transposes, and elements that are not aligned to vectors. */
START_TEST(elemwise_of_every_layout)
{
  static const char *const specs[] = {":, ::3", "::-1, ::-1", "1:, 1:", "::3", ":, 5:6"};
  GpuArray a = eval(VALUES, NULL, NULL), r = zeros(GA_UINT, GA_DIMS(ROWS, COLS));
  GpuElemwise *ge = ge_double();
  for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
    GpuArray va = {0}, vr = {0};
    OK(GpuArray_slice(&va, &a, specs[s]));
    OK(GpuArray_slice(&vr, &r, specs[s]));
    OK(GpuElemwise_call(ge, (void *[]){&va, &vr}, 0));
    RIGHT("b != 2*a + uint32(1)", &va, &vr);
    OK(GpuArray_transpose_inplace(&va, NULL));
    OK(GpuArray_transpose_inplace(&vr, NULL));
    OK(GpuArray_memset(&r, 0));
    OK(GpuElemwise_call(ge, (void *[]){&va, &vr}, 0));
    RIGHT("b != 2*a + uint32(1)", &va, &vr);
    OK(GpuArray_memset(&r, 0));
    GpuArray_clear(&va);
    GpuArray_clear(&vr);
  }
  GpuElemwise_free(ge);
  GpuArray_clear(&a);
  GpuArray_clear(&r);
}
END_TEST

START_TEST(elemwise_broadcasts)
{
  gpuelemwise_arg args[3] = {
      {"x", GA_UINT, GE_READ}, {"y", GA_UINT, GE_READ}, {"r", GA_UINT, GE_WRITE}};
  GpuArray r = zeros(GA_UINT, GA_DIMS(ROWS, COLS));
  GpuElemwise *ge = GpuElemwise_new(ctx, NULL, "r = x * 65543u + y", 3, args, 2, 0);
  ck_assert_msg(ge != NULL, "%s", gpuarray_error_message());
  OK(GpuElemwise_call(ge, (void *[]){&rows, &cols, &r}, GE_BROADCAST | GE_PADSHAPE));
  RIGHT("a != " VALUES, &r, NULL);
  GpuElemwise_free(ge);
  ge = GpuElemwise_new(ctx, NULL, "r = x * 65543u + y", 3, args, 2, GE_NOADDR64);
  FAILS(GA_XLARGE_ERROR, "64-bit",
        GpuElemwise_call(ge, (void *[]){&rows, &cols, &r}, GE_BROADCAST | GE_PADSHAPE));
  GpuElemwise_free(ge);
  GpuArray_clear(&r);
}
END_TEST

/* ---- gathers, copies ------------------------------------------------------------- */

START_TEST(take1_of_rows_and_of_elements)
{
  GpuArray v = eval(VALUES, NULL, NULL), a = zeros(GA_UINT, GA_DIMS(ROWS, COLS)),
           i = eval("int32(65535 - R[:, 0])", NULL, NULL), flat = {0}, few = {0}, where = {0};
  int64_t places[4] = {0, (int64_t)(ROWS * COLS) - 1, -1, (int64_t)1 << 32};
  uint32_t got[4];
  OK(GpuArray_take1(&a, &v, &i, 1));
  RIGHT("a != b[::-1]", &a, &v);
  OK(GpuArray_reshape(&flat, &v, GA_DIMS(ROWS * COLS), GA_C_ORDER, 1));
  OK(GpuArray_fromhost(&where, ctx, GA_LONG, GA_DIMS(4), places));
  OK(GpuArray_empty(&few, ctx, GA_UINT, GA_DIMS(4), GA_C_ORDER));
  OK(GpuArray_take1(&few, &flat, &where, 1));
  OK(GpuArray_read(got, sizeof got, &few));
  ck_assert_uint_eq(got[0], 0);
  ck_assert_uint_eq(got[1], (uint32_t)(ROWS * COLS - 1));
  ck_assert_uint_eq(got[2], (uint32_t)(ROWS * COLS - 1));
  ck_assert_uint_eq(got[3], 0);
  places[0] = (int64_t)(ROWS * COLS);
  OK(GpuArray_write(&where, places, sizeof places));
  FAILS(GA_VALUE_ERROR, "out of", GpuArray_take1(&few, &flat, &where, 1));
  GpuArray_clear(&v);
  GpuArray_clear(&a);
  GpuArray_clear(&i);
  GpuArray_clear(&flat);
  GpuArray_clear(&few);
  GpuArray_clear(&where);
}
END_TEST

START_TEST(memset_of_a_far_view_stays_in_it)
{
  GpuArray a = zeros(GA_UBYTE, GA_DIMS(ROWS, COLS)), v = {0};
  OK(GpuArray_slice(&v, &a, "3:65535"));
  OK(GpuArray_memset(&v, 1));
  ck_assert_int_eq(number("sum(a)", &a, NULL), (int64_t)(65532 * COLS));
  ck_assert_int_eq(number("sum(a[:3]) + sum(a[65535])", &a, NULL), 0);
  OK(gpudata_memset(a.data, ((size_t)1 << 32) + 5, 2));
  ck_assert_int_eq(number("sum(a == 2)", &a, NULL), (int64_t)(ROWS * COLS - ((size_t)1 << 32) - 5));
  GpuArray_clear(&v);
  GpuArray_clear(&a);
}
END_TEST

START_TEST(copies_split_and_concatenate)
{
  GpuArray a = eval(VALUES, NULL, NULL), b = {0}, part[2] = {{0}};
  GpuArray *parts[2] = {&part[0], &part[1]};
  const GpuArray *back[2] = {&part[1], &part[0]};
  size_t cut = 1000;
  OK(GpuArray_split(parts, &a, 1, &cut, 0));
  OK(GpuArray_concatenate(&b, back, 2, 0, GA_UINT));
  RIGHT("a[1000:] != b[:64536]", &a, &b);
  RIGHT("a[:1000] != b[64536:]", &a, &b);
  GpuArray_clear(&b);
  GpuArray_clear(&part[0]);
  GpuArray_clear(&part[1]);
  OK(GpuArray_copy(&b, &a, GA_F_ORDER));
  RIGHT("a != b", &a, &b);
  OK(GpuArray_setarray(&b, &cols));
  RIGHT("a != C", &b, NULL);
  GpuArray_clear(&b);
  GpuArray_clear(&a);
}
END_TEST

/* ---- reductions ------------------------------------------------------------------ */

START_TEST(reductions_reach_the_last_element)
{
  GpuArray a = zeros(GA_UBYTE, GA_DIMS(ROWS, COLS)), last = {0}, m = zeros(GA_UBYTE, 0, NULL),
           where = zeros(GA_LONG, 0, NULL), r = {0};
  unsigned int axes[2] = {0, 1};
  uint8_t max = 0;
  int64_t at = 0;
  OK(GpuArray_slice(&last, &a, "-1:, -1:"));
  OK(GpuArray_memset(&last, 9));
  OK(GpuArray_maxandargmax(&m, &where, &a, 2, axes));
  OK(GpuArray_read(&max, 1, &m));
  OK(GpuArray_read(&at, sizeof at, &where));
  ck_assert_int_eq(max, 9);
  ck_assert_int_eq(at, (int64_t)(ROWS * COLS) - 1);
  GpuArray_clear(&m);
  OK(GpuArray_max(&m, &a));
  OK(GpuArray_read(&max, 1, &m));
  ck_assert_int_eq(max, 9);
  OK(GpuArray_sum(&r, &a));
  OK(GpuArray_tohost(&at, sizeof at, GA_LONG, &r));
  ck_assert_int_eq(at, 9);
  GpuArray_clear(&m);
  GpuArray_clear(&r);
  GpuArray_clear(&where);
  m = zeros(GA_UBYTE, GA_DIMS(COLS));
  where = zeros(GA_LONG, GA_DIMS(COLS));
  OK(GpuArray_maxandargmax(&m, &where, &a, 1, axes)); /* of columns */
  ck_assert_int_eq(number("sum(a) - 9 + sum(b) - 65535", &m, &where), 0);
  GpuArray_clear(&m);
  GpuArray_clear(&where);
  GpuArray_clear(&last);
  GpuArray_clear(&a);
}
END_TEST

/* ---- BLAS ------------------------------------------------------------------------ */

static GpuArray full(int typecode, unsigned int nd, const size_t *dims, double x)
{
  GpuArray a = {0};
  OK(GpuArray_full(&a, ctx, typecode, nd, dims, x));
  return a;
}

static double at(const GpuArray *a, const char *spec)
{
  GpuArray v = {0};
  double x = -1;
  OK(GpuArray_slice(&v, a, spec));
  OK(GpuArray_tohost(&x, sizeof x, GA_DOUBLE, &v));
  GpuArray_clear(&v);
  return x;
}

START_TEST(dot_of_vectors_past_2_31)
{
  size_t n = ((size_t)1 << 31) + 5;
  GpuArray x = full(GA_DOUBLE, GA_DIMS(n), 1), y = full(GA_DOUBLE, GA_DIMS(n), 2),
           z = zeros(GA_DOUBLE, 0, NULL);
  OK(GpuArray_rdot(&x, &y, &z, 1));
  ck_assert_double_eq(at(&z, ""), 2 * (double)n);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&z);
}
END_TEST

/* A matrix of more than 2^31 elements, and one with more than 2^31 rows. */
START_TEST(gemv_of_matrices_past_2_31)
{
  size_t m = 40007, n = 60013, tall = ((size_t)1 << 31) + 7;
  GpuArray a = full(GA_FLOAT, GA_DIMS(m, n), 1), x = full(GA_FLOAT, GA_DIMS(n), 1),
           y = zeros(GA_FLOAT, GA_DIMS(m)), t = zeros(GA_FLOAT, GA_DIMS(n)), last = {0}, one, rows1;
  OK(GpuArray_slice(&last, &a, "-1, -1:"));
  one = full(GA_FLOAT, GA_DIMS(1), 5);
  OK(GpuArray_move(&last, &one));
  OK(GpuArray_rgemv(cb_no_trans, 1, &a, &x, 0, &y, 1));
  ck_assert_double_eq(at(&y, "0"), (double)n);
  ck_assert_double_eq(at(&y, "-1"), (double)n + 4);
  OK(GpuArray_rgemv(cb_trans, 1, &a, &y, 0, &t, 1));
  ck_assert(at(&t, "-1") > at(&t, "0"));
  GpuArray_clear(&last);
  GpuArray_clear(&a);
  GpuArray_clear(&y);
  GpuArray_clear(&t);
  GpuArray_clear(&one);
  one = full(GA_DOUBLE, GA_DIMS(1), 5);
  a = full(GA_DOUBLE, GA_DIMS(tall, 1), 3);
  y = zeros(GA_DOUBLE, GA_DIMS(tall));
  OK(GpuArray_rgemv(cb_no_trans, 1, &a, &one, 0, &y, 1));
  ck_assert_double_eq(at(&y, "0"), 15);
  ck_assert_double_eq(at(&y, "-1"), 15);
  ck_assert_int_eq(number("sum(a != 15)", &y, NULL), 0);
  rows1 = (GpuArray){0};
  OK(GpuArray_transpose(&rows1, &a, NULL)); /* (1, tall) */
  t = zeros(GA_DOUBLE, GA_DIMS(1));
  OK(GpuArray_rgemv(cb_no_trans, 1, &rows1, &y, 0, &t, 1));
  ck_assert_double_eq(at(&t, "0"), 45.0 * (double)tall);
  GpuArray_clear(&rows1);
  GpuArray_clear(&a);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&t);
  GpuArray_clear(&one);
}
END_TEST

static const int floats[] = {GA_HALF, GA_FLOAT, GA_DOUBLE};

START_TEST(gemm_and_ger_of_matrices_past_2_31)
{
  size_t m = 80021, n = 40009, k = 16;
  int type = floats[_i];
  GpuArray a = full(type, GA_DIMS(m, k), 1), b = full(type, GA_DIMS(k, n), 2),
           c = full(type, GA_DIMS(m, n), 1), x = full(type, GA_DIMS(m), 1),
           y = full(type, GA_DIMS(n), 3), small;
  OK(GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &a, &b, 1, &c, 1));
  ck_assert_int_eq(number("sum(a != 33)", &c, NULL), 0);
  OK(GpuArray_rger(1, &x, &y, &c, 1));
  ck_assert_int_eq(number("sum(a != 36)", &c, NULL), 0);
  small = zeros(type, GA_DIMS(m, k)); /* c . b' / 72: a long inner axis */
  OK(GpuArray_rgemm(cb_no_trans, cb_trans, 1.0 / 65536, &c, &b, 0, &small, 1));
  ck_assert(fabs(at(&small, "-1, -1") / (72.0 * (double)n / 65536) - 1) < 1e-2);
  GpuArray_clear(&small);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}
END_TEST

START_TEST(batches_past_2_31)
{
  size_t batch = 3, m = 40009, n = 30011, k = 4;
  GpuArray a = full(GA_FLOAT, GA_DIMS(batch, m, k), 1), b = full(GA_FLOAT, GA_DIMS(batch, k, n), 2),
           c = full(GA_FLOAT, GA_DIMS(batch, m, n), 1);
  OK(GpuArray_rgemmBatch_3d(cb_no_trans, cb_no_trans, 1, &a, &b, 1, &c, 1));
  ck_assert_int_eq(number("sum(a != 9)", &c, NULL), 0);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
}
END_TEST

int main(void)
{
  static const test_case cases[] = {CASE(elemwise_without_gaps),
                                    CASE(elemwise_of_every_layout),
                                    CASE(elemwise_broadcasts),
                                    CASE(take1_of_rows_and_of_elements),
                                    CASE(memset_of_a_far_view_stays_in_it),
                                    CASE(copies_split_and_concatenate),
                                    CASE(reductions_reach_the_last_element),
                                    CASE(dot_of_vectors_past_2_31),
                                    CASE(gemv_of_matrices_past_2_31),
                                    CASE_LOOP(gemm_and_ger_of_matrices_past_2_31, 3),
                                    CASE(batches_past_2_31),
                                    CASE_END};
  if (test_on_cpu() || !has_memory()) {
    printf("check_far: needs a GPU with 70 GiB of free memory\n");
    return 77;
  }
  return test_main_with("far", cases, begin, end);
}
