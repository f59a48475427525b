/* SPDX-License-Identifier: MIT */
/* Names of devices: "cuda", "cuda1", "cpu", and GPUARRAY_DEVICE, which takes the
 * place of a request for a GPU ("cuda", or no name), so that a program written
 * for a GPU runs without one. An explicit "cpu" is never redirected. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "lib/context.h"

/* The decimal number in `s`, which has nothing else; -1 when it is none. */
static int number(const char *s)
{
  int n = 0;

  if (*s == '\0') return -1;
  for (; *s != '\0'; s++) {
    if (*s < '0' || *s > '9' || n > (INT_MAX - 9) / 10) return -1;
    n = n * 10 + (*s - '0');
  }
  return n;
}

/* 1 when `name` is a device's. */
static int parse(ga_device *d, const char *name)
{
  d->dev = -1;
  if (strcmp(name, "cpu") == 0) {
    d->backend = &ga_cpu_backend;
    return 1;
  }
  d->backend = &ga_cuda_backend;
  if (strncmp(name, "cuda", 4) != 0) return 0;
  if (name[4] == '\0') return 1;
  d->dev = number(name + 4);
  return d->dev >= 0;
}

/* What the environment asks for, NULL when nothing. */
static const char *environment(void)
{
  const char *env = getenv("GPUARRAY_DEVICE");

  return env != NULL && *env != '\0' ? env : NULL;
}

int ga_device_named(ga_device *d, const char *op, const char *name)
{
  const char *env = environment();
  ga_device asked = {NULL, -1, 0};

  if (name != NULL && strcmp(name, "opencl") == 0)
    return ga_error(GA_UNSUPPORTED_ERROR,
                    "%s: there are no OpenCL devices; there are \"cuda\" and \"cpu\"", op);
  if (name != NULL && !parse(&asked, name))
    return ga_error(GA_INVALID_ERROR,
                    "%s: no kind of device is called \"%s\"; there are \"cuda\", "
                    "\"cuda0\", ... and \"cpu\"",
                    op, name);
  *d = asked;
  if (env == NULL || asked.backend == &ga_cpu_backend) return GA_NO_ERROR;
  if (!parse(d, env))
    return ga_error(GA_INVALID_ERROR,
                    "%s: GPUARRAY_DEVICE is \"%s\", expected \"cpu\", \"cuda\" or "
                    "\"cuda0\", ...",
                    op, env);
  d->stands_in = d->backend == &ga_cpu_backend;
  if (!d->stands_in && d->dev < 0) d->dev = asked.dev;
  return GA_NO_ERROR;
}

int gpu_get_platform_count(const char *name, unsigned int *platcount)
{
  static const char op[] = "gpu_get_platform_count";
  ga_device d;

  GA_NOT_NULL(op, 1, name);
  GA_NOT_NULL(op, 2, platcount);
  GA_TRY(ga_device_named(&d, op, name));
  *platcount = 1;
  return GA_NO_ERROR;
}

int gpu_get_device_count(const char *name, unsigned int platform, unsigned int *devcount)
{
  static const char op[] = "gpu_get_device_count";
  unsigned int n = 1;
  ga_device d;

  (void)platform;
  GA_NOT_NULL(op, 1, name);
  GA_NOT_NULL(op, 3, devcount);
  GA_TRY(ga_device_named(&d, op, name));
  if (!d.stands_in) GA_TRY(d.backend->device_count(&n));
  *devcount = n;
  return GA_NO_ERROR;
}
