/* SPDX-License-Identifier: MIT */
/* Collectives over NCCL, which is looked for when the first communicator or id is
 * made. Its calls are queued on the context's stream, in order with all else. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_device.h"
#include "dl.h"
#include "gpuarray/types.h"
#include "lib/util/lock.h"

static struct {
#define FN(ret, name, args)  ret(*name) args;
#define OPT(ret, name, args) ret(*name) args;
#include "nccl.def"
#undef FN
#undef OPT
} nccl;

static const ga_dl_symbol symbols[] = {
#define FN(ret, name, args)  {#name, (size_t)((char *)&nccl.name - (char *)&nccl), 0},
#define OPT(ret, name, args) {#name, (size_t)((char *)&nccl.name - (char *)&nccl), 1},
#include "nccl.def"
#undef FN
#undef OPT
};

static ga_dl lib;
static atomic_int ready;
static ga_lock lock = GA_LOCK;

static int load(void)
{
  enum { N = sizeof symbols / sizeof *symbols };
  const char *file = getenv("GPUARRAY_NCCL");
  int err = GA_NO_ERROR;
  if (atomic_load(&ready)) return GA_NO_ERROR;
  ga_lock_take(&lock);
  if (!atomic_load(&ready)) {
    err = file != NULL && file[0] != '\0'
              ? ga_dl_open(&lib, "nccl", file, symbols, N, &nccl)
              : ga_dl_find(&lib, "nccl", "libnccl.so.2", symbols, N, &nccl);
    if (err == GA_NO_ERROR) atomic_store(&ready, 1);
  }
  ga_lock_give(&lock);
  if (err != GA_NO_ERROR)
    err =
        ga_error(GA_UNSUPPORTED_ERROR, "%s (GPUARRAY_NCCL may name the file)", ga_error_message());
  return err;
}

static int failed(const char *op, ncclComm_t comm, ncclResult_t r)
{
  const char *more = nccl.ncclGetLastError != NULL ? nccl.ncclGetLastError(comm) : "";
  if (r == NCCL_SUCCESS) return GA_NO_ERROR;
  return ga_error(GA_COMM_ERROR, "%s: NCCL: %s%s%s", op, nccl.ncclGetErrorString(r),
                  more != NULL && *more != '\0' ? ": " : "", more != NULL ? more : "");
}

int ga_cuda_comm_id(gpucontext *ctx, void *id)
{
  ncclUniqueId u;
  int pushed, err;
  GA_TRY(load());
  GA_TRY(ga_cuda_enter(ga_cuda_of(ctx), "gpucomm_gen_clique_id", &pushed));
  err = failed("gpucomm_gen_clique_id", NULL, nccl.ncclGetUniqueId(&u));
  ga_cuda_exit(pushed);
  if (err == GA_NO_ERROR) memcpy(id, &u, sizeof u);
  return err;
}

int ga_cuda_comm_open(gpucomm *comm, const void *id)
{
  ncclComm_t c = NULL;
  ncclUniqueId u;
  int pushed, err;
  GA_TRY(load());
  memcpy(&u, id, sizeof u);
  GA_TRY(ga_cuda_enter(ga_cuda_of(comm->ctx), "gpucomm_new", &pushed));
  err = failed("gpucomm_new", NULL, nccl.ncclCommInitRank(&c, comm->ndev, u, comm->rank));
  ga_cuda_exit(pushed);
  comm->handle = c;
  return err;
}

void ga_cuda_comm_close(gpucomm *comm)
{
  ga_cuda *c = ga_cuda_of(comm->ctx);
  int pushed;
  if (!ga_cuda_usable(c) || ga_cuda_enter(c, "gpucomm_free", &pushed) != GA_NO_ERROR) return;
  (void)ga_cu.cuStreamSynchronize(c->stream);
  (void)nccl.ncclCommDestroy(comm->handle);
  ga_cuda_exit(pushed);
}

static int type_of(int typecode)
{
  switch (typecode) {
  case GA_BYTE: return NCCL_INT8;
  case GA_UBYTE: return NCCL_UINT8;
  case GA_INT: return NCCL_INT32;
  case GA_UINT: return NCCL_UINT32;
  case GA_LONG: return NCCL_INT64;
  case GA_ULONG: return NCCL_UINT64;
  case GA_HALF: return NCCL_FLOAT16;
  case GA_BFLOAT: return NCCL_BFLOAT16;
  case GA_FLOAT: return NCCL_FLOAT32;
  default: return NCCL_FLOAT64;
  }
}

/* GA_SUM, ... have NCCL's numbers. */
int ga_cuda_comm_run(gpucomm *comm, enum ga_comm_kind kind, const void *src, void *dst,
                     size_t count, int typecode, int op, int root)
{
  ga_cuda *c = ga_cuda_of(comm->ctx);
  ncclComm_t h = comm->handle;
  int type = type_of(typecode), pushed, err;
  ncclResult_t r = NCCL_SUCCESS;
  GA_TRY(ga_cuda_enter(c, "collective", &pushed));
  switch (kind) {
  case GA_COMM_REDUCE: r = nccl.ncclReduce(src, dst, count, type, op, root, h, c->stream); break;
  case GA_COMM_ALL_REDUCE: r = nccl.ncclAllReduce(src, dst, count, type, op, h, c->stream); break;
  case GA_COMM_REDUCE_SCATTER:
    r = nccl.ncclReduceScatter(src, dst, count, type, op, h, c->stream);
    break;
  case GA_COMM_BROADCAST: r = nccl.ncclBroadcast(dst, dst, count, type, root, h, c->stream); break;
  case GA_COMM_ALL_GATHER: r = nccl.ncclAllGather(src, dst, count, type, h, c->stream); break;
  }
  err = failed("collective", h, r);
  ga_cuda_exit(pushed);
  return err;
}
