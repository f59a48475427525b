/* SPDX-License-Identifier: MIT */
/* What a context tells of its device: the GA_CTX_PROP_* of gpuarray/buffer.h,
 * with the types listed there. Those that are alike on every
 * device are answered above the door. */
#include <string.h>

#include "cuda_device.h"

static int device_size(ga_cuda *c, int attr, void *res)
{
  int v = 0;
  CUresult r = ga_cu.cuDeviceGetAttribute(&v, attr, c->dev);
  if (r != CUDA_SUCCESS) return ga_cuda_error(c, "property: device attribute", r);
  *(size_t *)res = (size_t)v;
  return GA_NO_ERROR;
}

/* Free on the device, with what the pool keeps and would hand out again. */
static int memory(ga_cuda *c, int prop, void *res)
{
  size_t avail = 0, total = 0;
  int pushed, err = GA_NO_ERROR;
  GA_TRY(ga_cuda_enter(c, "property", &pushed));
  GA_CUDA(c, "property: memory", ga_cu.cuMemGetInfo_v2(&avail, &total));
  avail += ga_cuda_mem_cached(c);
  if (prop == GA_CTX_PROP_TOTAL_GMEM)
    *(size_t *)res = total;
  else
    *(size_t *)res = avail;
fail:
  ga_cuda_exit(pushed);
  return err;
}

static int text(ga_cuda *c, int prop, char *res)
{
  CUresult r;
  if (prop == GA_CTX_PROP_DEVNAME) {
    memset(res, 0, 256);
    r = ga_cu.cuDeviceGetName(res, 256, c->dev);
  } else {
    memset(res, 0, 16);
    r = ga_cu.cuDeviceGetPCIBusId(res, 16, c->dev);
  }
  return r == CUDA_SUCCESS ? GA_NO_ERROR : ga_cuda_error(c, "property: name of the device", r);
}

int ga_cuda_context_property(gpucontext *ctx, int prop, void *res)
{
  ga_cuda *c = ga_cuda_of(ctx);
  if (ga_cu_forked()) return ga_cu_forked_error("property");
  switch (prop) {
  case GA_CTX_PROP_DEVNAME:
  case GA_CTX_PROP_UNIQUE_ID: return text(c, prop, res);
  case GA_CTX_PROP_LMEMSIZE: *(size_t *)res = c->shared_plain; return GA_NO_ERROR;
  case GA_CTX_PROP_NUMPROCS: *(unsigned int *)res = c->base.target.nproc; return GA_NO_ERROR;
  case GA_CTX_PROP_TOTAL_GMEM:
  case GA_CTX_PROP_FREE_GMEM:
  case GA_CTX_PROP_LARGEST_MEMBLOCK: return memory(c, prop, res);
  case GA_CTX_PROP_MAXGSIZE0:
  case GA_CTX_PROP_MAXGSIZE1:
  case GA_CTX_PROP_MAXGSIZE2:
    return device_size(c, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + prop - GA_CTX_PROP_MAXGSIZE0, res);
  case GA_CTX_PROP_MAXLSIZE0:
  case GA_CTX_PROP_MAXLSIZE1:
  case GA_CTX_PROP_MAXLSIZE2:
    return device_size(c, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + prop - GA_CTX_PROP_MAXLSIZE0, res);
  default: return ga_error(GA_INVALID_ERROR, "property: the CUDA device has no property %d", prop);
  }
}
