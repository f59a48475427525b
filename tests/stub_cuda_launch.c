/* SPDX-License-Identifier: MIT */
/* The stub driver's modules, functions and launches: any image that does not begin
 * with a zero is a module, any name a function, and a launch is only recorded. */
#include "tests/stub_driver.h"

#include <stdint.h>
#include <string.h>

API int cuModuleLoadData(void **m, const void *image)
{
  int r;
  NEED_CONTEXT;
  r = __atomic_exchange_n(&stub.module_result, 0, __ATOMIC_RELAXED);
  if (r != 0) return r;
  if (((const char *)image)[0] == 0) return 200;
  *m = stub_handle();
  SEEN(modules);
  return OK;
}

API int cuModuleUnload(void *m)
{
  NEED_CONTEXT;
  (void)m;
  stub.modules--;
  return OK;
}

API int cuModuleGetFunction(void **f, void *m, const char *name)
{
  NEED_CONTEXT;
  *f = m;
  return name[0] != 0 ? OK : NOT_FOUND;
}

API int cuModuleGetGlobal_v2(unsigned long long *p, size_t *size, void *m, const char *name)
{
  static double global[4];
  (void)m;
  NEED_CONTEXT;
  if (strcmp(name, "absent") == 0) return NOT_FOUND;
  if (strcmp(name, "ga_waits") == 0 && !stub.overlap) return NOT_FOUND;
  *p = (uintptr_t)global;
  *size = sizeof global;
  return OK;
}

API int cuFuncGetAttribute(int *v, int attr, void *f)
{
  (void)f;
  NEED_CONTEXT;
  *v = attr == 0 ? 512 : 0;
  return OK;
}

API int cuFuncSetAttribute(void *f, int attr, int v)
{
  (void)f;
  NEED_CONTEXT;
  if (attr == 14) return OK; /* clusters of more than 8 blocks */
  if (attr != 8) return INVALID;
  if (v > stub.opted) stub.opted = v;
  return OK;
}

#ifndef STUB_BROKEN
API int cuLaunchKernel(void *f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
                       unsigned int by, unsigned int bz, unsigned int shared, void *s,
                       void **params, void **extra)
{
  int r = stub.launch_result;
  (void)f;
  NEED_CONTEXT;
  if (params != NULL) return INVALID;
  stub.launch_result = 0;
  if (r != 0) return r;
  stub.launch_stream = s;
  stub.grid[0] = gx, stub.grid[1] = gy, stub.grid[2] = gz;
  stub.block[0] = bx, stub.block[1] = by, stub.block[2] = bz;
  stub.shared = shared;
  stub.nargs = extra != NULL ? *(size_t *)extra[3] : 0;
  if (stub.nargs > sizeof stub.args) return INVALID;
  if (extra != NULL) memcpy(stub.args, extra[1], stub.nargs);
  stub.launches++;
  return OK;
}
#endif

#if !defined(STUB_OLD) && !defined(STUB_BROKEN)
struct launch_config {
  unsigned int grid[3], block[3], shared;
  void *stream;
  const struct {
    int id, pad;
    int flag, room[15];
  } * attrs;
  unsigned int nattr;
};

API int cuLaunchKernelEx(const struct launch_config *c, void *f, void **params, void **extra)
{
  int r;
  if (c->nattr != 1 || c->attrs->id != 6 || c->attrs->flag != 1) return INVALID;
  r = cuLaunchKernel(f, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2],
                     c->shared, c->stream, params, extra);
  stub.early += r == OK;
  return r;
}
#endif

#ifndef STUB_OLD
API int cuFuncGetParamInfo(void *f, size_t i, size_t *offset, size_t *size)
{
  (void)f;
  NEED_CONTEXT;
  if (stub.params < 0) return 801;
  if (i >= (size_t)stub.params) return INVALID;
  *offset = 8 * i;
  *size = 8;
  return OK;
}
#endif
