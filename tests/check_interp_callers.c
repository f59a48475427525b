/* SPDX-License-Identifier: MIT */
/* The CPU device's interpreter with several callers, against the reference of cpu_stage.h:
 * threads that run one stage, and one thread that runs two in turn. */
#include <pthread.h>

#include "tests/interp_case.h"

typedef struct shared_run {
  const stage_case *c;
  void *exec;
} shared_run;

static void *run_often(void *arg)
{
  const shared_run *s = arg;
  for (int i = 0; i < 10; i++) run_once_with(s->c, s->exec);
  return NULL;
}

static void share_stage(stage_case *c)
{
  pthread_t t[4];
  shared_run s = {.c = c};
  OK(case_ready(c));
  case_reference(c);
  OK(ga_cpu_stage_new(&s.exec, NULL, &c->st, &c->l));
  ga_pool_limit(3);
  for (int i = 0; i < 4; i++) ck_assert_int_eq(pthread_create(&t[i], NULL, run_often, &s), 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  ga_cpu_stage_free(s.exec);
  case_end(c);
}

START_TEST(threads_share_a_stage)
{
  static const size_t dims[2] = {301, 1100};
  stage_case c;
  case_begin(&c, 2, dims);
  int a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  int k = add_param(&c, GA_DT_FLOAT32, 3);
  add_store(&c, add_op(&c, GA_OP_multiply, GA_DT_FLOAT32, a, k));
  share_stage(&c);
  for (int axis = 0; axis < 2; axis++) {
    case_begin(&c, 2, dims);
    c.st.reduced[axis] = 1;
    a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
    add_store(&c, add_reduce(&c, GA_REDUCE_sum, a));
    share_stage(&c);
  }
  case_begin(&c, 2, dims);
  c.st.reduced[0] = c.st.reduced[1] = 1;
  a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  add_store(&c, add_reduce(&c, GA_REDUCE_sum, a));
  share_stage(&c);
}
END_TEST

/* Runs of two stages in turn on one thread do not mix up their numbers. */
START_TEST(numbers_are_each_calls_own)
{
  size_t n = 700;
  stage_case c[2];
  void *exec[2];
  for (int i = 0; i < 2; i++) {
    case_begin(&c[i], 1, &n);
    int a = add_load(&c[i], add_operand(&c[i], GA_DT_FLOAT32, 0, 0));
    int k = add_param(&c[i], GA_DT_FLOAT32, 3 + i);
    add_store(&c[i], add_op(&c[i], GA_OP_multiply, GA_DT_FLOAT32, a, k));
    OK(case_ready(&c[i]));
    OK(ga_cpu_stage_new(&exec[i], NULL, &c[i].st, &c[i].l));
  }
  for (int round = 0; round < 20; round++) {
    stage_case *one = &c[round % 3 == 0];
    float k = (float)(round % 4);
    memcpy(one->values[0].bytes, &k, sizeof k);
    memcpy(one->want[1], one->mem[1], one->bytes[1]);
    case_reference(one);
    run_once_with(one, exec[round % 3 == 0]);
  }
  for (int i = 0; i < 2; i++) {
    ga_cpu_stage_free(exec[i]);
    case_end(&c[i]);
  }
}
END_TEST

int main(void)
{
  static const test_case cases[] = {CASE(threads_share_a_stage), CASE(numbers_are_each_calls_own),
                                    CASE_END};
  return test_main("interp callers", cases);
}
