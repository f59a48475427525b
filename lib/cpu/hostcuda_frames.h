/* SPDX-License-Identifier: MIT */
/* What stacks a module's threads need. */
#ifndef GA_CPU_HOSTCUDA_FRAMES_H
#define GA_CPU_HOSTCUDA_FRAMES_H

#include "hostcuda_text.h"

typedef struct ga_hc_frames {
  size_t largest; /* bytes of the largest frame */
  char name[128]; /* whose: a function, or a kernel */
  int deep;       /* the stacks have to be large */
} ga_hc_frames;

/* Reads what the compiler says of frames; NULL: it says nothing. `recurs`:
 * ga_hc_may_recur() of the text. */
void ga_hc_frames_read(ga_hc_frames *f, const char *usage, int recurs);

/* May a function of the text call itself, as far as names tell? */
int ga_hc_may_recur(const ga_hc_text *t);

#endif
