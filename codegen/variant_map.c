/* SPDX-License-Identifier: MIT */
/* Chooses the variant of a map (gen.h): the skeleton that its class names, or one
 * that suits addresses and extents better (kernels/map_flat.cu). */
#include "gen_kept.h"
#include "variant.h"

#define EACH_STRIDED 4     /* map_strided.cu: GA_EACH */
#define CACHED       2.4e7 /* bytes that are surely there when they are read again */
#define APART        1024  /* slots of a row: map_inner.cu, GA_APART */
#define FLAT_INNER   31    /* map_flat.cu: longer rows are walked with their steps elsewhere */
#define BACKWARDS    320   /* the same of elements of 2 bytes that go backwards */
#define SMALL        64    /* matrices' extents that caches hold */
#define GATHERED     4     /* elements that a thread asks for one by one */
#define KEPT_ROW     12    /* vectors of a row that is by itself */

static unsigned int first_output(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (st->operands[i].write) return i;
  return 0;
}

/* Vectors of all elements laid end to end: those of the first output are aligned. Says
 * whether those of the others that move with them are. */
static void choose_flat(ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const unsigned char *align)
{
  size_t first = size_of(st, v->first), lane = (size_t)v->vec * first;
  if (lane > 16) lane = 16;
  v->aligned = v->store_vec = 1;
  v->head = (lane - align[v->first] % lane) % lane / first;
  if (v->head > l->kept) v->head = l->kept;
  v->nvec = (l->kept - v->head) / (uint64_t)v->vec;
  v->nsingle = l->kept - v->nvec * (uint64_t)v->vec;
  for (unsigned int i = 0; i < st->noperand && v->vec > 1; i++) {
    size_t bytes = (size_t)v->vec * size_of(st, i);
    if (bytes > 16) bytes = 16;
    if (!ga_layout_dense(l, st, i) || (align[i] + v->head * size_of(st, i)) % bytes == 0) continue;
    if (st->operands[i].write)
      v->store_vec = 0;
    else
      v->aligned = 0;
  }
  v->grid = ceil_div(v->nvec + v->nsingle, GA_BLOCK);
}

/* Twice the elements a thread, where operands of different sizes leave room for them in a vector
 * of each result: narrower ones' loads are few bytes. (On an H200, share of the ceiling of int8 to
 * float32 off alignment, whose results have no room, with and without: 0.64 and 0.90.) */
static int widens(const ga_variant *v, const ga_stage *st)
{
  int mixed = 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    mixed |= size_of(st, i) != size_of(st, 0);
    if (st->operands[i].write && 2 * (size_t)v->vec * size_of(st, i) > 16) return 0;
  }
  return mixed;
}

static void choose_contig(ga_variant *v, const ga_stage *st, const ga_layout *l,
                          const unsigned char *align)
{
  v->wide = 0;
  if (v->bytes) v->vec = 1;
  ga_choose_kept(v, st, l, 1);
  if (!v->bytes) {
    choose_flat(v, st, l, align);
    if (widens(v, st)) {
      v->vec *= 2;
      choose_flat(v, st, l, align);
    }
    return;
  }
  v->nsingle = v->head = l->kept;
  v->grid = ceil_div(v->nsingle, GA_BLOCK);
}

/* Rows of some output are cut out of the sectors of memory that they lie in. */
static int has_gaps(const ga_stage *st, const ga_layout *l)
{
  unsigned int inner = l->nk - 1;
  if (l->nk < 2) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    size_t size = size_of(st, i);
    if (!st->operands[i].write || l->strides[i][inner] != (ssize_t)size) continue;
    if (ga_layout_dense(l, st, i)) continue;
    if (l->dims[inner] * size % SECTOR != 0) return 1;
    for (unsigned int k = 0; k < inner; k++)
      if (l->strides[i][k] % SECTOR != 0) return 1;
  }
  return 0;
}

/* The outer axes along which some input is read again after more of it than the second cache
 * keeps. */
static uint64_t read_again(const ga_stage *st, const ga_layout *l)
{
  uint64_t again = 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    double between = (double)size_of(st, i);
    if (st->operands[i].write) continue;
    for (unsigned int k = l->nk; k-- > 0;)
      if (l->strides[i][k] != 0)
        between *= (double)l->dims[k];
      else if (k + 1 < l->nk && between > CACHED)
        again |= (uint64_t)1 << k;
  }
  return again;
}

static void choose_inner(ga_variant *v, const ga_stage *st, const ga_layout *l,
                         const unsigned char *align)
{
  unsigned int inner = l->nk - 1;
  int first_on;
  v->nk = ga_rank_bound(inner);
  if (v->bytes) v->vec = 1;
  first_on = !v->bytes && ga_rows_aligned(st, l, align, v->first, v->vec);
  v->exact = first_on && l->dims[inner] % (size_t)v->vec == 0;
  v->aligned = v->store_vec = 1;
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (l->strides[i][inner] == 0 || ga_vectors_agree(st, l, align, i, v->first, v->vec)) continue;
    if (v->exact && ga_rows_aligned(st, l, align, i, v->vec)) continue;
    if (st->operands[i].write)
      v->store_vec = 0;
    else
      v->aligned = 0;
  }
  v->slots = ceil_div(l->dims[inner] + (first_on ? 0 : (uint64_t)v->vec - 1), (uint64_t)v->vec);
  v->units = l->kept == 0 ? 0 : l->kept / l->dims[inner] * v->slots;
  v->grid = ceil_div(v->units, GA_BLOCK);
  ga_choose_kept(v, st, l, 0);
  v->again = read_again(st, l);
  v->apart = v->again != 0 && v->slots >= APART;
  if (v->apart)
    v->grid = ceil_div(v->units / v->slots, GA_APART_ROWS) * ceil_div(v->slots, GA_BLOCK);
}

static void choose_strided(ga_variant *v, const ga_layout *l)
{
  v->vec = 1;
  v->nk = ga_rank_bound(l->nk);
  v->grid = ceil_div(l->kept, GA_BLOCK * EACH_STRIDED);
}

/* Longest rows of elements of 2 bytes that come one by one, not by vectors, of which most have two
 * rows in short ones: fewer instructions. (On an H200, us by vectors and one by one, backwards:
 * int16 rows of 13 44.3 and 34.8, 55 42.4 and 36.6, bfloat16 of 150 39.2 and 33.9, two of uint16 of
 * 25 83.9 and 60.8, float16 of 12 to int8 84.8 and 52.1, 301 plus another as it lies 43.1 and 42.8;
 * bytes are the same.) Others that are `shifted` would come so too: float16 of 63 39.3 and 56.6. */
static uint64_t most_single(ssize_t step, ssize_t size, int shifted)
{
  return size != 2 ? 0 : step == -size && !shifted ? BACKWARDS : FLAT_INNER;
}

/* Steps along a row of `inner` elements that vectors are made of: of one element or none, and of
 * one or two elements either way where those, or some others of the stage, are narrow. (On an H200,
 * share of the ceiling element by element and by vectors: uint8 + reversed float32 0.76 and 0.98.)
 */
static int makes_vectors(ssize_t step, ssize_t size, int narrow, int shifted, uint64_t inner)
{
  if (step == 0 || step == size) return 1;
  if (inner <= most_single(step, size, shifted)) return 0;
  return (size < 4 || narrow) && (step == -size || step == 2 * size || step == -2 * size);
}

/* Whether vectors of the whole loop laid end to end are better than rows by themselves:
 * outputs without gaps, and inputs that rows do not lead astray. */
static int flat_fits(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  unsigned int inner = l->nk - 1;
  int narrow = 0, shifted = 0; /* some operand of 1 or 2 bytes; one whose rows are off vectors */
  if (v->bytes || v->vec == 1 || l->nk == 0) return 0;
  v->stepped = 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t size = (ssize_t)size_of(st, i);
    narrow |= size < 4;
    shifted |= size < 4 && l->strides[i][inner] == size && !ga_layout_dense(l, st, i);
  }
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t step = l->strides[i][inner], size = (ssize_t)size_of(st, i);
    if (st->operands[i].write && !ga_layout_dense(l, st, i)) return 0;
    if (!makes_vectors(step, size, narrow, shifted, l->dims[inner])) {
      uint64_t most = l->cls == GA_CLASS_TILE ? SMALL : FLAT_INNER;
      if (l->dims[inner] > most && l->dims[inner] > most_single(step, size, shifted)) return 0;
      v->stepped = 2;
    }
    if (step != 0 && step != size && v->stepped == 0) v->stepped = 1;
  }
  return 1;
}

/* Some input of 4 bytes an element is a view of rows with gaps. (On an H200, share of the ceiling
 * by vectors of all rows laid end to end and by rows: five shifted views of float32 0.54 and 0.68,
 * nine 0.32 and 0.44, two 0.92 and 0.98; five of float64 0.84 and 0.69.) */
static int has_views(const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int k = 0;
    if (st->operands[i].write || size_of(st, i) != 4 || ga_layout_dense(l, st, i)) continue;
    while (k < l->nk && l->strides[i][k] != 0) k++;
    if (k == l->nk && l->strides[i][k - 1] == 4) return 1;
  }
  return 0;
}

/* Every row is whole aligned vectors. */
static int rows_whole(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align)
{
  unsigned int inner = l->nk - 1;
  if (v->bytes || l->nk < 2 || l->dims[inner] % (size_t)v->vec != 0) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t step = l->strides[i][inner];
    if (step == 0 && !st->operands[i].write) continue;
    if (step != (ssize_t)size_of(st, i) || !ga_rows_aligned(st, l, align, i, v->vec)) return 0;
  }
  return 1;
}

/* Elements of vectors that every row is made of: those of the widest operand that moves along
 * rows, twice as many where there is room; 0 where rows are not whole vectors. (On an H200, us by
 * those of the widest of all and so: bool of bfloat16 < a column of float32 154 and 112, float32
 * times one to float16 46.4 and 43.9.) */
static int whole_vectors(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                         const unsigned char *align)
{
  size_t widest = 1;
  ga_variant w = *v;
  for (unsigned int i = 0; i < st->noperand && l->nk != 0; i++)
    if (l->strides[i][l->nk - 1] != 0 && size_of(st, i) > widest) widest = size_of(st, i);
  w.vec = (int)(16 / widest);
  if (widens(&w, st)) w.vec *= 2;
  for (; w.vec >= v->vec; w.vec /= 2)
    if (rows_whole(&w, st, l, align)) return w.vec;
  return 0;
}

/* Rows by themselves, of narrow elements some of which lie off vectors, where values of what stays
 * along rows are made once. (On an H200, us of (a - b)/sqrt(c + 1e-5), b and c a number for each
 * row of float16, a end to end and so: off vectors rows of 65 106 and 103, 100 106 and 85, 1001 91
 * and 72; on them 65 72 and 101, 1001 69 and 70; float32 1001 off them 77 and 77, float64 77
 * and 87.) */
static int rows_pay(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  const unsigned int inner = l->nk - 1;
  int off = 0;
  if (l->nk < 2 || ga_widest_moved(st, l) > 2 || l->dims[inner] < KEPT_ROW * (size_t)v->vec)
    return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int k = 0;
    while (k < l->nk && l->strides[i][k] != 0) k++;
    off |= k == l->nk && !ga_layout_dense(l, st, i);
  }
  return off && ga_map_keeps(st, ga_staying_inputs(st, l)) != GA_KEEPS_NONE;
}

/* One axis along which outputs have unit step and inputs any: a thread gathers what its vector
 * of results is made of. */
static int choose_gather(ga_variant *v, const ga_stage *st, const ga_layout *l,
                         const unsigned char *align)
{
  if (v->bytes || l->nk != 1) return 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (st->operands[i].write && !ga_layout_dense(l, st, i)) return 0;
  v->skeleton = GA_SKEL_CONTIG;
  v->stepped = 1;
  v->wide = 0;
  if (v->vec > GATHERED) v->vec = GATHERED;
  choose_flat(v, st, l, align);
  return 1;
}

/* All rows laid end to end. */
static void choose_end_to_end(ga_variant *v, const ga_stage *st, const ga_layout *l,
                              const unsigned char *align, const ga_target *target)
{
  v->skeleton = GA_SKEL_FLAT;
  v->gaps = 0;
  v->nk = ga_rank_bound(l->nk - 1);
  v->shorter = l->dims[l->nk - 1] < (size_t)v->vec;
  if (v->shorter)
    v->stepped = 0;
  else
    ga_choose_kept(v, st, l, 0);
  choose_flat(v, st, l, align);
  ga_flat_threads(v, st, l, target);
}

/* The same of rows of whole vectors, narrow ones, where divisors that stay along an outer axis are
 * made once for several rows. (On an H200, us by rows and so: (a - b)/sqrt(c + 1e-5) of bfloat16
 * [67108, 1000], b and c of [1000], 99 and 70, float16 78 and 72; a - b - log(c) 68 and 71.) */
static int choose_lapped(ga_variant *v, const ga_stage *st, const ga_layout *l,
                         const unsigned char *align, const ga_target *target)
{
  ga_variant w = *v;
  if (l->nk < 2 || ga_widest_moved(st, l) > 2 || !flat_fits(&w, st, l)) return 0;
  choose_end_to_end(&w, st, l, align, target);
  if (!w.by_laps || !(w.keeps & GA_KEEPS_DIVISOR)) return 0;
  *v = w;
  return 1;
}

/* INNER, FLAT, CONTIG or STRIDED */
static void choose_rows(ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const unsigned char *align, const ga_target *target)
{
  const int whole = whole_vectors(v, st, l, align);
  v->gaps = has_gaps(st, l);
  if (whole != 0) {
    if (choose_lapped(v, st, l, align, target)) return;
    v->skeleton = GA_SKEL_INNER;
    v->vec = whole;
    choose_inner(v, st, l, align);
  } else if (flat_fits(v, st, l) &&
             !(l->cls == GA_CLASS_INNER &&
               (read_again(st, l) || has_views(st, l) || rows_pay(v, st, l)))) {
    choose_end_to_end(v, st, l, align, target);
  } else if (l->cls == GA_CLASS_INNER) {
    v->skeleton = GA_SKEL_INNER;
    choose_inner(v, st, l, align);
  } else if (!choose_gather(v, st, l, align)) {
    v->skeleton = GA_SKEL_STRIDED;
    choose_strided(v, l);
  }
}

/* Matrices that fill two fifths of tiles at most: elements one by one, as results lie, find
 * the rest of their sectors in the first cache. (On an H200, share of the copy ceiling by tiles and
 * so: 17 x 17 uint8 0.12 and 0.61, 33 x 33 float16 0.23 and 0.76, 17 x 17 float32 0.47 and 0.96.)
 */
static int is_small(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  const uint64_t side = 32 * (uint64_t)(v->vec >= 4 ? v->vec / 4 : 1), nx = l->dims[l->nk - 1];
  const int cross = ga_layout_cross_axis(l, st);
  const uint64_t ny = l->dims[cross];
  if (cross + 2 != (int)l->nk || nx > SMALL || ny > SMALL || !flat_fits(v, st, l)) return 0;
  return 5 * nx * ny <= 2 * ceil_div(nx, side) * side * ceil_div(ny, side) * side;
}

/* Short rows, which vectors do not fit, change places, but stay rows. (On an H200, share of the
 * copy ceiling by vectors of all rows and by runs, uint8: rows of 60 0.67 and 0.77, of 27 0.65 and
 * 0.76; float16 of 60 0.82 and 0.85, but three of 60 abreast 0.845 and 0.77.) */
static int moves_items(const ga_stage *st, const ga_layout *l)
{
  unsigned int inner = l->nk - 1;
  int moves = 0;
  if (l->nk < 3 || l->dims[inner] > SMALL || l->dims[inner] % 16 == 0) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (l->strides[i][inner] != (ssize_t)size_of(st, i)) return 0;
    for (unsigned int k = 0; k + 1 < inner; k++) {
      if (l->strides[i][k] == 0 || l->strides[i][k + 1] == 0) return 0;
      moves |= ga_magnitude(l->strides[i][k]) < ga_magnitude(l->strides[i][k + 1]);
    }
  }
  return moves;
}

static void choose_map(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const unsigned char *align, const ga_target *target)
{
  const int bytes = ga_widest(st) == 1;
  ga_variant w = *v;
  if (l->cls == GA_CLASS_CONTIG) {
    v->skeleton = GA_SKEL_CONTIG;
    choose_contig(v, st, l, align);
  } else if (ga_variant_planes(&w, st, l, align)) {
    if (!(w.store_vec && w.aligned) && ga_variant_runs(v, st, l, align, target, GA_OR_ELEMENTS))
      return;
    *v = w;
  } else if (ga_variant_cross(v, st, l, align, target) ||
             (bytes && moves_items(st, l) &&
              ga_variant_runs(v, st, l, align, target, GA_OR_ELEMENTS)) ||
             ga_variant_runs(v, st, l, align, target, GA_OR_TILES)) {
    return;
  } else if (l->cls != GA_CLASS_TILE || is_small(v, st, l) ||
             (!ga_variant_turn(v, st, l, align) && !ga_variant_tile(v, st, l, align))) {
    choose_rows(v, st, l, align, target);
  }
}

/* Skeletons whose threads have whole words of each operand. */
static int has_words(const ga_variant *v)
{
  return v->skeleton == GA_SKEL_CONTIG || v->skeleton == GA_SKEL_INNER ||
         v->skeleton == GA_SKEL_LAID || (v->skeleton == GA_SKEL_FLAT && !v->shorter);
}

void ga_variant_map(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align, const ga_target *target)
{
  ga_variant w, runs;
  v->first = first_output(st);
  v->vec = (int)(16 / ga_widest(st));
  w = *v;
  choose_map(v, st, l, align, target);
  runs = w;
  if (ga_variant_runs_instead(&runs, v, st, l, align, target)) *v = runs;
  if (ga_variant_laid(&w, v, st, l, align, target)) *v = w;
  v->by_bytes = has_words(v) && ga_maps_bytes(st);
}
