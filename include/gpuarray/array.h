/* SPDX-License-Identifier: MIT */
/** \file
 * Arrays: a buffer, an element type, and how the elements lie in it.
 *
 *     gpucontext *ctx;
 *     GpuArray a = {0}, t = {0};
 *     size_t dims[2] = {2, 3};
 *     float x[6] = {1, 2, 3, 4, 5, 6};
 *     if (gpucontext_init(&ctx, NULL, NULL) != GA_NO_ERROR) return 1;
 *     if (GpuArray_fromhost(&a, ctx, GA_FLOAT, 2, dims, x) == GA_NO_ERROR &&
 *         GpuArray_slice(&t, &a, ":, ::-1") == GA_NO_ERROR)
 *       GpuArray_print(stdout, &t);
 *     GpuArray_clear(&t);
 *     GpuArray_clear(&a);
 *     gpucontext_deref(ctx);
 *
 * Several arrays may view one buffer; each holds a reference to it. A zeroed
 * struct is a cleared array and may always be cleared.
 *
 * What holds for all functions here: offset and strides are bytes, extents are
 * elements. An array that a function makes is overwritten, not cleared first,
 * and zeroed on error. `_inplace` functions leave their array as it was on
 * error. A NULL argument, or a cleared array where one with data is needed, is
 * #GA_VALUE_ERROR; arrays of different contexts are too. **Sync** none where a
 * function does not say that it waits.
 */
#ifndef GPUARRAY_ARRAY_H
#define GPUARRAY_ARRAY_H

#include <gpuarray/buffer.h>
#include <gpuarray/util.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An array. Fields may be read; use the functions to change them. */
typedef struct _GpuArray {
  gpudata *data;      /**< the buffer; NULL: a cleared array */
  size_t *dimensions; /**< `nd` extents, elements */
  ssize_t *strides;   /**< `nd` strides, bytes; may be 0 or negative */
  size_t offset;      /**< of the first element in the buffer, bytes */
  unsigned int nd;    /**< number of axes */
  int flags;          /**< #GA_C_CONTIGUOUS, ... or'ed */
  int typecode;       /**< of the elements */
} GpuArray;

/** Order of the axes in memory. */
typedef enum _ga_order {
  GA_ANY_ORDER = -1, /**< the function's choice */
  GA_C_ORDER = 0,    /**< last axis fastest */
  GA_F_ORDER = 1     /**< first axis fastest */
} ga_order;

#define GA_C_CONTIGUOUS 0x0001 /**< C order, without gaps */
#define GA_F_CONTIGUOUS 0x0002 /**< Fortran order, without gaps */
#define GA_ALIGNED      0x0100 /**< every element has its type's alignment */
#define GA_WRITEABLE    0x0400 /**< may be written */

#define GA_BEHAVED (GA_ALIGNED | GA_WRITEABLE)    /**< aligned and writeable */
#define GA_CARRAY  (GA_C_CONTIGUOUS | GA_BEHAVED) /**< and in C order */
#define GA_FARRAY  (GA_F_CONTIGUOUS | GA_BEHAVED) /**< and in Fortran order */

/** Tells whether all of `flags` are set.
 *
 * \param a an array
 * \param flags flags or'ed
 * \returns 1 or 0 */
static inline int GpuArray_CHKFLAGS(const GpuArray *a, int flags)
{
  return (a->flags & flags) == flags;
}
#define GpuArray_ISWRITEABLE(a)     GpuArray_CHKFLAGS(a, GA_WRITEABLE)
#define GpuArray_ISALIGNED(a)       GpuArray_CHKFLAGS(a, GA_ALIGNED)
#define GpuArray_ISFORTRAN(a)       GpuArray_CHKFLAGS(a, GA_F_CONTIGUOUS)
#define GpuArray_ISONESEGMENT(a)    ((a)->flags & (GA_C_CONTIGUOUS | GA_F_CONTIGUOUS))
#define GpuArray_IS_C_CONTIGUOUS(a) ((a)->flags & GA_C_CONTIGUOUS)
#define GpuArray_IS_F_CONTIGUOUS(a) ((a)->flags & GA_F_CONTIGUOUS)
/** Bytes of one element. */
#define GpuArray_ITEMSIZE(a) gpuarray_get_elsize((a)->typecode)

/** Computes contiguity and alignment again from the fields; #GA_WRITEABLE stays,
 * any other flag goes. Axes of extent 1 do not count, and an array without
 * elements is contiguous in both orders.
 *
 * \param a an array, may be NULL */
GPUARRAY_PUBLIC void GpuArray_fix_flags(GpuArray *a);

/* ---- Making arrays ----------------------------------------------------- */

/** Makes an array with undefined contents. **Sync** none.
 *
 * \param a the array to make
 * \param ctx a context
 * \param typecode element type
 * \param nd number of axes, at most 64
 * \param dims `nd` extents; may be NULL when `nd` is 0
 * \param ord order in memory; #GA_ANY_ORDER is C
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL, an unknown typecode, #GA_SIZE
 * or #GA_SSIZE, too many axes or a bad order; #GA_XLARGE_ERROR when the size in
 * bytes overflows; #GA_MEMORY_ERROR; #GA_IMPL_ERROR when the device fails */
GPUARRAY_PUBLIC int GpuArray_empty(GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd,
                                   const size_t *dims, ga_order ord);

/** Makes an array of zeros. **Sync** none.
 *
 * \param a the array to make
 * \param ctx a context
 * \param typecode element type
 * \param nd number of axes
 * \param dims `nd` extents
 * \param ord order in memory
 * \returns the codes of GpuArray_empty() */
GPUARRAY_PUBLIC int GpuArray_zeros(GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd,
                                   const size_t *dims, ga_order ord);

/** Makes an array whose elements all have one value, C order. Integers get the
 * value converted as NumPy converts a float64; a value that a double cannot hold
 * is set with GpuArray_setarray(). **Sync** none.
 *
 * \param a the array to make
 * \param ctx a context
 * \param typecode element type, one that expressions compute with
 * \param nd number of axes
 * \param dims `nd` extents
 * \param value the value
 * \returns the codes of GpuArray_empty(); #GA_UNSUPPORTED_ERROR for another type;
 * #GA_LOAD_ERROR or #GA_IMPL_ERROR when the device or its compiler fails */
GPUARRAY_PUBLIC int GpuArray_full(GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd,
                                  const size_t *dims, double value);

/** Makes a vector of evenly spaced values, as numpy.arange(start, stop, step,
 * dtype) does: `ceil((stop - start) / step)` elements, none when that is not
 * positive; element i is `start + i * delta` in the element type, delta being
 * the difference of the first two. **Sync** as GpuArray_fromhost(); of a million elements and
 * more most are computed on the device, not waited for.
 *
 * \param a the array to make
 * \param ctx a context
 * \param typecode element type, one that expressions compute with
 * \param start first value
 * \param stop end, itself not in the array
 * \param step spacing, not 0, may be negative
 * \returns the codes of GpuArray_empty(); #GA_VALUE_ERROR for a step of 0, a NaN
 * or an infinite length, or more than two bools; #GA_XLARGE_ERROR for too many;
 * #GA_LOAD_ERROR or #GA_IMPL_ERROR when the device or its compiler fails */
GPUARRAY_PUBLIC int GpuArray_arange(GpuArray *a, gpucontext *ctx, int typecode, double start,
                                    double stop, double step);

/** Makes an array with the type and shape of another and undefined contents,
 * without gaps, its axes in memory in the order of the other's.
 *
 * \param r the array to make
 * \param a an array
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL or a cleared array;
 * #GA_MEMORY_ERROR; #GA_IMPL_ERROR when the device fails */
GPUARRAY_PUBLIC int GpuArray_empty_like(GpuArray *r, const GpuArray *a);

/** Makes an array over an existing buffer, which it retains. The elements must
 * lie within the buffer. **Sync** none.
 *
 * \param a the array to make
 * \param data a buffer
 * \param offset of the first element, bytes
 * \param typecode element type
 * \param nd number of axes, at most 64
 * \param dims `nd` extents
 * \param strides `nd` strides, bytes; NULL: C order
 * \param writeable not 0: the array may be written
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL, an unknown typecode, #GA_SIZE
 * or #GA_SSIZE, too many axes, or an element beyond the buffer;
 * #GA_XLARGE_ERROR when a size overflows; #GA_MEMORY_ERROR */
GPUARRAY_PUBLIC int GpuArray_fromdata(GpuArray *a, gpudata *data, size_t offset, int typecode,
                                      unsigned int nd, const size_t *dims, const ssize_t *strides,
                                      int writeable);

/** Makes an array from host memory in C order. **Sync** `src` may be reused when
 * it returns.
 *
 * \param a the array to make
 * \param ctx a context
 * \param typecode type of the elements, in `src` and in the array
 * \param nd number of axes
 * \param dims `nd` extents
 * \param src the elements; may be NULL when there are none
 * \returns the codes of GpuArray_empty() */
GPUARRAY_PUBLIC int GpuArray_fromhost(GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd,
                                      const size_t *dims, const void *src);

/** Copies an array to host memory in C order, from any layout, converted as
 * numpy's astype() does; an array without axes gives one number. **Sync** waits.
 *
 * \param dst host memory
 * \param size bytes of `dst`: exactly those of the elements in `typecode`
 * \param typecode element type wanted
 * \param a an array
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL, an unknown typecode or another
 * size; #GA_UNSUPPORTED_ERROR for a conversion of types that have none;
 * #GA_UNALIGNED_ERROR; #GA_INVALID_ERROR while the thread captures (graph.h);
 * #GA_MEMORY_ERROR; #GA_LOAD_ERROR or #GA_IMPL_ERROR when the device or its compiler
 * fails */
GPUARRAY_PUBLIC int GpuArray_tohost(void *dst, size_t size, int typecode, const GpuArray *a);

/** Releases the buffer, frees extents and strides and zeroes the struct.
 *
 * \param a an array, may be NULL or cleared */
GPUARRAY_PUBLIC void GpuArray_clear(GpuArray *a);

/* ---- Views: the same elements seen otherwise; none of them syncs -------- */

/** Makes a second array over the same elements.
 *
 * \param v the array to make
 * \param a an array
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL; #GA_MEMORY_ERROR */
GPUARRAY_PUBLIC int GpuArray_view(GpuArray *v, const GpuArray *a);

/** Takes part of an array, for every axis: elements start, start + step, ... up
 * to but not including stop. A step of 0 takes element `start` and drops the
 * axis. A stop of -1 with a negative step goes down to element 0: negative
 * numbers do not count from the end here (GpuArray_slice() has that).
 *
 * \param r the view to make
 * \param a an array of `nd` axes
 * \param starts `nd` first elements, in [-1, extent]; with a step of 0 in
 * [0, extent)
 * \param stops `nd` ends, in [-1, extent]
 * \param steps `nd` steps
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL, a number out of range, or a
 * step away from the stop; #GA_MEMORY_ERROR */
GPUARRAY_PUBLIC int GpuArray_index(GpuArray *r, const GpuArray *a, const ssize_t *starts,
                                   const ssize_t *stops, const ssize_t *steps);

/** As GpuArray_index(), changing the array.
 *
 * \param a an array
 * \param starts first elements
 * \param stops ends
 * \param steps steps
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL, a number out of range, or a step
 * away from the stop */
GPUARRAY_PUBLIC int GpuArray_index_inplace(GpuArray *a, const ssize_t *starts, const ssize_t *stops,
                                           const ssize_t *steps);

/** Takes part of an array by the text of a NumPy index: integers, slices,
 * `None` or `newaxis`, and one `...`, separated by commas: `"::2, -1, None, ..."`.
 * Negative numbers count from the end; slices are clipped to the axis.
 *
 * \param r the view to make
 * \param a an array
 * \param spec the text; "" takes everything
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL, a text that is no index (the
 * message shows where), an integer out of range, a step of 0, more items than
 * axes or a result of more than 64 axes; #GA_MEMORY_ERROR */
GPUARRAY_PUBLIC int GpuArray_slice(GpuArray *r, const GpuArray *a, const char *spec);

/** Repeats an array to a larger shape, as numpy.broadcast_to(): axes are matched
 * from the last; extents of 1, and missing ones, repeat by a stride of 0. The
 * view is read-only.
 *
 * \param r the view to make
 * \param a an array
 * \param nd number of axes wanted, at most 64
 * \param dims `nd` extents wanted
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL or shapes that do not fit (the
 * message names the axis); #GA_XLARGE_ERROR when the size in bytes overflows;
 * #GA_MEMORY_ERROR */
GPUARRAY_PUBLIC int GpuArray_broadcast_to(GpuArray *r, const GpuArray *a, unsigned int nd,
                                          const size_t *dims);

/** Gives the elements, read in the order asked for, another shape: a view when
 * that can be, else a copy.
 *
 * \param res the array to make
 * \param a an array
 * \param nd number of axes wanted, at most 64
 * \param newdims `nd` extents wanted
 * \param ord order in which elements are read and placed; #GA_ANY_ORDER: Fortran
 * order if `a` lies so (and not in C order too), else C
 * \param nocopy not 0: fail rather than copy
 * \returns #GA_NO_ERROR; #GA_INVALID_ERROR when the number of elements differs;
 * #GA_XLARGE_ERROR when the number wanted overflows; #GA_COPY_ERROR when a copy
 * is needed and forbidden; #GA_VALUE_ERROR for NULL, too many axes or a bad
 * order; the codes of GpuArray_copy() */
GPUARRAY_PUBLIC int GpuArray_reshape(GpuArray *res, const GpuArray *a, unsigned int nd,
                                     const size_t *newdims, ga_order ord, int nocopy);

/** As GpuArray_reshape() without copying, changing the array.
 *
 * \param a an array
 * \param nd number of axes wanted
 * \param newdims `nd` extents wanted
 * \param ord order in which elements are read and placed
 * \returns #GA_NO_ERROR; #GA_INVALID_ERROR when the number of elements differs;
 * #GA_XLARGE_ERROR when the number wanted overflows; #GA_COPY_ERROR when a copy
 * would be needed; #GA_VALUE_ERROR for NULL, too many axes or a bad order;
 * #GA_MEMORY_ERROR */
GPUARRAY_PUBLIC int GpuArray_reshape_inplace(GpuArray *a, unsigned int nd, const size_t *newdims,
                                             ga_order ord);

/** Permutes the axes.
 *
 * \param res the view to make
 * \param a an array
 * \param new_axes `nd` numbers of axes, each once; NULL: reversed
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL, an axis that is repeated or
 * not there; #GA_MEMORY_ERROR */
GPUARRAY_PUBLIC int GpuArray_transpose(GpuArray *res, const GpuArray *a,
                                       const unsigned int *new_axes);

/** As GpuArray_transpose(), changing the array.
 *
 * \param a an array
 * \param new_axes numbers of axes; NULL: reversed
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL, an axis that is repeated or not
 * there */
GPUARRAY_PUBLIC int GpuArray_transpose_inplace(GpuArray *a, const unsigned int *new_axes);

/** Cuts an array along an axis into `n` + 1 views. On error none is left.
 *
 * \param rs `n` + 1 arrays to make
 * \param a an array
 * \param n number of cuts
 * \param p the cuts: ascending positions in [0, extent]
 * \param axis an axis
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL, a bad axis, or cuts that are
 * out of range or descend; #GA_MEMORY_ERROR */
GPUARRAY_PUBLIC int GpuArray_split(GpuArray **rs, const GpuArray *a, size_t n, size_t *p,
                                   unsigned int axis);

/** Tells whether two arrays might have memory in common: one buffer, or buffers
 * that overlap.
 *
 * \param a an array
 * \param b an array
 * \returns 1 if they might, 0 if not (NULL and cleared arrays never do) */
GPUARRAY_PUBLIC int GpuArray_share(const GpuArray *a, const GpuArray *b);

/** The context of an array.
 *
 * \param a an array
 * \returns the context, not retained; NULL for a cleared array */
GPUARRAY_PUBLIC gpucontext *GpuArray_context(const GpuArray *a);

/** The device's address of an array's first element. What is done through it
 * outside the library is ordered by the caller.
 *
 * \param p where the address goes; untouched on error
 * \param a an array
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL or a cleared array */
GPUARRAY_PUBLIC int GpuArray_devptr(void **p, const GpuArray *a);

/* ---- Copies ------------------------------------------------------------ */

/** Writes an array into another of the same shape: any layouts, converted as
 * numpy's astype() does. They may overlap. **Sync** none.
 *
 * \param dst an array, written
 * \param src an array
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL, different shapes (the message
 * has both) or a read-only `dst`; #GA_UNALIGNED_ERROR; #GA_UNSUPPORTED_ERROR for
 * a conversion of types that have none, and for 64 axes of a type that expressions
 * do not compute with; #GA_MEMORY_ERROR; #GA_LOAD_ERROR or #GA_IMPL_ERROR when the
 * device or its compiler fails */
GPUARRAY_PUBLIC int GpuArray_move(GpuArray *dst, const GpuArray *src);

/** Writes an array into another, repeated to its shape, converted as numpy's
 * astype() does. **Sync** none.
 *
 * \param a an array, written
 * \param v an array that GpuArray_broadcast_to() can give `a`'s shape
 * \returns the codes of GpuArray_move() */
GPUARRAY_PUBLIC int GpuArray_setarray(GpuArray *a, const GpuArray *v);

/** Gathers rows: `a[k] = v[i[k]]`, as numpy.take(v, i, axis=0), converted as
 * numpy's astype() does. Negative numbers count from the end. **Shape** v (n, ...),
 * i (k,), a (k, ...). **Sync** none; with `check_error` it waits.
 *
 * \param a an array in C order without gaps, written
 * \param v an array of any layout
 * \param i integers of any size, without gaps
 * \param check_error not 0: fail when a number is out of range; else such a row
 * of `a` stays as it was
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL, different contexts, a
 * read-only `a` or a number out of range; #GA_UNALIGNED_ERROR; #GA_INVALID_ERROR
 * when `a` or `i` has gaps, `i` is no vector of integers or shapes do not fit;
 * #GA_UNSUPPORTED_ERROR for a conversion of types that have none;
 * #GA_MEMORY_ERROR; #GA_IMPL_ERROR or #GA_LOAD_ERROR when the device or its
 * compiler fails */
GPUARRAY_PUBLIC int GpuArray_take1(GpuArray *a, const GpuArray *v, const GpuArray *i,
                                   int check_error);

/** The largest elements along some axes, and where they are: the first of equal
 * ones, and the first NaN if there is one, as numpy.max() and numpy.argmax(). The
 * position is counted through the listed axes in the order of the list, the last
 * one fastest. **Shape** of both results: the axes that are not listed, in order.
 * **Layout** any. **Sync** none.
 *
 * \param dstMax an array of `src`'s type, written
 * \param dstArgmax an array of int64 or uint64, written
 * \param src an array of at least one axis
 * \param reduxLen how many axes are listed, at least 1
 * \param reduxList the axes, each once
 * \returns #GA_NO_ERROR; #GA_INVALID_ERROR for NULL or cleared arrays, a list
 * that is empty, too long, repeats an axis or has one that is not there, an array
 * without axes, a type without an order, or results of other types or shapes;
 * #GA_VALUE_ERROR for no elements along the listed axes, a read-only result or
 * different contexts; #GA_UNALIGNED_ERROR; #GA_MEMORY_ERROR; #GA_IMPL_ERROR or
 * #GA_LOAD_ERROR when the device or its compiler fails */
GPUARRAY_PUBLIC int GpuArray_maxandargmax(GpuArray *dstMax, GpuArray *dstArgmax,
                                          const GpuArray *src, unsigned int reduxLen,
                                          const unsigned int *reduxList);

/** Makes a copy.
 *
 * \param res the array to make
 * \param a an array
 * \param order order in memory; #GA_ANY_ORDER: Fortran order if `a` lies so (and
 * not in C order too), else C
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL or a bad order;
 * #GA_UNALIGNED_ERROR, #GA_UNSUPPORTED_ERROR, #GA_MEMORY_ERROR, #GA_LOAD_ERROR and
 * #GA_IMPL_ERROR as GpuArray_move() has them */
GPUARRAY_PUBLIC int GpuArray_copy(GpuArray *res, const GpuArray *a, ga_order order);

/** Copies between arrays of any two contexts, same type, size and order. **Sync**
 * as gpudata_transfer().
 *
 * \param res an array, written; without gaps
 * \param a an array without gaps
 * \returns #GA_NO_ERROR; #GA_UNSUPPORTED_ERROR when one has gaps, or types or
 * orders differ; #GA_VALUE_ERROR for NULL, different shapes or a read-only
 * `res`; the codes of gpudata_transfer() */
GPUARRAY_PUBLIC int GpuArray_transfer(GpuArray *res, const GpuArray *a);

/** Joins arrays along an axis into a new one in C order. **Sync** none.
 *
 * \param r the array to make
 * \param as the arrays
 * \param n how many, at least 1
 * \param axis the axis
 * \param restype element type of the result
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL, no arrays, a bad axis or
 * shapes that differ elsewhere; the codes of GpuArray_empty() and
 * GpuArray_move() */
GPUARRAY_PUBLIC int GpuArray_concatenate(GpuArray *r, const GpuArray **as, size_t n,
                                         unsigned int axis, int restype);

/** Copies from the host into an array without gaps, in the order of its memory.
 * GpuArray_fromhost() and GpuArray_setarray() do other layouts. **Sync** `src`
 * may be reused when it returns.
 *
 * \param dst an array without gaps, written
 * \param src host memory
 * \param src_sz bytes, at most those of the array
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL, a read-only array or too many
 * bytes; #GA_UNSUPPORTED_ERROR when the array has gaps; #GA_IMPL_ERROR when the
 * device fails */
GPUARRAY_PUBLIC int GpuArray_write(GpuArray *dst, const void *src, size_t src_sz);

/** Copies an array without gaps to the host, in the order of its memory.
 * GpuArray_tohost() does other layouts. **Sync** waits.
 *
 * \param dst host memory
 * \param dst_sz bytes, at most those of the array
 * \param src an array without gaps
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL or too many bytes;
 * #GA_UNSUPPORTED_ERROR when the array has gaps; #GA_INVALID_ERROR while the thread
 * captures (graph.h); #GA_IMPL_ERROR when the device fails */
GPUARRAY_PUBLIC int GpuArray_read(void *dst, size_t dst_sz, const GpuArray *src);

/** Sets every byte of an array without gaps; nothing beyond it. **Sync** none.
 *
 * \param a an array without gaps, written
 * \param data value of each byte, its low 8 bits
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL or a read-only array;
 * #GA_UNSUPPORTED_ERROR when the array has gaps; #GA_IMPL_ERROR when the device
 * fails */
GPUARRAY_PUBLIC int GpuArray_memset(GpuArray *a, int data);

/** Waits until everything asked of an array so far is done.
 *
 * \param a an array
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL or a cleared array;
 * #GA_INVALID_ERROR while the thread captures (graph.h); #GA_IMPL_ERROR when the
 * device or a kernel on it failed */
GPUARRAY_PUBLIC int GpuArray_sync(GpuArray *a);

/* ---- Looking at arrays ------------------------------------------------- */

/** The calling thread's last message.
 *
 * \param a an array, may be NULL or cleared
 * \param err an error code
 * \returns as gpucontext_error() */
GPUARRAY_PUBLIC const char *GpuArray_error(const GpuArray *a, int err);

/** Prints an array as NumPy's print() does: shortest digits that read back the
 * same, columns aligned, lines of 75 characters, more than 1000 elements
 * summarised. **Sync** waits.
 *
 * \param fd where to
 * \param a an array of a type that expressions compute with
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL; #GA_SYS_ERROR when writing
 * fails; the codes of GpuArray_tohost() */
GPUARRAY_PUBLIC int GpuArray_print(FILE *fd, const GpuArray *a);

/** Prints what an array is, not what is in it: extents, strides, flags, ...
 *
 * \param fd where to
 * \param a an array, may be NULL or cleared */
GPUARRAY_PUBLIC void GpuArray_fprintf(FILE *fd, const GpuArray *a);

/** Prints the elements in C order, one in a line, with their indices. **Sync**
 * waits.
 *
 * \param fd where to
 * \param a an array of any type: numbers are written as NumPy writes them, the
 * elements of vectors in parentheses, other types as hexadecimal bytes
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL or a cleared array; #GA_SYS_ERROR
 * when writing fails; #GA_UNALIGNED_ERROR; #GA_INVALID_ERROR while the thread captures
 * (graph.h); #GA_MEMORY_ERROR; #GA_LOAD_ERROR or #GA_IMPL_ERROR when the device or its
 * compiler fails */
GPUARRAY_PUBLIC int GpuArray_fdump(FILE *fd, const GpuArray *a);

#ifdef __cplusplus
}
#endif
#endif
