/* SPDX-License-Identifier: MIT */
/* The stub driver's memory, the host's: plain, from pools, and opened by a handle. */
#include "tests/stub_driver.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct block {
  void *p;
  size_t size;
  int pool;
  struct block *next;
} block;

static block *blocks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of them */

static size_t plain_used(void)
{
  size_t n = 0;
  for (block *b = blocks; b != NULL; b = b->next)
    if (!b->pool) n += b->size;
  return n;
}

static size_t pool_used(void) { return stub.used - plain_used(); }

static int take_locked(unsigned long long *p, size_t size, int pool)
{
  size_t held = pool ? pool_used() + size : stub.reserved;
  if (held < stub.reserved) held = stub.reserved;
  if (size > stub.total || held + plain_used() + (pool ? 0 : size) > stub.total) return OOM;
  block *b = malloc(sizeof *b);
  if (b == NULL) return OOM;
  b->p = malloc(size > 0 ? size : 1);
  if (b->p == NULL) {
    free(b);
    return OOM;
  }
  b->size = size;
  b->pool = pool;
  b->next = blocks;
  blocks = b;
  stub.used += size;
  stub.reserved = held;
  stub.blocks++;
  stub.allocs++;
  *p = (uintptr_t)b->p;
  return OK;
}

static int give_locked(unsigned long long p, int pool)
{
  for (block **at = &blocks; *at != NULL; at = &(*at)->next) {
    block *b = *at;
    if ((uintptr_t)b->p != p || b->pool != pool) continue;
    *at = b->next;
    stub.used -= b->size;
    stub.blocks--;
    stub.frees++;
    free(b->p);
    free(b);
    return OK;
  }
  stub.bad_frees++;
  return INVALID;
}

static int take(unsigned long long *p, size_t size, int pool)
{
  pthread_mutex_lock(&lock);
  int r = take_locked(p, size, pool);
  pthread_mutex_unlock(&lock);
  return r;
}

static int give(unsigned long long p, int pool)
{
  pthread_mutex_lock(&lock);
  int r = give_locked(p, pool);
  pthread_mutex_unlock(&lock);
  return r;
}

API int cuMemGetInfo_v2(size_t *avail, size_t *total)
{
  NEED_CONTEXT;
  *total = stub.total;
  *avail = stub.total - stub.reserved - plain_used();
  return OK;
}

API int cuMemAlloc_v2(unsigned long long *p, size_t size)
{
  NEED_CONTEXT;
  return take(p, size, 0);
}

API int cuMemFree_v2(unsigned long long p)
{
  NEED_CONTEXT;
  return give(p, 0);
}

/* ---- pools ---------------------------------------------------------------- */

#ifndef STUB_OLD
API int cuMemPoolCreate(void **pool, const void *props)
{
  (void)props;
  *pool = stub_handle();
  stub.npools++;
  return OK;
}

API int cuMemPoolDestroy(void *pool)
{
  (void)pool;
  stub.npools--;
  stub.reserved = 0;
  return OK;
}

API int cuMemPoolSetAttribute(void *pool, int attr, void *v)
{
  (void)pool;
  (void)v;
  return attr == 4 ? OK : INVALID;
}

API int cuMemPoolGetAttribute(void *pool, int attr, void *v)
{
  (void)pool;
  if (attr != 5 && attr != 7) return INVALID;
  *(uint64_t *)v = attr == 5 ? stub.reserved : pool_used();
  return OK;
}

API int cuMemPoolSetAccess(void *pool, const void *access, size_t n)
{
  const int *a = access;
  if (pool == NULL || n != 1 || a[0] != 1 || a[2] != 3) return INVALID;
  stub.granted++;
  return OK;
}

API int cuMemPoolTrimTo(void *pool, size_t keep)
{
  (void)pool;
  stub.trims++;
  if (stub.reserved > keep) stub.reserved = pool_used() > keep ? pool_used() : keep;
  return OK;
}

API int cuMemAllocFromPoolAsync(unsigned long long *p, size_t size, void *pool, void *s)
{
  (void)pool;
  (void)s;
  NEED_CONTEXT;
  return take(p, size, 1);
}

API int cuMemFreeAsync(unsigned long long p, void *s)
{
  (void)s;
  NEED_CONTEXT;
  stub_work_off(NULL); /* in the order of the stream */
  return give(p, 1);
}
#endif

/* ---- handles -------------------------------------------------------------- */

typedef struct {
  char bytes[64];
} ipc_handle;

/* Only memory of cuMemAlloc has handles. */
API int cuIpcGetMemHandle(ipc_handle *h, unsigned long long p)
{
  NEED_CONTEXT;
  for (block *b = blocks; b != NULL; b = b->next)
    if ((uintptr_t)b->p == p && !b->pool) {
      memset(h, 0, sizeof *h);
      memcpy(h->bytes, &p, sizeof p);
      return OK;
    }
  return INVALID;
}

API int cuIpcOpenMemHandle_v2(unsigned long long *p, ipc_handle h, unsigned int flags)
{
  NEED_CONTEXT;
  if (flags != 1) return INVALID;
  memcpy(p, h.bytes, sizeof *p);
  stub.ipc++;
  return OK;
}

API int cuIpcCloseMemHandle(unsigned long long p)
{
  (void)p;
  NEED_CONTEXT;
  stub.ipc--;
  return OK;
}
