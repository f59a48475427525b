/* SPDX-License-Identifier: MIT */
/** \file
 * Collective operations on buffers, over NCCL, which is loaded when the first
 * communicator is made. One process, or thread, is one rank: rank 0 makes a clique
 * id with gpucomm_gen_clique_id(), gives it to the others by its own means, and
 * all of them call gpucomm_new() with it.
 *
 *   if (rank == 0) gpucomm_gen_clique_id(ctx, &id);
 *   MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
 *   gpucomm_new(&comm, ctx, id, nranks, rank);
 *   gpucomm_all_reduce(src, 0, dst, 0, n, GA_FLOAT, GA_SUM, comm);
 *   gpucomm_free(comm);
 *
 * Offsets are bytes, counts are elements. Types are int8, uint8, int32, uint32,
 * int64, uint64, float16, bfloat16, float32 and float64. Operations are queued
 * behind the work on the buffers, as all other calls are.
 *
 * The operations \returns #GA_NO_ERROR or the first that applies: #GA_VALUE_ERROR for
 * a NULL argument; #GA_XLARGE_ERROR for a count above INT_MAX; #GA_VALUE_ERROR for
 * buffers of another context than the communicator's; #GA_INVALID_ERROR for a type
 * or an operation that there is not; #GA_VALUE_ERROR for a range beyond a buffer
 * or a root that is no rank; #GA_INVALID_ERROR while the thread captures (graph.h);
 * #GA_COMM_ERROR when NCCL fails; #GA_IMPL_ERROR when the device does.
 */
#ifndef GPUARRAY_BUFFER_COLLECTIVES_H
#define GPUARRAY_BUFFER_COLLECTIVES_H

#include <gpuarray/buffer.h>
#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One rank of a clique. */
typedef struct _gpucomm gpucomm;

/** How elements are joined. */
enum gpucomm_reduce_ops {
  GA_SUM = 0,  /**< added */
  GA_PROD = 1, /**< multiplied */
  GA_MAX = 2,  /**< the largest */
  GA_MIN = 3   /**< the smallest */
};

#define GA_COMM_ID_BYTES 128 /**< bytes of a clique id */

/** What the ranks of a clique have in common. */
typedef struct _gpucommCliqueId {
  char internal[GA_COMM_ID_BYTES]; /**< NCCL's */
} gpucommCliqueId;

/** Joins a clique. **Sync** waits for all its ranks.
 *
 * \param comm where the communicator goes; NULL on error
 * \param ctx a context, which the communicator holds
 * \param comm_id the clique's id
 * \param ndev number of ranks, at least 1
 * \param rank this one's number, from 0
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL or a rank that is not below
 * `ndev`; #GA_UNSUPPORTED_ERROR when the device has no collectives or NCCL is not
 * there; #GA_COMM_ERROR when NCCL fails; #GA_MEMORY_ERROR */
GPUARRAY_PUBLIC int gpucomm_new(gpucomm **comm, gpucontext *ctx, gpucommCliqueId comm_id, int ndev,
                                int rank);

/** Leaves the clique and frees the communicator.
 *
 * \param comm a communicator, may be NULL */
GPUARRAY_PUBLIC void gpucomm_free(gpucomm *comm);

/** The calling thread's last message.
 *
 * \param ctx a context, may be NULL
 * \returns the text */
GPUARRAY_PUBLIC const char *gpucomm_error(gpucontext *ctx);

/** The context of a communicator.
 *
 * \param comm a communicator
 * \returns the context, not retained; NULL for NULL */
GPUARRAY_PUBLIC gpucontext *gpucomm_context(gpucomm *comm);

/** Makes the id of a new clique.
 *
 * \param ctx a context
 * \param comm_id where the id goes; zeroed on error
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL; #GA_DEVSUP_ERROR when the
 * device has no collectives; #GA_UNSUPPORTED_ERROR when NCCL is not there;
 * #GA_COMM_ERROR when it fails */
GPUARRAY_PUBLIC int gpucomm_gen_clique_id(gpucontext *ctx, gpucommCliqueId *comm_id);

/** The number of ranks.
 *
 * \param comm a communicator
 * \param devcount where the number goes; untouched on error
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL */
GPUARRAY_PUBLIC int gpucomm_get_count(gpucomm *comm, int *devcount);

/** This rank's number.
 *
 * \param comm a communicator
 * \param rank where the number goes; untouched on error
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL */
GPUARRAY_PUBLIC int gpucomm_get_rank(gpucomm *comm, int *rank);

/** dest of rank `root` = src of all ranks, joined.
 *
 * \param src a buffer
 * \param offsrc where in it
 * \param dest a buffer; NULL but for `root`
 * \param offdest where in it
 * \param count number of elements
 * \param typecode their type
 * \param opcode a gpucomm_reduce_ops value
 * \param root the rank that gets the result
 * \param comm a communicator
 * \returns see the top of this file */
GPUARRAY_PUBLIC int gpucomm_reduce(gpudata *src, size_t offsrc, gpudata *dest, size_t offdest,
                                   size_t count, int typecode, int opcode, int root, gpucomm *comm);

/** dest of every rank = src of all ranks, joined.
 *
 * \param src a buffer
 * \param offsrc where in it
 * \param dest a buffer
 * \param offdest where in it
 * \param count number of elements
 * \param typecode their type
 * \param opcode a gpucomm_reduce_ops value
 * \param comm a communicator
 * \returns see the top of this file */
GPUARRAY_PUBLIC int gpucomm_all_reduce(gpudata *src, size_t offsrc, gpudata *dest, size_t offdest,
                                       size_t count, int typecode, int opcode, gpucomm *comm);

/** dest of rank r = part r of src of all ranks, joined.
 *
 * \param src a buffer with `count` elements for each rank
 * \param offsrc where in it
 * \param dest a buffer
 * \param offdest where in it
 * \param count number of elements of a part
 * \param typecode their type
 * \param opcode a gpucomm_reduce_ops value
 * \param comm a communicator
 * \returns see the top of this file */
GPUARRAY_PUBLIC int gpucomm_reduce_scatter(gpudata *src, size_t offsrc, gpudata *dest,
                                           size_t offdest, size_t count, int typecode, int opcode,
                                           gpucomm *comm);

/** array of every rank = array of rank `root`.
 *
 * \param array a buffer
 * \param offset where in it
 * \param count number of elements
 * \param typecode their type
 * \param root the rank that gives
 * \param comm a communicator
 * \returns see the top of this file */
GPUARRAY_PUBLIC int gpucomm_broadcast(gpudata *array, size_t offset, size_t count, int typecode,
                                      int root, gpucomm *comm);

/** dest of every rank = src of rank 0, src of rank 1, ...
 *
 * \param src a buffer
 * \param offsrc where in it
 * \param dest a buffer with room for `count` elements of each rank
 * \param offdest where in it
 * \param count number of elements of a rank
 * \param typecode their type
 * \param comm a communicator
 * \returns see the top of this file */
GPUARRAY_PUBLIC int gpucomm_all_gather(gpudata *src, size_t offsrc, gpudata *dest, size_t offdest,
                                       size_t count, int typecode, gpucomm *comm);

#ifdef __cplusplus
}
#endif
#endif
