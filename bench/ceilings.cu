// SPDX-License-Identifier: MIT
/* What the card can do at best, written by hand: one 16-byte vector a thread on a
 * flat grid for copies; 8 vectors in flight a thread for reads. n counts vectors.
 * Checked by nobody but the clock, so the read kernel keeps its sum alive. */
struct __align__(16) vec { float x, y, z, w; };

extern "C" __global__ void copy(vec *o, const vec *a, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) o[i] = a[i];
}

extern "C" __global__ void add(vec *o, const vec *__restrict__ a, const vec *__restrict__ b,
                               size_t n)
{
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) {
    vec x = a[i], y = b[i];
    o[i] = vec{x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
  }
}

extern "C" __global__ void fill(vec *o, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) o[i] = vec{1, 2, 3, 4};
}

extern "C" __global__ void __launch_bounds__(256)
    read(float *o, const vec *__restrict__ a, size_t n)
{
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
  float s = 0;
  for (; i + 7 * step < n; i += 8 * step) {
    vec r[8];
#pragma unroll
    for (int k = 0; k < 8; k++) r[k] = a[i + k * step];
#pragma unroll
    for (int k = 0; k < 8; k++)
      s += r[k].x * r[k].x + r[k].y * r[k].y + r[k].z * r[k].z + r[k].w * r[k].w;
  }
  for (; i < n; i += step) s += a[i].x + a[i].y + a[i].z + a[i].w;
  if (s == 1.25f) *o = s;
}

/* 512 products and 512 sums a thread in eight independent chains. */
extern "C" __global__ void flops(float *o, size_t n) {
  float x[8], k = 0.5f + (float)n * 1e-30f;
#pragma unroll
  for (int j = 0; j < 8; j++) x[j] = threadIdx.x + j;
  for (int i = 0; i < 16; i++) {
#pragma unroll
    for (int u = 0; u < 4; u++)
#pragma unroll
      for (int j = 0; j < 8; j++) x[j] = __fadd_rn(__fmul_rn(x[j], k), k);
  }
  float s = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];
  if (s == 1.25f) *o = s;
}

extern "C" __global__ void empty(float *, float *, float *, unsigned) {}
