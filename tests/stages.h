/* SPDX-License-Identifier: MIT */
/* Stages built by hand, for the tests of the generator: a box with room for the
 * lists of one stage, and a function for each thing that goes in.
 *
 *   stage_box b;
 *   box_init(&b, 2, (size_t[]){3, 5}, "kr");         rows of 5 are reduced
 *   int a = box_operand(&b, GA_DT_FLOAT32, (ssize_t[]){20, 4}, BOX_IN);
 *   int o = box_operand(&b, GA_DT_FLOAT32, (ssize_t[]){4, 0}, BOX_OUT);
 *   int r = box_reduce(&b, GA_REDUCE_sum, box_load(&b, a, 0), -1);
 *   box_store(&b, o, r);
 */
#ifndef TESTS_STAGES_H
#define TESTS_STAGES_H

#include <string.h>

#include "codegen/codegen.h"

typedef struct stage_box {
  ga_stage st;
  ga_node nodes[256];
  ga_operand operands[80];
  ga_param params[16];
  ga_reduction reductions[16];
  ga_store stores[8];
} stage_box;

enum { BOX_IN = 0, BOX_OUT = 1, BOX_OUTER = 2 };

/* `axes`: a letter for each axis, k kept, r reduced, s scanned; NULL: all kept. */
static inline void box_init(stage_box *b, unsigned int nd, const size_t *dims, const char *axes)
{
  memset(b, 0, sizeof *b);
  b->st.nd = nd;
  b->st.nodes = b->nodes;
  b->st.operands = b->operands;
  b->st.params = b->params;
  b->st.reductions = b->reductions;
  b->st.stores = b->stores;
  for (unsigned int k = 0; k < nd; k++) {
    b->st.dims[k] = dims[k];
    b->st.reduced[k] = axes != NULL && axes[k] != 'k';
    if (axes != NULL && axes[k] == 's') b->st.scan = GA_SCAN_INCLUSIVE;
  }
}

/* kind: BOX_IN, BOX_OUT (of a map, or with any 'r' of what is kept, or of a scan),
 * BOX_OUTER */
static inline int box_operand(stage_box *b, enum ga_dtype dtype, const ssize_t *strides, int kind)
{
  ga_operand *op = &b->operands[b->st.noperand];
  int any = 0;
  for (unsigned int k = 0; k < b->st.nd; k++) {
    op->strides[k] = strides[k];
    any |= b->st.reduced[k];
  }
  op->slot = b->st.noperand;
  op->dtype = dtype;
  op->write = kind == BOX_OUT;
  op->outer = kind == BOX_OUTER || (kind == BOX_OUT && any);
  return (int)b->st.noperand++;
}

static inline int box_node(stage_box *b, int op, enum ga_dtype dtype, int level, int a0, int a1,
                           int a2, int index)
{
  ga_node *n = &b->nodes[b->st.nnode];
  n->op = op;
  n->dtype = dtype;
  n->level = level;
  n->arg[0] = a0;
  n->arg[1] = a1;
  n->arg[2] = a2;
  n->index = index;
  return (int)b->st.nnode++;
}

static inline int box_load(stage_box *b, int operand, int level)
{
  return box_node(b, GA_N_LOAD, b->operands[operand].dtype, level, -1, -1, -1, operand);
}

static inline int box_param(stage_box *b, enum ga_dtype dtype, int level)
{
  b->params[b->st.nparam].dtype = dtype;
  return box_node(b, GA_N_PARAM, dtype, level, -1, -1, -1, (int)b->st.nparam++);
}

/* Of the dtype of its first argument. */
static inline int box_op(stage_box *b, int op, int a0, int a1)
{
  return box_node(b, op, b->nodes[a0].dtype, b->nodes[a0].level, a0, a1, -1, -1);
}

static inline int box_cast(stage_box *b, enum ga_dtype to, int a)
{
  return box_node(b, GA_N_CAST, to, b->nodes[a].level, a, -1, -1, -1);
}

/* The position in C order among the reduced axes. */
static inline int box_iota(stage_box *b)
{
  int64_t step = 1;
  for (unsigned int k = b->st.nd; k-- > 0;)
    if (b->st.reduced[k]) {
      b->st.iota_step[k] = step;
      step *= (int64_t)b->st.dims[k];
    }
  return box_node(b, GA_N_IOTA, GA_DT_INT64, 0, -1, -1, -1, -1);
}

/* The node of the result; iota: -1 but for argmin and argmax. */
static inline int box_reduce(stage_box *b, enum ga_reduce_op op, int node, int iota)
{
  ga_reduction *r = &b->reductions[b->st.nreduction];
  r->op = op;
  r->node = node;
  r->acc = b->nodes[node].dtype;
  r->iota = iota;
  return box_node(b, GA_N_REDUCE, iota >= 0 ? GA_DT_INT64 : r->acc, 1, -1, -1, -1,
                  (int)b->st.nreduction++);
}

static inline void box_store(stage_box *b, int operand, int node)
{
  b->stores[b->st.nstore].operand = operand;
  b->stores[b->st.nstore++].node = node;
}

/* C order strides of `dims` over the axes whose letter is `which` ('*': all). */
static inline void box_c_order(const stage_box *b, char which, size_t size, ssize_t *strides)
{
  ssize_t step = (ssize_t)size;
  for (unsigned int k = b->st.nd; k-- > 0;) {
    int in = which == '*' || b->st.reduced[k] == (which == 'r');
    strides[k] = in ? step : 0;
    if (in) step *= (ssize_t)b->st.dims[k];
  }
}

#endif
