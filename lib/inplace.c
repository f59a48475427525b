/* SPDX-License-Identifier: MIT */
/* Outputs that are existing arrays. An output may be written where it stands
 * when nothing reads its memory afterwards: no later stage, and in the stage that
 * writes it only the very same element by the same walk (a = a + b). Otherwise its
 * stages write a shadow: other memory, the same strides and the same alignment, so
 * that the plan and its kernels hold for it too. */
#include <string.h>

#include "lib/expr_run.h"
#include "lib/overlap.h"

static GpuArray *array_of(const ga_run *r, unsigned int slot)
{
  const ga_slot *s = &r->plan->program->slots[slot];
  return s->kind == GA_SLOT_ARG ? r->call->args[s->arg].v.array : r->call->into;
}

static ga_span span_of(const ga_run *r, unsigned int slot)
{
  const GpuArray *a = array_of(r, slot);
  return ga_span_of(a->nd, a->dimensions, a->strides, gpuarray_get_elsize(a->typecode));
}

static ga_strided strided_of(const ga_run *r, unsigned int slot)
{
  const GpuArray *a = array_of(r, slot);
  return (ga_strided){r->base[slot], a->nd, a->dimensions, a->strides,
                      gpuarray_get_elsize(a->typecode)};
}

static const char *name_of(const ga_run *r, unsigned int slot)
{
  const ga_slot *s = &r->plan->program->slots[slot];
  return s->kind == GA_SLOT_ARG ? r->call->args[s->arg].name : "the output";
}

static int check_one(const ga_run *r, unsigned int slot)
{
  const GpuArray *a = array_of(r, slot);
  ga_strided out = strided_of(r, slot), other;
  unsigned int k;
  if (!GpuArray_ISWRITEABLE(a))
    return ga_error(GA_VALUE_ERROR, "expression: '%.80s' is assigned but not writeable",
                    name_of(r, slot));
  if (ga_overlaps_itself(a->nd, a->dimensions, a->strides, gpuarray_get_elsize(a->typecode)))
    return ga_error(GA_VALUE_ERROR,
                    "expression: '%.80s' is written but its elements overlap each other",
                    name_of(r, slot));
  for (k = 0; k < slot; k++) {
    if (!r->plan->inplace[k]) continue;
    other = strided_of(r, k);
    if (ga_strided_meet(&other, &out))
      return ga_error(GA_VALUE_ERROR, "expression: outputs '%.80s' and '%.80s' overlap",
                      name_of(r, k), name_of(r, slot));
  }
  return GA_NO_ERROR;
}

static const ga_operand *writer(const ga_stage *st, unsigned int slot)
{
  unsigned int i;
  for (i = 0; i < st->noperand; i++)
    if (st->operands[i].write && st->operands[i].slot == slot) return &st->operands[i];
  return NULL;
}

static ga_span operand_span(const ga_stage *st, const ga_operand *o)
{
  return ga_span_of(st->nd, st->dims, o->strides, ga_dtypes[o->dtype].size);
}

/* Are the two first elements at one address? Of one array, without a run to ask. */
static int same_start(const ga_run *r, const ga_operand *x, const ga_operand *y)
{
  if (r == NULL) return x->slot == y->slot && x->offset == y->offset;
  return r->base[x->slot] + x->offset == r->base[y->slot] + y->offset;
}

/* Does `read` touch exactly the element that `write` stores, at each step? Then the
 * thread that stores it has read it; in a chain, whichever level that was for. */
static int same_walk(const ga_run *r, const ga_stage *st, const ga_operand *read,
                     const ga_operand *write)
{
  unsigned int i;
  if (st->nreduction > 0 && !st->scan && (read->outer || write->outer)) return 0;
  if (ga_dtypes[read->dtype].size != ga_dtypes[write->dtype].size) return 0;
  if (!same_start(r, read, write)) return 0;
  for (i = 0; i < st->nd; i++)
    if (st->dims[i] > 1 && read->strides[i] != write->strides[i]) return 0;
  return 1;
}

/* Does the operand of `st` lie where the output does? */
static int is_near(const ga_run *r, const ga_stage *st, const ga_operand *o, unsigned int slot)
{
  if (r == NULL) return o->slot == slot;
  return ga_span_meets(r->base[o->slot] + o->offset, operand_span(st, o), r->base[slot],
                       span_of(r, slot));
}

/* 1 when memory of the output is read once it is written; without a run, by way of the
 * output's own slot. */
static int clashes(const ga_plan *p, const ga_run *r, unsigned int slot)
{
  const ga_operand *w = NULL;
  unsigned int k, i;

  for (k = 0; k < p->nstep; k++) {
    const ga_stage *st = p->steps[k].stage;
    const ga_operand *here = w == NULL ? writer(st, slot) : NULL;
    if (here != NULL) w = here;
    if (w == NULL) continue; /* stages before the write may read anything */
    for (i = 0; i < st->noperand; i++) {
      const ga_operand *o = &st->operands[i];
      if (o->write || !is_near(r, st, o, slot)) continue;
      if (here == NULL || !same_walk(r, st, o, here)) return 1;
    }
  }
  return 0;
}

int ga_inplace_rereads(const ga_plan *plan, unsigned int slot) { return clashes(plan, NULL, slot); }

static int make_shadow(ga_run *r, unsigned int slot)
{
  gpucontext *ctx = r->plan->ctx;
  ga_span s = span_of(r, slot);
  size_t pad = ((uintptr_t)r->base[slot] + (uintptr_t)s.low) % 16;
  int err;
  r->shadow[slot] =
      gpudata_alloc(ctx, (size_t)(s.high - s.low) + 16, NULL, GA_BUFFER_READ_WRITE, &err);
  if (err != GA_NO_ERROR) return err;
  r->nshadow++;
  r->target[slot] = (char *)r->shadow[slot]->ptr + pad - s.low;
  return GA_NO_ERROR;
}

/* 1 when no existing array that is written shares memory with another, or with
 * itself, or is read once it is written: the common case, found out from what the plan knows of
 * their extents. */
static int all_apart(const ga_run *r)
{
  const ga_plan *plan = r->plan;
  unsigned int i, k, n = plan->program->nslot;
  if (plan->folded) return 0;
  for (i = 0; i < n; i++) {
    if (!plan->inplace[i]) continue;
    if (!GpuArray_ISWRITEABLE(array_of(r, i))) return 0;
    for (k = 0; k < n; k++)
      if (k != i && ga_span_meets(r->base[i], plan->span[i], r->base[k], plan->span[k])) return 0;
  }
  return 1;
}

int ga_inplace_prepare(ga_run *r)
{
  unsigned int i;
  if (all_apart(r)) return GA_NO_ERROR;
  for (i = 0; i < r->plan->program->nslot; i++)
    if (r->plan->inplace[i]) GA_TRY(check_one(r, i));
  for (i = 0; i < r->plan->program->nslot; i++)
    if (r->plan->inplace[i] && clashes(r->plan, r, i)) GA_TRY(make_shadow(r, i));
  return GA_NO_ERROR;
}

int ga_inplace_finish(ga_run *r)
{
  unsigned int i;
  for (i = 0; i < r->plan->program->nslot; i++) {
    GpuArray *a, view;
    if (r->shadow[i] == NULL) continue;
    a = array_of(r, i);
    view = *a;
    view.data = r->shadow[i];
    view.offset = (size_t)(r->target[i] - (char *)r->shadow[i]->ptr);
    GA_TRY(ga_expr_move(a, &view));
  }
  return GA_NO_ERROR;
}
