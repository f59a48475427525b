/* SPDX-License-Identifier: MIT */
/* Graphs of the CUDA device over the stub driver: what becomes which node, what an
 * update changes, and that nothing is left behind when the driver refuses. */
#include <sys/wait.h>
#include <unistd.h>

#include "gpuarray.h"
#include "gpuarray/extension.h"
#include "tests/stub.h"

static gpucontext *ctx;
static stub_state *s;

static void open_stub(const char *driver)
{
  char path[4096];
  s = stub_use(driver);
  s->params = -1; /* kernels take what they are given */
  setenv("GPUARRAY_CUBLAS", stub_path(path, "libstubcublas"), 1);
  ctx = stub_init();
}

static void close_stub(void)
{
  gpucontext_deref(ctx);
  stub_left_nothing(s);
}

static GpuArray vector(size_t n)
{
  GpuArray a;
  OK(GpuArray_zeros(&a, ctx, GA_FLOAT, 1, &n, GA_C_ORDER));
  return a;
}

static gpugraph *end(void)
{
  gpugraph *g;
  OK(gpugraph_end(&g, ctx));
  return g;
}

static const char text[] = "extern \"C\" __global__ void first(float *x, float *y) {}\n";
static const size_t grid[3] = {3, 2, 1}, block[3] = {32, 1, 1};

START_TEST(calls_become_nodes_that_replays_launch)
{
  GpuArray a, b;
  GpuKernel k;
  float v[8] = {1, 2, 3, 4, 5, 6, 7, 8}, got[8];
  void *want[2];
  gpugraph *g;
  open_stub("libstubcuda");
  a = vector(8);
  b = vector(8);
  OK(GpuKernel_build(&k, ctx, text, "first"));
  OK(gpugraph_begin(ctx));
  OK(GpuArray_write(&a, v, sizeof v));
  OK(GpuArray_move(&b, &a));
  OK(gpudata_memset(b.data, 16, 0));
  OK(GpuKernel_launch(&k, grid, block, 0, GA_ARGS(ga_array(NULL, &a), ga_array(NULL, &b))));
  FAILS(
      GA_VALUE_ERROR, "shared memory",
      GpuKernel_launch(&k, grid, block, 1 << 20, GA_ARGS(ga_array(NULL, &a), ga_array(NULL, &b))));
  FAILS(GA_VALUE_ERROR, "shared memory", gpugraph_end(&g, ctx));
  OK(gpugraph_begin(ctx));
  OK(GpuArray_write(&a, v, sizeof v));
  OK(GpuArray_move(&b, &a));
  OK(gpudata_memset(b.data, 16, 0));
  OK(GpuKernel_launch(&k, grid, block, 0, GA_ARGS(ga_array(NULL, &a), ga_array(NULL, &b))));
  g = end();
  GpuKernel_clear(&k);
  ck_assert_int_eq(s->launches, 0);
  ck_assert_uint_eq(gpugraph_nodes(g), 4);
  for (int i = 1; i <= 3; i++) {
    OK(gpugraph_replay(g));
    ck_assert_int_eq(s->launches, i);
    ck_assert_int_eq(s->graph_launches, i);
  }
  want[0] = a.data->ptr;
  want[1] = b.data->ptr;
  ck_assert_uint_eq(s->nargs, sizeof want);
  ck_assert(memcmp(s->args, want, sizeof want) == 0);
  OK(GpuArray_read(got, sizeof got, &b));
  ck_assert(got[3] == 4 && got[4] == 0);
  int before = s->syncs;
  gpugraph_free(g); /* it wrote from the host */
  ck_assert_int_eq(s->syncs, before + 1);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  close_stub();
}
END_TEST

/* Three kernels and a copy that use one array; the second node to change is refused. */
START_TEST(refused_update_is_undone)
{
  GpuArray a, b, other;
  GpuKernel k;
  void *want[2];
  gpugraph *g;
  open_stub("libstubcuda");
  a = vector(8);
  b = vector(8);
  other = vector(8);
  OK(GpuKernel_build(&k, ctx, text, "first"));
  OK(gpugraph_begin(ctx));
  OK(GpuArray_move(&b, &a));
  for (int i = 0; i < 2; i++)
    OK(GpuKernel_launch(&k, grid, block, 0, GA_ARGS(ga_array("a", &a), ga_array("b", &b))));
  g = end();
  for (int i = 0; i < 3; i++) {
    s->graph_result = 0;
    s->graph_result_after = i;
    s->node_sets = 0;
    s->graph_result = 801;
    FAILS(GA_IMPL_ERROR, "801", gpugraph_set(g, GA_ARGS(ga_array("a", &other))));
    ck_assert_int_eq(s->node_sets, 2 * i + 1); /* there, and all back */
    OK(gpugraph_replay(g));
    want[0] = a.data->ptr;
    want[1] = b.data->ptr;
    ck_assert(memcmp(s->args, want, sizeof want) == 0);
  }
  s->graph_result_after = 0;
  s->graph_result = 801;
  FAILS(GA_IMPL_ERROR, "801",
        gpugraph_replace(g, 1, (const GpuArray *[]){&a}, (const GpuArray *[]){&other}));
  s->node_sets = 0;
  OK(gpugraph_set(g, GA_ARGS(ga_array("a", &other))));
  ck_assert_int_eq(s->node_sets, 3);
  OK(gpugraph_replay(g));
  want[0] = other.data->ptr;
  ck_assert(memcmp(s->args, want, sizeof want) == 0);
  gpugraph_free(g);
  GpuKernel_clear(&k);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&other);
  close_stub();
}
END_TEST

static int capture_all(gpugraph **g, GpuKernel *k, GpuArray *a, GpuArray *b, GpuArray *sum,
                       const GpuArray *other)
{
  float two = 2, three = 3;
  int err = gpugraph_begin(ctx), later;
  *g = NULL;
  if (err != GA_NO_ERROR) return err;
  err = GpuKernel_launch(k, grid, block, 0,
                         GA_ARGS(ga_array("a", a), ga_scalar("k", GA_FLOAT, &two)));
  if (err == GA_NO_ERROR) err = GpuArray_move(b, a);
  if (err == GA_NO_ERROR) err = gpudata_memset(b->data, 0, 1);
  if (err == GA_NO_ERROR) err = GpuArray_rdot(a, b, sum, 1);
  later = gpugraph_end(g, ctx);
  if (err == GA_NO_ERROR) err = later;
  if (err == GA_NO_ERROR)
    err = gpugraph_set(*g, GA_ARGS(ga_scalar("k", GA_FLOAT, &three), ga_array("a", other)));
  if (err == GA_NO_ERROR) err = gpugraph_replay(*g);
  return err;
}

/* Each call of the driver that has to do with graphs refuses in turn. */
START_TEST(every_refusal_leaves_the_context_usable)
{
  GpuArray a, b, sum, other;
  GpuKernel k;
  gpugraph *g;
  int err = -1, n;
  open_stub("libstubcuda");
  a = vector(5000);
  b = vector(5000);
  other = vector(5000);
  OK(GpuArray_zeros(&sum, ctx, GA_FLOAT, 0, NULL, GA_C_ORDER));
  OK(GpuKernel_build(&k, ctx, text, "first"));
  OK(capture_all(&g, &k, &a, &b, &sum, &other));
  gpugraph_free(g);
  for (n = 0; err != GA_NO_ERROR && n < 40; n++) {
    s->graph_result_after = n;
    s->graph_result = 801;
    err = capture_all(&g, &k, &a, &b, &sum, &other);
    if (err != GA_NO_ERROR) FAILS(GA_IMPL_ERROR, "801", err);
    gpugraph_free(g);
    ck_assert_int_eq(s->graphs, 0);
    ck_assert_int_eq(s->execs, 0);
    ck_assert_int_eq(s->capturing, 0);
    OK(gpucontext_sync(ctx));
  }
  ck_assert_int_gt(n, 8);
  s->graph_result = 0;
  OK(gpugraph_begin(ctx));
  OK(GpuArray_move(&b, &a));
  s->graph_result_after = 0;
  s->graph_result = 801;
  FAILS(GA_IMPL_ERROR, "801", gpugraph_end(&g, ctx));
  s->graph_result = 0;
  GpuKernel_clear(&k);
  GpuArray_clear(&sum);
  GpuArray_clear(&other);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  close_stub();
}
END_TEST

START_TEST(driver_without_graphs_runs_the_list)
{
  GpuArray a, b;
  GpuKernel k;
  gpugraph *g;
  float v[8] = {1, 2, 3, 4, 5, 6, 7, 8}, got[8];
  open_stub("libstubcuda_old");
  a = vector(8);
  b = vector(8);
  OK(GpuKernel_build(&k, ctx, text, "first"));
  OK(gpugraph_begin(ctx));
  OK(GpuArray_write(&a, v, sizeof v));
  OK(GpuArray_move(&b, &a));
  OK(GpuKernel_launch(&k, grid, block, 0, GA_ARGS(ga_array("a", &a), ga_array("b", &b))));
  g = end();
  OK(gpugraph_replay(g));
  OK(gpugraph_replay(g));
  ck_assert_int_eq(s->launches, 2);
  OK(GpuArray_read(got, sizeof got, &b));
  ck_assert(got[7] == 8);
  gpugraph_free(g);
  GpuKernel_clear(&k);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  close_stub();
}
END_TEST

START_TEST(fault_in_a_replay_names_its_kernel)
{
  GpuArray a, b;
  GpuKernel k;
  gpugraph *g;
  open_stub("libstubcuda");
  a = vector(8);
  b = vector(8);
  OK(GpuKernel_build(&k, ctx, text, "first"));
  OK(gpugraph_begin(ctx));
  OK(GpuKernel_launch(&k, grid, block, 0, GA_ARGS(ga_array("a", &a), ga_array("b", &b))));
  g = end();
  OK(gpugraph_replay(g));
  s->fault = 700;
  FAILS(GA_IMPL_ERROR, "launched last was first", gpugraph_replay(g));
  s->fault = 0;
  FAILS(GA_IMPL_ERROR, "unusable", gpugraph_replay(g));
  FAILS(GA_IMPL_ERROR, "unusable", gpugraph_begin(ctx));
  gpugraph_free(g);
  ck_assert_int_eq(s->execs, 1); /* left to the driver */
  GpuKernel_clear(&k);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  gpucontext_deref(ctx);
}
END_TEST

/* Kernels that wait by themselves start early after kernels, and after nothing else;
 * kernels that do not, never. */
START_TEST(kernels_that_wait_start_early)
{
  GpuArray a, b;
  GpuKernel k;
  gpugraph *g;
  int waits = _i % 2, on = _i < 2;
  setenv("GPUARRAY_OVERLAP", on ? "on" : "off", 1);
  open_stub("libstubcuda");
  s->overlap = waits;
  a = vector(8);
  b = vector(8);
  OK(GpuKernel_build(&k, ctx, text, "first"));
  for (int i = 0; i < 3; i++)
    OK(GpuKernel_launch(&k, grid, block, 0, GA_ARGS(ga_array("a", &a), ga_array("b", &b))));
  ck_assert_int_eq(s->launches, 3);
  ck_assert_int_eq(s->early, waits && on ? 3 : 0);
  OK(gpugraph_begin(ctx));
  for (int i = 0; i < 6; i++) {
    if (i == 4) OK(gpudata_memset(a.data, 0, 1));
    OK(GpuKernel_launch(&k, grid, block, 0, GA_ARGS(ga_array("a", &a), ga_array("b", &b))));
  }
  g = end();
  ck_assert_int_eq(s->early_edges, waits && on ? 4 : 0);
  OK(gpugraph_replay(g));
  ck_assert_int_eq(s->launches, 9);
  gpugraph_free(g);
  GpuKernel_clear(&k);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  close_stub();
}
END_TEST

START_TEST(forked_child_replays_nothing)
{
  GpuArray a;
  gpugraph *g;
  int status;
  open_stub("libstubcuda");
  a = vector(8);
  OK(gpugraph_begin(ctx));
  OK(gpudata_memset(a.data, 0, 1));
  g = end();
  pid_t pid = fork();
  if (pid == 0) {
    int bad = gpugraph_replay(g) != GA_INVALID_ERROR;
    bad |= strstr(gpuarray_error_message(), "forked") == NULL;
    bad |= gpugraph_begin(ctx) != GA_INVALID_ERROR;
    gpugraph_free(g);
    bad |= s->execs != 1;
    _exit(bad);
  }
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child saw something else");
  OK(gpugraph_replay(g));
  gpugraph_free(g);
  GpuArray_clear(&a);
  close_stub();
}
END_TEST

/* Exporting a buffer moves it, and a graph would not know. */
START_TEST(captured_buffer_is_not_moved)
{
  int (*get)(gpudata *, GpuArrayIpcMemHandle *);
  GpuArrayIpcMemHandle h;
  GpuArray a;
  gpugraph *g;
  open_stub("libstubcuda");
  gpuarray_get_extension("cuda_get_ipc_handle");
  *(void **)&get = gpuarray_get_extension("cuda_get_ipc_handle");
  a = vector(8);
  OK(gpugraph_begin(ctx));
  OK(gpudata_memset(a.data, 0, 1));
  g = end();
  FAILS(GA_UNSUPPORTED_ERROR, "a graph holds the address", get(a.data, &h));
  gpugraph_free(g);
  GpuArray_clear(&a);
  a = vector(8);
  OK(get(a.data, &h));
  GpuArray_clear(&a);
  close_stub();
}
END_TEST

static const test_case cases[] = {CASE(calls_become_nodes_that_replays_launch),
                                  CASE(refused_update_is_undone),
                                  CASE(every_refusal_leaves_the_context_usable),
                                  CASE(driver_without_graphs_runs_the_list),
                                  CASE(fault_in_a_replay_names_its_kernel),
                                  CASE_LOOP(kernels_that_wait_start_early, 4),
                                  CASE(forked_child_replays_nothing),
                                  CASE(captured_buffer_is_not_moved),
                                  CASE_END};

int main(void) { return test_main("cuda_graph", cases); }
