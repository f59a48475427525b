/* SPDX-License-Identifier: MIT */
/* Scans of columns that can be taken for fewer of a wider dtype, nothing being done to the elements
 * before or after:
 *
 *   extremes of whole numbers of 1 and 2 bytes   words of 4 bytes, or of 2, that columns side by
 *                                                side fill; to join two words is to join all that
 *                                                they hold (kernels/words.cuh)
 *   sums of two columns of floats                complex numbers
 *
 * What is one column then, and has no gaps, is a row.
 */
#include <string.h>

#include "gen.h"

/* Whether the stage is a scan of an operand as it is, and no more. */
static int is_bare(const ga_stage *st)
{
  int load = st->nodes[0].op == GA_N_LOAD ? st->nodes[0].index : -1;
  return st->scan && st->nreduction == 1 && st->nnode == 2 && st->noperand == 2 &&
         st->nstore == 1 && st->stores[0].node == 1 && load >= 0 &&
         st->operands[load].dtype == st->reductions[0].acc;
}

/* Whether `parts` elements side by side of the innermost kept axis make words of `bytes`. */
static int has_words(const ga_layout *l, const unsigned char *align, size_t parts, ssize_t bytes)
{
  unsigned int inner = l->nk - 1;
  if (l->dims[inner] % parts != 0) return 0;
  for (unsigned int i = 0; i < 2; i++) {
    if (l->strides[i][inner] * (ssize_t)parts != bytes || align[i] % bytes != 0) return 0;
    for (unsigned int k = 0; k < l->nk + l->nr; k++)
      if (k != inner && l->strides[i][k] % bytes != 0) return 0;
    if (l->dims[inner] == parts && (l->nr != 1 || l->strides[i][l->nk] != bytes)) return 0;
  }
  return 1;
}

/* What elements are taken for; GA_DT_NONE: themselves. (The least of no bools is true, of words a
 * byte of ones.) */
static enum ga_dtype find_word(const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  const ga_reduction *r = &st->reductions[0];
  const ga_dtype_info *t = &ga_dtypes[r->acc];
  const char *kinds = st->scan == GA_SCAN_EXCLUSIVE ? "iu" : "biu";
  int sum = r->op == GA_REDUCE_sum && l->dims[l->nk - 1] == 2;
  if (sum && r->acc == GA_DT_FLOAT32 && has_words(l, align, 2, 8)) return GA_DT_COMPLEX64;
  if (sum && r->acc == GA_DT_FLOAT64 && has_words(l, align, 2, 16)) return GA_DT_COMPLEX128;
  if ((r->op != GA_REDUCE_min && r->op != GA_REDUCE_max) || strchr(kinds, t->kind) == NULL)
    return GA_DT_NONE;
  if (t->size < 4 && has_words(l, align, 4 / t->size, 4))
    return t->kind == 'i' ? GA_DT_INT32 : GA_DT_UINT32;
  if (t->size < 2 && has_words(l, align, 2, 2)) return t->kind == 'i' ? GA_DT_INT16 : GA_DT_UINT16;
  return GA_DT_NONE;
}

static void lay_words(ga_scan_words *w, size_t parts)
{
  ga_layout *l = &w->l;
  unsigned int inner = l->nk - 1, axes = l->nk + l->nr;
  for (unsigned int i = 0; i < 2; i++) {
    memcpy(w->strides[i], l->strides[i], sizeof w->strides[i]);
    w->strides[i][inner] *= (ssize_t)parts;
  }
  l->strides = w->strides;
  l->kept /= parts;
  l->dims[inner] /= parts;
  if (l->dims[inner] > 1) return;
  l->cls = GA_CLASS_SCAN_ROWS;
  l->nk--;
  for (unsigned int k = inner; k + 1 < axes; k++) {
    l->dims[k] = l->dims[k + 1];
    for (unsigned int i = 0; i < 2; i++) w->strides[i][k] = w->strides[i][k + 1];
  }
}

void ga_scan_by_words(ga_scan_words *w, const ga_stage **st, const ga_layout **l,
                      const unsigned char *align)
{
  enum ga_dtype word;
  size_t size;
  if ((*l)->cls != GA_CLASS_SCAN_COLUMNS || !is_bare(*st)) return;
  size = ga_dtypes[(*st)->reductions[0].acc].size;
  word = find_word(*st, *l, align);
  if (word == GA_DT_NONE) return;
  w->st = **st;
  w->l = **l;
  w->reduction = (*st)->reductions[0];
  w->reduction.acc = word;
  w->reduction.parts = ga_dtypes[word].kind == 'c' ? 0 : 4 / (int)size;
  for (unsigned int i = 0; i < 2; i++) {
    w->nodes[i] = (*st)->nodes[i];
    w->operands[i] = (*st)->operands[i];
    w->nodes[i].dtype = w->operands[i].dtype = word;
  }
  w->st.nodes = w->nodes;
  w->st.operands = w->operands;
  w->st.reductions = &w->reduction;
  lay_words(w, ga_dtypes[word].size / size);
  *st = &w->st;
  *l = &w->l;
}
