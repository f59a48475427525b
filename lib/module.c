/* SPDX-License-Identifier: MIT */
/* GpuModule: a source with any number of kernels and globals. Its binary comes
 * from the cache, but each module is loaded by itself, so that two of one source
 * have globals of their own. A template instance is compiled when it is first
 * asked for, into a further loaded module that belongs to this one.
 *
 * The struct is counted: kernels hold it. A global's buffer cannot, so a module
 * one of whose globals was handed out stays loaded as long as its context. */
#include "gpuarray/module.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cache.h"
#include "lib/context.h"
#include "lib/rawkernel.h"
#include "lib/util/lock.h"

typedef struct part {
  ga_module *m;
  char *name; /* the instance it was compiled for, NULL: the source as it is */
  int pinned; /* a global was handed out: the context owns m */
  struct part *next;
} part;

struct _gpumodule {
  gpucontext *ctx; /* retained */
  atomic_uint refcnt;
  char *source;
  char **options;
  unsigned int noption;
  ga_lock lock;          /* over parts */
  _Atomic(part *) parts; /* the first made is last; grows by one store */
};

void ga_module_retain(struct _gpumodule *m)
{
  atomic_fetch_add_explicit(&m->refcnt, 1, memory_order_relaxed);
}

static void free_part(struct _gpumodule *m, part *p)
{
  if (!p->pinned) m->ctx->backend->module_free(p->m);
  free(p->name);
  free(p);
}

void ga_module_release(struct _gpumodule *m)
{
  if (m == NULL) return;
  if (atomic_fetch_sub_explicit(&m->refcnt, 1, memory_order_acq_rel) != 1) return;
  while (m->parts != NULL) {
    part *next = m->parts->next;
    free_part(m, m->parts);
    m->parts = next;
  }
  for (unsigned int i = 0; i < m->noption; i++) free(m->options[i]);
  free(m->options);
  free(m->source);
  ga_lock_clear(&m->lock);
  gpucontext_deref(m->ctx);
  free(m);
}

/* ---- making ---------------------------------------------------------------- */

/* Compiles the source, with `name` as an instance to make unless it is NULL. */
static int add_part(struct _gpumodule *m, const char *op, const char *name)
{
  ga_raw_headers headers;
  ga_source src;
  char *words = NULL;
  part *p = calloc(1, sizeof *p);
  if (p != NULL && name != NULL) p->name = strdup(name);
  if (p == NULL || (name != NULL && p->name == NULL)) {
    free(p);
    return ga_error_memory(op, sizeof *p);
  }
  ga_raw_source(&src, &headers, m->source, (const char *const *)m->options, m->noption);
  src.names = &name;
  src.nname = name != NULL;
  int err = ga_cache_load(&p->m, m->ctx, &src, &words);
  if (err == GA_IMPL_ERROR || words != NULL) ga_raw_report(err, op, m->source, NULL);
  free(words);
  if (err != GA_NO_ERROR) {
    free(p->name);
    free(p);
    return err;
  }
  p->next = m->parts;
  m->parts = p;
  return GA_NO_ERROR;
}

static int copy_options(struct _gpumodule *m, const char *const *options)
{
  unsigned int n = 0;
  if (options == NULL) return GA_NO_ERROR;
  while (options[n] != NULL) n++;
  m->options = calloc(n + 1u, sizeof *m->options);
  if (m->options == NULL) return ga_error_memory("GpuModule_init", n * sizeof *m->options);
  for (; m->noption < n; m->noption++) {
    m->options[m->noption] = strdup(options[m->noption]);
    if (m->options[m->noption] == NULL)
      return ga_error_memory("GpuModule_init", strlen(options[m->noption]));
  }
  return GA_NO_ERROR;
}

static int new_module(struct _gpumodule **res, gpucontext *ctx, const char *source,
                      const char *const *options)
{
  struct _gpumodule *m = calloc(1, sizeof *m);
  int err = GA_NO_ERROR;
  if (m == NULL) return ga_error_memory("GpuModule_init", sizeof *m);
  ga_context_retain(ctx);
  m->ctx = ctx;
  atomic_init(&m->refcnt, 1);
  ga_lock_init(&m->lock);
  m->source = strdup(source);
  if (m->source == NULL) err = ga_error_memory("GpuModule_init", strlen(source));
  if (err == GA_NO_ERROR) err = copy_options(m, options);
  if (err == GA_NO_ERROR) err = add_part(m, "GpuModule_init", NULL);
  if (err != GA_NO_ERROR) {
    ga_module_release(m);
    return err;
  }
  *res = m;
  return GA_NO_ERROR;
}

static int no_compiler(const char *op, const gpucontext *ctx)
{
  if (ctx->backend->compile != NULL) return GA_NO_ERROR;
  return ga_error(GA_UNSUPPORTED_ERROR, "%s: the %s device runs no CUDA C", op, ctx->backend->name);
}

int GpuModule_init(GpuModule *m, gpucontext *ctx, const char *source, const char *const *options)
{
  static const char op[] = "GpuModule_init";
  GA_NOT_NULL(op, 1, m);
  m->m = NULL;
  GA_NOT_NULL(op, 2, ctx);
  GA_NOT_NULL(op, 3, source);
  GA_TRY(no_compiler(op, ctx));
  return new_module(&m->m, ctx, source, options);
}

void GpuModule_clear(GpuModule *m)
{
  if (m == NULL) return;
  ga_module_release(m->m);
  m->m = NULL;
}

/* ---- kernels --------------------------------------------------------------- */

int ga_raw_is_instance(const char *name) { return strchr(name, '<') != NULL; }

/* The part that was compiled for `name`, or the source's own (NULL). */
static part *find_part(struct _gpumodule *m, const char *name)
{
  part *p;
  for (p = m->parts; p != NULL; p = p->next)
    if (name == NULL ? p->name == NULL : p->name != NULL && strcmp(p->name, name) == 0) break;
  return p;
}

static int find_func(ga_func **f, struct _gpumodule *m, const char *op, const char *name)
{
  const char *instance = ga_raw_is_instance(name) ? name : NULL;
  int err = GA_NO_ERROR;
  ga_lock_take(&m->lock);
  part *p = find_part(m, instance);
  if (p == NULL) {
    err = add_part(m, op, instance);
    p = m->parts;
  }
  if (err == GA_NO_ERROR) err = m->ctx->backend->module_func(f, p->m, name);
  ga_lock_give(&m->lock);
  return err;
}

int GpuModule_kernel(GpuKernel *k, GpuModule *m, const char *name)
{
  static const char op[] = "GpuModule_kernel";
  ga_func *f;
  GA_NOT_NULL(op, 1, k);
  memset(k, 0, sizeof *k);
  GA_NOT_NULL(op, 2, m);
  if (m->m == NULL) return ga_error(GA_VALUE_ERROR, "%s: argument 2 is a cleared module", op);
  GA_NOT_NULL(op, 3, name);
  GA_TRY(find_func(&f, m->m, op, name));
  return ga_raw_kernel_new(&k->k, m->m->ctx, m->m, f, name, 0, NULL);
}

int GpuModule_global(gpudata **b, GpuModule *m, const char *name)
{
  static const char op[] = "GpuModule_global";
  void *ptr = NULL;
  size_t size = 0;
  GA_NOT_NULL(op, 1, b);
  *b = NULL;
  GA_NOT_NULL(op, 2, m);
  if (m->m == NULL) return ga_error(GA_VALUE_ERROR, "%s: argument 2 is a cleared module", op);
  GA_NOT_NULL(op, 3, name);
  gpucontext *ctx = m->m->ctx;
  ga_lock_take(&m->m->lock);
  part *p = find_part(m->m, NULL);
  int err = ctx->backend->module_global(&ptr, &size, p->m, name);
  if (err == GA_NO_ERROR && !p->pinned) {
    err = ga_cache_adopt(ctx, p->m);
    p->pinned = err == GA_NO_ERROR;
  }
  ga_lock_give(&m->m->lock);
  GA_TRY(err);
  gpudata *d = calloc(1, sizeof *d);
  if (d == NULL) return ga_error_memory(op, sizeof *d);
  d->ptr = ptr;
  d->ctx = ctx;
  d->size = size;
  d->flags = GA_BUFFER_BORROWED;
  atomic_init(&d->refcnt, 1);
  ga_context_retain(ctx);
  *b = d;
  return GA_NO_ERROR;
}

int GpuKernel_build(GpuKernel *k, gpucontext *ctx, const char *source, const char *name)
{
  static const char op[] = "GpuKernel_build";
  ga_raw_headers headers;
  ga_source src;
  ga_module *m;
  ga_func *f;
  char *words = NULL;
  GA_NOT_NULL(op, 1, k);
  memset(k, 0, sizeof *k);
  GA_NOT_NULL(op, 2, ctx);
  GA_NOT_NULL(op, 3, source);
  GA_NOT_NULL(op, 4, name);
  GA_TRY(no_compiler(op, ctx));
  ga_raw_source(&src, &headers, source, NULL, 0);
  src.names = &name;
  src.nname = ga_raw_is_instance(name) ? 1 : 0;
  int err = ga_cache_module(&m, ctx, &src, &words);
  if (err == GA_IMPL_ERROR || words != NULL) ga_raw_report(err, op, source, NULL);
  free(words);
  GA_TRY(err);
  GA_TRY(ctx->backend->module_func(&f, m, name));
  return ga_raw_kernel_new(&k->k, ctx, NULL, f, name, 0, NULL);
}
