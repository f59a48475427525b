/* SPDX-License-Identifier: MIT */
/* Collectives on arrays: numbers of elements, types and flags compared, then those
 * on buffers. */
#include "gpuarray/collectives.h"
#include "lib/array.h"

/* `dest` has `m` elements for each `n` of `src`; either may be NULL. */
static int check(const char *op, const GpuArray *src, const GpuArray *dest, size_t n, size_t m,
                 gpucomm *comm)
{
  const GpuArray *both[2] = {src, dest};
  const int first = src != NULL; /* `dest` alone is argument 1 */

  if (comm == NULL) return ga_error(GA_VALUE_ERROR, "%s: the communicator is NULL", op);
  for (int i = 0; i < 2; i++)
    if (both[i] != NULL) GA_TRY(ga_array_check(op, i + first, both[i]));
  if (src != NULL && dest != NULL) {
    if (ga_array_size(src) * m != ga_array_size(dest) * n)
      return ga_error(GA_VALUE_ERROR, "%s: %zu elements in argument 1 and %zu in argument 2", op,
                      ga_array_size(src), ga_array_size(dest));
    if (src->typecode != dest->typecode)
      return ga_error(GA_VALUE_ERROR, "%s: argument 1 has typecode %d, argument 2 %d", op,
                      src->typecode, dest->typecode);
  }
  for (int i = 0; i < 2; i++)
    if (both[i] != NULL && !GpuArray_ISALIGNED(both[i]))
      return ga_error(GA_UNALIGNED_ERROR, "%s: argument %d is not aligned to its elements", op,
                      i + first);
  if (dest != NULL && !GpuArray_ISWRITEABLE(dest))
    return ga_error(GA_INVALID_ERROR, "%s: argument %d is read-only", op, 1 + first);
  for (int i = 0; i < 2; i++)
    if (both[i] != NULL && !GpuArray_ISONESEGMENT(both[i]))
      return ga_error(GA_UNSUPPORTED_ERROR, "%s: argument %d has gaps", op, i + first);
  return GA_NO_ERROR;
}

int GpuArray_reduce_from(const GpuArray *src, int opcode, int root, gpucomm *comm)
{
  static const char op[] = "GpuArray_reduce_from";

  GA_NOT_NULL(op, 1, src);
  GA_TRY(check(op, src, NULL, 1, 1, comm));
  return gpucomm_reduce(src->data, src->offset, NULL, 0, ga_array_size(src), src->typecode, opcode,
                        root, comm);
}

int GpuArray_reduce(const GpuArray *src, GpuArray *dest, int opcode, int root, gpucomm *comm)
{
  static const char op[] = "GpuArray_reduce";
  int rank;

  GA_NOT_NULL(op, 1, src);
  GA_NOT_NULL(op, 5, comm);
  GA_TRY(gpucomm_get_rank(comm, &rank));
  if (rank != root) return GpuArray_reduce_from(src, opcode, root, comm);
  GA_NOT_NULL(op, 2, dest);
  GA_TRY(check(op, src, dest, 1, 1, comm));
  return gpucomm_reduce(src->data, src->offset, dest->data, dest->offset, ga_array_size(src),
                        src->typecode, opcode, root, comm);
}

int GpuArray_all_reduce(const GpuArray *src, GpuArray *dest, int opcode, gpucomm *comm)
{
  static const char op[] = "GpuArray_all_reduce";

  GA_NOT_NULL(op, 1, src);
  GA_NOT_NULL(op, 2, dest);
  GA_TRY(check(op, src, dest, 1, 1, comm));
  return gpucomm_all_reduce(src->data, src->offset, dest->data, dest->offset, ga_array_size(src),
                            src->typecode, opcode, comm);
}

int GpuArray_reduce_scatter(const GpuArray *src, GpuArray *dest, int opcode, gpucomm *comm)
{
  static const char op[] = "GpuArray_reduce_scatter";
  int ndev;

  GA_NOT_NULL(op, 1, src);
  GA_NOT_NULL(op, 2, dest);
  GA_NOT_NULL(op, 4, comm);
  GA_TRY(gpucomm_get_count(comm, &ndev));
  GA_TRY(check(op, src, dest, (size_t)ndev, 1, comm));
  return gpucomm_reduce_scatter(src->data, src->offset, dest->data, dest->offset,
                                ga_array_size(dest), src->typecode, opcode, comm);
}

int GpuArray_broadcast(GpuArray *array, int root, gpucomm *comm)
{
  static const char op[] = "GpuArray_broadcast";

  GA_NOT_NULL(op, 1, array);
  GA_TRY(check(op, NULL, array, 1, 1, comm));
  return gpucomm_broadcast(array->data, array->offset, ga_array_size(array), array->typecode, root,
                           comm);
}

int GpuArray_all_gather(const GpuArray *src, GpuArray *dest, gpucomm *comm)
{
  static const char op[] = "GpuArray_all_gather";
  int ndev;

  GA_NOT_NULL(op, 1, src);
  GA_NOT_NULL(op, 2, dest);
  GA_NOT_NULL(op, 3, comm);
  GA_TRY(gpucomm_get_count(comm, &ndev));
  GA_TRY(check(op, src, dest, 1, (size_t)ndev, comm));
  return gpucomm_all_gather(src->data, src->offset, dest->data, dest->offset, ga_array_size(src),
                            src->typecode, comm);
}
