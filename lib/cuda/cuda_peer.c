/* SPDX-License-Identifier: MIT */
/* Copies between two contexts of the driver, on one GPU or on two, without the
 * host. The copy is queued on the destination's stream; events order it after what
 * the source's stream was asked before, and what that stream is asked later after
 * the copy, so that neither buffer needs to be waited for. */
#include "cuda_device.h"

enum { MAX_PEERS = 64 };

/* Lets `c` reach the memory of `other`: directly where the two GPUs can. Tried once
 * for a pair; where it fails the driver copies through memory of its own. */
static void open_way(ga_cuda *c, ga_cuda *other)
{
  int can = 0, pushed;
  uint64_t bit;
  struct {
    int type, id;
    int flags;
  } access = {CU_MEM_LOCATION_TYPE_DEVICE, c->dev, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  if (c->dev == other->dev || c->base.device >= MAX_PEERS) return;
  bit = (uint64_t)1 << c->base.device;
  if (atomic_fetch_or(&other->open_to, bit) & bit) return;
  if (ga_cu.cuDeviceCanAccessPeer == NULL || ga_cu.cuCtxEnablePeerAccess == NULL ||
      ga_cu.cuDeviceCanAccessPeer(&can, c->dev, other->dev) != CUDA_SUCCESS || !can ||
      ga_cuda_enter(c, "transfer", &pushed) != GA_NO_ERROR)
    return;
  (void)ga_cu.cuCtxEnablePeerAccess(other->cu, 0);
  ga_cuda_exit(pushed);
  if (other->mode == GA_CUDA_POOL && ga_cu.cuMemPoolSetAccess != NULL)
    (void)ga_cu.cuMemPoolSetAccess(other->pool, &access, 1);
}

/* What `after` is asked from now on waits for what `before` was asked so far. */
static int order(ga_cuda *before, ga_cuda *after)
{
  CUevent e = NULL;
  int pushed, err = GA_NO_ERROR;
  GA_TRY(ga_cuda_enter(before, "transfer", &pushed));
  GA_CUDA(before, "transfer", ga_cu.cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
  GA_CUDA(before, "transfer", ga_cu.cuEventRecord(e, before->stream));
fail:
  ga_cuda_exit(pushed);
  if (err == GA_NO_ERROR) err = ga_cuda_enter(after, "transfer", &pushed);
  if (err == GA_NO_ERROR) {
    CUresult r = ga_cu.cuStreamWaitEvent(after->stream, e, 0);
    if (r != CUDA_SUCCESS) err = ga_cuda_error(after, "transfer", r);
    ga_cuda_exit(pushed);
  }
  if (e != NULL) (void)ga_cu.cuEventDestroy_v2(e); /* once it has happened */
  return err;
}

int ga_cuda_peer(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff, size_t n)
{
  ga_cuda *d = ga_cuda_of(dst->ctx), *s = ga_cuda_of(src->ctx);
  int pushed, err = GA_NO_ERROR;
  open_way(d, s);
  open_way(s, d);
  GA_TRY(order(s, d));
  GA_TRY(ga_cuda_enter(d, "transfer", &pushed));
  GA_CUDA(d, "transfer",
          ga_cu.cuMemcpyPeerAsync((CUdeviceptr)(uintptr_t)dst->ptr + dstoff, d->cu,
                                  (CUdeviceptr)(uintptr_t)src->ptr + srcoff, s->cu, n, d->stream));
fail:
  ga_cuda_exit(pushed);
  if (err == GA_NO_ERROR) err = order(d, s);
  return err;
}
