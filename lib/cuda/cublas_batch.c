/* SPDX-License-Identifier: MIT */
/* Many products at once through cuBLAS: of matrices at equal distances, and of
 * matrices anywhere, whose addresses go to the device first. All types are
 * multiplied by the Ex functions, in float32 but for float64. */
#include <limits.h>
#include <stdlib.h>

#include "cublas_load.h"
#include "cuda_blas.h"
#include "gpuarray/types.h"

/* The products as cuBLAS takes them: stored by columns. */
typedef struct products {
  int ta, tb, type, compute;
  size_t m, n, k, lda, ldb, ldc;
  double alpha, beta;
  float alphaf, betaf;
  const void *pa, *pb;
} products;

/* A product by rows is that of the factors exchanged, by columns. *p stays where it is:
 * it points into itself. */
static void set(products *p, int typecode, int row, cb_transpose ta, cb_transpose tb, size_t m,
                size_t n, size_t k, double alpha, size_t lda, size_t ldb, double beta, size_t ldc)
{
  *p = (products){.ta = row ? tb : ta,
                  .tb = row ? ta : tb,
                  .m = row ? n : m,
                  .n = row ? m : n,
                  .k = k,
                  .lda = row ? ldb : lda,
                  .ldb = row ? lda : ldb,
                  .ldc = ldc,
                  .alpha = alpha,
                  .beta = beta,
                  .alphaf = (float)alpha,
                  .betaf = (float)beta};
  p->type = typecode == GA_DOUBLE ? CUDA_R_64F : typecode == GA_FLOAT ? CUDA_R_32F : CUDA_R_16F;
  p->compute = typecode == GA_DOUBLE ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
  p->pa = typecode == GA_DOUBLE ? (const void *)&p->alpha : &p->alphaf;
  p->pb = typecode == GA_DOUBLE ? (const void *)&p->beta : &p->betaf;
}

static int is_wide(const products *p, size_t batch)
{
  return p->m > INT_MAX || p->n > INT_MAX || p->k > INT_MAX || p->lda > INT_MAX ||
         p->ldb > INT_MAX || p->ldc > INT_MAX || batch > INT_MAX;
}

static cublasStatus_t strided(cublasHandle_t h, const products *p, int wide, const void *a,
                              ssize_t sa, const void *b, ssize_t sb, void *c, ssize_t sc,
                              size_t batch)
{
  if (wide)
    return ga_cublas.cublasGemmStridedBatchedEx_64(
        h, p->ta, p->tb, (int64_t)p->m, (int64_t)p->n, (int64_t)p->k, p->pa, a, p->type,
        (int64_t)p->lda, sa, b, p->type, (int64_t)p->ldb, sb, p->pb, c, p->type, (int64_t)p->ldc,
        sc, (int64_t)batch, p->compute, CUBLAS_GEMM_DEFAULT);
  return ga_cublas.cublasGemmStridedBatchedEx(h, p->ta, p->tb, (int)p->m, (int)p->n, (int)p->k,
                                              p->pa, a, p->type, (int)p->lda, sa, b, p->type,
                                              (int)p->ldb, sb, p->pb, c, p->type, (int)p->ldc, sc,
                                              (int)batch, p->compute, CUBLAS_GEMM_DEFAULT);
}

int ga_cuda_gemm_strided(int typecode, cb_order order, cb_transpose ta, cb_transpose tb, size_t m,
                         size_t n, size_t k, double alpha, gpudata *a, size_t offa, size_t lda,
                         ssize_t stridea, gpudata *b, size_t offb, size_t ldb, ssize_t strideb,
                         double beta, gpudata *c, size_t offc, size_t ldc, ssize_t stridec,
                         size_t batch)
{
  ga_cuda *ctx = ga_cuda_of(c->ctx);
  const void *pa = ga_cuda_at(a, offa, typecode), *pb = ga_cuda_at(b, offb, typecode);
  void *pc = ga_cuda_at(c, offc, typecode);
  int row = order == cb_row, pushed;
  products p;
  int wide;
  cublasStatus_t r;

  set(&p, typecode, row, ta, tb, m, n, k, alpha, lda, ldb, beta, ldc);
  wide = is_wide(&p, batch);
  GA_TRY(ga_cuda_blas_setup(c->ctx));
  if (wide && ga_cublas.cublasGemmStridedBatchedEx_64 == NULL) return ga_cuda_blas_large("gemm3D");
  GA_TRY(ga_cuda_blas_begin(ctx, "gemm3D", CUBLAS_POINTER_MODE_HOST, &pushed));
  r = row ? strided(ctx->blas, &p, wide, pb, strideb, pa, stridea, pc, stridec, batch)
          : strided(ctx->blas, &p, wide, pa, stridea, pb, strideb, pc, stridec, batch);
  return ga_cuda_blas_end(ctx, "gemm3D", pushed, r);
}

/* The addresses on the device: those of the first factors, the second, the results. */
static int send(gpudata **res, ga_cuda *ctx, int typecode, gpudata *const *const lists[3],
                const size_t *const offs[3], size_t batch)
{
  size_t size = 3 * batch * sizeof(void *);
  void **host = malloc(size);
  int err;

  *res = NULL;
  if (host == NULL) return ga_error_memory("gemmBatch", size);
  for (size_t l = 0; l < 3; l++)
    for (size_t i = 0; i < batch; i++)
      host[l * batch + i] = ga_cuda_at(lists[l][i], offs[l][i], typecode);
  err = ga_cuda_alloc(res, &ctx->base, size, 0);
  if (err == GA_NO_ERROR) err = ga_cuda_write(*res, 0, host, size);
  free(host);
  return err;
}

static cublasStatus_t scattered(cublasHandle_t h, const products *p, int wide, char *lists,
                                size_t batch)
{
  const void *const *a = (const void *const *)lists;
  const void *const *b = a + batch;
  void *const *c = (void *const *)(b + batch);

  if (wide)
    return ga_cublas.cublasGemmBatchedEx_64(
        h, p->ta, p->tb, (int64_t)p->m, (int64_t)p->n, (int64_t)p->k, p->pa, a, p->type,
        (int64_t)p->lda, b, p->type, (int64_t)p->ldb, p->pb, c, p->type, (int64_t)p->ldc,
        (int64_t)batch, p->compute, CUBLAS_GEMM_DEFAULT);
  return ga_cublas.cublasGemmBatchedEx(
      h, p->ta, p->tb, (int)p->m, (int)p->n, (int)p->k, p->pa, a, p->type, (int)p->lda, b, p->type,
      (int)p->ldb, p->pb, c, p->type, (int)p->ldc, (int)batch, p->compute, CUBLAS_GEMM_DEFAULT);
}

int ga_cuda_gemm_batch(int typecode, cb_order order, cb_transpose ta, cb_transpose tb, size_t m,
                       size_t n, size_t k, double alpha, gpudata *const *a, const size_t *offa,
                       size_t lda, gpudata *const *b, const size_t *offb, size_t ldb, double beta,
                       gpudata *const *c, const size_t *offc, size_t ldc, size_t batch)
{
  ga_cuda *ctx = ga_cuda_of(c[0]->ctx);
  int row = order == cb_row, pushed, err;
  gpudata *const *const lists[3] = {row ? b : a, row ? a : b, c};
  const size_t *const offs[3] = {row ? offb : offa, row ? offa : offb, offc};
  products p;
  int wide;
  gpudata *sent;

  set(&p, typecode, row, ta, tb, m, n, k, alpha, lda, ldb, beta, ldc);
  wide = is_wide(&p, batch);
  GA_TRY(ga_cuda_blas_setup(&ctx->base));
  if (wide && ga_cublas.cublasGemmBatchedEx_64 == NULL) return ga_cuda_blas_large("gemmBatch");
  err = send(&sent, ctx, typecode, lists, offs, batch);
  if (err == GA_NO_ERROR)
    err = ga_cuda_blas_begin(ctx, "gemmBatch", CUBLAS_POINTER_MODE_HOST, &pushed);
  if (err == GA_NO_ERROR)
    err = ga_cuda_blas_end(ctx, "gemmBatch", pushed,
                           scattered(ctx->blas, &p, wide, sent->ptr, batch));
  ga_cuda_free(sent); /* in the stream's order */
  return err;
}
