/* SPDX-License-Identifier: MIT */
/* Every BLAS function gives each of its error codes: over the stub driver with a cuBLAS
 * that fails, that has no functions of 64-bit sizes, or that is not there. */
#include <limits.h>

#include "lib/cuda/cutypes.h"
#include "tests/device.h"
#include "tests/stub.h"

#include "gpuarray/arg.h"
#include "gpuarray/blas.h"
#include "gpuarray/extension.h"

#define BEYOND ((size_t)INT_MAX + 2)

static gpucontext *ctx;
static gpudata *a, *b, *c, *none;
static size_t zero, odd = 1;

static void open_blas(const char *cublas)
{
  char path[4096];
  double values[8] = {0};
  int err;
  stub_use("libstubcuda");
  ck_assert(setenv("GPUARRAY_CUBLAS", stub_path(path, cublas), 1) == 0);
  ctx = stub_context();
  a = gpudata_alloc(ctx, sizeof values, values, GA_BUFFER_INIT, &err);
  b = gpudata_alloc(ctx, sizeof values, values, GA_BUFFER_INIT, &err);
  c = gpudata_alloc(ctx, sizeof values, values, GA_BUFFER_INIT, &err);
  OK(err);
}

static void close_blas(void)
{
  gpudata_release(a);
  gpudata_release(b);
  gpudata_release(c);
  gpucontext_deref(ctx);
}

#define N cb_no_trans
/* Products of one element, for the type `t`; ld, inc: a leading dimension and an
 * increment. */
#define CALLS_ONE(DO, t, ld, inc)                                                \
  DO(gpublas_##t##dot(1, a, 0, inc, b, 0, 1, c, 0))                              \
  DO(gpublas_##t##gemv(cb_row, N, 1, 1, 1, a, 0, ld, b, 0, 1, 0, c, 0, 1))       \
  DO(gpublas_##t##gemm(cb_row, N, N, 1, 1, 1, 1, a, 0, ld, b, 0, 1, 0, c, 0, 1)) \
  DO(gpublas_##t##ger(cb_row, 1, 1, 1, a, 0, 1, b, 0, 1, c, 0, ld))
/* Batches of one product; off: the offset in bytes of the first operand. */
#define CALLS_VECTORS(DO, t, ld, off, flags)                                                   \
  DO(gpublas_##t##gemvBatch(cb_row, N, 1, 1, 1, &a, off, ld, &b, &zero, 1, 0, &c, &zero, 1, 1, \
                            flags))                                                            \
  DO(gpublas_##t##gerBatch(cb_row, 1, 1, 1, &a, off, 1, &b, &zero, 1, &c, &zero, ld, 1, flags))
#define CALLS_MATRICES(DO, t, ld, flags)                                                         \
  DO(gpublas_##t##gemmBatch(cb_row, N, N, 1, 1, 1, 1, &a, &zero, ld, &b, &zero, 1, 0, &c, &zero, \
                            1, 1, flags))                                                        \
  DO(gpublas_##t##gemm3D(cb_row, N, N, 1, 1, 1, 1, a, 0, ld, 1, b, 0, 1, 1, 0, c, 0, 1, 1, 1,    \
                         flags))
#define CALLS_TYPE(DO, t, ld, inc) \
  CALLS_ONE(DO, t, ld, inc) CALLS_VECTORS(DO, t, ld, &zero, 0) CALLS_MATRICES(DO, t, ld, 0)
#define CALLS_BUFFERS(DO, ld, inc) \
  CALLS_TYPE(DO, h, ld, inc) CALLS_TYPE(DO, s, ld, inc) CALLS_TYPE(DO, d, ld, inc)
#define CALLS_MANY(DO, off, flags)    \
  CALLS_VECTORS(DO, h, 1, off, flags) \
  CALLS_VECTORS(DO, s, 1, off, flags) \
  CALLS_VECTORS(DO, d, 1, off, flags)
#define CALLS_MANY_MATRICES(DO, flags) \
  CALLS_MATRICES(DO, h, 1, flags) CALLS_MATRICES(DO, s, 1, flags) CALLS_MATRICES(DO, d, 1, flags)

#define WORKS(call)     OK(call);
#define REFUSED(call)   FAILS(GA_VALUE_ERROR, "0", call);
#define FLAGGED(call)   FAILS(GA_INVALID_ERROR, "flags", call);
#define UNALIGNED(call) FAILS(GA_UNALIGNED_ERROR, "bytes", call);
#define BROKEN(call)    FAILS(GA_BLAS_ERROR, "cuBLAS status 14", call);
#define TOO_LARGE(call) FAILS(GA_XLARGE_ERROR, "2^31-1", call);
#define ABSENT(call)    FAILS(GA_UNSUPPORTED_ERROR, "/nowhere/libcublas.so", call);

static void make_fail(int result)
{
  char path[4096];
  void *lib = dlopen(stub_path(path, "libstubcublas"), RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(lib != NULL, "%s", dlerror());
  ((void (*)(int))dlsym(lib, "stub_cublas_fail"))(result);
}

START_TEST(arguments_are_refused)
{
  open_blas("libstubcublas");
  CALLS_BUFFERS(WORKS, 1, 1)
  CALLS_BUFFERS(REFUSED, 0, 0)
  CALLS_MANY(FLAGGED, &zero, 1)
  CALLS_MANY_MATRICES(FLAGGED, 1)
  CALLS_MANY(UNALIGNED, &odd, 0)
  FAILS(GA_VALUE_ERROR, "NULL", gpublas_sdot(1, none, 0, 1, b, 0, 1, c, 0));
  FAILS(GA_VALUE_ERROR, "argument 1", gpublas_setup(NULL));
  close_blas();
}
END_TEST

/* Vectors and matrices of `n` elements, which nothing is to touch. */
typedef struct set {
  GpuArray x, y, z, A, Y, C, cube;
} set;

static gpudata *room;

static GpuArray far(unsigned int nd, const size_t *dims)
{
  GpuArray r = {0};
  OK(GpuArray_fromdata(&r, room, 0, GA_FLOAT, nd, dims, NULL, 1));
  return r;
}

static GpuArray far_out(unsigned int nd, const size_t *dims, size_t at)
{
  GpuArray r = {0};
  OK(GpuArray_fromdata(&r, room, at, GA_FLOAT, nd, dims, NULL, 1));
  return r;
}

static set arrays(size_t n)
{
  const size_t rest = (size_t)1 << 40;
  set s;
  room = ((gpudata * (*)(gpucontext *, CUdeviceptr, size_t))
              gpuarray_get_extension("cuda_make_buf"))(ctx, 1 << 20, (size_t)1 << 41);
  ck_assert_ptr_nonnull(room);
  s.x = far(GA_DIMS(n));
  s.z = far_out(0, NULL, rest);
  s.A = far(GA_DIMS(n, 1));
  s.y = far(GA_DIMS(1));
  s.Y = far_out(GA_DIMS(n), rest);
  s.C = far_out(GA_DIMS(n, 1), rest);
  s.cube = far(GA_DIMS(1, n, 1));
  return s;
}

static void clear(set *s)
{
  GpuArray *all[] = {&s->x, &s->y, &s->z, &s->A, &s->Y, &s->C, &s->cube};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) GpuArray_clear(all[i]);
  gpudata_release(room);
}

static GpuArray one3, out3;

#define CALLS_ARRAYS(DO, s)                                       \
  DO(GpuArray_rdot(&(s).x, &(s).x, &(s).z, 1))                    \
  DO(GpuArray_rgemv(N, 1, &(s).A, &(s).y, 0, &(s).Y, 1))          \
  DO(GpuArray_rgemm(N, cb_trans, 1, &(s).A, &out3, 0, &(s).C, 1)) \
  DO(GpuArray_rger(1, &(s).x, &(s).y, &(s).C, 1))

START_TEST(sizes_beyond_an_old_library_are_told)
{
  set s;
  GpuArray cube_out = {0}, small = {0};
  open_blas("libstubcublas_old");
  CALLS_BUFFERS(TOO_LARGE, BEYOND, BEYOND)
  s = arrays(BEYOND);
  out3 = far(GA_DIMS(1, 1));
  CALLS_ARRAYS(TOO_LARGE, s)
  small = far(GA_DIMS(1, 1, 1));
  cube_out = far_out(GA_DIMS(1, BEYOND, 1), (size_t)1 << 40);
  TOO_LARGE(GpuArray_rgemmBatch_3d(N, N, 1, &s.cube, &small, 0, &cube_out, 1))
  GpuArray_clear(&cube_out);
  GpuArray_clear(&small);
  GpuArray_clear(&out3);
  clear(&s);
  close_blas();
}
END_TEST

static GpuArray ones(unsigned int nd, const size_t *dims, int typecode)
{
  GpuArray r = {0};
  OK(GpuArray_zeros(&r, ctx, typecode, nd, dims, GA_C_ORDER));
  return r;
}

static set small_arrays(int typecode)
{
  set s = {ones(GA_DIMS(1), typecode),      ones(GA_DIMS(1), typecode),
           ones(0, NULL, typecode),         ones(GA_DIMS(1, 1), typecode),
           ones(GA_DIMS(1), typecode),      ones(GA_DIMS(1, 1), typecode),
           ones(GA_DIMS(1, 1, 1), typecode)};
  out3 = ones(GA_DIMS(1, 1), typecode);
  one3 = ones(GA_DIMS(1, 1, 1), typecode);
  room = NULL;
  return s;
}

static void clear_small(set *s)
{
  clear(s);
  GpuArray_clear(&out3);
  GpuArray_clear(&one3);
}

#define BATCH3(s) GpuArray_rgemmBatch_3d(N, N, 1, &(s).cube, &(s).cube, 0, &one3, 1)

START_TEST(failing_library_is_told)
{
  set s;
  open_blas("libstubcublas");
  make_fail(14);
  FAILS(GA_BLAS_ERROR, "cuBLAS status 14", gpublas_setup(ctx));
  make_fail(0);
  OK(gpublas_setup(ctx));
  s = small_arrays(GA_FLOAT);
  make_fail(14);
  CALLS_BUFFERS(BROKEN, 1, 1)
  CALLS_ARRAYS(BROKEN, s)
  BROKEN(BATCH3(s))
  ck_assert_str_eq(gpublas_error(ctx), gpuarray_error_message());
  make_fail(0);
  CALLS_ARRAYS(WORKS, s)
  WORKS(BATCH3(s))
  clear_small(&s);
  close_blas();
}
END_TEST

START_TEST(absent_library_is_told)
{
  set s;
  stub_use("libstubcuda");
  open_blas("libstubcublas"); /* not looked at yet */
  setenv("GPUARRAY_CUBLAS", "/nowhere/libcublas.so", 1);
  ABSENT(gpublas_setup(ctx))
  s = small_arrays(GA_FLOAT);
  CALLS_BUFFERS(ABSENT, 1, 1)
  CALLS_ARRAYS(ABSENT, s)
  ABSENT(BATCH3(s))
  clear_small(&s);
  close_blas();
}
END_TEST

#define WRONG_TYPE(call)      FAILS(GA_INVALID_ERROR, "typecode", call);
#define ARRAY_UNALIGNED(call) FAILS(GA_UNALIGNED_ERROR, "aligned", call);

START_TEST(arrays_are_refused)
{
  set s;
  open_blas("libstubcublas");
  s = small_arrays(GA_INT);
  CALLS_ARRAYS(WRONG_TYPE, s)
  WRONG_TYPE(BATCH3(s))
  clear_small(&s);
  s = small_arrays(GA_FLOAT);
  s.x.flags &= ~GA_ALIGNED;
  s.A.flags &= ~GA_ALIGNED;
  s.cube.flags &= ~GA_ALIGNED;
  CALLS_ARRAYS(ARRAY_UNALIGNED, s)
  ARRAY_UNALIGNED(BATCH3(s))
  clear_small(&s);
  close_blas();
}
END_TEST

static const test_case cases[] = {
    CASE(arguments_are_refused),   CASE(sizes_beyond_an_old_library_are_told),
    CASE(failing_library_is_told), CASE(absent_library_is_told),
    CASE(arrays_are_refused),      CASE_END};

int main(void) { return test_main("blas_codes", cases); }
