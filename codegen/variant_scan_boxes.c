/* SPDX-License-Identifier: MIT */
/* Chooses the variant of a scan by way of shared memory (kernels/scan_boxes.cuh). */
#include "variant_scan.h"

#define SEGMENT      128
#define QUARTER      32
#define FOUR         4
#define CHUNK        8 /* segments */
#define TILE         64
#define BLOCK_BYTES  44000 /* of shared memory of a block, where boxes are small */
#define LONG_BYTES   52000 /* where they are cut into units */
#define LEAST_BYTES  2048  /* the kernel's own and the device's */
#define BLOCKS_EACH  8     /* of a multiprocessor, at least */
#define ALONG_BLOCKS 4     /* of a multiprocessor, at least, that walk along boxes */
#define TURNS_MAX    2     /* in which words of a bank are had; of one walk, twice that */
#define FEW_COLUMNS  8
#define FEW_LANES    16 /* columns that lanes have well enough, if units would be short, */
#define FEW_IN_PLACE 12 /* and if results take the place of what is read */
#define LEAST_WARPS  3
#define WIDE_SECTORS 8 /* of a box's row of results that is stored where it is, at least */
#define LONG_THREADS 128
#define SKEW_WALKS   1                 /* of v->skewed: 16 bytes behind each walk's rows */
#define ALL_THREADS  160               /* where they leave none idle, and those would */
#define LONG_WIDTH   64                /* columns of a box that is cut into units, at most */
#define FAR_BYTES    ((size_t)1 << 28) /* of a walk outside, at most: its offsets are of 32 bits */

/* What is outside of boxes, in the order in which it is tried: results that are wider than what
 * is read, nothing, what lies across. */
enum { WAY_WIDER, WAY_COPIED, WAY_ACROSS };

/* Where some operand lies across, a box is one column. */
ga_scan_box ga_scan_box_of(const ga_variant *v, const ga_layout *l, unsigned int i)
{
  int columns = l->cls == GA_CLASS_SCAN_COLUMNS && !v->single,
      inner = columns ? (int)l->nk - 1 : -1;
  int outer = columns ? (int)l->nk - 2 : (int)l->nk - 1;
  ga_scan_box b = {0};
  b.down = l->strides[i][l->nk];
  b.step = inner < 0 ? 0 : l->strides[i][inner];
  b.pitch = outer < 0 ? 0 : l->strides[i][outer];
  b.inner = inner < 0 ? 1 : l->dims[inner];
  b.boxes = l->kept / b.inner;
  return b;
}

static size_t far(ssize_t step, uint64_t n) { return (size_t)(step < 0 ? -step : step) * (n - 1); }

/* Bytes from the lowest element to the end of the highest of `rows` rows of a box. */
static size_t extent(const ga_stage *st, const ga_scan_box *b, unsigned int i, uint64_t rows)
{
  return far(b->down, rows) + far(b->step, b->inner) + size_of(st, i);
}

/* The first input that lies as output `out` does; the stage's noperand where none does. */
static unsigned int input_like(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                               unsigned int out)
{
  ga_scan_box b = ga_scan_box_of(v, l, out);
  unsigned int i;
  for (i = 0; i < st->noperand; i++) {
    ga_scan_box a = ga_scan_box_of(v, l, i);
    if (!st->operands[i].write && size_of(st, i) == size_of(st, out) && a.down == b.down &&
        a.step == b.step && a.pitch == b.pitch)
      break;
  }
  return i;
}

static int is_outside(const ga_variant *v, unsigned int i) { return v->outside >> i & 1; }

/* What is outside where a box is one column: what has neighbours of other boxes beside each
 * other, as long as something else has not. */
static void find_outside(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  uint64_t found = 0;
  unsigned int n = 0;
  if (l->nk != 1 || l->cls == GA_CLASS_SCAN_ROWS) return;
  if (l->cls == GA_CLASS_SCAN_GATHER && l->reduced >= BESIDE_LEAST) return;
  v->single = 1;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ga_scan_box b = ga_scan_box_of(v, l, i);
    size_t pitch = far(b.pitch, 2);
    if (pitch == 0 || pitch > 2 * size_of(st, i) || pitch >= far(b.down, 2)) continue;
    if (far(b.down, l->reduced) > FAR_BYTES) break;
    found |= (uint64_t)1 << i;
    n++;
  }
  v->outside = n < st->noperand ? found : 0;
}

/* The same where boxes have columns: outputs that take no input's place, and would take more room
 * than all else, if neighbouring columns fill many sectors of a row. */
static void find_wider(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  if (l->cls != GA_CLASS_SCAN_COLUMNS) return;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ga_scan_box b = ga_scan_box_of(v, l, i);
    if (!st->operands[i].write || input_like(v, st, l, i) < st->noperand) continue;
    if (far(b.down, l->reduced) > FAR_BYTES) continue;
    if (far(b.step, 2) == size_of(st, i) && b.inner * size_of(st, i) >= WIDE_SECTORS * SECTOR)
      v->outside |= (uint64_t)1 << i;
  }
}

/* Boxes are what the kernels can copy: inputs not much longer than what is read of them,
 * outputs without gaps. */
static int can_copy(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    ga_scan_box b = ga_scan_box_of(v, l, i);
    size_t dense = l->reduced * b.inner * size_of(st, i), all = extent(st, &b, i, l->reduced);
    if (is_outside(v, i)) continue;
    if (b.pitch < 0 || all > 2 * dense || (size_t)b.pitch > 2 * dense) return 0;
    if (st->operands[i].write && (all != dense || (b.boxes > 1 && (size_t)b.pitch != dense)))
      return 0;
  }
  return 1;
}

/* Rows of a box lie one after the other, so that some of them are few bytes too. */
static int can_cut(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    ga_scan_box b = ga_scan_box_of(v, l, i);
    if (b.down != 0 && far(b.down, 2) < far(b.step, b.inner)) return 0;
    if (far(b.down, 2) > 2 * b.inner * size_of(st, i)) return 0;
  }
  return 1;
}

/* Lanes side by side would be idle, or their rows cut sectors (kernels/scan_tall.cu). */
static int cuts_lanes(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  size_t cut = ga_scan_box_of(v, l, 0).inner <= FEW_COLUMNS;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (st->operands[i].write) cut |= ga_scan_box_of(v, l, i).inner * size_of(st, i) % SECTOR;
  return cut != 0;
}

/* Where operand n's copy lies in shared memory; n == noperand: where all end. */
size_t ga_scan_area(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int n)
{
  int tiles = v->form == GA_FORM_TILES || v->form == GA_FORM_ALONG;
  uint64_t rows = tiles ? (uint64_t)v->fours * SEGMENT : l->reduced;
  size_t at = 0, bytes;
  for (unsigned int i = 0; i < n; i++) {
    ga_scan_box b = ga_scan_box_of(v, l, i);
    if ((st->operands[i].write && v->boxed >> i & 1) || is_outside(v, i)) continue;
    bytes = (tiles ? 0 : (v->each - 1) * (size_t)b.pitch) + extent(st, &b, i, rows) + 16;
    if (v->skewed == SKEW_WALKS) bytes += rows / QUARTER * 16;
    at += (bytes + 15) / 16 * 16;
  }
  if (n < st->noperand && v->boxed >> n & 1) return ga_scan_area(v, st, l, input_like(v, st, l, n));
  return at;
}

/* Where what segments make lies, after all areas (scan_boxes.cuh: ga_place_of). */
size_t ga_scan_totals(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  size_t end = ga_scan_area(v, st, l, st->noperand);
  return v->skewed > SKEW_WALKS ? end + end / (size_t)v->skewed * 16 : end;
}

/* Bytes of shared memory for `each` boxes. */
static size_t bytes_for(ga_variant *v, const ga_stage *st, const ga_layout *l, uint64_t each)
{
  uint64_t totals = ceil_div(l->reduced, QUARTER) + 2 * ceil_div(l->reduced, SEGMENT);
  if (l->reduced <= SEGMENT) totals = 0;
  v->each = each;
  return ga_scan_totals(v, st, l) +
         (size_t)(each * ga_scan_box_of(v, l, 0).inner * totals) * ga_acc_size(st);
}

/* Rows that are read backwards, or every second element of them, and put in order as they are
 * loaded (kernels/steps.cuh), are faster than copies of them from one segment on, of extremes of
 * small elements from one and a half that lanes of 16 bytes have; what is written are vectors. */
static int is_put_in_order(const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  size_t widest = ga_widest(st);
  uint64_t least = SEGMENT;
  int stepped = 0;
  if (l->cls != GA_CLASS_SCAN_GATHER || l->nr != 1) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t size = (ssize_t)size_of(st, i), step = l->strides[i][l->nk] / size;
    if (step == 1 && ga_rows_aligned(st, l, align, i, FOUR)) continue;
    if (st->operands[i].write || !ga_scan_knows_step(l, size, step)) return 0;
    stepped = 1;
  }
  if (widest < 4 && ga_reduction_is_free(&st->reductions[0])) least = LANES * 16 / widest * 3 / 2;
  return stepped && l->reduced > least;
}

/* Rows as they lie in memory are faster: whole vectors, most of whose lanes, where there is one
 * segment, have elements; of more than three only those of outputs matter. */
static int is_direct(const ga_stage *st, const ga_layout *l, const unsigned char *align, int copied)
{
  uint64_t fours = ceil_div(l->reduced, FOUR), segments = ceil_div(l->reduced, SEGMENT);
  int aligned = 1;
  if (l->cls != GA_CLASS_SCAN_ROWS) return is_put_in_order(st, l, align);
  if (segments > GA_BLOCK || ga_scan_vector(st, l, align) > FOUR) return 1;
  if (copied && ga_scan_widens(st, l, align)) return 1;
  for (unsigned int i = 0; i < st->noperand; i++)
    if ((segments <= 3 || st->operands[i].write) && !ga_rows_aligned(st, l, align, i, FOUR))
      aligned = 0;
  if (segments == 1) return aligned && fours * 8 > pow2_ceil(fours) * 7;
  return aligned ||
         (copied && (segments >= 2 * CHUNK || (segments == CHUNK && ga_widest(st) >= 4)));
}

/* The first output that lies as an input does, and begins where it does, takes its place. */
static void find_boxed(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const unsigned char *align)
{
  v->boxed = 0;
  for (unsigned int i = 0; i < st->noperand && v->boxed == 0; i++) {
    int goes = st->operands[i].write && !is_outside(v, i);
    unsigned int like = goes ? input_like(v, st, l, i) : st->noperand;
    if (like < st->noperand && align[like] == align[i]) v->boxed = (uint64_t)1 << i;
  }
}

/* Rows of a thread. */
static unsigned int walked(const ga_variant *v)
{
  return v->form == GA_FORM_SHORT ? SEGMENT : QUARTER;
}

/* In how many turns a warp's threads have what they ask of an operand of `size` bytes an element,
 * in four of their rows together: as many as there are words of one bank. `columns` of them are
 * side by side, then those of the next `rows`. 8 bytes are asked for by half a warp at a time. */
static unsigned int turns(const ga_scan_box *b, size_t size, uint64_t columns, unsigned int rows,
                          unsigned int skew)
{
  const unsigned int wide = size < 4 ? 4 : (unsigned int)size, side = LANES * 4 / wide;
  unsigned int all = 0;
  for (unsigned int n = 0; n < 4 * LANES; n += side) {
    unsigned int asked[LANES] = {0}, most = 0;
    uint64_t words[LANES];
    for (unsigned int u = 0; u < side; u++) {
      uint64_t t = n % LANES + u, c = t % columns, at = c / b->inner * (uint64_t)b->pitch;
      unsigned int k;
      at += far(b->down, 2) * (t / columns * rows + n / LANES * rows / 4);
      at += far(b->step, 2) * (c % b->inner);
      words[u] = (skew != 0 ? at + at / skew * 16 : at) / wide;
      for (k = 0; k < u && words[k] != words[u];) k++;
      if (k == u && ++asked[words[u] % side] > most) most = asked[words[u] % side];
    }
    all += most;
  }
  return all;
}

/* The same of all operands. */
static unsigned int all_turns(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                              uint64_t each, unsigned int skew)
{
  unsigned int all = 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ga_scan_box b = ga_scan_box_of(v, l, i);
    all += is_outside(v, i) ? 4 : turns(&b, size_of(st, i), each * b.inner, walked(v), skew);
  }
  return all;
}

/* Bytes behind each of which 16 are left out: those that leave the fewest turns, 0 where that is
 * not worth the instructions it takes. */
static int skew(const ga_variant *v, const ga_stage *st, const ga_layout *l, uint64_t each)
{
  unsigned int most = v->form == GA_FORM_SHORT ? 2 * TURNS_MAX : TURNS_MAX;
  unsigned int none = all_turns(v, st, l, each, 0), least = none * 4 / 5, found = 0;
  if (none <= 4 * st->noperand * most) return 0;
  for (unsigned int bytes = 512; bytes >= 128; bytes /= 2) {
    unsigned int n = all_turns(v, st, l, each, bytes);
    if (n < least) {
      least = n;
      found = bytes;
    }
  }
  return (int)found;
}

/* Neighbours of warps are neighbours outside: as many boxes as leave no lane of a warp idle, if
 * such are enough for the card and two blocks of them fit a multiprocessor. Where inputs are
 * outside (of rows) three warps at least are to wait for them. */
static int whole_warps(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const ga_target *target, uint64_t *each)
{
  *each = *each < LANES ? LANES : *each - *each % LANES;
  if (l->cls == GA_CLASS_SCAN_GATHER && *each < LEAST_WARPS * LANES) return 0;
  return ga_scan_box_of(v, l, 0).boxes >= *each * target->nproc &&
         (bytes_for(v, st, l, *each) + LEAST_BYTES) * 2 <= target->shared;
}

static int choose_boxes(ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const ga_target *target)
{
  ga_scan_box b = ga_scan_box_of(v, l, 0);
  uint64_t each = 1, most = ceil_div(b.boxes, (uint64_t)target->nproc * BLOCKS_EACH);
  size_t one, more;
  v->form = l->reduced <= SEGMENT ? GA_FORM_SHORT : GA_FORM_BLOCK;
  one = bytes_for(v, st, l, 1);
  if ((one + LEAST_BYTES) * 2 > target->shared || b.boxes < target->nproc) return 0;
  if (l->cls == GA_CLASS_SCAN_ROWS && one > 2 * BLOCK_BYTES) return 0;
  more = bytes_for(v, st, l, 17) - one; /* of 16 boxes: areas are whole vectors */
  if (one < BLOCK_BYTES && more > 0) each = 1 + (BLOCK_BYTES - one) * 16 / more;
  if (each > most) each = most;
  if (v->form == GA_FORM_SHORT && each * b.inner > GA_BLOCK && b.inner < GA_BLOCK)
    each = each * b.inner / GA_BLOCK * GA_BLOCK / b.inner;
  if (v->single && !whole_warps(v, st, l, target, &each)) return 0;
  v->skewed = skew(v, st, l, each);
  while (each > 1 && bytes_for(v, st, l, each) + LEAST_BYTES > target->shared) each--;
  v->skeleton = GA_SKEL_SCAN_BOXES;
  v->shared = bytes_for(v, st, l, each);
  v->units = b.boxes;
  v->grid = ceil_div(b.boxes, each);
  return 1;
}

/* A box by a block, turn by turn, where there are enough of them for the card; what can be cut
 * into units as well has turns of two segments, and fewer boxes. */
static int choose_along(ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const ga_target *target)
{
  ga_scan_box b = ga_scan_box_of(v, l, 0);
  int narrow = b.inner <= LONG_WIDTH;
  size_t most = target->shared / ALONG_BLOCKS - LEAST_BYTES;
  uint64_t least = (uint64_t)target->nproc * ALONG_BLOCKS / (narrow ? 2 : 1);
  if (b.inner <= FEW_COLUMNS || b.boxes < least || !can_cut(v, st, l) || !cuts_lanes(v, st, l))
    return 0;
  v->form = GA_FORM_ALONG;
  v->skewed = skew(v, st, l, 1);
  for (v->fours = TILE;; v->fours--) {
    v->shared = ga_scan_totals(v, st, l);
    v->shared += ((size_t)v->fours * 6 + 4) * b.inner * ga_acc_size(st);
    if (v->shared <= most && (v->fours == 1 || v->shared <= BLOCK_BYTES)) break;
    if (v->fours == (narrow ? 2 : 1)) return 0;
  }
  v->skeleton = GA_SKEL_SCAN_BOXES;
  v->each = (uint64_t)v->fours * SEGMENT;
  v->units = b.boxes;
  v->grid = b.boxes;
  return 1;
}

/* Rows of all operands follow each other upwards in memory, and have no element in common. */
static int goes_up(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    ga_scan_box b = ga_scan_box_of(v, l, i);
    if (b.down <= 0 || (size_t)b.down < far(b.step, b.inner) + size_of(st, i)) return 0;
  }
  return 1;
}

/* Few columns, of which units would have less than a chunk of rows: lanes have them sooner
 * (scan_tall.cu), unless those of several boxes leave some of them idle. */
static int leaves_long(const ga_variant *v, const ga_scan_box *b)
{
  if (b->boxes > 1 && b->inner % FEW_COLUMNS != 0) return 0;
  return v->fours < CHUNK && b->inner <= (v->boxed != 0 ? FEW_IN_PLACE : FEW_LANES);
}

static int choose_long(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const ga_target *target)
{
  ga_scan_box b = ga_scan_box_of(v, l, 0);
  size_t most = target->shared / 2 - LEAST_BYTES;
  uint64_t walks;
  if (most > LONG_BYTES) most = LONG_BYTES;
  if (b.inner < 2 || b.inner > LONG_WIDTH || l->reduced <= CHUNK * SEGMENT || !can_cut(v, st, l) ||
      !cuts_lanes(v, st, l))
    return 0;
  v->form = GA_FORM_TILES;
  v->skewed = goes_up(v, st, l) ? SKEW_WALKS : b.inner < LANES ? 128 : 0;
  v->vec = b.inner > LANES ? 2 : 1;
  for (v->fours = TILE;; v->fours /= 2) {
    uint64_t units = b.boxes * ceil_div(l->reduced, (uint64_t)v->fours * SEGMENT);
    v->shared = ga_scan_totals(v, st, l) + (size_t)v->fours * b.inner * 6 * ga_acc_size(st);
    if (v->fours > CHUNK && units < (uint64_t)target->nproc * BLOCKS_EACH * 2) continue;
    if (v->shared <= most || v->fours == 2) break;
  }
  if (v->shared > most || leaves_long(v, &b)) return 0;
  walks = (uint64_t)v->fours * b.inner * (SEGMENT / QUARTER);
  v->skeleton = GA_SKEL_SCAN_LONG;
  v->across = 64 / v->fours;
  v->tiles = b.boxes;
  v->units = b.boxes * ceil_div(l->reduced, (uint64_t)v->fours * SEGMENT);
  v->grid = v->units;
  v->block = walks % LONG_THREADS != 0 && walks % ALL_THREADS == 0 ? ALL_THREADS : LONG_THREADS;
  v->resident = ga_acc_size(st) > 8 ? 3 : v->block == ALL_THREADS ? 5 : 7;
  if (ga_acc_size(st) == 8 && v->resident > 6) v->resident = 6; /* more is spilt with 7 */
  return 1;
}

int ga_variant_scan_boxes(ga_variant *v, const ga_stage *st, const ga_layout *l,
                          const unsigned char *align, const ga_target *target, int *chosen)
{
  int after, copied, outers = l->cls == GA_CLASS_SCAN_COLUMNS ? 2 : 1;
  const ga_variant was = *v;
  *chosen = 0;
  if (v->bytes || l->nr != 1 || (int)l->nk > outers || st->noperand > 64) return GA_NO_ERROR;
  GA_TRY(ga_scan_reads_after(st, &after));
  if (after) return GA_NO_ERROR;
  GA_TRY(ga_scan_copies(&copied, st, l, align));
  if (is_direct(st, l, align, copied)) return GA_NO_ERROR;
  for (int way = WAY_WIDER; way <= WAY_ACROSS && !*chosen; way++) {
    *v = was;
    v->resident = ga_acc_size(st) <= 8 ? 4 : 2;
    if (way == WAY_WIDER) find_wider(v, st, l);
    if (way == WAY_ACROSS) find_outside(v, st, l);
    if ((way != WAY_COPIED && v->outside == 0) || !can_copy(v, st, l)) continue;
    find_boxed(v, st, l, align);
    *chosen =
        choose_boxes(v, st, l, target) ||
        (way == WAY_COPIED && (choose_along(v, st, l, target) || choose_long(v, st, l, target)));
  }
  if (!*chosen) *v = was;
  return GA_NO_ERROR;
}
