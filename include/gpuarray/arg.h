/* SPDX-License-Identifier: MIT */
/** \file
 * Typed arguments of expressions and of raw kernels.
 *
 *     GpuArray_eval(&b, ctx, "k*a", GA_ARGS(ga_array("a", &a), ga_float("k", 2)));
 *     GpuKernel_launch(&k, grid, block, 0,
 *                      GA_ARGS(ga_array(NULL, &a), ga_scalar(NULL, GA_INT, &n)));
 *
 * Each function \returns the argument: a struct that holds the pointers given.
 * Nothing can fail, and nothing waits (**Sync** none).
 */
#ifndef GPUARRAY_ARG_H
#define GPUARRAY_ARG_H

#include <gpuarray/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a gpuarg carries. */
enum ga_argkind {
  GA_ARG_ARRAY = 1, /**< an existing array: read, and written when assigned to */
  GA_ARG_NEW = 2,   /**< a GpuArray to be created by an assignment */
  GA_ARG_INT = 3,   /**< weak integer, typed by its neighbours as Python's int */
  GA_ARG_FLOAT = 4, /**< weak float, as Python's float */
  GA_ARG_SCALAR = 5 /**< number with a dtype of its own, as a NumPy scalar */
};

/** One argument. Make it with the functions below; `name` may be NULL for raw
 * kernels, whose arguments go by position. Nothing is copied or retained. */
typedef struct _gpuarg {
  const char *name;
  int kind;     /**< enum ga_argkind */
  int typecode; /**< of a GA_ARG_SCALAR */
  union {
    GpuArray *array; /**< GA_ARG_ARRAY, GA_ARG_NEW */
    int64_t i;       /**< GA_ARG_INT */
    double f;        /**< GA_ARG_FLOAT */
    const void *ptr; /**< GA_ARG_SCALAR: the value */
  } v;
  int flags; /**< 0 */
} gpuarg;

/** An existing array. Assigning to its name writes its elements; the struct
 * itself is not changed.
 *
 * \param name in the text; NULL for raw kernels
 * \param a the array */
static inline gpuarg ga_array(const char *name, const GpuArray *a)
{
  gpuarg r;

  r.name = name;
  r.kind = GA_ARG_ARRAY;
  r.typecode = 0;
  r.v.i = 0;
  r.v.array = (GpuArray *)a;
  r.flags = 0;
  return r;
}

/** An array that an assignment to its name makes.
 *
 * \param name in the text
 * \param a the struct to fill; overwritten, not cleared first */
static inline gpuarg ga_new(const char *name, GpuArray *a)
{
  gpuarg r = ga_array(name, a);

  r.kind = GA_ARG_NEW;
  return r;
}

/** A whole number without a dtype of its own, as Python's int.
 *
 * \param name in the text
 * \param i the number */
static inline gpuarg ga_int(const char *name, int64_t i)
{
  gpuarg r = ga_array(name, NULL);

  r.kind = GA_ARG_INT;
  r.v.i = i;
  return r;
}

/** A number without a dtype of its own, as Python's float.
 *
 * \param name in the text
 * \param f the number */
static inline gpuarg ga_float(const char *name, double f)
{
  gpuarg r = ga_array(name, NULL);

  r.kind = GA_ARG_FLOAT;
  r.v.f = f;
  return r;
}

/** A number with a dtype, as a NumPy scalar.
 *
 * \param name in the text; NULL for raw kernels
 * \param typecode its type
 * \param ptr address of the value, read at the call */
static inline gpuarg ga_scalar(const char *name, int typecode, const void *ptr)
{
  gpuarg r = ga_array(name, NULL);

  r.kind = GA_ARG_SCALAR;
  r.typecode = typecode;
  r.v.ptr = ptr;
  return r;
}

#ifdef __cplusplus
}
#endif

/** \def GA_ARGS(...)
 * A list of arguments as two: their number and their address. The list lives
 * to the end of the block (C) or of the full expression (C++); it may be empty.
 *
 * \def GA_DIMS(...)
 * A list of extents as two arguments, in the same way; `GA_DIMS()` has no axes. */
#if !defined(__cplusplus)

#define GA_ARGS(...)                                                                  \
  (unsigned int)(sizeof((gpuarg[]){ga_int(0, 0), __VA_ARGS__}) / sizeof(gpuarg) - 1), \
      (const gpuarg *)(gpuarg[]){ga_int(0, 0), __VA_ARGS__} + 1
#define GA_DIMS(...)                                                       \
  (unsigned int)(sizeof((size_t[]){0, __VA_ARGS__}) / sizeof(size_t) - 1), \
      (const size_t *)(size_t[]){0, __VA_ARGS__} + 1

#elif __cplusplus >= 201103L

namespace gpuarray_detail
{
/* One element more than the list, so that an empty one has storage too. */
template <class T, unsigned N> struct list {
  enum : unsigned { size = N };
  T v[N + 1];
  const T *begin() const { return v; }
};

template <class T, class... A> inline list<T, sizeof...(A)> make(A... a)
{
  return list<T, sizeof...(A)>{{static_cast<T>(a)..., T()}};
}
} // namespace gpuarray_detail

#define GA_LIST_(T, ...)                                                            \
  static_cast<unsigned int>(decltype(gpuarray_detail::make<T>(__VA_ARGS__))::size), \
      gpuarray_detail::make<T>(__VA_ARGS__).begin()
#define GA_ARGS(...) GA_LIST_(gpuarg, __VA_ARGS__)
#define GA_DIMS(...) GA_LIST_(size_t, __VA_ARGS__)

#endif
#endif
