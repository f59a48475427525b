/* SPDX-License-Identifier: MIT */
/* Launching kernels, and what a kernel says of itself. The path of a launch is
 * short on purpose: no lock, no allocation, one driver call.
 *
 * A kernel that waits by itself for those ahead of it (GA_ENTER of prelude.cuh) may
 * have its blocks in place when they end, which takes 0.23 to 1 us off the way from one
 * small kernel to the next on an H200. No kernel lets the next one start before its own
 * last block has ended: to say so costs a large kernel half its speed. */
#include <limits.h>

#include "cubin.h"

int ga_cuda_func_info(ga_func_info *info, ga_func *f)
{
  ga_cuda *c = ga_cuda_of(f->m->ctx);
  int pushed, err = GA_NO_ERROR, threads = 0;
  GA_TRY(ga_cuda_enter(c, "kernel", &pushed));
  GA_CUDA(c, "kernel: attribute",
          ga_cu.cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f->fn));
  info->nargs = f->known ? f->nargs : UINT_MAX;
  info->arg_size = f->arg_size;
  info->arg_offset = f->arg_offset;
  info->args_size = f->args_size;
  info->max_threads = (size_t)threads;
  info->preferred_threads = (size_t)c->warp;
fail:
  ga_cuda_exit(pushed);
  return err;
}

static int check_launch(const ga_func *f, const size_t grid[3], const size_t block[3],
                        size_t shared)
{
  const ga_cuda *c = ga_cuda_of(f->m->ctx);
  for (int i = 0; i < 3; i++)
    if (grid[i] == 0 || grid[i] > INT_MAX || block[i] == 0 || block[i] > INT_MAX)
      return ga_error(GA_VALUE_ERROR,
                      "launch of %s: grid (%zu, %zu, %zu) and block (%zu, %zu, %zu) need extents "
                      "from 1 to 2^31-1",
                      f->name, grid[0], grid[1], grid[2], block[0], block[1], block[2]);
  if (shared > c->shared_max)
    return ga_error(GA_VALUE_ERROR,
                    "launch of %s: %zu bytes of shared memory asked for, device cuda%u has %zu",
                    f->name, shared, c->base.device, c->shared_max);
  return GA_NO_ERROR;
}

/* Above the plain limit, which its own shared memory counts towards, a kernel must opt
 * in, once for each larger size. It is asked for well below: what a kernel itself has
 * is not looked up here. */
enum { OPT_IN = 16384 };

static int opt_in(ga_cuda *c, ga_func *f, size_t shared)
{
  int err = GA_NO_ERROR;
  if (shared <= OPT_IN || shared <= atomic_load_explicit(&f->opted, memory_order_relaxed))
    return GA_NO_ERROR;
  GA_CUDA(c, "launch: shared memory",
          ga_cu.cuFuncSetAttribute(f->fn, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                   (int)shared));
  /* a cluster of more than 8 blocks, which have as much, asks for this; others do not mind */
  ga_cu.cuFuncSetAttribute(f->fn, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  atomic_store_explicit(&f->opted, shared, memory_order_relaxed);
fail:
  return err;
}

int ga_cuda_launch_check(ga_func *f, const size_t grid[3], const size_t block[3], size_t shared)
{
  ga_cuda *c = ga_cuda_of(f->m->ctx);
  GA_TRY(check_launch(f, grid, block, shared));
  return opt_in(c, f, shared);
}

int ga_cuda_launch_error(const ga_func *f, const size_t grid[3], const size_t block[3],
                         size_t shared, CUresult r)
{
  ga_cuda *c = ga_cuda_of(f->m->ctx);
  char buf[64];
  if (r != CUDA_ERROR_INVALID_VALUE && r != CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
    return ga_cuda_error(c, "launch", r);
  return ga_error(GA_VALUE_ERROR,
                  "launch of %s with grid (%zu, %zu, %zu), block (%zu, %zu, %zu), %zu bytes of "
                  "shared memory: %s",
                  f->name, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared,
                  ga_cu_error_name(r, buf, sizeof buf));
}

static CUresult start(const ga_cuda *c, const ga_func *f, const size_t grid[3],
                      const size_t block[3], size_t shared, void **extra)
{
  unsigned int gx = (unsigned int)grid[0], gy = (unsigned int)grid[1], gz = (unsigned int)grid[2];
  unsigned int bx = (unsigned int)block[0], by = (unsigned int)block[1],
               bz = (unsigned int)block[2];
  CUlaunchAttribute early = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                             .value.flag = 1};
  CUlaunchConfig config = {gx, gy, gz, bx, by, bz, (unsigned int)shared, c->stream, &early, 1};
  if (f->waits) return ga_cu.cuLaunchKernelEx(&config, f->fn, NULL, extra);
  return ga_cu.cuLaunchKernel(f->fn, gx, gy, gz, bx, by, bz, (unsigned int)shared, c->stream, NULL,
                              extra);
}

int ga_cuda_launch(ga_func *f, const size_t grid[3], const size_t block[3], size_t shared,
                   const void *args, size_t nargs)
{
  ga_cuda *c = ga_cuda_of(f->m->ctx);
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, (void *)args, CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &nargs, CU_LAUNCH_PARAM_END};
  int pushed, err;
  GA_TRY(check_launch(f, grid, block, shared));
  GA_TRY(ga_cuda_enter(c, "launch", &pushed));
  err = opt_in(c, f, shared);
  if (err == GA_NO_ERROR) {
    CUresult r = start(c, f, grid, block, shared, nargs > 0 ? extra : NULL);
    if (r == CUDA_SUCCESS)
      atomic_store_explicit(&c->last, (uintptr_t)f, memory_order_relaxed);
    else
      err = ga_cuda_launch_error(f, grid, block, shared, r);
  }
  ga_cuda_exit(pushed);
  return err;
}
