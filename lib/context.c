/* SPDX-License-Identifier: MIT */
/* Contexts: opened by name, counted, asked for properties.
 *
 * Buffers and kernels hold their context, so it closes when the last of them
 * and the last reference of the program are gone. What a context owns itself
 * (its expressions, modules, error buffer) holds no reference to it. */
#include <stdlib.h>
#include <string.h>

#include "lib/capture.h"
#include "lib/check.h"
#include "lib/context.h"
#include "lib/expr.h"

static int open_first(gpucontext **ctx, const gpucontext_props *props)
{
  gpucontext_props cpu = *props;

  if (ga_cuda_backend.context_open(ctx, props) == GA_NO_ERROR) {
    (*ctx)->backend = &ga_cuda_backend;
    return GA_NO_ERROR;
  }
  cpu.dev = -1;
  GA_TRY(ga_cpu_backend.context_open(ctx, &cpu));
  (*ctx)->backend = &ga_cpu_backend;
  return GA_NO_ERROR;
}

static int open_named(gpucontext **ctx, const char *name, gpucontext_props *props)
{
  ga_device d;

  GA_TRY(ga_device_named(&d, "gpucontext_init", name));
  if (d.dev >= 0) props->dev = d.dev;
  if (d.backend == NULL) return open_first(ctx, props);
  if (d.backend == &ga_cpu_backend) props->dev = -1;
  GA_TRY(d.backend->context_open(ctx, props));
  (*ctx)->backend = d.backend;
  return GA_NO_ERROR;
}

int gpucontext_init(gpucontext **res, const char *name, gpucontext_props *props)
{
  gpucontext_props defaults;
  gpucontext *ctx = NULL;
  int err;

  ga_props_default(&defaults);
  if (res == NULL) {
    err = ga_error(GA_VALUE_ERROR, "gpucontext_init: argument 1 is NULL");
  } else {
    *res = NULL;
    err = open_named(&ctx, name, props != NULL ? props : &defaults);
  }
  if (err == GA_NO_ERROR && props != NULL && props->kernel_cache_path != NULL) {
    ctx->cache_path = strdup(props->kernel_cache_path);
    if (ctx->cache_path == NULL) {
      err = ga_error_memory("gpucontext_init", strlen(props->kernel_cache_path) + 1);
      ctx->backend->context_close(ctx);
    }
  }
  gpucontext_props_del(props);
  if (err != GA_NO_ERROR) return err;
  atomic_store(&ctx->refcnt, 1);
  if (ctx->backend == &ga_cpu_backend)
    snprintf(ctx->name, sizeof ctx->name, "cpu");
  else
    snprintf(ctx->name, sizeof ctx->name, "%s%u", ctx->backend->name, ctx->device);
  *res = ctx;
  return GA_NO_ERROR;
}

const char *gpucontext_name(gpucontext *ctx) { return ctx == NULL ? NULL : ctx->name; }

void ga_context_retain(gpucontext *ctx)
{
  atomic_fetch_add_explicit(&ctx->refcnt, 1, memory_order_relaxed);
}

void gpucontext_deref(gpucontext *ctx)
{
  if (ctx == NULL) return;
  if (atomic_fetch_sub_explicit(&ctx->refcnt, 1, memory_order_acq_rel) != 1) return;
  ga_expr_cache_free(ctx->exprs);
  if (ctx->errbuf != NULL) ctx->backend->free(ctx->errbuf);
  ga_cache_close(ctx);
  free(ctx->cache_path);
  ctx->backend->context_close(ctx);
}

static int new_errbuf(gpucontext *ctx, gpudata **res)
{
  enum { size = 8 };
  gpudata *b;
  int err;

  GA_TRY(ctx->backend->alloc(&b, ctx, size, 0));
  b->ctx = ctx;
  b->size = size;
  atomic_store(&b->refcnt, 1);
  err = ctx->backend->set(b, 0, 0, size);
  if (err == GA_NO_ERROR)
    *res = b;
  else
    ctx->backend->free(b);
  return err;
}

/* The error buffer is made when first asked for; of several threads one's stays. */
static int errbuf(gpucontext *ctx, gpudata **res)
{
  gpudata *b = atomic_load(&ctx->errbuf), *mine;

  if (b == NULL) {
    GA_TRY(new_errbuf(ctx, &mine));
    if (atomic_compare_exchange_strong(&ctx->errbuf, &b, mine))
      b = mine;
    else
      ctx->backend->free(mine);
  }
  *res = b;
  return GA_NO_ERROR;
}

int ga_context_property(const char *op, gpucontext *ctx, int prop, void *res)
{
  int kernels = prop >= GA_KERNEL_PROP_START && prop <= GA_KERNEL_PROP_TYPES;
  if (kernels || (prop >= GA_BUFFER_PROP_START && prop <= GA_BUFFER_PROP_SIZE))
    return ga_error(GA_VALUE_ERROR, "%s: property %d is one of %s", op, prop,
                    kernels ? "kernels" : "buffers");
  switch (prop) {
  case GA_CTX_PROP_BIN_ID: *(const char **)res = ctx->bin_id; return GA_NO_ERROR;
  case GA_CTX_PROP_ERRBUF: return errbuf(ctx, res);
  case GA_CTX_PROP_NATIVE_FLOAT16: *(int *)res = 0; return GA_NO_ERROR;
  case GA_CTX_PROP_DEVNAME:
  case GA_CTX_PROP_LMEMSIZE:
  case GA_CTX_PROP_NUMPROCS:
  case GA_CTX_PROP_TOTAL_GMEM:
  case GA_CTX_PROP_FREE_GMEM:
  case GA_CTX_PROP_MAXGSIZE0:
  case GA_CTX_PROP_MAXGSIZE1:
  case GA_CTX_PROP_MAXGSIZE2:
  case GA_CTX_PROP_MAXLSIZE0:
  case GA_CTX_PROP_MAXLSIZE1:
  case GA_CTX_PROP_MAXLSIZE2:
  case GA_CTX_PROP_UNIQUE_ID:
  case GA_CTX_PROP_LARGEST_MEMBLOCK: return ctx->backend->context_property(ctx, prop, res);
  }
  return ga_error(GA_INVALID_ERROR, "%s: there is no property %d", op, prop);
}

int gpucontext_property(gpucontext *ctx, int prop_id, void *res)
{
  GA_NOT_NULL("gpucontext_property", 1, ctx);
  GA_NOT_NULL("gpucontext_property", 3, res);
  return ga_context_property("gpucontext_property", ctx, prop_id, res);
}

const char *gpucontext_error(gpucontext *ctx, int err)
{
  const char *text = ga_error_message();

  (void)ctx;
  return *text != '\0' ? text : gpuarray_error_str(err);
}

int gpucontext_sync(gpucontext *ctx)
{
  GA_NOT_NULL("gpucontext_sync", 1, ctx);
  if (ga_capturing(ctx)) return ga_capture_refuse(ctx, "gpucontext_sync", "no waiting");
  return ctx->backend->context_sync(ctx);
}
