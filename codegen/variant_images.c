/* SPDX-License-Identifier: MIT */
/* How the boxes of operands lie in shared memory where results are runs (kernels/map_runs.cu):
 * lines as they are in memory, as far apart as lanes that take neighbours need. */
#include "variant_runs.h"

#define GRAIN     16    /* bytes that are copied at once */
#define IMAGE_MAX 65535 /* bytes of one */
#define MEET      4     /* lanes that meet a bank, at most, of single elements, ... */
#define MEET_SOME 8     /* ... of words, copied as such because more would meet, ... */
#define MEET_MORE 16    /* ... and of several */

int ga_runs_crossed(const ga_variant *v, const ga_layout *l, const ga_stage *st, unsigned int i)
{
  ssize_t size = (ssize_t)size_of(st, i);
  if (is_still(v, l, i) && !st->operands[i].write) return 0;
  if (!has_axis(v, l, 0)) return step_of(v, l, i, 1) != size;
  return step_of(v, l, i, 0) != size || step_of(v, l, i, 1) != size * (ssize_t)v->box_extent[0];
}

/* Axes of the box that operand i moves along, the fastest first; returns how many. */
static unsigned int image_order(const ga_variant *v, const ga_layout *l, unsigned int i,
                                unsigned int order[4])
{
  unsigned int n = 0;
  for (unsigned int k = 0; k < 4; k++) {
    unsigned int at = n;
    size_t step = ga_magnitude(step_of(v, l, i, k));
    if (step == 0) continue;
    for (; at > 0 && ga_magnitude(step_of(v, l, i, order[at - 1])) > step; at--)
      order[at] = order[at - 1];
    order[at] = k;
    n++;
  }
  return n;
}

/* Lanes that meet a bank where they take neighbours along the row's innermost axis, which are
 * `pitch` bytes apart: no more of them than go along it. */
uint64_t ga_lanes_met(const ga_variant *v, size_t pitch)
{
  uint64_t lanes = ceil_div(v->box_extent[v->box[0] == GA_NO_AXIS], (uint64_t)v->vec);
  uint64_t met = (size_t)v->vec * pitch < WORD
                     ? 1
                     : common_divisor((size_t)v->vec * pitch / WORD, BANKS / WORD);
  return met < lanes ? met : lanes;
}

/* Those are more than are worth it. (On an H200, share of the ceiling by boxes of powers of two and
 * by runs: two lanes int8 [17066666, 5] with lines 6 apart 0.43 and 0.79, float16 0.70 and 0.87,
 * four int8 [60, 2133300] turned 0.64 and 0.81, 64 at 64 apart 0.61 and 0.18.) Where a thread has
 * one element, none may. (Us with two or four that meet and with words of which none do: float32
 * [516222, 65]/t 83 and 75, [67, 500, 1000]/f 90 and 83, [128, 100, 65, 27]/f 85 and 81.) */
static int meets_banks(const ga_variant *v, const ga_image *m, size_t pitch)
{
  uint64_t most = v->vec > 1 ? MEET : m->grain == GRAIN ? 1 : MEET_SOME;
  return ga_lanes_met(v, pitch) > (m->beside ? MEET_MORE : most);
}

/* Rows that are taken together are neighbours in operand i's image. */
int ga_lies_beside(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i)
{
  return v->beside > 1 && step_of(v, l, i, row_axis(v)) == (ssize_t)size_of(st, i);
}

/* From line to line: no word is of two lines, and what the next line along a row begins with lies
 * in the banks behind this one's. */
static size_t line_pitch(const ga_variant *v, const ga_layout *l, size_t span, size_t step,
                         unsigned int k, size_t size, size_t grain)
{
  size_t pitch = span + 2 * grain, along = v->box_extent[0] * size;
  pitch += (step % grain + grain - pitch % grain) % grain;
  if (k == 1 && has_axis(v, l, 0))
    while ((pitch + BANKS - along % BANKS) % BANKS >= grain) pitch += grain;
  return pitch;
}

/* How operand i's image lies that is copied by m->grain bytes; returns its bytes, 0 where it
 * cannot. Says whether lanes would meet banks from line to line. */
static size_t lay_lines(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i,
                        ga_image *m, int *meets)
{
  const unsigned int inner = has_axis(v, l, 0) ? 0 : 1;
  const size_t size = size_of(st, i);
  unsigned int order[4], n = image_order(v, l, i, order);
  size_t line = size, span = size, words;
  *meets = 0; /* of the outermost lines; others that do were not looked into */
  m->beside = (unsigned int)ga_lies_beside(v, st, l, i);
  for (unsigned int j = 0; j < n; j++) {
    unsigned int k = order[j];
    size_t step = ga_magnitude(step_of(v, l, i, k)), pitch = step, more = v->box_extent[k] - 1;
    if (j == 0 && step > 2 * size) return 0;
    if (m->apart == 0 && step <= 2 * line && (j == 0 || k != inner || !meets_banks(v, m, step))) {
      line += more * step;
    } else {
      m->apart |= 1u << k;
      pitch = line_pitch(v, l, span, step, k, size, m->grain);
      if (k == inner && (m->beside || m->grain != GRAIN) &&
          ga_lanes_met(v, pitch + m->grain) < ga_lanes_met(v, pitch))
        pitch += m->grain;
      *meets = k == inner && meets_banks(v, m, pitch);
    }
    m->pitch[k] = (unsigned int)pitch;
    if (step_of(v, l, i, k) < 0) m->back |= 1u << k;
    span += more * pitch;
  }
  words = (line + 2 * (m->grain - 1)) / m->grain;
  m->lanes = 5;
  while (m->lanes > 1 && 4 * (ceil_div(words, 1u << m->lanes) << m->lanes) > 5 * words) m->lanes--;
  if (m->apart == 0) m->lanes = log2_of(GA_BLOCK);
  return (span + 2 * GRAIN + 15) / 16 * 16;
}

/* How operand i's image lies: by GRAIN bytes, or by WORD where lanes would meet banks, so that
 * lines can be an odd number of words apart. */
size_t ga_lay_image(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i,
                    ga_image *m, int *meets)
{
  size_t bytes;
  *m = (ga_image){.grain = GRAIN};
  bytes = lay_lines(v, st, l, i, m, meets);
  if (bytes == 0 || !*meets || m->beside) return bytes;
  *m = (ga_image){.grain = size_of(st, i) > WORD ? 2 * WORD : WORD};
  return lay_lines(v, st, l, i, m, meets);
}

/* The same, 0 also where lanes would meet banks. */
size_t ga_image_of(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i,
                   ga_image *m)
{
  int meets;
  size_t bytes = ga_lay_image(v, st, l, i, m, &meets);
  return meets ? 0 : bytes;
}

size_t ga_runs_images(const ga_variant *v, const ga_stage *st, const ga_layout *l, ga_image *images)
{
  size_t all = 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ga_image m = {0};
    size_t bytes = 0;
    if (ga_runs_crossed(v, l, st, i)) {
      if (st->operands[i].write) return 0;
      bytes = ga_image_of(v, st, l, i, &m);
      if (bytes == 0 || bytes > IMAGE_MAX) return 0;
      m.from = (unsigned int)all;
      all += bytes;
    }
    m.still = is_still(v, l, i);
    if (images != NULL) images[i] = m;
  }
  return all;
}
