/* SPDX-License-Identifier: MIT */
/* The canonical form of a loop: it visits what the loop visits, in an order that
 * hangs on strides and not on how the axes were written, and it is refused where
 * 63 bits do not suffice. */
#include <limits.h>

#include "tests/common.h"
#include "tests/stages.h"

#define MAXOP 4

static uint32_t seed;

static uint32_t rnd(uint32_t n)
{
  seed = seed * 1664525 + 1013904223;
  return (seed >> 8) % n;
}

/* A stage of up to 6 axes. The first operand is dense in some order of the axes,
 * the others may be broadcast, padded or reversed. */
static void random_stage(stage_box *b)
{
  size_t dims[6];
  char axes[7] = "kkkkkk";
  unsigned int nd = rnd(7), nop = 1 + rnd(MAXOP), order[6], reduce = rnd(2);
  for (unsigned int k = 0; k < nd; k++) {
    dims[k] = 1 + rnd(5);
    if (rnd(40) == 0) dims[k] = 0;
    if (reduce && rnd(2)) axes[k] = 'r';
  }
  box_init(b, nd, dims, axes);
  for (unsigned int i = 0; i < nop; i++) {
    ssize_t strides[6] = {0}, step = 4;
    int out = i + 1 == nop && nop > 1;
    for (unsigned int k = 0; k < nd; k++) order[k] = k;
    if (rnd(2))
      for (unsigned int k = nd; k > 1; k--) {
        unsigned int j = rnd(k), t = order[k - 1];
        order[k - 1] = order[j];
        order[j] = t;
      }
    for (unsigned int k = nd; k-- > 0;) {
      unsigned int axis = order[k];
      if (!out && i > 0 && rnd(4) == 0) continue;
      if (out && reduce && axes[axis] == 'r') continue;
      strides[axis] = rnd(4) == 0 ? -step : step;
      step *= (ssize_t)(dims[axis] + (rnd(4) == 0));
      if (step == 0) step = 4;
    }
    box_operand(b, GA_DT_FLOAT32, strides, out ? BOX_OUT : BOX_IN);
  }
  if (reduce) {
    int x = box_load(b, 0, 0);
    if (rnd(2))
      box_reduce(b, GA_REDUCE_argmax, x, box_iota(b));
    else
      box_reduce(b, GA_REDUCE_sum, x, -1);
  }
}

/* Offsets of all operands and the position: what one turn of the loop touches. */
typedef struct touch {
  int64_t off[MAXOP + 1];
} touch;

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(touch)); }

static size_t walk_stage(const ga_stage *st, touch *t)
{
  size_t pos[GA_MAXND] = {0}, n = 0, total = 1;
  int iota = 0;
  for (unsigned int i = 0; i < st->nnode; i++) iota |= st->nodes[i].op == GA_N_IOTA;
  for (unsigned int k = 0; k < st->nd; k++) total *= st->dims[k];
  for (; n < total; n++) {
    memset(&t[n], 0, sizeof t[n]);
    for (unsigned int k = 0; k < st->nd; k++) {
      for (unsigned int i = 0; i < st->noperand; i++)
        t[n].off[i] += st->operands[i].strides[k] * (ssize_t)pos[k];
      if (iota) t[n].off[MAXOP] += st->iota_step[k] * (int64_t)pos[k];
    }
    for (unsigned int k = st->nd; k-- > 0;) {
      if (++pos[k] < st->dims[k]) break;
      pos[k] = 0;
    }
  }
  return n;
}

static size_t walk_layout(const ga_layout *l, touch *t)
{
  size_t pos[GA_MAXND] = {0}, n = 0, total = (size_t)(l->kept * l->reduced);
  for (; n < total; n++) {
    memset(&t[n], 0, sizeof t[n]);
    for (unsigned int i = 0; i < l->noperand; i++) t[n].off[i] = l->offset[i];
    t[n].off[MAXOP] = l->iota_base;
    for (unsigned int k = 0; k < l->nk + l->nr; k++) {
      for (unsigned int i = 0; i < l->noperand; i++)
        t[n].off[i] += l->strides[i][k] * (ssize_t)pos[k];
      t[n].off[MAXOP] += l->iota_step[k] * (int64_t)pos[k];
    }
    for (unsigned int k = l->nk + l->nr; k-- > 0;) {
      if (++pos[k] < l->dims[k]) break;
      pos[k] = 0;
    }
  }
  return n;
}

START_TEST(layout_visits_what_the_loop_visits)
{
  static touch want[15625], got[15625];
  seed = (uint32_t)_i * 7919 + 1;
  for (int round = 0; round < 200; round++) {
    stage_box b;
    ga_layout l;
    random_stage(&b);
    OK(ga_layout_make(&l, &b.st));
    size_t n = walk_stage(&b.st, want), m = walk_layout(&l, got);
    ck_assert_uint_eq(n, m);
    qsort(want, n, sizeof *want, compare);
    qsort(got, n, sizeof *got, compare);
    ck_assert_msg(memcmp(want, got, n * sizeof *want) == 0, "seed %d, round %d", _i, round);
    ck_assert_int_eq(l.wide, 0);
    for (unsigned int k = 0; k < l.nk + l.nr; k++)
      ck_assert_msg(l.dims[k] != 1, "an axis of 1 is left");
    ga_layout_clear(&l);
  }
}
END_TEST

static void same_layout(const ga_layout *a, const ga_layout *b)
{
  ck_assert_int_eq(a->cls, b->cls);
  ck_assert_uint_eq(a->nk, b->nk);
  ck_assert_uint_eq(a->nr, b->nr);
  for (unsigned int k = 0; k < a->nk + a->nr; k++) {
    ck_assert_uint_eq(a->dims[k], b->dims[k]);
    for (unsigned int i = 0; i < a->noperand; i++)
      ck_assert_int_eq(a->strides[i][k], b->strides[i][k]);
  }
}

/* Swapping two axes of a stage, cutting one in two, turning one round. */
START_TEST(layout_hangs_on_strides_alone)
{
  seed = (uint32_t)_i * 104729 + 5;
  for (int round = 0; round < 200; round++) {
    stage_box b, c;
    ga_layout l, m;
    random_stage(&b);
    if (b.st.nd < 2) continue;
    /* no two axes of one step in the first operand: ties go by the axes' order */
    box_c_order(&b, '*', 4, b.operands[0].strides);
    unsigned int x = rnd(b.st.nd), y = rnd(b.st.nd), again = 0;
    for (unsigned int k = 0; k < b.st.nd; k++) again |= b.st.dims[k] <= 1;
    if (again) continue;
    c = b;
    c.st.nodes = c.nodes;
    c.st.operands = c.operands;
    c.st.reductions = c.reductions;
#define SWAP(T, p, q) \
  do {                \
    T swap_ = (p);    \
    (p) = (q);        \
    (q) = swap_;      \
  } while (0)
    SWAP(size_t, c.st.dims[x], c.st.dims[y]);
    SWAP(unsigned char, c.st.reduced[x], c.st.reduced[y]);
    SWAP(int64_t, c.st.iota_step[x], c.st.iota_step[y]);
    for (unsigned int i = 0; i < c.st.noperand; i++)
      SWAP(ssize_t, c.operands[i].strides[x], c.operands[i].strides[y]);
    if (b.st.nreduction != 0) {
      /* walked backwards by all operands: the layout turns it round again */
      for (unsigned int i = 0; i < c.st.noperand; i++) c.operands[i].strides[x] *= -1;
      c.st.iota_step[x] *= -1;
    }
    OK(ga_layout_make(&l, &b.st));
    OK(ga_layout_make(&m, &c.st));
    if (b.st.nreduction != 0) same_layout(&l, &m);
    ga_layout_clear(&l);
    ga_layout_clear(&m);
  }
}
END_TEST

START_TEST(reduction_ignores_its_output)
{
  stage_box b;
  ga_layout l;
  size_t dims[] = {6, 7, 8};
  box_init(&b, 3, dims, "rrk");
  box_operand(&b, GA_DT_FLOAT32, (ssize_t[]){0, 0, -4000}, BOX_OUT);
  int a = box_operand(&b, GA_DT_FLOAT32, (ssize_t[]){4, 192, 24}, BOX_IN);
  box_store(&b, 0, box_reduce(&b, GA_REDUCE_sum, box_load(&b, a, 0), -1));
  OK(ga_layout_make(&l, &b.st));
  ck_assert_uint_eq(l.nk, 1);
  ck_assert_uint_eq(l.nr, 2);
  ck_assert_uint_eq(l.dims[1], 7); /* the larger step first */
  ck_assert_uint_eq(l.dims[2], 6);
  ck_assert_int_eq(l.strides[1][0], 24); /* a is not turned round */
  ck_assert_int_eq(l.strides[0][0], -4000);
  ck_assert_int_eq(l.cls, GA_CLASS_GATHER);
  ga_layout_clear(&l);
}
END_TEST

START_TEST(order_comes_from_the_first_full_operand)
{
  stage_box b;
  ga_layout l;
  box_init(&b, 2, (size_t[]){6, 7}, "rr");
  int v = box_operand(&b, GA_DT_FLOAT32, (ssize_t[]){4, 0}, BOX_IN); /* broadcast */
  int a = box_operand(&b, GA_DT_FLOAT32, (ssize_t[]){4, 24}, BOX_IN);
  int o = box_operand(&b, GA_DT_FLOAT32, (ssize_t[]){0, 0}, BOX_OUT);
  int x = box_op(&b, GA_OP_multiply, box_load(&b, v, 0), box_load(&b, a, 0));
  box_store(&b, o, box_reduce(&b, GA_REDUCE_sum, x, -1));
  OK(ga_layout_make(&l, &b.st));
  ck_assert_uint_eq(l.nr, 2);
  ck_assert_uint_eq(l.dims[0], 7);
  ck_assert_uint_eq(l.dims[1], 6);
  ga_layout_clear(&l);
}
END_TEST

START_TEST(backwards_position_counts_down)
{
  stage_box b;
  ga_layout l;
  box_init(&b, 1, (size_t[]){10}, "r");
  int a = box_operand(&b, GA_DT_FLOAT32, (ssize_t[]){-4}, BOX_IN);
  int o = box_operand(&b, GA_DT_INT64, (ssize_t[]){0}, BOX_OUT);
  box_store(&b, o, box_reduce(&b, GA_REDUCE_argmax, box_load(&b, a, 0), box_iota(&b)));
  OK(ga_layout_make(&l, &b.st));
  ck_assert_int_eq(l.cls, GA_CLASS_ROWS);
  ck_assert_int_eq(l.strides[0][0], 4);
  ck_assert_int_eq(l.offset[0], -36);
  ck_assert_int_eq(l.iota_base, 9);
  ck_assert_int_eq(l.iota_step[0], -1);
  ga_layout_clear(&l);
}
END_TEST

/* ---- widths --------------------------------------------------------------- */

typedef struct width {
  const char *name;
  size_t dims[2];
  ssize_t a[2]; /* bytes */
  int wide;     /* -1: too large */
} width;

static const width widths[] = {
    {"small", {100, 100}, {400, 4}, 0},
    {"2^31 bytes less some", {1, (1u << 29) - 100}, {0, 4}, 0},
    {"2^31 bytes", {1, 1u << 29}, {0, 4}, 1},
    {"2^31 bytes backwards", {3, 1u << 29}, {0, -4}, 1},
    {"2^31 elements of a byte's step", {1, 1ul << 31}, {0, 1}, 1},
    {"2^32 elements that stay", {1ul << 16, 1ul << 16}, {0, 0}, 1},
    {"few elements far apart", {2, 2}, {1ll << 40, 4}, 1},
    {"2^62 elements", {1ul << 31, 1ul << 31}, {0, 0}, -1},
    {"2^80 elements", {1ul << 40, 1ul << 40}, {0, 0}, -1},
    {"2^64 elements", {1ul << 32, 1ul << 32}, {0, 0}, -1},
    {"offset past 63 bits", {1ul << 30, 2}, {1ll << 40, 4}, -1},
    {"the least stride", {2, 2}, {SSIZE_MAX, 4}, -1},
};
#define NWIDTHS (sizeof widths / sizeof widths[0])

START_TEST(width_is_decided_without_overflow)
{
  const width *w = &widths[_i / 2];
  int reduce = _i % 2;
  stage_box b;
  ga_layout l;
  ssize_t none[2] = {0, 0};
  box_init(&b, 2, w->dims, reduce ? "rr" : "kk");
  int a = box_operand(&b, GA_DT_FLOAT32, w->a, BOX_IN);
  int o = box_operand(&b, GA_DT_FLOAT32, none, BOX_OUT), x = box_load(&b, a, 0);
  box_store(&b, o, reduce ? box_reduce(&b, GA_REDUCE_sum, x, -1) : x);
  if (w->wide < 0) {
    FAILS(GA_XLARGE_ERROR, "63 bits", ga_layout_make(&l, &b.st));
    ck_assert_ptr_null(l.strides);
    return;
  }
  OK(ga_layout_make(&l, &b.st));
  ck_assert_msg(l.wide == w->wide, "%s: wide is %d", w->name, l.wide);
  ga_layout_clear(&l);
}
END_TEST

/* Those that turn bytes look at the 32 lines before the first. */
START_TEST(maps_have_room_before_their_lines)
{
  stage_box b;
  ga_layout l;
  box_init(&b, 3, (size_t[]){145, 120, 200}, NULL);
  int a = box_operand(&b, GA_DT_INT8, (ssize_t[]){-(14 << 20) - 4096, 1, 1 << 20}, BOX_IN);
  int o = box_operand(&b, GA_DT_INT8, (ssize_t[]){24000, 200, 1}, BOX_OUT);
  box_store(&b, o, box_load(&b, a, 0));
  OK(ga_layout_make(&l, &b.st));
  ck_assert_int_eq(l.wide, 1);
  ga_layout_clear(&l);
}
END_TEST

/* Kernels of maps look at the row after the last. */
START_TEST(maps_have_room_around_their_rows)
{
  stage_box b;
  ga_layout l;
  box_init(&b, 2, (size_t[]){2, 100}, _i ? "rr" : "kk");
  int a = box_operand(&b, GA_DT_INT16, (ssize_t[]){1 << 30, 2}, BOX_IN);
  int o = box_operand(&b, GA_DT_INT16, (ssize_t[]){0, 0}, BOX_OUT), x = box_load(&b, a, 0);
  box_store(&b, o, _i ? box_reduce(&b, GA_REDUCE_max, x, -1) : x);
  OK(ga_layout_make(&l, &b.st));
  ck_assert_int_eq(l.wide, _i == 0);
  ga_layout_clear(&l);
}
END_TEST

START_TEST(nothing_is_an_axis_of_0)
{
  stage_box b;
  ga_layout l;
  box_init(&b, 3, (size_t[]){4, 0, 5}, "krk");
  int a = box_operand(&b, GA_DT_FLOAT32, (ssize_t[]){20, 20, 4}, BOX_IN);
  int o = box_operand(&b, GA_DT_FLOAT32, (ssize_t[]){20, 0, 4}, BOX_OUT);
  box_store(&b, o, box_reduce(&b, GA_REDUCE_sum, box_load(&b, a, 0), -1));
  OK(ga_layout_make(&l, &b.st));
  ck_assert_uint_eq(l.kept, 20);
  ck_assert_uint_eq(l.reduced, 0);
  ck_assert_uint_eq(l.nk, 1);
  ck_assert_uint_eq(l.nr, 1);
  ck_assert_uint_eq(l.dims[1], 0);
  ga_layout_clear(&l);
}
END_TEST

START_TEST(layout_refuses_bad_arguments)
{
  stage_box b;
  ga_layout l;
  box_init(&b, 0, NULL, NULL);
  FAILS(GA_VALUE_ERROR, "NULL", ga_layout_make(NULL, &b.st));
  FAILS(GA_VALUE_ERROR, "NULL", ga_layout_make(&l, NULL));
  b.st.nd = GA_MAXND + 1;
  FAILS(GA_VALUE_ERROR, "65 axes", ga_layout_make(&l, &b.st));
  ga_layout_clear(NULL);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(layout_visits_what_the_loop_visits, 10),
    CASE_LOOP(layout_hangs_on_strides_alone, 10),
    CASE(reduction_ignores_its_output),
    CASE(order_comes_from_the_first_full_operand),
    CASE(backwards_position_counts_down),
    CASE(maps_have_room_before_their_lines),
    CASE_LOOP(maps_have_room_around_their_rows, 2),
    CASE_LOOP(width_is_decided_without_overflow, NWIDTHS * 2),
    CASE(nothing_is_an_axis_of_0),
    CASE(layout_refuses_bad_arguments),
    CASE_END,
};

int main(void) { return test_main("layout", cases); }
