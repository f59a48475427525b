/* SPDX-License-Identifier: MIT */
/* The generated kernels, run on the host (tests/host_kernel.h): maps of every class against a
 * loop over the stage as it was given. Skipped where there is no C++ compiler. */
#include "tests/host_kernel.h"
#include "tests/kernel_memory.h"

static const ga_target target = {132, 227 * 1024, 0, 0, 0};

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
    {"crossed along two axes",
     GA_CLASS_TILE,
     0,
     3,
     {17, 19, 37},
     {1, 680, 17},
     {740, 1, 20},
     {760, 40, 1},
     4,
     0,
     8},
    {"narrow ones crossed along two axes",
     GA_CLASS_TILE,
     2,
     3,
     {17, 39, 70},
     {1, 1270, 18},
     {2831, 1, 40},
     {2760, 70, 1},
     3,
     6,
     1},
    {"narrow ones crossed by words",
     GA_CLASS_TILE,
     2,
     3,
     {36, 44, 72},
     {1, 2592, 36},
     {3168, 1, 44},
     {3168, 72, 1},
     0,
     0,
     0},
    {"narrow ones crossed by words, inputs shifted",
     GA_CLASS_TILE,
     2,
     3,
     {36, 44, 72},
     {1, 2592, 36},
     {3168, 1, 44},
     {3168, 72, 1},
     3,
     1,
     0},
    {"narrow ones turned", GA_CLASS_TILE, 2, 2, {130, 301}, {301, 1}, {1, 131}, {301, 1}, 3, 2, 5},
    {"narrow ones turned, no column",
     GA_CLASS_TILE,
     2,
     2,
     {126, 227},
     {0, 1},
     {1, 127},
     {229, 1},
     0,
     1,
     0},
    {"both narrow ones turned",
     GA_CLASS_TILE,
     2,
     2,
     {131, 150},
     {1, 133},
     {1, 131},
     {150, 1},
     1,
     2,
     7},
    {"narrow rows of whole sectors turned",
     GA_CLASS_TILE,
     2,
     2,
     {125, 320},
     {320, 1},
     {1, 125},
     {320, 1},
     0,
     3,
     0},
    {"short narrow rows turned",
     GA_CLASS_TILE,
     2,
     3,
     {3, 125, 65},
     {8125, 65, 1},
     {8125, 1, 125},
     {8125, 65, 1},
     1,
     2,
     3},
    {"narrow ones turned, lines backwards",
     GA_CLASS_TILE,
     2,
     2,
     {130, 301},
     {301, 1},
     {1, -131},
     {301, 1},
     3,
     2,
     5},
    {"mixed ones turned", GA_CLASS_TILE, 1, 2, {70, 133}, {133, 1}, {1, 71}, {133, 1}, 4, 6, 8},
    {"mixed ones turned, rows of whole sectors",
     GA_CLASS_TILE,
     1,
     2,
     {63, 140},
     {140, 1},
     {1, 63},
     {140, 1},
     0,
     2,
     0},
    {"narrow ones crossed backwards",
     GA_CLASS_TILE,
     2,
     3,
     {37, 45, 70},
     {-1, 2590, 37},
     {3150, -1, 45},
     {3150, 70, 1},
     0,
     0,
     0},
    {"mixed ones crossed along two axes",
     GA_CLASS_TILE,
     1,
     4,
     {17, 3, 39, 35},
     {-2, 25000, 1190, 34},
     {5000, 1600, 1, 40},
     {5000, 1400, 35, 1},
     4,
     2,
     8},
    {"small narrow matrices",
     GA_CLASS_TILE,
     2,
     3,
     {37, 16, 19},
     {304, 19, 1},
     {304, 1, 16},
     {304, 19, 1},
     3,
     1,
     0},
    {"small narrow matrices that fill boxes",
     GA_CLASS_TILE,
     2,
     3,
     {37, 16, 16},
     {256, 1, 16},
     {256, 16, 1},
     {256, 16, 1},
     3,
     1,
     0},
    {"small matrices",
     GA_CLASS_TILE,
     0,
     3,
     {11, 16, 20},
     {320, 1, 16},
     {0, 20, 1},
     {320, 20, 1},
     4,
     0,
     8},
    {"tiny narrow matrices",
     GA_CLASS_STRIDED,
     2,
     3,
     {95, 5, 7},
     {35, 7, 1},
     {35, 1, 5},
     {35, 7, 1},
     0,
     5,
     1},
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

static const test_case cases[] = {
    CASE_LOOP(maps_match_the_loop, NMAPS),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("kernels: no C++ compiler; nothing was run\n");
  return test_main("kernels", cases);
}
