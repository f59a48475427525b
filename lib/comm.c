/* SPDX-License-Identifier: MIT */
/* Collectives on buffers: arguments checked in the order that
 * gpuarray/buffer_collectives.h gives, then the device's own. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "gpuarray/util.h"
#include "lib/capture.h"
#include "lib/check.h"
#include "lib/context.h"

int gpucomm_new(gpucomm **comm, gpucontext *ctx, gpucommCliqueId comm_id, int ndev, int rank)
{
  static const char op[] = "gpucomm_new";
  gpucomm *c;
  int err;

  GA_NOT_NULL(op, 1, comm);
  *comm = NULL;
  GA_NOT_NULL(op, 2, ctx);
  if (ndev < 1 || rank < 0 || rank >= ndev)
    return ga_error(GA_VALUE_ERROR, "%s: rank %d of %d", op, rank, ndev);
  if (ctx->backend->comm_open == NULL)
    return ga_error(GA_UNSUPPORTED_ERROR, "%s: the %s device has no collectives", op,
                    ctx->backend->name);
  c = calloc(1, sizeof *c);
  if (c == NULL) return ga_error_memory(op, sizeof *c);
  c->ctx = ctx;
  c->ndev = ndev;
  c->rank = rank;
  err = ctx->backend->comm_open(c, comm_id.internal);
  if (err != GA_NO_ERROR) {
    free(c);
    return err;
  }
  ga_context_retain(ctx);
  *comm = c;
  return GA_NO_ERROR;
}

void gpucomm_free(gpucomm *comm)
{
  gpucontext *ctx;

  if (comm == NULL) return;
  ctx = comm->ctx;
  ctx->backend->comm_close(comm);
  free(comm);
  gpucontext_deref(ctx);
}

const char *gpucomm_error(gpucontext *ctx) { return gpucontext_error(ctx, GA_COMM_ERROR); }

gpucontext *gpucomm_context(gpucomm *comm) { return comm != NULL ? comm->ctx : NULL; }

int gpucomm_gen_clique_id(gpucontext *ctx, gpucommCliqueId *comm_id)
{
  static const char op[] = "gpucomm_gen_clique_id";

  GA_NOT_NULL(op, 2, comm_id);
  memset(comm_id, 0, sizeof *comm_id);
  GA_NOT_NULL(op, 1, ctx);
  if (ctx->backend->comm_id == NULL)
    return ga_error(GA_DEVSUP_ERROR, "%s: the %s device has no collectives", op,
                    ctx->backend->name);
  return ctx->backend->comm_id(ctx, comm_id->internal);
}

int gpucomm_get_count(gpucomm *comm, int *devcount)
{
  GA_NOT_NULL("gpucomm_get_count", 1, comm);
  GA_NOT_NULL("gpucomm_get_count", 2, devcount);
  *devcount = comm->ndev;
  return GA_NO_ERROR;
}

int gpucomm_get_rank(gpucomm *comm, int *rank)
{
  GA_NOT_NULL("gpucomm_get_rank", 1, comm);
  GA_NOT_NULL("gpucomm_get_rank", 2, rank);
  *rank = comm->rank;
  return GA_NO_ERROR;
}

/* ---- the operations --------------------------------------------------------- */

/* A collective as it was asked for. `src` or `dest` NULL: it has none. */
typedef struct request {
  const char *op;
  gpucomm *comm;
  gpudata *src, *dest;
  size_t offsrc, offdest;
  size_t count;       /* as given */
  size_t nsrc, ndest; /* parts of `count` elements in each */
  int typecode, opcode, root;
} request;

static int has_type(int typecode)
{
  static const int all[] = {GA_BYTE,  GA_UBYTE, GA_INT,    GA_UINT,  GA_LONG,
                            GA_ULONG, GA_HALF,  GA_BFLOAT, GA_FLOAT, GA_DOUBLE};

  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i] == typecode) return 1;
  return 0;
}

static int check_range(const request *r, const char *what, const gpudata *b, size_t off,
                       size_t parts)
{
  size_t n;

  if (b == NULL) return GA_NO_ERROR;
  if (!__builtin_mul_overflow(r->count, parts * gpuarray_get_elsize(r->typecode), &n) &&
      off <= b->size && n <= b->size - off)
    return GA_NO_ERROR;
  return ga_error(GA_VALUE_ERROR,
                  "%s: %s has %zu bytes, %zu x %zu elements from byte %zu on do "
                  "not fit",
                  r->op, what, b->size, parts, r->count, off);
}

static int run(const request *r, enum ga_comm_kind kind)
{
  gpucontext *ctx = r->comm->ctx;
  char *src = r->src != NULL ? (char *)r->src->ptr + r->offsrc : NULL;
  char *dest = r->dest != NULL ? (char *)r->dest->ptr + r->offdest : NULL;

  if (r->count > INT_MAX)
    return ga_error(GA_XLARGE_ERROR, "%s: %zu elements, at most %d", r->op, r->count, INT_MAX);
  if ((r->src != NULL && r->src->ctx != ctx) || (r->dest != NULL && r->dest->ctx != ctx))
    return ga_error(GA_VALUE_ERROR, "%s: a buffer and the communicator are of different contexts",
                    r->op);
  if (!has_type(r->typecode))
    return ga_error(GA_INVALID_ERROR, "%s: typecode %d has no collectives", r->op, r->typecode);
  if (r->opcode < GA_SUM || r->opcode > GA_MIN)
    return ga_error(GA_INVALID_ERROR, "%s: operation %d, expected a gpucomm_reduce_ops", r->op,
                    r->opcode);
  GA_TRY(check_range(r, "the source", r->src, r->offsrc, r->nsrc));
  GA_TRY(check_range(r, "the destination", r->dest, r->offdest, r->ndest));
  if (r->root < 0 || r->root >= r->comm->ndev)
    return ga_error(GA_VALUE_ERROR, "%s: root %d of %d ranks", r->op, r->root, r->comm->ndev);
  if (ga_capturing(ctx)) return ga_capture_refuse(ctx, r->op, "no collectives");
  return ctx->backend->comm_run(r->comm, kind, src, dest, r->count, r->typecode, r->opcode,
                                r->root);
}

static size_t ranks(const gpucomm *comm) { return (size_t)comm->ndev; }

int gpucomm_reduce(gpudata *src, size_t offsrc, gpudata *dest, size_t offdest, size_t count,
                   int typecode, int opcode, int root, gpucomm *comm)
{
  request r = {"gpucomm_reduce", comm,   src, dest, offsrc, offdest, count, 1, 1,
               typecode,         opcode, root};

  GA_NOT_NULL(r.op, 1, src);
  GA_NOT_NULL(r.op, 9, comm);
  if (root == comm->rank) GA_NOT_NULL(r.op, 3, dest);
  return run(&r, GA_COMM_REDUCE);
}

int gpucomm_all_reduce(gpudata *src, size_t offsrc, gpudata *dest, size_t offdest, size_t count,
                       int typecode, int opcode, gpucomm *comm)
{
  request r = {
      "gpucomm_all_reduce", comm, src, dest, offsrc, offdest, count, 1, 1, typecode, opcode, 0};

  GA_NOT_NULL(r.op, 1, src);
  GA_NOT_NULL(r.op, 3, dest);
  GA_NOT_NULL(r.op, 8, comm);
  return run(&r, GA_COMM_ALL_REDUCE);
}

int gpucomm_reduce_scatter(gpudata *src, size_t offsrc, gpudata *dest, size_t offdest, size_t count,
                           int typecode, int opcode, gpucomm *comm)
{
  request r = {
      "gpucomm_reduce_scatter", comm, src, dest, offsrc, offdest, count, 0, 1, typecode, opcode, 0};

  GA_NOT_NULL(r.op, 1, src);
  GA_NOT_NULL(r.op, 3, dest);
  GA_NOT_NULL(r.op, 8, comm);
  r.nsrc = ranks(comm);
  return run(&r, GA_COMM_REDUCE_SCATTER);
}

int gpucomm_broadcast(gpudata *array, size_t offset, size_t count, int typecode, int root,
                      gpucomm *comm)
{
  request r = {
      "gpucomm_broadcast", comm, NULL, array, 0, offset, count, 0, 1, typecode, GA_SUM, root};

  GA_NOT_NULL(r.op, 1, array);
  GA_NOT_NULL(r.op, 6, comm);
  return run(&r, GA_COMM_BROADCAST);
}

int gpucomm_all_gather(gpudata *src, size_t offsrc, gpudata *dest, size_t offdest, size_t count,
                       int typecode, gpucomm *comm)
{
  request r = {
      "gpucomm_all_gather", comm, src, dest, offsrc, offdest, count, 1, 0, typecode, GA_SUM, 0};

  GA_NOT_NULL(r.op, 1, src);
  GA_NOT_NULL(r.op, 3, dest);
  GA_NOT_NULL(r.op, 7, comm);
  r.ndest = ranks(comm);
  return run(&r, GA_COMM_ALL_GATHER);
}
