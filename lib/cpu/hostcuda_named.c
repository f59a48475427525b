/* SPDX-License-Identifier: MIT */
/* The sixteen barriers of a block that PTX counts itself: `bar.sync 1, 64` waits until 64 threads
 * have arrived, `bar.arrive 1, 64` arrives and goes on. Who they are is not asked, so producers and
 * consumers may take turns. One without a count is for all threads that have not ended. */
#include <stdio.h>
#include <string.h>

#include "hostcuda_check.h"
#include "hostcuda_team.h"

static int is_full(const ga_hc_team *t, const ga_hc_named *b)
{
  return b->arrived != 0 && b->arrived >= (b->count != 0 ? b->count : t->live);
}

static GA_HC_PLAIN void release(ga_hc_team *t, ga_hc_named *b)
{
  if (t->checked) ga_hc_check_barrier(t);
  for (unsigned int w = 0; w < GA_HC_WORDS; w++) t->ready[w] |= b->waiting[w];
  memset(b, 0, sizeof *b);
  t->epoch++;
}

/* What PTX leaves undefined: an id or a count that there is not, or counts that differ. */
static GA_HC_PLAIN void check(ga_hc_team *t, unsigned int id, unsigned int count,
                              unsigned int place)
{
  const ga_hc_named *b = &t->named[id < GA_HC_NAMED ? id : 0];
  const unsigned int all = t->nthread, n = count != 0 ? count : all;
  const unsigned int before = b->count != 0 ? b->count : all;
  char what[128];
  if (id >= GA_HC_NAMED) {
    ga_hc_end_at(t, t->current, place, "there is no such barrier: they are 0 to 15");
  } else if (count % GA_HC_WARP != 0 && count != all) {
    snprintf(what, sizeof what, "barrier %u counts %u threads, which are no whole warps", id,
             count);
    ga_hc_end_at(t, t->current, place, what);
  } else if (b->arrived != 0 && n != before) {
    snprintf(what, sizeof what, "barrier %u counts %u threads here, and %u where others arrived",
             id, n, before);
    ga_hc_end_at(t, t->current, place, what);
  }
}

GA_HC_PLAIN void ga_hc_named_meet(unsigned int id, unsigned int count, int waits,
                                  unsigned int place)
{
  ga_hc_team *t = ga_hc_current_team;
  const unsigned int me = t->current;
  const uint64_t mine = (uint64_t)1 << (me & 63);
  check(t, id, count, place);
  ga_hc_named *b = &t->named[id];
  t->names = 1;
  b->count = count;
  b->arrived++;
  if (is_full(t, b)) {
    release(t, b);
  } else if (waits) {
    b->place = place;
    t->ready[me >> 6] &= ~mine;
    b->waiting[me >> 6] |= mine;
    if (t->warp[me / GA_HC_WARP].asked != 0) ga_hc_warp_settle(t, me / GA_HC_WARP, 0);
    ga_hc_wait(t);
  }
}

GA_HC_PLAIN void ga_hc_named_settle(ga_hc_team *t)
{
  for (unsigned int i = 0; i < GA_HC_NAMED; i++)
    if (t->named[i].count == 0 && is_full(t, &t->named[i])) release(t, &t->named[i]);
}

GA_HC_PLAIN void ga_hc_named_stuck(ga_hc_team *t)
{
  for (unsigned int i = 0; i < GA_HC_NAMED; i++) {
    const ga_hc_named *b = &t->named[i];
    for (unsigned int k = 0; k < t->nthread; k++) {
      char what[160];
      if ((b->waiting[k >> 6] >> (k & 63) & 1) == 0) continue;
      snprintf(what, sizeof what,
               "diverged barrier: %u of %u threads are at barrier %u, and no other can run",
               b->arrived, b->count != 0 ? b->count : t->live, i);
      ga_hc_end_at(t, k, b->place, what);
    }
  }
}
