/* SPDX-License-Identifier: MIT */
/* Opening, entering and closing a context of the CUDA device.
 *
 * A context holds the device's primary context, which the CUDA run-time library
 * uses too, so that arrays and such programs see each other's pointers; and one
 * stream, which waits for the NULL stream and is waited for by it. Entering
 * leaves the caller's current context alone: where a thread has none, ours
 * becomes current and stays, which costs the next call one comparison; where it
 * has another, ours is pushed and popped again.
 *
 * A fault inside a kernel (a wild address, say) makes the CUDA context
 * unusable for ever. It is seen by a later call, and from then on every call
 * fails with one message that names the fault and the kernel launched last. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_device.h"

/* The context that this file made current in this thread, if any. */
static _Thread_local CUcontext made_current;

static int fault_error(ga_cuda *c, const char *op)
{
  return ga_error(GA_IMPL_ERROR,
                  "%s: the context of device cuda%u is unusable since %s; release it and its "
                  "arrays and start a new process",
                  op, c->base.device, c->fault);
}

int ga_cuda_enter(ga_cuda *c, const char *op, int *pushed)
{
  CUcontext cur = NULL;
  *pushed = 0;
  if (ga_cu_forked()) return ga_cu_forked_error(op);
  if (atomic_load_explicit(&c->poisoned, memory_order_acquire)) return fault_error(c, op);
  CUresult r = ga_cu.cuCtxGetCurrent(&cur);
  if (r != CUDA_SUCCESS) return ga_cuda_error(c, op, r);
  if (cur == c->cu) return GA_NO_ERROR;
  if (cur == NULL) {
    r = ga_cu.cuCtxSetCurrent(c->cu);
    if (r == CUDA_SUCCESS) made_current = c->cu;
  } else {
    r = ga_cu.cuCtxPushCurrent_v2(c->cu);
    *pushed = r == CUDA_SUCCESS;
  }
  return r == CUDA_SUCCESS ? GA_NO_ERROR : ga_cuda_error(c, op, r);
}

void ga_cuda_exit(int pushed)
{
  CUcontext old;
  if (pushed) ga_cu.cuCtxPopCurrent_v2(&old);
}

/* Errors after which the driver answers nothing else any more. */
static int is_fault(CUresult r)
{
  switch (r) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_TENSOR_MEMORY_LEAK:
  case CUDA_ERROR_EXTERNAL_DEVICE: return 1;
  default: return r >= CUDA_ERROR_HARDWARE_STACK_ERROR && r <= CUDA_ERROR_LAUNCH_FAILED;
  }
}

int ga_cuda_error(ga_cuda *c, const char *op, CUresult r)
{
  char buf[64];
  if (!is_fault(r)) return ga_cu_error(op, r);
  ga_lock_take(&c->fault_lock);
  if (!atomic_load_explicit(&c->poisoned, memory_order_relaxed)) {
    const ga_func *f = (const ga_func *)atomic_load(&c->last);
    snprintf(c->fault, sizeof c->fault, "%s (the kernel launched last was %s)",
             ga_cu_error_name(r, buf, sizeof buf), f != NULL ? ga_cuda_func_name(f) : "none");
    atomic_store_explicit(&c->poisoned, 1, memory_order_release);
  }
  ga_lock_give(&c->fault_lock);
  return fault_error(c, op);
}

int ga_cuda_device_count(unsigned int *n)
{
  int count = 0;
  *n = 0;
  GA_TRY(ga_cu_load());
  CUresult r = ga_cu.cuDeviceGetCount(&count);
  if (r != CUDA_SUCCESS) return ga_cu_error("device count", r);
  *n = (unsigned int)count;
  return GA_NO_ERROR;
}

static int attribute(ga_cuda *c, int attr, size_t *value)
{
  int v = 0;
  CUresult r = ga_cu.cuDeviceGetAttribute(&v, attr, c->dev);
  if (r != CUDA_SUCCESS) return ga_cu_error("context: device attribute", r);
  *value = v > 0 ? (size_t)v : 0;
  return GA_NO_ERROR;
}

/* Kernels may be started while the one ahead of them ends: on cards that can, with
 * drivers that know how, in launches and in graphs. */
static int overlaps(const ga_cuda *c)
{
  const char *s = getenv("GPUARRAY_OVERLAP");
  return c->cc >= 90 && ga_cu.cuLaunchKernelEx != NULL && ga_cu.cuGraphAddDependencies_v2 != NULL &&
         (s == NULL || strcmp(s, "off") != 0);
}

/* Blocks of a cluster at most: 8 wherever there are clusters; 16, which launch.c asks for, on a
 * data centre's cards, but not on small ones nor on slices of them, whose groups of
 * multiprocessors may be too small for one. */
static unsigned int cluster_of(int cc, size_t nproc)
{
  if (cc < 90) return 0;
  return cc < 110 && nproc >= 64 ? 16 : 8;
}

static int read_device(ga_cuda *c)
{
  size_t major = 0, minor = 0, nproc = 0, warp = 0;
  GA_TRY(attribute(c, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major));
  GA_TRY(attribute(c, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor));
  GA_TRY(attribute(c, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &nproc));
  GA_TRY(attribute(c, CU_DEVICE_ATTRIBUTE_WARP_SIZE, &warp));
  GA_TRY(attribute(c, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &c->max_block));
  GA_TRY(attribute(c, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &c->shared_plain));
  if (attribute(c, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &c->shared_max) != 0 ||
      c->shared_max < c->shared_plain)
    c->shared_max = c->shared_plain;
  c->cc = (int)(10 * major + minor);
  c->warp = (int)warp;
  c->base.target.overlap = overlaps(c);
  c->base.target.nproc = (unsigned int)nproc;
  c->base.target.shared = (unsigned int)c->shared_max;
  c->base.target.cluster = cluster_of(c->cc, nproc);
  snprintf(c->base.bin_id, sizeof c->base.bin_id, "sm_%d", c->cc);
  return GA_NO_ERROR;
}

static int new_stream(ga_cuda *c)
{
  int pushed, err;
  GA_TRY(ga_cuda_enter(c, "context", &pushed));
  GA_CUDA(c, "context: stream", ga_cu.cuStreamCreate(&c->stream, 0));
  err = GA_NO_ERROR;
fail:
  ga_cuda_exit(pushed);
  return err;
}

/* `cu` NULL: the device's primary context, retained. */
static int open_device(gpucontext **res, int dev, CUcontext cu, const gpucontext_props *props)
{
  int err, sched = props != NULL ? props->sched : GA_CTX_SCHED_AUTO;
  ga_cuda *c = calloc(1, sizeof *c);
  if (c == NULL) return ga_error_memory("context", sizeof *c);
  c->base.backend = &ga_cuda_backend;
  atomic_init(&c->base.refcnt, 1);
  c->base.device = (unsigned int)dev;
  ga_lock_init(&c->mem_lock);
  ga_lock_init(&c->scratch_lock);
  ga_lock_init(&c->stage_lock);
  ga_lock_init(&c->blas_lock);
  ga_lock_init(&c->fault_lock);
  ga_lock_init(&c->rtc_lock);
  GA_CUDA(c, "context: device", ga_cu.cuDeviceGet(&c->dev, dev));
  err = read_device(c);
  if (err != GA_NO_ERROR) goto fail;
  c->foreign = cu != NULL;
  c->cu = cu;
  /* Refused where the primary context is in use already: its owner chose. */
  if (cu == NULL && sched != GA_CTX_SCHED_AUTO)
    (void)ga_cu.cuDevicePrimaryCtxSetFlags_v2(
        c->dev, sched == GA_CTX_SCHED_SINGLE ? CU_CTX_SCHED_SPIN : CU_CTX_SCHED_BLOCKING_SYNC);
  if (cu == NULL)
    GA_CUDA(c, "context: primary context", ga_cu.cuDevicePrimaryCtxRetain(&c->cu, c->dev));
  err = new_stream(c);
  if (err == GA_NO_ERROR) err = ga_cuda_pool_open(c, props);
  if (err != GA_NO_ERROR) goto fail;
  *res = &c->base;
  return GA_NO_ERROR;
fail:
  ga_cuda_context_close(&c->base);
  return err;
}

int ga_cuda_context_open(gpucontext **ctx, const gpucontext_props *props)
{
  unsigned int n;
  int dev = props != NULL ? props->dev : -1;
  *ctx = NULL;
  GA_TRY(ga_cuda_device_count(&n));
  if (n == 0) return ga_error(GA_NODEV_ERROR, "context: the driver reports no CUDA device");
  if (dev >= 0 && (unsigned int)dev >= n)
    return ga_error(GA_NODEV_ERROR, "context: device cuda%d asked for, there are %u", dev, n);
  if (dev >= 0) return open_device(ctx, dev, NULL, props);
  int err = GA_NODEV_ERROR;
  for (unsigned int i = 0; i < n && *ctx == NULL; i++) err = open_device(ctx, (int)i, NULL, props);
  return err;
}

int ga_cuda_context_wrap(gpucontext **res, CUcontext cu, const gpucontext_props *props)
{
  CUdevice dev = 0;
  CUcontext old;
  unsigned int n;
  CUresult r;
  *res = NULL;
  GA_TRY(ga_cuda_device_count(&n));
  if (ga_cu.cuCtxGetDevice == NULL)
    return ga_error(GA_UNSUPPORTED_ERROR, "cuda_make_ctx: this driver has no cuCtxGetDevice");
  r = ga_cu.cuCtxPushCurrent_v2(cu);
  if (r == CUDA_SUCCESS) {
    r = ga_cu.cuCtxGetDevice(&dev);
    (void)ga_cu.cuCtxPopCurrent_v2(&old);
  }
  if (r != CUDA_SUCCESS) return ga_cu_error("cuda_make_ctx", r);
  /* A device's handle is its number. */
  return open_device(res, dev, cu, props);
}

static void forget_current(ga_cuda *c)
{
  CUcontext cur = NULL;
  if (made_current != c->cu) return;
  if (ga_cu.cuCtxGetCurrent(&cur) == CUDA_SUCCESS && cur == c->cu)
    (void)ga_cu.cuCtxSetCurrent(NULL);
  made_current = NULL;
}

int ga_cuda_usable(ga_cuda *c)
{
  return !ga_cu_forked() && !atomic_load_explicit(&c->poisoned, memory_order_acquire);
}

/* In a forked child, and after a fault, only the host's part is freed: the
 * parts below leave alone what the driver holds. */
void ga_cuda_context_close(gpucontext *ctx)
{
  ga_cuda *c = ga_cuda_of(ctx);
  int pushed = 0;
  if (c == NULL) return;
  int entered =
      c->cu != NULL && ga_cuda_usable(c) && ga_cuda_enter(c, "context", &pushed) == GA_NO_ERROR;
  if (entered && c->stream != NULL) (void)ga_cu.cuStreamSynchronize(c->stream);
  ga_cuda_blas_close(c);
  ga_cuda_scratch_close(c);
  ga_cuda_stage_close(c);
  ga_cuda_pool_close(c);
  if (entered && c->stream != NULL) (void)ga_cu.cuStreamDestroy_v2(c->stream);
  ga_cuda_exit(pushed);
  if (c->cu != NULL && !ga_cu_forked()) {
    forget_current(c);
    if (!c->foreign) (void)ga_cu.cuDevicePrimaryCtxRelease_v2(c->dev);
  }
  ga_lock_clear(&c->mem_lock);
  ga_lock_clear(&c->scratch_lock);
  ga_lock_clear(&c->stage_lock);
  ga_lock_clear(&c->blas_lock);
  ga_lock_clear(&c->fault_lock);
  ga_lock_clear(&c->rtc_lock);
  free(c);
}

int ga_cuda_context_sync(gpucontext *ctx)
{
  ga_cuda *c = ga_cuda_of(ctx);
  int pushed, err = GA_NO_ERROR;
  GA_TRY(ga_cuda_enter(c, "sync", &pushed));
  GA_CUDA(c, "sync", ga_cu.cuStreamSynchronize(c->stream));
fail:
  ga_cuda_exit(pushed);
  return err;
}
