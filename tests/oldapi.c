/* SPDX-License-Identifier: MIT */
/* A program written for libgpuarray, as C of 1989 and as C++: arrays, an elementwise and
 * a raw kernel, a gather, a reduction and a product, each compared with what it gives.
 * check-oldapi.sh compiles it, and links it with the old library too. */
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <gpuarray/array.h>
#include <gpuarray/blas.h>
#include <gpuarray/buffer.h>
#include <gpuarray/collectives.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/error.h>
#include <gpuarray/extension.h>
#include <gpuarray/kernel.h>
#include <gpuarray/types.h>
#include <gpuarray/util.h>

static gpucontext *ctx;
static int bad;
static GpuArray a; /* host's six numbers, 2 by 3 */
static const float host[6] = {1, 2, 3, 4, 5, 6};
static const size_t dims[2] = {2, 3}, two = 2;
#define TRY(call)                                                                     \
  do {                                                                                \
    int e = (call);                                                                   \
    if (e != GA_NO_ERROR) {                                                           \
      printf("%s: %s: %s\n", #call, gpuarray_error_str(e), gpucontext_error(ctx, e)); \
      exit(1);                                                                        \
    }                                                                                 \
  } while (0)
#define SEE(what)                                   \
  do {                                              \
    if (!(what)) {                                  \
      printf("line %d: not %s\n", __LINE__, #what); \
      bad = 1;                                      \
    }                                               \
  } while (0)

static const char *text = "#include \"cluda.h\"\n"
                          "KERNEL void k(GLOBAL_MEM ga_float *x, ga_float s, ga_size n) {\n"
                          "  ga_size i = GID_0 * LDIM_0 + LID_0;\n"
                          "  for (; i < n; i += (ga_size)LDIM_0 * GDIM_0) x[i] = x[i] * s + 1;\n"
                          "}\n";

static void open_device(const char *dev)
{
  gpucontext_props *p;
  unsigned int n = 0;
  char name[256];

  TRY(gpu_get_platform_count(dev, &n));
  TRY(gpu_get_device_count(dev, 0, &n));
  SEE(n >= 1);
  TRY(gpucontext_props_new(&p));
  TRY(gpucontext_props_cuda_dev(p, 0));
  TRY(gpucontext_props_sched(p, GA_CTX_SCHED_MULTI));
  TRY(gpucontext_props_alloc_cache(p, 0, 1 << 30));
  TRY(gpucontext_init(&ctx, dev, p));
  TRY(gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, name));
  printf("on %s\n", name);
}

static void set_arg(gpuelemwise_arg *arg, const char *name, int flags)
{
  arg->name = name;
  arg->typecode = GA_FLOAT;
  arg->flags = flags;
}

/* b = a * 2 */
static void elementwise(GpuArray *b)
{
  gpuelemwise_arg args[3];
  void *vals[3];
  float got[6], s = 2;
  size_t i;
  GpuElemwise *ge;

  set_arg(&args[0], "x", GE_READ);
  set_arg(&args[1], "s", GE_SCALAR);
  set_arg(&args[2], "y", GE_WRITE);
  ge = GpuElemwise_new(ctx, "", "y = x * s", 3, args, 2, 0);
  if (ge == NULL) {
    printf("elemwise: %s\n", gpucontext_error(ctx, 0));
    exit(1);
  }
  TRY(GpuArray_zeros(b, ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  vals[0] = &a;
  vals[1] = &s;
  vals[2] = b;
  TRY(GpuElemwise_call(ge, vals, GE_BROADCAST));
  TRY(GpuArray_read(got, sizeof got, b));
  for (i = 0; i < 6; i++) SEE(got[i] == 2 * host[i]);
  GpuElemwise_free(ge);
}

/* b = b * 2 + 1 */
static void raw_kernel(GpuArray *b)
{
  int types[3] = {GA_BUFFER, GA_FLOAT, GA_SIZE};
  size_t count = 6, gs = 0, ls = 0, i;
  float got[6], s = 2;
  char *err = NULL;
  void *args[3];
  GpuKernel k;

  if (GpuKernel_init(&k, ctx, 1, &text, NULL, "k", 3, types, GA_USE_CUDA, &err) != GA_NO_ERROR) {
    printf("kernel: %s\n%s\n", gpucontext_error(ctx, 0), err != NULL ? err : "");
    exit(1);
  }
  TRY(GpuKernel_sched(&k, count, &gs, &ls));
  args[0] = b->data;
  args[1] = &s;
  args[2] = &count;
  TRY(GpuKernel_call(&k, 1, &gs, &ls, 0, args));
  TRY(GpuArray_read(got, sizeof got, b));
  for (i = 0; i < 6; i++) SEE(got[i] == 4 * host[i] + 1);
  GpuKernel_clear(&k);
}

static void reversed_columns(void)
{
  ssize_t start[2] = {0, 2}, stop[2] = {2, -1}, step[2] = {1, -1};
  GpuArray v, c;
  float got[6];

  TRY(GpuArray_index(&v, &a, start, stop, step));
  TRY(GpuArray_copy(&c, &v, GA_C_ORDER));
  TRY(GpuArray_read(got, sizeof got, &c));
  SEE(got[0] == 3 && got[2] == 1 && got[3] == 6);
  GpuArray_clear(&v);
  GpuArray_clear(&c);
}

static void extremes(void)
{
  unsigned int axis = 1;
  GpuArray m, am;
  float got[2];
  long long at[2];

  TRY(GpuArray_empty(&m, ctx, GA_FLOAT, 1, &two, GA_C_ORDER));
  TRY(GpuArray_empty(&am, ctx, GA_LONG, 1, &two, GA_C_ORDER));
  TRY(GpuArray_maxandargmax(&m, &am, &a, 1, &axis));
  TRY(GpuArray_read(got, sizeof got, &m));
  TRY(GpuArray_read(at, sizeof at, &am));
  SEE(got[0] == 3 && got[1] == 6 && at[0] == 2 && at[1] == 2);
  GpuArray_clear(&m);
  GpuArray_clear(&am);
}

static void gather(void)
{
  int where[2] = {1, -2};
  GpuArray idx, tk;
  float got[6];

  TRY(GpuArray_empty(&idx, ctx, GA_INT, 1, &two, GA_C_ORDER));
  TRY(GpuArray_write(&idx, where, sizeof where));
  TRY(GpuArray_empty(&tk, ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  TRY(GpuArray_take1(&tk, &a, &idx, 1));
  TRY(GpuArray_read(got, sizeof got, &tk));
  SEE(got[0] == 4 && got[3] == 1);
  GpuArray_clear(&idx);
  GpuArray_clear(&tk);
}

/* a a' */
static void product(void)
{
  size_t square[2] = {2, 2};
  GpuArray c;
  float got[4];

  TRY(GpuArray_zeros(&c, ctx, GA_FLOAT, 2, square, GA_C_ORDER));
  if (GpuArray_sgemm(cb_no_trans, cb_trans, 1, &a, &a, 0, &c, 0) == GA_NO_ERROR) {
    TRY(GpuArray_read(got, sizeof got, &c));
    SEE(got[0] == 14 && got[1] == 32 && got[2] == 32 && got[3] == 77);
  } else {
    printf("no BLAS: %s\n", gpucontext_error(ctx, 0));
  }
  GpuArray_clear(&c);
}

int main(int argc, char **argv)
{
  GpuArray b;

  open_device(argc > 1 ? argv[1] : "cuda");
  TRY(GpuArray_empty(&a, ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  TRY(GpuArray_write(&a, host, sizeof host));
  SEE(GpuArray_IS_C_CONTIGUOUS(&a) && GpuArray_ISALIGNED(&a) && GpuArray_ITEMSIZE(&a) == 4);
  elementwise(&b);
  raw_kernel(&b);
  reversed_columns();
  extremes();
  gather();
  product();
  SEE(strcmp(gpuarray_error_str(99), "Unknown GA error") == 0);
  SEE(gpuarray_get_extension("cuda_make_buf") != NULL);
  SEE(ga_float2half(1.0f).h == 0x3c00);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  gpucontext_deref(ctx);
  printf(bad ? "WRONG\n" : "all right\n");
  return bad;
}
