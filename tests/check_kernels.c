/* SPDX-License-Identifier: MIT */
/* The generated kernels, run on the host (tests/host_kernel.h): maps of every
 * class against a loop over the stage as it was given, reductions against the
 * tree of DESIGN.md ("Order of a reduction") to the bit. Skipped where there is
 * no C++ compiler. */
#include <math.h>

#include "tests/common.h"
#include "tests/host_kernel.h"
#include "tests/stages.h"

static const ga_target target = {132, 227 * 1024, 0, 0, 0};
static const ga_target small_target = {1, 48 * 1024, 0, 0, 0};

/* ---- arrays --------------------------------------------------------------- */

/* Memory of one operand, 16-aligned, with room around it. */
typedef struct mem {
  char *all, *base; /* base: where `offset` counts from */
  size_t size;
} mem;

/* Room for the operand's reach on both sides, filled with small values. */
static mem mem_new(const ga_stage *st, unsigned int i)
{
  const ga_operand *op = &st->operands[i];
  size_t low = 64, high = 64 + 16;
  mem m;
  for (unsigned int k = 0; k < st->nd; k++) {
    if (st->dims[k] == 0) continue;
    ssize_t reach = op->strides[k] * (ssize_t)(st->dims[k] - 1);
    if (reach < 0)
      low += (size_t)-reach;
    else
      high += (size_t)reach;
  }
  high += (size_t)(op->offset < 0 ? -op->offset : op->offset);
  low = (low + 63) / 64 * 64;
  m.size = (low + high + 63) / 64 * 64;
  ck_assert_int_eq(posix_memalign((void **)&m.all, 64, m.size), 0);
  m.base = m.all + low;
  uint32_t x = 12345 + i;
  for (size_t n = 0; n + 4 <= m.size; n += 4) {
    x = x * 1664525 + 1013904223;
    switch (op->dtype) {
    case GA_DT_FLOAT32: {
      float f = (float)(int)(x >> 8) / 65536.0f - 100;
      memcpy(m.all + n, &f, 4);
      break;
    }
    case GA_DT_FLOAT64:
      if (n % 8 == 0) {
        double d = (double)(int)(x >> 4) / 65536.0 - 1000;
        memcpy(m.all + n, &d, 8);
      }
      break;
    default: memcpy(m.all + n, &x, 4);
    }
  }
  return m;
}

/* Byte offset of loop position `pos` for operand i. */
static ssize_t at(const ga_stage *st, unsigned int i, const size_t *pos)
{
  ssize_t off = st->operands[i].offset;
  for (unsigned int k = 0; k < st->nd; k++) off += st->operands[i].strides[k] * (ssize_t)pos[k];
  return off;
}

/* The next position in C order among the axes with reduced == which (2: all);
 * 0 at the end. */
static int next(const ga_stage *st, size_t *pos, int which)
{
  for (unsigned int k = st->nd; k-- > 0;) {
    if (which != 2 && st->reduced[k] != which) continue;
    if (++pos[k] < st->dims[k]) return 1;
    pos[k] = 0;
  }
  return 0;
}

static size_t count(const ga_stage *st, int which)
{
  size_t n = 1;
  for (unsigned int k = 0; k < st->nd; k++)
    if (which == 2 || st->reduced[k] == which) n *= st->dims[k];
  return n;
}

/* ---- maps ----------------------------------------------------------------- */

/* a + b of float32, or float32 a + int16 b into float64. */
/* float32 + float32, float32 + int16 to float64, int8 + int8 */
enum { PLAIN, MIXED, NARROW };

typedef struct map_case {
  const char *name;
  enum ga_class cls;
  int mixed; /* one of these */
  unsigned int nd;
  size_t dims[5];
  ssize_t a[5], b[5], o[5]; /* strides in elements */
  int aoff, boff, ooff;     /* in bytes */
} map_case;

static const map_case maps[] = {
    {"0-d", GA_CLASS_CONTIG, 0, 0, {0}, {0}, {0}, {0}, 0, 0, 0},
    {"one element", GA_CLASS_CONTIG, 0, 2, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 0, 0, 0},
    {"none", GA_CLASS_CONTIG, 0, 2, {3, 0}, {0, 1}, {0, 1}, {0, 1}, 0, 0, 0},
    {"31", GA_CLASS_CONTIG, 0, 1, {31}, {1}, {1}, {1}, 0, 0, 0},
    {"1025", GA_CLASS_CONTIG, 0, 1, {1025}, {1}, {1}, {1}, 0, 0, 0},
    {"all shifted alike", GA_CLASS_CONTIG, 0, 1, {1033}, {1}, {1}, {1}, 4, 4, 4},
    {"inputs shifted apart", GA_CLASS_CONTIG, 0, 1, {1033}, {1}, {1}, {1}, 4, 8, 12},
    {"b stays", GA_CLASS_CONTIG, 0, 1, {517}, {1}, {0}, {1}, 4, 0, 0},
    {"unaligned", GA_CLASS_CONTIG, 0, 1, {301}, {1}, {1}, {1}, 1, 0, 0},
    {"unaligned output", GA_CLASS_CONTIG, 0, 1, {301}, {1}, {1}, {1}, 0, 0, 3},
    {"mixed", GA_CLASS_CONTIG, 1, 1, {1031}, {1}, {1}, {1}, 0, 0, 0},
    {"mixed shifted", GA_CLASS_CONTIG, 1, 1, {1031}, {1}, {1}, {1}, 4, 2, 8},
    {"mixed shifted odd", GA_CLASS_CONTIG, 1, 1, {1031}, {1}, {1}, {1}, 12, 14, 0},
    {"merged 2-d", GA_CLASS_CONTIG, 0, 2, {33, 31}, {31, 1}, {31, 1}, {31, 1}, 0, 0, 0},
    {"f order merged", GA_CLASS_CONTIG, 0, 2, {33, 31}, {1, 33}, {1, 33}, {1, 33}, 0, 0, 0},
    {"both reversed", GA_CLASS_CONTIG, 0, 1, {333}, {-1}, {-1}, {-1}, 0, 0, 0},
    {"b reversed", GA_CLASS_STRIDED, 0, 1, {333}, {1}, {-1}, {1}, 0, 0, 0},
    {"row broadcast", GA_CLASS_INNER, 0, 2, {37, 64}, {64, 1}, {0, 1}, {64, 1}, 0, 0, 0},
    {"column broadcast", GA_CLASS_INNER, 0, 2, {37, 65}, {65, 1}, {1, 0}, {65, 1}, 0, 0, 0},
    {"outer", GA_CLASS_INNER, 0, 2, {37, 65}, {1, 0}, {0, 1}, {65, 1}, 4, 4, 8},
    {"slices", GA_CLASS_INNER, 0, 2, {29, 63}, {64, 1}, {65, 1}, {63, 1}, 4, 0, 0},
    {"slices in 3-d",
     GA_CLASS_INNER,
     0,
     3,
     {5, 7, 40},
     {1000, 48, 1},
     {999, 44, 1},
     {280, 40, 1},
     0,
     8,
     0},
    {"slices in 4-d",
     GA_CLASS_INNER,
     0,
     4,
     {3, 4, 5, 33},
     {2000, 500, 40, 1},
     {2001, 333, 64, 1},
     {660, 165, 33, 1},
     0,
     0,
     0},
    {"slices in 5-d",
     GA_CLASS_INNER,
     0,
     5,
     {2, 3, 2, 3, 35},
     {4000, 1300, 600, 40, 1},
     {5000, 1400, 500, 64, 1},
     {630, 210, 105, 35, 1},
     0,
     0,
     0},
    {"mixed slices", GA_CLASS_INNER, 1, 2, {29, 63}, {64, 1}, {65, 1}, {63, 1}, 4, 2, 8},
    {"rows with gaps", GA_CLASS_INNER, 0, 2, {29, 63}, {63, 1}, {0, 1}, {65, 1}, 4, 0, 8},
    {"rows with gaps, in step", GA_CLASS_INNER, 0, 2, {29, 63}, {65, 1}, {69, 1}, {65, 1}, 8, 8, 8},
    {"mixed rows with gaps", GA_CLASS_INNER, 1, 2, {29, 63}, {63, 1}, {64, 1}, {67, 1}, 4, 2, 8},
    {"narrow rows with gaps", GA_CLASS_INNER, 2, 2, {29, 63}, {63, 1}, {64, 1}, {65, 1}, 3, 0, 5},
    {"narrow rows with gaps, in step",
     GA_CLASS_INNER,
     2,
     2,
     {29, 99},
     {101, 1},
     {117, 1},
     {101, 1},
     5,
     5,
     5},
    {"narrow rows with gaps + column",
     GA_CLASS_INNER,
     2,
     3,
     {3, 5, 40},
     {1000, 41, 1},
     {5, 1, 0},
     {700, 50, 1},
     1,
     2,
     15},
    {"unaligned rows", GA_CLASS_INNER, 0, 2, {9, 63}, {64, 1}, {65, 1}, {63, 1}, 2, 0, 0},
    {"odd rows + row", GA_CLASS_INNER, 0, 2, {29, 63}, {63, 1}, {0, 1}, {63, 1}, 4, 8, 12},
    {"mixed odd rows + column", GA_CLASS_INNER, 1, 2, {29, 63}, {63, 1}, {1, 0}, {63, 1}, 4, 2, 8},
    {"short rows + row", GA_CLASS_STRIDED, 0, 2, {333, 3}, {3, 1}, {0, 1}, {3, 1}, 4, 0, 8},
    {"steps of 2", GA_CLASS_STRIDED, 0, 1, {1025}, {2}, {2}, {1}, 0, 4, 0},
    {"transposed", GA_CLASS_TILE, 0, 2, {45, 45}, {45, 1}, {1, 45}, {45, 1}, 0, 0, 0},
    {"transposed of 70 by 33", GA_CLASS_TILE, 0, 2, {70, 33}, {1, 70}, {1, 71}, {33, 1}, 4, 8, 12},
    {"transposed of 131 by 67",
     GA_CLASS_TILE,
     0,
     2,
     {131, 67},
     {1, 131},
     {67, 1},
     {67, 1},
     4,
     8,
     12},
    {"transposed of 67 by 131",
     GA_CLASS_TILE,
     0,
     2,
     {67, 131},
     {1, 68},
     {1, 67},
     {131, 1},
     0,
     4,
     8},
    {"transposed mixed", GA_CLASS_TILE, 1, 2, {70, 33}, {33, 1}, {1, 71}, {33, 1}, 0, 2, 0},
    {"transposed in 4-d",
     GA_CLASS_TILE,
     0,
     4,
     {3, 40, 5, 17},
     {3400, 1, 40, 200},
     {3400, 85, 17, 1},
     {3400, 85, 17, 1},
     0,
     0,
     0},
    {"transposed, a step of 2", GA_CLASS_TILE, 0, 2, {40, 40}, {2, 80}, {80, 1}, {40, 1}, 0, 0, 0},
    {"transposed backwards", GA_CLASS_TILE, 0, 2, {40, 40}, {-1, 40}, {40, 1}, {40, 1}, 0, 0, 0},
    {"transposed unaligned", GA_CLASS_TILE, 0, 2, {40, 40}, {1, 40}, {40, 1}, {40, 1}, 1, 0, 0},
    {"output in f order", GA_CLASS_TILE, 0, 2, {40, 50}, {50, 1}, {50, 1}, {1, 40}, 0, 0, 0},
    {"narrow", GA_CLASS_STRIDED, 0, 2, {1000, 3}, {4, 1}, {0, 1}, {3, 1}, 0, 0, 0},
    {"3-d shuffled",
     GA_CLASS_STRIDED,
     0,
     3,
     {7, 11, 13},
     {1, 7, 77},
     {13, 91, 1},
     {143, 13, 1},
     0,
     0,
     0},
    {"woven to planes",
     GA_CLASS_STRIDED,
     0,
     3,
     {2, 3, 601},
     {1803, 1, 3},
     {0, 1, 0},
     {1803, 601, 1},
     4,
     0,
     8},
    {"planes to woven",
     GA_CLASS_STRIDED,
     0,
     3,
     {3, 601, 4},
     {2404, 1, 601},
     {2404, 4, 1},
     {2500, 4, 1},
     12,
     8,
     4},
    {"mixed planes to woven",
     GA_CLASS_STRIDED,
     1,
     4,
     {2, 3, 257, 5},
     {3855, 1285, 1, 257},
     {3860, 1286, 5, 1},
     {3855, 1285, 5, 1},
     4,
     6,
     8},
    {"mixed woven to planes",
     GA_CLASS_STRIDED,
     1,
     3,
     {2, 8, 300},
     {2400, 1, 8},
     {2401, 1, 8},
     {2404, 300, 1},
     0,
     2,
     8},
    {"5-d",
     GA_CLASS_STRIDED,
     0,
     5,
     {2, 3, 4, 5, 6},
     {2, 4, 12, 48, 240},
     {360, -120, 30, -6, 1},
     {720, 240, 60, 12, 2},
     0,
     0,
     0},
    {"unaligned steps", GA_CLASS_STRIDED, 0, 1, {333}, {2}, {2}, {1}, 1, 0, 0},
};
#define NMAPS (sizeof maps / sizeof maps[0])

static void check_map(const ga_stage *st, const mem *m, const char *before, int mixed,
                      const char *name)
{
  size_t pos[GA_MAXND] = {0};
  char *want = malloc(m[2].size);
  memcpy(want, before, m[2].size);
  ssize_t base = m[2].base - m[2].all;
  if (count(st, 2) != 0) do {
      float a;
      memcpy(&a, m[0].base + at(st, 0, pos), 4);
      if (mixed == NARROW) {
        *(want + base + at(st, 2, pos)) =
            (char)(*(m[0].base + at(st, 0, pos)) + *(m[1].base + at(st, 1, pos)));
      } else if (mixed == MIXED) {
        int16_t b;
        memcpy(&b, m[1].base + at(st, 1, pos), 2);
        double d = (double)a + b;
        memcpy(want + base + at(st, 2, pos), &d, 8);
      } else {
        float b, c;
        memcpy(&b, m[1].base + at(st, 1, pos), 4);
        c = a + b;
        memcpy(want + base + at(st, 2, pos), &c, 4);
      }
    } while (next(st, pos, 2));
  for (size_t i = 0; i < m[2].size; i++)
    ck_assert_msg(want[i] == m[2].all[i], "%s: byte %zd differs", name, (ssize_t)i - base);
  free(want);
}

START_TEST(maps_match_the_loop)
{
  const map_case *c = &maps[_i];
  stage_box b;
  mem m[3];
  char *base[3], *before;
  enum ga_class cls;
  enum ga_dtype types[3] = {GA_DT_FLOAT32, c->mixed == MIXED ? GA_DT_INT16 : GA_DT_FLOAT32,
                            c->mixed == MIXED ? GA_DT_FLOAT64 : GA_DT_FLOAT32};
  if (c->mixed == NARROW) types[0] = types[1] = types[2] = GA_DT_INT8;
  const ssize_t *strides[3] = {c->a, c->b, c->o};
  const int offsets[3] = {c->aoff, c->boff, c->ooff};
  if (!host_kernel_available()) return;
  box_init(&b, c->nd, c->dims, NULL);
  for (int i = 0; i < 3; i++) {
    ssize_t s[5];
    for (int k = 0; k < 5; k++) s[k] = strides[i][k] * ga_dtypes[types[i]].size;
    box_operand(&b, types[i], s, i == 2 ? BOX_OUT : BOX_IN);
    b.operands[i].offset = offsets[i];
    m[i] = mem_new(&b.st, (unsigned int)i);
    base[i] = m[i].base;
  }
  int x = box_load(&b, 0, 0), y = box_load(&b, 1, 0);
  if (c->mixed == MIXED) {
    x = box_cast(&b, GA_DT_FLOAT64, x);
    y = box_cast(&b, GA_DT_FLOAT64, y);
  }
  box_store(&b, 2, box_op(&b, GA_OP_add, x, y));
  before = malloc(m[2].size);
  memcpy(before, m[2].all, m[2].size);
  host_kernel_run(&b.st, base, NULL, &target, 0, &cls);
  ck_assert_msg(cls == c->cls, "%s: class %d, not %d", c->name, (int)cls, (int)c->cls);
  check_map(&b.st, m, before, c->mixed, c->name);
  free(before);
  for (int i = 0; i < 3; i++) free(m[i].all);
}
END_TEST

/* ---- reductions ----------------------------------------------------------- */

typedef struct leaf {
  float sum; /* of squares */
  float max;
  int64_t arg; /* of the maximum */
} leaf;

static leaf join(leaf a, leaf b)
{
  leaf r;
  r.sum = a.sum + b.sum;
  int keep = a.max > b.max || (a.max == b.max && a.arg < b.arg);
  r.max = keep ? a.max : b.max;
  r.arg = keep ? a.arg : b.arg;
  return r;
}

static const int bit_order[10] = {9, 8, 7, 0, 1, 6, 5, 4, 3, 2};

/* The subtree of the first `depth` bits of the order, at `base`; 0: missing. */
static int chunk_tree(const leaf *v, size_t n, size_t base, int depth, leaf *r)
{
  leaf a, b;
  if (depth == 0) {
    if (base >= n) return 0;
    *r = v[base];
    return 1;
  }
  int ha = chunk_tree(v, n, base, depth - 1, &a);
  int hb = chunk_tree(v, n, base | (size_t)1 << bit_order[depth - 1], depth - 1, &b);
  *r = ha && hb ? join(a, b) : ha ? a : b;
  return ha || hb;
}

/* Chunks [first, first + n), n a power of two. */
static int tree(const leaf *v, size_t total, size_t first, size_t n, leaf *r)
{
  leaf a, b;
  if (first * 1024 >= total) return 0;
  if (n == 1) return chunk_tree(v + first * 1024, total - first * 1024, 0, 10, r);
  int ha = tree(v, total, first, n / 2, &a), hb = tree(v, total, first + n / 2, n / 2, &b);
  *r = ha && hb ? join(a, b) : ha ? a : b;
  return ha || hb;
}

typedef struct reduce_case {
  const char *name;
  enum ga_class cls;
  unsigned int nd;
  size_t dims[5];
  const char *axes;
  ssize_t a[5]; /* strides in elements */
  int aoff;     /* bytes */
  /* the axes, reduced ones only, in the canonical order: outermost first */
  int order[5];
  int flip; /* the reduced axes are walked from their other end */
} reduce_case;

static const reduce_case reduces[] = {
    {"1", GA_CLASS_GATHER, 1, {1}, "r", {1}, 0, {0}, 0},
    {"33", GA_CLASS_ROWS, 1, {33}, "r", {1}, 0, {0}, 0},
    {"1023", GA_CLASS_ROWS, 1, {1023}, "r", {1}, 0, {0}, 0},
    {"1025", GA_CLASS_ROWS, 1, {1025}, "r", {1}, 4, {0}, 0},
    {"70000", GA_CLASS_ROWS, 1, {70000}, "r", {1}, 0, {0}, 0},
    {"300001", GA_CLASS_ROWS, 1, {300001}, "r", {1}, 12, {0}, 0},
    {"70000 backwards", GA_CLASS_ROWS, 1, {70000}, "r", {-1}, 0, {0}, 1},
    {"unaligned", GA_CLASS_GATHER + 10, 1, {3000}, "r", {1}, 1, {0}, 0},
    {"rows of 3", GA_CLASS_ROWS, 2, {1000, 3}, "kr", {3, 1}, 0, {1}, 0},
    {"rows of 4", GA_CLASS_ROWS, 2, {1000, 4}, "kr", {4, 1}, 0, {1}, 0},
    {"rows of 33", GA_CLASS_ROWS, 2, {77, 33}, "kr", {33, 1}, 0, {1}, 0},
    {"rows of 128", GA_CLASS_ROWS, 2, {77, 128}, "kr", {130, 1}, 0, {1}, 0},
    {"rows of 129", GA_CLASS_ROWS, 2, {77, 129}, "kr", {129, 1}, 0, {1}, 0},
    {"rows of 2500", GA_CLASS_ROWS, 2, {70, 2500}, "kr", {2500, 1}, 0, {1}, 0},
    {"rows of 50000", GA_CLASS_ROWS, 2, {3, 50000}, "kr", {50001, 1}, 0, {1}, 0},
    {"rows of 1", GA_CLASS_GATHER, 2, {300, 1}, "kr", {1, 1}, 0, {1}, 0},
    {"columns of 33", GA_CLASS_COLUMNS, 2, {33, 77}, "rk", {77, 1}, 0, {0}, 0},
    {"columns of 1500", GA_CLASS_COLUMNS, 2, {1500, 40}, "rk", {40, 1}, 0, {0}, 0},
    {"columns of 20000", GA_CLASS_COLUMNS, 2, {20000, 8}, "rk", {8, 1}, 4, {0}, 0},
    {"columns, 3 wide", GA_CLASS_COLUMNS, 2, {20000, 3}, "rk", {3, 1}, 0, {0}, 0},
    {"columns of 3", GA_CLASS_COLUMNS, 2, {3, 5000}, "rk", {5000, 1}, 0, {0}, 0},
    {"columns with a step", GA_CLASS_COLUMNS, 2, {700, 50}, "rk", {100, 2}, 0, {0}, 0},
    {"columns apart", GA_CLASS_COLUMNS, 2, {700, 50}, "rk", {51, 1}, 0, {0}, 0},
    {"columns of 2 axes", GA_CLASS_COLUMNS, 3, {30, 40, 50}, "rrk", {3000, 70, 1}, 0, {0, 1}, 0},
    {"middle axis", GA_CLASS_COLUMNS, 3, {20, 300, 30}, "krk", {9000, 30, 1}, 0, {1}, 0},
    {"outer axes", GA_CLASS_ROWS, 3, {20, 30, 300}, "rkr", {9000, 300, 1}, 0, {0, 2}, 0},
    {"outer axes odd", GA_CLASS_ROWS, 3, {20, 7, 303}, "rkr", {9001, 303, 1}, 0, {0, 2}, 0},
    {"outer axes short", GA_CLASS_GATHER, 3, {20, 30, 31}, "rkr", {930, 31, 1}, 0, {0, 2}, 0},
    {"fours inside", GA_CLASS_GATHER, 3, {300, 5, 4}, "rkr", {20, 4, 1}, 0, {0, 2}, 0},
    {"eights inside", GA_CLASS_GATHER, 3, {2100, 33, 8}, "rkr", {264, 8, 1}, 0, {0, 2}, 0},
    {"eights in 3", GA_CLASS_GATHER, 3, {2100, 3, 8}, "rkr", {32, 8, 1}, 0, {0, 2}, 0},
    {"16 in 5-d",
     GA_CLASS_ROWS,
     5,
     {20, 3, 8, 5, 16},
     "rkrkr",
     {1920, 640, 80, 16, 1},
     0,
     {0, 2, 4},
     0},
    {"64 inside", GA_CLASS_ROWS, 3, {70, 9, 64}, "rkr", {576, 64, 1}, 0, {0, 2}, 0},
    {"128 inside", GA_CLASS_ROWS, 3, {70, 9, 128}, "rkr", {1152, 128, 1}, 0, {0, 2}, 0},
    {"step of 3", GA_CLASS_GATHER, 2, {11, 2000}, "kr", {6000, 3}, 0, {1}, 0},
    {"f order", GA_CLASS_GATHER, 2, {50, 60}, "rr", {1, 50}, 0, {1, 0}, 0},
    {"f order apart", GA_CLASS_GATHER, 3, {50, 6, 7}, "rrr", {1, 51, 310}, 0, {2, 1, 0}, 0},
    {"5-d", GA_CLASS_COLUMNS, 5, {3, 4, 5, 6, 7}, "rkrkr", {840, 1, 28, 4, 140}, 0, {0, 4, 2}, 0},
};
#define NREDUCES (sizeof reduces / sizeof reduces[0])

/* The leaves of the output at `pos`, in the canonical order. */
static size_t leaves(const ga_stage *st, const mem *m, const reduce_case *c, size_t *pos, leaf **v)
{
  unsigned int nr = 0;
  size_t n = count(st, 1), c_order[5] = {0}, step = 1;
  for (unsigned int k = st->nd; k-- > 0;)
    if (st->reduced[k]) c_order[k] = step, step *= st->dims[k], nr++;
  *v = malloc((n + 1) * sizeof **v);
  for (size_t r = 0; r < n; r++) {
    size_t rest = r;
    int64_t arg = 0;
    for (unsigned int k = nr; k-- > 0;) {
      int axis = c->order[k];
      pos[axis] = rest % st->dims[axis];
      rest /= st->dims[axis];
      if (c->flip) pos[axis] = st->dims[axis] - 1 - pos[axis];
      arg += (int64_t)(pos[axis] * c_order[axis]);
    }
    float x;
    memcpy(&x, m->base + at(st, 0, pos), 4);
    (*v)[r].sum = x * x;
    (*v)[r].max = x;
    (*v)[r].arg = arg;
  }
  for (unsigned int k = 0; k < st->nd; k++)
    if (st->reduced[k]) pos[k] = 0;
  return n;
}

static void check_reduce(const ga_stage *st, const mem *m, const reduce_case *c)
{
  size_t pos[GA_MAXND] = {0};
  do {
    leaf *v, want = {0, 0, 0};
    float sum, w;
    int64_t arg;
    memcpy(&w, m[3].base + at(st, 3, pos), 4);
    size_t n = leaves(st, &m[0], c, pos, &v), chunks = 1;
    while (chunks * 1024 < n) chunks *= 2;
    tree(v, n, 0, chunks, &want);
    free(v);
    want.sum = want.sum / w;
    memcpy(&sum, m[1].base + at(st, 1, pos), 4);
    memcpy(&arg, m[2].base + at(st, 2, pos), 8);
    ck_assert_msg(memcmp(&sum, &want.sum, 4) == 0, "%s: the sum at %zu,%zu is %a, not %a", c->name,
                  pos[0], pos[1], sum, want.sum);
    ck_assert_msg(arg == want.arg, "%s: the index at %zu,%zu is %lld, not %lld", c->name, pos[0],
                  pos[1], (long long)arg, (long long)want.arg);
  } while (next(st, pos, 0));
}

/* sum(a*a) / w and argmax(a), w being an array of the kept axes. */
START_TEST(reductions_follow_the_tree)
{
  const reduce_case *c = &reduces[_i / 2];
  int reverse = _i % 2;
  stage_box b;
  mem m[4];
  char *base[4];
  ssize_t s[5];
  enum ga_class cls, want = c->cls;
  if (!host_kernel_available()) return;
  if (want == GA_CLASS_GATHER + 10) want = GA_CLASS_ROWS;
  box_init(&b, c->nd, c->dims, c->axes);
  for (int k = 0; k < 5; k++) s[k] = c->a[k] * 4;
  box_operand(&b, GA_DT_FLOAT32, s, BOX_IN);
  b.operands[0].offset = c->aoff;
  box_c_order(&b, 'k', 4, s);
  box_operand(&b, GA_DT_FLOAT32, s, BOX_OUT);
  box_c_order(&b, 'k', 8, s);
  box_operand(&b, GA_DT_INT64, s, BOX_OUT);
  box_c_order(&b, 'k', 4, s);
  box_operand(&b, GA_DT_FLOAT32, s, BOX_OUTER);
  for (unsigned int i = 0; i < 4; i++) {
    m[i] = mem_new(&b.st, i);
    base[i] = m[i].base;
  }
  int x = box_load(&b, 0, 0), i = box_iota(&b);
  int sum = box_reduce(&b, GA_REDUCE_sum, box_op(&b, GA_OP_multiply, x, x), -1);
  int arg = box_reduce(&b, GA_REDUCE_argmax, x, i);
  box_store(&b, 1, box_op(&b, GA_OP_divide, sum, box_load(&b, 3, 1)));
  box_store(&b, 2, arg);
  host_kernel_run(&b.st, base, NULL, reverse ? &small_target : &target, reverse, &cls);
  ck_assert_msg(cls == want, "%s: class %d, not %d", c->name, (int)cls, (int)want);
  check_reduce(&b.st, m, c);
  for (int k = 0; k < 4; k++) free(m[k].all);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(maps_match_the_loop, NMAPS),
    CASE_LOOP(reductions_follow_the_tree, NREDUCES * 2),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("kernels: no C++ compiler; nothing was run\n");
  return test_main("kernels", cases);
}
