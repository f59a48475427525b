/* SPDX-License-Identifier: MIT */
/* GpuKernel: a gpukernel in a struct of the program's, and the choice of a grid. */
#include "gpuarray/kernel.h"

#include <string.h>

#include "lib/rawkernel.h"

int GpuKernel_init(GpuKernel *k, gpucontext *ctx, unsigned int count, const char **strs,
                   const size_t *lens, const char *name, unsigned int argcount, const int *types,
                   int flags, char **err_str)
{
  int err;
  if (err_str != NULL) *err_str = NULL;
  GA_NOT_NULL("GpuKernel_init", 1, k);
  memset(k, 0, sizeof *k);
  k->k = gpukernel_init(ctx, count, strs, lens, name, argcount, types, flags, &err, err_str);
  if (k->k != NULL) k->args = k->k->args;
  return err;
}

void GpuKernel_clear(GpuKernel *k)
{
  if (k == NULL) return;
  gpukernel_release(k->k);
  memset(k, 0, sizeof *k);
}

gpucontext *GpuKernel_context(GpuKernel *k) { return k != NULL ? gpukernel_context(k->k) : NULL; }

static int check(const char *op, const GpuKernel *k)
{
  GA_NOT_NULL(op, 1, k);
  if (k->k == NULL) return ga_error(GA_VALUE_ERROR, "%s: argument 1 is a cleared kernel", op);
  return GA_NO_ERROR;
}

int GpuKernel_setarg(GpuKernel *k, unsigned int i, void *val)
{
  GA_TRY(check("GpuKernel_setarg", k));
  return gpukernel_setarg(k->k, i, val);
}

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

/* One warp a block until the grid is full, then longer blocks. */
int GpuKernel_sched(GpuKernel *k, size_t n, size_t *gs, size_t *ls)
{
  static const char op[] = "GpuKernel_sched";
  size_t warp, grid, block;
  unsigned int nproc;
  int free_block;
  GA_TRY(check(op, k));
  GA_NOT_NULL(op, 3, gs);
  GA_NOT_NULL(op, 4, ls);
  GA_TRY(gpukernel_property(k->k, GA_CTX_PROP_NUMPROCS, &nproc));
  GA_TRY(gpukernel_property(k->k, GA_CTX_PROP_MAXGSIZE0, &grid));
  warp = k->k->info.preferred_threads;
  block = min(512, k->k->info.max_threads);
  grid = min(grid, (size_t)nproc * 32);
  if (n == 0) n = 1;
  free_block = *ls == 0;
  if (free_block) *ls = min(warp, block);
  if (*gs == 0) *gs = min(n / *ls + (n % *ls != 0), grid);
  if (free_block && n / *gs > *ls) *ls = min(n / warp / *gs * warp, block);
  return GA_NO_ERROR;
}

int GpuKernel_call(GpuKernel *k, unsigned int n, const size_t *gs, const size_t *ls, size_t shared,
                   void **args)
{
  GA_TRY(check("GpuKernel_call", k));
  return gpukernel_call(k->k, n, gs, ls, shared, args);
}

const char *GpuKernel_error(const GpuKernel *k, int err)
{
  return gpucontext_error(k != NULL && k->k != NULL ? k->k->ctx : NULL, err);
}
