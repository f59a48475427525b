/* SPDX-License-Identifier: MIT */
/* The element types of expressions, for kernels and for the CPU device alike
 * (lib/util/types.def names them in its column `device`). Valid C11 and, with
 * no header at all, CUDA C++. */
#ifndef GA_TYPES_CUH
#define GA_TYPES_CUH

/* GA_DEVICE is 1 where the code is compiled for a GPU. GA_FN begins every
 * scalar function: it is always inlined, and unused ones raise no warning. GA_FN_LONG begins
 * those whose text is so long that a kernel has it once: a call is little beside them.
 * GA_FN_MANY is that in kernels that reduce, which have a function up to 32 times. */
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define GA_DEVICE 1
#define GA_FN static __device__ __forceinline__
#define GA_FN_LONG static __device__ __noinline__
#if GA_USE_REDUCE
#define GA_FN_MANY GA_FN_LONG
#else
#define GA_FN_MANY GA_FN
#endif
#define GA_FN_MEMBER __device__ __forceinline__
#define GA_ALIGN(n) __align__(n)
#else
#define GA_DEVICE 0
#define GA_FN static inline __attribute__((always_inline, unused))
#define GA_FN_LONG GA_FN
#define GA_FN_MANY GA_FN
#define GA_ALIGN(n)
#endif

typedef unsigned char ga_bool; /* 0 or 1 */
typedef signed char ga_byte;
typedef unsigned char ga_ubyte;
typedef short ga_short;
typedef unsigned short ga_ushort;
typedef int ga_int;
typedef unsigned int ga_uint;
#if GA_DEVICE
typedef long long ga_long;
typedef unsigned long long ga_ulong;
#else
#include <stdint.h>
typedef int64_t ga_long;
typedef uint64_t ga_ulong;
#endif
typedef float ga_float;
typedef double ga_double;

/* The 16-bit floating types are their bits; arithmetic is done in float32 and
 * rounded back (scalar_half.cuh). */
typedef struct GA_ALIGN(2) ga_half {
  ga_ushort data; /* IEEE binary16 */
} ga_half;
typedef struct GA_ALIGN(2) ga_bfloat {
  ga_ushort data; /* the upper half of a float32 */
} ga_bfloat;

typedef struct GA_ALIGN(8) ga_cfloat {
  ga_float re, im;
} ga_cfloat;
typedef struct GA_ALIGN(16) ga_cdouble {
  ga_double re, im;
} ga_cdouble;

#endif
