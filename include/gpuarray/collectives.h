/* SPDX-License-Identifier: MIT */
/** \file
 * Collective operations on arrays; buffer_collectives.h has the communicators.
 * Elements are taken in the order of memory, so every rank's arrays should lie
 * alike.
 *
 * Every function **Sync** none, and \returns #GA_NO_ERROR or the first that applies:
 * #GA_VALUE_ERROR for a NULL or cleared array, or numbers of elements or types that
 * do not fit; #GA_UNALIGNED_ERROR for an array that is not aligned;
 * #GA_INVALID_ERROR for a result that is read-only; #GA_UNSUPPORTED_ERROR for an
 * array with gaps; the codes of buffer_collectives.h.
 */
#ifndef GPUARRAY_COLLECTIVES_H
#define GPUARRAY_COLLECTIVES_H

#include <gpuarray/array.h>
#include <gpuarray/buffer_collectives.h>
#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Gives an array to GpuArray_reduce() of another rank.
 *
 * \param src an array
 * \param opcode a gpucomm_reduce_ops value
 * \param root the rank that gets the result, not this one
 * \param comm a communicator
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_reduce_from(const GpuArray *src, int opcode, int root, gpucomm *comm);

/** dest of rank `root` = src of all ranks, joined. **Shape** as many elements.
 *
 * \param src an array
 * \param dest an array, written; may be NULL but for `root`
 * \param opcode a gpucomm_reduce_ops value
 * \param root the rank that gets the result
 * \param comm a communicator
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_reduce(const GpuArray *src, GpuArray *dest, int opcode, int root,
                                    gpucomm *comm);

/** dest of every rank = src of all ranks, joined. **Shape** as many elements.
 *
 * \param src an array
 * \param dest an array, written
 * \param opcode a gpucomm_reduce_ops value
 * \param comm a communicator
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_all_reduce(const GpuArray *src, GpuArray *dest, int opcode,
                                        gpucomm *comm);

/** dest of rank r = part r of src of all ranks, joined. **Shape** src has the
 * elements of dest times the number of ranks.
 *
 * \param src an array
 * \param dest an array, written
 * \param opcode a gpucomm_reduce_ops value
 * \param comm a communicator
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_reduce_scatter(const GpuArray *src, GpuArray *dest, int opcode,
                                            gpucomm *comm);

/** array of every rank = array of rank `root`.
 *
 * \param array an array, written
 * \param root the rank that gives
 * \param comm a communicator
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_broadcast(GpuArray *array, int root, gpucomm *comm);

/** dest of every rank = src of rank 0, src of rank 1, ... **Shape** dest has the
 * elements of src times the number of ranks.
 *
 * \param src an array
 * \param dest an array, written
 * \param comm a communicator
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_all_gather(const GpuArray *src, GpuArray *dest, gpucomm *comm);

#ifdef __cplusplus
}
#endif
#endif
