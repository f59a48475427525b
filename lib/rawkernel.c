/* SPDX-License-Identifier: MIT */
/* gpukernel: one compiled kernel with the types of its arguments, counted. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "gpuarray/util.h"
#include "lib/context.h"
#include "lib/rawkernel.h"

int ga_raw_kernel_new(gpukernel **res, gpucontext *ctx, struct _gpumodule *module, ga_func *func,
                      const char *name, unsigned int nargs, const int *types)
{
  gpukernel *k = calloc(1, sizeof *k);
  int err = GA_NO_ERROR;
  if (k == NULL) return ga_error_memory("kernel", sizeof *k);
  k->name = strdup(name);
  k->args = calloc(nargs + 1u, sizeof *k->args);
  if (types != NULL) k->types = malloc((nargs + 1u) * sizeof *k->types);
  if (k->name == NULL || k->args == NULL || (types != NULL && k->types == NULL))
    err = ga_error_memory("kernel", (nargs + 1u) * sizeof *k->args);
  if (err == GA_NO_ERROR) err = ctx->backend->func_info(&k->info, func);
  if (err == GA_NO_ERROR && types != NULL && nargs > 0) /* no list declares nothing */
    err = ga_raw_check_types("gpukernel_init", &k->info, name, nargs, types);
  if (err != GA_NO_ERROR) {
    free(k->types);
    free(k->args);
    free(k->name);
    free(k);
    return err;
  }
  if (types != NULL && nargs > 0) memcpy(k->types, types, nargs * sizeof *types);
  k->func = func;
  k->nargs = nargs;
  k->ctx = ctx;
  k->module = module;
  ga_context_retain(ctx);
  if (module != NULL) ga_module_retain(module);
  atomic_init(&k->refcnt, 1);
  *res = k;
  return GA_NO_ERROR;
}

void gpukernel_retain(gpukernel *k)
{
  if (k != NULL) atomic_fetch_add_explicit(&k->refcnt, 1, memory_order_relaxed);
}

void gpukernel_release(gpukernel *k)
{
  if (k == NULL) return;
  if (atomic_fetch_sub_explicit(&k->refcnt, 1, memory_order_acq_rel) != 1) return;
  gpucontext *ctx = k->ctx;
  ga_module_release(k->module);
  free(k->types);
  free(k->args);
  free(k->name);
  free(k);
  gpucontext_deref(ctx);
}

gpucontext *gpukernel_context(gpukernel *k) { return k != NULL ? k->ctx : NULL; }

/* ---- gpukernel_init -------------------------------------------------------- */

static const char op_init[] = "gpukernel_init";

static int check_init(gpucontext *ctx, unsigned int count, const char **strings, const char *fname,
                      unsigned int numargs, const int *types, int flags)
{
  GA_NOT_NULL(op_init, 1, ctx);
  if (count == 0)
    return ga_error(GA_VALUE_ERROR, "%s: argument 2, the number of strings, is 0", op_init);
  GA_NOT_NULL(op_init, 3, strings);
  for (unsigned int i = 0; i < count; i++)
    if (strings[i] == NULL) return ga_error(GA_VALUE_ERROR, "%s: string %u is NULL", op_init, i);
  GA_NOT_NULL(op_init, 5, fname);
  if (numargs > 0) GA_NOT_NULL(op_init, 7, types);
  if (numargs > 4096)
    return ga_error(GA_VALUE_ERROR, "%s: %u arguments, at most 4096", op_init, numargs);
  for (unsigned int i = 0; i < numargs; i++)
    if (gpuarray_get_elsize(types[i]) == 0)
      return ga_error(GA_VALUE_ERROR, "%s: argument %u of the kernel has unknown typecode %d",
                      op_init, i, types[i]);
  if (flags & GA_USE_OPENCL)
    return ga_error(GA_DEVSUP_ERROR, "%s: the %s device runs no OpenCL C", op_init,
                    ctx->backend->name);
  if (flags & GA_USE_COMPLEX)
    return ga_error(GA_UNSUPPORTED_ERROR, "%s: kernels have no complex types (GA_USE_COMPLEX)",
                    op_init);
  if (ctx->backend->compile == NULL)
    return ga_error(GA_UNSUPPORTED_ERROR, "%s: the %s device runs no CUDA C", op_init,
                    ctx->backend->name);
  return GA_NO_ERROR;
}

static int join(ga_str *s, unsigned int count, const char **strings, const size_t *lengths)
{
  for (unsigned int i = 0; i < count; i++) {
    size_t n = lengths != NULL && lengths[i] != 0 ? lengths[i] : strlen(strings[i]);
    if (memchr(strings[i], 0, n) != NULL)
      return ga_error(GA_VALUE_ERROR, "%s: string %u has a NUL inside", op_init, i);
    ga_str_addn(s, strings[i], n);
  }
  return s->failed ? ga_error_memory(op_init, s->cap) : GA_NO_ERROR;
}

static int build(gpukernel **k, gpucontext *ctx, const char *text, const char *fname,
                 unsigned int numargs, const int *types, char **err_str)
{
  ga_raw_headers headers;
  ga_source src;
  ga_module *m;
  ga_func *f;
  char *words = NULL;
  ga_raw_source(&src, &headers, text, NULL, 0);
  src.names = &fname;
  src.nname = ga_raw_is_instance(fname) ? 1 : 0;
  int err = ga_cache_module(&m, ctx, &src, &words);
  if (err == GA_IMPL_ERROR || words != NULL) ga_raw_report(err, op_init, text, err_str);
  free(words);
  GA_TRY(err);
  GA_TRY(ctx->backend->module_func(&f, m, fname));
  static const int none[1];
  return ga_raw_kernel_new(k, ctx, NULL, f, fname, numargs, types != NULL ? types : none);
}

gpukernel *gpukernel_init(gpucontext *ctx, unsigned int count, const char **strings,
                          const size_t *lengths, const char *fname, unsigned int numargs,
                          const int *typecodes, int flags, int *ret, char **err_str)
{
  gpukernel *k = NULL;
  ga_str text = {0};
  if (err_str != NULL) *err_str = NULL;
  int err = check_init(ctx, count, strings, fname, numargs, typecodes, flags);
  if (err == GA_NO_ERROR) err = join(&text, count, strings, lengths);
  if (err == GA_NO_ERROR)
    err = build(&k, ctx, ga_str_text(&text), fname, numargs, typecodes, err_str);
  ga_str_clear(&text);
  if (ret != NULL) *ret = err;
  return k;
}

int gpukernel_property(gpukernel *k, int prop_id, void *res)
{
  static const char op[] = "gpukernel_property";
  GA_NOT_NULL(op, 1, k);
  GA_NOT_NULL(op, 3, res);
  switch (prop_id) {
  case GA_KERNEL_PROP_CTX: *(gpucontext **)res = k->ctx; return GA_NO_ERROR;
  case GA_KERNEL_PROP_MAXLSIZE: *(size_t *)res = k->info.max_threads; return GA_NO_ERROR;
  case GA_KERNEL_PROP_PREFLSIZE: *(size_t *)res = k->info.preferred_threads; return GA_NO_ERROR;
  case GA_KERNEL_PROP_NUMARGS:
    *(unsigned int *)res = k->types != NULL || k->info.nargs == UINT_MAX ? k->nargs : k->info.nargs;
    return GA_NO_ERROR;
  case GA_KERNEL_PROP_TYPES: *(const int **)res = k->types; return GA_NO_ERROR;
  default: return ga_context_property(op, k->ctx, prop_id, res);
  }
}
