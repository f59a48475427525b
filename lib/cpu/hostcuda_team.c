/* SPDX-License-Identifier: MIT */
/* One block: its threads, and the barrier.
 *
 * `ready` holds a bit for each thread that can run. A thread that cannot clears
 * its bit and switches to the next one set after it, so threads run in turn and
 * neighbours follow each other. The last to arrive at a barrier sets all bits
 * and runs on.
 *
 * A barrier is met by all threads that have not ended, and at one place: threads
 * that wait at another one, or that ran off the kernel's end, have diverged, and
 * the launch fails. A thread that returned early, by `return`, is not waited for
 * (as CUDA's documentation has it). Where no thread can run, those that wait
 * wait for each other: that is an error too, so a launch ends in any case. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostcuda_check.h"
#include "hostcuda_team.h"
#include "hostcuda_track.h"

_Thread_local ga_hc_team *ga_hc_current_team __attribute__((tls_model("initial-exec")));

static inline uint64_t bit(unsigned int i) { return (uint64_t)1 << (i & 63); }

/* ---- errors ---------------------------------------------------------------- */

void ga_hc_place_text(char *text, size_t size, const ga_hc_module *table, unsigned int place)
{
  const ga_hc_place *p = &table->places[place];
  snprintf(text, size, "%s:%u", table->files[p->file], p->line);
}

static GA_HC_PLAIN void thread_text(char *text, size_t size, const ga_hc_team *t, unsigned int i)
{
  const ga_hc_dim *b = &t->block.bdim;
  snprintf(text, size, "thread (%u, %u, %u)", i % b->x, i / b->x % b->y, i / b->x / b->y);
}

GA_HC_PLAIN void ga_hc_report(ga_hc_team *t, unsigned int index, const char *where,
                              const char *what)
{
  ga_hc_run *run = t->run;
  int none = 0;
  if (!atomic_compare_exchange_strong(&run->failed, &none, 1)) return;
  const ga_hc_dim *g = &t->block.bid;
  char who[96] = "";
  if (index != GA_HC_NOBODY) thread_text(who, sizeof who, t, index);
  snprintf(run->message, sizeof run->message, "kernel %s: %s%s%s: block (%u, %u, %u)%s%s",
           run->f->k->name, where, *where != '\0' ? ": " : "", what, g->x, g->y, g->z,
           *who != '\0' ? ", " : "", who);
  run->code = GA_IMPL_ERROR;
  atomic_store(&run->failed, 2);
}

GA_HC_PLAIN _Noreturn void ga_hc_abandon(ga_hc_team *t)
{
  ga_fiber lost;
  ga_fiber_switch(&lost, &t->home);
  __builtin_unreachable();
}

GA_HC_PLAIN _Noreturn void ga_hc_end_at(ga_hc_team *t, unsigned int index, unsigned int place,
                                        const char *what)
{
  char where[128];
  ga_hc_place_text(where, sizeof where, t->run->f->m->table, place);
  ga_hc_report(t, index, where, what);
  ga_hc_abandon(t);
}

/* The thread that faults: a loop over threads counts them only where the kernel
 * asks for indices outside of itself. */
static unsigned int fault_index(const ga_hc_team *t)
{
  return t->run->f->k->block != NULL ? ga_hc_self(t)->index : t->current;
}

/* Of a kernel that is a loop over its threads. */
#define UNKNOWN "it is reached by a pointer to a function, which the kernel does not name"

/* Nobody can run. Tells it at one who waits at the barrier, or in a warp. */
static GA_HC_PLAIN _Noreturn void stuck(ga_hc_team *t)
{
  char what[512], other[96];
  const int alone = t->run->f->k->block != NULL;
  if (t->names && !alone) ga_hc_named_stuck(t);
  for (unsigned int w = 0; w < GA_HC_WARPS; w++) {
    const ga_hc_warp_state *ws = &t->warp[w];
    for (unsigned int i = 0; i < GA_HC_WARP; i++) {
      const ga_hc_meeting *m = &ws->meeting[i];
      if (!(ws->used >> i & 1) || m->done) continue;
      unsigned int lane = (unsigned int)__builtin_ctz(m->arrived);
      uint32_t missing = m->mask & ws->live & ~m->arrived;
      thread_text(other, sizeof other, t,
                  w * GA_HC_WARP + (unsigned int)(missing ? __builtin_ctz(missing) : 0));
      if (alone) ga_hc_end_at(t, fault_index(t), m->place, UNKNOWN);
      snprintf(what, sizeof what,
               "diverged warp operation: lanes 0x%08x are named, 0x%08x are here, and %s waits "
               "elsewhere",
               (unsigned int)m->mask, (unsigned int)m->arrived, other);
      ga_hc_end_at(t, w * GA_HC_WARP + lane, m->place, what);
    }
  }
  if (alone) ga_hc_end_at(t, fault_index(t), t->barrier.place, UNKNOWN);
  ga_hc_end_at(t, t->barrier.first, t->barrier.place,
               "diverged barrier: it waits for threads that cannot run");
}

/* ---- switching --------------------------------------------------------------- */

static _Noreturn void thread_main(void);

/* The thread on stack s. */
static ga_hc_thread *thread_on(const ga_hc_team *t, int s)
{
  return ga_hc_thread_at((uintptr_t)t->stacks + (size_t)s * t->stack, t->stack);
}

static inline void set_thread(ga_hc_thread *self, ga_hc_team *t, unsigned int i)
{
  const ga_hc_dim *b = &t->block.bdim;
  self->index = i;
  self->block = &t->block;
  if (t->flat) {
    self->tid = (ga_hc_dim){i, 0, 0};
  } else {
    self->tid.x = i % b->x;
    self->tid.y = i / b->x % b->y;
    self->tid.z = i / b->x / b->y;
  }
}

/* Gives thread i a stack on which it will begin. */
static GA_HC_PLAIN __attribute__((noinline)) void begin(ga_hc_team *t, unsigned int i)
{
  int s = t->free_stacks[--t->nfree];
  ga_hc_thread *self = thread_on(t, s);
  set_thread(self, t, i);
  t->stack_of[i] = s;
  ga_fiber_init(&t->fiber[i], (void *)((uintptr_t)self & ~(uintptr_t)15), thread_main);
}

/* The next thread that can run, from i on and around; -1: none. */
static inline int next_ready(const ga_hc_team *t, unsigned int i)
{
  unsigned int w = i >> 6, words = (t->nthread + 63) / 64;
  uint64_t m = t->ready[w] & ~(bit(i) - 1);
  if (m != 0) return (int)(w * 64 + (unsigned int)__builtin_ctzll(m));
  for (unsigned int n = 0; n < words; n++) {
    w = w + 1 == words ? 0 : w + 1;
    if (t->ready[w] != 0) return (int)(w * 64 + (unsigned int)__builtin_ctzll(t->ready[w]));
  }
  return -1;
}

/* Goes to thread i, and comes back when another goes to `me`. */
static inline GA_HC_PLAIN __attribute__((always_inline)) void go(ga_hc_team *t, unsigned int me,
                                                                 unsigned int i)
{
  if (__builtin_expect(t->stack_of[i] < 0, 0)) begin(t, i);
  t->current = i;
  ga_fiber_switch(&t->fiber[me], &t->fiber[i]);
}

/* The neighbour is tried first, by a test that is foreseen, not computed with. */
static inline GA_HC_PLAIN __attribute__((always_inline)) void wait_inline(ga_hc_team *t,
                                                                          unsigned int me)
{
  unsigned int i = me + 1;
  if (__builtin_expect(i >= t->nthread || !(t->ready[i >> 6] & bit(i)), 0)) {
    int next = next_ready(t, me);
    if (__builtin_expect(next < 0, 0)) stuck(t);
    if ((unsigned int)next == me) return;
    i = (unsigned int)next;
  }
  go(t, me, i);
}

GA_HC_PLAIN void ga_hc_wait(ga_hc_team *t) { wait_inline(t, t->current); }

/* ---- the barrier --------------------------------------------------------------- */

static GA_HC_PLAIN void ended_early(ga_hc_team *t)
{
  char what[256], who[96];
  thread_text(who, sizeof who, t, t->ended_thread);
  snprintf(what, sizeof what, "diverged barrier: %s came to the kernel's end without it", who);
  ga_hc_end_at(t, t->barrier.first, t->barrier.place, what);
}

/* All have arrived. */
static inline GA_HC_PLAIN __attribute__((always_inline)) void release(ga_hc_team *t)
{
  if (__builtin_expect(t->ended != 0, 0)) ended_early(t);
  if (__builtin_expect(t->checked, 0)) ga_hc_check_barrier(t);
  for (unsigned int w = 0; w < (t->nthread + 63) / 64; w++) {
    t->ready[w] |= t->waiting[w];
    t->waiting[w] = 0;
  }
  t->barrier.result = t->barrier.value;
  t->arrived = 0;
  t->epoch++;
}

static GA_HC_PLAIN __attribute__((noinline, cold)) void mismatch(ga_hc_team *t, unsigned int me,
                                                                 unsigned int place)
{
  char what[320], who[96], where[128];
  thread_text(who, sizeof who, t, t->barrier.first);
  ga_hc_place_text(where, sizeof where, t->run->f->m->table, t->barrier.place);
  snprintf(what, sizeof what, "diverged barrier: %s waits at another one, of %s", who, where);
  ga_hc_end_at(t, me, place, what);
}

static inline GA_HC_PLAIN __attribute__((always_inline)) void
arrive(ga_hc_team *t, unsigned int me, int kind, int predicate, unsigned int place)
{
  if (t->arrived++ == 0) {
    t->barrier.kind = kind;
    t->barrier.place = place;
    t->barrier.first = me;
    t->barrier.value = kind == GA_HC_SYNC_AND;
  } else if (__builtin_expect(t->barrier.place != place || t->barrier.kind != kind, 0)) {
    mismatch(t, me, place);
  }
  if (__builtin_expect(kind == GA_HC_SYNC, 1)) return;
  if (kind == GA_HC_SYNC_COUNT) t->barrier.value += predicate != 0;
  if (kind == GA_HC_SYNC_AND) t->barrier.value &= predicate != 0;
  if (kind == GA_HC_SYNC_OR) t->barrier.value |= predicate != 0;
}

static GA_HC_PLAIN int sync_block(int kind, int predicate, unsigned int place)
{
  ga_hc_team *t = ga_hc_current_team;
  const unsigned int me = t->current;
  arrive(t, me, kind, predicate, place);
  if (t->arrived == t->live) {
    release(t);
  } else {
    t->ready[me >> 6] &= ~bit(me);
    t->waiting[me >> 6] |= bit(me);
    if (__builtin_expect(t->warp[me / GA_HC_WARP].asked != 0, 0))
      ga_hc_warp_settle(t, me / GA_HC_WARP, 0);
    wait_inline(t, me);
  }
  return t->barrier.result;
}

static GA_HC_PLAIN void left(void)
{
  ga_hc_team *t = ga_hc_current_team;
  t->early[t->current >> 6] |= bit(t->current);
}

static GA_HC_PLAIN void pause_thread(void)
{
  ga_hc_team *t = ga_hc_current_team;
  const unsigned int me = t->current;
  if (t->run->f->k->block != NULL) return; /* nobody else is on the way */
  int i = next_ready(t, me + 1 == t->nthread ? 0 : me + 1);
  if (i >= 0 && (unsigned int)i != me) go(t, me, (unsigned int)i);
}

static GA_HC_PLAIN void spin(int how, unsigned int place)
{
  ga_hc_team *t = ga_hc_current_team;
  if (how == GA_HC_SPIN_BEGINS) {
    t->begun++;
    return;
  }
  t->loose |= how;
  if (++t->spins % 1024 == 0) ga_hc_watch_look(t, how, NULL, place);
  pause_thread();
}

static GA_HC_PLAIN void spin_at(const char *file, unsigned int line)
{
  ga_hc_team *t = ga_hc_current_team;
  if (++t->spins % 1024 == 0) ga_hc_watch_look(t, 0, file, line);
  pause_thread();
}

/* For the debugger as good as a barrier of the block: it may miss a race, and reports
 * none that is not there. */
static GA_HC_PLAIN void met(void)
{
  ga_hc_team *t = ga_hc_current_team;
  if (t->checked) ga_hc_check_barrier(t);
  t->epoch++;
}

static GA_HC_PLAIN unsigned long long grid_barrier(unsigned long long ticket)
{
  ga_hc_run *run = ga_hc_current_team->run;
  if (ticket != 0) return atomic_load(&run->grid_arrived) >= ticket;
  return (atomic_fetch_add(&run->grid_arrived, 1) / run->nblock + 1) * run->nblock;
}

static GA_HC_PLAIN void fault(int kind, const char *text, const char *file, unsigned int line)
{
  static const char *const words[] = {[GA_HC_ASSERT] = "assertion failed: ",
                                      [GA_HC_TRAP] = "__trap()",
                                      [GA_HC_DIVISION] = "integer division by zero",
                                      [GA_HC_INDEX] = "index outside its array",
                                      [GA_HC_ALIGNMENT] = "misaligned: not at a multiple of ",
                                      [GA_HC_OVERFLOW] = "local memory is used up",
                                      [GA_HC_ENDED] = "ended: "};
  ga_hc_team *t = ga_hc_current_team;
  char where[160], what[400];
  snprintf(where, sizeof where, "%s:%u", file != NULL ? file : "?", line);
  snprintf(what, sizeof what, "%s%s", words[kind], text != NULL ? text : "");
  ga_hc_report(t, fault_index(t), line != 0 ? where : "", what);
  ga_hc_abandon(t);
}

const ga_hc_rt ga_hc_runtime = {
    .sync = sync_block,
    .warp = ga_hc_warp_op,
    .left = left,
    .pause = pause_thread,
    .spin = spin,
    .fault = fault,
    .access = ga_hc_check_access,
    .space = ga_hc_space,
    .spin_at = spin_at,
    .allocate = ga_hc_allocate,
    .release = ga_hc_release,
    .met = met,
    .grid = grid_barrier,
    .named = ga_hc_named_meet,
    .math = &ga_hc_math_table,
};

/* ---- a block ----------------------------------------------------------------------- */

/* Thread `me` is done; what waited for it goes on. */
static GA_HC_PLAIN void end_thread(ga_hc_team *t, unsigned int me)
{
  t->ready[me >> 6] &= ~bit(me);
  t->live--;
  if (!(t->early[me >> 6] & bit(me))) {
    t->ended_thread = me;
    t->ended++;
  }
  t->warp[me / GA_HC_WARP].live &= ~((uint32_t)1 << me % GA_HC_WARP);
  if (t->warp[me / GA_HC_WARP].used != 0) ga_hc_warp_settle(t, me / GA_HC_WARP, 1);
  if (t->arrived != 0 && t->arrived == t->live) release(t);
  if (t->names) ga_hc_named_settle(t);
}

/* Runs threads that have not begun, on one stack, as long as each runs through;
 * then goes to one that waited, or home. */
static GA_HC_PLAIN _Noreturn void thread_main(void)
{
  ga_hc_team *t = ga_hc_current_team;
  ga_hc_thread *self = ga_hc_self(t);
  int stack = t->stack_of[self->index], next = 0;
  for (;;) {
    t->run->f->k->thread(self, t->run->args);
    if (__builtin_expect(t->checked, 0)) ga_hc_check_end(t);
    end_thread(t, self->index);
    t->stack_of[self->index] = -1;
    if (t->live == 0) break;
    next = next_ready(t, self->index);
    if (next < 0) stuck(t);
    if (t->stack_of[next] >= 0) break;
    set_thread(self, t, (unsigned int)next);
    t->stack_of[next] = stack;
    t->current = (unsigned int)next;
  }
  t->free_stacks[t->nfree++] = stack;
  t->current = (unsigned int)next;
  ga_fiber lost;
  ga_fiber_switch(&lost, t->live == 0 ? &t->home : &t->fiber[next]);
  __builtin_unreachable();
}

/* A kernel without barriers: its own loop over the threads. */
static GA_HC_PLAIN _Noreturn void block_main(void)
{
  ga_hc_team *t = ga_hc_current_team;
  ga_hc_thread *self = ga_hc_self(t);
  t->run->f->k->block(self, t->run->args);
  t->live = 0;
  ga_hc_abandon(t);
}

static void reset(ga_hc_team *t)
{
  const unsigned int n = t->nthread;
  t->live = n;
  t->arrived = t->ended = t->epoch = 0;
  t->loose = 0;
  if (t->names) memset(t->named, 0, sizeof t->named);
  t->names = 0;
  for (unsigned int w = 0; w * 64 < n; w++) {
    t->ready[w] = n - w * 64 >= 64 ? ~(uint64_t)0 : bit(n) - 1;
    t->waiting[w] = t->early[w] = 0;
  }
  for (unsigned int w = 0; w * GA_HC_WARP < n; w++) {
    unsigned int lanes = n - w * GA_HC_WARP;
    t->warp[w].live = lanes >= GA_HC_WARP ? 0xffffffffu : ((uint32_t)1 << lanes) - 1;
    t->warp[w].used = t->warp[w].asked = t->warp[w].epoch = 0;
  }
}

/* After a fault the fibers are gone where they stood. */
static void forget_stacks(ga_hc_team *t)
{
  t->nfree = 0;
  for (unsigned int i = 0; i < GA_HC_MAX_THREADS; i++) t->stack_of[i] = -1;
  for (unsigned int i = t->nstack; i-- > 0;) t->free_stacks[t->nfree++] = (int)i;
}

GA_HC_PLAIN int ga_hc_team_block(ga_hc_team *t, size_t i)
{
  const ga_hc_dim *g = &t->run->grid;
  ga_hc_current_team = t;
  t->current = 0;
  t->block.bid.x = (unsigned int)(i % g->x);
  t->block.bid.y = (unsigned int)(i / g->x % g->y);
  t->block.bid.z = (unsigned int)(i / g->x / g->y);
  if (t->run->f->k->block != NULL) {
    int s = t->free_stacks[t->nfree - 1];
    ga_hc_thread *self = thread_on(t, s);
    t->live = t->nthread;
    set_thread(self, t, 0);
    self->index = GA_HC_NOBODY; /* unless the kernel's loop tells */
    ga_fiber_init(&t->fiber[0], (void *)((uintptr_t)self & ~(uintptr_t)15), block_main);
  } else {
    if (t->checked) ga_hc_check_block(t, t->epoch);
    reset(t);
    begin(t, 0);
  }
  ga_fiber_switch(&t->home, &t->fiber[0]);
  ga_hc_current_team = NULL;
  if (t->watch.state != 0) ga_hc_watch_clear(t);
  if (t->live == 0) return 1;
  forget_stacks(t);
  return 0;
}

/* ---- teams ---------------------------------------------------------------------------- */

void ga_hc_team_ready(ga_hc_team *t)
{
  t->block.bdim = t->run->block;
  t->block.gdim = t->run->grid;
  t->block.dynamic = t->dynamic;
  t->block.dynamic_size = t->run->shared;
  t->nthread = t->run->nthread;
  t->checked = t->run->f->m->table->check != 0;
  t->flat = t->run->block.y == 1 && t->run->block.z == 1;
  forget_stacks(t);
  reset(t);
  if (t->run->f->k->block != NULL) memset(t->ready, 0, sizeof t->ready); /* one stack, no turns */
}
