/* SPDX-License-Identifier: MIT */
/** \file
 * Element types looked up, named and registered; half precision on the host.
 *
 *     size_t size = gpuarray_get_elsize(gpuarray_typecode("float32"));
 */
#ifndef GPUARRAY_UTIL
#define GPUARRAY_UTIL

#ifdef __cplusplus
extern "C" {
#endif

#include <gpuarray/config.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/types.h>

/** A half-precision number as it is stored. */
typedef struct _ga_half_t {
  uint16_t h; /**< sign 1, exponent 5, fraction 10 bits */
} ga_half_t;

/** Rounds a float to half precision: to nearest, ties to even, as NumPy does.
 * Too large becomes infinite; NaN stays NaN with the upper bits of its payload.
 *
 * \param f a number
 * \returns the nearest half */
static inline ga_half_t ga_float2half(float f)
{
  union {
    float f;
    uint32_t u;
  } v;
  ga_half_t r;
  uint32_t sign, mant, rest, half;
  int shift;

  v.f = f;
  sign = (v.u >> 16) & 0x8000u;
  v.u &= 0x7fffffffu;
  if (v.u > 0x7f800000u) { /* NaN: never let the payload become that of inf */
    mant = (v.u >> 13) & 0x3ffu;
    r.h = (uint16_t)(sign | 0x7c00u | (mant != 0 ? mant : 0x200u));
    return r;
  }
  if (v.u >= 0x477ff000u) { /* 65520 and more */
    r.h = (uint16_t)(sign | 0x7c00u);
    return r;
  }
  if (v.u < 0x33000000u) { /* below 2^-25 */
    r.h = (uint16_t)sign;
    return r;
  }
  shift = 13;
  mant = v.u - (112u << 23); /* exponent rebiased */
  if (v.u < 0x38800000u) {   /* subnormal half: below 2^-14 */
    mant = (v.u & 0x7fffffu) | 0x800000u;
    shift = 126 - (int)(v.u >> 23);
  }
  rest = mant & ((1u << shift) - 1u);
  half = 1u << (shift - 1);
  mant >>= shift;
  if (rest > half || (rest == half && (mant & 1u))) mant++;
  r.h = (uint16_t)(sign | mant);
  return r;
}

/** Registers an element type of the program. The struct is kept, not copied,
 * and must stay while the program runs; its `typecode` is set: 512, 513, ...
 *
 * \param t the type: name, size, align (0 counts as 1)
 * \param ret where a code goes, may be NULL: #GA_NO_ERROR; #GA_VALUE_ERROR for a
 * NULL type; #GA_SYS_ERROR when there is no memory for it
 * \returns the typecode, -1 on error */
GPUARRAY_PUBLIC int gpuarray_register_type(gpuarray_type *t, int *ret);

/** Looks an element type up.
 *
 * \param typecode any number
 * \returns the type; for an unknown code one with typecode -1 and size 0, never
 * NULL. #GA_BUFFER answers typecode -1 too, with the size of a pointer */
GPUARRAY_PUBLIC const gpuarray_type *gpuarray_get_type(int typecode);

/** Size of an element.
 *
 * \param typecode any number
 * \returns bytes; 0 for an unknown code */
GPUARRAY_PUBLIC size_t gpuarray_get_elsize(int typecode);

/** The typecode of one of NumPy's names: "float32", "int8", "bool", ...; also
 * "bfloat16", and NumPy's short names "half", "single", "double", "int", ...
 *
 * \param numpy_name a name, may be NULL
 * \returns the typecode, -1 for NULL or a name that is not known */
GPUARRAY_PUBLIC int gpuarray_typecode(const char *numpy_name);

/** NumPy's name of an element type that expressions can compute with.
 *
 * \param typecode any number
 * \returns the name ("float32"), NULL for any other typecode */
GPUARRAY_PUBLIC const char *gpuarray_typename(int typecode);

/** What a kernel over these types uses, as ga_usefl values or'ed.
 *
 * \param init the first typecode; more follow, -1 ends them
 * \returns the flags */
GPUARRAY_PUBLIC int gpuarray_type_flags(int init, ...);

/** As gpuarray_type_flags(), over arguments.
 *
 * \param n number of arguments
 * \param arg the arguments
 * \returns the flags; 0 when `arg` is NULL */
GPUARRAY_PUBLIC int gpuarray_type_flagsa(unsigned int n, gpuelemwise_arg *arg);

/** Drops axes of extent 1 (keeping one axis) and merges neighbours that every
 * array walks as one, in place.
 *
 * \param n number of arrays
 * \param nd number of axes; updated
 * \param dim extents; updated
 * \param strs `n` lists of strides, bytes, each updated; NULL for a scalar */
GPUARRAY_PUBLIC void gpuarray_elemwise_collapse(unsigned int n, unsigned int *nd, size_t *dim,
                                                ssize_t **strs);

#ifdef __cplusplus
}
#endif
#endif
