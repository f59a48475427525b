/* SPDX-License-Identifier: MIT */
/* An update of a graph, worked out beside it: what graph_update.c asks for and
 * graph_change.c does. */
#ifndef GA_GRAPH_UPDATE_H
#define GA_GRAPH_UPDATE_H

#include "lib/graph.h"

typedef struct ga_update {
  const char *op;
  gpugraph *g;
  char **first;    /* [held] where its first element goes; NULL: it stays */
  gpudata **b;     /* [held] in which buffer */
  ga_value *given; /* [named] the value of a number, where `set` */
  char *set;       /* [named] */
  void **args;     /* [nodes] the new arguments; NULL: as they are */
} ga_update;

int ga_update_init(ga_update *u, const char *op, gpugraph *g);
void ga_update_clear(ga_update *u);

/* Checks the new addresses, gives the device the new arguments of the nodes they
 * touch, and writes them into the graph; on error nothing has changed. */
int ga_update_apply(ga_update *u);

#endif
