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

int main(int argc, char **argv)
{
  const char *dev = argc > 1 ? argv[1] : "cuda";
  gpucontext_props *p;
  unsigned int n = 0, axis = 1;
  char name[256];
  float host[6] = {1, 2, 3, 4, 5, 6}, got[6], s = 2;
  size_t dims[2] = {2, 3}, two = 2, count = 6, gs = 0, ls = 0;
  GpuArray a, b, c, v, m, am, idx, tk;
  ssize_t start[2] = {0, 2}, stop[2] = {2, -1}, step[2] = {1, -1};
  gpuelemwise_arg args[3];
  void *vals[3];
  GpuElemwise *ge;
  GpuKernel k;
  int types[3] = {GA_BUFFER, GA_FLOAT, GA_SIZE}, where[2] = {1, -2};
  long long at[2];
  char *err = NULL;
  void *kargs[3];
  size_t i;

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

  TRY(GpuArray_empty(&a, ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  TRY(GpuArray_write(&a, host, sizeof host));
  TRY(GpuArray_zeros(&b, ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  SEE(GpuArray_IS_C_CONTIGUOUS(&a) && GpuArray_ISALIGNED(&a) && GpuArray_ITEMSIZE(&a) == 4);

  args[0].name = "x";
  args[0].typecode = GA_FLOAT;
  args[0].flags = GE_READ;
  args[1].name = "s";
  args[1].typecode = GA_FLOAT;
  args[1].flags = GE_SCALAR;
  args[2].name = "y";
  args[2].typecode = GA_FLOAT;
  args[2].flags = GE_WRITE;
  ge = GpuElemwise_new(ctx, "", "y = x * s", 3, args, 2, 0);
  if (ge == NULL) {
    printf("elemwise: %s\n", gpucontext_error(ctx, 0));
    return 1;
  }
  vals[0] = &a;
  vals[1] = &s;
  vals[2] = &b;
  TRY(GpuElemwise_call(ge, vals, GE_BROADCAST));
  TRY(GpuArray_read(got, sizeof got, &b));
  for (i = 0; i < 6; i++) SEE(got[i] == 2 * host[i]);
  GpuElemwise_free(ge);

  TRY(GpuArray_index(&v, &a, start, stop, step)); /* columns reversed */
  TRY(GpuArray_copy(&c, &v, GA_C_ORDER));
  TRY(GpuArray_read(got, sizeof got, &c));
  SEE(got[0] == 3 && got[2] == 1 && got[3] == 6);

  if (GpuKernel_init(&k, ctx, 1, &text, NULL, "k", 3, types, GA_USE_CUDA, &err) != GA_NO_ERROR) {
    printf("kernel: %s\n%s\n", gpucontext_error(ctx, 0), err != NULL ? err : "");
    return 1;
  }
  TRY(GpuKernel_sched(&k, count, &gs, &ls));
  kargs[0] = b.data;
  kargs[1] = &s;
  kargs[2] = &count;
  TRY(GpuKernel_call(&k, 1, &gs, &ls, 0, kargs));
  TRY(GpuArray_read(got, sizeof got, &b));
  for (i = 0; i < 6; i++) SEE(got[i] == 4 * host[i] + 1);
  GpuKernel_clear(&k);

  TRY(GpuArray_empty(&m, ctx, GA_FLOAT, 1, &two, GA_C_ORDER));
  TRY(GpuArray_empty(&am, ctx, GA_LONG, 1, &two, GA_C_ORDER));
  TRY(GpuArray_maxandargmax(&m, &am, &a, 1, &axis));
  TRY(GpuArray_read(got, 2 * sizeof *got, &m));
  TRY(GpuArray_read(at, sizeof at, &am));
  SEE(got[0] == 3 && got[1] == 6 && at[0] == 2 && at[1] == 2);

  TRY(GpuArray_empty(&idx, ctx, GA_INT, 1, &two, GA_C_ORDER));
  TRY(GpuArray_write(&idx, where, sizeof where));
  TRY(GpuArray_empty(&tk, ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  TRY(GpuArray_take1(&tk, &a, &idx, 1));
  TRY(GpuArray_read(got, sizeof got, &tk));
  SEE(got[0] == 4 && got[3] == 1);

  GpuArray_clear(&c);
  dims[0] = dims[1] = 2;
  TRY(GpuArray_zeros(&c, ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  if (GpuArray_sgemm(cb_no_trans, cb_trans, 1, &a, &a, 0, &c, 0) == GA_NO_ERROR) {
    TRY(GpuArray_read(got, 4 * sizeof *got, &c));
    SEE(got[0] == 14 && got[1] == 32 && got[2] == 32 && got[3] == 77);
  } else {
    printf("no BLAS: %s\n", gpucontext_error(ctx, 0));
  }
  SEE(strcmp(gpuarray_error_str(99), "Unknown GA error") == 0);
  SEE(gpuarray_get_extension("cuda_make_buf") != NULL);
  SEE(ga_float2half(1.0f).h == 0x3c00);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
  GpuArray_clear(&v);
  GpuArray_clear(&m);
  GpuArray_clear(&am);
  GpuArray_clear(&idx);
  GpuArray_clear(&tk);
  gpucontext_deref(ctx);
  printf(bad ? "WRONG\n" : "all right\n");
  return bad;
}
