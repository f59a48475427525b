/* SPDX-License-Identifier: MIT */
/* GpuElemwise: an elementwise kernel whose body the user wrote in C, spliced into
 * the skeletons of expressions (codegen/gen_splice.c). Its text is compiled when
 * the object is made, for contiguous arrays, so that a mistake shows there. */
#include "lib/elemwise.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cache.h"
#include "lib/check.h"
#include "lib/context.h"

static const char op[] = "GpuElemwise_new";

enum ga_dtype ga_ge_dtype(int typecode)
{
  if (typecode == GA_SIZE) return GA_DT_UINT64;
  if (typecode == GA_SSIZE) return GA_DT_INT64;
  return ga_dtype_of(typecode);
}

/* ---- plans ------------------------------------------------------------------ */

void ga_ge_plan_free(ga_ge_plan *plan)
{
  if (plan == NULL) return;
  ga_launch_clear(&plan->launch);
  ga_layout_clear(&plan->layout);
  free(plan->key);
  free(plan);
}

/* The stage that the key describes; `align` has room for narray bytes. */
static void fill_stage(ga_stage *st, const GpuElemwise *ge, const int64_t *key,
                       unsigned char *align)
{
  unsigned int nd = (unsigned int)key[0], w = 0;

  st->nd = nd;
  for (unsigned int k = 0; k < nd; k++) st->dims[k] = (size_t)key[1 + k];
  for (unsigned int i = 0; i < ge->narray; i++) {
    const gpuelemwise_arg *arg = &ge->args[ge->arrays[i]];
    const int64_t *strides = key + GA_GE_STRIDES(nd, i);
    ga_operand *o = &st->operands[i];

    o->slot = i;
    o->dtype = ga_ge_dtype(arg->typecode);
    o->write = (arg->flags & GE_WRITE) != 0;
    for (unsigned int k = 0; k < nd; k++) o->strides[k] = (ssize_t)strides[k];
    align[i] = (unsigned char)strides[nd];
    if (o->write) st->stores[w++] = (ga_store){(int)i, -1};
  }
  st->nstore = w;
  for (unsigned int i = 0; i < ge->nnumber; i++)
    st->params[i].dtype = ga_ge_dtype(ge->args[ge->scalars[i]].typecode);
}

/* After the layout, which moves the first elements of reversed axes. */
static int build(ga_ge_plan *plan, const GpuElemwise *ge, const ga_stage *st, unsigned char *align)
{
  gpucontext *ctx = ge->ctx;
  ga_text text = {0};
  ga_source src = {0};
  ga_module *m;
  int err;

  GA_TRY(ga_layout_make(&plan->layout, st));
  if (plan->layout.wide && (ge->flags & GE_NOADDR64))
    return ga_error(GA_XLARGE_ERROR, "GpuElemwise_call: the arrays need 64-bit offsets, which "
                                     "GE_NOADDR64 forbids");
  for (unsigned int i = 0; i < ge->narray; i++)
    align[i] = (unsigned char)((align[i] + (size_t)plan->layout.offset[i]) % 16);
  err = ga_gen_text(&text, st, &plan->layout, align, &ctx->target);
  if (err == GA_NO_ERROR)
    err = ga_gen_launch(&plan->launch, st, &plan->layout, align, &ctx->target);
  if (err == GA_NO_ERROR) {
    src.text = ga_str_text(&text.main);
    src.nheader = text.nheader;
    src.header_names = text.names;
    src.header_bodies = text.bodies;
    src.raw = 1;
    src.closed =
        ga_cache_text_is_closed(&src, ge->preamble) && ga_cache_text_is_closed(&src, ge->text);
    err = ga_cache_module(&m, ctx, &src, NULL);
  }
  if (err == GA_NO_ERROR) err = ctx->backend->module_func(&plan->func, m, text.entry);
  ga_text_clear(&text);
  return err;
}

static int new_plan(ga_ge_plan **res, const GpuElemwise *ge, const int64_t *key)
{
  ga_ge_plan *plan = calloc(1, sizeof *plan);
  unsigned char *align = calloc(ge->narray + 1u, 1);
  ga_stage st = {0};
  int err = GA_NO_ERROR;

  st.noperand = ge->narray;
  st.nparam = ge->nnumber;
  st.splice = &ge->splice;
  st.operands = calloc(ge->narray + 1u, sizeof *st.operands);
  st.stores = calloc(ge->narray + 1u, sizeof *st.stores);
  st.params = calloc(ge->nnumber + 1u, sizeof *st.params);
  if (plan == NULL || align == NULL || st.operands == NULL || st.stores == NULL ||
      st.params == NULL)
    err = ga_error_memory("GpuElemwise", (ge->narray + 1u) * sizeof *st.operands);
  if (err == GA_NO_ERROR) {
    fill_stage(&st, ge, key, align);
    err = build(plan, ge, &st, align);
  }
  free(st.operands);
  free(st.stores);
  free(st.params);
  free(align);
  if (err == GA_NO_ERROR)
    *res = plan;
  else
    ga_ge_plan_free(plan);
  return err;
}

int ga_ge_plan_get(ga_ge_plan **res, GpuElemwise *ge, const int64_t *key, size_t nkey)
{
  ga_ge_plan *p = atomic_load_explicit(&ge->plans, memory_order_acquire);

  for (; p != NULL; p = p->next)
    if (p->nkey == nkey && memcmp(p->key, key, nkey * sizeof *key) == 0) {
      *res = p;
      return GA_NO_ERROR;
    }
  GA_TRY(new_plan(&p, ge, key));
  *res = p;
  if (atomic_load(&ge->nplan) >= GA_GE_MAXPLANS) return GA_NO_ERROR;
  p->key = malloc(nkey * sizeof *key);
  if (p->key == NULL) return GA_NO_ERROR; /* used once, not kept */
  memcpy(p->key, key, nkey * sizeof *key);
  p->nkey = nkey;
  p->next = atomic_load(&ge->plans);
  while (!atomic_compare_exchange_weak_explicit(&ge->plans, &p->next, p, memory_order_release,
                                                memory_order_relaxed)) {
  }
  atomic_fetch_add(&ge->nplan, 1);
  return GA_NO_ERROR;
}

/* ---- making ----------------------------------------------------------------- */

static int is_name(const char *s)
{
  if (!isalpha((unsigned char)*s) && *s != '_') return 0;
  while (*s != '\0')
    if (!isalnum((unsigned char)*s) && *s != '_')
      return 0;
    else
      s++;
  return 1;
}

static int check_arg(const gpuelemwise_arg *args, unsigned int i)
{
  const gpuelemwise_arg *a = &args[i];

  if (a->name == NULL || !is_name(a->name))
    return ga_error(GA_VALUE_ERROR, "%s: argument %u is named '%.80s', not a name in C", op, i,
                    a->name != NULL ? a->name : "(null)");
  if (ga_ge_name_taken(a->name) != NULL)
    return ga_error(GA_VALUE_ERROR, "%s: argument %u is named '%s', which is %s", op, i, a->name,
                    ga_ge_name_taken(a->name));
  for (unsigned int k = 0; k < i; k++)
    if (strcmp(args[k].name, a->name) == 0)
      return ga_error(GA_VALUE_ERROR, "%s: two arguments are named '%.80s'", op, a->name);
  if (ga_ge_dtype(a->typecode) == GA_DT_NONE)
    return ga_error(GA_UNSUPPORTED_ERROR,
                    "%s: argument '%.80s' has typecode %d, which kernels "
                    "have no type for",
                    op, a->name, a->typecode);
  if (a->flags & ~(GE_SCALAR | GE_READ | GE_WRITE))
    return ga_error(GA_VALUE_ERROR, "%s: argument '%.80s' has unknown flags 0x%x", op, a->name,
                    (unsigned)a->flags);
  if (a->flags & GE_SCALAR ? (a->flags & GE_WRITE) != 0
                           : !(a->flags & (GE_READ | GE_WRITE)) || a->typecode >= GA_SIZE)
    return ga_error(GA_VALUE_ERROR, "%s: argument '%.80s' is %s", op, a->name,
                    a->flags & GE_SCALAR              ? "a number that is written"
                    : a->flags & (GE_READ | GE_WRITE) ? "an array of sizes"
                                                      : "neither GE_SCALAR, GE_READ nor GE_WRITE");
  return GA_NO_ERROR;
}

static int check_new(const gpucontext *ctx, const char *text, unsigned int n,
                     const gpuelemwise_arg *args, int flags)
{
  int outputs = 0;

  GA_NOT_NULL(op, 1, ctx);
  GA_NOT_NULL(op, 3, text);
  if (n != 0) GA_NOT_NULL(op, 5, args);
  if (flags & ~(GE_NOADDR64 | GE_CONVERT_F16))
    return ga_error(GA_VALUE_ERROR, "%s: argument 7 has unknown flags 0x%x", op, (unsigned)flags);
  for (unsigned int i = 0; i < n; i++) {
    GA_TRY(check_arg(args, i));
    outputs += (args[i].flags & GE_WRITE) != 0;
  }
  if (outputs == 0)
    return ga_error(GA_VALUE_ERROR, "%s: no argument has GE_WRITE, nothing would be written", op);
  if (ctx->backend->compile == NULL)
    return ga_error(GA_UNSUPPORTED_ERROR, "%s: the %s device runs no CUDA C", op,
                    ctx->backend->name);
  return GA_NO_ERROR;
}

/* Copies what `ge` keeps of the caller's. */
static int copy(GpuElemwise *ge, const char *preamble, const char *text, unsigned int n,
                const gpuelemwise_arg *args)
{
  ge->text = strdup(text);
  ge->preamble = strdup(preamble != NULL ? preamble : "");
  ge->args = calloc(n, sizeof *ge->args);
  ge->arrays = calloc(n, sizeof *ge->arrays);
  ge->scalars = calloc(n, sizeof *ge->scalars);
  ge->names = calloc(n, sizeof *ge->names);
  ge->reads = calloc(n, 1);
  if (ge->text == NULL || ge->preamble == NULL || ge->args == NULL || ge->arrays == NULL ||
      ge->scalars == NULL || ge->names == NULL || ge->reads == NULL)
    return ga_error_memory(op, n * sizeof *ge->args);
  ge->n = n;
  for (unsigned int i = 0; i < n; i++) {
    ge->args[i] = args[i];
    ge->args[i].name = strdup(args[i].name);
    if (ge->args[i].name == NULL) return ga_error_memory(op, strlen(args[i].name) + 1);
  }
  return GA_NO_ERROR;
}

static void sort_out(GpuElemwise *ge)
{
  for (unsigned int i = 0; i < ge->n; i++) {
    if (ge->args[i].flags & GE_SCALAR) {
      ge->scalars[ge->nnumber++] = i;
      continue;
    }
    ge->names[ge->narray] = ge->args[i].name;
    ge->reads[ge->narray] = (ge->args[i].flags & GE_READ) != 0;
    ge->arrays[ge->narray++] = i;
  }
  for (unsigned int i = 0; i < ge->nnumber; i++)
    ge->names[ge->narray + i] = ge->args[ge->scalars[i]].name;
  ge->splice = (ga_splice){ge->text,  ge->preamble,
                           ge->names, ge->names + ge->narray,
                           ge->reads, (ge->flags & GE_CONVERT_F16) != 0};
}

/* Compiles for one axis of contiguous arrays. */
static int try_text(GpuElemwise *ge)
{
  size_t nkey = GA_GE_STRIDES(1, ge->narray);
  int64_t *key = calloc(nkey, sizeof *key);
  ga_ge_plan *plan;
  int err;

  if (key == NULL) return ga_error_memory(op, nkey * sizeof *key);
  key[0] = 1;
  key[1] = 1024;
  for (unsigned int i = 0; i < ge->narray; i++)
    key[GA_GE_STRIDES(1, i)] = ga_dtypes[ga_ge_dtype(ge->args[ge->arrays[i]].typecode)].size;
  err = ga_ge_plan_get(&plan, ge, key, nkey);
  if (err == GA_NO_ERROR && plan->key == NULL) ga_ge_plan_free(plan);
  free(key);
  return err;
}

static int make(GpuElemwise **res, gpucontext *ctx, const char *preamble, const char *text,
                unsigned int n, const gpuelemwise_arg *args, int flags)
{
  GpuElemwise *ge;
  int err;

  GA_TRY(check_new(ctx, text, n, args, flags));
  ge = calloc(1, sizeof *ge);
  if (ge == NULL) return ga_error_memory(op, sizeof *ge);
  ge->ctx = ctx;
  ga_context_retain(ctx);
  ge->flags = flags;
  atomic_init(&ge->plans, NULL);
  atomic_init(&ge->nplan, 0);
  err = copy(ge, preamble, text, n, args);
  if (err == GA_NO_ERROR) {
    sort_out(ge);
    err = try_text(ge);
  }
  if (err == GA_NO_ERROR)
    *res = ge;
  else
    GpuElemwise_free(ge);
  return err;
}

GpuElemwise *GpuElemwise_new(gpucontext *ctx, const char *preamble, const char *expr,
                             unsigned int n, gpuelemwise_arg *args, unsigned int nd, int flags)
{
  GpuElemwise *ge = NULL;

  (void)nd; /* kernels are made for the ranks that calls have */
  return make(&ge, ctx, preamble, expr, n, args, flags) == GA_NO_ERROR ? ge : NULL;
}

void GpuElemwise_free(GpuElemwise *ge)
{
  ga_ge_plan *p, *next;

  if (ge == NULL) return;
  for (p = atomic_load(&ge->plans); p != NULL; p = next) {
    next = p->next;
    ga_ge_plan_free(p);
  }
  for (unsigned int i = 0; i < ge->n; i++) free((char *)ge->args[i].name);
  free(ge->text);
  free(ge->preamble);
  free(ge->args);
  free(ge->arrays);
  free(ge->scalars);
  free(ge->names);
  free(ge->reads);
  gpucontext_deref(ge->ctx);
  free(ge);
}
