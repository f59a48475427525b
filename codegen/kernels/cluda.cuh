/* SPDX-License-Identifier: MIT */
/* "cluda.h": the vocabulary that users' kernels are written in, the same names
 * on every device. It stands by itself: users' kernels include nothing else.
 *
 *   #include "cluda.h"
 *   KERNEL void axpy(GLOBAL_MEM ga_float *y, const GLOBAL_MEM ga_float *x, ga_float a, ga_size n) {
 *     for (ga_size i = GID_0 * LDIM_0 + LID_0; i < n; i += GDIM_0 * LDIM_0) y[i] += a * x[i];
 *   }
 */
#ifndef GA_CLUDA_H
#define GA_CLUDA_H

/* ---- qualifiers and indices: GID is the block's number, LID the thread's --- */

#define KERNEL extern "C" __global__
#define WITHIN_KERNEL extern "C" __device__
#define GLOBAL_MEM
#define LOCAL_MEM __shared__
#define LOCAL_MEM_ARG
#define local_barrier() __syncthreads()

#define LID_0 threadIdx.x
#define LID_1 threadIdx.y
#define LID_2 threadIdx.z
#define LDIM_0 blockDim.x
#define LDIM_1 blockDim.y
#define LDIM_2 blockDim.z
#define GID_0 blockIdx.x
#define GID_1 blockIdx.y
#define GID_2 blockIdx.z
#define GDIM_0 gridDim.x
#define GDIM_1 gridDim.y
#define GDIM_2 gridDim.z
#define GA_WARP_SIZE warpSize

/* Dynamic shared memory: no parameter here, declared in the body. */
#define GA_DECL_SHARED_PARAM(type, name)
#define GA_DECL_SHARED_BODY(type, name) extern __shared__ type name[];

/* ---- types --------------------------------------------------------------- */

#define ga_bool unsigned char
#define ga_byte signed char
#define ga_ubyte unsigned char
#define ga_short short
#define ga_ushort unsigned short
#define ga_int int
#define ga_uint unsigned int
#define ga_long long long
#define ga_ulong unsigned long long
#define ga_float float
#define ga_double double
#define ga_size size_t
#define ga_ssize ptrdiff_t

#ifndef GA_TYPES_CUH /* it has the same one */
struct __align__(2) ga_half {
  ga_ushort data; /* IEEE binary16 */
};
typedef struct ga_half ga_half;
#endif

#if defined(__GPUARRAY_CPU__)
static __device__ inline float ga_half2float(ga_half h) { return ga_hc_half_to_float(h.data); }
static __device__ inline ga_half ga_float2half(float f) {
  ga_half h;
  h.data = ga_hc_float_to_half(f);
  return h;
}
#else
static __device__ inline float ga_half2float(ga_half h) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.data));
  return f;
}

/* Rounds to nearest, ties to even. */
static __device__ inline ga_half ga_float2half(float f) {
  ga_half h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.data) : "f"(f));
  return h;
}
#endif

/* ---- constants ------------------------------------------------------------ */

#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef HUGE_VALF
#define HUGE_VALF INFINITY
#endif
#ifndef HUGE_VAL
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)
#endif
#ifndef MAXFLOAT
#define MAXFLOAT 3.402823466e+38F
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif

/* ---- atomics: atom_add_XY, atom_xchg_XY give the old value. X is the type: i
 * int, I uint, l long, L ulong, f float, d double, e half; Y the memory: g
 * global, l shared. */

#define atom_add_ig(a, b) atomicAdd(a, b)
#define atom_add_Ig(a, b) atomicAdd(a, b)
#define atom_add_Lg(a, b) atomicAdd(a, b)
#define atom_add_fg(a, b) atomicAdd(a, b)

static __device__ inline long long ga_atom_add_long(long long *a, long long b) {
  return (long long)atomicAdd((unsigned long long *)a, (unsigned long long)b);
}
#define atom_add_lg(a, b) ga_atom_add_long(a, b)

static __device__ inline double ga_atom_add_double(double *a, double b) {
#if __CUDA_ARCH__ >= 600
  return atomicAdd(a, b);
#else
  unsigned long long *p = (unsigned long long *)a, old = *p, seen;
  do {
    seen = old;
    old = atomicCAS(p, seen, __double_as_longlong(b + __longlong_as_double(seen)));
  } while (old != seen);
  return __longlong_as_double(old);
#endif
}
#define atom_add_dg(a, b) ga_atom_add_double(a, b)

/* A half is swapped inside the aligned word that holds it. */
static __device__ inline ga_half ga_atom_half(ga_half *a, ga_half b, int add) {
  ga_size at = (ga_size)a;
  unsigned int *p = (unsigned int *)(at & ~(ga_size)3), old = *p, seen;
  unsigned int shift = at & 2 ? 16 : 0;
  ga_half was;
  do {
    ga_half now = b;
    seen = old;
    was.data = (ga_ushort)(seen >> shift);
    if (add) now = ga_float2half(ga_half2float(was) + ga_half2float(b));
    old = atomicCAS(p, seen, (seen & ~(0xffffu << shift)) | ((unsigned int)now.data << shift));
  } while (old != seen);
  return was;
}
#define atom_add_eg(a, b) ga_atom_half(a, b, 1)
#define atom_xchg_eg(a, b) ga_atom_half(a, b, 0)

#define atom_xchg_ig(a, b) atomicExch(a, b)
#define atom_xchg_Ig(a, b) atomicExch(a, b)
#define atom_xchg_Lg(a, b) atomicExch(a, b)
#define atom_xchg_fg(a, b) atomicExch(a, b)

static __device__ inline long long ga_atom_xchg_long(long long *a, long long b) {
  return (long long)atomicExch((unsigned long long *)a, (unsigned long long)b);
}
#define atom_xchg_lg(a, b) ga_atom_xchg_long(a, b)

static __device__ inline double ga_atom_xchg_double(double *a, double b) {
  return __longlong_as_double(
    atomicExch((unsigned long long *)a, (unsigned long long)__double_as_longlong(b)));
}
#define atom_xchg_dg(a, b) ga_atom_xchg_double(a, b)

#define atom_add_il(a, b) atom_add_ig(a, b)
#define atom_add_Il(a, b) atom_add_Ig(a, b)
#define atom_add_ll(a, b) atom_add_lg(a, b)
#define atom_add_Ll(a, b) atom_add_Lg(a, b)
#define atom_add_fl(a, b) atom_add_fg(a, b)
#define atom_add_dl(a, b) atom_add_dg(a, b)
#define atom_add_el(a, b) atom_add_eg(a, b)
#define atom_xchg_il(a, b) atom_xchg_ig(a, b)
#define atom_xchg_Il(a, b) atom_xchg_Ig(a, b)
#define atom_xchg_ll(a, b) atom_xchg_lg(a, b)
#define atom_xchg_Ll(a, b) atom_xchg_Lg(a, b)
#define atom_xchg_fl(a, b) atom_xchg_fg(a, b)
#define atom_xchg_dl(a, b) atom_xchg_dg(a, b)
#define atom_xchg_el(a, b) atom_xchg_eg(a, b)

#endif
