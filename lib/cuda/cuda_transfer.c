/* SPDX-License-Identifier: MIT */
/* Copies between buffers and between host and device, all on the context's
 * stream. Device copies are asynchronous. A write returns when the host memory
 * may be reused: pageable memory has then been copied to a buffer of the driver's
 * or of staging.c; memory that the driver can reach by itself (pinned) it would
 * read later, so there the stream is waited for. A read waits always. */
#include <string.h>

#include "cuda_device.h"

/* Bytes from which on staging.c is faster than the driver. */
#define STAGE_FROM ((size_t)8 << 20)

static CUdeviceptr address(const gpudata *b, size_t off)
{
  return (CUdeviceptr)(uintptr_t)b->ptr + off;
}

/* The driver leaves an overlapping copy undefined. Pieces of `dist` bytes, the
 * distance between source and destination, do not overlap themselves. */
static int copy_pieces(ga_cuda *c, CUdeviceptr d, CUdeviceptr s, size_t n, size_t dist)
{
  int err = GA_NO_ERROR;
  size_t done = 0;
  while (done < n) {
    size_t len = n - done < dist ? n - done : dist;
    size_t at = d < s ? done : n - done - len;
    GA_CUDA(c, "copy", ga_cu.cuMemcpyDtoDAsync_v2(d + at, s + at, len, c->stream));
    done += len;
  }
fail:
  return err;
}

static int copy_overlap(ga_cuda *c, CUdeviceptr d, CUdeviceptr s, size_t n)
{
  size_t dist = d < s ? (size_t)(s - d) : (size_t)(d - s);
  CUdeviceptr tmp = 0;
  int err;
  if (dist >= n / 16) return copy_pieces(c, d, s, n, dist);
  GA_TRY(ga_cuda_mem_alloc(c, &tmp, n));
  GA_CUDA(c, "copy", ga_cu.cuMemcpyDtoDAsync_v2(tmp, s, n, c->stream));
  GA_CUDA(c, "copy", ga_cu.cuMemcpyDtoDAsync_v2(d, tmp, n, c->stream));
  err = GA_NO_ERROR;
fail:
  ga_cuda_mem_free(c, tmp, n);
  return err;
}

int ga_cuda_copy(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff, size_t n)
{
  ga_cuda *c = ga_cuda_of(dst->ctx);
  CUdeviceptr d = address(dst, dstoff), s = address(src, srcoff);
  int pushed, err = GA_NO_ERROR;
  if (n == 0 || d == s) return GA_NO_ERROR;
  GA_TRY(ga_cuda_enter(c, "copy", &pushed));
  if (d < s + n && s < d + n)
    err = copy_overlap(c, d, s, n);
  else
    GA_CUDA(c, "copy", ga_cu.cuMemcpyDtoDAsync_v2(d, s, n, c->stream));
fail:
  ga_cuda_exit(pushed);
  return err;
}

/* 1: the driver knows this host memory, and may read it after the call. */
static int is_pinned(const void *p)
{
  unsigned int type = 0;
  return ga_cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                     (CUdeviceptr)(uintptr_t)p) == CUDA_SUCCESS;
}

/* Large pageable memory goes through staging.c; *moved = 0 when it did not. */
static int stage(int *moved, ga_cuda *c, const char *op, CUdeviceptr dev, void *host, size_t n,
                 int out)
{
  *moved = 0;
  if (n < STAGE_FROM || is_pinned(host)) return GA_NO_ERROR;
  return ga_cuda_stage_move(moved, c, op, dev, host, n, out);
}

int ga_cuda_read(void *dst, gpudata *src, size_t off, size_t n)
{
  ga_cuda *c = ga_cuda_of(src->ctx);
  int pushed, moved, err = GA_NO_ERROR;
  if (n == 0) return GA_NO_ERROR;
  GA_TRY(ga_cuda_enter(c, "read", &pushed));
  err = stage(&moved, c, "read", address(src, off), dst, n, 1);
  if (moved || err != GA_NO_ERROR) goto fail;
  GA_CUDA(c, "read", ga_cu.cuMemcpyDtoHAsync_v2(dst, address(src, off), n, c->stream));
  GA_CUDA(c, "read", ga_cu.cuStreamSynchronize(c->stream));
fail:
  ga_cuda_exit(pushed);
  return err;
}

int ga_cuda_write(gpudata *dst, size_t off, const void *src, size_t n)
{
  ga_cuda *c = ga_cuda_of(dst->ctx);
  int pushed, moved, err = GA_NO_ERROR;
  if (n == 0) return GA_NO_ERROR;
  GA_TRY(ga_cuda_enter(c, "write", &pushed));
  err = stage(&moved, c, "write", address(dst, off), (void *)src, n, 0);
  if (moved || err != GA_NO_ERROR) goto fail;
  GA_CUDA(c, "write", ga_cu.cuMemcpyHtoDAsync_v2(address(dst, off), src, n, c->stream));
  if (is_pinned(src)) GA_CUDA(c, "write", ga_cu.cuStreamSynchronize(c->stream));
fail:
  ga_cuda_exit(pushed);
  return err;
}

int ga_cuda_set(gpudata *dst, size_t off, int byte, size_t n)
{
  ga_cuda *c = ga_cuda_of(dst->ctx);
  int pushed, err = GA_NO_ERROR;
  if (n == 0) return GA_NO_ERROR;
  GA_TRY(ga_cuda_enter(c, "set", &pushed));
  GA_CUDA(c, "set", ga_cu.cuMemsetD8Async(address(dst, off), (unsigned char)byte, n, c->stream));
fail:
  ga_cuda_exit(pushed);
  return err;
}

int ga_cuda_sync(gpudata *b) { return ga_cuda_context_sync(b->ctx); }
