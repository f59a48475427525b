/* SPDX-License-Identifier: MIT */
/* Scratch memory and tickets for kernels of several blocks that meet at the end.
 * One area of each per context serves every kernel, as they run one after the
 * other on its stream; a kernel leaves the tickets as it found them: zero.
 *
 * Areas grow by doubling. An outgrown area is kept until the context closes:
 * another thread may have been given it for a kernel not yet launched, and all
 * of them together are smaller than the one in use. */
#include <stdlib.h>

#include "cuda_device.h"

typedef struct area {
  CUdeviceptr p;
  size_t size;
  struct area *older;
} area;

struct ga_cuda_scratch {
  area *mem, *tickets; /* newest first */
};

static void free_areas(ga_cuda *c, area *a)
{
  while (a != NULL) {
    area *older = a->older;
    ga_cuda_mem_free(c, a->p, a->size);
    free(a);
    a = older;
  }
}

static int grow(ga_cuda *c, area **list, size_t size, int zero)
{
  int err = GA_NO_ERROR;
  size_t cap = *list != NULL ? (*list)->size : 1 << 15;
  if (*list != NULL && (*list)->size >= size) return GA_NO_ERROR;
  while (cap < size && cap <= SIZE_MAX / 2) cap *= 2;
  if (cap < size) cap = size;
  area *a = calloc(1, sizeof *a);
  if (a == NULL) return ga_error_memory("launch: scratch", sizeof *a);
  err = ga_cuda_mem_alloc(c, &a->p, cap);
  if (err != GA_NO_ERROR) {
    free(a);
    return err;
  }
  a->size = cap;
  if (zero) GA_CUDA(c, "launch: tickets", ga_cu.cuMemsetD8Async(a->p, 0, cap, c->stream));
  a->older = *list;
  *list = a;
  return GA_NO_ERROR;
fail:
  free_areas(c, a);
  return err;
}

static int grow_both(ga_cuda *c, size_t size, size_t ntickets)
{
  if (c->scratch == NULL) {
    c->scratch = calloc(1, sizeof *c->scratch);
    if (c->scratch == NULL) return ga_error_memory("launch: scratch", sizeof *c->scratch);
  }
  if (size > 0) GA_TRY(grow(c, &c->scratch->mem, size, 0));
  if (ntickets > SIZE_MAX / 4)
    return ga_error(GA_XLARGE_ERROR, "launch: %zu tickets are too many", ntickets);
  if (ntickets > 0) GA_TRY(grow(c, &c->scratch->tickets, 4 * ntickets, 1));
  return GA_NO_ERROR;
}

int ga_cuda_scratch(gpucontext *ctx, size_t size, size_t ntickets, void **scratch, void **tickets)
{
  ga_cuda *c = ga_cuda_of(ctx);
  int pushed, err;
  *scratch = *tickets = NULL;
  GA_TRY(ga_cuda_enter(c, "launch", &pushed));
  ga_lock_take(&c->scratch_lock);
  err = grow_both(c, size, ntickets);
  if (err == GA_NO_ERROR) {
    if (size > 0) *scratch = (void *)(uintptr_t)c->scratch->mem->p;
    if (ntickets > 0) *tickets = (void *)(uintptr_t)c->scratch->tickets->p;
  }
  ga_lock_give(&c->scratch_lock);
  ga_cuda_exit(pushed);
  return err;
}

void ga_cuda_scratch_close(ga_cuda *c)
{
  if (c->scratch == NULL) return;
  free_areas(c, c->scratch->mem);
  free_areas(c, c->scratch->tickets);
  free(c->scratch);
  c->scratch = NULL;
}
