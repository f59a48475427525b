/* SPDX-License-Identifier: MIT */
/* The CPU device's interpreter against the reference of cpu_stage.h: reductions of every shape,
 * layout and thread count give the reference's bits, and write nothing else. */
#include <math.h>

#include "tests/interp_case.h"

START_TEST(sum_of_squares_of_every_size)
{
  stage_case c;
  case_begin(&c, 1, &sizes[_i]);
  c.st.reduced[0] = 1;
  int a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  add_store(&c, add_reduce(&c, GA_REDUCE_sum, add_op(&c, GA_OP_multiply, GA_DT_FLOAT32, a, a)));
  check_case(&c);
}
END_TEST

START_TEST(argmax_of_every_size)
{
  for (int step = -1; step <= 1 && sizes[_i] > 0; step += 2) {
    stage_case c;
    case_begin(&c, 1, &sizes[_i]);
    c.st.reduced[0] = 1;
    int a = add_load(&c, add_operand(&c, GA_DT_INT8, 0, 0));
    add_store(&c, add_reduce(&c, GA_REDUCE_argmax, a));
    add_store(&c, add_reduce(&c, GA_REDUCE_max, a));
    set_iota(&c);
    c.st.iota_step[0] = step;
    check_case(&c);
  }
}
END_TEST

/* A NaN wins, the first of several; so does the first of equal numbers. */
START_TEST(argmin_meets_nan_and_ties)
{
  static const float odd[] = {0.0f, -0.0f, -1e30f, 1e30f, NAN};
  size_t n = 50000;
  for (int nans = 0; nans < 5; nans++) {
    stage_case c;
    case_begin(&c, 1, &n);
    c.st.reduced[0] = 1;
    int o = add_operand(&c, GA_DT_FLOAT32, 0, 0), a = add_load(&c, o);
    add_store(&c, add_reduce(&c, _i ? GA_REDUCE_argmax : GA_REDUCE_argmin, a));
    set_iota(&c);
    if (nans % 2) c.st.iota_step[0] = -1;
    OK(case_ready(&c));
    for (int i = 0; i < 12; i++) {
      size_t at = c.base[o] + 4 * below(n);
      memcpy(c.mem[o] + at, &odd[below(nans > 1 ? 5 : 4)], 4);
      memcpy(c.want[o] + at, c.mem[o] + at, 4);
    }
    check_ready(&c);
  }
}
END_TEST

/* What decides a reduction of bools stands anywhere, or nowhere. */
START_TEST(bools_are_decided_anywhere)
{
  static const int ops[] = {GA_REDUCE_any, GA_REDUCE_max,    GA_REDUCE_argmax,
                            GA_REDUCE_all, GA_REDUCE_argmin, GA_REDUCE_min};
  static const size_t at[] = {0, 1023, 1024, 20000, 49999, 50000};
  size_t n = 50000;
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    stage_case c;
    case_begin(&c, 1, &n);
    c.st.reduced[0] = 1;
    int o = add_operand(&c, GA_DT_BOOL, 0, 0), a = add_load(&c, o);
    add_store(&c, add_reduce(&c, ops[_i], a));
    if (ops[_i] == GA_REDUCE_argmax || ops[_i] == GA_REDUCE_argmin) set_iota(&c);
    OK(case_ready(&c));
    memset(c.mem[o] + c.base[o], _i >= 3, n);
    for (size_t k = at[i]; k < n; k += 7001) c.mem[o][c.base[o] + k] = _i < 3;
    memcpy(c.want[o] + c.base[o], c.mem[o] + c.base[o], n);
    check_ready(&c);
  }
}
END_TEST

static void reduce_axis(const size_t *dims, int axis, enum ga_dtype t)
{
  stage_case c;
  if (dims[axis] == 0 && dims[!axis] != 0 && t == GA_DT_INT64) return;
  case_begin(&c, 2, dims);
  c.st.reduced[axis] = 1;
  int a = add_load(&c, add_operand(&c, t, 0, 0));
  int s = add_reduce(&c, GA_REDUCE_sum, a);
  int v = add_load(&c, add_operand(&c, t, 1, 0));
  add_store(&c, add_op(&c, GA_OP_multiply, t, s, v));
  if (t == GA_DT_INT64) {
    add_store(&c, add_reduce(&c, GA_REDUCE_argmin, a));
    add_store(&c, add_reduce(&c, GA_REDUCE_max, a));
    set_iota(&c);
  }
  check_case(&c);
}

START_TEST(rows_follow_the_order)
{
  reduce_axis(shapes[_i], 1, GA_DT_FLOAT32);
  reduce_axis(shapes[_i], 1, GA_DT_INT64);
}
END_TEST

START_TEST(columns_follow_the_order)
{
  reduce_axis(shapes[_i], 0, GA_DT_FLOAT32);
  reduce_axis(shapes[_i], 0, GA_DT_INT64);
}
END_TEST

/* Rows of float32 from beyond the cache: groups of chunks, then chunks that make none, then some
 * elements; two reductions of one value, and one of another; the row at hand starting anywhere. */
START_TEST(rows_from_memory_go_by_groups)
{
  static const size_t dims[][2] = {{1, 1100000}, {65, 16385}, {60, 35 * 1024}, {300, 4500}};
  for (int gap = 0; gap < 2; gap++) {
    stage_case c;
    case_begin(&c, 2, dims[_i]);
    c.st.reduced[1] = 1;
    int o = add_operand(&c, GA_DT_FLOAT32, 0, 0), a = add_load(&c, o);
    int b = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
    c.operands[o].strides[0] += 4 * gap;
    add_store(&c, add_reduce(&c, GA_REDUCE_sum, a));
    add_store(&c, add_reduce(&c, GA_REDUCE_prod, a));
    add_store(&c, add_reduce(&c, GA_REDUCE_sum, b));
    check_case(&c);
  }
}
END_TEST

/* Kept axes that what is reduced walks as one and results and kept operands do not, over an axis
 * outside both or between them, free of order or not. */
START_TEST(results_tell_kept_axes_apart)
{
  static const size_t dims[][3] = {
      {28, 8, 309}, {5, 3, 2}, {1500, 2, 40}, {40, 7, 700}, {3, 5, 33}};
  const size_t *d = dims[_i];
  for (int i = 0; i < 4; i++) {
    enum ga_dtype t = i & 1 ? GA_DT_INT16 : GA_DT_FLOAT64;
    ssize_t size = (ssize_t)ga_dtypes[t].size;
    stage_case c;
    case_begin(&c, 3, d);
    c.st.reduced[0] = 1;
    int o = add_operand(&c, t, 0, 0), a = add_load(&c, o);
    int v = add_load(&c, add_operand(&c, t, 1, 0));
    ssize_t *s = c.operands[o].strides;
    s[0] = size * (ssize_t)(i & 2 ? 1 : d[1] * d[2]);
    s[1] = size * (ssize_t)(i & 2 ? d[0] : 1);
    s[2] = s[1] * (ssize_t)d[1];
    add_store(&c, add_op(&c, GA_OP_multiply, t, add_reduce(&c, GA_REDUCE_max, a), v));
    add_store(&c, add_reduce(&c, GA_REDUCE_argmin, a));
    if (t == GA_DT_FLOAT64) add_store(&c, add_reduce(&c, GA_REDUCE_sum, a));
    set_iota(&c);
    check_case(&c);
  }
}
END_TEST

/* Rows from beyond the cache whose runs lie between each other's, more and fewer of them than are
 * read abreast, also of two kept axes. */
START_TEST(runs_of_rows_alternate)
{
  static const size_t dims[][4] = {
      {300, 1, 50, 80}, {2500, 1, 3, 90}, {70, 1, 130, 70}, {40, 3, 67, 75}, {600, 1, 2, 1030}};
  const enum ga_dtype t = _i & 1 ? GA_DT_FLOAT64 : GA_DT_COMPLEX64;
  stage_case c;
  case_begin(&c, 4, dims[_i]);
  c.st.reduced[0] = c.st.reduced[3] = 1;
  int a = add_load(&c, add_operand(&c, t, 0, 0)), b = add_load(&c, add_operand(&c, t, 0, 0));
  add_store(&c, add_reduce(&c, GA_REDUCE_sum, a));
  add_store(&c, add_reduce(&c, GA_REDUCE_sum, add_op(&c, GA_OP_multiply, t, a, b)));
  check_case(&c);
}
END_TEST

/* Short rows of several units, gaps between them or none, lie between one row of a unit and its
 * next: a chunk of all units is reduced before the next chunk. */
START_TEST(units_of_columns_alternate)
{
  static const size_t dims[][3] = {{5000, 7, 8}, {3073, 16, 12}};
  static const enum ga_dtype dtypes[] = {GA_DT_FLOAT32, GA_DT_INT16, GA_DT_FLOAT64};
  const enum ga_dtype t = dtypes[_i % 3];
  const ssize_t gap = _i & 1 ? 3 * (ssize_t)ga_dtypes[t].size : 0;
  for (size_t k = 0; k < sizeof dims / sizeof *dims; k++) {
    stage_case c;
    case_begin(&c, 3, dims[k]);
    c.st.reduced[0] = 1;
    int o = add_operand(&c, t, 0, 0), a = add_load(&c, o);
    c.operands[o].strides[1] += gap;
    c.operands[o].strides[0] = c.operands[o].strides[1] * (ssize_t)dims[k][1];
    add_store(&c, add_reduce(&c, t == GA_DT_INT16 ? GA_REDUCE_argmin : GA_REDUCE_sum, a));
    add_store(&c, add_reduce(&c, GA_REDUCE_max, a));
    if (t == GA_DT_INT16) set_iota(&c);
    check_case(&c);
  }
}
END_TEST

/* Rows of all segments of a chunk are joined at once, the last segment having all of them or some,
 * rows following each other or not, in place or computed. */
START_TEST(segments_are_joined_at_once)
{
  static const enum ga_dtype dtypes[] = {GA_DT_FLOAT32, GA_DT_FLOAT64, GA_DT_COMPLEX64,
                                         GA_DT_COMPLEX128};
  static const size_t widths[] = {18, 150, 700};
  const enum ga_dtype t = dtypes[_i % 4];
  const ssize_t gap = _i & 4 ? 5 * (ssize_t)ga_dtypes[t].size : 0;
  for (size_t rows = 127; rows < 1200; rows += rows % 128 == 1 ? 126 : 1)
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
      size_t dims[] = {rows, widths[k]};
      stage_case c;
      case_begin(&c, 2, dims);
      c.st.reduced[0] = 1;
      int o = add_operand(&c, t, 0, 0), a = add_load(&c, o);
      c.operands[o].strides[0] += gap;
      add_store(&c, add_reduce(&c, GA_REDUCE_sum, a));
      if (k == 1) add_store(&c, add_reduce(&c, GA_REDUCE_sum, add_op(&c, GA_OP_multiply, t, a, a)));
      if (k == 0 && _i % 4 < 2) add_store(&c, add_reduce(&c, GA_REDUCE_prod, a));
      check_case(&c);
    }
}
END_TEST

/* A sum that is halved as it is read, from beyond the cache, and what has an index, of the same
 * values. */
START_TEST(halves_are_of_one_reduction)
{
  static const size_t dims[] = {230, 2500};
  static const enum ga_reduce_op others[] = {GA_REDUCE_argmax, GA_REDUCE_argmin};
  const enum ga_dtype t = _i & 1 ? GA_DT_COMPLEX128 : GA_DT_COMPLEX64;
  stage_case c;
  case_begin(&c, 2, dims);
  c.st.reduced[1] = 1;
  int a = add_load(&c, add_operand(&c, t, 0, 0));
  if (_i & 4) add_store(&c, add_reduce(&c, others[_i >> 1 & 1], a));
  add_store(&c, add_reduce(&c, GA_REDUCE_sum, a));
  if (!(_i & 4)) add_store(&c, add_reduce(&c, others[_i >> 1 & 1], a));
  set_iota(&c);
  check_case(&c);
}
END_TEST

/* No order changes these: rows are read in chunks of more than 1024 elements. */
START_TEST(free_reductions_of_rows)
{
  static const enum ga_dtype types[] = {GA_DT_BOOL,    GA_DT_INT8,    GA_DT_UINT16,
                                        GA_DT_FLOAT16, GA_DT_FLOAT32, GA_DT_FLOAT64};
  for (size_t i = 0; i < sizeof types / sizeof *types && shapes[_i][1] > 0; i++) {
    stage_case c;
    case_begin(&c, 2, shapes[_i]);
    c.st.reduced[1] = 1;
    int a = add_load(&c, add_operand(&c, types[i], 0, 0));
    add_store(&c, add_reduce(&c, GA_REDUCE_argmax, a));
    if (i % 2) add_store(&c, add_reduce(&c, GA_REDUCE_argmin, a));
    if (i % 3) add_store(&c, add_reduce(&c, GA_REDUCE_max, a));
    add_store(&c, add_reduce(&c, GA_REDUCE_min, a));
    set_iota(&c);
    check_case(&c);
  }
}
END_TEST

/* sum((a - v[:, None]) * (b - w)) over either axis: loads that stand still. */
START_TEST(reductions_of_broadcasts)
{
  for (int axis = 0; axis < 2; axis++) {
    stage_case c;
    case_begin(&c, 2, shapes[_i]);
    c.st.reduced[axis] = 1;
    int ops[4];
    for (int i = 0; i < 4; i++) ops[i] = add_operand(&c, GA_DT_FLOAT64, 0, 0);
    c.operands[ops[1]].strides[0] = 8;
    c.operands[ops[1]].strides[1] = 0;
    c.operands[ops[3]].strides[0] = 0;
    int a = add_load(&c, ops[0]), v = add_load(&c, ops[1]);
    int b = add_load(&c, ops[2]), w = add_load(&c, ops[3]);
    int x = add_op(&c, GA_OP_subtract, GA_DT_FLOAT64, a, v);
    int y = add_op(&c, GA_OP_subtract, GA_DT_FLOAT64, b, w);
    add_store(&c, add_reduce(&c, GA_REDUCE_sum, add_op(&c, GA_OP_multiply, GA_DT_FLOAT64, x, y)));
    check_case(&c);
  }
}
END_TEST

/* So many numbers that a chunk takes several blocks, beside values that are read
 * where they lie, stand still, or are numbers themselves. */
static void reduce_long(const size_t *dims, unsigned int nd, int first_too)
{
  stage_case c;
  case_begin(&c, nd, dims);
  c.st.reduced[nd - 1] = 1;
  if (first_too) c.st.reduced[0] = 1;
  int a = add_load(&c, add_operand(&c, GA_DT_FLOAT64, 0, 0));
  int still = add_operand(&c, GA_DT_FLOAT64, 0, 0), x = a;
  for (unsigned int k = 0; k < nd; k++) c.operands[still].strides[k] = 0;
  int s = add_load(&c, still), k = -1;
  for (int i = 0; i < 12; i++) {
    k = add_param(&c, GA_DT_FLOAT64, i - 5.25);
    x = add_op(&c, i % 2 ? GA_OP_add : GA_OP_multiply, GA_DT_FLOAT64, x, k);
  }
  add_store(&c, add_reduce(&c, GA_REDUCE_sum, x));
  add_store(&c, add_reduce(&c, GA_REDUCE_argmin, a));
  add_store(&c, add_reduce(&c, GA_REDUCE_sum, s));
  int sum = add_reduce(&c, GA_REDUCE_sum, k);
  add_store(&c, sum);
  set_iota(&c);
  check_case(&c);
}

START_TEST(reductions_of_long_expressions)
{
  if (sizes[_i] > 0 && sizes[_i] < 100000) reduce_long(&sizes[_i], 1, 0);
  if (_i < (int)NSHAPES - 9) reduce_long(shapes[_i], 2, _i % 2);
}
END_TEST

START_TEST(reduction_over_nothing)
{
  static const size_t dims[2] = {0, 7};
  stage_case c;
  void *exec;
  case_begin(&c, 2, dims);
  c.st.reduced[0] = 1;
  int a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  add_store(&c, add_reduce(&c, GA_REDUCE_sum, a));
  add_store(&c, add_reduce(&c, GA_REDUCE_prod, a));
  check_case(&c);
  case_begin(&c, 2, dims);
  c.st.reduced[0] = 1;
  a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  add_store(&c, add_reduce(&c, GA_REDUCE_max, a));
  OK(case_ready(&c));
  FAILS(GA_VALUE_ERROR, "no identity", ga_cpu_stage_new(&exec, NULL, &c.st, &c.l));
  ck_assert_ptr_null(exec);
  case_end(&c);
}
END_TEST

int main(void)
{
  static const test_case cases[] = {CASE_LOOP(sum_of_squares_of_every_size, NSIZES),
                                    CASE_LOOP(argmax_of_every_size, NSIZES),
                                    CASE_LOOP(bools_are_decided_anywhere, 6),
                                    CASE_LOOP(argmin_meets_nan_and_ties, 2),
                                    CASE_LOOP(rows_follow_the_order, NSHAPES),
                                    CASE_LOOP(rows_from_memory_go_by_groups, 4),
                                    CASE_LOOP(runs_of_rows_alternate, 5),
                                    CASE_LOOP(units_of_columns_alternate, 6),
                                    CASE_LOOP(segments_are_joined_at_once, 8),
                                    CASE_LOOP(halves_are_of_one_reduction, 8),
                                    CASE_LOOP(columns_follow_the_order, NSHAPES),
                                    CASE_LOOP(results_tell_kept_axes_apart, 5),
                                    CASE_LOOP(free_reductions_of_rows, NSHAPES),
                                    CASE_LOOP(reductions_of_broadcasts, NSHAPES - 9),
                                    CASE_LOOP(reductions_of_long_expressions, NSIZES),
                                    CASE(reduction_over_nothing),
                                    CASE_END};
  return test_main("interp-reduce", cases);
}
