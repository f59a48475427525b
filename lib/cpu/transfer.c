/* SPDX-License-Identifier: MIT */
/* Moving bytes into, out of and between buffers of the CPU device. One thread
 * does not reach the memory's bandwidth, so large moves are cut into pieces for
 * all of them. */
#include <string.h>

#include "cpu.h"
#include "lib/util/pool.h"

enum { PIECE = 1 << 20 };

typedef struct move {
  char *dst;
  const char *src; /* NULL: set to `byte` */
  int byte;
  size_t n;
} move;

static void move_pieces(void *arg, ga_share *share)
{
  const move *m = arg;
  size_t i;
  while (ga_pool_next(share, &i)) {
    size_t at = i * PIECE, n = m->n - at < PIECE ? m->n - at : PIECE;
    if (m->src != NULL)
      memcpy(m->dst + at, m->src + at, n);
    else
      memset(m->dst + at, m->byte, n);
  }
}

static void run(move m) { ga_pool_run((m.n - 1) / PIECE + 1, move_pieces, &m); }

/* A buffer's bytes are ordinary memory, so that even "host" memory may be part
 * of the buffer. */
static int overlap(const char *a, const char *b, size_t n)
{
  return a < b ? (size_t)(b - a) < n : (size_t)(a - b) < n;
}

static void move_bytes(void *dst, const void *src, size_t n)
{
  if (n <= 2 * PIECE || overlap(dst, src, n))
    memmove(dst, src, n);
  else
    run((move){.dst = dst, .src = src, .n = n});
}

int ga_cpu_copy(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff, size_t n)
{
  char *d = (char *)dst->ptr + dstoff;
  const char *s = (const char *)src->ptr + srcoff;
  if (n > 0 && d != s) move_bytes(d, s, n);
  return GA_NO_ERROR;
}

int ga_cpu_read(void *dst, gpudata *src, size_t off, size_t n)
{
  if (n > 0) move_bytes(dst, (const char *)src->ptr + off, n);
  return GA_NO_ERROR;
}

int ga_cpu_write(gpudata *dst, size_t off, const void *src, size_t n)
{
  if (n > 0) move_bytes((char *)dst->ptr + off, src, n);
  return GA_NO_ERROR;
}

int ga_cpu_set(gpudata *dst, size_t off, int byte, size_t n)
{
  char *d = (char *)dst->ptr + off;
  if (n > 2 * PIECE)
    run((move){.dst = d, .byte = byte, .n = n});
  else if (n > 0)
    memset(d, byte, n);
  return GA_NO_ERROR;
}

int ga_cpu_sync(gpudata *b)
{
  (void)b;
  return GA_NO_ERROR;
}
