/* SPDX-License-Identifier: MIT */
/* How the boxes of scans whose operands are fast along different axes lie in shared memory, and how
 * they are moved there (gen.h, kernels/scan_cross.cuh). */
#include <string.h>

#include "variant_scan.h"

/* Bytes of operand i that are copied at once at most, lanes being neighbours along v->first: more
 * than elements of 4 bytes, or words, only if they, or the rows of a lane, are neighbours in it. */
static unsigned int most_bytes(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                               unsigned int i)
{
  unsigned int own[GA_MAXND], size = (unsigned int)size_of(st, i);
  if (ga_own_order(l, i, own) == 0 || l->strides[i][own[0]] != (ssize_t)size) return size;
  return own[0] == l->nk || own[0] == v->first ? 16 : size < 4 ? 4 : size;
}

/* Those that lie on their size wherever lines begin, of as many elements as divide them. */
static unsigned int aligned_bytes(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                                  const unsigned char *align, unsigned int i)
{
  unsigned int own[GA_MAXND], size = (unsigned int)size_of(st, i);
  unsigned int bytes = most_bytes(v, st, l, i);
  ga_own_order(l, i, own);
  for (; bytes > size; bytes /= 2)
    if (l->dims[own[0]] % (bytes / size) == 0 &&
        ga_vectors_aligned(st, l, align, i, (int)(bytes / size), own[0]))
      break;
  return bytes;
}

/* The same of whole lines that follow each other: 0 where they do not. */
static unsigned int merged_bytes(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                                 unsigned int i)
{
  unsigned int own[GA_MAXND], n = ga_own_order(l, i, own), bytes = 16;
  size_t size = size_of(st, i), line;
  if (n < 2 || l->strides[i][own[0]] != (ssize_t)size) return 0;
  line = size * l->dims[own[0]];
  if (l->strides[i][own[1]] != (ssize_t)line) return 0;
  for (; bytes > size; bytes /= 2) {
    size_t rest = align[i] % bytes + line * l->dims[own[1]] % bytes;
    for (unsigned int j = 2; j < n; j++) rest += ga_magnitude(l->strides[i][own[j]]) % bytes;
    if (rest == 0) break;
  }
  return bytes;
}

/* Bytes of a line such that lanes that have neighbouring lines ask for different banks. */
static unsigned int odd_units(unsigned int bytes, unsigned int unit)
{
  return bytes % unit == 0 && bytes / unit % 2 == 0 ? bytes + unit : bytes;
}

/* The unit of lines of `line` bytes that lie on `bytes`. */
static unsigned int unit_of(unsigned int bytes, unsigned int line)
{
  while (line % bytes != 0) bytes /= 2;
  return bytes;
}

ga_scan_way ga_scan_way_of(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                           unsigned int i)
{
  ga_scan_way w;
  unsigned int size = (unsigned int)size_of(st, i), own[GA_MAXND], n, bytes, line, both, word;
  memset(&w, 0, sizeof w);
  ga_box_order(v, l, st, i, w.order);
  n = ga_own_order(l, i, own);
  line = v->box_extent[w.order[0]] * size;
  both = line * v->box_extent[w.order[1]];
  w.unit = size;
  if (n > 0 && v->box[w.order[0]] == own[0]) {
    unsigned int most = most_bytes(v, st, l, i), merged = 0;
    int shifts; /* lines are moved by the words around them: results' not by units (slower) */
    w.unit = unit_of(1u << (v->words[i] & 7), line);
    if (n > 1 && v->merges[i] != 0 && v->box[w.order[1]] == own[1] &&
        line == size * l->dims[own[0]])
      merged = unit_of(1u << (v->merges[i] & 7), both);
    if (merged > 4 && merged > size && own[0] != v->first && own[1] != v->first)
      merged = size < 4 ? 4 : size; /* what lanes have lies an odd number of these apart */
    shifts = !st->operands[i].write || v->form != GA_FORM_TILES;
    w.merged = merged > w.unit || (merged != 0 && w.unit < 4 && shifts);
    if (w.merged) w.unit = merged;
    w.phased = shifts && w.unit < 4 && most >= 4;
    if (w.phased && !w.merged && line < SECTOR) w.phased = 0;
    if (w.phased) w.unit = own[0] == l->nk || st->operands[i].write ? 4 : most;
  }
  word = w.unit < 4 ? 4 : w.unit;
  bytes = w.merged ? both : line;
  if (w.phased) bytes = (bytes + w.unit - 1) / w.unit * w.unit + w.unit;
  w.units = bytes / w.unit;
  w.pitch[0] = w.unit;
  for (unsigned int j = 1; j < 4; j++) {
    w.pitch[j] = w.merged && j == 1 ? line : odd_units(bytes, word);
    if (!w.merged || j > 1) bytes = w.pitch[j] * v->box_extent[w.order[j]];
  }
  w.bytes = (bytes + 15) / 16 * 16;
  return w;
}

void ga_scan_lie(ga_variant *v, const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int merged = merged_bytes(st, l, align, i);
    v->words[i] = (unsigned char)log2_of(aligned_bytes(v, st, l, align, i));
    v->merges[i] = (unsigned char)(merged == 0 ? 0 : 8 | log2_of(merged));
  }
}
