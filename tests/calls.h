/* SPDX-License-Identifier: MIT */
/* Calls of functions that share error codes, as tables: CALLS(DO) is DO(call) for
 * each. A test says in DO what every call is to give; tests/check-covered.sh reads
 * the calls as if each were written there.
 *
 * They use what calls_open() makes of a context: `a`, `b` vectors of 6 floats, every
 * second of 12, `t` a matrix of 3 x 2 by columns; `o`, `d` ones without gaps, of float
 * and double; `s`, `m`, `n` single numbers of float, float and int64; `i` indices; `e`,
 * `ge`, `buf`, `k`. Results go to `r`, which DO clears. */
#ifndef TESTS_CALLS_H
#define TESTS_CALLS_H

#include "tests/common.h"

#include "gpuarray.h"
#include "gpuarray/blas.h"
#include "gpuarray/collectives.h"
#include "gpuarray/elemwise.h"

static struct {
  gpucontext *ctx;
  GpuArray base, a, b, t, o, d, s, m, n, i;
  GpuExpr *e;
  GpuElemwise *ge; /* NULL where the device runs no CUDA C */
  gpudata *buf;    /* 64 bytes */
  FILE *null;
} f;

static GpuArray r;
static double host[64];
static unsigned int axis0;

static inline const gpuarg *named(const GpuArray *a)
{
  static gpuarg arg;
  arg = ga_array("a", a);
  return &arg;
}

static inline const GpuArray **listed(const GpuArray *a)
{
  static const GpuArray *list[1];
  list[0] = a;
  return list;
}

static inline void **pointers(const GpuArray *a, GpuArray *out)
{
  static void *list[2];
  list[0] = (void *)a;
  list[1] = out;
  return list;
}

/* Named operations of an array. */
#define CALLS_OPS(DO, A)                \
  DO(GpuArray_scale(&r, A, 2))          \
  DO(GpuArray_scale_into(&f.o, A, 2))   \
  DO(GpuArray_axpb(&r, A, 2, 1))        \
  DO(GpuArray_axpb_into(&f.o, A, 2, 1)) \
  DO(GpuArray_add(&r, A, &f.b))         \
  DO(GpuArray_add_into(&f.o, A, &f.b))  \
  DO(GpuArray_sub(&r, A, &f.b))         \
  DO(GpuArray_sub_into(&f.o, A, &f.b))  \
  DO(GpuArray_mul(&r, A, &f.b))         \
  DO(GpuArray_mul_into(&f.o, A, &f.b))  \
  DO(GpuArray_div(&r, A, &f.b))         \
  DO(GpuArray_div_into(&f.o, A, &f.b))  \
  DO(GpuArray_neg(&r, A))               \
  DO(GpuArray_neg_into(&f.o, A))        \
  DO(GpuArray_axpy(&f.o, 2, A))         \
  DO(GpuArray_cast(&r, A, GA_DOUBLE))   \
  DO(GpuArray_dot(&r, A, &f.b))         \
  DO(GpuArray_dot_into(&f.s, A, &f.b))  \
  DO(GpuArray_sum(&r, A))               \
  DO(GpuArray_sum_into(&f.s, A))        \
  DO(GpuArray_sumsq(&r, A))             \
  DO(GpuArray_sumsq_into(&f.s, A))      \
  DO(GpuArray_mean(&r, A))              \
  DO(GpuArray_mean_into(&f.s, A))       \
  DO(GpuArray_min(&r, A))               \
  DO(GpuArray_min_into(&f.s, A))        \
  DO(GpuArray_max(&r, A))               \
  DO(GpuArray_max_into(&f.s, A))        \
  DO(GpuArray_norm(&r, A))              \
  DO(GpuArray_norm_into(&f.s, A))       \
  DO(GpuArray_cumsum(&r, A))            \
  DO(GpuArray_cumsum_into(&f.o, A))

/* Expressions of an array. */
#define CALLS_EXPR(DO, A)                            \
  DO(GpuArray_eval(&r, f.ctx, "a + 1", 1, named(A))) \
  DO(GpuArray_eval_into(&f.o, "a + 1", 1, named(A))) \
  DO(GpuExpr_call(f.e, &r, 1, named(A)))             \
  DO(GpuExpr_call_into(f.e, &f.o, 1, named(A)))

/* Copies of an array: they convert, or close gaps, which kernels do. */
#define CALLS_COPY(DO, A)                                  \
  DO(GpuArray_move(&f.d, A))                               \
  DO(GpuArray_setarray(&f.i, A))                           \
  DO(GpuArray_copy(&r, A, GA_C_ORDER))                     \
  DO(GpuArray_concatenate(&r, listed(A), 1, 0, GA_DOUBLE)) \
  DO(GpuArray_tohost(host, 24, GA_FLOAT, A))               \
  DO(GpuArray_print(f.null, A))                            \
  DO(GpuArray_fdump(f.null, A))

/* A copy of an array of two axes that lie in the other order. */
#define CALLS_RESHAPE(DO, A) DO(GpuArray_reshape(&r, A, GA_DIMS(6), GA_C_ORDER, 0))

/* Kernels of other kinds. */
#define CALLS_KERNEL(DO, A)                           \
  DO(GpuArray_take1(&f.o, A, &f.i, 1))                \
  DO(GpuArray_maxandargmax(&f.m, &f.n, A, 1, &axis0)) \
  DO(GpuElemwise_call(f.ge, pointers(A, &f.o), 0))

/* Arrays made: device memory is asked for or written. */
#define CALLS_MAKE(DO)                                            \
  DO(GpuArray_empty(&r, f.ctx, GA_FLOAT, GA_DIMS(6), GA_C_ORDER)) \
  DO(GpuArray_zeros(&r, f.ctx, GA_FLOAT, GA_DIMS(6), GA_C_ORDER)) \
  DO(GpuArray_full(&r, f.ctx, GA_FLOAT, GA_DIMS(6), 1))           \
  DO(GpuArray_arange(&r, f.ctx, GA_FLOAT, 0, 6, 1))               \
  DO(GpuArray_empty_like(&r, &f.a))                               \
  DO(GpuArray_fromhost(&r, f.ctx, GA_FLOAT, GA_DIMS(6), host))

/* Views: memory of the host alone. */
#define CALLS_VIEW(DO)                                                         \
  DO(GpuArray_view(&r, &f.a))                                                  \
  DO(GpuArray_index(&r, &f.a, (ssize_t[]){0}, (ssize_t[]){3}, (ssize_t[]){1})) \
  DO(GpuArray_slice(&r, &f.a, "::2"))                                          \
  DO(GpuArray_broadcast_to(&r, &f.a, GA_DIMS(2, 6)))                           \
  DO(GpuArray_transpose(&r, &f.a, NULL))                                       \
  DO(GpuArray_split((GpuArray *[]){&r}, &f.a, 0, NULL, 0))                     \
  DO(GpuArray_fromdata(&r, f.buf, 0, GA_INT, GA_DIMS(3), NULL, 1))

static inline void calls_open(gpucontext *ctx)
{
  gpuelemwise_arg args[2] = {{"x", GA_FLOAT, GE_READ}, {"y", GA_FLOAT, GE_WRITE}};
  size_t some = 6;
  ssize_t step = 8;
  int err;
  f.ctx = ctx;
  OK(GpuArray_zeros(&f.base, ctx, GA_FLOAT, GA_DIMS(12), GA_C_ORDER));
  OK(GpuArray_fromdata(&f.a, f.base.data, 0, GA_FLOAT, 1, &some, &step, 1));
  OK(GpuArray_fromdata(&f.b, f.base.data, 4, GA_FLOAT, 1, &some, &step, 1));
  OK(GpuArray_fromdata(&f.t, f.base.data, 0, GA_FLOAT, GA_DIMS(3, 2), (ssize_t[]){4, 12}, 1));
  OK(GpuArray_zeros(&f.o, ctx, GA_FLOAT, GA_DIMS(6), GA_C_ORDER));
  OK(GpuArray_zeros(&f.d, ctx, GA_DOUBLE, GA_DIMS(6), GA_C_ORDER));
  OK(GpuArray_zeros(&f.s, ctx, GA_FLOAT, GA_DIMS(), GA_C_ORDER));
  OK(GpuArray_zeros(&f.m, ctx, GA_FLOAT, GA_DIMS(), GA_C_ORDER));
  OK(GpuArray_zeros(&f.n, ctx, GA_LONG, GA_DIMS(), GA_C_ORDER));
  OK(GpuArray_zeros(&f.i, ctx, GA_INT, GA_DIMS(6), GA_C_ORDER));
  OK(GpuExpr_new(&f.e, ctx, "a + 1", 1, named(&f.a)));
  f.ge = GpuElemwise_new(ctx, NULL, "y = x", 2, args, 1, 0);
  f.buf = gpudata_alloc(ctx, 64, NULL, 0, &err);
  OK(err);
  f.null = fopen("/dev/null", "w");
  ck_assert_ptr_nonnull(f.null);
}

static inline void calls_close(void)
{
  GpuArray *all[] = {&f.base, &f.a, &f.b, &f.t, &f.o, &f.d, &f.s, &f.m, &f.n, &f.i};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) GpuArray_clear(all[k]);
  GpuElemwise_free(f.ge);
  GpuExpr_free(f.e);
  gpudata_release(f.buf);
  fclose(f.null);
}

#endif
