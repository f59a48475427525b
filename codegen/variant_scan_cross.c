/* SPDX-License-Identifier: MIT */
/* Chooses the variant of scans whose operands are fast along different axes (gen.h,
 * kernels/scan_cross.cu). */
#include "variant_scan.h"

#define SCANNED       3     /* axis of the box */
#define ROWS          16    /* of a thread at a time */
#define RUN           128   /* bytes on end that a box has of each operand; of narrow ones half */
#define RUN_LEAST     16    /* and that are worth it */
#define SEGMENT       128   /* DESIGN.md */
#define ROOM          49152 /* bytes of shared memory of four blocks a multiprocessor */
#define ROOM_NARROW   73000 /* of three, where elements are of less than 4 bytes */
#define FEW           64    /* columns */
#define FEW_NARROW    65536 /* of less than 4 bytes, of which boxes have more rows instead */
#define MANY_WIDE     8000  /* columns of 8 bytes that blocks cut better than units do */
#define SHORT_WIDENED 8     /* rows, if results are of 8 bytes and what is read is not */
#define LEAST         96    /* columns of a box, ... */
#define COLUMNS       256   /* that are wanted, ... */
#define COLUMNS_MAX   512   /* and that have a thread each at most */
#define WHOLE         288   /* bytes of rows of results that such boxes have all of */
#define ON_WAY        65536 /* bytes of a multiprocessor that are to be on their way then */
#define ENOUGH        8192  /* bytes of a box that has all rows, twice that of narrow elements */
#define LONG_COLUMNS  128   /* of a unit, where rows are cut into those; */
#define LONG_ROOM     72000 /* its bytes: three of a multiprocessor */
#define LONG_VOLUME   20480 /* its elements */
#define LONG_PARTS    16    /* its segments, at most */
#define WALKS         256   /* of 32 rows each, that are wanted of a unit */
#define EACH          128   /* elements of a thread, at most */
#define BAND          2     /* log2 of the boxes of a band */

static uint64_t columns(const ga_variant *v)
{
  return (uint64_t)v->box_extent[0] * v->box_extent[1] * v->box_extent[2];
}

static size_t room(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  size_t n = 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_boxed(v, i)) n += ga_scan_way_of(v, st, l, i).bytes;
  return n;
}

/* Bytes on end of operand i before its scanned axis, as far as a sector. */
static uint64_t kept_run(const ga_stage *st, const ga_layout *l, unsigned int i,
                         const unsigned int *own, unsigned int n)
{
  uint64_t run = size_of(st, i);
  for (unsigned int j = 0; j < n && own[j] != l->nk && run < SECTOR; j++) run *= l->dims[own[j]];
  return run;
}

/* Whether n axes stand in the order that they have among those of `all`. */
static int keeps_order(const unsigned int *own, unsigned int n, const unsigned int *all,
                       unsigned int nall)
{
  unsigned int j = 0;
  for (unsigned int k = 0; k < nall && j < n; k++) j += own[j] == all[k];
  return j == n;
}

/* Which operands neighbouring threads have neighbours of, whose columns lie in the order of operand
 * *side; the others are staged. Returns 0 where all lie in one order. */
static int find_staged(ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int *side,
                       int *direct)
{
  unsigned int own[GA_MAXND], all[GA_MAXND], nall = 0;
  int differ = 0, crossed = 0;
  *direct = 0;
  *side = st->noperand;
  for (int results = 1; results >= 0; results--)
    for (unsigned int i = 0; i < st->noperand; i++) {
      unsigned int n = ga_own_order(l, i, own);
      int along = n != 0 && own[0] != l->nk;
      if (st->operands[i].write != results || n == 0) continue;
      if (nall == 0) nall = ga_own_order(l, i, all);
      differ |= own[0] != all[0];
      crossed |= !keeps_order(own, n, all, nall);
      if (along && kept_run(st, l, i, own, n) >= SECTOR && (!*direct || own[0] == v->first)) {
        if (!*direct) *side = i;
        *direct = 1;
      } else {
        v->boxed |= (uint64_t)1 << i;
        if (along && *side == st->noperand) *side = i;
      }
      if (*side == i) v->first = own[0];
    }
  return *side < st->noperand && crossed && (differ || (*direct && v->boxed != 0));
}

/* Bytes of shared memory that a box may have. */
static size_t most_room(const ga_stage *st, const ga_target *target)
{
  size_t third = target->shared / 3 < ROOM_NARROW ? target->shared / 3 : ROOM_NARROW;
  return ga_widest(st) < 4 && third > ROOM ? third : ROOM;
}

/* Whether the box fits; in v->shared is the most it may have, until its own is known. */
static int fits(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  uint64_t n = columns(v);
  if (v->form == GA_FORM_TILES)
    return n <= LONG_COLUMNS && n * v->box_extent[SCANNED] <= LONG_VOLUME &&
           room(v, st, l) <= LONG_ROOM;
  if (v->form == GA_FORM_ALONG && n > COLUMNS_MAX) return 0;
  return room(v, st, l) <= v->shared && n * v->box_extent[SCANNED] <= EACH * GA_BLOCK;
}

/* Makes the box longer along kept axis k, to its end where that is near; returns 0 where it does
 * not fit. */
static int lengthen(ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int k)
{
  ga_variant w = *v;
  unsigned int b = ga_in_box(v, k);
  if (b == 4) {
    if (w.nbox == SCANNED) return 0;
    for (b = w.nbox++; b > 0 && w.box[b - 1] < k; b--) { /* as results have them */
      w.box[b] = w.box[b - 1];
      w.box_extent[b] = w.box_extent[b - 1];
    }
    w.box[b] = k;
    w.box_extent[b] = 1;
  }
  w.box_extent[b] *= 2;
  if (l->dims[k] <= 3 * (size_t)w.box_extent[b] / 2) {
    unsigned int part = w.box_extent[b];
    w.box_extent[b] = (unsigned int)l->dims[k];
    if (!fits(&w, st, l)) w.box_extent[b] = part;
  }
  if (w.box_extent[b] > l->dims[k] || !fits(&w, st, l)) return 0;
  *v = w;
  return 1;
}

/* Columns for a block's threads, and rows that are worth its beginning. */
static int has_enough(const ga_variant *v, const ga_stage *st)
{
  uint64_t bytes = columns(v) * v->box_extent[SCANNED] * ga_widest(st);
  if (v->form == GA_FORM_TILES) return columns(v) * v->box_extent[SCANNED] / 32 >= WALKS;
  if (ga_widest(st) < 4) bytes /= 2;
  return columns(v) >= COLUMNS && (v->form == GA_FORM_ALONG || bytes >= ENOUGH);
}

/* Columns are too few for larger boxes, which have few bytes for that. */
static int is_few_narrow(const ga_stage *st, const ga_layout *l)
{
  return ga_widest(st) < 4 && l->kept < FEW_NARROW;
}

/* Elements on end that a box is to have of each operand: RUN bytes of the widest and a sector,
 * twice that where rows are done one turn after the other and columns are many. */
static uint64_t wanted(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  size_t widest = ga_widest(st);
  int twice = v->form == GA_FORM_ALONG && !is_few_narrow(st, l);
  uint64_t n = (widest < 4 ? RUN / 2 : RUN) * (twice ? 2 : 1) / widest;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (n * size_of(st, i) < SECTOR) n = SECTOR / size_of(st, i);
  return n;
}

/* Where rows are done one turn after the other, all of what is fastest in results that are not
 * narrow, if that is short: parts of it would cut sectors, which are stored from registers. */
static void take_whole(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  if (v->form != GA_FORM_ALONG || ga_widest(st) < 4) return;
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int own[GA_MAXND], n = ga_own_order(l, i, own);
    size_t row = n > 0 ? l->dims[own[0]] * size_of(st, i) : 0;
    if (!st->operands[i].write || n == 0 || own[0] == l->nk) continue;
    if (row > WHOLE || row % SECTOR == 0) continue;
    for (unsigned int b = ga_in_box(v, own[0]); b == 4 || v->box_extent[b] < l->dims[own[0]];
         b = ga_in_box(v, own[0]))
      if (!lengthen(v, st, l, own[0])) break;
  }
}

/* A box that has RUN bytes on end of each operand, as far as it fits: whichever has least gets
 * more; then columns for a block. */
static int shape_box(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  unsigned char done[GA_WAYS_MAX] = {0};
  uint64_t run_wanted = wanted(v, st, l);
  take_whole(v, st, l);
  for (;;) {
    unsigned int best = st->noperand, axis = 0;
    uint64_t least = run_wanted;
    for (unsigned int i = 0; i < st->noperand; i++) {
      unsigned int more;
      uint64_t run = ga_box_run(v, l, st, i, &more) / size_of(st, i);
      if (done[i] || more >= l->nk || run >= least) continue;
      least = run;
      best = i;
      axis = more;
    }
    if (best == st->noperand && (has_enough(v, st) || run_wanted >= 4 * wanted(v, st, l))) break;
    if (best == st->noperand)
      run_wanted *= 2;
    else if (!lengthen(v, st, l, axis))
      done[best] = 1;
  }
  while (!has_enough(v, st)) {
    unsigned int b = 0, axis;
    while (b < v->nbox && v->box_extent[b] >= l->dims[v->box[b]]) b++;
    axis = b < v->nbox ? v->box[b] : ga_outside_box(v, l);
    if (axis == l->nk || !lengthen(v, st, l, axis)) break;
  }
  return v->form == GA_FORM_TILES || columns(v) >= LEAST;
}

/* Rows that a box has: all of few, or as many as make RUN bytes where an operand that is copied is
 * fast along them, twice that where those are results that have few columns inside, and of few
 * columns ON_WAY. */
static void choose_rows(ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const ga_target *target)
{
  unsigned int own[GA_MAXND], rows = ROWS;
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int more = 0;
    size_t size = size_of(st, i), run = size;
    unsigned int least;
    if (!is_boxed(v, i)) continue;
    for (unsigned int n = ga_own_order(l, i, own); more < n && own[more] != l->nk; more++)
      run *= l->dims[own[more]];
    least = st->operands[i].write && more > 0 ? 2 * RUN : RUN;
    while (run * rows < least && rows < 64) rows *= 2;
    while (is_few_narrow(st, l) && rows < 64 &&
           l->kept * rows * size < (uint64_t)target->nproc * ON_WAY)
      rows *= 2;
  }
  v->form = l->reduced <= SEGMENT && l->reduced <= 2 * rows ? GA_FORM_SHORT : GA_FORM_ALONG;
  v->box_extent[SCANNED] = v->form == GA_FORM_SHORT ? (unsigned int)l->reduced : rows;
}

/* Elements that are there of all that blocks have, and runs of every operand. */
static int is_worth(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int more;
    if (ga_box_run(v, l, st, i, &more) < RUN_LEAST && more != l->nk) return 0;
  }
  return ga_box_fill(v, l) > 0.4;
}

/* The box's kept axes in the order of operand i, which lanes go along. */
static void choose_side(ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i)
{
  unsigned int order[4], n = 0;
  ga_box_order(v, l, st, i, order);
  for (unsigned int j = 0; j < 4; j++)
    if (order[j] != SCANNED) v->box_lanes[n++] = order[j];
}

/* Blocks of a multiprocessor that registers are left for. */
static unsigned int resident(const ga_variant *v, const ga_stage *st)
{
  size_t acc = ga_acc_size(st) / 4, rows = v->box_extent[SCANNED], n = 36;
  n += (rows > 8 ? 20 : rows > 4 ? 10 : 5) * acc;
  if (rows > ROWS) n += 6 * acc;
  if (v->form == GA_FORM_ALONG) n += 6 * acc;
  return n * v->block > REGISTERS ? 1 : (unsigned int)(REGISTERS / (n * v->block));
}

/* Inputs of more rows than a thread has at once are to be on their way together; not of one box
 * that has all of wide ones. */
static int stays_on_way(const ga_variant *v, const ga_stage *st)
{
  return v->form != GA_FORM_SHORT || (v->box_extent[SCANNED] > ROWS && ga_widest(st) < 8);
}

/* A box of so many rows, in that form. */
static int choose_box(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align)
{
  const unsigned int rows = v->box_extent[SCANNED];
  ga_no_box(v);
  v->box[SCANNED] = l->nk;
  v->box_extent[SCANNED] = rows;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (!st->operands[i].write && stays_on_way(v, st)) v->boxed |= (uint64_t)1 << i;
  ga_scan_lie(v, st, l, align);
  return shape_box(v, st, l) && is_worth(v, st, l);
}

static void finish(ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int side)
{
  int band = v->form == GA_FORM_TILES ? 0 : BAND;
  choose_side(v, st, l, side);
  v->shared = room(v, st, l);
  v->nk = ga_rank_bound(l->nk - v->nbox);
  v->grid = l->kept;
  for (unsigned int b = 0; b < v->nbox; b++) {
    uint64_t far = (uint64_t)v->box_extent[b] << (BAND + 1);
    v->band[b] = b > 0 && l->dims[v->box[b]] > far ? (unsigned int)band : 0;
    v->grid = v->grid / l->dims[v->box[b]] * ga_box_bands(v, l, b) << v->band[b];
  }
  if (v->form == GA_FORM_ALONG) v->block = (unsigned int)ceil_div(columns(v), 32) * 32;
}

/* Some operand has less on end than is wanted. */
static int has_short_runs(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int more;
    if (ga_box_run(v, l, st, i, &more) / size_of(st, i) < wanted(v, st, l) && more != l->nk)
      return 1;
  }
  return 0;
}

/* Few columns of many rows, by units of as many segments as leave runs along other axes. */
static int choose_long(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const unsigned char *align, unsigned int side)
{
  const ga_variant was = *v;
  uint64_t walks;
  unsigned int parts = LONG_PARTS;
  for (;; parts /= 2) {
    int fits;
    *v = was;
    v->form = GA_FORM_TILES;
    v->box_extent[SCANNED] = parts * SEGMENT;
    fits = choose_box(v, st, l, align);
    if (parts == 1 && !fits) return 0;
    if (fits && (parts == 1 || !has_short_runs(v, st, l))) break;
  }
  v->skeleton = GA_SKEL_SCAN_CROSS_LONG;
  v->width = (unsigned int)columns(v);
  walks = (uint64_t)v->width * parts * 4;
  v->block = walks < GA_BLOCK ? (unsigned int)ceil_div(walks, 32) * 32 : GA_BLOCK;
  finish(v, st, l, side);
  v->tiles = v->grid;
  v->across = parts < 8 ? 32 : 8; /* whether segments have statuses */
  v->units = v->tiles * ceil_div(l->reduced, (uint64_t)parts * SEGMENT);
  v->grid = v->units;
  v->resident = resident(v, st);
  return 1;
}

/* Some input's elements are much narrower than results. */
static int widens(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (size_of(st, i) * 4 <= ga_widest(st)) return 1;
  return 0;
}

/* Bytes of an element of the narrowest input. */
static size_t least_read(const ga_stage *st)
{
  size_t least = 16;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (!st->operands[i].write && size_of(st, i) < least) least = size_of(st, i);
  return least;
}

/* Some input is fast along the scanned axis. */
static int reads_rows(const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int own[GA_MAXND];
    if (!st->operands[i].write && ga_own_order(l, i, own) > 0 && own[0] == l->nk) return 1;
  }
  return 0;
}

/* Whether other variants are the better ones: of short rows that become wider, and of columns that
 * are not done at once where those are many of 8 bytes that are read along them, `beside` of long
 * rows, boxes (variant_scan_boxes.c) of narrow elements along one axis, and where neighbouring
 * threads have no neighbours at all. */
static int leaves_rows(const ga_variant *v, const ga_stage *st, const ga_layout *l, int beside,
                       int direct)
{
  int wide = ga_widest(st) >= 8, gather = l->cls == GA_CLASS_SCAN_GATHER;
  if (v->form == GA_FORM_SHORT)
    return gather && l->nk == 1 && wide && least_read(st) < 8 && l->reduced > SHORT_WIDENED;
  if (!gather && l->nk == 1) {
    if (v->form != GA_FORM_TILES) return !wide || l->reduced > 2 * SEGMENT;
    return (l->kept > FEW && widens(st)) || (l->kept > MANY_WIDE && least_read(st) >= 8);
  }
  if (v->form == GA_FORM_TILES)
    return beside || !direct ||
           (!gather && l->kept > MANY_WIDE && least_read(st) >= 8 && reads_rows(st, l));
  if (!gather) return 0;
  return wide ? beside || l->nk == 1 : beside && l->reduced > 2 * SEGMENT;
}

/* A block's shared memory, and what the kernel of units has besides (ga_totals). */
static int fits_card(const ga_variant *v, const ga_stage *st, const ga_target *target)
{
  size_t n = columns(v), own = STATIC_BYTES;
  if (v->form == GA_FORM_TILES)
    own += (4 * (n + 31) + n * v->box_extent[SCANNED] / 32 * 5 / 4) * ga_acc_size(st);
  return v->shared + own <= target->shared;
}

int ga_scan_cross(ga_variant *v, const ga_stage *st, const ga_layout *l, const unsigned char *align,
                  const ga_target *target, int beside, int *chosen)
{
  ga_variant w = *v;
  unsigned int side = 0;
  int after, direct;
  *chosen = 0;
  if (v->bytes || l->nr != 1 || l->nk == 0 || st->noperand > GA_WAYS_MAX || ga_acc_size(st) > 16)
    return GA_NO_ERROR;
  GA_TRY(ga_scan_reads_after(st, &after));
  if (after || !find_staged(&w, st, l, &side, &direct)) return GA_NO_ERROR;
  w.shared = most_room(st, target);
  choose_rows(&w, st, l, target);
  if (w.form == GA_FORM_ALONG && l->kept < (uint64_t)target->nproc * GA_BLOCK)
    w.form = GA_FORM_TILES;
  if (leaves_rows(&w, st, l, beside, direct)) return GA_NO_ERROR;
  if (w.form == GA_FORM_TILES) {
    *chosen = l->reduced > 2 * SEGMENT && choose_long(&w, st, l, align, side);
  } else if (choose_box(&w, st, l, align)) {
    w.skeleton = GA_SKEL_SCAN_CROSS;
    finish(&w, st, l, side);
    w.resident = resident(&w, st);
    *chosen = 1;
  }
  if (!fits_card(&w, st, target)) *chosen = 0;
  if (*chosen) *v = w;
  return GA_NO_ERROR;
}
