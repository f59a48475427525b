/* SPDX-License-Identifier: MIT */
/* Graphs: what replays compute is what the calls would have; what a capture takes
 * and refuses. */
#include <pthread.h>

#include "tests/graph_device.h"

/* ---- replays ------------------------------------------------------------------------- */

START_TEST(nothing_runs_before_the_replay)
{
  GpuArray x = ramp(5, 1), r = zeros(5);
  gpugraph *g;
  OK(gpugraph_begin(ctx));
  OK(GpuArray_eval_into(&r, "2*x", GA_ARGS(ga_array("x", &x))));
  g = end();
  ck_assert(at(&r, 4) == 0);
  OK(gpugraph_replay(g));
  ck_assert(at(&r, 4) == 10);
  ck_assert_uint_eq(gpugraph_nodes(g), 1);
  ck_assert_ptr_eq(gpugraph_context(g), ctx);
  gpugraph_free(g);
  GpuArray_clear(&x);
  GpuArray_clear(&r);
}
END_TEST

static const char *const texts[] = {
    "t = exp(x - max(x, axis=1, keepdims=True)); t / sum(t, axis=1, keepdims=True)",
    "sum(x*x)",
    "sum(x, axis=0)",
    "max(x, axis=1)",
    "argmax(x)",
    "var(x, axis=1)",
    "m = mean(x, axis=0); (x - m) * (x - m) + k",
    "x.T + k",
    "x[1:, ::-1] * x[:-1]",
};

/* Over awkward shapes, temporaries and reductions: the same bits, every time. */
START_TEST(replays_give_the_bits_of_the_call)
{
  static const size_t shapes[][2] = {{1, 1}, {3, 1025}, {130, 257}, {2049, 7}};
  for (int s = 0; s < 4; s++) {
    GpuArray x, flat = ramp(shapes[s][0] * shapes[s][1], 0.25), want, r, bits;
    gpugraph *g;
    unsigned char equal = 0;
    OK(GpuArray_eval(&x, ctx, "(flat*37 % 1021)/513", GA_ARGS(ga_array("flat", &flat))));
    OK(GpuArray_reshape_inplace(&x, 2, shapes[s], GA_C_ORDER));
    OK(GpuArray_eval(&want, ctx, texts[_i], GA_ARGS(ga_array("x", &x), ga_float("k", 0.5))));
    OK(gpugraph_begin(ctx));
    OK(GpuArray_eval(&r, ctx, texts[_i], GA_ARGS(ga_array("x", &x), ga_float("k", 0.5))));
    g = end();
    for (int i = 0; i < 20; i++) {
      OK(gpugraph_replay(g));
      OK(GpuArray_eval(&bits, ctx, "all((r == want) | (r != r))",
                       GA_ARGS(ga_array("r", &r), ga_array("want", &want))));
      OK(GpuArray_tohost(&equal, 1, GA_BOOL, &bits));
      ck_assert_msg(equal, "%s of %zu x %zu, replay %d", texts[_i], shapes[s][0], shapes[s][1], i);
      GpuArray_clear(&bits);
      OK(gpudata_memset(r.data, 0, 0x55));
    }
    gpugraph_free(g);
    GpuArray_clear(&want);
    GpuArray_clear(&r);
    GpuArray_clear(&x);
    GpuArray_clear(&flat);
  }
}
END_TEST

START_TEST(graph_holds_what_it_uses)
{
  GpuArray x = ramp(1000, 0), y, r, keep;
  gpugraph *g;
  OK(gpugraph_begin(ctx));
  OK(GpuArray_eval(&y, ctx, "x + 1", GA_ARGS(ga_array("x", &x))));
  OK(GpuArray_add(&r, &x, &y));
  g = end();
  refs(3, &x); /* its own, and one for each call */
  OK(GpuArray_view(&keep, &r));
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&r);
  for (int i = 0; i < 3; i++) { /* memory that was freed would be handed out again */
    GpuArray other = zeros(1000);
    OK(gpugraph_replay(g));
    ck_assert(at(&keep, 999) == 1999 && at(&other, 999) == 0);
    GpuArray_clear(&other);
  }
  gpugraph_free(g);
  refs(1, &keep);
  GpuArray_clear(&keep);
}
END_TEST

START_TEST(a_loop_of_replays_is_a_loop_of_calls)
{
  GpuArray x = ramp(100, 0), y = zeros(100);
  gpugraph *g;
  OK(gpugraph_begin(ctx));
  OK(GpuArray_axpy(&y, 0.5, &x));
  g = end();
  for (int i = 0; i < 8; i++) OK(gpugraph_replay(g));
  ck_assert(at(&y, 99) == 99 * 4);
  gpugraph_free(g);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}
END_TEST

/* An output that is still read goes through memory of its own, each time. */
START_TEST(overlapping_output_is_mended_in_each_replay)
{
  GpuArray x = ramp(6, 0), low, high;
  gpugraph *g;
  OK(GpuArray_slice(&low, &x, ":-1"));
  OK(GpuArray_slice(&high, &x, "1:"));
  OK(gpugraph_begin(ctx));
  OK(GpuArray_eval_into(&high, "low + 1", GA_ARGS(ga_array("low", &low))));
  OK(gpudata_move(x.data, 4, x.data, 0, 20));
  g = end();
  OK(gpugraph_replay(g));
  ck_assert(at(&x, 5) == 4 + 1 - 1 && at(&x, 1) == 0 && at(&x, 2) == 1);
  OK(gpugraph_replay(g)); /* 0 0 1 2 3 4 -> 0 1 1 2 3 4 -> 0 0 1 1 2 3 */
  ck_assert(at(&x, 5) == 3 && at(&x, 3) == 1 && at(&x, 1) == 0);
  gpugraph_free(g);
  GpuArray_clear(&low);
  GpuArray_clear(&high);
  GpuArray_clear(&x);
}
END_TEST

START_TEST(copies_fills_and_writes_are_taken)
{
  GpuArray a = ramp(1000, 5), b = zeros(1000), c;
  float v[4] = {1, 2, 3, 4};
  gpugraph *g;
  OK(gpugraph_begin(ctx));
  OK(GpuArray_move(&b, &a));
  OK(gpudata_memset(a.data, 3996, 0));
  OK(GpuArray_fromhost(&c, ctx, GA_FLOAT, GA_DIMS(4), v));
  g = end();
  v[3] = 7; /* the graph has its own */
  ck_assert_uint_eq(gpugraph_nodes(g), 3);
  OK(gpugraph_replay(g));
  ck_assert(at(&b, 999) == 1004 && at(&a, 999) == 0 && at(&c, 3) == 4);
  OK(gpudata_memset(c.data, 0, 0));
  OK(gpugraph_replay(g));
  ck_assert(at(&b, 999) == 0 && at(&c, 3) == 4);
  gpugraph_free(g);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
}
END_TEST

START_TEST(rows_are_taken_without_a_check_only)
{
  GpuArray v = ramp(10, 0), r = zeros(3), i;
  int32_t rows[3] = {7, 0, -1};
  gpugraph *g;
  OK(GpuArray_fromhost(&i, ctx, GA_INT, GA_DIMS(3), rows));
  OK(gpugraph_begin(ctx));
  OK(GpuArray_take1(&r, &v, &i, 0));
  g = end();
  OK(gpugraph_replay(g));
  ck_assert(at(&r, 0) == 7 && at(&r, 2) == 9);
  gpugraph_free(g);
  OK(gpugraph_begin(ctx));
  FAILS(GA_INVALID_ERROR, "no check of the numbers", GpuArray_take1(&r, &v, &i, 1));
  OK(gpugraph_end(NULL, ctx));
  GpuArray_clear(&i);
  GpuArray_clear(&r);
  GpuArray_clear(&v);
}
END_TEST

START_TEST(empty_graphs_and_empty_arrays_do_nothing)
{
  GpuArray none = zeros(0), r;
  gpugraph *g;
  OK(gpugraph_begin(ctx));
  g = end();
  OK(gpugraph_replay(g));
  gpugraph_free(g);
  OK(gpugraph_begin(ctx));
  OK(GpuArray_eval(&r, ctx, "2*x", GA_ARGS(ga_array("x", &none))));
  g = end();
  ck_assert_uint_eq(gpugraph_nodes(g), 0);
  OK(gpugraph_replay(g));
  gpugraph_free(g);
  gpugraph_free(NULL);
  ck_assert_uint_eq(gpugraph_nodes(NULL), 0);
  GpuArray_clear(&r);
  GpuArray_clear(&none);
}
END_TEST

/* ---- kernels, BLAS --------------------------------------------------------------------- */

START_TEST(raw_kernels_are_taken_and_changed)
{
  static const size_t grid[3] = {8, 1, 1}, block[3] = {128, 1, 1};
  GpuArray a = ramp(1000, 0), b = ramp(1000, 100), r = zeros(1000);
  unsigned int n = 1000;
  float k = 0.5f, k2 = 2;
  GpuKernel f;
  gpugraph *g;
  if (!have_compiler) return;
  OK(GpuKernel_build(&f, ctx, add_source, "add"));
  OK(gpugraph_begin(ctx));
  OK(GpuKernel_launch(&f, grid, block, 0,
                      GA_ARGS(ga_array(NULL, &r), ga_array("a", &a), ga_scalar("k", GA_FLOAT, &k),
                              ga_scalar(NULL, GA_UINT, &n))));
  g = end();
  GpuKernel_clear(&f); /* the graph has it */
  k = 9;
  OK(gpugraph_replay(g));
  ck_assert(at(&r, 999) == 999.5f);
  OK(gpugraph_set(g, GA_ARGS(ga_array("a", &b), ga_scalar("k", GA_FLOAT, &k2))));
  OK(gpugraph_replay(g));
  ck_assert(at(&r, 999) == 1101);
  FAILS(GA_VALUE_ERROR, "'k' has typecode", gpugraph_set(g, GA_ARGS(ga_scalar("k", GA_UINT, &n))));
  gpugraph_free(g);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&r);
}
END_TEST

START_TEST(elementwise_text_is_taken_and_changed)
{
  gpuelemwise_arg args[3] = {
      {"a", GA_FLOAT, GE_READ}, {"k", GA_FLOAT, GE_SCALAR}, {"r", GA_FLOAT, GE_WRITE}};
  GpuArray a = ramp(1000, 0), b = ramp(1000, 10), r = zeros(1000);
  float k = 3, k2 = 4;
  void *given[3] = {&a, &k, &r};
  GpuElemwise *ge;
  gpugraph *g;
  if (!have_compiler) return;
  ge = GpuElemwise_new(ctx, NULL, "r = a * k", 3, args, 1, 0);
  ck_assert_msg(ge != NULL, "%s", gpuarray_error_message());
  OK(gpugraph_begin(ctx));
  OK(GpuElemwise_call(ge, given, 0));
  g = end();
  GpuElemwise_free(ge);
  OK(gpugraph_replay(g));
  ck_assert(at(&r, 999) == 2997);
  OK(gpugraph_set(g, GA_ARGS(ga_array("a", &b), ga_scalar("k", GA_FLOAT, &k2))));
  OK(gpugraph_replay(g));
  ck_assert(at(&r, 999) == 4036);
  gpugraph_free(g);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&r);
}
END_TEST

START_TEST(products_are_taken_and_changed)
{
  GpuArray a = square(3, 0), b = square(3, 1), other = square(3, 2), c = square(3, 0);
  GpuArray x = ramp(3, 1), y = zeros(3), z = zeros(1), s;
  gpugraph *g;
  if (!have_blas) return;
  OK(GpuArray_reshape(&s, &z, 0, NULL, GA_C_ORDER, 1));
  OK(gpugraph_begin(ctx));
  OK(GpuArray_rgemm(cb_no_trans, cb_trans, 1, &a, &b, 0, &c, 1));
  OK(GpuArray_rgemv(cb_no_trans, 2, &c, &x, 0, &y, 1));
  OK(GpuArray_rdot(&x, &y, &s, 1));
  g = end();
  for (int i = 0; i < 3; i++) {
    OK(gpugraph_replay(g));
    ck_assert(at(&c, 0) == 8 && at(&c, 8) == 6 * 7 + 7 * 8 + 8 * 9);
    ck_assert(at(&y, 0) == 2 * (8 + 17 * 2 + 26 * 3));
    ck_assert(at(&z, 0) == 1 * 240 + 2 * 888 + 3 * 1536);
  }
  OK(gpugraph_replace(g, 1, (const GpuArray *[]){&b}, (const GpuArray *[]){&other}));
  OK(gpugraph_replay(g));
  ck_assert(at(&c, 0) == 0 * 2 + 1 * 3 + 2 * 4);
  gpugraph_free(g);
  GpuArray_clear(&s);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&other);
  GpuArray_clear(&c);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&z);
}
END_TEST

static GpuArray cube(size_t n, double start)
{
  GpuArray a = ramp(2 * n * n, start);
  size_t dims[3] = {2, n, n};
  OK(GpuArray_reshape_inplace(&a, 3, dims, GA_C_ORDER));
  return a;
}

START_TEST(batches_of_products_are_taken)
{
  GpuArray a = cube(2, 0), b = cube(2, 1), c = cube(2, 0), want = cube(2, 0), all;
  unsigned char equal = 0;
  gpugraph *g;
  if (!have_blas) return;
  OK(GpuArray_rgemmBatch_3d(cb_no_trans, cb_no_trans, 1, &a, &b, 0, &want, 1));
  OK(gpugraph_begin(ctx));
  OK(GpuArray_rgemmBatch_3d(cb_no_trans, cb_no_trans, 1, &a, &b, 0, &c, 1));
  g = end();
  OK(gpugraph_replay(g));
  OK(GpuArray_eval(&all, ctx, "all(c == w)", GA_ARGS(ga_array("c", &c), ga_array("w", &want))));
  OK(GpuArray_tohost(&equal, 1, GA_BOOL, &all));
  ck_assert(equal);
  gpugraph_free(g);
  GpuArray_clear(&all);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
  GpuArray_clear(&want);
}
END_TEST

/* ---- what is refused, and who is captured ----------------------------------------------- */

START_TEST(refused_calls_spoil_the_capture_and_nothing_else)
{
  GpuArray x = ramp(4, 0), r, sum, far;
  gpugraph *g = NULL, *done;
  gpucontext *other = test_context();
  float v[4];
  OK(GpuArray_empty(&far, other, GA_FLOAT, GA_DIMS(4), GA_C_ORDER));
  OK(gpugraph_begin(ctx));
  OK(GpuArray_eval(&sum, ctx, "sum(x)", GA_ARGS(ga_array("x", &x))));
  done = end();
  OK(gpugraph_begin(ctx));
  FAILS(GA_INVALID_ERROR, "already", gpugraph_begin(ctx));
  OK(GpuArray_eval(&r, ctx, "2*x", GA_ARGS(ga_array("x", &x))));
  FAILS(GA_INVALID_ERROR, "no read to the host", GpuArray_tohost(v, sizeof v, GA_FLOAT, &r));
  FAILS(GA_INVALID_ERROR, "no read to the host", GpuArray_print(stdout, &r));
  FAILS(GA_INVALID_ERROR, "no read to the host", gpudata_read(v, x.data, 0, sizeof v));
  FAILS(GA_INVALID_ERROR, "no read to the host", GpuArray_read(v, sizeof v, &x));
  FAILS(GA_INVALID_ERROR, "no read to the host", GpuArray_fdump(stdout, &x));
  FAILS(GA_INVALID_ERROR, "no waiting", gpucontext_sync(ctx));
  FAILS(GA_INVALID_ERROR, "no waiting", gpudata_sync(x.data));
  FAILS(GA_INVALID_ERROR, "no waiting", GpuArray_sync(&x));
  FAILS(GA_INVALID_ERROR, "between contexts", gpudata_transfer(far.data, 0, x.data, 0, 16));
  FAILS(GA_INVALID_ERROR, "between contexts", gpudata_transfer(x.data, 0, far.data, 0, 16));
  FAILS(GA_INVALID_ERROR, "between contexts", GpuArray_transfer(&far, &x));
  FAILS(GA_INVALID_ERROR, "no replay", gpugraph_replay(done));
  FAILS(GA_INVALID_ERROR, "no read to the host", gpugraph_end(&g, ctx));
  ck_assert_ptr_null(g);
  FAILS(GA_INVALID_ERROR, "not capturing", gpugraph_end(&g, ctx));
  OK(GpuArray_tohost(v, sizeof v, GA_FLOAT, &x));
  OK(gpugraph_replay(done));
  ck_assert(at(&sum, 0) == 6);
  refs(2, &x);
  GpuArray_clear(&far);
  gpucontext_deref(other);
  gpugraph_free(done);
  FAILS(GA_VALUE_ERROR, "argument 1", gpugraph_begin(NULL));
  FAILS(GA_VALUE_ERROR, "argument 2", gpugraph_end(&g, NULL));
  FAILS(GA_VALUE_ERROR, "argument 1", gpugraph_replay(NULL));
  GpuArray_clear(&x);
  GpuArray_clear(&r);
  GpuArray_clear(&sum);
}
END_TEST

/* A text with a mistake is the caller's affair: the capture goes on. */
START_TEST(mistakes_in_arguments_do_not_spoil)
{
  GpuArray x = ramp(4, 0), y = ramp(5, 0), r, bad;
  gpugraph *g;
  OK(gpugraph_begin(ctx));
  OK(GpuArray_eval(&r, ctx, "2*x", GA_ARGS(ga_array("x", &x))));
  FAILS(GA_VALUE_ERROR, "^", GpuArray_eval(&bad, ctx, "x +", GA_ARGS(ga_array("x", &x))));
  FAILS(GA_VALUE_ERROR, "", GpuArray_add(&bad, &x, &y));
  g = end();
  OK(gpugraph_replay(g));
  ck_assert(at(&r, 3) == 6);
  gpugraph_free(g);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&r);
}
END_TEST

static void *other_thread(void *arg)
{
  GpuArray *x = arg, r;
  gpugraph *g;
  OK(GpuArray_eval_into(x, "x + 1", GA_ARGS(ga_array("x", x)))); /* runs at once */
  ck_assert(at(x, 0) == 1);
  OK(gpugraph_begin(ctx));
  OK(GpuArray_eval(&r, ctx, "x * 8", GA_ARGS(ga_array("x", x))));
  OK(gpugraph_end(&g, ctx));
  OK(gpugraph_replay(g));
  ck_assert(at(&r, 0) == 8);
  gpugraph_free(g);
  GpuArray_clear(&r);
  return NULL;
}

START_TEST(other_threads_are_left_alone)
{
  GpuArray x = ramp(100000, 0), r;
  pthread_t t;
  gpugraph *g;
  OK(gpugraph_begin(ctx));
  OK(GpuArray_eval(&r, ctx, "x * 2", GA_ARGS(ga_array("x", &x))));
  ck_assert_int_eq(pthread_create(&t, NULL, other_thread, &x), 0);
  pthread_join(t, NULL);
  g = end();
  ck_assert_uint_eq(gpugraph_nodes(g), 1);
  OK(gpugraph_replay(g));
  ck_assert(at(&r, 99999) == 200000);
  gpugraph_free(g);
  GpuArray_clear(&x);
  GpuArray_clear(&r);
}
END_TEST

static void *replays(void *arg)
{
  for (int i = 0; i < 100; i++) OK(gpugraph_replay(arg));
  return NULL;
}

START_TEST(threads_replay_one_after_the_other)
{
  GpuArray x = zeros(5000);
  pthread_t t[4];
  gpugraph *g;
  OK(gpugraph_begin(ctx));
  OK(GpuArray_eval_into(&x, "x + k", GA_ARGS(ga_array("x", &x), ga_float("k", 1))));
  g = end();
  for (int i = 0; i < 4; i++) ck_assert_int_eq(pthread_create(&t[i], NULL, replays, g), 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  ck_assert(at(&x, 4999) == 400);
  gpugraph_free(g);
  GpuArray_clear(&x);
}
END_TEST

START_TEST(two_contexts_are_captured_at_once)
{
  gpucontext *second = test_context();
  GpuArray x = ramp(10, 0), y, r, s;
  gpugraph *g, *h;
  OK(GpuArray_arange(&y, second, GA_FLOAT, 5, 15, 1));
  OK(gpugraph_begin(ctx));
  OK(gpugraph_begin(second));
  OK(GpuArray_eval(&r, ctx, "x + 1", GA_ARGS(ga_array("x", &x))));
  OK(GpuArray_eval(&s, second, "y + 2", GA_ARGS(ga_array("y", &y))));
  OK(gpugraph_end(&g, ctx));
  OK(gpugraph_end(&h, second));
  OK(gpugraph_replay(g));
  OK(gpugraph_replay(h));
  ck_assert(at(&r, 0) == 1 && at(&s, 0) == 7);
  FAILS(GA_VALUE_ERROR, "another context", gpugraph_set(g, GA_ARGS(ga_array("x", &y))));
  gpugraph_free(g);
  gpugraph_free(h);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&r);
  GpuArray_clear(&s);
  gpucontext_deref(second);
}
END_TEST

static const test_case cases[] = {
    CASE(nothing_runs_before_the_replay),
    CASE_LOOP(replays_give_the_bits_of_the_call, sizeof texts / sizeof *texts),
    CASE(graph_holds_what_it_uses),
    CASE(a_loop_of_replays_is_a_loop_of_calls),
    CASE(overlapping_output_is_mended_in_each_replay),
    CASE(copies_fills_and_writes_are_taken),
    CASE(rows_are_taken_without_a_check_only),
    CASE(empty_graphs_and_empty_arrays_do_nothing),
    CASE(raw_kernels_are_taken_and_changed),
    CASE(elementwise_text_is_taken_and_changed),
    CASE(products_are_taken_and_changed),
    CASE(batches_of_products_are_taken),
    CASE(refused_calls_spoil_the_capture_and_nothing_else),
    CASE(mistakes_in_arguments_do_not_spoil),
    CASE(other_threads_are_left_alone),
    CASE(threads_replay_one_after_the_other),
    CASE(two_contexts_are_captured_at_once),
    CASE_END};

int main(void) { return test_main_with("graph", cases, open_context, close_context); }
