/* SPDX-License-Identifier: MIT */
/* Chooses the variant of columns that are narrow or do not lie on vectors (gen.h,
 * kernels/reduce_narrow.cuh). */
#include "variant.h"

#define CHUNK         1024  /* DESIGN.md, "Order of a reduction" */
#define ROWS          128   /* reduce_lines.cuh: of a chunk, that shared memory holds */
#define GROUPS        8     /* reduce_lines.cuh: GA_GROUPS */
#define PARTS         3     /* of a chunk, log2: at most */
#define DEPTH         8     /* chunks of a span: at most 2^8 */
#define TURNS         9     /* of a block's threads in a pass */
#define SHARED        73728 /* bytes of a block, three to a multiprocessor */
#define FLAT_MOST     66560 /* the same of a chunk of narrow columns, ... */
#define LINES_MOST    55296 /* ... of several, */
#define TILE_MOST     43008 /* ... of a tile's part of one */
#define STATIC_BYTES  2048  /* the kernel's own and the device's */
#define TILE_VECTORS  16    /* of a row's part in a tile, at most ... */
#define TILE_LEAST    8     /* ... and where there are too few */
#define LINE_VECTORS  32 /* of it in the order of DESIGN.md: wider ones have fewer ends in lines */
#define IDLE_MOST     0.25 /* threads of a pass without a vector, to one that has one */
#define TILE_MOMENTS  32   /* bytes that moments of a tile's vector wait in, at most, and ... */
#define MOMENT_CHUNKS 8    /* ... chunks of those of 16 bytes each, at least */
#define JOINED        32   /* spans that one block joins */
#define SPANS_MAX     32768
#define LOOSE_ROWS    ((uint64_t)1 << 24) /* of a span, at most */
#define KEY_LINES     65408               /* of a span: the line of a key has 16 bits */
#define LOOSE_LEAST   96                  /* rows, where the order does not matter, ... */
#define BLOCK_LEAST   32                  /* threads of a block, ... */
#define VECTORS_EACH  8                   /* vectors of each that keep it from fewer, ... */
#define BLOCK_UNITS   4     /* blocks of GA_BLOCK threads that a multiprocessor is to have */
#define LINES_LEAST   6144  /* bytes of a few columns that are not staged */
#define DOWN_THREADS  256   /* ... and threads of a multiprocessor to walk down them */
#define SUB_MAX       32768 /* elements of 16 bits that 32 bits sum */
#define LOOSE_WORDS   48    /* registers of what a thread loads at once, where some have steps */
#define STILL_MOST    64    /* columns of functions of what stands still */
#define SPAN_COST     32768 /* bytes that are read while a span begins and ends */
#define PASS_COST     4     /* the same of passes: a part of one */

/* Units of work for each multiprocessor. Measured on an H200: 33 columns of float32 0.95 with 8
 * and 16. */
enum { LINE_UNITS = 8 };

static ssize_t bytes_of(const ga_stage *st, unsigned int i) { return (ssize_t)size_of(st, i); }

/* An operand that is reduced and moves along the rows, as far as is known. */
static int is_walked(const ga_variant *v, const ga_stage *st, unsigned int i)
{
  return is_reduced(st, i) && !ga_is_still(v, i);
}

/* The widest of those that move by one element from column to column, which
 * vectors follow, and how many are reduced. */
static unsigned int first_walked(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                                 unsigned int *n)
{
  unsigned int first = st->noperand;
  *n = 0;
  for (unsigned int i = st->noperand; i-- > 0;) {
    if (!is_walked(v, st, i)) continue;
    ++*n;
    if (l->strides[i][l->nk - 1] != bytes_of(st, i)) continue;
    if (first == st->noperand || size_of(st, i) >= size_of(st, first)) first = i;
  }
  return first;
}

/* Marks the operands whose elements lie elsewhere than on the vectors that v->first has, or have
 * steps from column to column: words each takes of a vector. Returns 0 where some lie otherwise. */
static int mark_ragged(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const unsigned char *align, size_t *words)
{
  *words = 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t column = l->strides[i][l->nk - 1];
    if (!is_walked(v, st, i)) continue;
    if (l->strides[i][l->nk] == 0 || column == 0 || !is_near(st, l, i, l->nk - 1)) return 0;
    *words += 4;
    if (column == bytes_of(st, i) && ga_vectors_agree(st, l, align, i, v->first, v->vec)) continue;
    if (i >= 64) return 0; /* bits of `ragged` */
    v->ragged |= (uint64_t)1 << i;
    *words += column == 2 * bytes_of(st, i) || column == -2 * bytes_of(st, i) ? 12 : 4;
  }
  return v->ragged == 0 || (v->fold <= 1 && !v->iota);
}

/* Rows follow each other without a gap. */
static int is_flat(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_walked(v, st, i) &&
        l->strides[i][l->nk] != (ssize_t)l->dims[l->nk - 1] * l->strides[i][l->nk - 1])
      return 0;
  return 1;
}

/* Some outer element's first row does not begin with a vector. */
static int begins_inside(const ga_layout *l, const unsigned char *align, unsigned int first,
                         ssize_t bytes)
{
  int inside = align[first] % bytes != 0;
  for (unsigned int k = 0; k + 1 < l->nk; k++) inside |= l->strides[first][k] % bytes != 0;
  return inside;
}

/* Tiles of columns, rows of which are lines. */
static void cut_tiles(ga_variant *v, const ga_layout *l, uint64_t most, int inside)
{
  uint64_t inner = l->dims[l->nk - 1], vec = (uint64_t)v->vec;
  uint64_t whole = v->loose ? vec : 2 * vec; /* in the order of DESIGN.md sectors of 32 bytes */
  int moves = inside || v->slip != 0;
  if (v->fold > 1) most = most / v->fold * v->fold;
  if (v->fold > 1) whole = v->fold;
  v->tiles = ceil_div(inner, most);
  v->width = ceil_div(inner, v->tiles);
  if (v->tiles > 1 && (v->fold > 1 || !moves)) v->width = ceil_div(v->width, whole) * whole;
  v->tiles = ceil_div(inner, v->width);
  moves |= v->tiles > 1 && v->width % vec != 0;
  v->line = ceil_div(v->width + (moves ? vec - 1 : 0), vec);
  v->pitch = (unsigned int)(v->line * vec);
}

size_t ga_lane_size(const ga_variant *v, const ga_stage *st)
{
  size_t value = ga_dtypes[st->reductions[0].acc].size;
  return !v->iota ? ga_sub_size(st) : ga_has_keys(st) ? 4 : value <= 4 ? 8 : 16;
}

static size_t shared_most(const ga_target *target)
{
  size_t most = target->shared > STATIC_BYTES ? target->shared - STATIC_BYTES : 0;
  return most < SHARED ? most : SHARED;
}

/* Fewer threads where outer elements are many and small: each has several vectors to join before
 * what threads have is. */
static void choose_block(ga_variant *v, const ga_layout *l, uint64_t period,
                         const ga_target *target)
{
  uint64_t inner = l->dims[l->nk - 1], vectors = l->reduced * inner / (uint64_t)v->vec;
  while (v->block > BLOCK_LEAST && vectors < VECTORS_EACH * v->block) {
    if (2 * inner > v->block || 2 * period > v->block) return;
    if (l->kept / inner * v->block < ga_enough(target, BLOCK_UNITS * GA_BLOCK)) return;
    v->block /= 2;
  }
}

/* Lines, and what shared memory holds of them, where the order does not matter. */
static int shape_loose(ga_variant *v, const ga_stage *st, const ga_layout *l, int inside,
                       const ga_target *target)
{
  uint64_t inner = l->dims[l->nk - 1], vec = (uint64_t)v->vec;
  uint64_t period = inner / common_divisor(inner, vec), phases, least;
  if (v->flat && inner <= GA_BLOCK && period <= GA_BLOCK) {
    choose_block(v, l, period, target);
    v->line = v->block / period * period;
    v->width = v->pitch = (unsigned int)inner;
    v->tiles = v->lines = 1;
    v->slip = 0;
    v->nrows = (unsigned int)(v->line * vec / inner);
  } else {
    v->flat = 0;
    cut_tiles(v, l, (TILE_VECTORS - 1) * vec + 1, inside);
    phases = vec / common_divisor(v->slip, vec);
    v->nrows = v->lines = (unsigned int)(GA_BLOCK / v->line / phases * phases);
    if (v->lines == 0 || v->width > GA_BLOCK) return 0;
  }
  while (v->width << (v->zbits + 1) <= v->block) v->zbits++;
  least = 4 * v->width > v->block ? 4 * v->width : v->block;
  v->shared = v->lines * v->line * vec * ga_lane_size(v, st);
  if (v->shared < least * ga_acc_size(st)) v->shared = least * ga_acc_size(st);
  return v->shared <= shared_most(target);
}

/* Bytes of shared memory for 2^z lines of chunks, or for a tile's part of one. */
static size_t lines_shared(const ga_variant *v, const ga_stage *st, unsigned int z)
{
  size_t sub = ga_sub_size(st), rows = (v->flat ? 1 : ROWS >> v->ybits) * v->line * (size_t)v->vec;
  size_t groups = (((GROUPS >> v->ybits) * (size_t)v->width << z) + 3) / 4 * 4;
  size_t counted = ga_has_moment(st) ? ga_acc_size(st) : sub; /* groups have their counts */
  return (rows << z) * sub + groups * counted + v->width * (DEPTH + 1) * ga_acc_size(st);
}

/* Narrow columns that follow each other as they are: chunks that fit, and as many of them as leave
 * few threads idle. */
static int shape_flat(ga_variant *v, const ga_stage *st, const ga_layout *l, int inside,
                      uint64_t most)
{
  uint64_t inner = l->dims[l->nk - 1], vec = (uint64_t)v->vec, chunks = ceil_div(l->reduced, CHUNK);
  if (!v->flat || inner > GA_BLOCK) return 0;
  v->line = ceil_div(ROWS * inner + (inside ? vec - 1 : 0), vec);
  v->width = v->pitch = (unsigned int)inner;
  v->tiles = 1;
  if (lines_shared(v, st, 0) > (most < FLAT_MOST ? most : FLAT_MOST)) return 0;
  v->slip = 0;
  for (unsigned int z = 1; chunks >> z > 0 && lines_shared(v, st, z) <= LINES_MOST; z++) {
    uint64_t turns = ceil_div(v->line << z, GA_BLOCK);
    if (turns > TURNS) break;
    if (ceil_div(v->line << v->zbits, GA_BLOCK) << (z - v->zbits) > turns) v->zbits = z;
  }
  v->lines = 1u << v->zbits;
  return 1;
}

/* Tiles in the order of DESIGN.md, of at most LINE_VECTORS but for `less` columns: the narrower
 * ones where there are few, and parts of their chunks where they are wide. */
static void shape_tiles(ga_variant *v, const ga_stage *st, const ga_layout *l, int inside,
                        const ga_target *target, uint64_t less)
{
  uint64_t vec = (uint64_t)v->vec, most = shared_most(target), wide = LINE_VECTORS * vec;
  uint64_t enough = (uint64_t)target->nproc * LINE_UNITS / 2;
  uint64_t room = most < TILE_MOST ? most : TILE_MOST;
  uint64_t whole = ga_sub_size(st) <= 4 ? SHARED : 2 * room; /* of all parts of a chunk */
  uint64_t rows = l->kept / l->dims[l->nk - 1] * ceil_div(l->reduced, CHUNK);
  v->ybits = 0;
  do {
    cut_tiles(v, l, wide - less, inside);
    wide /= 2;
  } while (wide >= TILE_LEAST * vec &&
           (lines_shared(v, st, 0) > whole || v->tiles * rows < enough));
  while (v->ybits < PARTS && lines_shared(v, st, 0) > room) v->ybits++;
  v->lines = ROWS >> v->ybits;
}

/* Threads that have no vector in a turn of a pass, to one that has one. */
static double idle_threads(const ga_variant *v)
{
  uint64_t vectors = v->lines * v->line;
  return (double)(ceil_div(vectors, GA_BLOCK) * GA_BLOCK) / (double)vectors - 1;
}

/* The same in the order of DESIGN.md: chunks as they are, or tiles, of a vector less where those
 * would leave threads idle. */
static int shape_lines(ga_variant *v, const ga_stage *st, const ga_layout *l, int inside,
                       const ga_target *target)
{
  uint64_t most = shared_most(target);
  v->nrows = ROWS;
  if (!shape_flat(v, st, l, inside, most)) {
    ga_variant w;
    v->flat = 0;
    w = *v;
    shape_tiles(v, st, l, inside, target, 0);
    shape_tiles(&w, st, l, inside, target, (uint64_t)v->vec - 1);
    if (idle_threads(v) > IDLE_MOST && idle_threads(&w) < idle_threads(v)) *v = w;
  }
  v->shared = lines_shared(v, st, v->zbits);
  return v->width <= GA_BLOCK && v->shared <= most;
}

/* Units and tickets of the spans. Returns 0 where they are too many. */
static int number_spans(ga_variant *v)
{
  for (uint64_t n = v->spans; n > 1; n = ceil_div(n, JOINED))
    v->tickets += (unsigned int)ceil_div(n, JOINED);
  v->units = v->groups * v->spans;
  v->grid = v->units < GA_GRID_MAX ? v->units : GA_GRID_MAX;
  return v->spans <= SPANS_MAX;
}

int ga_cut_chunks(ga_variant *v, const ga_layout *l, const ga_target *target, unsigned int units)
{
  uint64_t chunks = ceil_div(l->reduced, CHUNK);
  v->groups = l->kept / l->dims[l->nk - 1] * v->tiles;
  for (v->each = 1;; v->each *= 2) {
    v->spans = ceil_div(chunks, v->each << v->zbits);
    if (v->spans == 1 || v->each << v->zbits == (uint64_t)1 << DEPTH) break;
    if (v->spans * v->groups <= ga_enough(target, units)) break;
  }
  return number_spans(v);
}

/* Counts the spans of v->each passes of n; returns their units. */
static uint64_t count_units(ga_variant *v, uint64_t n)
{
  v->spans = ceil_div(n, v->each);
  return v->spans * v->groups;
}

/* Whether instructions bound a pass, not memory: functions, moments, and elements of two bytes that
 * are joined with what stands still. */
static int is_busy(const ga_variant *v, const ga_stage *st)
{
  const char kind = ga_dtypes[st->reductions[0].acc].kind;
  if (ga_has_moment(st) || ga_makes_functions(st, 1)) return 1;
  return v->still != 0 && ga_widest_reduced(st) <= 2 && kind == 'f';
}

/* Passes of a span, of n that a tile has, so that all are done soonest: where some multiprocessors
 * have two blocks and others one, that takes as long as if all had two. (H200, us, log-softmax's
 * sum along 30840 rows of [17, 30840, 128] float16 by 136, 272 and 544 units 78, 62 and 52.) */
static uint64_t soonest_passes(ga_variant *v, uint64_t n, uint64_t most, const ga_target *target)
{
  uint64_t room = ga_enough(target, v->resident), best = 1;
  double least = 0;
  for (v->each = 1;; v->each *= 2) {
    uint64_t turns = ceil_div(count_units(v, n), room), passes = v->each < n ? v->each : n;
    double cost = (double)turns * ((double)passes + 1.0 / PASS_COST);
    if (v->each == 1 || cost <= least) least = cost, best = v->each;
    if (v->spans == 1 || v->each >= most) return best;
  }
}

/* The same of lines' passes, n of a tile: no more spans than run at once, if these are about as
 * long as each other. */
static int cut_passes(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const ga_target *target)
{
  uint64_t n = ceil_div(ceil_div(l->reduced, CHUNK) << v->ybits, (uint64_t)1 << v->zbits), some;
  uint64_t most = ((uint64_t)1 << DEPTH) >> v->zbits;
  v->groups = l->kept / l->dims[l->nk - 1] * v->tiles;
  v->each = 1;
  while (count_units(v, n) > ga_enough(target, LINE_UNITS) && v->spans > 1 && v->each < most)
    v->each *= 2;
  some = v->each;
  while (count_units(v, n) > ga_enough(target, v->resident) && v->spans > 1 && v->each < most)
    v->each *= 2;
  if (count_units(v, n) > ga_enough(target, v->resident) ||
      (v->spans > 1 && 8 * v->spans * v->each > 9 * n))
    v->each = some;
  if (is_busy(v, st) && count_units(v, n) <= ga_enough(target, v->resident))
    v->each = soonest_passes(v, n, most, target);
  count_units(v, n);
  return number_spans(v);
}

/* Spans of each tile so that all are done soonest: those that run at once end at once, so a few
 * more than a multiprocessor has room for take as long as twice as many. */
static uint64_t count_spans(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                            const ga_target *target)
{
  uint64_t room = ga_enough(target, v->resident * (GA_BLOCK / v->block)), best = 1;
  double bytes = 0, least = 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_reduced(st, i)) bytes += (double)size_of(st, i);
  bytes *= (double)l->reduced * (double)l->kept;
  for (uint64_t n = 1; n == 1 || (n - 1) * v->groups < 3 * room; n++) {
    uint64_t units = n * v->groups;
    double cost = (double)ceil_div(units, room) * (bytes / (double)units + SPAN_COST);
    if (n == 1 || cost < least) least = cost, best = n;
  }
  return best;
}

/* The same where the order does not matter. */
static int cut_rows(ga_variant *v, const ga_stage *st, const ga_layout *l, const ga_target *target)
{
  uint64_t most = (uint64_t)SUB_MAX * v->nrows;
  v->groups = l->kept / l->dims[l->nk - 1] * v->tiles;
  v->spans = count_spans(v, st, l, target);
  if (!ga_narrows(st)) most = LOOSE_ROWS;
  if (ga_has_keys(st) && most > (uint64_t)KEY_LINES * v->nrows)
    most = (uint64_t)KEY_LINES * v->nrows;
  v->each = ceil_div(ceil_div(l->reduced, v->spans), ROWS) * ROWS;
  if (v->each > most) v->each = most;
  v->spans = ceil_div(l->reduced, v->each);
  return number_spans(v);
}

/* Registers of a thread where the order does not matter, as far as they are known. */
static size_t loose_registers(const ga_variant *v, const ga_stage *st, unsigned int inputs)
{
  if (ga_sums_narrow(st) && st->nreduction == 1) return 64;
  return 28 + (size_t)v->loads * inputs * 4 + (size_t)v->vec * ga_lane_size(v, st) / 4;
}

/* Blocks of a multiprocessor to leave registers for. */
static unsigned int resident(const ga_variant *v, const ga_stage *st, unsigned int inputs)
{
  size_t n = loose_registers(v, st, inputs);
  if (v->loose) return n <= 64 ? 4 : n <= 80 ? 3 : 2;
  if (inputs > 1) return inputs == 2 ? 2 : 1;
  if (ga_has_moment(st)) return 3;
  if (v->still != 0) return v->flat || ga_sub_size(st) > 4 || ga_makes_functions(st, 1) ? 2 : 3;
  return v->flat || ga_sub_size(st) > 4 ? 3 : 4;
}

/* Whether tiles, rows of which begin in the middle of vectors or not (`inside`), are faster than
 * columns by elements (reduce_columns.cu): those of 4 bytes and more are not, begun inside, where
 * the order does not matter and there is one result. The last chunk's moments are slow where it
 * lacks rows. */
static int tiles_pay(const ga_variant *v, const ga_stage *st, const ga_layout *l, int inside)
{
  size_t sub = ga_sub_size(st), widest = ga_widest_reduced(st);
  if (v->loose) return !inside || widest <= 2 || (size_t)v->vec * sub > 16;
  if (!ga_has_moment(st)) return !inside || widest < 8 || l->reduced >= 2 * CHUNK;
  if ((size_t)v->vec * sub > TILE_MOMENTS) return 0;
  return sub <= 8 || (!inside && l->reduced >= MOMENT_CHUNKS * CHUNK);
}

/* Rows of less than a chunk that lie on vectors are as fast walked down (variant_down.c), but for
 * bytes, where there are threads enough. */
static int walks_down(const ga_variant *v, const ga_layout *l, ssize_t widest, int inside,
                      const ga_target *target)
{
  return !inside && v->slip == 0 && widest > 1 &&
         l->kept / (uint64_t)v->vec >= ga_enough(target, DOWN_THREADS);
}

/* Whether operands that are ragged are better read so: in no order, and not where threads would
 * walk down them by vectors, which steps have none of. */
static int steps_well(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const ga_target *target)
{
  uint64_t inner = l->dims[l->nk - 1];
  int steps = 0;
  if (!v->loose || (!v->flat && 2 * inner < (uint64_t)v->vec)) return 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    steps |= is_reduced(st, i) && l->strides[i][l->nk - 1] != bytes_of(st, i);
  return steps || l->reduced >= CHUNK ||
         l->kept / (uint64_t)v->vec < ga_enough(target, DOWN_THREADS);
}

/* The same where some operand stands still, of which threads would have as many elements as a
 * vector: many columns are as fast by elements where these are functions' of 4 bytes and more, or
 * single bytes on vectors; such as fill a part of a vector are too. */
static int stands_well(const ga_variant *v, const ga_stage *st, const ga_layout *l, int inside)
{
  uint64_t inner = l->dims[l->nk - 1];
  if (!v->flat && 2 * inner < (uint64_t)v->vec) return 0;
  if (inner < STILL_MOST) return 1;
  if (ga_widest_moving(v, st) == 1 && !inside && v->slip == 0) return 0;
  return ga_widest_reduced(st) < 4 || !ga_makes_functions(st, 1);
}

/* Outer elements have at most two vectors a row, and two for each of a block's threads: what
 * threads have takes longer to be joined than to be read. */
static int is_small(const ga_layout *l, uint64_t vec)
{
  return l->dims[l->nk - 1] <= vec + 1 && l->reduced < GA_BLOCK &&
         l->kept / l->dims[l->nk - 1] > GA_BLOCK;
}

/* Positions are staged but where lanes would ask few banks. */
int ga_walks_lines(const ga_stage *st, const ga_layout *l, const ga_target *target)
{
  uint64_t inner = l->dims[l->nk - 1];
  return ga_stage_is_free(st) && !ga_narrows(st) && ga_widest_reduced(st) == 1 &&
         l->reduced * inner >= LINES_LEAST && (st->reductions[0].iota < 0 || inner % 8 == 0) &&
         l->kept * BLOCK_LEAST >= ga_enough(target, BLOCK_UNITS * GA_BLOCK) * inner;
}

int ga_variant_narrow(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, const ga_target *target)
{
  unsigned int inputs, first = first_walked(v, st, l, &inputs);
  ssize_t widest = (ssize_t)ga_widest_reduced(st);
  int inside;
  size_t words;
  ga_variant w = *v;
  if (v->bytes || (v->iota && st->nreduction != 1) || inputs == 0) return 0;
  if (l->nr != 1 || l->reduced < LOOSE_LEAST || l->kept == 0) return 0;
  w.vec = (int)(16 / widest);
  w.first = first;
  if (w.vec < 2 || !mark_ragged(&w, st, l, align, &words)) return 0;
  w.skeleton = GA_SKEL_NARROW;
  w.flat = (unsigned int)is_flat(&w, st, l);
  if (first != st->noperand)
    w.slip = (unsigned int)((l->strides[first][l->nk] / bytes_of(st, first)) & (w.vec - 1));
  w.vector = w.aligned = 1;
  w.loads = inputs == 1 ? 8 : inputs == 2 ? 4 : 2;
  w.loose = w.still == 0 && ga_stage_is_free(st) && loose_registers(&w, st, inputs) <= 128;
  if (w.fold > 1 && (!w.loose || w.iota)) return 0;
  if (!w.loose && (w.iota || l->reduced < CHUNK)) return 0;
  if (!w.loose) w.loads = 8;
  if (w.ragged != 0 && !steps_well(&w, st, l, target)) return 0;
  while (w.ragged != 0 && w.loads > 1 && (size_t)w.loads * words > LOOSE_WORDS) w.loads /= 2;
  w.nk = ga_rank_bound(l->nk - 1);
  inside = first != st->noperand && begins_inside(l, align, first, w.vec * bytes_of(st, first));
  if (w.loose && !w.flat && is_small(l, (uint64_t)w.vec)) return 0;
  if (w.still != 0 && !ga_has_moment(st) && !stands_well(&w, st, l, inside)) return 0;
  if (l->reduced < CHUNK && w.ragged == 0 && walks_down(&w, l, widest, inside, target)) return 0;
  if (!(w.loose ? shape_loose(&w, st, l, inside, target) : shape_lines(&w, st, l, inside, target)))
    return 0;
  if (!w.flat && !tiles_pay(&w, st, l, inside || w.slip != 0 || w.ragged != 0)) return 0;
  w.resident = resident(&w, st, inputs);
  if (!(w.loose ? cut_rows(&w, st, l, target) : cut_passes(&w, st, l, target))) return 0;
  *v = w;
  return 1;
}
