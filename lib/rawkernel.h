/* SPDX-License-Identifier: MIT */
/* Raw kernels, inside: CUDA C that the user wrote.
 *
 *   rawsource.c   the source with its header, and the report of a failure
 *   rawkernel.c   gpukernel: one kernel, counted
 *   rawcall.c     arguments packed and checked, launches
 *   kernel.c      GpuKernel over gpukernel
 *   module.c      GpuModule: a source's kernels and globals
 */
#ifndef GA_RAWKERNEL_H
#define GA_RAWKERNEL_H

#include "lib/backend.h"
#include "lib/check.h"
#include "lib/util/str.h"

struct _gpumodule;

struct _gpukernel {
  gpucontext *ctx; /* retained */
  atomic_uint refcnt;
  struct _gpumodule *module; /* retained; NULL: the context's cache owns it */
  ga_func *func;
  char *name;
  ga_func_info info;
  /* As declared to gpukernel_init(); types NULL for kernels of a GpuModule. */
  unsigned int nargs;
  int *types;
  void **args; /* set by gpukernel_setarg() */
};

/* The compilation of `text` (and "cluda.h"). Only fills `src`; `headers` is
 * room for what it points to. Arithmetic follows the
 * compiler's own defaults and the options: contraction is allowed, as in nvcc. */
typedef struct ga_raw_headers {
  const char *names[1], *bodies[1];
} ga_raw_headers;
void ga_raw_source(ga_source *src, ga_raw_headers *headers, const char *text,
                   const char *const *options, unsigned int noption);

/* `op`, the message that is there (it holds the compiler's words) and the numbered
 * lines of `text`: as the message, and malloc'ed in *report when that is not
 * NULL. Returns `err`. */
int ga_raw_report(int err, const char *op, const char *text, char **report);

/* An error when the kernel takes other arguments than these, as far as it tells. */
int ga_raw_check_types(const char *op, const ga_func_info *info, const char *name, unsigned int n,
                       const int *types);

/* A kernel of `func` with one reference; takes over nothing, copies `types`. */
int ga_raw_kernel_new(gpukernel **k, gpucontext *ctx, struct _gpumodule *module, ga_func *func,
                      const char *name, unsigned int nargs, const int *types);

/* 1: `name` is a template's instance, `scale<float>`, which the compiler has to be
 * told to make. */
int ga_raw_is_instance(const char *name);

void ga_module_retain(struct _gpumodule *m);
void ga_module_release(struct _gpumodule *m);

#endif
