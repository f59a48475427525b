/* SPDX-License-Identifier: MIT */
/* Loops past 2^31 and 2^32 bytes, through the kernels' 64-bit forms: arrays that
 * are mostly holes in an address space, of which only what the loop touches is
 * ever there. Each form of kernel meets one. Values are small whole numbers, so
 * every order of summing gives the same. Skipped, and said, where so much address
 * space or a C++ compiler is missing. */
#include <sys/mman.h>

#include "tests/common.h"
#include "tests/host_kernel.h"
#include "tests/stages.h"

#define GAP   ((1ll << 32) + 64) /* bytes */
#define SPACE ((size_t)20 << 30)

static const ga_target target = {132, 227 * 1024, 0, 0, 0};

typedef struct wide_case {
  const char *name;
  enum ga_class cls;
  unsigned int nd;
  size_t dims[4];
  const char *axes;
  ssize_t a[4], o[4]; /* strides in bytes */
} wide_case;

static const wide_case wides[] = {
    {"inner", GA_CLASS_INNER, 2, {3, 100}, NULL, {GAP, 4}, {400, 4}},
    {"inner, output far", GA_CLASS_INNER, 2, {3, 101}, NULL, {404, 4}, {GAP, 4}},
    {"inner of 4", GA_CLASS_INNER, 4, {3, 2, 2, 33}, NULL, {GAP, 800, 300, 4}, {4000, 900, 200, 4}},
    {"strided", GA_CLASS_STRIDED, 2, {3, 100}, NULL, {GAP, 8}, {400, 4}},
    {"strided backwards", GA_CLASS_STRIDED, 2, {100, 3}, NULL, {-8, -GAP}, {12, 4}},
    {"stays, far", GA_CLASS_STRIDED, 3, {3, 5, 7}, NULL, {0, GAP / 2, 0}, {140, 28, 4}},
    {"tile", GA_CLASS_TILE, 3, {3, 40, 40}, NULL, {GAP, 4, 160}, {6400, 160, 4}},
    {"rows", GA_CLASS_ROWS, 2, {3, 3000}, "kr", {GAP, 4}, {4, 0}},
    {"rows, short", GA_CLASS_ROWS, 2, {3, 30}, "kr", {GAP, 4}, {4, 0}},
    {"rows of rows", GA_CLASS_ROWS, 2, {3, 2000}, "rr", {GAP, 4}, {0, 0}},
    {"gather", GA_CLASS_GATHER, 2, {3, 2000}, "rr", {GAP, 12}, {0, 0}},
    {"gather backwards", GA_CLASS_GATHER, 2, {2000, 3}, "rk", {-12, -GAP}, {0, 4}},
    {"short axis inside", GA_CLASS_GATHER, 3, {3, 700, 3}, "rkr", {GAP, 12, 4}, {0, 4, 0}},
    {"short axis inside, far apart",
     GA_CLASS_GATHER,
     4,
     {3, 150, 20, 3},
     "krkr",
     {GAP, 260, 12, 4},
     {80, 0, 4, 0}},
    {"columns", GA_CLASS_COLUMNS, 2, {3, 100}, "rk", {GAP, 4}, {0, 4}},
    {"columns, far apart", GA_CLASS_COLUMNS, 3, {3, 1500, 20}, "krk", {GAP, 80, 4}, {80, 0, 4}},
    {"columns, output far", GA_CLASS_COLUMNS, 3, {3, 150, 20}, "krk", {12000, 80, 4}, {GAP, 0, 4}},
};
#define NWIDES (sizeof wides / sizeof wides[0])

static char *reserve(void)
{
  void *p =
      mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

static ssize_t at(const ga_stage *st, unsigned int i, const size_t *pos)
{
  ssize_t off = 0;
  for (unsigned int k = 0; k < st->nd; k++) off += st->operands[i].strides[k] * (ssize_t)pos[k];
  return off;
}

static int next(const ga_stage *st, size_t *pos)
{
  for (unsigned int k = st->nd; k-- > 0;) {
    if (++pos[k] < st->dims[k]) return 1;
    pos[k] = 0;
  }
  return 0;
}

/* Of the element at an offset; of any two, mostly another. */
static float value(ssize_t off) { return (float)((off / 4 * 7 + off / 1000003) % 97); }

START_TEST(wide_loops_reach_far)
{
  const wide_case *w = &wides[_i];
  int reduce = w->axes != NULL;
  stage_box b;
  ga_layout l;
  enum ga_class cls;
  size_t pos[GA_MAXND] = {0};
  char *space[2] = {reserve(), reserve()}, *base[2];
  static float want[20000];
  if (!host_kernel_available() || space[0] == NULL || space[1] == NULL) return;
  box_init(&b, w->nd, w->dims, w->axes);
  int a = box_operand(&b, GA_DT_FLOAT32, w->a, BOX_IN);
  int o = box_operand(&b, GA_DT_FLOAT32, w->o, BOX_OUT), x = box_load(&b, a, 0);
  box_store(&b, o, reduce ? box_reduce(&b, GA_REDUCE_sum, x, -1) : x);
  OK(ga_layout_make(&l, &b.st));
  ck_assert_msg(l.wide, "%s: 32 bits suffice", w->name);
  ga_layout_clear(&l);
  /* in the middle of its space, so that both ways are open */
  for (int i = 0; i < 2; i++) base[i] = space[i] + SPACE / 2;
  do {
    float v = value(at(&b.st, 0, pos));
    memcpy(base[0] + at(&b.st, 0, pos), &v, 4);
  } while (next(&b.st, pos));
  host_kernel_run(&b.st, base, NULL, &target, 0, &cls);
  ck_assert_msg(cls == w->cls, "%s: class %d, not %d", w->name, (int)cls, (int)w->cls);
  /* sums are gathered in the order that outputs are first met */
  memset(want, 0, sizeof want);
  for (int pass = 0; pass < 2; pass++) {
    do {
      size_t n = 0;
      float got;
      for (unsigned int k = 0; k < w->nd; k++)
        if (!b.st.reduced[k]) n = n * w->dims[k] + pos[k];
      memcpy(&got, base[1] + at(&b.st, 1, pos), 4);
      if (pass == 0)
        want[n] += value(at(&b.st, 0, pos));
      else
        ck_assert_msg(got == want[n], "%s: output %zu is %g, not %g", w->name, n, got, want[n]);
    } while (next(&b.st, pos));
  }
  for (int i = 0; i < 2; i++) munmap(space[i], SPACE);
}
END_TEST

/* More elements than 32 bits count, all of them one: only the launch is made. */
START_TEST(grids_of_many_elements_are_whole)
{
  static const struct {
    size_t dims[2];
    ssize_t a[2], o[2];
  } loops[] = {
      {{1ul << 16, 1ul << 17}, {1ll << 19, 4}, {1ll << 19, 4}}, /* CONTIG */
      {{1ul << 16, 1ul << 17}, {1ll << 20, 4}, {1ll << 19, 4}}, /* INNER */
      {{1ul << 16, 1ul << 17}, {1ll << 20, 8}, {1ll << 19, 4}}, /* STRIDED */
      {{1ul << 16, 1ul << 17}, {4, 1ll << 18}, {1ll << 19, 4}}, /* TILE */
  };
  static const uint64_t each[] = {256 * 4, 256 * 4, 256 * 4, 32 * 64};
  unsigned char align[2] = {0};
  ga_launch launch;
  ga_layout l;
  stage_box b;
  box_init(&b, 2, loops[_i].dims, NULL);
  int a = box_operand(&b, GA_DT_FLOAT32, loops[_i].a, BOX_IN);
  int o = box_operand(&b, GA_DT_FLOAT32, loops[_i].o, BOX_OUT);
  box_store(&b, o, box_load(&b, a, 0));
  OK(ga_layout_make(&l, &b.st));
  ck_assert_int_eq(l.cls, _i);
  ck_assert_int_eq(l.wide, 1);
  OK(ga_gen_launch(&launch, &b.st, &l, align, &target));
  ck_assert_uint_eq(launch.grid[0], (1ull << 33) / each[_i]);
  ga_launch_clear(&launch);
  ga_layout_clear(&l);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(wide_loops_reach_far, NWIDES),
    CASE_LOOP(grids_of_many_elements_are_whole, 4),
    CASE_END,
};

int main(void)
{
  char *p = reserve();
  if (p == NULL)
    printf("wide: no address space of %zu bytes; nothing far was reached\n", SPACE);
  else
    munmap(p, SPACE);
  if (!host_kernel_available()) printf("wide: no C++ compiler; nothing far was reached\n");
  return test_main("wide", cases);
}
