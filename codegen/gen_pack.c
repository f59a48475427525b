/* SPDX-License-Identifier: MIT */
/* Members of a kernel's ga_params: numbers, divisors, steps and axes (kernels/prelude.cuh). */
#include "gen_pack.h"

#include <stdlib.h>
#include <string.h>

size_t ga_put(ga_pack *p, const void *data, size_t size, size_t align)
{
  size_t at = ga_round_up(p->size, align), end = at + size;
  if (p->err != GA_NO_ERROR) return 0;
  if (end > p->cap) {
    size_t cap = ga_round_up(end * 2, 512);
    unsigned char *bytes = realloc(p->bytes, cap);
    if (bytes == NULL) {
      p->err = ga_error_memory("kernel", cap);
      return 0;
    }
    p->bytes = bytes;
    p->cap = cap;
  }
  memset(p->bytes + p->size, 0, end - p->size);
  if (data != NULL) memcpy(p->bytes + at, data, size);
  p->size = end;
  if (align > p->align) p->align = align;
  return at;
}

void ga_put32(ga_pack *p, uint64_t value)
{
  uint32_t v = (uint32_t)value;
  ga_put(p, &v, 4, 4);
}

void ga_put64(ga_pack *p, uint64_t v) { ga_put(p, &v, 8, 8); }

void ga_put_index(ga_pack *p, int wide, uint64_t v)
{
  if (wide)
    ga_put64(p, v);
  else
    ga_put32(p, v);
}

void ga_put_div(ga_pack *p, int wide, uint64_t d)
{
  unsigned int s = 0;
  uint64_t mul;
  if (d == 0) d = 1;
  while (s < 63 && ((uint64_t)1 << s) < d) s++;
  mul = ((uint64_t)1 << s) - d;
  if (wide)
    mul = (uint64_t)(((unsigned __int128)mul << 64) / d) + 1;
  else
    mul = (mul << 32) / d + 1;
  ga_put_index(p, wide, d);
  ga_put_index(p, wide, mul);
  ga_put32(p, s);
  if (wide) ga_put(p, NULL, 4, 4);
}

void ga_put_step(ga_pack *p, const ga_variant *v, const ga_layout *l, unsigned int axis)
{
  for (unsigned int i = 0; i < l->noperand; i++)
    ga_put_index(p, v->wide, (uint64_t)l->strides[i][axis]);
  if (v->iota) ga_put_index(p, v->wide, (uint64_t)l->iota_step[axis]);
}

/* Of v's pieces the innermost axis is of slots. */
static int has_slots(const ga_variant *v, const ga_layout *l, unsigned int axis)
{
  return v->pieces == 1 && axis == l->nk + l->nr - 1;
}

void ga_put_axis_list(ga_pack *p, const ga_variant *v, const ga_layout *l, const unsigned int *axes,
                      unsigned int n, unsigned int bound)
{
  size_t word = v->wide ? 8 : 4;
  for (unsigned int k = 0; k < bound; k++) {
    uint64_t extent = k >= n ? 1 : has_slots(v, l, axes[k]) ? v->slots : l->dims[axes[k]];
    ga_put_div(p, v->wide, extent);
  }
  for (unsigned int k = 0; k < bound; k++)
    if (k < n && has_slots(v, l, axes[k]))
      for (unsigned int i = 0; i < l->noperand; i++)
        ga_put_index(p, v->wide, (uint64_t)(l->strides[i][axes[k]] * v->slab));
    else if (k < n)
      ga_put_step(p, v, l, axes[k]);
    else
      ga_put(p, NULL, word * (l->noperand + (v->iota != 0)), word);
  ga_put32(p, n != 0 ? n : 1);
  ga_put(p, NULL, ga_round_up(p->size, word) - p->size, 1);
}

void ga_put_axes(ga_pack *p, const ga_variant *v, const ga_layout *l, unsigned int begin,
                 unsigned int n, unsigned int bound)
{
  unsigned int axes[GA_MAXND];
  for (unsigned int k = 0; k < n; k++) axes[k] = begin + k;
  ga_put_axis_list(p, v, l, axes, n, bound);
}

void ga_put_steps(ga_pack *p, const ga_layout *l, unsigned int axis, int any)
{
  for (unsigned int i = 0; i < l->noperand; i++) ga_put32(p, any && l->strides[i][axis] != 0);
}
