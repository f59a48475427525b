/* SPDX-License-Identifier: MIT */
/* A launch: the members of the skeleton's ga_params, in their order and at the offsets CUDA gives
 * them, its grid, and the memory it works with. */
#include <stdlib.h>
#include <string.h>

#include "gen_pack.h"

#define NONE ((size_t)-1)

static void put_addresses(ga_pack *p, ga_launch *launch, const ga_stage *st)
{
  for (unsigned int i = 0; i < st->noperand; i++) launch->operand_at[i] = ga_put(p, NULL, 8, 8);
}

static void put_numbers(ga_pack *p, ga_launch *launch, const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nparam; i++) {
    size_t size = ga_device_size(st->params[i].dtype);
    launch->param_at[i] = ga_put(p, NULL, size, size);
  }
}

static int check_size(const ga_pack *p)
{
  if (p->err != GA_NO_ERROR) return p->err;
  if (p->size > GA_ARGS_MAX)
    return ga_error(GA_XLARGE_ERROR, "kernel: %zu bytes of parameters, at most %d", p->size,
                    GA_ARGS_MAX);
  return GA_NO_ERROR;
}

static void set_scratch(ga_launch *launch, const ga_stage *st, const ga_layout *l,
                        const ga_variant *v)
{
  uint64_t parts = v->units;
  if (st->scan) {
    launch->ntickets = ga_scan_tickets(v, st, l);
    return;
  }
  if (v->spans <= 1) return;
  launch->ntickets = l->kept;
  if (v->skeleton == GA_SKEL_NARROW || v->skeleton == GA_SKEL_BOXES) {
    parts = v->units * v->width;
    launch->ntickets = v->groups * v->tickets;
  }
  if (v->skeleton == GA_SKEL_WALKS) {
    parts = v->units * v->width;
    launch->ntickets = v->groups * v->tickets;
  }
  if (v->skeleton == GA_SKEL_REDUCE_CROSS) launch->ntickets = l->kept * v->tickets;
  if (v->skeleton == GA_SKEL_COLUMNS) {
    parts = v->groups * v->spans * (uint64_t)v->vec << v->xbits;
    launch->ntickets = v->groups;
  }
  launch->scratch = parts * ga_acc_size(st);
}

int ga_gen_launch(ga_launch *launch, const ga_stage *st, const ga_layout *l,
                  const unsigned char *align, const ga_target *target)
{
  ga_scan_words words;
  ga_variant v;
  ga_pack p = {NULL, 0, 0, 1, GA_NO_ERROR};
  GA_TRY(ga_gen_given(launch, st, l, align, target));
  memset(launch, 0, sizeof *launch);
  ga_scan_by_words(&words, &st, &l, align);
  GA_TRY(ga_variant_choose(&v, st, l, align, target));
  launch->operand_at = calloc(st->noperand + 1, sizeof *launch->operand_at);
  launch->param_at = calloc(st->nparam + 1, sizeof *launch->param_at);
  launch->scratch_at = launch->ticket_at = NONE;
  if (launch->operand_at == NULL || launch->param_at == NULL) {
    p.err = ga_error_memory("kernel", (st->noperand + st->nparam + 2) * sizeof(size_t));
    goto fail;
  }
  put_addresses(&p, launch, st);
  ga_pack_params(&p, launch, &v, st, l);
  put_numbers(&p, launch, st);
  ga_put(&p, NULL, ga_round_up(p.size, p.align) - p.size, 1);
  p.err = check_size(&p);
  if (p.err != GA_NO_ERROR) goto fail;
  launch->args = p.bytes;
  launch->nargs = p.size;
  launch->grid[0] = v.grid;
  launch->grid[1] = launch->grid[2] = 1;
  launch->block[0] = v.block;
  launch->shared = v.shared;
  launch->block[1] = launch->block[2] = 1;
  set_scratch(launch, st, l, &v);
  if (launch->scratch == 0) launch->scratch_at = NONE;
  if (launch->ntickets == 0) launch->ticket_at = NONE;
  return GA_NO_ERROR;

fail:
  free(p.bytes);
  ga_launch_clear(launch);
  return p.err;
}

void ga_launch_clear(ga_launch *l)
{
  if (l == NULL) return;
  free(l->args);
  free(l->operand_at);
  free(l->param_at);
  memset(l, 0, sizeof *l);
}
