/* SPDX-License-Identifier: MIT */
/* Buffers: arguments checked here, work done by the backend. A buffer holds its
 * context. */
#include <stdlib.h>

#include "lib/buffer.h"
#include "lib/capture.h"
#include "lib/check.h"
#include "lib/context.h"

static int alloc(gpudata **res, gpucontext *ctx, size_t size, const void *data, int flags)
{
  static const char op[] = "gpudata_alloc";
  gpudata *b;
  int err;

  GA_NOT_NULL(op, 1, ctx);
  if ((flags & GA_BUFFER_INIT) && data == NULL)
    return ga_error(GA_VALUE_ERROR, "%s: GA_BUFFER_INIT needs argument 3, it is NULL", op);
  if ((flags & GA_BUFFER_READ_ONLY) && (flags & GA_BUFFER_WRITE_ONLY))
    return ga_error(GA_VALUE_ERROR, "%s: argument 4 is read-only and write-only", op);
  if (size > PTRDIFF_MAX) return ga_error(GA_MEMORY_ERROR, "%s: no device has %zu bytes", op, size);
  GA_TRY(ctx->backend->alloc(&b, ctx, size != 0 ? size : 1, flags & ~GA_BUFFER_INIT));
  b->ctx = ctx;
  b->size = size != 0 ? size : 1;
  b->flags = flags & ~GA_BUFFER_INIT;
  atomic_store(&b->refcnt, 1);
  ga_context_retain(ctx);
  if ((flags & GA_BUFFER_INIT) && size != 0) {
    err = gpudata_write(b, 0, data, size);
    if (err != GA_NO_ERROR) {
      gpudata_release(b);
      return err;
    }
  }
  *res = b;
  return GA_NO_ERROR;
}

gpudata *gpudata_alloc(gpucontext *ctx, size_t sz, void *data, int flags, int *ret)
{
  gpudata *b = NULL;
  int err = alloc(&b, ctx, sz, data, flags);

  if (ret != NULL) *ret = err;
  return b;
}

void gpudata_retain(gpudata *b)
{
  if (b != NULL) atomic_fetch_add_explicit(&b->refcnt, 1, memory_order_relaxed);
}

void gpudata_release(gpudata *b)
{
  gpucontext *ctx;

  if (b == NULL) return;
  if (atomic_fetch_sub_explicit(&b->refcnt, 1, memory_order_acq_rel) != 1) return;
  ctx = b->ctx;
  ctx->backend->free(b);
  gpucontext_deref(ctx);
}

int gpudata_share(gpudata *a, gpudata *b, int *ret)
{
  uintptr_t pa, pb;

  if (ret != NULL) *ret = GA_NO_ERROR;
  if (a == NULL || b == NULL) {
    int err = ga_error(GA_VALUE_ERROR, "gpudata_share: argument %d is NULL", a ? 2 : 1);

    if (ret != NULL) *ret = err;
    return -1;
  }
  if (a == b) return 1;
  if (a->ctx->backend != b->ctx->backend) return 0;
  pa = (uintptr_t)a->ptr;
  pb = (uintptr_t)b->ptr;
  return pa <= pb ? pb - pa < a->size : pa - pb < b->size;
}

/* Bytes [off, off + n) are in `b`, which is argument `arg`. */
static int in_range(const char *op, int arg, const gpudata *b, size_t off, size_t n)
{
  if (off <= b->size && n <= b->size - off) return GA_NO_ERROR;
  return ga_error(GA_VALUE_ERROR, "%s: argument %d has %zu bytes, asked for %zu from %zu on", op,
                  arg, b->size, n, off);
}

/* Within a context. */
static int copy(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff, size_t n)
{
  if (ga_capturing(dst->ctx)) return ga_capture_copy(dst, dstoff, src, srcoff, n);
  return dst->ctx->backend->copy(dst, dstoff, src, srcoff, n);
}

int gpudata_move(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff, size_t sz)
{
  static const char op[] = "gpudata_move";

  GA_NOT_NULL(op, 1, dst);
  GA_NOT_NULL(op, 3, src);
  if (dst->ctx != src->ctx)
    return ga_error(GA_VALUE_ERROR, "%s: arguments 1 and 3 are of different contexts", op);
  GA_TRY(in_range(op, 1, dst, dstoff, sz));
  GA_TRY(in_range(op, 3, src, srcoff, sz));
  return sz == 0 ? GA_NO_ERROR : copy(dst, dstoff, src, srcoff, sz);
}

/* Between devices of two kinds, through a piece of host memory. */
static int bounce(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff, size_t size)
{
  const size_t most = 4u << 20;
  size_t piece = size < most ? size : most;
  void *host = malloc(piece);
  int err = GA_NO_ERROR;

  if (host == NULL) return ga_error_memory("gpudata_transfer", piece);
  while (size != 0 && err == GA_NO_ERROR) {
    if (piece > size) piece = size;
    err = gpudata_read(host, src, srcoff, piece);
    if (err == GA_NO_ERROR) err = gpudata_write(dst, dstoff, host, piece);
    dstoff += piece;
    srcoff += piece;
    size -= piece;
  }
  free(host);
  return err;
}

int gpudata_transfer(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff, size_t sz)
{
  static const char op[] = "gpudata_transfer";

  GA_NOT_NULL(op, 1, dst);
  GA_NOT_NULL(op, 3, src);
  GA_TRY(in_range(op, 1, dst, dstoff, sz));
  GA_TRY(in_range(op, 3, src, srcoff, sz));
  if (sz == 0) return GA_NO_ERROR;
  if (dst->ctx == src->ctx) return copy(dst, dstoff, src, srcoff, sz);
  if (ga_capturing(dst->ctx) || ga_capturing(src->ctx))
    return ga_capture_refuse(ga_capturing(dst->ctx) ? dst->ctx : src->ctx, op,
                             "no copy between contexts");
  if (dst->ctx->backend == src->ctx->backend && dst->ctx->backend->peer != NULL)
    return dst->ctx->backend->peer(dst, dstoff, src, srcoff, sz);
  return bounce(dst, dstoff, src, srcoff, sz);
}

int gpudata_read(void *dst, gpudata *src, size_t srcoff, size_t sz)
{
  static const char op[] = "gpudata_read";

  GA_NOT_NULL(op, 2, src);
  GA_TRY(in_range(op, 2, src, srcoff, sz));
  if (sz == 0) return GA_NO_ERROR;
  GA_NOT_NULL(op, 1, dst);
  if (ga_capturing(src->ctx)) return ga_capture_refuse(src->ctx, op, "no read to the host");
  return src->ctx->backend->read(dst, src, srcoff, sz);
}

int gpudata_write(gpudata *dst, size_t dstoff, const void *src, size_t sz)
{
  static const char op[] = "gpudata_write";

  GA_NOT_NULL(op, 1, dst);
  GA_TRY(in_range(op, 1, dst, dstoff, sz));
  if (sz == 0) return GA_NO_ERROR;
  GA_NOT_NULL(op, 3, src);
  if (ga_capturing(dst->ctx)) return ga_capture_write(dst, dstoff, src, sz);
  return dst->ctx->backend->write(dst, dstoff, src, sz);
}

int ga_buffer_set(gpudata *b, size_t off, int byte, size_t n)
{
  if (n == 0) return GA_NO_ERROR;
  if (ga_capturing(b->ctx)) return ga_capture_set(b, off, byte & 0xff, n);
  return b->ctx->backend->set(b, off, byte & 0xff, n);
}

int gpudata_memset(gpudata *dst, size_t dstoff, int data)
{
  static const char op[] = "gpudata_memset";

  GA_NOT_NULL(op, 1, dst);
  GA_TRY(in_range(op, 1, dst, dstoff, 0));
  return ga_buffer_set(dst, dstoff, data, dst->size - dstoff);
}

int gpudata_sync(gpudata *b)
{
  GA_NOT_NULL("gpudata_sync", 1, b);
  if (ga_capturing(b->ctx)) return ga_capture_refuse(b->ctx, "gpudata_sync", "no waiting");
  return b->ctx->backend->sync(b);
}

int gpudata_property(gpudata *buf, int prop_id, void *res)
{
  static const char op[] = "gpudata_property";

  GA_NOT_NULL(op, 1, buf);
  GA_NOT_NULL(op, 3, res);
  switch (prop_id) {
  case GA_BUFFER_PROP_CTX: *(gpucontext **)res = buf->ctx; return GA_NO_ERROR;
  case GA_BUFFER_PROP_REFCNT: *(unsigned int *)res = atomic_load(&buf->refcnt); return GA_NO_ERROR;
  case GA_BUFFER_PROP_SIZE: *(size_t *)res = buf->size; return GA_NO_ERROR;
  }
  return ga_context_property(op, buf->ctx, prop_id, res);
}

gpucontext *gpudata_context(gpudata *b) { return b != NULL ? b->ctx : NULL; }
