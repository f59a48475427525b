/* SPDX-License-Identifier: MIT */
/* Arrays and numbers of a graph changed between replays. An update is worked out
 * beside the graph (new addresses, new values, new arguments of the nodes they
 * touch), checked, given to the device, and only then written into the graph.
 *
 * What a call decided by its addresses must hold for the new ones: alignment, and
 * whether an output shares memory with what the call reads (lib/inplace.c), so two
 * arrays of a call of which one is written may meet only if they lay so before. */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/graph.h"

typedef struct update {
  const char *op;
  gpugraph *g;
  char **first;    /* [held] where its first element goes; NULL: it stays */
  gpudata **b;     /* [held] in which buffer */
  ga_value *given; /* [named] the value of a number, where `set` */
  char *set;       /* [named] */
  void **args;     /* [nodes] the new arguments; NULL: as they are */
} update;

static void clear(update *u)
{
  for (size_t i = 0; u->args != NULL && i < u->g->nodes.n; i++) free(u->args[i]);
  free(u->first);
  free(u->b);
  free(u->given);
  free(u->set);
  free(u->args);
}

static int init(update *u, const char *op, gpugraph *g)
{
  *u = (update){.op = op, .g = g};
  u->first = calloc(g->held.n + 1, sizeof *u->first);
  u->b = calloc(g->held.n + 1, sizeof *u->b);
  u->given = calloc(g->named.n + 1, sizeof *u->given);
  u->set = calloc(g->named.n + 1, 1);
  u->args = calloc(g->nodes.n + 1, sizeof *u->args);
  if (u->first != NULL && u->b != NULL && u->given != NULL && u->set != NULL && u->args != NULL)
    return GA_NO_ERROR;
  return ga_error_memory(op, g->nodes.n * sizeof *u->args);
}

/* ---- arrays -------------------------------------------------------------------------------- */

static char *first_of(const GpuArray *a) { return (char *)a->data->ptr + a->offset; }

static int check_array(const update *u, const char *what, const GpuArray *a)
{
  if (a == NULL || a->data == NULL)
    return ga_error(GA_VALUE_ERROR, "%s: %s is %s", u->op, what,
                    a == NULL ? "NULL" : "an array without data");
  if (a->data->ctx != u->g->ctx)
    return ga_error(GA_VALUE_ERROR, "%s: %s is of another context", u->op, what);
  return GA_NO_ERROR;
}

/* `a` is like an array of these. */
static const char *type_name(int typecode)
{
  const char *name = gpuarray_typename(typecode);

  return name != NULL ? name : "of a type without a name";
}

static int check_like(const update *u, const char *what, const GpuArray *a, int typecode,
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
static int move_held(update *u, size_t i, const char *what, const GpuArray *a)
{
  const ga_held *h = &u->g->held.v[i];

  if (((uintptr_t)first_of(a) - (uintptr_t)h->first) % 16 != 0)
    return ga_error(GA_VALUE_ERROR, "%s: %s lies at an address modulo 16 of %u, expected %u", u->op,
                    what, (unsigned)((uintptr_t)first_of(a) % 16),
                    (unsigned)((uintptr_t)h->first % 16));
  if (h->write && !GpuArray_ISWRITEABLE(a))
    return ga_error(GA_VALUE_ERROR, "%s: %s is written and read-only", u->op, what);
  u->first[i] = first_of(a);
  u->b[i] = a->data;
  return GA_NO_ERROR;
}

/* All that the array at `first` of this extent stands for goes where `a` is. */
static int move_all(update *u, const char *what, const char *first, ga_span span, const GpuArray *a)
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

static const char *where(const update *u, size_t i)
{
  return u->first[i] != NULL ? u->first[i] : u->g->held.v[i].first;
}

/* Two arrays of a call, one of them written and one moved, may meet only as before. */
static int check_pair(const update *u, size_t i, size_t k)
{
  const ga_held *a = &u->g->held.v[i], *b = &u->g->held.v[k];
  const char *pa = where(u, i), *pb = where(u, k);

  if ((u->first[i] == NULL && u->first[k] == NULL) || !(a->write || b->write)) return GA_NO_ERROR;
  if (!ga_span_meets(pa, a->span, pb, b->span) ||
      (pa - a->first == pb - b->first && ga_span_meets(a->first, a->span, b->first, b->span)))
    return GA_NO_ERROR;
  return ga_error(GA_VALUE_ERROR,
                  "%s: arrays of call %zu, one of which it writes, would share memory as they did "
                  "not when it was captured",
                  u->op, a->call - 1);
}

static int check_pairs(const update *u)
{
  const ga_held *h = u->g->held.v;

  for (size_t i = 0; i < u->g->held.n; i++)
    for (size_t k = i + 1; k < u->g->held.n && h[k].call == h[i].call; k++)
      GA_TRY(check_pair(u, i, k));
  return GA_NO_ERROR;
}

/* ---- names ---------------------------------------------------------------------------------- */

static int unknown(const update *u, const char *name)
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

static int set_array(update *u, const ga_named *name, const gpuarg *arg)
{
  const ga_held *h = &u->g->held.v[name->held];
  char what[112];

  snprintf(what, sizeof what, "argument '%.80s'", arg->name);
  GA_TRY(check_array(u, what, arg->v.array));
  GA_TRY(check_like(u, what, arg->v.array, name->typecode, name->nd, name->dims, name->strides));
  return move_all(u, what, h->first, h->span, arg->v.array);
}

static int set_number(update *u, size_t i, const gpuarg *arg)
{
  const ga_named *name = &u->g->named.v[i];

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

static int set_one(update *u, const gpuarg *arg)
{
  const ga_named *names = u->g->named.v, *first = NULL;

  if (arg->name == NULL) return ga_error(GA_VALUE_ERROR, "%s: an argument has no name", u->op);
  for (size_t i = 0; i < u->g->named.n; i++) {
    if (strcmp(names[i].name, arg->name) != 0) continue;
    if (first == NULL) first = &names[i];
    if (!same(u->g, first, &names[i]))
      return ga_error(GA_VALUE_ERROR,
                      "%s: '%.80s' is one thing in call %zu and another in call %zu; give them "
                      "names of their own, or use gpugraph_replace()",
                      u->op, arg->name, first->call - 1, names[i].call - 1);
    if (arg->kind != names[i].kind)
      return ga_error(GA_VALUE_ERROR, "%s: argument '%.80s' is of kind %d, the captured one of %d",
                      u->op, arg->name, arg->kind, names[i].kind);
    GA_TRY(arg->kind == GA_ARG_ARRAY ? set_array(u, &names[i], arg) : set_number(u, i, arg));
  }
  return first != NULL ? GA_NO_ERROR : unknown(u, arg->name);
}

/* ---- the new arguments ---------------------------------------------------------------------- */

/* A copy of node i's arguments, once. */
static int open_args(update *u, size_t i)
{
  const ga_work *n = &u->g->nodes.v[i].n;

  if (u->args[i] != NULL) return GA_NO_ERROR;
  u->args[i] = malloc(n->nargs + 1);
  if (u->args[i] == NULL) return ga_error_memory(u->op, n->nargs);
  memcpy(u->args[i], n->args, n->nargs);
  return GA_NO_ERROR;
}

static int move_places(update *u)
{
  for (size_t i = 0; i < u->g->nodes.n; i++) {
    const ga_graph_node *n = &u->g->nodes.v[i];

    for (size_t k = 0; k < n->nplace; k++) {
      const ga_place *p = &n->places[k];
      char *to;

      if (u->first[p->held] == NULL) continue;
      GA_TRY(open_args(u, i));
      to = u->first[p->held] + p->delta;
      memcpy((char *)u->args[i] + p->at, &to, sizeof to);
    }
  }
  return GA_NO_ERROR;
}

/* Numbers of an expression, all of whose stages have them evaluated again. */
static int renumber(update *u, size_t x)
{
  const ga_gexpr *e = &u->g->exprs.v[x];
  ga_value *given = malloc(e->e->narg * sizeof *given);
  int err = given == NULL ? ga_error_memory(u->op, e->e->narg * sizeof *given) : GA_NO_ERROR;

  if (given != NULL) memcpy(given, e->given, e->e->narg * sizeof *given);
  for (size_t i = 0; given != NULL && i < u->g->named.n; i++)
    if (u->set[i] && u->g->named.v[i].expr == x) given[u->g->named.v[i].arg] = u->given[i];
  for (size_t i = 0; i < u->g->nodes.n && err == GA_NO_ERROR; i++) {
    if (u->g->nodes.v[i].expr != x) continue;
    err = open_args(u, i);
    if (err == GA_NO_ERROR) err = ga_gexpr_numbers(e, u->g->nodes.v[i].stage, given, u->args[i]);
  }
  free(given);
  return err;
}

static int set_numbers(update *u)
{
  for (size_t i = 0; i < u->g->named.n; i++) {
    const ga_named *n = &u->g->named.v[i];

    if (!u->set[i]) continue;
    if (n->expr != GA_GRAPH_NONE) {
      GA_TRY(renumber(u, n->expr));
      continue;
    }
    GA_TRY(open_args(u, n->node));
    memcpy((char *)u->args[n->node] + n->at, u->given[i].bytes, gpuarray_get_elsize(n->typecode));
  }
  return GA_NO_ERROR;
}

/* ---- the change ------------------------------------------------------------------------------ */

static int give(gpugraph *g, size_t i, void *args)
{
  ga_work n = g->nodes.v[i].n;

  n.args = args;
  return g->ctx->backend->graph_set(g->exec, i, &n);
}

/* To the device: all nodes that change, or none. */
static int give_all(const update *u)
{
  gpugraph *g = u->g;
  int err = GA_NO_ERROR;
  size_t i;

  if (g->exec == NULL) return GA_NO_ERROR;
  for (i = 0; i < g->nodes.n && err == GA_NO_ERROR; i++)
    if (u->args[i] != NULL) err = give(g, i, u->args[i]);
  if (err == GA_NO_ERROR) return err;
  while (i-- > 0)
    if (u->args[i] != NULL) (void)give(g, i, g->nodes.v[i].n.args);
  return err;
}

static void commit(update *u)
{
  gpugraph *g = u->g;

  for (size_t i = 0; i < g->nodes.n; i++)
    if (u->args[i] != NULL) {
      void *old = g->nodes.v[i].n.args;

      g->nodes.v[i].n.args = u->args[i];
      u->args[i] = old; /* freed with the update */
    }
  for (size_t i = 0; i < g->held.n; i++)
    if (u->first[i] != NULL) {
      gpudata_retain(u->b[i]);
      __atomic_fetch_or(&u->b[i]->flags, GA_BUFFER_CAPTURED, __ATOMIC_RELAXED);
      gpudata_release(g->held.v[i].b);
      g->held.v[i].b = u->b[i];
      g->held.v[i].first = u->first[i];
    }
  for (size_t i = 0; i < g->named.n; i++)
    if (u->set[i]) {
      const ga_named *n = &g->named.v[i];

      g->named.v[i].value = u->given[i];
      if (n->expr != GA_GRAPH_NONE) g->exprs.v[n->expr].given[n->arg] = u->given[i];
    }
}

static int change(update *u)
{
  GA_TRY(check_pairs(u));
  GA_TRY(move_places(u));
  GA_TRY(set_numbers(u));
  GA_TRY(give_all(u));
  commit(u);
  return GA_NO_ERROR;
}

int gpugraph_set(gpugraph *g, unsigned int n, const gpuarg *args)
{
  static const char op[] = "gpugraph_set";
  update u;
  int err;

  GA_NOT_NULL(op, 1, g);
  if (n > 0) GA_NOT_NULL(op, 3, args);
  pthread_mutex_lock(&g->lock);
  err = init(&u, op, g);
  for (unsigned int i = 0; i < n && err == GA_NO_ERROR; i++) err = set_one(&u, &args[i]);
  if (err == GA_NO_ERROR) err = change(&u);
  clear(&u);
  pthread_mutex_unlock(&g->lock);
  return err;
}

static int replace_one(update *u, unsigned int i, const GpuArray *old, const GpuArray *by)
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
  update u;
  int err;

  GA_NOT_NULL(op, 1, g);
  if (n > 0) GA_NOT_NULL(op, 3, old);
  if (n > 0) GA_NOT_NULL(op, 4, by);
  pthread_mutex_lock(&g->lock);
  err = init(&u, op, g);
  for (unsigned int i = 0; i < n && err == GA_NO_ERROR; i++)
    err = replace_one(&u, i, old[i], by[i]);
  if (err == GA_NO_ERROR) err = change(&u);
  clear(&u);
  pthread_mutex_unlock(&g->lock);
  return err;
}
