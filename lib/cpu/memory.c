/* SPDX-License-Identifier: MIT */
/* Buffers of the CPU device: where their bytes lie. Every buffer begins at a
 * multiple of 64 bytes.
 *
 *   up to 64 KiB     one malloc: the header, then the bytes
 *   up to 4 MiB      header and bytes apart; the bytes are cached when freed
 *   above            the same, mapped at a multiple of 2 MiB and offered to the
 *                    system for huge pages
 *
 * A cached block's size is rounded up to one of four steps per power of two, so
 * that requests of about a size find each other's blocks. Untouched pages cost
 * nothing. A block in the cache is in two lists: of its class, and of all by
 * age. */
#define _GNU_SOURCE
#include "memory.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu.h"
#include "hostcuda_track.h"
#include "lib/util/forks.h"

enum { ALIGN = 64, SMALL = 65536, MAPPED = 4 << 20, HUGE = 2 << 20 };

/* A buffer; while its bytes are cached, a node of both lists. */
typedef struct ga_cpu_block {
  gpudata base;
  size_t room; /* bytes of the block, a class's size; 0: within this malloc */
  int cls;
  struct ga_cpu_block *next, *prev;   /* of the class */
  struct ga_cpu_block *newer, *older; /* of all */
} block;

/* ---- size classes ---------------------------------------------------------- */

/* The class for `size` > SMALL bytes and its size; -1 when there is none so
 * large. */
static int class_of(size_t size, size_t *room)
{
  int shift = 63 - __builtin_clzll((unsigned long long)(size - 1)) - 2;
  size_t step = (size_t)1 << shift; /* a quarter of the power of two below */
  size_t up = (size + step - 1) & ~(step - 1);
  int cls = (shift - 14) * 4 + (int)((up >> shift) - 5);
  if (size > PTRDIFF_MAX / 2 || cls >= GA_CPU_NCLASS) return -1;
  *room = up;
  return cls;
}

/* ---- blocks from the system ------------------------------------------------ */

static void *map_block(size_t room)
{
  size_t whole = room + HUGE;
  char *p = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return NULL;
  size_t head = -(uintptr_t)p & (HUGE - 1);
  if (head > 0) munmap(p, head);
  if (HUGE - head > 0) munmap(p + head + room, HUGE - head);
  (void)madvise(p + head, room, MADV_HUGEPAGE); /* a wish */
  return p + head;
}

static void *block_bytes(size_t room)
{
  void *p;
  if (room >= MAPPED) return map_block(room);
  return posix_memalign(&p, ALIGN, room) == 0 ? p : NULL;
}

static void block_destroy(block *b)
{
  if (b->room >= MAPPED)
    munmap(b->base.ptr, b->room);
  else
    free(b->base.ptr);
  free(b);
}

/* ---- the cache ------------------------------------------------------------- */

/* A cache made before a fork is left alone by the child. */
static int usable(const ga_cpu_cache *c) { return c->forks == ga_forks(); }

static size_t default_bound(void)
{
  const char *s = getenv("GPUARRAY_CPU_CACHE_MB");
  if (s != NULL) {
    char *end;
    errno = 0;
    unsigned long long mb = strtoull(s, &end, 10);
    if (end != s && *end == '\0' && errno == 0)
      return mb > SIZE_MAX >> 20 ? SIZE_MAX : (size_t)mb << 20;
  }
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? (size_t)pages / 8 * (size_t)size : (size_t)1 << 30;
}

void ga_cpu_cache_init(ga_cpu_cache *c, size_t bound)
{
  *c = (ga_cpu_cache){.bound = bound ? bound : default_bound(), .forks = ga_forks()};
  pthread_mutex_init(&c->lock, NULL);
}

/* The lock is held by the callers of these two. */
static void cache_remove(ga_cpu_cache *c, block *b)
{
  *(b->prev ? &b->prev->next : &c->by_class[b->cls]) = b->next;
  if (b->next) b->next->prev = b->prev;
  *(b->newer ? &b->newer->older : &c->newest) = b->older;
  *(b->older ? &b->older->newer : &c->oldest) = b->newer;
  c->held -= b->room;
}

static void cache_add(ga_cpu_cache *c, block *b)
{
  b->prev = NULL;
  b->next = c->by_class[b->cls];
  if (b->next) b->next->prev = b;
  c->by_class[b->cls] = b;
  b->newer = NULL;
  b->older = c->newest;
  *(c->newest ? &c->newest->newer : &c->oldest) = b;
  c->newest = b;
  c->held += b->room;
}

static block *cache_take(ga_cpu_cache *c, int cls)
{
  if (!usable(c)) return NULL;
  pthread_mutex_lock(&c->lock);
  block *b = c->by_class[cls];
  if (b != NULL) cache_remove(c, b);
  pthread_mutex_unlock(&c->lock);
  return b;
}

/* Gives back cached blocks, longest unused first, until at most `keep` bytes
 * are held. */
static void trim(ga_cpu_cache *c, size_t keep)
{
  while (usable(c)) {
    pthread_mutex_lock(&c->lock);
    block *b = c->held > keep ? c->oldest : NULL;
    if (b != NULL) cache_remove(c, b);
    pthread_mutex_unlock(&c->lock);
    if (b == NULL) return;
    block_destroy(b);
  }
}

void ga_cpu_cache_clear(ga_cpu_cache *c)
{
  trim(c, 0);
  if (usable(c)) pthread_mutex_destroy(&c->lock); /* else a thread may have held it */
}

/* ---- buffers --------------------------------------------------------------- */

static block *small_new(size_t size)
{
  block *b = malloc(sizeof *b + ALIGN + size);
  if (b == NULL) return NULL;
  b->room = 0;
  b->base.ptr = (void *)(((uintptr_t)(b + 1) + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
  return b;
}

static block *large_new(ga_cpu_cache *c, size_t size)
{
  size_t room;
  int cls = class_of(size, &room);
  if (cls < 0) return NULL;
  block *b = cache_take(c, cls);
  if (b != NULL) return b;
  b = malloc(sizeof *b);
  if (b == NULL) return NULL;
  b->room = room;
  b->cls = cls;
  b->base.ptr = block_bytes(room);
  if (b->base.ptr != NULL) return b;
  free(b);
  return NULL;
}

int ga_cpu_alloc(gpudata **res, gpucontext *ctx, size_t size, int flags)
{
  ga_cpu_cache *c = &((ga_cpu_context *)ctx)->cache;
  block *b = size <= SMALL ? small_new(size) : large_new(c, size);
  if (b == NULL) {
    trim(c, 0);
    b = size <= SMALL ? small_new(size) : large_new(c, size);
  }
  if (b == NULL) return ga_error_memory("gpudata_alloc: cpu", size);
  b->base.ctx = ctx;
  b->base.size = size;
  b->base.flags = flags;
  atomic_init(&b->base.refcnt, 1);
  ga_hc_track_add(b->base.ptr, size);
  *res = &b->base;
  return GA_NO_ERROR;
}

void ga_cpu_free(gpudata *buf)
{
  block *b = (block *)buf;
  if (b == NULL) return;
  if (buf->flags & GA_BUFFER_BORROWED) { /* a module's global: no block of ours */
    free(buf);
    return;
  }
  ga_hc_track_remove(b->base.ptr);
  if (b->room == 0) {
    free(b);
    return;
  }
  ga_cpu_cache *c = &((ga_cpu_context *)b->base.ctx)->cache;
  if (b->room > c->bound || !usable(c)) {
    block_destroy(b);
    return;
  }
  pthread_mutex_lock(&c->lock);
  cache_add(c, b);
  int over = c->held > c->bound;
  pthread_mutex_unlock(&c->lock);
  if (over) trim(c, c->bound);
}
