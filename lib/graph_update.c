/* SPDX-License-Identifier: MIT */
/* Arrays and numbers of a graph changed between replays: found by name or by where
 * they are, checked against what was captured, and handed to graph_change.c. */
#include <string.h>

#include "lib/argkind.h"
#include "lib/array.h"
#include "lib/graph_update.h"

/* ---- arrays -------------------------------------------------------------------------------- */

static char *first_of(const GpuArray *a) { return (char *)a->data->ptr + a->offset; }

static int check_array(const ga_update *u, const char *what, const GpuArray *a)
{
  if (a == NULL || a->data == NULL)
    return ga_error(GA_VALUE_ERROR, "%s: %s is %s", u->op, what,
                    a == NULL ? "NULL" : "an array without data");
  if (a->data->ctx != u->g->ctx)
    return ga_error(GA_VALUE_ERROR, "%s: %s is of another context", u->op, what);
  return GA_NO_ERROR;
}

static const char *type_name(int typecode)
{
  const char *name = gpuarray_typename(typecode);

  return name != NULL ? name : "of a type without a name";
}

/* `a` is like an array of these. */
static int check_like(const ga_update *u, const char *what, const GpuArray *a, int typecode,
                      unsigned int nd, const size_t *dims, const ssize_t *strides)
{
  char got[GA_SHAPE_TEXT], want[GA_SHAPE_TEXT];
  int like = a->nd == nd && a->typecode == typecode;

  for (unsigned int k = 0; like && k < nd; k++) like = a->dimensions[k] == dims[k];
  if (!like)
    return ga_error(GA_VALUE_ERROR, "%s: %s is %s%s, the captured one is %s%s", u->op, what,
                    type_name(a->typecode), ga_shape_text(got, a->nd, a->dimensions),
                    type_name(typecode), ga_shape_text(want, nd, dims));
  for (unsigned int k = 0; k < nd; k++)
    if (a->strides[k] != strides[k])
      return ga_error(GA_VALUE_ERROR,
                      "%s: %s has other strides: %zd bytes along axis %u, the "
                      "captured one %zd",
                      u->op, what, a->strides[k], k, strides[k]);
  return GA_NO_ERROR;
}

/* The held array `i` goes where `a` is. */
static int move_held(ga_update *u, size_t i, const char *what, const GpuArray *a)
{
  const ga_held *h = &u->g->held.v[i];

  if (((uintptr_t)first_of(a) - (uintptr_t)h->first) % 16 != 0)
    return ga_error(GA_VALUE_ERROR, "%s: %s lies at an address modulo 16 of %u, expected %u", u->op,
                    what, (unsigned)((uintptr_t)first_of(a) % 16),
                    (unsigned)((uintptr_t)h->first % 16));
  if (h->write && !GpuArray_ISWRITEABLE(a))
    return ga_error(GA_VALUE_ERROR, "%s: %s is written and read-only", u->op, what);
  if (u->first[i] != NULL && u->first[i] != first_of(a))
    return ga_error(GA_VALUE_ERROR,
                    "%s: %s was captured as one array with another argument, which goes elsewhere",
                    u->op, what);
  u->first[i] = first_of(a);
  u->b[i] = a->data;
  return GA_NO_ERROR;
}

/* All that the array at `first` of this extent stands for goes where `a` is. */
static int move_all(ga_update *u, const char *what, const char *first, ga_span span,
                    const GpuArray *a)
{
  size_t n = 0;

  for (size_t i = 0; i < u->g->held.n; i++) {
    const ga_held *h = &u->g->held.v[i];

    if (h->first != first || h->span.low != span.low || h->span.high != span.high) continue;
    GA_TRY(move_held(u, i, what, a));
    n++;
  }
  if (n > 0) return GA_NO_ERROR;
  return ga_error(GA_VALUE_ERROR, "%s: %s is in none of the captured calls", u->op, what);
}

/* ---- names ---------------------------------------------------------------------------------- */

static int unknown(const ga_update *u, const char *name)
{
  char known[256] = "";
  size_t n = 0;

  for (size_t i = 0; i < u->g->named.n; i++) {
    size_t k = 0;

    while (strcmp(u->g->named.v[k].name, u->g->named.v[i].name) != 0) k++;
    if (k == i && n < sizeof known - 1)
      n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", n > 0 ? ", " : "",
                            u->g->named.v[i].name);
  }
  return ga_error(GA_VALUE_ERROR, "%s: no captured call has an argument '%.80s'; they have %s",
                  u->op, name, n > 0 ? known : "no names");
}

static int set_array(ga_update *u, const ga_named *name, const gpuarg *arg)
{
  const ga_held *h = &u->g->held.v[name->held];
  char what[112];

  snprintf(what, sizeof what, "argument '%.80s'", arg->name);
  GA_TRY(check_array(u, what, arg->v.array));
  GA_TRY(check_like(u, what, arg->v.array, name->typecode, name->nd, name->dims, name->strides));
  return move_all(u, what, h->first, h->span, arg->v.array);
}

static int set_number(ga_update *u, size_t i, const gpuarg *arg)
{
  const ga_named *name = &u->g->named.v[i];

  if (u->set[i])
    return ga_error(GA_VALUE_ERROR, "%s: argument '%.80s' is given twice", u->op, arg->name);
  if (arg->kind == GA_ARG_SCALAR && (arg->v.ptr == NULL || arg->typecode != name->typecode))
    return ga_error(GA_VALUE_ERROR, "%s: argument '%.80s' has typecode %d%s, the captured one %d",
                    u->op, arg->name, arg->typecode, arg->v.ptr == NULL ? " and no value" : "",
                    name->typecode);
  if (arg->kind == GA_ARG_INT) u->given[i].i = arg->v.i;
  if (arg->kind == GA_ARG_FLOAT) u->given[i].d = arg->v.f;
  if (arg->kind == GA_ARG_SCALAR)
    memcpy(u->given[i].bytes, arg->v.ptr, gpuarray_get_elsize(arg->typecode));
  u->set[i] = 1;
  return GA_NO_ERROR;
}

/* 1 when two arguments of one name are one thing. */
static int same(const gpugraph *g, const ga_named *a, const ga_named *b)
{
  if (a->kind != b->kind || a->typecode != b->typecode) return 0;
  if (a->kind != GA_ARG_ARRAY) return memcmp(&a->value, &b->value, sizeof a->value) == 0;
  const ga_held *x = &g->held.v[a->held], *y = &g->held.v[b->held];
  return x->first == y->first && x->span.low == y->span.low && x->span.high == y->span.high;
}

static int set_one(ga_update *u, unsigned int at, const gpuarg *arg)
{
  const ga_named *names = u->g->named.v, *first = NULL;

  if (arg->name == NULL) return ga_error(GA_VALUE_ERROR, "%s: argument %u has no name", u->op, at);
  for (size_t i = 0; i < u->g->named.n; i++) {
    if (strcmp(names[i].name, arg->name) != 0) continue;
    if (first == NULL) first = &names[i];
    if (!same(u->g, first, &names[i]))
      return ga_error(GA_VALUE_ERROR,
                      "%s: '%.80s' is one thing in call %zu and another in call %zu; give them "
                      "names of their own, or use gpugraph_replace()",
                      u->op, arg->name, first->call - 1, names[i].call - 1);
    if (arg->kind != names[i].kind)
      return ga_error(GA_VALUE_ERROR, "%s: argument '%.80s' is made by %s, the captured one by %s",
                      u->op, arg->name, ga_argkind_maker(arg->kind),
                      ga_argkind_maker(names[i].kind));
    GA_TRY(arg->kind == GA_ARG_ARRAY ? set_array(u, &names[i], arg) : set_number(u, i, arg));
  }
  return first != NULL ? GA_NO_ERROR : unknown(u, arg->name);
}

int gpugraph_set(gpugraph *g, unsigned int n, const gpuarg *args)
{
  static const char op[] = "gpugraph_set";
  ga_update u;
  int err;

  GA_NOT_NULL(op, 1, g);
  if (n > 0) GA_NOT_NULL(op, 3, args);
  ga_lock_take(&g->lock);
  err = ga_update_init(&u, op, g);
  for (unsigned int i = 0; i < n && err == GA_NO_ERROR; i++) err = set_one(&u, i, &args[i]);
  if (err == GA_NO_ERROR) err = ga_update_apply(&u);
  ga_update_clear(&u);
  ga_lock_give(&g->lock);
  return err;
}

static int replace_one(ga_update *u, unsigned int i, const GpuArray *old, const GpuArray *by)
{
  char what[64];
  ga_span span;

  snprintf(what, sizeof what, "array %u of argument 3", i);
  GA_TRY(check_array(u, what, old));
  span = ga_span_of(old->nd, old->dimensions, old->strides, gpuarray_get_elsize(old->typecode));
  snprintf(what, sizeof what, "array %u of argument 4", i);
  GA_TRY(check_array(u, what, by));
  GA_TRY(check_like(u, what, by, old->typecode, old->nd, old->dimensions, old->strides));
  snprintf(what, sizeof what, "array %u", i);
  return move_all(u, what, first_of(old), span, by);
}

int gpugraph_replace(gpugraph *g, unsigned int n, const GpuArray *const *old,
                     const GpuArray *const *by)
{
  static const char op[] = "gpugraph_replace";
  ga_update u;
  int err;

  GA_NOT_NULL(op, 1, g);
  if (n > 0) GA_NOT_NULL(op, 3, old);
  if (n > 0) GA_NOT_NULL(op, 4, by);
  ga_lock_take(&g->lock);
  err = ga_update_init(&u, op, g);
  for (unsigned int i = 0; i < n && err == GA_NO_ERROR; i++)
    err = replace_one(&u, i, old[i], by[i]);
  if (err == GA_NO_ERROR) err = ga_update_apply(&u);
  ga_update_clear(&u);
  ga_lock_give(&g->lock);
  return err;
}
