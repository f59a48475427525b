/* SPDX-License-Identifier: MIT */
/* The generated kernels, run on the host (tests/host_kernel.h): reductions of every class
 * against the tree of DESIGN.md ("Order of a reduction") to the bit. Skipped where there is
 * no C++ compiler. */
#include "tests/host_kernel.h"
#include "tests/kernel_memory.h"

static const ga_target target = {132, 227 * 1024, 0, 0, 0};
static const ga_target small_target = {1, 48 * 1024, 0, 0, 0};

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
    {"outer axes long", GA_CLASS_ROWS, 3, {5, 3, 2051}, "rkr", {6153, 2051, 1}, 4, {0, 2}, 0},
    {"outer axes, a step", GA_CLASS_GATHER, 3, {4, 2, 1500}, "rkr", {6003, 3001, 2}, 0, {0, 2}, 0},
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
    CASE_LOOP(reductions_follow_the_tree, NREDUCES * 2),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("kernels-reduce: no C++ compiler; nothing was run\n");
  return test_main("kernels-reduce", cases);
}
