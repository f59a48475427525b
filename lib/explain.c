/* SPDX-License-Identifier: MIT */
/* What a call would do: for programs as figures (GpuExpr_query), for people as
 * text (GpuExpr_explain), as EXPLAIN does for a query. Neither runs or builds
 * anything, so the arrays need no data. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/expr.h"

static const char *const class_names[GA_NCLASS] = {
    [GA_CLASS_CONTIG] = "contiguous map",        [GA_CLASS_INNER] = "map, contiguous inner axis",
    [GA_CLASS_STRIDED] = "strided map",          [GA_CLASS_TILE] = "tiled map",
    [GA_CLASS_ROWS] = "reduction of rows",       [GA_CLASS_COLUMNS] = "reduction of columns",
    [GA_CLASS_GATHER] = "strided reduction",     [GA_CLASS_SCAN_ROWS] = "scan of rows",
    [GA_CLASS_SCAN_COLUMNS] = "scan of columns", [GA_CLASS_SCAN_GATHER] = "strided scan",
};

/* Bytes of the distinct elements that an operand of a stage touches. */
static uint64_t operand_bytes(const ga_layout *l, const ga_stage *st, unsigned int i)
{
  uint64_t n = ga_dtypes[st->operands[i].dtype].size;
  unsigned int k, nd = l->nk + (st->operands[i].outer && !st->scan ? 0 : l->nr);
  for (k = 0; k < nd; k++)
    if (l->strides[i][k] != 0 || l->dims[k] == 0) n *= l->dims[k];
  return n;
}

static void count(gpuexpr_info *info, const ga_plan *plan)
{
  const ga_program *p = plan->program;
  unsigned int k, i;
  for (k = 0; k < plan->nstep; k++) {
    const ga_layout *l = &plan->steps[k].layout;
    const ga_stage *st = plan->steps[k].stage;
    if (l->kept == 0) continue;
    info->stages++;
    for (i = 0; i < st->noperand; i++) {
      uint64_t bytes = operand_bytes(l, st, i);
      if (st->operands[i].write)
        info->bytes_written += bytes;
      else
        info->bytes_read += bytes;
    }
  }
  for (i = 0; i < p->nslot; i++)
    info->temporaries += p->slots[i].kind == GA_SLOT_TEMP && plan->used[i];
}

static int dry_plan(ga_plan **plan, GpuExpr *e, unsigned int n, const gpuarg *args)
{
  ga_call c;
  int err;
  *plan = NULL;
  if (e == NULL) return ga_error(GA_VALUE_ERROR, "expression: the expression is NULL");
  err = ga_call_init(&c, e, n, args, NULL, 0, 1);
  if (err == GA_NO_ERROR) err = ga_call_plan(plan, e, &c, 1);
  ga_call_clear(&c);
  return err;
}

int GpuExpr_query(GpuExpr *e, gpuexpr_info *res, size_t *dims, unsigned int n, const gpuarg *args)
{
  gpuexpr_info info = {0};
  ga_plan *plan;

  if (res == NULL || res->size < sizeof res->size)
    return ga_error(GA_VALUE_ERROR, "query: argument 2 is %s",
                    res == NULL ? "NULL" : "a gpuexpr_info whose size is not set");
  GA_TRY(dry_plan(&plan, e, n, args));
  count(&info, plan);
  info.typecode = -1;
  if (plan->program->result >= 0) {
    const ga_slot *s = &plan->program->slots[plan->program->result];
    info.typecode = ga_dtypes[s->dtype].typecode;
    info.nd = s->nd;
    if (dims != NULL) memcpy(dims, s->dims, s->nd * sizeof *dims);
  }
  info.size = res->size < sizeof info ? res->size : sizeof info;
  memcpy(res, &info, info.size);
  ga_plan_free(plan);
  return GA_NO_ERROR;
}

/* ---- in words ---------------------------------------------------------- */

static void say_shape(ga_str *s, unsigned int nd, const size_t *dims)
{
  unsigned int i;
  ga_str_add(s, "(");
  for (i = 0; i < nd; i++) ga_str_addf(s, i ? ",%zu" : "%zu", dims[i]);
  ga_str_add(s, ")");
}

static void say_operand(ga_str *s, const GpuExpr *e, const ga_program *p, const ga_stage *st,
                        const ga_layout *l, unsigned int i)
{
  const ga_operand *o = &st->operands[i];
  const ga_slot *slot = &p->slots[o->slot];
  ga_str_add(s, o->write ? "  writes " : "  reads  ");
  if (slot->kind == GA_SLOT_ARG || slot->kind == GA_SLOT_NEW)
    ga_str_add(s, e->names[slot->arg]);
  else if (slot->kind == GA_SLOT_RESULT)
    ga_str_add(s, "the value");
  else
    ga_str_addf(s, "temporary %u", o->slot);
  ga_str_addf(s, " %s", ga_dtypes[slot->dtype].name);
  say_shape(s, slot->nd, slot->dims);
  ga_str_addf(s, ", %" PRIu64 " bytes\n", operand_bytes(l, st, i));
}

/* Which promise of doc/numbers.md the stage's results fall under. */
static void say_promise(ga_str *s, const ga_stage *st)
{
  unsigned int i;
  int exact = 1;
  for (i = 0; i < st->nnode; i++) exact &= ga_node_exact(st, &st->nodes[i]);
  if (exact)
    ga_str_add(s, "  same bits on every device\n");
  else
    ga_str_add(s, "  within the ulps of its transcendental functions\n");
}

static int say_text(ga_str *s, const GpuExpr *e, const ga_plan *plan, const ga_stage *st,
                    const ga_layout *l, const unsigned char *low)
{
  unsigned char *align = ga_plan_align(plan->program, st, l, low, 0);
  ga_text text = {0};
  unsigned int i;
  int err;

  if (align == NULL) return ga_error_memory("explain", st->noperand);
  err = ga_gen_text(&text, st, l, align, &e->ctx->target);
  free(align);
  if (err == GA_NO_ERROR) {
    for (i = 0; i < text.nheader; i++)
      if (text.bodies[i] == ga_str_text(&text.generated))
        ga_str_addf(s, "  kernel %s, %s:\n%s", text.entry, text.names[i], text.bodies[i]);
  }
  ga_text_clear(&text);
  return err;
}

static int say_stage(ga_str *s, const GpuExpr *e, const ga_plan *plan, unsigned int k,
                     const unsigned char *low)
{
  const ga_step *step = &plan->steps[k];
  const ga_stage *st = step->stage;
  const ga_layout *l = &step->layout;
  unsigned int i;

  ga_str_addf(s, "\nstage %u: %s\n  loop ", k + 1,
              step->chain == NULL          ? class_names[l->cls]
              : l->cls == GA_CLASS_COLUMNS ? "chain of columns, each read once"
                                           : "chain of rows, each read once");
  say_shape(s, l->nk, l->dims);
  if (st->nreduction > 0) {
    ga_str_add(s, st->scan ? " scanned along " : " reduced over ");
    say_shape(s, l->nr, l->dims + l->nk);
  }
  ga_str_addf(s, ", %s-bit index\n", l->wide ? "64" : "32");
  for (i = 0; i < st->noperand; i++) say_operand(s, e, plan->program, st, l, i);
  say_promise(s, st);
  if (l->kept == 0) {
    ga_str_add(s, "  no elements: nothing runs\n");
    return GA_NO_ERROR;
  }
  return say_text(s, e, plan, st, l, low);
}

static int say_plan(ga_str *s, const GpuExpr *e, const ga_plan *plan, const unsigned char *low)
{
  gpuexpr_info info = {0};
  unsigned int k;
  count(&info, plan);
  ga_str_addf(s, "%u kernel%s, %u temporar%s, %" PRIu64 " bytes read, %" PRIu64 " written\n",
              info.stages, info.stages == 1 ? "" : "s", info.temporaries,
              info.temporaries == 1 ? "y" : "ies", info.bytes_read, info.bytes_written);
  for (k = 0; k < plan->nstep; k++) GA_TRY(say_stage(s, e, plan, k, low));
  ga_str_add(s, "\n");
  ga_program_print(s, plan->program);
  return s->failed ? ga_error_memory("explain", s->cap) : GA_NO_ERROR;
}

int GpuExpr_explain(GpuExpr *e, char **text, unsigned int n, const gpuarg *args)
{
  ga_plan *plan;
  ga_str s = {0};
  unsigned char *low;
  unsigned int i;
  int err;

  if (text == NULL) return ga_error(GA_VALUE_ERROR, "explain: the place for the text is NULL");
  *text = NULL;
  GA_TRY(dry_plan(&plan, e, n, args));
  low = calloc(n + 1u, 1);
  if (low == NULL) {
    err = ga_error_memory("explain", n);
  } else {
    for (i = 0; i < n; i++)
      if (args[i].kind == GA_ARG_ARRAY && args[i].v.array->data != NULL)
        low[i] = ((uintptr_t)args[i].v.array->data->ptr + args[i].v.array->offset) % 16;
    err = say_plan(&s, e, plan, low);
  }
  free(low);
  ga_plan_free(plan);
  if (err != GA_NO_ERROR) {
    ga_str_clear(&s);
    return err;
  }
  *text = s.s; /* the caller frees it */
  return GA_NO_ERROR;
}
