/* SPDX-License-Identifier: MIT */
/* The properties a context is opened with. */
#include <stdlib.h>

#include "lib/check.h"
#include "lib/context.h"

void ga_props_default(gpucontext_props *p)
{
  *p = (gpucontext_props){.dev = -1, .sched = GA_CTX_SCHED_AUTO, .alloc_max = (size_t)-1};
}

int gpucontext_props_new(gpucontext_props **res)
{
  GA_NOT_NULL("gpucontext_props_new", 1, res);
  *res = malloc(sizeof **res);
  if (*res == NULL) return ga_error_memory("gpucontext_props_new", sizeof **res);
  ga_props_default(*res);
  return GA_NO_ERROR;
}

int gpucontext_props_cuda_dev(gpucontext_props *p, int devno)
{
  GA_NOT_NULL("gpucontext_props_cuda_dev", 1, p);
  if (devno < -1)
    return ga_error(GA_VALUE_ERROR,
                    "gpucontext_props_cuda_dev: argument 2 is %d, expected a device's "
                    "number or -1",
                    devno);
  p->dev = devno;
  return GA_NO_ERROR;
}

int gpucontext_props_opencl_dev(gpucontext_props *p, int platno, int devno)
{
  (void)p;
  return ga_error(GA_UNSUPPORTED_ERROR,
                  "gpucontext_props_opencl_dev: there are no OpenCL devices (platform %d, "
                  "device %d); there are \"cuda\" and \"cpu\"",
                  platno, devno);
}

int gpucontext_props_sched(gpucontext_props *p, int sched)
{
  GA_NOT_NULL("gpucontext_props_sched", 1, p);
  if (sched != GA_CTX_SCHED_AUTO && sched != GA_CTX_SCHED_SINGLE && sched != GA_CTX_SCHED_MULTI)
    return ga_error(GA_INVALID_ERROR,
                    "gpucontext_props_sched: argument 2 is %d, expected a GA_CTX_SCHED_ "
                    "value",
                    sched);
  p->sched = sched;
  return GA_NO_ERROR;
}

int gpucontext_props_set_single_stream(gpucontext_props *p)
{
  GA_NOT_NULL("gpucontext_props_set_single_stream", 1, p);
  p->single_stream = 1;
  return GA_NO_ERROR;
}

int gpucontext_props_kernel_cache(gpucontext_props *p, const char *path)
{
  GA_NOT_NULL("gpucontext_props_kernel_cache", 1, p);
  p->kernel_cache_path = path;
  return GA_NO_ERROR;
}

int gpucontext_props_alloc_cache(gpucontext_props *p, size_t initial, size_t max)
{
  GA_NOT_NULL("gpucontext_props_alloc_cache", 1, p);
  if (initial > max)
    return ga_error(GA_VALUE_ERROR,
                    "gpucontext_props_alloc_cache: argument 2 is %zu, more than argument "
                    "3, %zu",
                    initial, max);
  p->alloc_initial = initial;
  p->alloc_max = max;
  return GA_NO_ERROR;
}

void gpucontext_props_del(gpucontext_props *p) { free(p); }
