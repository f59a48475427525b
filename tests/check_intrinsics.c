/* SPDX-License-Identifier: MIT */
/* CUDA's intrinsics against results computed exactly (tests/data/make_intrinsics.py),
 * on either device, and those of cuda_fp16.h and cuda_bf16.h (make_halves.py) on the CPU,
 * whose headers need no toolkit. A line of tests/data/intrinsics.txt is a call: name,
 * result type, operand types, operands and result; the lines of one function, which
 * follow each other, are the threads of one kernel. */
#include <gpuarray.h>
#include <math.h>
#include <stdint.h>

#include "tests/device.h"

enum { MAX_CALLS = 16384, MAX_FUNCTIONS = 512, PER_MODULE = 64 };

typedef struct call {
  char name[24], ret[2], args[4];
  uint64_t word[4], want; /* word[3] is not used */
} call;

static call calls[MAX_CALLS];
static size_t first[MAX_FUNCTIONS + 1], nfunction; /* of each function's calls */

static void read_calls(const char *file)
{
  char path[512], line[256];
  const char *dir = getenv("top_srcdir");
  size_t n = 0;
  snprintf(path, sizeof path, "%s/tests/data/%s", dir != NULL ? dir : ".", file);
  FILE *f = fopen(path, "r");
  ck_assert_msg(f != NULL, "%s cannot be read", path);
  for (nfunction = 0; fgets(line, sizeof line, f) != NULL; n++) {
    int at = 0, more;
    ck_assert(n < MAX_CALLS);
    call *c = &calls[n];
    ck_assert_int_eq(sscanf(line, "%23s %1s %3s%n", c->name, c->ret, c->args, &at), 3);
    for (size_t i = 0; i <= strlen(c->args); i++, at += more)
      ck_assert_int_eq(
          sscanf(line + at, "%lx%n", i < strlen(c->args) ? &c->word[i] : &c->want, &more), 1);
    if (n > 0 && strcmp(c->name, c[-1].name) == 0 && strcmp(c->args, c[-1].args) == 0) continue;
    ck_assert(nfunction < MAX_FUNCTIONS);
    first[nfunction++] = n;
  }
  first[nfunction] = n;
  fclose(f);
  ck_assert_uint_gt(nfunction, 200);
}

static const char *type_name(char t)
{
  static const char *const names[128] = {
      ['f'] = "float",    ['d'] = "double",         ['i'] = "int",
      ['u'] = "unsigned", ['l'] = "long long",      ['k'] = "unsigned long long",
      ['s'] = "short",    ['t'] = "unsigned short", ['c'] = "signed char",
      ['h'] = "__half",   ['g'] = "__nv_bfloat16",  ['b'] = "unsigned char",
      ['H'] = "__half2",  ['G'] = "__nv_bfloat162"};
  ck_assert_ptr_nonnull(names[t & 127]);
  return names[t & 127];
}

static const char head[] = "typedef unsigned long long word;\n"
                           "template <class T> __device__ T in(const word *w, int i, int k) {\n"
                           "  T v; memcpy(&v, &w[4 * i + k], sizeof v); return v;\n}\n"
                           "template <class T> __device__ word out(T v) {\n"
                           "  word w = 0; memcpy(&w, &v, sizeof v); return w;\n}\n";

/* The kernel of function i. */
static void add_kernel(char *text, size_t i)
{
  const call *c = &calls[first[i]];
  char *p = text + strlen(text);
  p += sprintf(p,
               "extern \"C\" __global__ void k%zu(const word *w, word *r, int n) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
               "  if (i < n) r[i] = out<%s>(%s(",
               i, type_name(c->ret[0]), c->name);
  for (size_t a = 0; c->args[a] != '\0'; a++)
    p += sprintf(p, "%sin<%s>(w, i, %zu)", a > 0 ? ", " : "", type_name(c->args[a]), a);
  strcpy(p, "));\n}\n");
}

static void compare(size_t i, const uint64_t *got)
{
  for (size_t j = first[i]; j < first[i + 1]; j++) {
    const call *c = &calls[j];
    if (got[j - first[i]] != c->want)
      ck_abort_msg("%s(%s): %lx %lx %lx: %lx, not %lx", c->name, c->args, c->word[0], c->word[1],
                   c->word[2], got[j - first[i]], c->want);
  }
}

static void run_function(gpucontext *ctx, GpuModule *m, size_t i)
{
  static uint64_t words[MAX_CALLS][4], got[MAX_CALLS];
  int n = (int)(first[i + 1] - first[i]);
  char name[24];
  GpuKernel k = {0};
  GpuArray w = {0}, r = {0};
  for (int j = 0; j < n; j++) memcpy(words[j], calls[first[i] + (size_t)j].word, 32);
  snprintf(name, sizeof name, "k%zu", i);
  OK(GpuModule_kernel(&k, m, name));
  OK(GpuArray_fromhost(&w, ctx, GA_ULONG, GA_DIMS((size_t)n, 4), words));
  OK(GpuArray_zeros(&r, ctx, GA_ULONG, GA_DIMS((size_t)n), GA_C_ORDER));
  OK(GpuKernel_launch(
      &k, (size_t[3]){((size_t)n + 63) / 64, 1, 1}, (size_t[3]){64, 1, 1}, 0,
      GA_ARGS(ga_array(NULL, &w), ga_array(NULL, &r), ga_scalar(NULL, GA_INT, &n))));
  OK(GpuArray_tohost(got, sizeof *got * (size_t)n, GA_ULONG, &r));
  compare(i, got);
  GpuArray_clear(&w);
  GpuArray_clear(&r);
  GpuKernel_clear(&k);
}

/* Loop test: the functions come in parts, one module each. */
static void run_part(size_t part, const char *file, const char *includes)
{
  static char text[PER_MODULE * 400];
  GpuModule m = {0};
  read_calls(file);
  size_t end = (part + 1) * PER_MODULE < nfunction ? (part + 1) * PER_MODULE : nfunction;
  if (part * PER_MODULE >= end) return;
  gpucontext *ctx = test_context();
  sprintf(text, "%s%s", includes, head);
  for (size_t i = part * PER_MODULE; i < end; i++) add_kernel(text, i);
  OK(GpuModule_init(&m, ctx, text, NULL));
  for (size_t i = part * PER_MODULE; i < end; i++) run_function(ctx, &m, i);
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
}

START_TEST(each_intrinsic_gives_the_exact_result) { run_part((size_t)_i, "intrinsics.txt", ""); }
END_TEST

START_TEST(each_function_of_halves_gives_the_exact_result)
{
  if (!test_on_cpu()) return;
  run_part((size_t)_i, "halves.txt", "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n");
}
END_TEST

/* Fast maths leaves them alone, and so does the debugger's compiler. */
START_TEST(rounding_survives_fast_maths)
{
  static const char text[] = "__global__ void k(float *a) {\n"
                             "  a[0] = __fadd_rn(__fadd_rn(a[1], a[2]), -a[2]);\n"
                             "  a[3] = __fmul_rn(a[1], a[1]) - __fmul_rn(a[1], a[1]);\n"
                             "  a[4] = __fadd_ru(a[1], a[2]) - __fadd_rd(a[1], a[2]);\n}\n";
  float x[5] = {9, 1.0f + 0x1p-23f, 0x1p25f, 9, 9};
  gpucontext *ctx = test_context();
  GpuKernel k = {0};
  GpuModule m = {0};
  GpuArray a = {0};
  OK(GpuModule_init(&m, ctx, text, (const char *const[]){"--use_fast_math", NULL}));
  OK(GpuModule_kernel(&k, &m, "k"));
  OK(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(5), x));
  OK(GpuKernel_launch(&k, (size_t[3]){1, 1, 1}, (size_t[3]){1, 1, 1}, 0,
                      GA_ARGS(ga_array(NULL, &a))));
  OK(GpuArray_tohost(x, sizeof x, GA_FLOAT, &a));
  ck_assert_float_eq(x[0], 0);
  ck_assert_float_eq(x[3], 0);
  ck_assert_float_eq(x[4], 4);
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(each_intrinsic_gives_the_exact_result, MAX_FUNCTIONS / PER_MODULE),
    CASE_LOOP(each_function_of_halves_gives_the_exact_result, MAX_FUNCTIONS / PER_MODULE),
    CASE(rounding_survives_fast_maths), CASE_END};

int main(void) { return test_main("intrinsics", cases); }
