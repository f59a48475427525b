/* SPDX-License-Identifier: MIT */
/* GpuArray_print against what NumPy printed (tests/data/print.def), from several
 * layouts; what bfloat16 looks like; failures. */
#include <locale.h>

#include "tests/common.h"
#include "tests/device.h"

#include "gpuarray/array.h"
#include "gpuarray/arg.h"

typedef struct vector {
  int typecode;
  unsigned int nd;
  size_t dims[8];
  const char *hex;
  const char *text;
} vector;

#define LIST(...)                        __VA_ARGS__
#define PRINT(typecode, dims, hex, text) {typecode, RANK dims, {LIST dims}, hex, text},
#define RANK(...)                        (sizeof((size_t[]){0, __VA_ARGS__}) / sizeof(size_t) - 1)
static const vector vectors[] = {
#include "tests/data/print.def"
};
enum {
  NVECTOR = sizeof vectors / sizeof vectors[0],
  BATCH = 64, /* share a context */
  NBATCH = (NVECTOR + BATCH - 1) / BATCH
};

static int hexdigit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/* The elements of a vector, its pattern repeated. */
static char *elements(const vector *v, size_t *bytes)
{
  size_t n = gpuarray_get_elsize(v->typecode), len = strlen(v->hex) / 2;
  for (unsigned int k = 0; k < v->nd; k++) n *= v->dims[k];
  char *p = malloc(n + 1);
  ck_assert_ptr_nonnull(p);
  for (size_t i = 0; i < n; i++) {
    const char *h = v->hex + 2 * (i % len);
    p[i] = (char)(hexdigit(h[0]) * 16 + hexdigit(h[1]));
  }
  *bytes = n;
  return p;
}

/* What printing an array writes; to be freed. */
static char *printed(const GpuArray *a)
{
  char *text = NULL;
  size_t len;
  FILE *fd = open_memstream(&text, &len);
  ck_assert_ptr_nonnull(fd);
  OK(GpuArray_print(fd, a));
  fclose(fd);
  return text;
}

static void check_text(const GpuArray *a, const char *want)
{
  char *got = printed(a);
  ck_assert_msg(strcmp(got, want) == 0, "typecode %d: printed\n%sexpected\n%s", a->typecode, got,
                want);
  free(got);
}

static void check_plain(gpucontext *ctx, const vector *v)
{
  GpuArray a = {0};
  size_t bytes;
  char *data = elements(v, &bytes);
  OK(GpuArray_fromhost(&a, ctx, v->typecode, v->nd, v->dims, data));
  check_text(&a, v->text);
  GpuArray_clear(&a);
  free(data);
}

static void check_layouts(gpucontext *ctx, const vector *v)
{
  GpuArray a = {0}, f = {0}, b = {0};
  size_t bytes;
  char *data = elements(v, &bytes);
  OK(GpuArray_fromhost(&a, ctx, v->typecode, v->nd, v->dims, data));
  OK(GpuArray_copy(&f, &a, GA_F_ORDER));
  check_text(&f, v->text);
  GpuArray_clear(&f);
  /* The array reversed twice: negative strides. */
  if (v->nd == 1) {
    OK(GpuArray_slice(&f, &a, "::-1"));
    OK(GpuArray_copy(&b, &f, GA_C_ORDER));
    GpuArray_clear(&f);
    OK(GpuArray_slice(&f, &b, "::-1"));
    check_text(&f, v->text);
  }
  GpuArray_clear(&b);
  GpuArray_clear(&f);
  GpuArray_clear(&a);
  free(data);
}

/* The vectors of batch `i`, on one context. */
static void each(int i, void (*check)(gpucontext *ctx, const vector *v))
{
  gpucontext *ctx = test_context();
  for (int k = i * BATCH; k < (i + 1) * BATCH && k < NVECTOR; k++) check(ctx, &vectors[k]);
  gpucontext_deref(ctx);
}

START_TEST(prints_as_numpy) { each(_i, check_plain); }
END_TEST

START_TEST(layout_does_not_matter) { each(_i, check_layouts); }
END_TEST

START_TEST(locale_does_not_matter)
{
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"};
  size_t i = 0;
  while (i < 3 && setlocale(LC_ALL, names[i]) == NULL) i++;
  gpucontext *ctx = test_context();
  GpuArray a = {0};
  float x[2] = {0.5f, 1.25f};
  OK(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(2), x));
  check_text(&a, "[0.5  1.25]\n");
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(bfloat16_prints_by_the_rules_of_float16)
{
  gpucontext *ctx = test_context();
  GpuArray a = {0}, r = {0};
  unsigned short x[4] = {0x3f80, 0x3dcd, 0xc020, 0x7f80}; /* 1 0.1 -2.5 inf */
  OK(GpuArray_fromhost(&a, ctx, GA_BFLOAT, GA_DIMS(4), x));
  check_text(&a, "[ 1.   0.1 -2.5  inf]\n");
  OK(GpuArray_slice(&r, &a, "1"));
  check_text(&r, "0.1\n");
  GpuArray_clear(&r);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(huge_repeated_array_prints_its_corners)
{
  gpucontext *ctx = test_context();
  GpuArray a = {0}, all = {0};
  int one = 7;
  OK(GpuArray_fromhost(&a, ctx, GA_INT, GA_DIMS(), &one));
  OK(GpuArray_broadcast_to(&all, &a, GA_DIMS((size_t)1 << 40)));
  check_text(&all, "[7 7 7 ... 7 7 7]\n");
  GpuArray_clear(&all);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(print_rejects_what_it_cannot_print)
{
  gpucontext *ctx = test_context();
  GpuArray a = {0}, v = {0};
  FAILS(GA_VALUE_ERROR, "cleared", GpuArray_print(stdout, &a));
  FAILS(GA_VALUE_ERROR, "argument 2 is NULL", GpuArray_print(stdout, NULL));
  OK(GpuArray_zeros(&a, ctx, GA_FLOAT, GA_DIMS(2), GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "argument 1 is NULL", GpuArray_print(NULL, &a));
  OK(GpuArray_zeros(&v, ctx, GA_FLOAT2, GA_DIMS(2), GA_C_ORDER));
  FAILS(GA_UNSUPPORTED_ERROR, "typecode 296", GpuArray_print(stdout, &v));
  FILE *full = fopen("/dev/full", "w");
  if (full != NULL) {
    setvbuf(full, NULL, _IONBF, 0);
    FAILS(GA_SYS_ERROR, "cannot write", GpuArray_print(full, &a));
    fclose(full);
  }
  GpuArray_clear(&v);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}
END_TEST

int main(void)
{
  static const test_case cases[] = {CASE_LOOP(prints_as_numpy, NBATCH),
                                    CASE_LOOP(layout_does_not_matter, NBATCH),
                                    CASE(locale_does_not_matter),
                                    CASE(bfloat16_prints_by_the_rules_of_float16),
                                    CASE(huge_repeated_array_prints_its_corners),
                                    CASE(print_rejects_what_it_cannot_print),
                                    CASE_END};
  return test_main("print", cases);
}
