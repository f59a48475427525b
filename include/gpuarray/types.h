/* SPDX-License-Identifier: MIT */
/** \file
 * Element types.
 *
 * Three vocabularies meet here, and they differ: the C code (`GA_BYTE`), the
 * name in device code (`ga_byte`) and NumPy's name (`int8`). Beware that
 * `GA_FLOAT16` is a vector of sixteen floats (half precision is `GA_HALF`) and
 * that `GA_LONG` has 64 bits everywhere while `GA_LONGLONG` has 128.
 */
#ifndef GPUARRAY_TYPES_H
#define GPUARRAY_TYPES_H

#include <sys/types.h>
#include <stddef.h>
#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What the library knows of an element type. */
typedef struct _gpuarray_type {
  const char *cluda_name; /**< name in device code; NULL: not usable there */
  size_t size;            /**< of one element, bytes */
  size_t align;           /**< that an element's address must have, bytes */
  int typecode;           /**< its code; -1 in the answer for an unknown code */
} gpuarray_type;

/** Type codes. */
enum GPUARRAY_TYPES {
  GA_BUFFER = -1,    /**< a buffer, as a kernel's argument */
  GA_BOOL = 0,       /**< bool, one byte */
  GA_BYTE = 1,       /**< int8 */
  GA_UBYTE = 2,      /**< uint8 */
  GA_SHORT = 3,      /**< int16 */
  GA_USHORT = 4,     /**< uint16 */
  GA_INT = 5,        /**< int32 */
  GA_UINT = 6,       /**< uint32 */
  GA_LONG = 7,       /**< int64 */
  GA_ULONG = 8,      /**< uint64 */
  GA_LONGLONG = 9,   /**< 128 bits, signed; storage only */
  GA_ULONGLONG = 10, /**< 128 bits, unsigned; storage only */
  GA_FLOAT = 11,     /**< float32 */
  GA_DOUBLE = 12,    /**< float64 */
  GA_QUAD = 13,      /**< 128 bits, floating; storage only */
  GA_CFLOAT = 14,    /**< complex64 */
  GA_CDOUBLE = 15,   /**< complex128 */
  GA_CQUAD = 16,     /**< two GA_QUAD; storage only */
  GA_BFLOAT = 17,    /**< bfloat16 */
  GA_HALF = 23,      /**< float16 */
  GA_SIZE = 24,      /**< size_t, as a kernel's argument; no arrays of it */
  GA_SSIZE = 25,     /**< ssize_t, as a kernel's argument; no arrays of it */
  GA_NBASE = 26,     /**< marker: end of the scalar codes */
  GA_DELIM = 255,    /**< marker: vector codes follow */

  /* Short vectors, stored in arrays and read by raw kernels. */
  GA_BYTE2 = 256,
  GA_UBYTE2,
  GA_BYTE3,
  GA_UBYTE3,
  GA_BYTE4,
  GA_UBYTE4,
  GA_BYTE8,
  GA_UBYTE8,
  GA_BYTE16,
  GA_UBYTE16,
  GA_SHORT2,
  GA_USHORT2,
  GA_SHORT3,
  GA_USHORT3,
  GA_SHORT4,
  GA_USHORT4,
  GA_SHORT8,
  GA_USHORT8,
  GA_SHORT16,
  GA_USHORT16,
  GA_INT2,
  GA_UINT2,
  GA_INT3,
  GA_UINT3,
  GA_INT4,
  GA_UINT4,
  GA_INT8,
  GA_UINT8,
  GA_INT16,
  GA_UINT16,
  GA_LONG2,
  GA_ULONG2,
  GA_LONG3,
  GA_ULONG3,
  GA_LONG4,
  GA_ULONG4,
  GA_LONG8,
  GA_ULONG8,
  GA_LONG16,
  GA_ULONG16,
  GA_FLOAT2,
  GA_FLOAT4,
  GA_FLOAT8,
  GA_FLOAT16,
  GA_DOUBLE2,
  GA_DOUBLE4,
  GA_DOUBLE8,
  GA_DOUBLE16,
  GA_HALF2,
  GA_HALF4,
  GA_HALF8,
  GA_HALF16,
  GA_NVEC, /**< marker: end of the vector codes (308) */

  GA_ENDVEC = 512 /**< marker: codes of registered types start here */
};

#ifdef __cplusplus
}
#endif
#endif
