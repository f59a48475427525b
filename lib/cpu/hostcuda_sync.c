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
#include <string.h>

#include "hostcuda_text.h"

static const ga_hc_word words[] = {
    {"__syncthreads", 1},     {"__syncthreads_count", 1}, {"__syncthreads_and", 1},
    {"__syncthreads_or", 1},  {"__syncwarp", 1},          {"__shfl_sync", 1},
    {"__shfl_up_sync", 1},    {"__shfl_down_sync", 1},    {"__shfl_xor_sync", 1},
    {"__any_sync", 1},        {"__all_sync", 1},          {"__ballot_sync", 1},
    {"__match_any_sync", 1},  {"__match_all_sync", 1},    {"__reduce_add_sync", 1},
    {"__reduce_min_sync", 1}, {"__reduce_max_sync", 1},   {"__reduce_and_sync", 1},
    {"__reduce_or_sync", 1},  {"__reduce_xor_sync", 1},   {"__activemask", 1},
    {"__uni_sync", 1},        {"__nanosleep", 0},         {"__ga_wait_at", 0},
    {"__ga_gather", 1},       {"__barrier_sync", 1},      {"__barrier_sync_count", 1},
};

const ga_hc_word *ga_hc_sync_word(const ga_hc_token *t)
{
  if (t->kind != GA_HC_NAME || t->n < 5 || t->s[0] != '_') return NULL;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (ga_hc_is(t, words[i].name)) return &words[i];
  return NULL;
}

static int has(const ga_hc_names *s, const ga_hc_token *k)
{
  return ga_hc_names_has(s, k->s, k->n);
}

/* A text of PTX that speaks of barriers, warp operations or branches, or anything like it. */
static int meets(const ga_hc_token *k)
{
  static const char *const words[] = {".sync",    ".arrive", "activemask", "r.red",
                                      ".cta.red", "bra ",    "bra\t",      "bra\n",
                                      "bra.uni",  "bra\\t",  "bra\\n",     "bra\""};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (memmem(k->s, k->n, words[i], strlen(words[i])) != NULL) return 1;
  return 0;
}

static int waits(const ga_hc_text *t, const ga_hc_decl *d, const ga_hc_names *s)
{
  for (unsigned int i = d->first; i < d->end; i++) {
    const ga_hc_token *k = &t->tok[i];
    if (k->kind == GA_HC_STRING && meets(k)) return 1;
    if (k->kind != GA_HC_NAME) continue;
    if (ga_hc_sync_word(k) != NULL || has(s, k)) return 1;
  }
  return ga_hc_spins(t, d);
}

/* Does a name expression speak of what waits? `k<run>` */
static int asks_to_wait(const char *name, const ga_hc_names *s)
{
  while (*name != '\0') {
    size_t n = 0;
    while (isalnum((unsigned char)name[n]) || name[n] == '_') n++;
    if (n > 0 && ga_hc_names_has(s, name, n)) return 1;
    name += n > 0 ? n : 1;
  }
  return 0;
}

static void find_instances(ga_hc_text *t, const ga_hc_names *s)
{
  int wait = 0;
  for (unsigned int i = 0; i < t->nname; i++) wait |= asks_to_wait(t->names[i], s);
  for (unsigned int i = 0; i < t->ndecl; i++)
    if (t->decls[i].is_kernel && t->decls[i].is_template) t->decls[i].syncs |= wait;
}

int ga_hc_find_syncs(ga_hc_text *t)
{
  ga_hc_names s = {0};
  int again = 1;
  while (again && !s.failed) {
    const ga_hc_decl *last = NULL; /* declarators of one statement share its tokens */
    int wait = 0;
    again = 0;
    for (unsigned int i = 0; i < t->ndecl; i++) {
      ga_hc_decl *d = &t->decls[i];
      if (d->syncs) continue;
      if (last == NULL || d->first != last->first) wait = waits(t, d, &s);
      last = d;
      if (!wait) continue;
      d->syncs = again = 1;
      if (d->kind == GA_HC_CLASS)
        ga_hc_add_members(&s, t, d->first, d->body, d->end);
      else
        ga_hc_names_add(&s, t->tok[d->name].s, t->tok[d->name].n);
    }
  }
  int failed = s.failed;
  if (!failed) find_instances(t, &s);
  ga_hc_names_clear(&s);
  return failed ? ga_error_memory("compile", t->ndecl * sizeof(uint64_t)) : GA_NO_ERROR;
}
