/* SPDX-License-Identifier: MIT */
/* A team: what one core needs to run blocks, one after the other. The threads of
 * a block are fibers. A thread that meets a barrier, or a warp operation whose
 * other lanes are not there yet, switches straight to the next thread that can
 * run; there is no scheduler between them. A thread's stack is taken when it
 * first runs and given back when it ends, so a kernel that never waits uses one
 * stack for all of its threads. */
#ifndef GA_CPU_HOSTCUDA_TEAM_H
#define GA_CPU_HOSTCUDA_TEAM_H

#include <stdint.h>

#include "hostcuda.h"
#include "hostcuda_fiber.h"

enum {
  GA_HC_NAMED = 16,
  GA_HC_WORDS = GA_HC_MAX_THREADS / 64,
  GA_HC_WARPS = GA_HC_MAX_THREADS / GA_HC_WARP
};

/* Lanes that meet in one operation. A lane is in one at a time, so a warp never
 * has more of them than lanes. */
typedef struct ga_hc_meeting {
  uint32_t mask, arrived, unread; /* unread: those who have not taken the result */
  int kind, done;
  unsigned int place;
  uint64_t result;
  uint64_t value[GA_HC_WARP];
} ga_hc_meeting;

typedef struct ga_hc_warp_state {
  uint32_t live;  /* lanes that have not ended */
  uint32_t used;  /* meetings in use */
  uint32_t asked; /* those of kind GA_HC_ACTIVE that are not done */
  uint32_t epoch; /* meetings done so far */
  ga_hc_meeting meeting[GA_HC_WARP];
} ga_hc_warp_state;

/* A barrier that PTX counts itself (hostcuda_named.c). */
typedef struct ga_hc_named {
  unsigned int arrived, count; /* count: that it waits for; 0: all that have not ended */
  unsigned int place;          /* of one who waits */
  uint64_t waiting[GA_HC_WORDS];
} ga_hc_named;

struct ga_hc_shadow;

/* Stacks of one size. */
typedef struct ga_hc_stacks {
  void *mapping;
  size_t mapping_size;
  char *base;           /* of the first */
  unsigned int n, safe; /* safe: of them with a guard */
  int split;            /* their guards are mappings of their own */
} ga_hc_stacks;

/* What a team that spins saw when it looked last (hostcuda_watch.c). */
typedef struct ga_hc_watch {
  uint64_t state;     /* 0: it has not looked */
  uint64_t met;       /* barriers and waits so far */
  unsigned int round; /* the last that it was found stalled in, */
  int found;          /* if it was */
} ga_hc_watch;

typedef struct ga_hc_team {
  ga_hc_block block; /* what kernels read */
  ga_hc_run *run;
  unsigned int nthread;
  unsigned int current; /* the thread that runs */
  int checked;          /* its kernel is */
  int flat;             /* the block has one dimension */
  unsigned int live;    /* threads that have not ended */
  unsigned int arrived; /* of them at the barrier */
  unsigned int ended;   /* threads that ran off the kernel's end */
  unsigned int ended_thread;
  unsigned int epoch; /* barriers done so far */
  struct {
    int kind, value, result;
    unsigned int place, first;
  } barrier;
  uint64_t ready[GA_HC_WORDS];   /* threads that can run, those not begun among them */
  uint64_t waiting[GA_HC_WORDS]; /* threads at the barrier */
  uint64_t early[GA_HC_WORDS];   /* threads that are returning early */
  ga_hc_named named[GA_HC_NAMED];
  int names; /* some of them are used */
  ga_fiber home;
  ga_fiber fiber[GA_HC_MAX_THREADS];
  int stack_of[GA_HC_MAX_THREADS]; /* -1: not begun, or ended */
  int free_stacks[GA_HC_MAX_THREADS];
  unsigned int nfree, nstack; /* nstack: stacks there are */
  char *stacks;
  size_t stack; /* bytes of each */
  ga_hc_stacks small, large;
  void *dynamic; /* room for dynamic shared memory */
  size_t dynamic_size;
  ga_hc_warp_state warp[GA_HC_WARPS];
  struct ga_hc_shadow *shadow; /* of checked kernels */
  unsigned int spins, begun;   /* rounds of loops that may wait; those that began and only wait */
  ga_hc_watch watch;
  int loose; /* its barriers may be those of loops that wait */
  struct {   /* what the processor refused: hostcuda_trap.c */
    int signal, writes, addressed, overflow;
    uintptr_t at, pc;
  } trap;
  struct ga_hc_team *next;
} ga_hc_team;

/* A team for this run, from those kept; NULL: no memory. */
ga_hc_team *ga_hc_team_take(ga_hc_run *run);
void ga_hc_team_give(ga_hc_team *t);

/* Takes over what the run says of its blocks. */
void ga_hc_team_ready(ga_hc_team *t);

/* Runs block number i. 0 when it faulted: the run has the error. */
int ga_hc_team_block(ga_hc_team *t, size_t i);

/* Code that switches stacks is not followed by the sanitizers. */
#define GA_HC_PLAIN __attribute__((no_sanitize_address, no_sanitize_thread))

/* ---- between the team's files ------------------------------------------------ */

/* The thread whose stack begins at `base`. */
static inline ga_hc_thread *ga_hc_thread_at(uintptr_t base, size_t stack)
{
  return (ga_hc_thread *)(base + stack - GA_HC_STAGGER(base, stack));
}

/* The thread that calls; it runs on a stack of the team's. */
static inline ga_hc_thread *ga_hc_self(const ga_hc_team *t)
{
  return ga_hc_thread_at((uintptr_t)__builtin_frame_address(0) & ~(t->stack - 1), t->stack);
}

/* The team whose block the calling core's thread runs. A barrier reads it and
 * `current` rather than its own ga_hc_thread: what it does next then depends on
 * nothing that lies on the stack just switched to. */
extern _Thread_local ga_hc_team *ga_hc_current_team __attribute__((tls_model("initial-exec")));

/* The current thread's bit is not in `ready`: runs others until it is again. */
void ga_hc_wait(ga_hc_team *t);

/* A block begins or ends. */
void ga_hc_watch_clear(ga_hc_team *t);
/* Now and then in a loop that may wait: ends the block when its run has failed,
 * the run when it can only wait. `place`: in the module's list, or a line of `file`. */
void ga_hc_watch_look(ga_hc_team *t, int how, const char *file, unsigned int place);

/* Records an error of thread `index`, or GA_HC_NOBODY; the first of a run is kept. */
void ga_hc_report(ga_hc_team *t, unsigned int index, const char *where, const char *what);

/* Leaves the block for good. */
_Noreturn void ga_hc_abandon(ga_hc_team *t);
/* Ends the block: thread `index` at `place` against what `what` says. */
_Noreturn void ga_hc_end_at(ga_hc_team *t, unsigned int index, unsigned int place,
                            const char *what);

/* A lane ended or waits: answers those who ask for the active lanes, and in the
 * first case completes what waited for it. */
void ga_hc_warp_settle(ga_hc_team *t, unsigned int warp, int ended);

/* Arrives at barrier `id`, and waits there. */
void ga_hc_named_meet(unsigned int id, unsigned int count, int waits, unsigned int place);
/* A thread ended: lets those go on that wait for all others. */
void ga_hc_named_settle(ga_hc_team *t);
/* Nobody can run: fails where somebody waits at one of them. */
void ga_hc_named_stuck(ga_hc_team *t);

/* The static shared memory of the calling core's thread. */
void ga_hc_static_shared(const ga_module *m, uintptr_t *low, uintptr_t *high);
/* An enum ga_hc_space. */
int ga_hc_space(const void *p);

unsigned long long ga_hc_warp_op(int kind, unsigned int mask, unsigned long long value,
                                 unsigned int arg, unsigned int place);

#endif
