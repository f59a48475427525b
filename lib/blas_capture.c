/* SPDX-License-Identifier: MIT */
/* BLAS calls as nodes of a graph: the call's numbers and its three addresses in one
 * struct, which a replay hands to the device's member again. */
#include "lib/blas.h"

#include "gpuarray/types.h"
#include "lib/capture.h"

/* Bytes that n elements `step` apart extend over. */
static size_t extent(const ga_blas_call *c, size_t n, size_t step, size_t each)
{
  return ((n - 1) * step + each) * gpuarray_get_elsize(c->typecode);
}

static size_t vector(const ga_blas_call *c, size_t n, int i)
{
  ssize_t inc = c->step[i];

  return extent(c, n, (size_t)(inc < 0 ? -inc : inc), 1);
}

/* A matrix, or several, `step` elements apart. */
static size_t matrix(const ga_blas_call *c, size_t rows, size_t cols, int i)
{
  size_t lines = c->order == cb_row ? rows : cols, line = c->order == cb_row ? cols : rows;

  return extent(c, lines, c->ld[i], line) +
         (c->batch - 1) * (size_t)c->step[i] * gpuarray_get_elsize(c->typecode);
}

/* Bytes of operand i. */
static size_t bytes(const ga_blas_call *c, int i)
{
  int na = c->ta == cb_no_trans, nb = c->tb == cb_no_trans;

  switch (c->kind) {
  case GA_BLAS_DOT: return i == 2 ? extent(c, 1, 0, 1) : vector(c, c->n, i);
  case GA_BLAS_GEMV:
    return i == 0 ? matrix(c, c->m, c->n, 0) : vector(c, (i == 1) == na ? c->n : c->m, i);
  case GA_BLAS_GEMM: break;
  }
  return i == 0   ? matrix(c, na ? c->m : c->k, na ? c->k : c->m, 0)
         : i == 1 ? matrix(c, nb ? c->k : c->n, nb ? c->n : c->k, 1)
                  : matrix(c, c->m, c->n, 2);
}

int ga_blas_run(gpucontext *ctx, const ga_blas_call *c)
{
  const ga_backend *dev = ctx->backend;
  struct _gpudata b[3];

  for (int i = 0; i < 3; i++)
    b[i] = (struct _gpudata){.ptr = c->at[i], .ctx = ctx, .size = PTRDIFF_MAX};
  switch (c->kind) {
  case GA_BLAS_DOT:
    return dev->dot(c->typecode, c->n, &b[0], 0, (size_t)c->step[0], &b[1], 0, (size_t)c->step[1],
                    &b[2], 0);
  case GA_BLAS_GEMV:
    return dev->gemv(c->typecode, c->order, c->ta, c->m, c->n, c->alpha, &b[0], 0, c->ld[0], &b[1],
                     0, (int)c->step[1], c->beta, &b[2], 0, (int)c->step[2]);
  case GA_BLAS_GEMM: break;
  }
  if (c->batch > 1)
    return dev->gemm_strided(c->typecode, c->order, c->ta, c->tb, c->m, c->n, c->k, c->alpha, &b[0],
                             0, c->ld[0], c->step[0], &b[1], 0, c->ld[1], c->step[1], c->beta,
                             &b[2], 0, c->ld[2], c->step[2], c->batch);
  return dev->gemm(c->typecode, c->order, c->ta, c->tb, c->m, c->n, c->k, c->alpha, &b[0], 0,
                   c->ld[0], &b[1], 0, c->ld[1], c->beta, &b[2], 0, c->ld[2]);
}

static int run_node(gpucontext *ctx, const ga_work *n) { return ga_blas_run(ctx, n->args); }

int ga_blas_capture(const ga_blas_call *call, gpudata *const b[3], const size_t off[3])
{
  size_t size = gpuarray_get_elsize(call->typecode);
  gpugraph *g = ga_capture_of(b[2]->ctx);
  ga_blas_call c = *call;
  ga_work node = {.kind = GA_WORK_OTHER, .run = run_node, .args = &c, .nargs = sizeof c};
  int err = GA_NO_ERROR;

  ga_capture_call(g);
  for (int i = 0; i < 3 && err == GA_NO_ERROR; i++) {
    c.at[i] = (char *)b[i]->ptr + off[i] * size;
    err =
        ga_capture_bytes(g, (size_t)i * sizeof c.at[0], b[i], off[i] * size, bytes(&c, i), i == 2);
  }
  if (err == GA_NO_ERROR) err = ga_capture_add(g, &node);
  return ga_capture_done(g, err);
}

int ga_blas_capture_gemm(int typecode, cb_order order, cb_transpose ta, cb_transpose tb, size_t m,
                         size_t n, size_t k, double alpha, ga_blas_mat a, ga_blas_mat b,
                         double beta, ga_blas_mat c, const ssize_t step[3], size_t batch)
{
  return ga_blas_capture(&(ga_blas_call){.kind = GA_BLAS_GEMM,
                                         .typecode = typecode,
                                         .order = order,
                                         .ta = ta,
                                         .tb = tb,
                                         .m = m,
                                         .n = n,
                                         .k = k,
                                         .ld = {a.ld, b.ld, c.ld},
                                         .step = {step[0], step[1], step[2]},
                                         .batch = batch,
                                         .alpha = alpha,
                                         .beta = beta},
                         (gpudata *[]){a.b, b.b, c.b}, (size_t[]){a.off, b.off, c.off});
}
