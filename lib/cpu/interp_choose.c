/* SPDX-License-Identifier: MIT */
/* Which instruction set's loop an instruction of a code takes, and where columns ask for memory.
 * The widest vectors are best for what computes much, or lies in cache; what reads memory and
 * computes little takes what reads it fastest. */
#include <string.h>

#include "interp.h"

static size_t size_of(enum ga_dtype t) { return ga_dtypes[t].size; }

const ga_loops *ga_far_loops(int far)
{
  enum ga_cpu_isa isa = ga_cpu_isa();
  return ga_cpu_loops(far && isa == GA_ISA_AVX512 && !ga_cpu_asks() ? GA_ISA_AVX2 : isa);
}

/* A rake takes four rows at a time, a tree one of each of eight segments: where they do not lie
 * near each other, they are streams that some processors read best as they are. */
int ga_columns_far(const ga_cut *c, size_t bytes)
{
  enum { RAKED = 4096, JOINED = 128 };
  int streams = ga_cpu_narrow() && bytes >= (c->raked ? RAKED : JOINED);
  return streams || c->tile < c->row ? GA_NEAR : GA_FAR_ALL;
}

/* The loops for an instruction that computes little: to what is read it may do more work than
 * reading takes where narrow numbers change their size. */
static const ga_loops *loops_for(const ga_fusing *w, unsigned int nsrc, const unsigned int *src,
                                 enum ga_dtype to)
{
  int reads = 0, changes = 0;
  for (unsigned int k = 0; k < nsrc; k++) {
    size_t from = size_of(w->dtype[src[k]]);
    reads |= w->kind[src[k]] == GA_PLACE_LOAD;
    changes |= size_of(to) < 4 && from != size_of(to);
  }
  return ga_far_loops(w->far && reads && !changes);
}

/* Of these AVX-512 alone has vectors, or such as are worth it. */
static int is_hard(int op, size_t size)
{
  int shift = op == GA_OP_left_shift || op == GA_OP_right_shift;
  int quotient = op == GA_OP_floor_divide || op == GA_OP_remainder || op == GA_OP_fmod;
  return (shift || quotient) && size < 4;
}

/* AVX2 converts floats to floats and int32, and int32 to them; whole numbers to each other. */
static int is_quick(enum ga_dtype from, enum ga_dtype to)
{
  const char *real = "fc", *whole = "iu", f = ga_dtypes[from].kind, t = ga_dtypes[to].kind;
  if (strchr(real, t)) return strchr(real, f) || from == GA_DT_INT32;
  return strchr(whole, t) && (strchr(whole, f) || (strchr(real, f) && to == GA_DT_INT32));
}

ga_loop ga_code_cast(const ga_fusing *w, unsigned int from, enum ga_dtype to)
{
  const enum ga_dtype t = w->dtype[from];
  return ga_cpu_cast_in(is_quick(t, to) ? loops_for(w, 1, &from, to) : ga_far_loops(0), t, to);
}

/* Comparisons of two arrays of 8-byte numbers beyond the cache: memory gives runs of two arrays in
 * turn faster to the compiler's loop, which has more to do between them, than to one that packs
 * bools by the vector. */
static int is_wide_pair(const ga_fusing *w, unsigned int nsrc, const unsigned int *src,
                        enum ga_dtype to)
{
  if (!w->far || ga_cpu_asks() || to != GA_DT_BOOL || nsrc != 2 || src[0] == src[1]) return 0;
  for (unsigned int k = 0; k < 2; k++)
    if (w->kind[src[k]] != GA_PLACE_LOAD || size_of(w->dtype[src[k]]) != 8) return 0;
  return ga_dtypes[w->dtype[src[0]]].kind != 'c';
}

ga_loop ga_code_op(const ga_fusing *w, const ga_node *n, unsigned int nsrc, const unsigned int *src)
{
  const enum ga_dtype t = w->dtype[src[nsrc - 1]];
  int little = (ga_ops[n->op - GA_N_OP].flags & GA_OP_EXACT) && !is_hard(n->op, size_of(n->dtype));
  if (is_wide_pair(w, nsrc, src, n->dtype)) return ga_far_loops(1)->op[t][n->op - GA_N_OP];
  const ga_loops *l = little ? loops_for(w, nsrc, src, n->dtype) : ga_far_loops(0);
  const ga_loop *one = w->kind[src[nsrc - 1]] == GA_PLACE_CONST ? l->compare_one[t] : NULL;
  return one && one[n->op - GA_N_OP] ? one[n->op - GA_N_OP] : ga_cpu_loop_in(l, n->op, t);
}
