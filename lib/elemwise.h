/* SPDX-License-Identifier: MIT */
/* What a GpuElemwise is made of. Made once, it changes no more but for its list
 * of plans, so any number of threads may call it.
 *
 *   elemwise.c        made, checked, freed; plans
 *   elemwise_call.c   a call: shapes, overlaps, the launch
 */
#ifndef GA_ELEMWISE_H
#define GA_ELEMWISE_H

#include "gpuarray/array.h"
#include "gpuarray/elemwise.h"
#include "lib/backend.h"

/* What runs for given extents, strides and alignments. */
typedef struct ga_ge_plan {
  struct ga_ge_plan *next;
  int64_t *key; /* ga_ge_key; NULL: of one call */
  size_t nkey;
  ga_layout layout;
  ga_launch launch;
  ga_func *func;
} ga_ge_plan;

struct _GpuElemwise {
  gpucontext *ctx; /* retained */
  char *text, *preamble;
  int flags;
  unsigned int n;
  gpuelemwise_arg *args; /* [n] */
  unsigned int narray, nnumber;
  unsigned int *arrays, *scalars; /* [narray], [nnumber]: numbers of arguments */
  const char **names;             /* [n]: of arrays, then of numbers */
  unsigned char *reads;           /* [narray] */
  ga_splice splice;
  _Atomic(ga_ge_plan *) plans; /* newest first; none is ever removed */
  atomic_uint nplan;
};

/* The most plans that are kept; later ones live for one call. */
#define GA_GE_MAXPLANS 1024

/* A key: the rank, the extents, then for each array its strides and the address
 * of its first element modulo 16. Strides of array i begin at GA_GE_STRIDES. */
#define GA_GE_STRIDES(nd, i) (1 + (nd) + (size_t)(i) * ((nd) + 1))

/* The device type of an argument: sizes are 64-bit integers. */
enum ga_dtype ga_ge_dtype(int typecode);

/* elemwise_names.c: what a name means already in the text; NULL: nothing. */
const char *ga_ge_name_taken(const char *name);

/* elemwise.c: a plan for `key`, kept by `ge` where there is room. A plan without
 * a key is the caller's, for ga_ge_plan_free(). */
int ga_ge_plan_get(ga_ge_plan **plan, GpuElemwise *ge, const int64_t *key, size_t nkey);
void ga_ge_plan_free(ga_ge_plan *plan);

#endif
