/* SPDX-License-Identifier: MIT */
/* Operations over the lanes of a warp. The lanes that a mask names meet: each
 * leaves its value and waits until all that have not ended are there, then each
 * takes its result. Lanes meet when mask and operation agree, wherever they stand (as
 * PTX has it for shfl.sync and its like); those that ask who is active, at one place.
 * So a warp that has split may have several meetings at once. A meeting is used again when all
 * have taken their result. */
#include <stdio.h>
#include <string.h>

#include "hostcuda_team.h"

enum { LANES = GA_HC_WARP };

static int32_t low(uint64_t v) { return (int32_t)(uint32_t)v; }

/* What all lanes get alike, from all values. */
static uint64_t combine(const ga_hc_meeting *m)
{
  uint64_t r = 0;
  int first = 1;
  for (unsigned int i = 0; i < LANES; i++) {
    uint64_t v = m->value[i];
    if (!(m->arrived >> i & 1)) continue;
    if (m->kind == GA_HC_BALLOT) {
      r |= (uint64_t)(v != 0) << i;
    } else if (first) {
      r = v;
    } else {
      switch (m->kind) {
      case GA_HC_ADD: r = (uint32_t)r + (uint32_t)v; break;
      case GA_HC_MIN: r = low(v) < low(r) ? v : r; break;
      case GA_HC_MAX: r = low(v) > low(r) ? v : r; break;
      case GA_HC_UMIN: r = v < r ? v : r; break;
      case GA_HC_UMAX: r = v > r ? v : r; break;
      case GA_HC_AND: r &= v; break;
      case GA_HC_OR: r |= v; break;
      case GA_HC_XOR: r ^= v; break;
      default: break;
      }
    }
    first = 0;
  }
  return r;
}

static uint64_t match(const ga_hc_meeting *m, unsigned int lane)
{
  uint32_t same = 0;
  for (unsigned int i = 0; i < LANES; i++)
    same |= (uint32_t)((m->arrived >> i & 1) != 0 && m->value[i] == m->value[lane]) << i;
  return m->kind == GA_HC_MATCH_ANY ? same : same == m->arrived ? same : 0;
}

/* What lane `lane` gets. */
static inline uint64_t take(ga_hc_meeting *m, unsigned int lane, unsigned int arg)
{
  switch (m->kind) {
  case GA_HC_SHFL: return (m->arrived >> (arg & 31) & 1) != 0 ? m->value[arg & 31] : 0;
  case GA_HC_MATCH_ANY:
  case GA_HC_MATCH_ALL: return match(m, lane);
  case GA_HC_GATHER: return (uintptr_t)m->value;
  case GA_HC_WARP_SYNC: return 0;
  default: return m->result;
  }
}

/* Some lanes, which a product of matrices is of, have ended or never were. */
static GA_HC_PLAIN _Noreturn void absent(ga_hc_team *t, unsigned int warp, const ga_hc_meeting *m)
{
  char what[128];
  snprintf(what, sizeof what, "diverged warp operation: all lanes must be there, and 0x%08x are",
           (unsigned int)m->arrived);
  ga_hc_end_at(t, warp * LANES + (unsigned int)__builtin_ctz(m->arrived), m->place, what);
}

/* All are there: the lanes can run. */
static inline void finish(ga_hc_team *t, unsigned int warp, ga_hc_meeting *m)
{
  m->done = 1;
  m->unread = m->arrived;
  if (m->kind == GA_HC_ACTIVE)
    m->result = m->arrived;
  else if (m->kind == GA_HC_GATHER && m->arrived != 0xffffffffu)
    absent(t, warp, m);
  else if (m->kind == GA_HC_BALLOT || m->kind >= GA_HC_ADD)
    m->result = combine(m);
  t->warp[warp].epoch++;
  t->ready[warp >> 1] |= (uint64_t)m->arrived << (warp & 1) * LANES;
}

void ga_hc_warp_settle(ga_hc_team *t, unsigned int warp, int ended)
{
  ga_hc_warp_state *w = &t->warp[warp];
  if (ended)
    for (uint32_t u = w->used; u != 0; u &= u - 1) {
      ga_hc_meeting *m = &w->meeting[__builtin_ctz(u)];
      if (m->done || m->kind == GA_HC_ACTIVE) continue;
      if (m->arrived == (m->mask & w->live)) finish(t, warp, m);
    }
  if (w->asked == 0 || (uint32_t)(t->ready[warp >> 1] >> (warp & 1) * LANES) != 0) return;
  for (uint32_t u = w->asked; u != 0; u &= u - 1) finish(t, warp, &w->meeting[__builtin_ctz(u)]);
  w->asked = 0;
}

/* The meeting that this lane joins: a new one when it is the first. */
static inline ga_hc_meeting *join(ga_hc_warp_state *w, int kind, uint32_t mask, unsigned int place)
{
  ga_hc_meeting *m;
  for (uint32_t u = w->used; u != 0; u &= u - 1) {
    m = &w->meeting[__builtin_ctz(u)];
    if (!m->done && m->mask == mask && m->kind == kind &&
        (m->place == place || kind != GA_HC_ACTIVE))
      return m;
  }
  unsigned int i = (unsigned int)__builtin_ctz(~w->used);
  m = &w->meeting[i];
  w->used |= (uint32_t)1 << i;
  if (kind == GA_HC_ACTIVE) w->asked |= (uint32_t)1 << i;
  m->mask = mask;
  m->place = place;
  m->kind = kind;
  m->arrived = 0;
  m->done = 0;
  return m;
}

static GA_HC_PLAIN _Noreturn void not_named(ga_hc_team *t, unsigned int me, unsigned int mask,
                                            unsigned int place)
{
  char where[128], what[128];
  ga_hc_place_text(where, sizeof where, t->run->f->m->table, place);
  snprintf(what, sizeof what, "warp operation by lane %u, which its mask 0x%08x does not name",
           me % LANES, mask);
  ga_hc_report(t, me, where, what);
  ga_hc_abandon(t);
}

GA_HC_PLAIN unsigned long long ga_hc_warp_op(int kind, unsigned int mask, unsigned long long value,
                                             unsigned int arg, unsigned int place)
{
  ga_hc_team *t = ga_hc_current_team;
  const unsigned int me = t->current, lane = me % LANES, warp = me / LANES;
  ga_hc_warp_state *w = &t->warp[warp];
  const uint32_t mine = (uint32_t)1 << lane;
  if (kind == GA_HC_ACTIVE)
    mask = 0;
  else if (__builtin_expect(!(mask & mine), 0))
    not_named(t, me, mask, place);
  ga_hc_meeting *m = join(w, kind, mask, place);
  m->value[lane] = value;
  m->arrived |= mine;
  if (kind != GA_HC_ACTIVE && m->arrived == (mask & w->live)) {
    finish(t, warp, m);
  } else {
    t->ready[me >> 6] &= ~((uint64_t)1 << (me & 63));
    if (w->asked != 0) ga_hc_warp_settle(t, warp, 0);
    ga_hc_wait(t);
  }
  uint64_t result = take(m, lane, arg);
  m->unread &= ~mine;
  if (m->unread == 0) w->used &= ~((uint32_t)1 << (m - w->meeting));
  return result;
}
