/* SPDX-License-Identifier: MIT */
/* Which functions may wait for other threads of their block: those that name a
 * barrier or a warp operation, or a function that does, and so on. Names are all
 * that is looked at, so what is found is never too little; too much only costs
 * speed, as such a kernel's threads are fibers and the others' a loop. A class
 * any of whose members waits makes all of its members' names wait. A table of
 * functions waits where one of them does, and so does each other name; a class where
 * its base does, a function where one of its default arguments does; a template where
 * what its instance is asked for with does. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "hostcuda_text.h"
#include "lib/util/hash.h"

static const ga_hc_word words[] = {
    {"__syncthreads", 1},     {"__syncthreads_count", 1}, {"__syncthreads_and", 1},
    {"__syncthreads_or", 1},  {"__syncwarp", 1},          {"__shfl_sync", 1},
    {"__shfl_up_sync", 1},    {"__shfl_down_sync", 1},    {"__shfl_xor_sync", 1},
    {"__any_sync", 1},        {"__all_sync", 1},          {"__ballot_sync", 1},
    {"__match_any_sync", 1},  {"__match_all_sync", 1},    {"__reduce_add_sync", 1},
    {"__reduce_min_sync", 1}, {"__reduce_max_sync", 1},   {"__reduce_and_sync", 1},
    {"__reduce_or_sync", 1},  {"__reduce_xor_sync", 1},   {"__activemask", 1},
    {"__uni_sync", 1},        {"__nanosleep", 0},         {"__ga_wait_at", 0},
};

const ga_hc_word *ga_hc_sync_word(const ga_hc_token *t)
{
  if (t->kind != GA_HC_NAME || t->n < 5 || t->s[0] != '_') return NULL;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (ga_hc_is(t, words[i].name)) return &words[i];
  return NULL;
}

/* A set of names; of two whose 64-bit hashes agree one may be taken for the
 * other, which is too much and so harmless. */
typedef struct set {
  uint64_t *slots;
  size_t n, nslot;
  int failed;
} set;

static uint64_t key(const ga_hc_token *t)
{
  uint64_t h = ga_hash_bytes(t->s, t->n).lo;
  return h != 0 ? h : 1;
}

static void put(set *s, uint64_t k)
{
  size_t i;
  for (i = k & (s->nslot - 1); s->slots[i] != 0; i = (i + 1) & (s->nslot - 1))
    if (s->slots[i] == k) return;
  s->slots[i] = k;
  s->n++;
}

static int has(const set *s, uint64_t k)
{
  for (size_t i = k & (s->nslot - 1); s->slots[i] != 0; i = (i + 1) & (s->nslot - 1))
    if (s->slots[i] == k) return 1;
  return 0;
}

static void insert(set *s, uint64_t k)
{
  if (s->failed) return;
  if (2 * s->n >= s->nslot) {
    set larger = {.nslot = s->nslot != 0 ? 2 * s->nslot : 256};
    larger.slots = calloc(larger.nslot, sizeof *larger.slots);
    if (larger.slots == NULL) {
      s->failed = 1;
      return;
    }
    for (size_t i = 0; i < s->nslot; i++)
      if (s->slots[i] != 0) put(&larger, s->slots[i]);
    free(s->slots);
    *s = larger;
  }
  put(s, k);
}

/* A text of PTX that speaks of barriers or warp operations, or anything like it. */
static int meets(const ga_hc_token *k)
{
  static const char *const words[] = {".sync", "activemask"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (memmem(k->s, k->n, words[i], strlen(words[i])) != NULL) return 1;
  return 0;
}

static int waits(const ga_hc_text *t, const ga_hc_decl *d, const set *s)
{
  for (unsigned int i = d->first; i < d->end; i++) {
    const ga_hc_token *k = &t->tok[i];
    if (k->kind == GA_HC_STRING && meets(k)) return 1;
    if (k->kind != GA_HC_NAME) continue;
    if (ga_hc_sync_word(k) != NULL || has(s, key(k))) return 1;
  }
  return ga_hc_spins(t, d);
}

static int punct(const ga_hc_token *k, const char *which)
{
  return k->kind == GA_HC_PUNCT && k->n == 1 && strchr(which, k->s[0]) != NULL;
}

/* The class's name and those of its members, not what these call or initialise. */
static void insert_members(const ga_hc_text *t, const ga_hc_decl *d, set *s)
{
  for (unsigned int i = d->first; i < d->end; i++) {
    const ga_hc_token *k = &t->tok[i];
    if (k->kind == GA_HC_NAME && punct(k + 1, i < d->body ? "({:" : "({")) insert(s, key(k));
    if (i > d->body && punct(k, ":") && punct(k - 1, ")"))
      while (i < d->end && !punct(&t->tok[i], "{;")) i++;
    if (punct(&t->tok[i], "({") && i != d->body) i = ga_hc_closing(t, i);
  }
}

/* Does a name expression speak of what waits? `k<run>` */
static int asks_to_wait(const char *name, const set *s)
{
  while (*name != '\0') {
    size_t n = 0;
    while (isalnum((unsigned char)name[n]) || name[n] == '_') n++;
    ga_hc_token k = {.s = name, .n = (unsigned int)n, .kind = GA_HC_NAME};
    if (n > 0 && has(s, key(&k))) return 1;
    name += n > 0 ? n : 1;
  }
  return 0;
}

static void find_instances(ga_hc_text *t, const set *s)
{
  int wait = 0;
  for (unsigned int i = 0; i < t->nname; i++) wait |= asks_to_wait(t->names[i], s);
  for (unsigned int i = 0; i < t->ndecl; i++)
    if (t->decls[i].is_kernel && t->decls[i].is_template) t->decls[i].syncs |= wait;
}

int ga_hc_find_syncs(ga_hc_text *t)
{
  set s = {0};
  int again = 1;
  insert(&s, 1);
  while (again && !s.failed) {
    again = 0;
    for (unsigned int i = 0; i < t->ndecl; i++) {
      ga_hc_decl *d = &t->decls[i];
      if (d->syncs || !waits(t, d, &s)) continue;
      d->syncs = again = 1;
      if (d->kind == GA_HC_CLASS)
        insert_members(t, d, &s);
      else
        insert(&s, key(&t->tok[d->name]));
    }
  }
  if (!s.failed) find_instances(t, &s);
  free(s.slots);
  return s.failed ? ga_error_memory("compile", s.nslot * sizeof *s.slots) : GA_NO_ERROR;
}
