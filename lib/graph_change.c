/* SPDX-License-Identifier: MIT */
/* Applies an update of a graph: the new arguments of the nodes it touches are made
 * beside the old ones, given to the device, and only then become the graph's.
 *
 * What a call decided by its addresses must hold for the new ones: whether an output
 * shares memory with what the call reads (lib/inplace.c). So two arrays of a call of
 * which one is written may meet only if they lay so before. */
#include <stdlib.h>
#include <string.h>

#include "lib/graph_update.h"

void ga_update_clear(ga_update *u)
{
  for (size_t i = 0; u->args != NULL && i < u->g->nodes.n; i++) free(u->args[i]);
  free(u->first);
  free(u->b);
  free(u->given);
  free(u->set);
  free(u->args);
}

int ga_update_init(ga_update *u, const char *op, gpugraph *g)
{
  *u = (ga_update){.op = op, .g = g};
  u->first = calloc(g->held.n + 1, sizeof *u->first);
  u->b = calloc(g->held.n + 1, sizeof *u->b);
  u->given = calloc(g->named.n + 1, sizeof *u->given);
  u->set = calloc(g->named.n + 1, 1);
  u->args = calloc(g->nodes.n + 1, sizeof *u->args);
  if (u->first != NULL && u->b != NULL && u->given != NULL && u->set != NULL && u->args != NULL)
    return GA_NO_ERROR;
  return ga_error_memory(op, g->nodes.n * sizeof *u->args);
}

/* ---- what shares memory -----------------------------------------------------------------------
 */

static const char *where(const ga_update *u, size_t i)
{
  return u->first[i] != NULL ? u->first[i] : u->g->held.v[i].first;
}

/* Must two arrays of a call stay apart? One that is written behind all reads may lie where
 * the call reads, but not where it writes. */
static int must_part(const ga_held *a, const ga_held *b)
{
  return ((a->write | b->write) & GA_WRITES) != 0 || (a->write != 0 && b->write != 0);
}

/* Two arrays of a call, one of them written and one moved, may meet only as before. */
static int check_pair(const ga_update *u, size_t i, size_t k)
{
  const ga_held *a = &u->g->held.v[i], *b = &u->g->held.v[k];
  const char *pa = where(u, i), *pb = where(u, k);

  if ((u->first[i] == NULL && u->first[k] == NULL) || !must_part(a, b)) return GA_NO_ERROR;
  if (!ga_span_meets(pa, a->span, pb, b->span) ||
      (pa - a->first == pb - b->first && ga_span_meets(a->first, a->span, b->first, b->span)))
    return GA_NO_ERROR;
  return ga_error(GA_VALUE_ERROR,
                  "%s: arrays of call %zu, one of which it writes, would share memory as they did "
                  "not when it was captured",
                  u->op, a->call - 1);
}

static int check_pairs(const ga_update *u)
{
  const ga_held *h = u->g->held.v;

  for (size_t i = 0; i < u->g->held.n; i++)
    for (size_t k = i + 1; k < u->g->held.n && h[k].call == h[i].call; k++)
      GA_TRY(check_pair(u, i, k));
  return GA_NO_ERROR;
}

/* ---- the new arguments ---------------------------------------------------------------------- */

/* A copy of node i's arguments, once. */
static int open_args(ga_update *u, size_t i)
{
  const ga_work *n = &u->g->nodes.v[i].n;

  if (u->args[i] != NULL) return GA_NO_ERROR;
  u->args[i] = malloc(n->nargs + 1);
  if (u->args[i] == NULL) return ga_error_memory(u->op, n->nargs);
  memcpy(u->args[i], n->args, n->nargs);
  return GA_NO_ERROR;
}

static int move_places(ga_update *u)
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
static int renumber(ga_update *u, size_t x)
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

static int set_numbers(ga_update *u)
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
static int give_all(const ga_update *u)
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

/* The new arguments take the places of the old, which are freed with the update. */
static void swap_args(ga_update *u)
{
  gpugraph *g = u->g;

  for (size_t i = 0; i < g->nodes.n; i++)
    if (u->args[i] != NULL) {
      void *old = g->nodes.v[i].n.args;

      g->nodes.v[i].n.args = u->args[i];
      u->args[i] = old;
    }
}

/* The same of buffers. */
static void swap_buffers(ga_update *u)
{
  gpugraph *g = u->g;

  for (size_t i = 0; i < g->held.n; i++)
    if (u->first[i] != NULL) {
      gpudata *old = g->held.v[i].b;

      g->held.v[i].b = u->b[i];
      g->held.v[i].first = u->first[i];
      u->b[i] = old;
    }
}

static void keep_numbers(const ga_update *u)
{
  gpugraph *g = u->g;

  for (size_t i = 0; i < g->named.n; i++)
    if (u->set[i]) {
      const ga_named *n = &g->named.v[i];

      g->named.v[i].value = u->given[i];
      if (n->expr != GA_GRAPH_NONE) g->exprs.v[n->expr].given[n->arg] = u->given[i];
    }
}

/* A child of fork() finds the graph as it was or as it will be. */
static void commit(ga_update *u)
{
  for (size_t i = 0; i < u->g->held.n; i++)
    if (u->first[i] != NULL) {
      gpudata_retain(u->b[i]);
      __atomic_fetch_or(&u->b[i]->flags, GA_BUFFER_CAPTURED, __ATOMIC_RELAXED);
    }
  ga_fork_delay();
  swap_args(u);
  swap_buffers(u);
  keep_numbers(u);
  ga_fork_allow();
  for (size_t i = 0; i < u->g->held.n; i++)
    if (u->first[i] != NULL) gpudata_release(u->b[i]);
}

int ga_update_apply(ga_update *u)
{
  GA_TRY(check_pairs(u));
  GA_TRY(move_places(u));
  GA_TRY(set_numbers(u));
  GA_TRY(give_all(u));
  commit(u);
  return GA_NO_ERROR;
}
