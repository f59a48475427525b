/* SPDX-License-Identifier: MIT */
/* Every allocation made to fail, one at a time: each call then says that memory
 * is out, or does without, and nothing leaks or crashes (tests/short_memory.h). */
#include <sys/stat.h>
#include <unistd.h>

#include "codegen/codegen.h"
#include "tests/common.h"
#include "tests/device.h"
#include "tests/short_memory.h"

#include "gpuarray.h"

/* ---- what is done with too little memory ------------------------------------- */

static FILE *null_file;
static char npy_path[64];

static const float ones[6] = {1, 2, 3, 4, 5, 6};

/* Each uses `a`, a 2 x 3 array of float32 whose axes are swapped in `t`, and
 * leaves nothing behind. */
typedef int scenario(gpucontext *ctx, const GpuArray *a, const GpuArray *t);

static int make(gpucontext *ctx, const GpuArray *a, const GpuArray *t)
{
  GpuArray r = {0}, v = {0};
  int err = GpuArray_fromhost(&r, ctx, GA_FLOAT, GA_DIMS(2, 3), ones);
  (void)t;
  if (err == 0) err = GpuArray_view(&v, &r);
  GpuArray_clear(&v);
  if (err == 0) err = GpuArray_empty_like(&v, &r);
  GpuArray_clear(&v);
  if (err == 0) err = GpuArray_fromdata(&v, a->data, 0, GA_INT, GA_DIMS(6), NULL, 1);
  GpuArray_clear(&v);
  GpuArray_clear(&r);
  if (err == 0) err = GpuArray_zeros(&r, ctx, GA_CDOUBLE, GA_DIMS(5), GA_F_ORDER);
  GpuArray_clear(&r);
  return err;
}

static int views(gpucontext *ctx, const GpuArray *a, const GpuArray *t)
{
  GpuArray r = {0}, s[3] = {{0}};
  GpuArray *parts[3] = {&s[0], &s[1], &s[2]};
  size_t cuts[2] = {1, 2};
  ssize_t start[2] = {0, 0}, stop[2] = {2, 3}, step[2] = {0, 2};
  (void)ctx;
  int err = GpuArray_slice(&r, a, "::-1, None, 1:");
  GpuArray_clear(&r);
  if (err == 0) err = GpuArray_index(&r, a, start, stop, step);
  GpuArray_clear(&r);
  if (err == 0) err = GpuArray_transpose(&r, t, NULL);
  if (err == 0) err = GpuArray_reshape_inplace(&r, GA_DIMS(3, 2), GA_C_ORDER);
  GpuArray_clear(&r);
  if (err == 0) err = GpuArray_broadcast_to(&r, a, GA_DIMS(4, 2, 3));
  GpuArray_clear(&r);
  if (err == 0) err = GpuArray_split(parts, a, 2, cuts, 1);
  for (int i = 0; i < 3; i++) GpuArray_clear(&s[i]);
  return err;
}

static int copies(gpucontext *ctx, const GpuArray *a, const GpuArray *t)
{
  GpuArray r = {0}, c = {0};
  const GpuArray *both[2] = {a, a};
  double d[6];
  int err = GpuArray_reshape(&r, t, GA_DIMS(6), GA_C_ORDER, 0);
  GpuArray_clear(&r);
  if (err == 0) err = GpuArray_copy(&r, t, GA_C_ORDER);
  GpuArray_clear(&r);
  if (err == 0) err = GpuArray_concatenate(&r, both, 2, 1, GA_DOUBLE);
  GpuArray_clear(&r);
  if (err == 0) err = GpuArray_tohost(d, sizeof d, GA_DOUBLE, t);
  if (err == 0) err = GpuArray_full(&r, ctx, GA_INT, GA_DIMS(3), 7);
  if (err == 0) err = GpuArray_cast(&c, &r, GA_HALF);
  if (err == 0) err = GpuArray_setarray(&c, &r);
  GpuArray_clear(&c);
  GpuArray_clear(&r);
  if (err == 0) err = GpuArray_arange(&r, ctx, GA_SHORT, 0, 1 << 20, 1);
  GpuArray_clear(&r);
  return err;
}

static int words(gpucontext *ctx, const GpuArray *a, const GpuArray *t)
{
  GpuArray r = {0}, v = {0}, c = {0};
  (void)a, (void)t;
  int err = GpuArray_zeros(&r, ctx, GA_FLOAT4, GA_DIMS(2, 3), GA_C_ORDER);
  if (err == 0) err = GpuArray_transpose(&v, &r, NULL);
  if (err == 0) err = GpuArray_copy(&c, &v, GA_C_ORDER);
  GpuArray_clear(&c);
  GpuArray_clear(&v);
  GpuArray_clear(&r);
  return err;
}

static int print(gpucontext *ctx, const GpuArray *a, const GpuArray *t)
{
  GpuArray r = {0}, b = {0};
  int err = GpuArray_print(null_file, t);
  (void)a;
  if (err == 0) err = GpuArray_fromhost(&r, ctx, GA_CFLOAT, GA_DIMS(3), ones);
  if (err == 0) err = GpuArray_print(null_file, &r);
  if (err == 0) err = GpuArray_zeros(&b, ctx, GA_LONG, GA_DIMS(40, 40), GA_C_ORDER);
  if (err == 0) err = GpuArray_print(null_file, &b);
  GpuArray_clear(&b);
  GpuArray_clear(&r);
  return err;
}

static int eval(gpucontext *ctx, const GpuArray *a, const GpuArray *t)
{
  GpuArray r = {0}, n = {0};
  (void)t;
  int err = GpuArray_eval(&r, ctx, "m = a - mean(a, axis=1, keepdims=True); k*m / sqrt(sum(m*m))",
                          GA_ARGS(ga_array("a", a), ga_float("k", 2), ga_new("m", &n)));
  GpuArray_clear(&r);
  GpuArray_clear(&n);
  if (err == 0) err = GpuArray_norm(&r, a);
  GpuArray_clear(&r);
  if (err == 0)
    err = GpuArray_eval(&r, ctx, "cumsum(a, axis=0)*a + cummax(a, axis=1, exclusive=True)",
                        GA_ARGS(ga_array("a", a)));
  GpuArray_clear(&r);
  return err;
}

static int compiled(gpucontext *ctx, const GpuArray *a, const GpuArray *t)
{
  GpuExpr *e = NULL;
  GpuArray r = {0};
  gpuexpr_info info = {.size = sizeof info};
  size_t dims[8];
  char *text = NULL;
  int err = GpuExpr_new(&e, ctx, "exp(a)*a[0, 1:2] + sum(a, axis=0)", GA_ARGS(ga_array("a", a)));
  if (err == 0) err = GpuExpr_call(e, &r, GA_ARGS(ga_array("a", a)));
  GpuArray_clear(&r);
  if (err == 0) err = GpuExpr_call_into(e, (GpuArray *)a, GA_ARGS(ga_array("a", a)));
  if (err == 0) err = GpuExpr_query(e, &info, dims, GA_ARGS(ga_array("a", a)));
  if (err == 0) err = GpuExpr_explain(e, &text, GA_ARGS(ga_array("a", a)));
  (void)t;
  free(text);
  GpuExpr_free(e);
  return err;
}

/* What only devices that compile make: the kernel of a chain. */
static int chained(gpucontext *ctx, const GpuArray *a, const GpuArray *t)
{
  ga_bind bind = {"a", GA_BIND_ARRAY, GA_DT_FLOAT32, 2, a->dimensions, a->strides};
  const ga_target target = {132, 227 * 1024, 0, 0, 0};
  unsigned char align[8] = {0};
  ga_ast *ast = NULL;
  ga_program *p = NULL;
  ga_layout l = {0};
  ga_text text = {0};
  ga_launch launch = {.args = NULL};
  (void)ctx;
  (void)t;
  int err = ga_parse(&ast, "a / sum(a, axis=1, keepdims=True)");
  if (err == 0) err = ga_program_new(&p, ast, 1, &bind, NULL, 0);
  if (err == 0) err = ga_layout_make(&l, &p->chains[0].stage);
  if (err == 0) err = ga_gen_text(&text, &p->chains[0].stage, &l, align, &target);
  if (err == 0) err = ga_gen_launch(&launch, &p->chains[0].stage, &l, align, &target);
  ga_launch_clear(&launch);
  ga_text_clear(&text);
  ga_layout_clear(&l);
  ga_program_free(p);
  ga_ast_free(ast);
  return err;
}

static int files(gpucontext *ctx, const GpuArray *a, const GpuArray *t)
{
  GpuArray r = {0};
  (void)a;
  int err = GpuArray_save(npy_path, t);
  if (err == 0) err = GpuArray_load(&r, ctx, npy_path);
  GpuArray_clear(&r);
  return err;
}

static int products(gpucontext *ctx, const GpuArray *a, const GpuArray *t)
{
  GpuArray c = {0}, rev = {0};
  int err = GpuArray_zeros(&c, ctx, GA_FLOAT, GA_DIMS(2, 2), GA_C_ORDER);
  if (err == 0) err = GpuArray_slice(&rev, a, ":, ::-1");
  if (err == 0) err = GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &rev, (GpuArray *)t, 0, &c, 0);
  if (err == GA_UNSUPPORTED_ERROR) err = 0; /* no BLAS library here */
  GpuArray_clear(&rev);
  GpuArray_clear(&c);
  return err;
}

static int contexts(gpucontext *unused, const GpuArray *a, const GpuArray *t)
{
  gpucontext_props *props = NULL;
  gpucontext *ctx = NULL;
  gpudata *errbuf;
  (void)unused, (void)a, (void)t;
  int err = gpucontext_props_new(&props);
  if (err == 0) err = gpucontext_init(&ctx, "cpu", props);
  if (err == 0) err = gpucontext_property(ctx, GA_CTX_PROP_ERRBUF, &errbuf);
  gpucontext_deref(ctx);
  return err;
}

static int capture(gpucontext *ctx, const GpuArray *a, GpuArray *r, GpuArray *c)
{
  float v[6] = {0};
  int err = GpuArray_eval(r, ctx, "t = a*k; t / sum(t, axis=0) + a[::-1]",
                          GA_ARGS(ga_array("a", a), ga_float("k", 2)));
  if (err == 0) err = GpuArray_copy(c, a, GA_C_ORDER);
  if (err == 0) err = gpudata_move(c->data, 4, c->data, 0, 12);
  if (err == 0) err = gpudata_memset(c->data, 20, 0);
  if (err == 0) err = GpuArray_write(c, v, sizeof v);
  if (err == 0) err = GpuArray_eval_into(c, "r + j", GA_ARGS(ga_array("r", r), ga_int("j", 1)));
  return err;
}

static int graphs(gpucontext *ctx, const GpuArray *a, const GpuArray *t)
{
  GpuArray r = {0}, c = {0}, b = {0};
  gpugraph *g = NULL;
  (void)t;
  int err = gpugraph_begin(ctx), began = err == 0;
  if (err == 0) err = capture(ctx, a, &r, &c);
  if (err == 0)
    err = gpugraph_end(&g, ctx);
  else if (began)
    (void)gpugraph_end(NULL, ctx);
  if (err == 0) err = GpuArray_fromhost(&b, ctx, GA_FLOAT, GA_DIMS(2, 3), ones);
  if (err == 0) err = gpugraph_set(g, GA_ARGS(ga_array("a", &b), ga_float("k", 3), ga_int("j", 2)));
  if (err == 0) err = gpugraph_replace(g, 1, (const GpuArray *[]){&b}, (const GpuArray *[]){a});
  if (err == 0) err = gpugraph_replay(g);
  gpugraph_free(g);
  GpuArray_clear(&r);
  GpuArray_clear(&c);
  GpuArray_clear(&b);
  return err;
}

/* ---- the test ---------------------------------------------------------------- */

static const struct {
  const char *name;
  scenario *run;
} scenarios[] = {{"make", make},         {"views", views},       {"copies", copies},
                 {"words", words},       {"print", print},       {"eval", eval},
                 {"compiled", compiled}, {"chained", chained},   {"files", files},
                 {"products", products}, {"contexts", contexts}, {"graphs", graphs}};
enum { NSCENARIO = sizeof scenarios / sizeof scenarios[0] };

/* Runs a scenario on a context of its own, allocation `n` failing (-1: none).
 * Asserts nothing itself: Check's assertions allocate. */
static int run(int which, long n)
{
  gpucontext *ctx = NULL;
  GpuArray a = {0}, t = {0};
  int err = gpucontext_init(&ctx, "cpu", NULL);
  if (err == 0) err = GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(2, 3), ones);
  if (err == 0) err = GpuArray_transpose(&t, &a, NULL);
  atomic_store(&hit, 0);
  atomic_store(&countdown, n);
  if (err == 0) err = scenarios[which].run(ctx, &a, &t);
  atomic_store(&countdown, -1);
  GpuArray_clear(&t);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
  return err;
}

START_TEST(every_allocation_may_fail)
{
  if (!test_on_cpu()) return; /* a driver allocates as it likes */
  setenv("GPUARRAY_CACHE", "off", 1);
  setenv("GPUARRAY_NUM_THREADS", "1", 1); /* other threads keep what they worked with */
  null_file = fopen("/dev/null", "w");
  ck_assert_ptr_nonnull(null_file);
  snprintf(npy_path, sizeof npy_path, "/tmp/check_nomem.%ld.npy", (long)getpid());
  /* What is made once for the process is made now. */
  for (int i = 0; i < 2; i++)
    ck_assert_msg(run(_i, -1) == 0, "%s: %s", scenarios[_i].name, gpuarray_error_message());
  long n = 0;
  for (;; n++) {
    long base = atomic_load(&live);
    int err = run(_i, n);
    long left = atomic_load(&live) - base;
    if (!atomic_load(&hit)) break;
    ck_assert_msg(err == GA_NO_ERROR || err == GA_MEMORY_ERROR, "%s, allocation %ld: error %d: %s",
                  scenarios[_i].name, n, err, gpuarray_error_message());
    ck_assert_msg(left == 0, "%s, allocation %ld: %ld blocks left (%s)", scenarios[_i].name, n,
                  left, gpuarray_error_message());
    ck_assert_int_lt(n, 100000);
  }
  ck_assert_int_gt(n, 0);
  fclose(null_file);
  unlink(npy_path);
}
END_TEST

START_TEST(message_works_without_memory)
{
  char big[3000];
  memset(big, 'x', sizeof big - 1);
  big[sizeof big - 1] = '\0';
  GpuArray r = {0}, a = {0};
  gpucontext *ctx = test_context();
  OK(GpuArray_zeros(&a, ctx, GA_INT, GA_DIMS(2), GA_C_ORDER));
  atomic_store(&countdown, 0);
  int err = GpuArray_slice(&r, &a, big);
  atomic_store(&countdown, -1);
  ck_assert_int_eq(err, GA_VALUE_ERROR);
  ck_assert_ptr_nonnull(strstr(gpuarray_error_message(), "expected an integer"));
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}
END_TEST

/* A compiler that only counts the words of its command lines. */
static void fake_compiler(const char *path, const char *words)
{
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fprintf(f,
          "#!/bin/sh\n"
          "test \"$1\" != --version || { echo fake; exit; }\n"
          "echo $# >>%s\n"
          "while test $# -gt 0; do test \"$1\" != -o || echo >\"$2\"; shift; done\n",
          words);
  fclose(f);
  ck_assert_int_eq(chmod(path, 0700), 0);
}

/* Compiles, allocation `n` failing, and reads how long the command lines were. */
static size_t command_lines(char text[64], gpucontext *ctx, const char *words, long n)
{
  const char *const options[] = {"-DX=1", NULL};
  GpuModule m = {0};
  unlink(words);
  atomic_store(&hit, 0);
  atomic_store(&countdown, n);
  int err = GpuModule_init(&m, ctx, "__global__ void k() {}", options);
  atomic_store(&countdown, -1);
  ck_assert(err == GA_LOAD_ERROR || (atomic_load(&hit) && err == GA_MEMORY_ERROR));
  FILE *f = fopen(words, "r");
  size_t size = f != NULL ? fread(text, 1, 63, f) : 0;
  text[size] = '\0';
  if (f != NULL) fclose(f);
  return size;
}

/* A kernel that was compiled without an option would be kept in the cache. */
START_TEST(compilers_get_every_word_or_do_not_run)
{
  char dir[] = "/tmp/gpuarray-test-XXXXXX", path[64], words[64], all[64], some[64];
  if (!test_on_cpu()) return;
  setenv("GPUARRAY_CACHE", "off", 1);
  ck_assert_ptr_nonnull(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/c++", dir);
  snprintf(words, sizeof words, "%s/words", dir);
  fake_compiler(path, words);
  setenv("GPUARRAY_CXX", path, 1);
  gpucontext *ctx = test_context();
  ck_assert_uint_gt(command_lines(all, ctx, words, -1), 6); /* preprocess, compile, link */
  for (long n = 0; n == 0 || atomic_load(&hit); n++) {
    size_t size = command_lines(some, ctx, words, n);
    ck_assert_msg(memcmp(some, all, size) == 0, "allocation %ld: %s for %s", n, some, all);
  }
  unsetenv("GPUARRAY_CXX");
  gpucontext_deref(ctx);
  unlink(words);
  unlink(path);
  rmdir(dir);
}
END_TEST

int main(void)
{
  static const test_case cases[] = {CASE_LOOP(every_allocation_may_fail, NSCENARIO),
                                    CASE(message_works_without_memory),
                                    CASE(compilers_get_every_word_or_do_not_run), CASE_END};
  return test_main("nomem", cases);
}
