/* SPDX-License-Identifier: MIT */
/* Which scalar functions a kernel's text has: compiling all of them takes longer
 * than the kernel. A generated kernel defines GA_ONLY and, as 1, GA_USE_<dtype> for
 * each dtype that it computes with, GA_USE_CAST, GA_USE_MATH, GA_USE_REDUCE and
 * GA_USE_MOMENT for those families, GA_USE_ORDER for comparisons and where, GA_USE_MORE
 * for all that is not GA_OP_PLAIN (ops.def), GA_USE_DIVISOR for divisions of rows (gen.h,
 * ga_divides_row); what they stand on is added here. Without GA_ONLY there are all. */
#ifndef GA_USE_CUH
#define GA_USE_CUH

#ifndef GA_ONLY
#define GA_USE_bool 1
#define GA_USE_int8 1
#define GA_USE_uint8 1
#define GA_USE_int16 1
#define GA_USE_uint16 1
#define GA_USE_int32 1
#define GA_USE_uint32 1
#define GA_USE_int64 1
#define GA_USE_uint64 1
#define GA_USE_float16 1
#define GA_USE_bfloat16 1
#define GA_USE_float32 1
#define GA_USE_float64 1
#define GA_USE_complex64 1
#define GA_USE_complex128 1
#define GA_USE_CAST 1
#define GA_USE_MATH 1
#define GA_USE_REDUCE 1
#define GA_USE_MOMENT 1
#define GA_USE_MORE 1
#define GA_USE_DIVISOR 1
#endif

#if GA_USE_MATH && !GA_USE_MORE
#define GA_USE_MORE 1
#endif
#if GA_USE_MORE && GA_USE_complex64 && !GA_USE_complex128
#define GA_USE_complex128 1 /* complex64 is computed in it */
#endif
#if GA_USE_complex128 && !GA_USE_float64
#define GA_USE_float64 1
#endif
#if (GA_USE_float16 || GA_USE_bfloat16 || GA_USE_complex64) && !GA_USE_float32
#define GA_USE_float32 1
#endif
#if GA_USE_MORE && GA_USE_complex128 && !GA_USE_float32
#define GA_USE_float32 1 /* the casts between complex dtypes */
#endif
#if GA_USE_MORE && GA_USE_complex64 && !GA_USE_CAST
#define GA_USE_CAST 1
#endif
#if GA_USE_MORE && !GA_USE_ORDER
#define GA_USE_ORDER 1
#endif

#endif
