/* SPDX-License-Identifier: MIT */
/* Chooses the variant of groups of rows, of narrow elements, that lie end to end (gen.h,
 * kernels/reduce_groups.cuh). */
#include "variant.h"

#define WORD     4           /* bytes */
#define LEAST    28          /* bytes of a column whose rows are no words */
#define FEWEST   5           /* columns of 2 bytes: fewer are faster as they are staged, ... */
#define WIDE     64          /* ... more walked down */
#define STAGED   (32 * 1024) /* bytes of groups of a block, ... */
#define MOST     (36 * 1024) /* ... of one group, at most */
#define SHARED   (36 * 1024) /* of a block, six to a multiprocessor, else ... */
#define RESIDENT 6
#define FEW      3           /* ... so many */
#define PARTS    (20 * 1024) /* bytes of what threads have */
#define UNITS    8           /* blocks of a multiprocessor, at least */
#define RESULTS  64          /* words of results of a block; fewer are joined one by one */
#define ROWS_MAX 32768       /* elements of 16 bits that 32 bits sum */

/* Instructions: of a word, of a thread besides; of a part that is joined, of a result besides. */
enum { WORD_COST = 5, THREAD_COST = 30, PART_COST = 4, RESULT_COST = 40 };

/* Operands that are reduced lie end to end, and begin at the same place of a word. */
static int lie_together(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                        unsigned int first, int vec)
{
  for (unsigned int i = first; i < st->noperand; i++) {
    ssize_t size = (ssize_t)size_of(st, i), row = size * (ssize_t)l->dims[1];
    if (!is_reduced(st, i)) continue;
    if (l->strides[i][1] != size || l->strides[i][2] != row) return 0;
    if (l->strides[i][0] != row * (ssize_t)l->reduced) return 0;
    if (!ga_vectors_agree(st, l, align, i, first, vec)) return 0;
  }
  return 1;
}

/* All outputs lie on vectors. */
static int stores_vectors(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                          const unsigned char *align)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (st->operands[i].write && (l->strides[i][1] != (ssize_t)size_of(st, i) ||
                                  !ga_vectors_aligned(st, l, align, i, v->vec, 1)))
      return 0;
  return 1;
}

/* Bytes of shared memory of n groups. */
static size_t room(const ga_stage *st, const ga_layout *l, uint64_t n)
{
  size_t bytes = 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_reduced(st, i)) bytes += (n * l->reduced * l->dims[1] * size_of(st, i) + 30) / 16 * 16;
  return bytes;
}

/* Of what a thread has: a word of extremes where the card compares by words, as those do that
 * have clusters (kernels/reduce_words.cuh). */
static size_t part_size(const ga_variant *v, const ga_stage *st, const ga_target *target)
{
  return ga_seeks_extreme(st) && target->cluster > 1 ? WORD : (size_t)v->vec * ga_sub_size(st);
}

/* Threads that join a result of `joined` parts: more than one where results are few. */
static unsigned int join_bits(const ga_variant *v, uint64_t joined)
{
  unsigned int bits = 0;
  while (!v->aligned && bits < 5 && v->groups * v->width << (bits + 1) <= GA_BLOCK &&
         joined >> bits > 2)
    bits++;
  return bits;
}

/* Threads of a group, which are as many words as are whole rows, or several times as many, so
 * that a block is done soonest. Returns 0 where what they have is too much. */
static int share_groups(ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const ga_target *target)
{
  uint64_t inner = l->dims[1], vec = (uint64_t)v->vec, words = l->reduced * inner / vec;
  uint64_t period = inner / common_divisor(inner, vec), least = 0;
  v->line = 0;
  for (uint64_t n = period; n <= words; n += period) {
    uint64_t walked = ceil_div(v->groups * n, GA_BLOCK), joined = n * vec / inner, cost;
    unsigned int bits = join_bits(v, joined);
    if (v->groups * n * part_size(v, st, target) > PARTS) break;
    cost = walked * (THREAD_COST + ceil_div(words, n) * WORD_COST) +
           ceil_div(v->groups * v->width << bits, GA_BLOCK) *
               (RESULT_COST + (ceil_div(joined, (uint64_t)1 << bits) + bits) * PART_COST);
    if (v->line != 0 && cost >= least) continue;
    least = cost;
    v->line = n;
    v->zbits = bits;
  }
  return v->line != 0;
}

/* Groups of a block: as many as there is room for, where blocks are enough. */
static int choose_groups(ga_variant *v, const ga_stage *st, const ga_layout *l,
                         const ga_target *target)
{
  size_t one = room(st, l, 1);
  if (one > MOST) return 0;
  v->groups = one < STAGED ? STAGED / one : 1;
  while (v->groups > 1 && l->dims[0] / v->groups < ga_enough(target, UNITS)) v->groups /= 2;
  v->aligned = v->aligned && v->groups * l->dims[1] / (uint64_t)v->vec >= RESULTS;
  v->width = (unsigned int)(v->aligned ? l->dims[1] / (uint64_t)v->vec : l->dims[1]);
  for (; !share_groups(v, st, l, target); v->groups /= 2)
    if (v->groups == 1) return 0;
  return 1;
}

/* Enough rows for what is joined last, where those are no words. */
static int has_rows(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  size_t widest = ga_widest_reduced(st);
  if (v->aligned) return l->reduced > 1;
  if (widest == 2 && (l->dims[1] < FEWEST || l->dims[1] > WIDE)) return 0;
  return l->reduced * widest >= LEAST;
}

int ga_variant_groups(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, const ga_target *target)
{
  unsigned int first = st->noperand;
  ga_variant w = *v;
  if (v->bytes || v->iota || l->nk != 2 || l->nr != 1 || !ga_stage_is_free(st)) return 0;
  if (ga_widest_reduced(st) > 2 || l->kept == 0 || l->reduced > ROWS_MAX) return 0;
  for (unsigned int i = st->noperand; i-- > 0;)
    if (is_reduced(st, i)) first = i;
  w.vec = (int)(WORD / ga_widest_reduced(st));
  if (first == st->noperand || !lie_together(st, l, align, first, w.vec)) return 0;
  w.aligned = l->dims[1] % (uint64_t)w.vec == 0 && align[first] % WORD == 0;
  if (!has_rows(&w, st, l) || !choose_groups(&w, st, l, target)) return 0;
  w.skeleton = GA_SKEL_GROUPS;
  w.box_end = (unsigned int)room(st, l, w.groups);
  w.shared = w.box_end + w.groups * w.line * part_size(&w, st, target);
  if (w.shared > target->shared) return 0;
  w.resident = w.shared <= SHARED ? RESIDENT : FEW;
  w.store_vec = w.aligned && stores_vectors(&w, st, l, align);
  w.vector = 1;
  w.loads = 4;
  w.nk = ga_rank_bound(l->nk);
  w.units = l->dims[0];
  w.spans = 1;
  w.grid = ceil_div(w.units, w.groups);
  *v = w;
  return 1;
}
