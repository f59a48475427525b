/* SPDX-License-Identifier: MIT */
/* What is known of a block's shared memory while a checked kernel runs: for each
 * byte who wrote it last and who read it last, and when. */
#ifndef GA_CPU_HOSTCUDA_SHADOW_H
#define GA_CPU_HOSTCUDA_SHADOW_H

#include "hostcuda_team.h"

/* A thread's touch of a byte. `when` counts barriers over all blocks of the
 * team; `warp_when` the meetings of the thread's warp. */
typedef struct ga_hc_touch {
  uint32_t when, warp_when;
  uint16_t thread;
  uint8_t atomic;
  uintptr_t pc;
} ga_hc_touch;

typedef struct ga_hc_cell {
  ga_hc_touch write, read, other; /* other: an earlier reader, of another warp */
} ga_hc_cell;

typedef struct ga_hc_shadow {
  uintptr_t static_low, static_high; /* the static shared memory of this core */
  ga_hc_cell *cells;                 /* of the static bytes, then of the dynamic ones */
  size_t ncell, room;
  uint32_t now0;       /* `when` of the block's beginning */
  uintptr_t low, high; /* the buffer touched last */
  /* The first read, since the last barrier, of a byte nobody had written. If
   * another thread writes it before the next barrier, it was a race. */
  struct {
    int there;
    size_t cell;
    unsigned int thread;
    uintptr_t pc;
  } unwritten;
  /* A write where another thread wrote before, no barrier between: a race only
   * if it changes the value, which is seen at the next access. */
  struct {
    int there;
    unsigned char *p, old[16];
    unsigned int size, thread;
    uintptr_t pc;
    ga_hc_touch first;
  } pending;
} ga_hc_shadow;

/* Looks at an access of shared memory whose first cell is `cell`. */
void ga_hc_shadow_access(ga_hc_team *t, size_t cell, void *p, unsigned long size, int how,
                         uintptr_t pc);
/* Settles the pending write. */
void ga_hc_shadow_settle(ga_hc_team *t);
/* At a barrier and at a block's end: settles both. */
void ga_hc_shadow_barrier(ga_hc_team *t);

/* hostcuda_check.c: ends the launch, with the line that `pc` belongs to. */
_Noreturn void ga_hc_check_fail(ga_hc_team *t, unsigned int thread, uintptr_t pc, const char *what);
/* "file:line" of a code address. */
void ga_hc_check_line(char *text, size_t size, const ga_hc_team *t, uintptr_t pc);

#endif
