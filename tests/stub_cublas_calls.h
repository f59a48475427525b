/* SPDX-License-Identifier: MIT */
/* The calls of stub_cublas.c, which includes this once for sizes of 32 bits and once for sizes of
 * 64, with SIZE their type, CALL(name) what a call is named and WIDE 1 for the latter. */
API int CALL(cublasSdot_v2)(void *h, SIZE n, const float *x, SIZE ix, const float *y, SIZE iy,
                            float *r)
{
  (void)h;
  wide_calls += WIDE;
  return dot_f(n, x, ix, y, iy, r);
}

API int CALL(cublasDdot_v2)(void *h, SIZE n, const double *x, SIZE ix, const double *y, SIZE iy,
                            double *r)
{
  (void)h;
  wide_calls += WIDE;
  return dot_d(n, x, ix, y, iy, r);
}

API int CALL(cublasDotEx)(void *h, SIZE n, const void *x, int xt, SIZE ix, const void *y, int yt,
                          SIZE iy, void *r, int rt, int et)
{
  (void)h;
  wide_calls += WIDE;
  if (xt != HALF || yt != HALF || rt != HALF || et != 0) return INVALID;
  return dot_h(n, x, ix, y, iy, r);
}

API int CALL(cublasSgemv_v2)(void *h, int ta, SIZE m, SIZE n, const float *alpha, const float *a,
                             SIZE lda, const float *x, SIZE ix, const float *beta, float *y,
                             SIZE iy)
{
  (void)h;
  wide_calls += WIDE;
  return gemv_f(ta, m, n, *alpha, a, lda, x, ix, *beta, y, iy);
}

API int CALL(cublasDgemv_v2)(void *h, int ta, SIZE m, SIZE n, const double *alpha, const double *a,
                             SIZE lda, const double *x, SIZE ix, const double *beta, double *y,
                             SIZE iy)
{
  (void)h;
  wide_calls += WIDE;
  return gemv_d(ta, m, n, *alpha, a, lda, x, ix, *beta, y, iy);
}

API int CALL(cublasSgemm_v2)(void *h, int ta, int tb, SIZE m, SIZE n, SIZE k, const float *alpha,
                             const float *a, SIZE lda, const float *b, SIZE ldb, const float *beta,
                             float *c, SIZE ldc)
{
  (void)h;
  wide_calls += WIDE;
  return gemm_f(ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}

API int CALL(cublasDgemm_v2)(void *h, int ta, int tb, SIZE m, SIZE n, SIZE k, const double *alpha,
                             const double *a, SIZE lda, const double *b, SIZE ldb,
                             const double *beta, double *c, SIZE ldc)
{
  (void)h;
  wide_calls += WIDE;
  return gemm_d(ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}

API int CALL(cublasGemmEx)(void *h, int ta, int tb, SIZE m, SIZE n, SIZE k, const void *alpha,
                           const void *a, int at, SIZE lda, const void *b, int bt, SIZE ldb,
                           const void *beta, void *c, int ct, SIZE ldc, int compute, int algo)
{
  (void)h;
  wide_calls += WIDE;
  if (at != HALF || bt != HALF || ct != HALF || compute != 68 || algo != -1) return INVALID;
  return gemm_h(ta, tb, m, n, k, *(const float *)alpha, a, lda, b, ldb, *(const float *)beta, c,
                ldc);
}

API int CALL(cublasGemmStridedBatchedEx)(void *h, int ta, int tb, SIZE m, SIZE n, SIZE k,
                                         const void *alpha, const void *a, int at, SIZE lda,
                                         long long sa, const void *b, int bt, SIZE ldb,
                                         long long sb, const void *beta, void *c, int ct, SIZE ldc,
                                         long long sc, SIZE batch, int compute, int algo)
{
  (void)h;
  (void)algo;
  wide_calls += WIDE;
  for (SIZE i = 0; i < batch; i++) {
    int r = gemm_ex(ta, tb, m, n, k, alpha, (const char *)a + i * sa * size_of(at), at, lda,
                    (const char *)b + i * sb * size_of(at), bt, ldb, beta,
                    (char *)c + i * sc * size_of(at), ct, ldc, compute);
    if (r != OK) return r;
  }
  return OK;
}

API int CALL(cublasGemmBatchedEx)(void *h, int ta, int tb, SIZE m, SIZE n, SIZE k,
                                  const void *alpha, const void *const *a, int at, SIZE lda,
                                  const void *const *b, int bt, SIZE ldb, const void *beta,
                                  void *const *c, int ct, SIZE ldc, SIZE batch, int compute,
                                  int algo)
{
  (void)h;
  (void)algo;
  wide_calls += WIDE;
  for (SIZE i = 0; i < batch; i++) {
    int r =
        gemm_ex(ta, tb, m, n, k, alpha, a[i], at, lda, b[i], bt, ldb, beta, c[i], ct, ldc, compute);
    if (r != OK) return r;
  }
  return OK;
}
