/* SPDX-License-Identifier: MIT */
/* The expressions that GpuArray_eval has met on a context, found by text, names
 * and kinds, so that a text is parsed once. A small hash table under a lock; when
 * it is full the entry unused for longest goes. Callers hold a reference while
 * they run, so an entry may go while it is in use. A forked child neither uses nor
 * frees the cache of a context from before: another thread may have held it. */
#define XXH_INLINE_ALL
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/expr.h"
#include "lib/util/forks.h"

#define NBUCKET 512
#define NENTRY  1024

typedef struct entry {
  struct entry *next;
  uint64_t hash, used;
  char *text;
  GpuExpr *expr;
} entry;

struct ga_expr_cache {
  pthread_mutex_t lock;
  entry *buckets[NBUCKET];
  _Atomic(GpuExpr *) named[GA_NNAMED]; /* made once, never changed */
  unsigned int n, forks;
  uint64_t clock;
};

static uint64_t hash_call(const char *text, unsigned int n, const gpuarg *args)
{
  uint64_t h = XXH3_64bits(text, strlen(text));
  unsigned int i;
  for (i = 0; i < n; i++)
    if (args[i].name != NULL)
      h = XXH3_64bits_withSeed(args[i].name, strlen(args[i].name), h + (uint64_t)args[i].kind);
  return h;
}

static int matches(const entry *e, uint64_t h, const char *text, unsigned int n, const gpuarg *args)
{
  unsigned int i;
  if (e->hash != h || e->expr->narg != n || strcmp(e->text, text) != 0) return 0;
  for (i = 0; i < n; i++)
    if (args[i].kind != e->expr->kinds[i] || args[i].name == NULL ||
        strcmp(args[i].name, e->expr->names[i]) != 0)
      return 0;
  return 1;
}

static void drop(entry *e)
{
  ga_expr_release(e->expr);
  free(e->text);
  free(e);
}

static void evict_oldest(struct ga_expr_cache *c)
{
  entry **oldest = NULL, **p, *gone;
  unsigned int b;
  for (b = 0; b < NBUCKET; b++)
    for (p = &c->buckets[b]; *p != NULL; p = &(*p)->next)
      if (oldest == NULL || (*p)->used < (*oldest)->used) oldest = p;
  if (oldest == NULL) return;
  gone = *oldest;
  *oldest = gone->next;
  drop(gone);
  c->n--;
}

/* The context's cache, made at first use: the first of several threads wins. */
static struct ga_expr_cache *cache_of(gpucontext *ctx)
{
  struct ga_expr_cache *c = atomic_load(&ctx->exprs), *seen = NULL;
  if (c != NULL) return c;
  c = calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  pthread_mutex_init(&c->lock, NULL);
  c->forks = ga_forks();
  if (atomic_compare_exchange_strong(&ctx->exprs, &seen, c)) return c;
  ga_expr_cache_free(c);
  return seen;
}

static GpuExpr *lookup(struct ga_expr_cache *c, uint64_t h, const char *text, unsigned int n,
                       const gpuarg *args)
{
  entry *e;
  for (e = c->buckets[h % NBUCKET]; e != NULL; e = e->next)
    if (matches(e, h, text, n, args)) {
      e->used = ++c->clock;
      atomic_fetch_add(&e->expr->refcnt, 1);
      return e->expr;
    }
  return NULL;
}

/* Keeps `expr` when there is memory for it; it works for its caller either way. */
static void keep(struct ga_expr_cache *c, uint64_t h, const char *text, GpuExpr *expr)
{
  entry *e = calloc(1, sizeof *e);
  size_t n = strlen(text) + 1;
  if (e == NULL || (e->text = malloc(n)) == NULL) {
    free(e);
    return;
  }
  memcpy(e->text, text, n);
  e->hash = h;
  e->expr = expr;
  atomic_fetch_add(&expr->refcnt, 1);
  if (c->n == NENTRY) evict_oldest(c);
  e->used = ++c->clock;
  e->next = c->buckets[h % NBUCKET];
  c->buckets[h % NBUCKET] = e;
  c->n++;
}

int ga_expr_cached(GpuExpr **res, gpucontext *ctx, const char *text, unsigned int n,
                   const gpuarg *args)
{
  struct ga_expr_cache *c = cache_of(ctx);
  uint64_t h;
  int err;

  *res = NULL;
  if (c == NULL) return ga_error_memory("expression", sizeof *c);
  if (n > 0 && args == NULL)
    return ga_error(GA_VALUE_ERROR, "expression: %u arguments but args is NULL", n);
  if (c->forks != ga_forks()) return ga_expr_new(res, ctx, text, n, args, 0);
  h = hash_call(text, n, args);
  pthread_mutex_lock(&c->lock);
  *res = lookup(c, h, text, n, args);
  pthread_mutex_unlock(&c->lock);
  if (*res != NULL) return GA_NO_ERROR;

  err = ga_expr_new(res, ctx, text, n, args, 0);
  if (err != GA_NO_ERROR) return err;
  pthread_mutex_lock(&c->lock);
  keep(c, h, text, *res);
  pthread_mutex_unlock(&c->lock);
  return GA_NO_ERROR;
}

/* Without a lock: of two threads that make a row's expression one keeps it. The
 * reference that the caller gets is given back on the way out of the context's. */
int ga_expr_named(GpuExpr **res, gpucontext *ctx, unsigned int i, const char *text, unsigned int n,
                  const gpuarg *args)
{
  struct ga_expr_cache *c = i < GA_NNAMED ? cache_of(ctx) : NULL;
  GpuExpr *seen = NULL, *made;

  if (c == NULL) return ga_expr_cached(res, ctx, text, n, args);
  *res = atomic_load_explicit(&c->named[i], memory_order_acquire);
  if (*res == NULL) {
    GA_TRY(ga_expr_new(&made, ctx, text, n, args, 0));
    if (atomic_compare_exchange_strong(&c->named[i], &seen, made)) {
      *res = made;
    } else {
      ga_expr_release(made);
      *res = seen;
    }
  }
  atomic_fetch_add_explicit(&(*res)->refcnt, 1, memory_order_relaxed);
  return GA_NO_ERROR;
}

void ga_expr_cache_free(struct ga_expr_cache *c)
{
  entry *e, *next;
  unsigned int b;
  if (c == NULL || c->forks != ga_forks()) return;
  for (b = 0; b < NBUCKET; b++)
    for (e = c->buckets[b]; e != NULL; e = next) {
      next = e->next;
      drop(e);
    }
  for (b = 0; b < GA_NNAMED; b++) ga_expr_release(c->named[b]);
  pthread_mutex_destroy(&c->lock);
  free(c);
}
