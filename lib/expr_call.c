/* SPDX-License-Identifier: MIT */
/* The arguments of a call: checked against the expression, and turned into the
 * key by which its plan is found. The key is every fact a plan depends on: kinds,
 * dtypes, shapes, strides and the addresses modulo 16; two calls with equal keys
 * run the same kernels. The key of a prepared call is made on the stack. */
#include <stdlib.h>
#include <string.h>

#include "gpuarray/types.h"
#include "lib/argkind.h"
#include "lib/expr.h"

static int grow(ga_call *c, size_t n)
{
  size_t cap = c->cap;
  uint64_t *key;
  while (n > cap - c->nkey) cap *= 2;
  key = malloc(cap * sizeof *key);
  if (key == NULL) return ga_error_memory("expression", cap * sizeof *key);
  memcpy(key, c->key, c->nkey * sizeof *key);
  if (c->key != c->few) free(c->key);
  c->key = key;
  c->cap = cap;
  return GA_NO_ERROR;
}

/* Room for `n` words more. */
static inline int reserve(ga_call *c, size_t n)
{
  return n <= c->cap - c->nkey ? GA_NO_ERROR : grow(c, n);
}

static inline int put(ga_call *c, uint64_t word)
{
  GA_TRY(reserve(c, 1));
  c->key[c->nkey++] = word;
  return GA_NO_ERROR;
}

/* Where the first element lies, modulo 16. What has no data yet lies as if it were
 * at the start of an allocation, `offset` aside. */
static inline unsigned char low_bits(const GpuArray *a)
{
  return (unsigned char)(((a->data == NULL ? 0 : (uintptr_t)a->data->ptr) + a->offset) % 16);
}

static int put_array(ga_call *c, const GpuArray *a)
{
  unsigned int i;
  uint64_t *at;
  GA_TRY(reserve(c, 1 + 2 * (size_t)a->nd));
  at = c->key + c->nkey;
  *at++ = (uint64_t)a->nd << 32 | (uint64_t)(unsigned int)a->typecode << 8 | low_bits(a);
  for (i = 0; i < a->nd; i++) {
    *at++ = a->dimensions[i];
    *at++ = (uint64_t)a->strides[i];
  }
  c->nkey += 1 + 2 * (size_t)a->nd;
  return GA_NO_ERROR;
}

static const char *label(const gpuarg *arg, char *buf, size_t size, unsigned int i)
{
  if (arg == NULL)
    snprintf(buf, size, "the output");
  else if (arg->name != NULL)
    snprintf(buf, size, "argument '%.80s'", arg->name);
  else
    snprintf(buf, size, "argument %u", i);
  return buf;
}

/* An array that is read or written, `arg` NULL for the output. */
static int check_array(const GpuExpr *e, const gpuarg *arg, unsigned int i, const GpuArray *a,
                       int dry)
{
  char who[128];
  if (a == NULL)
    return ga_error(GA_VALUE_ERROR, "expression: %s is NULL, expected an array",
                    label(arg, who, sizeof who, i));
  if (ga_dtype_of(a->typecode) == GA_DT_NONE)
    return ga_error(GA_UNSUPPORTED_ERROR,
                    "expression: %s has typecode %d, which no expression computes with",
                    label(arg, who, sizeof who, i), a->typecode);
  if (a->nd > GA_MAXND)
    return ga_error(GA_XLARGE_ERROR, "expression: %s has %u dimensions, at most %d are supported",
                    label(arg, who, sizeof who, i), a->nd, GA_MAXND);
  if (a->nd > 0 && (a->dimensions == NULL || a->strides == NULL))
    return ga_error(GA_VALUE_ERROR, "expression: %s has no dimensions or strides",
                    label(arg, who, sizeof who, i));
  if (dry) return GA_NO_ERROR;
  if (a->data == NULL)
    return ga_error(GA_VALUE_ERROR, "expression: %s has no data", label(arg, who, sizeof who, i));
  if (a->data->ctx != e->ctx)
    return ga_error(GA_VALUE_ERROR, "expression: %s belongs to another context",
                    label(arg, who, sizeof who, i));
  if (!GpuArray_ISALIGNED(a))
    return ga_error(GA_UNALIGNED_ERROR, "expression: %s is not aligned to its dtype",
                    label(arg, who, sizeof who, i));
  return GA_NO_ERROR;
}

static int check_scalar(const gpuarg *arg, unsigned int i)
{
  char who[128];
  if (arg->v.ptr == NULL)
    return ga_error(GA_VALUE_ERROR, "expression: %s points to no number",
                    label(arg, who, sizeof who, i));
  if (ga_dtype_of(arg->typecode) == GA_DT_NONE)
    return ga_error(GA_UNSUPPORTED_ERROR,
                    "expression: %s has typecode %d, which no expression computes with",
                    label(arg, who, sizeof who, i), arg->typecode);
  return GA_NO_ERROR;
}

static int take_arg(ga_call *c, const GpuExpr *e, unsigned int i, int dry)
{
  const gpuarg *arg = &c->args[i];
  char who[128];
  if (arg->kind != e->kinds[i])
    return ga_error(GA_VALUE_ERROR, "expression: %s is made by %s, the expression was made for %s",
                    label(arg, who, sizeof who, i), ga_argkind_maker(arg->kind),
                    ga_argkind_maker(e->kinds[i]));
  if (arg->flags != 0)
    return ga_error(GA_VALUE_ERROR, "expression: %s has flags 0x%x, expected 0",
                    label(arg, who, sizeof who, i), (unsigned int)arg->flags);
  GA_TRY(put(c, (uint64_t)(unsigned int)arg->kind << 56 | (uint64_t)(unsigned int)arg->typecode));
  switch (arg->kind) {
  case GA_ARG_ARRAY:
    GA_TRY(check_array(e, arg, i, arg->v.array, dry));
    return put_array(c, arg->v.array);
  case GA_ARG_NEW:
    if (arg->v.array == NULL && !dry)
      return ga_error(GA_VALUE_ERROR, "expression: %s is NULL, expected an array to create",
                      label(arg, who, sizeof who, i));
    return GA_NO_ERROR;
  case GA_ARG_SCALAR: return check_scalar(arg, i);
  default: return GA_NO_ERROR;
  }
}

int ga_call_init(ga_call *c, const GpuExpr *e, unsigned int n, const gpuarg *args, GpuArray *into,
                 int unsafe, int dry)
{
  unsigned int i;
  c->expr = e;
  c->n = n;
  c->args = args;
  c->into = into;
  c->unsafe = unsafe;
  c->key = c->few;
  c->nkey = 0;
  c->cap = sizeof c->few / sizeof c->few[0];
  if (n != e->narg)
    return ga_error(GA_VALUE_ERROR, "expression: %u arguments, it was made for %u", n, e->narg);
  if (n > 0 && args == NULL)
    return ga_error(GA_VALUE_ERROR, "expression: %u arguments but args is NULL", n);
  for (i = 0; i < n; i++) GA_TRY(take_arg(c, e, i, dry));
  GA_TRY(put(c, (uint64_t)(into != NULL) | (uint64_t)unsafe << 1 |
                    (uint64_t)(dry == GA_CALL_DRY) << 2));
  if (into == NULL) return GA_NO_ERROR;
  GA_TRY(check_array(e, NULL, 0, into, dry));
  if (!dry && !GpuArray_ISWRITEABLE(into))
    return ga_error(GA_VALUE_ERROR, "expression: the output is not writeable");
  return put_array(c, into);
}

void ga_call_clear(ga_call *c)
{
  if (c->key != c->few) free(c->key);
  c->key = c->few;
}

/* The words are few and differ early. */
static int same_key(const ga_plan *p, const ga_call *c)
{
  size_t i;
  if (p->nkey != c->nkey) return 0;
  for (i = 0; i < c->nkey; i++)
    if (p->key[i] != c->key[i]) return 0;
  return 1;
}

int ga_call_same(const ga_call *a, const ga_call *b)
{
  return a->nkey == b->nkey && memcmp(a->key, b->key, a->nkey * sizeof *a->key) == 0;
}

static ga_plan *find(const GpuExpr *e, const ga_call *c)
{
  ga_plan *p = atomic_load_explicit(&((GpuExpr *)e)->plans, memory_order_acquire);
  while (p != NULL && !same_key(p, c)) p = p->next;
  return p;
}

static void bind_array(ga_bind *b, unsigned char *low, const GpuArray *a)
{
  b->dtype = ga_dtype_of(a->typecode);
  b->nd = a->nd;
  b->dims = a->dimensions;
  b->strides = a->strides;
  *low = low_bits(a);
}

static void bind(ga_bind *b, unsigned char *low, const gpuarg *arg)
{
  static const enum ga_bind_kind kinds[] = {
      [GA_ARG_ARRAY] = GA_BIND_ARRAY,   [GA_ARG_NEW] = GA_BIND_NEW,
      [GA_ARG_INT] = GA_BIND_WEAK_INT,  [GA_ARG_FLOAT] = GA_BIND_WEAK_FLOAT,
      [GA_ARG_SCALAR] = GA_BIND_SCALAR,
  };
  b->kind = kinds[arg->kind];
  *low = 0;
  if (arg->kind == GA_ARG_ARRAY) bind_array(b, low, arg->v.array);
  if (arg->kind == GA_ARG_SCALAR) b->dtype = ga_dtype_of(arg->typecode);
}

static int make(ga_plan **plan, GpuExpr *e, const ga_call *c, enum ga_making how)
{
  ga_bind *binds = calloc(c->n + 1u, sizeof *binds), out = {0};
  unsigned char *low = calloc(c->n + 1u, 1), outlow = 0;
  unsigned int i;
  int err;

  *plan = NULL;
  if (binds == NULL || low == NULL) {
    err = ga_error_memory("expression", c->n * sizeof *binds);
  } else {
    for (i = 0; i < c->n; i++) {
      bind(&binds[i], &low[i], &c->args[i]);
      binds[i].name = e->names[i];
    }
    if (c->into != NULL) bind_array(&out, &outlow, c->into);
    err = ga_plan_new(plan, e->ctx, e->ast, c->n, binds, low, c->into == NULL ? NULL : &out, outlow,
                      c->unsafe, how);
  }
  free(binds);
  free(low);
  return err;
}

/* Keeps a plan for the calls with this key; one beyond GA_MAXPLANS, or that memory
 * is out for, is used once. */
static void keep(GpuExpr *e, const ga_call *c, ga_plan *plan)
{
  if (atomic_load(&e->nplan) >= GA_MAXPLANS) return;
  plan->key = malloc(c->nkey * sizeof *plan->key);
  if (plan->key == NULL) return;
  memcpy(plan->key, c->key, c->nkey * sizeof *plan->key);
  plan->nkey = c->nkey;
  plan->next = atomic_load(&e->plans);
  while (!atomic_compare_exchange_weak_explicit(&e->plans, &plan->next, plan, memory_order_release,
                                                memory_order_relaxed)) {
  }
  atomic_fetch_add(&e->nplan, 1);
}

/* A plan that is not kept is the caller's: nkey is 0. */
int ga_call_plan(ga_plan **res, GpuExpr *e, const ga_call *c, int dry)
{
  if (!dry && (*res = find(e, c)) != NULL) return GA_NO_ERROR;
  if (!dry && atomic_load_explicit(&e->jobs, memory_order_acquire) != NULL) {
    ga_jobs_await(e, c);
    if ((*res = find(e, c)) != NULL) return GA_NO_ERROR;
  }
  GA_TRY(make(res, e, c, dry ? GA_MAKE_DRY : GA_MAKE_ALL));
  if (!dry) keep(e, c, *res);
  return GA_NO_ERROR;
}

int ga_call_lean(ga_plan **res, GpuExpr *e, const ga_call *c)
{
  return make(res, e, c, GA_MAKE_LEAN);
}

int ga_call_planned(const GpuExpr *e, const ga_call *c) { return find(e, c) != NULL; }

int ga_call_make(GpuExpr *e, const ga_call *c)
{
  ga_plan *plan;
  if (find(e, c) != NULL) return GA_NO_ERROR;
  GA_TRY(make(&plan, e, c, GA_MAKE_ALL));
  keep(e, c, plan);
  if (plan->nkey == 0) ga_plan_free(plan);
  return GA_NO_ERROR;
}
