/* SPDX-License-Identifier: MIT */
/* GA_ARGS, GA_DIMS and the makers of arguments, in C and in C++: compiled as both
 * by check-headers.sh. Needs no library. */
#include <stdio.h>
#include <string.h>

#include <gpuarray/arg.h>

static int failed;

#define EXPECT(cond)                                               \
  do {                                                             \
    if (!(cond)) {                                                 \
      printf("%s:%d: %s is false\n", __FILE__, __LINE__, #cond);   \
      failed = 1;                                                  \
    }                                                              \
  } while (0)

static size_t sum(unsigned int n, const size_t *dims)
{
  size_t s = 0;
  unsigned int i;
  for (i = 0; i < n; i++) s = s * 1000 + dims[i];
  return s;
}

static unsigned int count(unsigned int n, const gpuarg *args) { return args != NULL ? n : 99; }

static int kinds(unsigned int n, const gpuarg *args)
{
  int k = 0;
  unsigned int i;
  for (i = 0; i < n; i++) k = k * 10 + args[i].kind;
  return k;
}

static int64_t integer(unsigned int n, const gpuarg *args) { return args[n - 1].v.i; }
static double real(unsigned int n, const gpuarg *args) { return args[n - 1].v.f; }
static const char *name(unsigned int n, const gpuarg *args) { return args[n - 1].name; }

int main(void)
{
  GpuArray a, b;
  const GpuArray *fixed = &a;
  int rows = 3, calls = 0;
  long wide = 4;
  size_t s = 5;
  float x = 1.5f;
  memset(&a, 0, sizeof a);
  memset(&b, 0, sizeof b);

  EXPECT(sum(GA_DIMS()) == 0);
  EXPECT(sum(GA_DIMS(7)) == 7);
  EXPECT(sum(GA_DIMS(2, 3)) == 2003);
  EXPECT(sum(GA_DIMS(rows, wide, s)) == 3004005);
  EXPECT(sum(GA_DIMS(s * 2, (size_t)1)) == 10001);
  EXPECT(sum(GA_DIMS(calls++)) == 0 && calls == 1); /* evaluated once */

  EXPECT(count(GA_ARGS()) == 0);
  EXPECT(kinds(GA_ARGS(ga_array("a", &a))) == GA_ARG_ARRAY);
  EXPECT(kinds(GA_ARGS(ga_array("a", fixed), ga_new("b", &b), ga_int("i", 1), ga_float("f", 2),
                       ga_scalar("s", GA_FLOAT, &x))) == 12345);
  EXPECT(integer(GA_ARGS(ga_int("i", -9223372036854775807LL))) == -9223372036854775807LL);
  EXPECT(real(GA_ARGS(ga_array("a", &a), ga_float("f", 0.25))) == 0.25);
  EXPECT(strcmp(name(GA_ARGS(ga_int("k", 3))), "k") == 0);
  EXPECT(name(GA_ARGS(ga_scalar(NULL, GA_INT, &rows))) == NULL);
  {
    gpuarg g = ga_scalar("x", GA_FLOAT, &x);
    EXPECT(g.v.ptr == &x && g.typecode == GA_FLOAT && g.flags == 0);
    EXPECT(kinds(GA_ARGS(g, g)) == 55);
    EXPECT(ga_array("a", fixed).v.array == &a);
  }
  return failed;
}
