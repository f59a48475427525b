/* SPDX-License-Identifier: MIT */
/* Compiled modules by what they are made of. Three places, in this order: the
 * context's memory (this file), the disk (cache_disk.c), the compiler.
 *
 * The key is everything that the binary depends on: text, headers, options, name
 * expressions, the architecture and the library's version, each with its length
 * before it, so that no two sources share one. In memory its hash stands for
 * it. Of several threads that need a module which is not there, one makes it
 * and the others wait; when it fails they try in turn. */
#include "lib/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpuarray/version.h"

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
};

/* ---- the key ----------------------------------------------------------- */

static void add_part(ga_str *s, const char *text) {
  ga_str_addf(s, "%zu:", strlen(text));
  ga_str_add(s, text);
}

int ga_cache_key(ga_str *s, const gpucontext *ctx, const ga_source *src) {
  ga_str_addf(s, "gpuarray %s %s %s fast=%d ", GPUARRAY_VERSION, ctx->backend->name, ctx->bin_id,
              src->fast);
  ga_str_addf(s, "%u %u %u\n", src->noption, src->nname, src->nheader);
  for (unsigned int i = 0; i < src->noption; i++) add_part(s, src->options[i]);
  for (unsigned int i = 0; i < src->nname; i++) add_part(s, src->names[i]);
  for (unsigned int i = 0; i < src->nheader; i++) {
    add_part(s, src->header_names[i]);
    add_part(s, src->header_bodies[i]);
  }
  add_part(s, src->text);
  return s->failed ? ga_error_memory("kernel cache", s->cap) : GA_NO_ERROR;
}

/* ---- the table --------------------------------------------------------- */

static ga_kernel_cache *new_cache(void) {
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
  return k;
}

static void free_cache(ga_kernel_cache *k, const ga_backend *backend) {
  for (size_t i = 0; i < k->nslot; i++)
    while (k->slots[i] != NULL) {
      entry *e = k->slots[i];
      k->slots[i] = e->next;
      if (e->module != NULL) backend->module_free(e->module);
      free(e);
    }
  pthread_cond_destroy(&k->done);
  pthread_mutex_destroy(&k->lock);
  free(k->slots);
  free(k);
}

/* The context's cache, made at first use; one thread's wins. */
static ga_kernel_cache *cache_of(gpucontext *ctx) {
  ga_kernel_cache *k = atomic_load(&ctx->kernels), *none = NULL;
  if (k != NULL) return k;
  k = new_cache();
  if (k == NULL) return NULL;
  if (atomic_compare_exchange_strong(&ctx->kernels, &none, k)) return k;
  free_cache(k, ctx->backend);
  return none;
}

static entry **find(ga_kernel_cache *k, ga_hash h) {
  entry **at = &k->slots[h.lo & (k->nslot - 1)];
  while (*at != NULL && !ga_hash_equal((*at)->hash, h)) at = &(*at)->next;
  return at;
}

/* A table that cannot grow gets slower, nothing worse. */
static void grow(ga_kernel_cache *k) {
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
static int claim(ga_kernel_cache *k, ga_hash h, ga_module **m, entry **mine) {
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
static void settle(ga_kernel_cache *k, entry *e, ga_module *m) {
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

/* The compiler's words, if any, behind the message that is there; *log goes to
 * the caller or is freed. */
static int refuse(int err, char *words, char **log) {
  if (words != NULL) ga_error(err, "%s\n%s", ga_error_message(), words);
  if (log != NULL)
    *log = words;
  else
    free(words);
  return err;
}

static int compile(ga_module **m, gpucontext *ctx, const ga_source *src, char **log) {
  void *bin = NULL;
  char *words = NULL;
  size_t size = 0;
  int err = ctx->backend->compile(&bin, &size, &words, ctx, src);
  if (err != GA_NO_ERROR) return refuse(err, words, log);
  err = ctx->backend->module_new(m, ctx, bin, size);
  free(bin);
  free(words);
  return err;
}

int ga_cache_module(ga_module **m, gpucontext *ctx, const ga_source *src, char **log) {
  ga_str key = {0};
  entry *mine;
  int err;
  *m = NULL;
  if (log != NULL) *log = NULL;
  if (ctx->backend->compile == NULL)
    return ga_error(GA_UNSUPPORTED_ERROR, "compile: the %s device runs no CUDA C",
                    ctx->backend->name);
  ga_kernel_cache *k = cache_of(ctx);
  if (k == NULL) return ga_error_memory("kernel cache", sizeof *k);
  err = ga_cache_key(&key, ctx, src);
  if (err == GA_NO_ERROR) {
    err = claim(k, ga_hash_bytes(key.s, key.len), m, &mine);
    if (err == GA_NO_ERROR && mine != NULL) {
      err = compile(m, ctx, src, log);
      settle(k, mine, err == GA_NO_ERROR ? *m : NULL);
    }
  }
  ga_str_clear(&key);
  return err;
}

void ga_cache_close(gpucontext *ctx) {
  ga_kernel_cache *k = atomic_exchange(&ctx->kernels, NULL);
  if (k != NULL) free_cache(k, ctx->backend);
}
