/* SPDX-License-Identifier: MIT */
/* Buffers: a block of device memory and the counts that an out-of-memory
 * message is made of. */
#include <stdlib.h>

#include "cuda_device.h"

int ga_cuda_alloc(gpudata **res, gpucontext *ctx, size_t size, int flags)
{
  ga_cuda *c = ga_cuda_of(ctx);
  CUdeviceptr p = 0;
  int pushed, err;
  if (flags & GA_BUFFER_HOST)
    return ga_error(GA_DEVSUP_ERROR, "alloc: the CUDA device has no GA_BUFFER_HOST buffers");
  gpudata *b = calloc(1, sizeof *b);
  if (b == NULL) return ga_error_memory("alloc", sizeof *b);
  err = ga_cuda_enter(c, "alloc", &pushed);
  if (err == GA_NO_ERROR) {
    err = ga_cuda_mem_alloc(c, &p, size);
    ga_cuda_exit(pushed);
  }
  if (err != GA_NO_ERROR) {
    free(b);
    return err;
  }
  b->ptr = (void *)(uintptr_t)p;
  b->ctx = ctx;
  b->size = size;
  b->flags = flags;
  atomic_init(&b->refcnt, 1);
  atomic_fetch_add_explicit(&c->live, size, memory_order_relaxed);
  atomic_fetch_add_explicit(&c->nlive, 1, memory_order_relaxed);
  *res = b;
  return GA_NO_ERROR;
}

/* Gives the memory back to where it came from. That of another process, and
 * cuMemAlloc's, goes at once, so the work on it must be done. */
static void drop(ga_cuda *c, gpudata *b)
{
  CUdeviceptr p = (CUdeviceptr)(uintptr_t)b->ptr;
  if (!(b->flags & (GA_CUDA_BUFFER_IPC | GA_CUDA_BUFFER_PLAIN))) {
    ga_cuda_mem_free(c, p, b->size);
    return;
  }
  (void)ga_cu.cuStreamSynchronize(c->stream);
  if (b->flags & GA_CUDA_BUFFER_IPC)
    (void)ga_cu.cuIpcCloseMemHandle(p);
  else
    (void)ga_cu.cuMemFree_v2(p);
}

/* In a forked child and on a poisoned context only the host's part is freed,
 * and the thread's last message is left alone. */
void ga_cuda_free(gpudata *b)
{
  int pushed;
  if (b == NULL) return;
  ga_cuda *c = ga_cuda_of(b->ctx);
  if (!(b->flags & GA_BUFFER_BORROWED)) {
    if (ga_cuda_usable(c) && ga_cuda_enter(c, "free", &pushed) == GA_NO_ERROR) {
      drop(c, b);
      ga_cuda_exit(pushed);
    }
    atomic_fetch_sub_explicit(&c->live, b->size, memory_order_relaxed);
    atomic_fetch_sub_explicit(&c->nlive, 1, memory_order_relaxed);
  }
  free(b);
}
