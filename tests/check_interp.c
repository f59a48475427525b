/* SPDX-License-Identifier: MIT */
/* The CPU device's interpreter against the reference of cpu_stage.h: maps of every shape, layout
 * and thread count give the reference's bits, and write nothing else. Reductions are in
 * check_interp_reduce.c, stages by chance in check_interp_chance.c, several callers of one in
 * check_interp_callers.c. */
#include "tests/interp_case.h"

START_TEST(add_of_every_size)
{
  stage_case c;
  case_begin(&c, 1, &sizes[_i]);
  int a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  int b = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  add_store(&c, add_op(&c, GA_OP_add, GA_DT_FLOAT32, a, b));
  check_case(&c);
}
END_TEST

START_TEST(numbers_fill_blocks)
{
  stage_case c;
  case_begin(&c, 1, &sizes[_i]);
  int a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  int b = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  int ten = add_param(&c, GA_DT_FLOAT32, 10), two = add_param(&c, GA_DT_FLOAT32, 2);
  int x = add_op(&c, GA_OP_multiply, GA_DT_FLOAT32, a, ten);
  int y = add_op(&c, GA_OP_add, GA_DT_FLOAT32, b, two);
  x = add_op(&c, GA_OP_add, GA_DT_FLOAT32, x, two);
  y = add_op(&c, GA_OP_multiply, GA_DT_FLOAT32, y, ten);
  add_store(&c, add_op(&c, GA_OP_multiply, GA_DT_FLOAT32, x, y));
  check_case(&c);
}
END_TEST

/* where(isnan(x), number, x) in both ways to say it, and what is nearly that: branches the other
 * way around, NaN of another array, of the number itself. */
START_TEST(numbers_replace_nan)
{
  for (int form = 0; form < 12; form++) {
    const enum ga_dtype t = form & 1 ? GA_DT_FLOAT64 : GA_DT_FLOAT32;
    stage_case c;
    case_begin(&c, 1, &sizes[_i]);
    int o = add_operand(&c, t, 0, 0), a = add_load(&c, o);
    int b = add_load(&c, add_operand(&c, t, 0, 0));
    int y = add_param(&c, t, 2.5), x = form & 2 ? add_op(&c, GA_OP_multiply, t, a, b) : a;
    int nan = add_op(&c, GA_OP_isnan, GA_DT_BOOL, form == 8 ? b : form == 9 ? y : x, -1);
    if (form & 4) nan = add_op(&c, GA_OP_logical_not, GA_DT_BOOL, nan, -1);
    int kept = !!(form & 4) != (form > 9);
    x = add_node(&c, GA_OP_where, t, 0, 0, nan, kept ? x : y, kept ? y : x);
    add_store(&c, x);
    add_store(&c, add_op(&c, GA_OP_add, t, x, y));
    OK(case_ready(&c));
    for (size_t k = 0; k < sizes[_i]; k += 1 + below(9)) /* all bits set: NaN */
      memset(c.mem[o] + c.base[o] + k * ga_dtypes[t].size, 0xff, ga_dtypes[t].size);
    memcpy(c.want[o], c.mem[o], c.bytes[o]);
    check_ready(&c);
  }
}
END_TEST

START_TEST(comparisons_of_every_size)
{
  static const int ops[] = {GA_OP_equal,      GA_OP_not_equal, GA_OP_less,
                            GA_OP_less_equal, GA_OP_greater,   GA_OP_greater_equal};
  static const enum ga_dtype dtypes[] = {GA_DT_FLOAT64, GA_DT_INT64, GA_DT_UINT64, GA_DT_FLOAT32};
  for (size_t k = 0; k < 6 * 4; k++) {
    stage_case c;
    case_begin(&c, 1, &sizes[_i]);
    int a = add_load(&c, add_operand(&c, dtypes[k % 4], 0, 0));
    int b = add_load(&c, add_operand(&c, dtypes[k % 4], 0, 0));
    add_store(&c, add_op(&c, ops[k / 4], GA_DT_BOOL, a, b));
    check_case(&c);
  }
}
END_TEST

START_TEST(transposed_operands_meet)
{
  stage_case c;
  size_t n = shapes[_i][0], m = shapes[_i][1];
  case_begin(&c, 2, shapes[_i]);
  int a = add_operand(&c, GA_DT_FLOAT32, 0, 0), t = add_operand(&c, GA_DT_FLOAT32, 0, 0);
  c.operands[t].strides[0] = 4;
  c.operands[t].strides[1] = 4 * (ssize_t)n;
  (void)m;
  add_store(&c, add_op(&c, GA_OP_add, GA_DT_FLOAT32, add_load(&c, a), add_load(&c, t)));
  check_case(&c);
}
END_TEST

/* Rows of tiles short and long, beside operands in order and along one axis; two results. */
START_TEST(axes_meet_in_any_order)
{
  static const size_t dims[][3] = {{3, 300, 45}, {2, 133, 100}, {5, 70, 129}, {2, 33, 1500}};
  static const enum ga_dtype dtypes[] = {GA_DT_UINT8, GA_DT_INT16, GA_DT_FLOAT32, GA_DT_FLOAT64,
                                         GA_DT_COMPLEX128};
  const size_t *d = dims[_i % 4];
  enum ga_dtype type = dtypes[_i / 4];
  ssize_t size = (ssize_t)ga_dtypes[type].size;
  stage_case c;
  case_begin(&c, 3, d);
  int a = add_operand(&c, type, 0, 0), t = add_operand(&c, type, 0, 0);
  int row = add_operand(&c, type, 0, 0);
  ssize_t *turned = c.operands[t].strides, *along = c.operands[row].strides;
  turned[0] = size * (ssize_t)(d[1] * d[2]);
  turned[1] = size;
  turned[2] = size * (ssize_t)d[1];
  along[0] = along[1] = 0;
  int x = add_op(&c, GA_OP_add, type, add_load(&c, a), add_load(&c, t));
  add_store(&c, x);
  add_store(&c, add_op(&c, GA_OP_multiply, type, x, add_load(&c, row)));
  check_case(&c);
}
END_TEST

START_TEST(output_in_place)
{
  stage_case c;
  case_begin(&c, 1, &sizes[_i]);
  int a = add_operand(&c, GA_DT_FLOAT32, 0, 0), b = add_operand(&c, GA_DT_FLOAT32, 0, 0);
  int x = add_load(&c, a), y = add_load(&c, b);
  int s1 = add_store(&c, y); /* a, b = b, a - b */
  int s2 = add_store(&c, add_op(&c, GA_OP_subtract, GA_DT_FLOAT32, x, y));
  c.alias[s1] = a;
  c.alias[s2] = b;
  check_case(&c);
}
END_TEST

int main(void)
{
  static const test_case cases[] = {
      CASE_LOOP(add_of_every_size, NSIZES),         CASE_LOOP(numbers_fill_blocks, NSIZES),
      CASE_LOOP(comparisons_of_every_size, NSIZES), CASE_LOOP(numbers_replace_nan, NSIZES - 1),
      CASE_LOOP(transposed_operands_meet, NSHAPES), CASE_LOOP(axes_meet_in_any_order, 20),
      CASE_LOOP(output_in_place, NSIZES),           CASE_END};
  return test_main("interp", cases);
}
