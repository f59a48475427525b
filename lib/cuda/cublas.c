/* SPDX-License-Identifier: MIT */
/* dot, gemv and gemm through cuBLAS: one handle per context, on its stream, used
 * under a lock because a call sets the handle's pointer mode first.
 *
 * cuBLAS stores matrices by columns. A matrix stored by rows is the transpose of
 * one stored by columns, so C = A B by rows is C' = B' A' by columns: the
 * operands swap. The math mode stays the default, which keeps float32 (no TF32).
 * float16 is multiplied and added in float32. */
#include <limits.h>

#include "cublas_load.h"
#include "cuda_blas.h"
#include "gpuarray/types.h"

_Thread_local CUstream ga_cuda_blas_side;

int ga_cuda_blas_setup(gpucontext *ctx)
{
  ga_cuda *c = ga_cuda_of(ctx);
  int pushed, err;
  cublasStatus_t r = CUBLAS_STATUS_SUCCESS;
  if (ga_cublas_load(ga_cu_version() / 1000) != GA_NO_ERROR)
    return ga_error(GA_UNSUPPORTED_ERROR, "%s", ga_error_message());
  GA_TRY(ga_cuda_enter(c, "blas", &pushed));
  ga_lock_take(&c->blas_lock);
  if (c->blas == NULL) {
    cublasHandle_t h = NULL;
    r = ga_cublas.cublasCreate_v2(&h);
    if (r == CUBLAS_STATUS_SUCCESS) {
      r = ga_cublas.cublasSetStream_v2(h, c->stream);
      if (r == CUBLAS_STATUS_SUCCESS)
        c->blas = h;
      else
        (void)ga_cublas.cublasDestroy_v2(h);
    }
  }
  ga_lock_give(&c->blas_lock);
  ga_cuda_exit(pushed);
  err = r == CUBLAS_STATUS_SUCCESS ? GA_NO_ERROR : ga_cublas_error("blas: cublasCreate", r);
  return err;
}

/* What NVIDIA recommends for each generation. All graphs share it: they run one
 * after the other. */
int ga_cuda_blas_space(ga_cuda *c)
{
  int err = GA_NO_ERROR;
  ga_lock_take(&c->blas_lock);
  if (c->blas_space == 0) {
    c->blas_size = (size_t)(c->cc >= 90 ? 32 : 4) << 20;
    err = ga_cuda_mem_alloc(c, &c->blas_space, c->blas_size);
  }
  ga_lock_give(&c->blas_lock);
  return err;
}

void ga_cuda_blas_close(ga_cuda *c)
{
  if (c->blas_space != 0) ga_cuda_mem_free(c, c->blas_space, c->blas_size);
  if (c->blas != NULL && ga_cuda_usable(c)) (void)ga_cublas.cublasDestroy_v2(c->blas);
  c->blas = NULL;
}

/* Onto the stream that the thread captures from, with the graphs' workspace: what
 * cuBLAS would allocate for itself cannot be in a child graph. */
static cublasStatus_t step_aside(ga_cuda *c)
{
  cublasStatus_t r = ga_cublas.cublasSetStream_v2(c->blas, ga_cuda_blas_side);
  if (r != CUBLAS_STATUS_SUCCESS || ga_cublas.cublasSetWorkspace_v2 == NULL) return r;
  return ga_cublas.cublasSetWorkspace_v2(c->blas, (void *)(uintptr_t)c->blas_space, c->blas_size);
}

/* Back to the context's stream, which makes the workspace cuBLAS' own again. */
static void step_back(ga_cuda *c)
{
  if (ga_cuda_blas_side != NULL) (void)ga_cublas.cublasSetStream_v2(c->blas, c->stream);
}

/* Takes the handle for one call; ga_cuda_blas_end gives it back. */
int ga_cuda_blas_begin(ga_cuda *c, const char *op, int mode, int *pushed)
{
  if (c->blas == NULL) GA_TRY(ga_cuda_blas_setup(&c->base));
  GA_TRY(ga_cuda_enter(c, op, pushed));
  ga_lock_take(&c->blas_lock);
  cublasStatus_t r = ga_cublas.cublasSetPointerMode_v2(c->blas, mode);
  if (r == CUBLAS_STATUS_SUCCESS && ga_cuda_blas_side != NULL) r = step_aside(c);
  if (r == CUBLAS_STATUS_SUCCESS) return GA_NO_ERROR;
  step_back(c);
  ga_lock_give(&c->blas_lock);
  ga_cuda_exit(*pushed);
  return ga_cublas_error(op, r);
}

int ga_cuda_blas_end(ga_cuda *c, const char *op, int pushed, cublasStatus_t r)
{
  step_back(c);
  ga_lock_give(&c->blas_lock);
  ga_cuda_exit(pushed);
  return r == CUBLAS_STATUS_SUCCESS ? GA_NO_ERROR : ga_cublas_error(op, r);
}

static size_t elsize(int typecode)
{
  return typecode == GA_DOUBLE ? 8 : typecode == GA_FLOAT ? 4 : 2;
}

void *ga_cuda_at(const gpudata *b, size_t off, int typecode)
{
  return (char *)b->ptr + off * elsize(typecode);
}

static int check_type(const char *op, int typecode)
{
  if (typecode == GA_FLOAT || typecode == GA_DOUBLE || typecode == GA_HALF) return GA_NO_ERROR;
  return ga_error(GA_INVALID_ERROR, "%s: typecode %d, expected half, float or double", op,
                  typecode);
}

int ga_cuda_blas_large(const char *op)
{
  return ga_error(GA_XLARGE_ERROR,
                  "%s: an extent or stride is above 2^31-1, for which this cuBLAS "
                  "(before 12) has no function",
                  op);
}

/* Does any of these need the functions with 64-bit sizes? */
static int is_wide(size_t a, size_t b, size_t c, size_t d, size_t e, size_t f)
{
  return a > INT_MAX || b > INT_MAX || c > INT_MAX || d > INT_MAX || e > INT_MAX || f > INT_MAX;
}

int ga_cuda_dot(int typecode, size_t n, gpudata *x, size_t offx, size_t incx, gpudata *y,
                size_t offy, size_t incy, gpudata *z, size_t offz)
{
  ga_cuda *c = ga_cuda_of(z->ctx);
  const void *px = ga_cuda_at(x, offx, typecode), *py = ga_cuda_at(y, offy, typecode);
  void *pz = ga_cuda_at(z, offz, typecode);
  int wide = is_wide(n, incx, incy, 0, 0, 0), pushed;
  int64_t N = (int64_t)n, ix = (int64_t)incx, iy = (int64_t)incy;
  cublasStatus_t r;
  GA_TRY(check_type("dot", typecode));
  if (n == 0) return ga_cuda_set(z, offz * elsize(typecode), 0, elsize(typecode));
  GA_TRY(ga_cuda_blas_setup(z->ctx));
  if (wide &&
      (!ga_cublas.cublasSdot_v2_64 || !ga_cublas.cublasDdot_v2_64 || !ga_cublas.cublasDotEx_64))
    return ga_cuda_blas_large("dot");
  GA_TRY(ga_cuda_blas_begin(c, "dot", CUBLAS_POINTER_MODE_DEVICE, &pushed));
  if (typecode == GA_FLOAT)
    r = wide ? ga_cublas.cublasSdot_v2_64(c->blas, N, px, ix, py, iy, pz)
             : ga_cublas.cublasSdot_v2(c->blas, (int)n, px, (int)incx, py, (int)incy, pz);
  else if (typecode == GA_DOUBLE)
    r = wide ? ga_cublas.cublasDdot_v2_64(c->blas, N, px, ix, py, iy, pz)
             : ga_cublas.cublasDdot_v2(c->blas, (int)n, px, (int)incx, py, (int)incy, pz);
  else
    r = wide ? ga_cublas.cublasDotEx_64(c->blas, N, px, CUDA_R_16F, ix, py, CUDA_R_16F, iy, pz,
                                        CUDA_R_16F, CUDA_R_32F)
             : ga_cublas.cublasDotEx(c->blas, (int)n, px, CUDA_R_16F, (int)incx, py, CUDA_R_16F,
                                     (int)incy, pz, CUDA_R_16F, CUDA_R_32F);
  return ga_cuda_blas_end(c, "dot", pushed, r);
}

/* A product stored by columns: op(a) is m x k, op(b) k x n, c m x n. */
typedef struct product {
  int ta, tb;
  size_t m, n, k;
  double alpha, beta;
  const void *a, *b;
  void *c;
  size_t lda, ldb, ldc;
} product;

static cublasStatus_t multiply(ga_cuda *c, int typecode, const product *p)
{
  cublasHandle_t h = c->blas;
  const float fa = (float)p->alpha, fb = (float)p->beta;
  int m = (int)p->m, n = (int)p->n, k = (int)p->k;
  int lda = (int)p->lda, ldb = (int)p->ldb, ldc = (int)p->ldc;
  if (typecode == GA_FLOAT)
    return ga_cublas.cublasSgemm_v2(h, p->ta, p->tb, m, n, k, &fa, p->a, lda, p->b, ldb, &fb, p->c,
                                    ldc);
  if (typecode == GA_DOUBLE)
    return ga_cublas.cublasDgemm_v2(h, p->ta, p->tb, m, n, k, &p->alpha, p->a, lda, p->b, ldb,
                                    &p->beta, p->c, ldc);
  return ga_cublas.cublasGemmEx(h, p->ta, p->tb, m, n, k, &fa, p->a, CUDA_R_16F, lda, p->b,
                                CUDA_R_16F, ldb, &fb, p->c, CUDA_R_16F, ldc, CUBLAS_COMPUTE_32F,
                                CUBLAS_GEMM_DEFAULT);
}

static cublasStatus_t multiply64(ga_cuda *c, int typecode, const product *p)
{
  cublasHandle_t h = c->blas;
  const float fa = (float)p->alpha, fb = (float)p->beta;
  int64_t m = (int64_t)p->m, n = (int64_t)p->n, k = (int64_t)p->k;
  int64_t lda = (int64_t)p->lda, ldb = (int64_t)p->ldb, ldc = (int64_t)p->ldc;
  if (typecode == GA_FLOAT)
    return ga_cublas.cublasSgemm_v2_64(h, p->ta, p->tb, m, n, k, &fa, p->a, lda, p->b, ldb, &fb,
                                       p->c, ldc);
  if (typecode == GA_DOUBLE)
    return ga_cublas.cublasDgemm_v2_64(h, p->ta, p->tb, m, n, k, &p->alpha, p->a, lda, p->b, ldb,
                                       &p->beta, p->c, ldc);
  return ga_cublas.cublasGemmEx_64(h, p->ta, p->tb, m, n, k, &fa, p->a, CUDA_R_16F, lda, p->b,
                                   CUDA_R_16F, ldb, &fb, p->c, CUDA_R_16F, ldc, CUBLAS_COMPUTE_32F,
                                   CUBLAS_GEMM_DEFAULT);
}

static int run_product(ga_cuda *c, const char *op, int typecode, const product *p)
{
  int wide = is_wide(p->m, p->n, p->k, p->lda, p->ldb, p->ldc), pushed;
  GA_TRY(ga_cuda_blas_setup(&c->base));
  if (wide &&
      (!ga_cublas.cublasSgemm_v2_64 || !ga_cublas.cublasDgemm_v2_64 || !ga_cublas.cublasGemmEx_64))
    return ga_cuda_blas_large(op);
  GA_TRY(ga_cuda_blas_begin(c, op, CUBLAS_POINTER_MODE_HOST, &pushed));
  return ga_cuda_blas_end(c, op, pushed,
                          wide ? multiply64(c, typecode, p) : multiply(c, typecode, p));
}

int ga_cuda_gemm(int typecode, cb_order order, cb_transpose ta, cb_transpose tb, size_t m, size_t n,
                 size_t k, double alpha, gpudata *a, size_t offa, size_t lda, gpudata *b,
                 size_t offb, size_t ldb, double beta, gpudata *c, size_t offc, size_t ldc)
{
  GA_TRY(check_type("gemm", typecode));
  if (m == 0 || n == 0) return GA_NO_ERROR;
  const void *pa = ga_cuda_at(a, offa, typecode), *pb = ga_cuda_at(b, offb, typecode);
  void *pc = ga_cuda_at(c, offc, typecode);
  product cols = {ta, tb, m, n, k, alpha, beta, pa, pb, pc, lda, ldb, ldc};
  product rows = {tb, ta, n, m, k, alpha, beta, pb, pa, pc, ldb, lda, ldc};
  return run_product(ga_cuda_of(c->ctx), "gemm", typecode, order == cb_row ? &rows : &cols);
}

/* y' = x' op(a)': a product with one row, whose "leading dimensions" are the
 * steps of x and y. `ta` and the extents are those of a stored by columns. */
static int half_gemv(ga_cuda *c, int ta, size_t rows, size_t cols, double alpha, const void *a,
                     size_t lda, const void *x, int incx, double beta, void *y, int incy)
{
  product p = {CUBLAS_OP_N,
               ta == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N,
               1,
               ta == CUBLAS_OP_N ? rows : cols,
               ta == CUBLAS_OP_N ? cols : rows,
               alpha,
               beta,
               x,
               a,
               y,
               (size_t)incx,
               lda,
               (size_t)incy};
  if (incx <= 0 || incy <= 0)
    return ga_error(GA_UNSUPPORTED_ERROR, "gemv: float16 vectors need positive steps");
  return run_product(c, "gemv", GA_HALF, &p);
}

int ga_cuda_gemv(int typecode, cb_order order, cb_transpose ta, size_t m, size_t n, double alpha,
                 gpudata *a, size_t offa, size_t lda, gpudata *x, size_t offx, int incx,
                 double beta, gpudata *y, size_t offy, int incy)
{
  ga_cuda *c = ga_cuda_of(y->ctx);
  int trans = ta == cb_no_trans ? CUBLAS_OP_N : CUBLAS_OP_T, wide, pushed;
  const void *pa = ga_cuda_at(a, offa, typecode), *px = ga_cuda_at(x, offx, typecode);
  void *py = ga_cuda_at(y, offy, typecode);
  const float fa = (float)alpha, fb = (float)beta;
  cublasStatus_t r;
  GA_TRY(check_type("gemv", typecode));
  if (order == cb_row) {
    size_t t = m;
    m = n;
    n = t;
    trans = trans == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;
  }
  if ((trans == CUBLAS_OP_N ? m : n) == 0) return GA_NO_ERROR;
  if (typecode == GA_HALF)
    return half_gemv(c, trans, m, n, alpha, pa, lda, px, incx, beta, py, incy);
  wide = is_wide(m, n, lda, 0, 0, 0);
  GA_TRY(ga_cuda_blas_setup(y->ctx));
  if (wide && (!ga_cublas.cublasSgemv_v2_64 || !ga_cublas.cublasDgemv_v2_64))
    return ga_cuda_blas_large("gemv");
  GA_TRY(ga_cuda_blas_begin(c, "gemv", CUBLAS_POINTER_MODE_HOST, &pushed));
  if (typecode == GA_FLOAT)
    r = wide ? ga_cublas.cublasSgemv_v2_64(c->blas, trans, (int64_t)m, (int64_t)n, &fa, pa,
                                           (int64_t)lda, px, incx, &fb, py, incy)
             : ga_cublas.cublasSgemv_v2(c->blas, trans, (int)m, (int)n, &fa, pa, (int)lda, px, incx,
                                        &fb, py, incy);
  else
    r = wide ? ga_cublas.cublasDgemv_v2_64(c->blas, trans, (int64_t)m, (int64_t)n, &alpha, pa,
                                           (int64_t)lda, px, incx, &beta, py, incy)
             : ga_cublas.cublasDgemv_v2(c->blas, trans, (int)m, (int)n, &alpha, pa, (int)lda, px,
                                        incx, &beta, py, incy);
  return ga_cuda_blas_end(c, "gemv", pushed, r);
}
