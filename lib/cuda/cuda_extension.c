/* SPDX-License-Identifier: MIT */
/* What programs that call the driver themselves ask for (gpuarray/extension.h):
 * the context and stream, buffers over foreign memory, handles of memory for other
 * processes. */
#include <stdlib.h>
#include <string.h>

#include "cuda_device.h"
#include "gpuarray/extension.h"

static int not_null(const char *op, int i, const void *p)
{
  return p != NULL ? GA_NO_ERROR : ga_error(GA_VALUE_ERROR, "%s: argument %d is NULL", op, i);
}

static int is_cuda(const gpucontext *ctx)
{
  return ctx != NULL && ctx->backend == &ga_cuda_backend;
}

static int check_cuda(const char *op, const gpucontext *ctx)
{
  GA_TRY(not_null(op, 1, ctx));
  if (is_cuda(ctx)) return GA_NO_ERROR;
  return ga_error(GA_DEVSUP_ERROR, "%s: the %s device has no CUDA", op, ctx->backend->name);
}

/* Nested calls nest on the driver's stack. */
static void enter(gpucontext *ctx)
{
  if (is_cuda(ctx) && !ga_cu_forked()) (void)ga_cu.cuCtxPushCurrent_v2(ga_cuda_of(ctx)->cu);
}

static void leave(gpucontext *ctx)
{
  CUcontext old;
  if (is_cuda(ctx) && !ga_cu_forked()) (void)ga_cu.cuCtxPopCurrent_v2(&old);
}

static CUstream get_stream(gpucontext *ctx)
{
  return check_cuda("cuda_get_stream", ctx) == GA_NO_ERROR ? ga_cuda_of(ctx)->stream : NULL;
}

static size_t get_sz(gpudata *b) { return b != NULL ? b->size : 0; }

/* All work is on one stream, in order: nothing is left to wait for or to record. */
static int wait_or_record(gpudata *b, int flags)
{
  GA_TRY(not_null("cuda_wait", 1, b));
  if (flags & ~(GPUARRAY_CUDA_WAIT_READ | GPUARRAY_CUDA_WAIT_WRITE))
    return ga_error(GA_VALUE_ERROR, "cuda_wait: unknown flags 0x%x", (unsigned)flags);
  return check_cuda("cuda_wait", b->ctx);
}

static gpudata *new_buffer(gpucontext *ctx, CUdeviceptr p, size_t size, int flags)
{
  gpudata *b = calloc(1, sizeof *b);
  if (b == NULL) {
    ga_error_memory("buffer", sizeof *b);
    return NULL;
  }
  b->ptr = (void *)(uintptr_t)p;
  b->ctx = ctx;
  b->size = size;
  b->flags = flags;
  atomic_init(&b->refcnt, 1);
  atomic_fetch_add_explicit(&ctx->refcnt, 1, memory_order_relaxed);
  return b;
}

static gpudata *make_buf(gpucontext *ctx, CUdeviceptr p, size_t size)
{
  if (check_cuda("cuda_make_buf", ctx) != GA_NO_ERROR) return NULL;
  return new_buffer(ctx, p, size, GA_BUFFER_BORROWED);
}

/* ---- memory of other processes ------------------------------------------------ */

/* The pool's memory has no handles of this kind: the contents move to memory that
 * has. Kernels get the address at each call, so none has the old one. */
static int make_plain(ga_cuda *c, gpudata *b)
{
  CUdeviceptr p = 0, old = (CUdeviceptr)(uintptr_t)b->ptr;
  int err = GA_NO_ERROR;
  if (b->flags & GA_CUDA_BUFFER_PLAIN) return err;
  GA_CUDA(c, "cuda_get_ipc_handle", ga_cu.cuMemAlloc_v2(&p, b->size));
  GA_CUDA(c, "cuda_get_ipc_handle", ga_cu.cuMemcpyDtoDAsync_v2(p, old, b->size, c->stream));
  GA_CUDA(c, "cuda_get_ipc_handle", ga_cu.cuStreamSynchronize(c->stream));
  b->ptr = (void *)(uintptr_t)p;
  b->flags |= GA_CUDA_BUFFER_PLAIN;
  ga_cuda_mem_free(c, old, b->size);
  return GA_NO_ERROR;
fail:
  if (p != 0) (void)ga_cu.cuMemFree_v2(p);
  return err;
}

static int no_ipc(const char *op)
{
  return ga_error(GA_UNSUPPORTED_ERROR, "%s: this driver has no handles of memory", op);
}

static int get_ipc_handle(gpudata *b, GpuArrayIpcMemHandle *h)
{
  static const char op[] = "cuda_get_ipc_handle";
  CUipcMemHandle handle;
  ga_cuda *c;
  int pushed, err;
  GA_TRY(not_null(op, 1, b));
  GA_TRY(not_null(op, 2, h));
  GA_TRY(check_cuda(op, b->ctx));
  if (b->flags & (GA_BUFFER_BORROWED | GA_CUDA_BUFFER_IPC))
    return ga_error(GA_VALUE_ERROR, "%s: the memory belongs to somebody else", op);
  if (ga_cu.cuIpcGetMemHandle == NULL) return no_ipc(op);
  if ((b->flags & GA_BUFFER_CAPTURED) && !(b->flags & GA_CUDA_BUFFER_PLAIN))
    return ga_error(GA_UNSUPPORTED_ERROR,
                    "%s: a graph holds the address of the buffer, which its "
                    "first handle would change; ask for the handle before capturing",
                    op);
  c = ga_cuda_of(b->ctx);
  GA_TRY(ga_cuda_enter(c, op, &pushed));
  err = make_plain(c, b);
  if (err != GA_NO_ERROR) goto fail;
  GA_CUDA(c, op, ga_cu.cuIpcGetMemHandle(&handle, (CUdeviceptr)(uintptr_t)b->ptr));
  memcpy(h->priv, &handle, sizeof h->priv);
fail:
  ga_cuda_exit(pushed);
  return err;
}

static gpudata *open_ipc_handle(gpucontext *ctx, GpuArrayIpcMemHandle *h, size_t size)
{
  static const char op[] = "cuda_open_ipc_handle";
  CUipcMemHandle handle;
  gpudata *b = NULL;
  CUdeviceptr p = 0;
  ga_cuda *c;
  CUresult r;
  int pushed;
  if (check_cuda(op, ctx) != GA_NO_ERROR) return NULL;
  if (h == NULL || ga_cu.cuIpcOpenMemHandle_v2 == NULL || ga_cu.cuIpcCloseMemHandle == NULL) {
    if (h == NULL)
      ga_error(GA_VALUE_ERROR, "%s: argument 2 is NULL", op);
    else
      no_ipc(op);
    return NULL;
  }
  c = ga_cuda_of(ctx);
  memcpy(&handle, h->priv, sizeof handle);
  if (ga_cuda_enter(c, op, &pushed) != GA_NO_ERROR) return NULL;
  r = ga_cu.cuIpcOpenMemHandle_v2(&p, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  if (r != CUDA_SUCCESS) ga_cuda_error(c, op, r);
  if (r == CUDA_SUCCESS) b = new_buffer(ctx, p, size, GA_CUDA_BUFFER_IPC);
  if (r == CUDA_SUCCESS && b == NULL) (void)ga_cu.cuIpcCloseMemHandle(p);
  ga_cuda_exit(pushed);
  return b;
}

/* ---- contexts ------------------------------------------------------------------ */

static gpucontext *make_ctx(CUcontext cu, gpucontext_props *props)
{
  gpucontext *ctx = NULL;
  if (cu == NULL)
    ga_error(GA_VALUE_ERROR, "cuda_make_ctx: argument 1 is NULL");
  else
    (void)ga_cuda_context_wrap(&ctx, cu, props);
  gpucontext_props_del(props);
  return ctx;
}

void *ga_cuda_extension(const char *name)
{
  static const struct {
    const char *name;
    void (*fn)(void);
  } all[] = {
      {"cuda_enter", (void (*)(void))enter},
      {"cuda_exit", (void (*)(void))leave},
      {"cuda_make_ctx", (void (*)(void))make_ctx},
      {"cuda_get_stream", (void (*)(void))get_stream},
      {"cuda_make_buf", (void (*)(void))make_buf},
      {"cuda_get_sz", (void (*)(void))get_sz},
      {"cuda_wait", (void (*)(void))wait_or_record},
      {"cuda_record", (void (*)(void))wait_or_record},
      {"cuda_get_ipc_handle", (void (*)(void))get_ipc_handle},
      {"cuda_open_ipc_handle", (void (*)(void))open_ipc_handle},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i].name, name) == 0) {
      void *p;
      memcpy(&p, &all[i].fn, sizeof p);
      return p;
    }
  return NULL;
}
