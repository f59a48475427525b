/* SPDX-License-Identifier: MIT */
/* Compiled modules by what they are made of. Three places, in this order: the
 * context's memory (this file), the disk (cache_disk.c), the compiler; the key of
 * all is made in cache_make.c, and here its hash stands for it. Of several
 * threads that need a module which is not there, one makes it and the others
 * wait; when it fails they try in turn. */
#include "lib/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/forks.h"

typedef struct entry {
  ga_hash hash;
  ga_module *module; /* NULL: being made */
  struct entry *next;
} entry;

struct ga_kernel_cache {
  pthread_mutex_t lock;
  pthread_cond_t done; /* some entry was made, or given up */
  size_t n, nslot;     /* nslot: a power of two */
  entry **slots;
  entry *adopted; /* modules that no key finds */
  unsigned int forks;
};

/* ---- the table --------------------------------------------------------- */

static ga_kernel_cache *new_cache(void)
{
  ga_kernel_cache *k = calloc(1, sizeof *k);
  if (k == NULL) return NULL;
  k->nslot = 64;
  k->slots = calloc(k->nslot, sizeof *k->slots);
  if (k->slots == NULL) {
    free(k);
    return NULL;
  }
  pthread_mutex_init(&k->lock, NULL);
  pthread_cond_init(&k->done, NULL);
  k->forks = ga_forks();
  return k;
}

static void free_entries(entry *e, const ga_backend *backend)
{
  while (e != NULL) {
    entry *next = e->next;
    if (e->module != NULL) backend->module_free(e->module);
    free(e);
    e = next;
  }
}

static void free_cache(ga_kernel_cache *k, const ga_backend *backend)
{
  for (size_t i = 0; i < k->nslot; i++) free_entries(k->slots[i], backend);
  free_entries(k->adopted, backend);
  pthread_cond_destroy(&k->done);
  pthread_mutex_destroy(&k->lock);
  free(k->slots);
  free(k);
}

/* The context's cache, made at first use; one thread's wins. A forked child makes
 * its own: who made an entry of the other, or held its lock, is not there any more. */
static ga_kernel_cache *cache_of(gpucontext *ctx)
{
  ga_kernel_cache *k = atomic_load(&ctx->kernels), *old = k;
  if (k != NULL && k->forks == ga_forks()) return k;
  k = new_cache();
  if (k == NULL) return NULL;
  if (atomic_compare_exchange_strong(&ctx->kernels, &old, k)) return k;
  free_cache(k, ctx->backend);
  return old;
}

static entry **find(ga_kernel_cache *k, ga_hash h)
{
  entry **at = &k->slots[h.lo & (k->nslot - 1)];
  while (*at != NULL && !ga_hash_equal((*at)->hash, h)) at = &(*at)->next;
  return at;
}

/* A table that cannot grow gets slower, nothing worse. */
static void grow(ga_kernel_cache *k)
{
  size_t nslot = 2 * k->nslot;
  entry **slots;
  if (k->n < k->nslot) return;
  slots = calloc(nslot, sizeof *slots);
  if (slots == NULL) return;
  for (size_t i = 0; i < k->nslot; i++)
    while (k->slots[i] != NULL) {
      entry *e = k->slots[i], **at = &slots[e->hash.lo & (nslot - 1)];
      k->slots[i] = e->next;
      e->next = *at;
      *at = e;
    }
  free(k->slots);
  k->slots = slots;
  k->nslot = nslot;
}

/* The module if it is there; else *mine is a new entry that the caller makes,
 * after waiting for others who were making it. */
static int claim(ga_kernel_cache *k, ga_hash h, ga_module **m, entry **mine)
{
  int err = GA_NO_ERROR;
  *m = NULL;
  *mine = NULL;
  pthread_mutex_lock(&k->lock);
  for (;;) {
    entry *e = *find(k, h);
    if (e == NULL) break;
    if ((*m = e->module) != NULL) break;
    pthread_cond_wait(&k->done, &k->lock);
  }
  if (*m == NULL) {
    grow(k);
    *mine = calloc(1, sizeof **mine);
    if (*mine != NULL) {
      entry **at = find(k, h);
      (*mine)->hash = h;
      *at = *mine;
      k->n++;
    } else {
      err = ga_error_memory("kernel cache", sizeof **mine);
    }
  }
  pthread_mutex_unlock(&k->lock);
  return err;
}

/* The entry has its module, or (NULL) is given up. */
static void settle(ga_kernel_cache *k, entry *e, ga_module *m)
{
  pthread_mutex_lock(&k->lock);
  if (m != NULL) {
    e->module = m;
  } else {
    entry **at = find(k, e->hash);
    *at = e->next;
    k->n--;
    free(e);
  }
  pthread_cond_broadcast(&k->done);
  pthread_mutex_unlock(&k->lock);
}

/* ---- making ------------------------------------------------------------ */

/* The compiler's words, if any, go behind the message that is there; then *log
 * is the caller's, or freed. */
static int refuse(int err, char *words, char **log)
{
  if (words != NULL) ga_error(err, "%s\n%s", ga_error_message(), words);
  if (log != NULL)
    *log = words;
  else
    free(words);
  return err;
}

static int load(ga_module **m, gpucontext *ctx, const ga_source *src, const ga_str *key, char **log)
{
  int err = GA_NO_ERROR;
  for (int fresh = 0; fresh < 2; fresh++) {
    void *bin = NULL;
    char *words = NULL;
    size_t size = 0;
    err = ga_cache_binary(&bin, &size, ctx, src, key, fresh, &words);
    if (err != GA_NO_ERROR) return refuse(err, words, log);
    err = ctx->backend->module_new(m, ctx, bin, size);
    free(bin);
    free(words);
    if (err != GA_IMPL_ERROR || key == NULL) return err;
  }
  return err;
}

static int no_compiler(const gpucontext *ctx)
{
  if (ctx->backend->compile != NULL) return GA_NO_ERROR;
  return ga_error(GA_UNSUPPORTED_ERROR, "compile: the %s device runs no CUDA C",
                  ctx->backend->name);
}

int ga_cache_load(ga_module **m, gpucontext *ctx, const ga_source *src, char **log)
{
  ga_str key = {0};
  int err;
  *m = NULL;
  if (log != NULL) *log = NULL;
  GA_TRY(no_compiler(ctx));
  err = ga_cache_key(&key, ctx, src);
  if (err == GA_NO_ERROR) err = load(m, ctx, src, ga_cache_is_closed(src) ? &key : NULL, log);
  ga_str_clear(&key);
  return err;
}

/* From memory, or made by this thread while others wait. */
static int share(ga_module **m, gpucontext *ctx, const ga_source *src, const ga_str *key,
                 char **log)
{
  entry *mine;
  ga_kernel_cache *k = cache_of(ctx);
  if (k == NULL) return ga_error_memory("kernel cache", sizeof *k);
  GA_TRY(claim(k, ga_hash_bytes(key->s, key->len), m, &mine));
  if (mine == NULL) return GA_NO_ERROR;
  int err = load(m, ctx, src, key, log);
  settle(k, mine, err == GA_NO_ERROR ? *m : NULL);
  return err;
}

int ga_cache_module(ga_module **m, gpucontext *ctx, const ga_source *src, char **log)
{
  ga_str key = {0};
  int err;
  *m = NULL;
  if (log != NULL) *log = NULL;
  GA_TRY(no_compiler(ctx));
  if (!ga_cache_is_closed(src)) {
    err = load(m, ctx, src, NULL, log);
    if (err == GA_NO_ERROR) err = ga_cache_adopt(ctx, *m);
    if (err != GA_NO_ERROR && *m != NULL) {
      ctx->backend->module_free(*m);
      *m = NULL;
    }
    return err;
  }
  err = ga_cache_key(&key, ctx, src);
  if (err == GA_NO_ERROR) err = share(m, ctx, src, &key, log);
  ga_str_clear(&key);
  return err;
}

int ga_cache_held(ga_module **m, gpucontext *ctx, const ga_source *src)
{
  ga_kernel_cache *k = cache_of(ctx);
  ga_str key = {0};
  int err;
  *m = NULL;
  if (k == NULL) return ga_error_memory("kernel cache", sizeof *k);
  err = ga_cache_key(&key, ctx, src);
  if (err == GA_NO_ERROR) {
    pthread_mutex_lock(&k->lock);
    entry *e = *find(k, ga_hash_bytes(key.s, key.len));
    if (e != NULL) *m = e->module;
    pthread_mutex_unlock(&k->lock);
  }
  ga_str_clear(&key);
  return err;
}

int ga_cache_adopt(gpucontext *ctx, ga_module *m)
{
  ga_kernel_cache *k = cache_of(ctx);
  entry *e = k != NULL ? calloc(1, sizeof *e) : NULL;
  if (e == NULL) return ga_error_memory("kernel cache", sizeof *e);
  pthread_mutex_lock(&k->lock);
  e->module = m;
  e->next = k->adopted;
  k->adopted = e;
  pthread_mutex_unlock(&k->lock);
  return GA_NO_ERROR;
}

void ga_cache_close(gpucontext *ctx)
{
  ga_kernel_cache *k = atomic_exchange(&ctx->kernels, NULL);
  if (k != NULL && k->forks == ga_forks()) free_cache(k, ctx->backend);
}
