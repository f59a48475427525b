/* SPDX-License-Identifier: MIT */
/* Every operation against tests/data/scalar.bin: NumPy's results where they are
 * promised to the bit, mpmath's within some units in the last place for the
 * transcendental ones. The file's format is told in make_scalar.py. */
#include <stdio.h>

#include "tests/common.h"
#include "tests/scalar_data.h"

extern int ga_cpu_has_fma; /* lib/cpu/isa.c */

/* As the ops of a row, by name. */
static const char *const names[] = {
#define OP(name, nargs, loops, result, flags) #name,
#include "codegen/ops.def"
#undef OP
};

static int op_named(const char *name)
{
  for (int i = 0; i < GA_NOP; i++)
    if (strcmp(names[i], name) == 0) return GA_N_OP + i;
  ck_abort_msg("no operation %s", name);
}

static enum ga_dtype dtype_named(const char *name)
{
  enum ga_dtype t = ga_dtype_named(name, strlen(name));
  ck_assert_msg(t != GA_DT_NONE, "no dtype %s", name);
  return t;
}

typedef struct vectors {
  FILE *f;
  const ga_loops *loops;
  enum ga_dtype dtype;
  size_t n, nargs;
  char *args[3];
  unsigned int seen[GA_NOP]; /* results compared */
} vectors;

static char *read_block(FILE *f, size_t size)
{
  char *p = malloc(size ? size : 1);
  ck_assert_ptr_nonnull(p);
  ck_assert_uint_eq(fread(p, 1, size, f), size);
  return p;
}

static void read_args(vectors *v, const char *dtype, size_t nargs, size_t n)
{
  for (size_t i = 0; i < v->nargs; i++) free(v->args[i]);
  v->dtype = dtype_named(dtype);
  v->n = n;
  v->nargs = nargs;
  ck_assert_uint_le(nargs, 3);
  for (size_t i = 0; i < nargs; i++) v->args[i] = read_block(v->f, n * ga_dtypes[v->dtype].size);
}

/* A real number of floating dtype t as a double, and the unit of its last place. */
static double real_at(enum ga_dtype t, const char *p)
{
  double d = 0;
  const void *src[] = {p};
  ga_cpu_cast(t, GA_DT_FLOAT64)(1, &d, src);
  return d;
}

static double unit_of(enum ga_dtype t, double x)
{
  int e, digits = 53, least = -1074;
  if (t == GA_DT_FLOAT16) digits = 11, least = -24;
  if (t == GA_DT_BFLOAT16) digits = 8, least = -133;
  if (t == GA_DT_FLOAT32) digits = 24, least = -149;
  frexp(x, &e);
  return x == 0 || e - digits < least ? ldexp(1, least) : ldexp(1, e - digits);
}

/* Within `ulps` units of the unit's place; infinities, NaN and the sign of zero
 * as they are. */
static int close_real(double got, double want, double unit, int ulps)
{
  if (want != want) return got != got;
  if (isinf(want) || isinf(got)) return got == want;
  if (want == 0 && unit <= ldexp(1, -1000)) return got == 0 && signbit(got) == signbit(want);
  return fabs(got - want) <= ulps * unit;
}

static int is_close(enum ga_dtype t, const char *got, const char *want, int ulps)
{
  size_t half = ga_dtypes[t].size / 2;
  enum ga_dtype part = t == GA_DT_COMPLEX64 ? GA_DT_FLOAT32 : GA_DT_FLOAT64;
  double re, im, unit;
  if (ulps == 0 || same_element(t, got, want)) return same_element(t, got, want);
  if (ga_dtypes[t].kind == 'f') {
    re = real_at(t, want);
    return close_real(real_at(t, got), re, unit_of(t, re), ulps);
  }
  re = real_at(part, want);
  im = real_at(part, want + half);
  unit = fmax(isfinite(re) ? unit_of(part, re) : 0, isfinite(im) ? unit_of(part, im) : 0);
  return close_real(real_at(part, got), re, unit, ulps) &&
         close_real(real_at(part, got + half), im, unit, ulps);
}

static void compare(vectors *v, const char *name, enum ga_dtype rt, int ulps)
{
  int op = op_named(name);
  size_t size = ga_dtypes[rt].size, in = ga_dtypes[v->dtype].size;
  char *want = read_block(v->f, v->n * size), *got = malloc(v->n * 16 + 1);
  const void *const src[] = {v->args[0], v->args[1], v->args[2]};
  ga_loop f = ga_cpu_loop_in(v->loops, op, v->dtype);
  char x[64], y[64], g[64], w[64];
  ck_assert_ptr_nonnull(got);
  ck_assert_msg(f != NULL, "%s has no loop of %s", name, ga_dtypes[v->dtype].name);
  f(v->n, got, src);
  for (size_t i = 0; i < v->n; i++)
    EXPECT(is_close(rt, got + i * size, want + i * size, ulps),
           "%s of %s, number %zu (%s, %s): %s, not %s within %d", name, ga_dtypes[v->dtype].name, i,
           show_element(v->dtype, v->args[0] + i * in, x),
           v->nargs > 1 ? show_element(v->dtype, v->args[1] + i * in, y) : "",
           show_element(rt, got + i * size, g), show_element(rt, want + i * size, w), ulps);
  v->seen[op - GA_N_OP] += (unsigned int)v->n;
  free(want);
  free(got);
}

/* Those of which the file says nothing: tested elsewhere, or moved about. */
static int untold(const char *name)
{
  static const char *const list =
      " positive where logical_and logical_or logical_xor logical_not float_power ";
  char word[64];
  snprintf(word, sizeof word, " %s ", name);
  return strstr(list, word) != NULL;
}

static void compare_all(const ga_loops *loops)
{
  const char *top = getenv("top_srcdir");
  char path[4096], line[256], word[64], name[64];
  vectors v = {.loops = loops};
  size_t nargs, n;
  int ulps, ended = 0;
  snprintf(path, sizeof path, "%s/tests/data/scalar.bin", top ? top : ".");
  v.f = fopen(path, "rb");
  ck_assert_msg(v.f != NULL, "cannot open %s", path);
  while (!ended && fgets(line, sizeof line, v.f)) {
    if (sscanf(line, "args %63s %zu %zu", word, &nargs, &n) == 3)
      read_args(&v, word, nargs, n);
    else if (sscanf(line, "op %63s %63s %d", name, word, &ulps) == 3)
      compare(&v, name, dtype_named(word), ulps);
    else
      ended = strcmp(line, "end\n") == 0;
  }
  ck_assert_msg(ended, "%s is cut off", path);
  for (int i = 0; i < GA_NOP; i++)
    ck_assert_msg(v.seen[i] > 0 || untold(names[i]), "the file says nothing of %s", names[i]);
  for (size_t i = 0; i < v.nargs; i++) free(v.args[i]);
  fclose(v.f);
}

START_TEST(operations_agree_with_numpy)
{
  const ga_loops *loops = ga_cpu_loops((enum ga_cpu_isa)_i);
  if (loops) compare_all(loops);
}
END_TEST

/* SLEEF's other functions, for processors without fused multiply-add. */
START_TEST(operations_agree_without_fused_multiply_add)
{
  const ga_loops *loops = ga_cpu_loops(GA_ISA_BASE);
  int has = ga_cpu_has_fma;
  ga_cpu_has_fma = 0;
  compare_all(loops);
  ga_cpu_has_fma = has;
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(operations_agree_with_numpy, GA_NISA),
    CASE(operations_agree_without_fused_multiply_add),
    CASE_END,
};

int main(void) { return test_main("scalar_numpy", cases); }
