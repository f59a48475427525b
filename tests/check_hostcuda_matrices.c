/* SPDX-License-Identifier: MIT */
/* Products of matrices that a warp holds: PTX's mma and ldmatrix by the places of their elements
 * that PTX's documentation states, and mma.h. The numbers are whole and small, so each product
 * is exact. */
#include "tests/forms.h"

/* Elements of A, B and C, and how many of those of D in shared memory are wrong. */
#define COMMON                                                                   \
  "__device__ int A(int i, int k) { return (3 * i + 5 * k) % 7 - 3; }\n"         \
  "__device__ int B(int k, int j) { return (2 * k + 3 * j + k * j) % 5 - 2; }\n" \
  "__device__ int C(int i, int j) { return i - 2 * j; }\n"                       \
  "template <class T> __device__ int wrong(T *d, int m, int n, int kk) {\n"      \
  "  int bad = 0;\n"                                                             \
  "  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) {\n"                \
  "    int s = C(i, j);\n"                                                       \
  "    for (int k = 0; k < kk; k++) s += A(i, k) * B(k, j);\n"                   \
  "    bad += (float)d[i * n + j] != s;\n  }\n  return bad;\n}\n"
#define LANE "  const int l = threadIdx.x, g = l / 4, t = l % 4;\n"

/* D's elements of m16n8 in four registers of `type` */
#define STORE                                                                      \
  "  for (int i = 0; i < 4; i++) d[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = c[i];\n" \
  "  __syncthreads();\n"
#define SUMS "  for (int i = 0; i < 4; i++) c[i] = C(g + i / 2 * 8, 2 * t + i % 2);\n"

START_TEST(a_warp_multiplies_matrices_by_ptx)
{
  static const form forms[] = {
      {0, 0,
       "#include <cuda_fp16.h>\n" COMMON "__global__ void k(int *out) {\n" LANE
       "  __shared__ float d[128]; __shared__ __align__(16) half a[16][24], b[16][8];\n"
       "  float c[4]; unsigned x[4], y[2];\n" SUMS
       "  for (int k = 0; k < 16; k++) { if (l < 16) a[l][k] = A(l, k); if (l < 8) b[k][l] = "
       "B(k, l); }\n"
       "  __syncthreads();\n"
       "  unsigned at = __cvta_generic_to_shared(&a[l % 16][l / 16 * 8]);\n"
       "  asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\"\n"
       "    : \"=r\"(x[0]), \"=r\"(x[1]), \"=r\"(x[2]), \"=r\"(x[3]) : \"r\"(at));\n"
       "  at = __cvta_generic_to_shared(b[l % 16]);\n"
       "  asm volatile(\"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];\"\n"
       "    : \"=r\"(y[0]), \"=r\"(y[1]) : \"r\"(at));\n"
       "  asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
       "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\" : \"+f\"(c[0]), \"+f\"(c[1]), \"+f\"(c[2]), "
       "\"+f\"(c[3]) : \"r\"(x[0]), \"r\"(x[1]), \"r\"(x[2]), \"r\"(x[3]), \"r\"(y[0]), "
       "\"r\"(y[1]));\n" STORE "  half2 low = *(half2 *)&x[1];\n"
       "  if (low.x != (half)A(g + 8, 2 * t) || low.y != (half)A(g + 8, 2 * t + 1)) d[0] = -1000;\n"
       "  asm volatile(\"stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};\" :: "
       "\"r\"(at), \"r\"(x[0]) : \"memory\");\n"
       "  __syncthreads(); if (b[g][t] != (half)A(t, g)) d[0] = -1000;\n"
       "  __syncthreads(); if (l == 0) out[0] = wrong(d, 16, 8, 16) == 0;\n}\n"},
      /* sums of float16, two in a register */
      {0, 0,
       "#include <cuda_fp16.h>\n" COMMON "__global__ void k(int *out) {\n" LANE
       "  __shared__ half d[128]; half2 c[2], x[2], y;\n"
       "  for (int i = 0; i < 2; i++) {\n"
       "    c[i] = {C(g + 8 * i, 2 * t), C(g + 8 * i, 2 * t + 1)};\n"
       "    x[i] = {A(g + 8 * i, 2 * t), A(g + 8 * i, 2 * t + 1)};\n  }\n"
       "  y = {B(2 * t, g), B(2 * t + 1, g)};\n  unsigned *p = (unsigned *)c, *q = (unsigned *)x;\n"
       "  asm volatile(\"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, "
       "{%5,%6};\" : \"=r\"(p[0]), \"=r\"(p[1]) : \"r\"(q[0]), \"r\"(q[1]), \"r\"(*(unsigned "
       "*)&y), "
       "\"r\"(p[0]), \"r\"(p[1]));\n"
       "  for (int i = 0; i < 2; i++) { d[(g + 8 * i) * 8 + 2 * t] = c[i].x; "
       "d[(g + 8 * i) * 8 + 2 * t + 1] = c[i].y; }\n"
       "  __syncthreads(); if (l == 0) out[0] = wrong(d, 16, 8, 8) == 0;\n}\n"},
      {0, 0,
       COMMON "__global__ void k(int *out) {\n" LANE
              "  __shared__ float d[128]; float c[4]; unsigned x[4], y[2];\n" SUMS
              "  for (int i = 0; i < 4; i++) { float v = A(g + i % 2 * 8, t + i / 2 * 4); "
              "asm(\"cvt.rna.tf32.f32 %0, %1;\" : \"=r\"(x[i]) : \"f\"(v)); }\n"
              "  for (int i = 0; i < 2; i++) y[i] = __float_as_uint(B(t + 4 * i, g)) | 0x1fff;\n"
              "  asm volatile(\"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, "
              "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\" : \"+f\"(c[0]), \"+f\"(c[1]), "
              "\"+f\"(c[2]), \"+f\"(c[3]) : \"r\"(x[0]), \"r\"(x[1]), \"r\"(x[2]), \"r\"(x[3]), "
              "\"r\"(y[0]), \"r\"(y[1]));\n" STORE
              "  if (l == 0) out[0] = wrong(d, 16, 8, 8) == 0;\n"
              "}\n"},
      {0, 0,
       COMMON "__global__ void k(int *out) {\n" LANE
              "  __shared__ int d[128]; int c[4]; char4 x[4], y[2];\n" SUMS
              "  for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++)\n"
              "    (&x[i].x)[j] = A(g + i % 2 * 8, 4 * t + j + i / 2 * 16);\n"
              "  for (int i = 0; i < 2; i++) for (int j = 0; j < 4; j++)\n"
              "    (&y[i].x)[j] = B(4 * t + j + 16 * i, g);\n"
              "  int *p = (int *)x, *q = (int *)y;\n"
              "  asm volatile(\"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 "
              "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\" : \"+r\"(c[0]), "
              "\"+r\"(c[1]), \"+r\"(c[2]), \"+r\"(c[3]) : \"r\"(p[0]), \"r\"(p[1]), \"r\"(p[2]), "
              "\"r\"(p[3]), \"r\"(q[0]), \"r\"(q[1]));\n" STORE
              "  if (l == 0) out[0] = wrong(d, 16, 8, 32) == 0;\n}\n"},
      {0, 0,
       COMMON "__global__ void k(int *out) {\n" LANE
              "  __shared__ double d[64]; double c[2] = {C(g, 2 * t), C(g, 2 * t + 1)};\n"
              "  asm volatile(\"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, "
              "{%3}, {%0,%1};\" : \"+d\"(c[0]), \"+d\"(c[1]) : \"d\"((double)A(g, t)), "
              "\"d\"((double)B(t, g)));\n"
              "  d[g * 8 + 2 * t] = c[0]; d[g * 8 + 2 * t + 1] = c[1];\n"
              "  __syncthreads(); if (l == 0) out[0] = wrong(d, 8, 8, 4) == 0;\n}\n"}};
  ALL_HOLD(forms);
}
END_TEST

/* A warp's product of what is loaded by rows and by columns. */
#define WMMA(in, from, sum, m, n, kk)                                                      \
  "#include <mma.h>\nusing namespace nvcuda;\n" COMMON "__global__ void k(int *out) {\n"   \
  "  const int l = threadIdx.x;\n  __shared__ " from " a[512], b[512];\n  __shared__ " sum \
  " d[256];\n"                                                                             \
  "  for (int i = l; i < " m " * " kk "; i += 32) a[i] = A(i / " kk ", i % " kk ");\n"     \
  "  for (int i = l; i < " n " * " kk "; i += 32) b[i] = B(i % " kk ", i / " kk ");\n"     \
  "  for (int i = l; i < " m " * " n "; i += 32) d[i] = C(i % " m ", i / " m ");\n"        \
  "  __syncthreads();\n"                                                                   \
  "  wmma::fragment<wmma::matrix_a, " m ", " n ", " kk ", " in ", wmma::row_major> x;\n"   \
  "  wmma::fragment<wmma::matrix_b, " m ", " n ", " kk ", " in ", wmma::col_major> y;\n"   \
  "  wmma::fragment<wmma::accumulator, " m ", " n ", " kk ", " sum "> c, z;\n"             \
  "  wmma::load_matrix_sync(x, a, " kk "); wmma::load_matrix_sync(y, b, " kk ");\n"        \
  "  wmma::load_matrix_sync(c, d, " m ", wmma::mem_col_major);\n"                          \
  "  wmma::fill_fragment(z, 0.0f); wmma::mma_sync(z, x, y, z);\n"                          \
  "  for (int i = 0; i < c.num_elements; i++) c.x[i] = c.x[i] + z.x[i];\n"                 \
  "  __syncthreads(); wmma::store_matrix_sync(d, c, " n ", wmma::mem_row_major);\n"        \
  "  __syncthreads(); if (l == 0) out[0] = wrong(d, " m ", " n ", " kk ") == 0;\n}\n"

START_TEST(a_warp_multiplies_matrices_by_fragments)
{
  static const form forms[] = {
      {0, 0, WMMA("half", "half", "float", "16", "16", "16")},
      {0, 0, WMMA("half", "half", "half", "32", "8", "16")},
      {0, "--check", WMMA("half", "half", "float", "8", "32", "16")},
      {0, 0, WMMA("__nv_bfloat16", "__nv_bfloat16", "float", "16", "16", "16")},
      {0, 0, WMMA("signed char", "signed char", "int", "16", "16", "16")},
      {0, 0, WMMA("wmma::precision::tf32", "float", "float", "16", "16", "8")},
      {0, 0, WMMA("double", "double", "double", "8", "8", "4")}};
  ALL_HOLD(forms);
}
END_TEST

static const test_case cases[] = {CASE(a_warp_multiplies_matrices_by_ptx),
                                  CASE(a_warp_multiplies_matrices_by_fragments), CASE_END};

int main(void)
{
  setenv("GPUARRAY_CACHE", "off", 1); /* what was built once is not looked at again */
  return test_main("hostcuda_matrices", cases);
}
