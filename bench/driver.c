/* SPDX-License-Identifier: MIT */
/* Calls of the driver, found in the library that the context has loaded. */
#include "driver.h"

#include <dlfcn.h>
#include <string.h>

#include "bench/launch_ptx.h"

typedef unsigned long long address;

struct driver {
  gpucontext *ctx;
  void (*enter)(gpucontext *ctx);
  void (*leave)(gpucontext *ctx);
  int (*load)(void **module, const void *image);
  int (*find)(void **function, void *module, const char *name);
  int (*launch)(void *f, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
                unsigned int, unsigned int, void *stream, void **params, void **extra);
  int (*begin)(void *stream, int mode);
  int (*end)(void *stream, void **graph);
  int (*instantiate)(void **exec, void *graph, unsigned long long flags);
  int (*replay)(void *exec, void *stream);
  void *stream, *module, *add, *graph, *exec;
  address r, a, b;
  unsigned int n;
};

static const struct {
  const char *name;
  size_t at;
} calls[] = {
    {"cuModuleLoadData", offsetof(driver, load)},
    {"cuModuleGetFunction", offsetof(driver, find)},
    {"cuLaunchKernel", offsetof(driver, launch)},
    {"cuStreamBeginCapture_v2", offsetof(driver, begin)},
    {"cuStreamEndCapture", offsetof(driver, end)},
    {"cuGraphInstantiateWithFlags", offsetof(driver, instantiate)},
    {"cuGraphLaunch", offsetof(driver, replay)},
};

static int find_calls(driver *d)
{
  void *lib = dlopen("libcuda.so.1", RTLD_NOW), *p;
  size_t i;
  for (i = 0; lib != NULL && i < sizeof calls / sizeof *calls; i++) {
    p = dlsym(lib, calls[i].name);
    if (p == NULL) return 0;
    memcpy((char *)d + calls[i].at, &p, sizeof p);
  }
  return lib != NULL;
}

static address of(const GpuArray *a) { return *(const address *)(const void *)a->data; }

driver *driver_open(gpucontext *ctx, GpuArray *r, GpuArray *a, GpuArray *b, unsigned int n)
{
  void *(*stream)(gpucontext *),
      *ext[3] = {gpuarray_get_extension("cuda_enter"), gpuarray_get_extension("cuda_exit"),
                 gpuarray_get_extension("cuda_get_stream")};
  driver *d;
  if (strncmp(gpucontext_name(ctx), "cuda", 4) != 0 || !ext[0] || !ext[1] || !ext[2]) return NULL;
  d = calloc(1, sizeof *d);
  if (d == NULL) return NULL;
  memcpy(&d->enter, &ext[0], sizeof ext[0]);
  memcpy(&d->leave, &ext[1], sizeof ext[0]);
  memcpy(&stream, &ext[2], sizeof ext[0]);
  d->ctx = ctx;
  d->stream = stream(ctx);
  d->r = of(r);
  d->a = of(a);
  d->b = of(b);
  d->n = n;
  d->enter(ctx);
  if (find_calls(d) && d->load(&d->module, ga_kernel_launch_ptx) == 0 &&
      d->find(&d->add, d->module, "add") == 0)
    return d;
  driver_close(d);
  return NULL;
}

int driver_launch(void *arg)
{
  driver *d = arg;
  void *params[4] = {&d->r, &d->a, &d->b, &d->n};
  return d->launch(d->add, (d->n + 127) / 128, 1, 1, 128, 1, 1, 0, d->stream, params, NULL);
}

int driver_capture(driver *d, int count)
{
  int err = d->begin(d->stream, 2), i;
  for (i = 0; i < count && err == 0; i++) err = driver_launch(d);
  if (err == 0) err = d->end(d->stream, &d->graph);
  return err == 0 ? d->instantiate(&d->exec, d->graph, 0) : err;
}

int driver_replay(void *arg)
{
  driver *d = arg;
  return d->replay(d->exec, d->stream);
}

int driver_wait(void *arg) { return gpucontext_sync(((driver *)arg)->ctx); }

/* What it loaded goes with the process. */
void driver_close(driver *d)
{
  if (d == NULL) return;
  d->leave(d->ctx);
  free(d);
}
