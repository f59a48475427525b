/* SPDX-License-Identifier: MIT */
/* Device memory. Everything a context runs is ordered on one stream, so a block
 * may be handed out again as soon as it was freed on that stream.
 *
 * Three modes. POOL: a pool of the driver that belongs to this context and
 * keeps up to cache_max free bytes. CACHE, where the driver has no pools: a
 * list of freed cuMemAlloc blocks, handed out again to requests of the same
 * rounded size. PLAIN: nothing is kept.
 *
 * In front of the pool small blocks are kept within reach (cuda_small.c).
 *
 * When the device is full, what is kept is given back and the request tried
 * once more; the message of a second failure says who holds how much. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_device.h"

/* CACHE mode: sizes are rounded up to an eighth of their power of two, and to
 * 512 bytes, so that freed blocks fit later requests; at most 1/8 is wasted. */
static size_t round_size(size_t size)
{
  size_t unit = 512;
  while (unit < size / 8 && unit <= SIZE_MAX / 4) unit *= 2;
  if (size > SIZE_MAX - unit) return size;
  return (size + unit - 1) / unit * unit;
}

static int has_pools(const ga_cuda *c)
{
  int v = 0;
  return ga_cu.cuMemPoolCreate != NULL && ga_cu.cuMemPoolDestroy != NULL &&
         ga_cu.cuMemPoolSetAttribute != NULL && ga_cu.cuMemPoolGetAttribute != NULL &&
         ga_cu.cuMemPoolTrimTo != NULL && ga_cu.cuMemAllocFromPoolAsync != NULL &&
         ga_cu.cuMemFreeAsync != NULL &&
         ga_cu.cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, c->dev) ==
             CUDA_SUCCESS &&
         v != 0;
}

static int new_pool(ga_cuda *c)
{
  CUmemPoolProps props;
  uint64_t keep = c->cache_max;
  int err = GA_NO_ERROR;
  memset(&props, 0, sizeof props);
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  props.location.id = c->dev;
  GA_CUDA(c, "context: memory pool", ga_cu.cuMemPoolCreate(&c->pool, &props));
  GA_CUDA(c, "context: memory pool",
          ga_cu.cuMemPoolSetAttribute(c->pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
fail:
  return err;
}

/* ---- opening and closing ----------------------------------------------------------- */

int ga_cuda_pool_open(ga_cuda *c, const gpucontext_props *props)
{
  size_t initial = props != NULL ? props->alloc_initial : 0;
  CUdeviceptr p;
  int pushed, err = GA_NO_ERROR;
  GA_TRY(ga_cuda_enter(c, "context", &pushed));
  c->cache_max = props != NULL ? props->alloc_max : SIZE_MAX;
  c->mode = c->cache_max == 0 ? GA_CUDA_PLAIN : has_pools(c) ? GA_CUDA_POOL : GA_CUDA_CACHE;
  if (c->mode == GA_CUDA_POOL) err = new_pool(c);
  if (err == GA_NO_ERROR && initial > 0) {
    err = ga_cuda_mem_alloc(c, &p, initial);
    if (err == GA_NO_ERROR) ga_cuda_mem_free(c, p, initial);
  }
  c->keeps_small = c->mode == GA_CUDA_POOL && c->cache_max >= GA_CUDA_SMALL_ALL;
  ga_cuda_exit(pushed);
  return err;
}

static int take_cached(ga_cuda *c, CUdeviceptr *p, size_t size)
{
  int found = 0;
  ga_lock_take(&c->mem_lock);
  for (ga_cuda_block **at = &c->cache; *at != NULL; at = &(*at)->next) {
    ga_cuda_block *b = *at;
    if (b->size != size) continue;
    *p = b->p;
    *at = b->next;
    c->cached -= size;
    free(b);
    found = 1;
    break;
  }
  ga_lock_give(&c->mem_lock);
  return found;
}

/* 1 when the list took the block; 0 when it is to be freed. */
static int keep_block(ga_cuda *c, CUdeviceptr p, size_t size)
{
  ga_cuda_block *b = malloc(sizeof *b);
  int kept = 0;
  if (b == NULL) return 0;
  ga_lock_take(&c->mem_lock);
  if (size <= c->cache_max && c->cached <= c->cache_max - size) {
    b->p = p;
    b->size = size;
    b->next = c->cache;
    c->cache = b;
    c->cached += size;
    kept = 1;
  }
  ga_lock_give(&c->mem_lock);
  if (!kept) free(b);
  return kept;
}

static void drop_cached(ga_cuda *c)
{
  ga_lock_take(&c->mem_lock);
  while (c->cache != NULL) {
    ga_cuda_block *b = c->cache;
    c->cache = b->next;
    c->cached -= b->size;
    if (ga_cuda_usable(c)) (void)ga_cu.cuMemFree_v2(b->p);
    free(b);
  }
  ga_lock_give(&c->mem_lock);
}

void ga_cuda_pool_close(ga_cuda *c)
{
  ga_cuda_small_drop(c);
  drop_cached(c);
  if (c->pool != NULL && ga_cuda_usable(c)) (void)ga_cu.cuMemPoolDestroy(c->pool);
  c->pool = NULL;
}

size_t ga_cuda_mem_cached(ga_cuda *c)
{
  uint64_t reserved = 0, used = 0;
  if (c->mode == GA_CUDA_POOL) {
    if (ga_cu.cuMemPoolGetAttribute(c->pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved) !=
            CUDA_SUCCESS ||
        ga_cu.cuMemPoolGetAttribute(c->pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used) !=
            CUDA_SUCCESS ||
        used > reserved)
      return 0;
    return (size_t)(reserved - used) + ga_cuda_small_bytes(c);
  }
  ga_lock_take(&c->mem_lock);
  size_t n = c->cached;
  ga_lock_give(&c->mem_lock);
  return n;
}

/* Kernels read the whole vector that an element lies in: the last one's is in the block too. */
static CUresult try_alloc(ga_cuda *c, CUdeviceptr *p, size_t size)
{
  const size_t vector = 16;
  if (size <= SIZE_MAX - vector) size = (size + vector - 1) / vector * vector;
  if (c->mode == GA_CUDA_POOL) return ga_cu.cuMemAllocFromPoolAsync(p, size, c->pool, c->stream);
  return ga_cu.cuMemAlloc_v2(p, size);
}

/* Work that is under way may hold memory freed after it: wait, then give back. */
static void trim(ga_cuda *c)
{
  ga_cuda_small_drop(c);
  (void)ga_cu.cuStreamSynchronize(c->stream);
  if (c->mode == GA_CUDA_POOL)
    (void)ga_cu.cuMemPoolTrimTo(c->pool, 0);
  else
    drop_cached(c);
}

static int out_of_memory(ga_cuda *c, size_t size)
{
  size_t avail = 0, total = 0;
  char device[96] = "";
  if (ga_cu.cuMemGetInfo_v2(&avail, &total) == CUDA_SUCCESS)
    snprintf(device, sizeof device, "; the device has %zu of %zu bytes free", avail, total);
  return ga_error(GA_MEMORY_ERROR,
                  "alloc: device cuda%u cannot give %zu bytes: %zu buffers of this context hold "
                  "%zu, free blocks it keeps %zu%s",
                  c->base.device, size, atomic_load(&c->nlive), atomic_load(&c->live),
                  ga_cuda_mem_cached(c), device);
}

int ga_cuda_mem_alloc(ga_cuda *c, CUdeviceptr *p, size_t size)
{
  if (c->mode == GA_CUDA_CACHE) {
    size = round_size(size);
    if (take_cached(c, p, size)) return GA_NO_ERROR;
  }
  int class = ga_cuda_small_class(c, &size);
  if (class >= 0 && (*p = ga_cuda_small_take(c, class)) != 0) return GA_NO_ERROR;
  CUresult r = try_alloc(c, p, size);
  if (r == CUDA_ERROR_OUT_OF_MEMORY) {
    trim(c);
    r = try_alloc(c, p, size);
  }
  if (r == CUDA_ERROR_OUT_OF_MEMORY) return out_of_memory(c, size);
  return r == CUDA_SUCCESS ? GA_NO_ERROR : ga_cuda_error(c, "alloc", r);
}

void ga_cuda_mem_free(ga_cuda *c, CUdeviceptr p, size_t size)
{
  if (!ga_cuda_usable(c)) return;
  int class = ga_cuda_small_class(c, &size);
  if (class >= 0 && ga_cuda_small_keep(c, class, p)) return;
  if (c->mode == GA_CUDA_POOL)
    (void)ga_cu.cuMemFreeAsync(p, c->stream);
  else if (c->mode == GA_CUDA_PLAIN || !keep_block(c, p, round_size(size)))
    (void)ga_cu.cuMemFree_v2(p);
}
