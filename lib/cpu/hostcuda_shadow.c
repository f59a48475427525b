/* SPDX-License-Identifier: MIT */
/* Races on shared memory, and reads of what was never written. Two accesses of a
 * byte by different threads are in order when a barrier lies between them, or,
 * inside one warp, a warp operation. Two that are not, one of them a write and not
 * both atomic, race; but a write of the value that is there already harms nobody
 * and is let pass (`done = 1` by many threads). The threads run one after the
 * other, so that a race is found whichever way it would have gone on a GPU. */
#include "hostcuda_shadow.h"

#include <stdio.h>
#include <string.h>

/* Is `touch` of this block, by another thread, and not in order before now? */
static int unordered(const ga_hc_team *t, const ga_hc_touch *touch, unsigned int me)
{
  const ga_hc_shadow *s = t->shadow;
  if (touch->when != s->now0 + t->epoch || touch->thread == me) return 0;
  unsigned int warp = me / GA_HC_WARP;
  return touch->thread / GA_HC_WARP != warp || touch->warp_when == t->warp[warp].epoch;
}

static GA_HC_PLAIN _Noreturn void race(ga_hc_team *t, unsigned int me, uintptr_t pc,
                                       const char *verb, const ga_hc_touch *first,
                                       const char *first_verb)
{
  char what[400], where[160];
  const ga_hc_dim *b = &t->block.bdim;
  unsigned int i = first->thread;
  ga_hc_check_line(where, sizeof where, t, first->pc);
  snprintf(what, sizeof what,
           "race on shared memory: %s what thread (%u, %u, %u) %s at %s, and no barrier is "
           "between",
           verb, i % b->x, i / b->x % b->y, i / b->x / b->y, first_verb, where);
  ga_hc_check_fail(t, me, pc, what);
}

GA_HC_PLAIN void ga_hc_shadow_settle(ga_hc_team *t)
{
  ga_hc_shadow *s = t->shadow;
  if (!s->pending.there) return;
  s->pending.there = 0;
  if (memcmp(s->pending.p, s->pending.old, s->pending.size) != 0)
    race(t, s->pending.thread, s->pending.pc, "writes", &s->pending.first, "wrote");
}

static void note(ga_hc_team *t, ga_hc_touch *touch, unsigned int me, int how, uintptr_t pc)
{
  touch->when = t->shadow->now0 + t->epoch;
  touch->warp_when = t->warp[me / GA_HC_WARP].epoch;
  touch->thread = (uint16_t)me;
  touch->atomic = how >= GA_HC_ATOMIC;
  touch->pc = pc;
}

static int written(const ga_hc_shadow *s, const ga_hc_cell *c)
{
  return c->write.pc != 0 && c->write.when >= s->now0;
}

static GA_HC_PLAIN _Noreturn void never_written(ga_hc_team *t)
{
  ga_hc_check_fail(t, t->shadow->unwritten.thread, t->shadow->unwritten.pc,
                   "reads shared memory that was never written");
}

GA_HC_PLAIN void ga_hc_shadow_barrier(ga_hc_team *t)
{
  ga_hc_shadow *s = t->shadow;
  ga_hc_shadow_settle(t);
  if (!s->unwritten.there) return;
  if (!written(s, &s->cells[s->unwritten.cell])) never_written(t);
  s->unwritten.there = 0;
}

static GA_HC_PLAIN void look_read(ga_hc_team *t, ga_hc_cell *c, unsigned int me, int how,
                                  uintptr_t pc)
{
  ga_hc_shadow *s = t->shadow;
  if (!written(s, c)) {
    if (!s->unwritten.there) {
      s->unwritten.there = 1;
      s->unwritten.cell = (size_t)(c - s->cells);
      s->unwritten.thread = me;
      s->unwritten.pc = pc;
    }
  }
  if (unordered(t, &c->write, me) && !(c->write.atomic && how == GA_HC_ATOMIC))
    race(t, me, pc, "reads", &c->write, "wrote");
  if (how == GA_HC_ATOMIC) return;
  if (c->read.when == t->shadow->now0 + t->epoch && c->read.thread / GA_HC_WARP != me / GA_HC_WARP)
    c->other = c->read;
  note(t, &c->read, me, how, pc);
}

static GA_HC_PLAIN void look_write(ga_hc_team *t, ga_hc_cell *c, unsigned int me, int how,
                                   uintptr_t pc, unsigned char *p, unsigned long size)
{
  ga_hc_shadow *s = t->shadow;
  if (s->unwritten.there && s->unwritten.cell == (size_t)(c - s->cells) &&
      s->unwritten.thread == me)
    never_written(t);
  if (unordered(t, &c->read, me)) race(t, me, pc, "writes", &c->read, "read");
  if (unordered(t, &c->other, me)) race(t, me, pc, "writes", &c->other, "read");
  if (unordered(t, &c->write, me) && !(c->write.atomic && how >= GA_HC_ATOMIC) &&
      !s->pending.there && size <= sizeof s->pending.old) {
    s->pending.there = 1;
    s->pending.p = p;
    s->pending.size = (unsigned int)size;
    s->pending.thread = me;
    s->pending.pc = pc;
    s->pending.first = c->write;
    memcpy(s->pending.old, p, size);
  }
  note(t, &c->write, me, how, pc);
}

GA_HC_PLAIN void ga_hc_shadow_access(ga_hc_team *t, size_t cell, void *p, unsigned long size,
                                     int how, uintptr_t pc)
{
  ga_hc_shadow *s = t->shadow;
  for (unsigned long i = 0; i < size && cell + i < s->ncell; i++) {
    ga_hc_cell *c = &s->cells[cell + i];
    if (how == GA_HC_READ || how == GA_HC_ATOMIC) look_read(t, c, t->current, how, pc);
    if (how != GA_HC_READ) look_write(t, c, t->current, how, pc, p, size);
  }
}
