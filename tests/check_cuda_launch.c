/* SPDX-License-Identifier: MIT */
/* Modules and launches of the CUDA device over a stub driver: what a launch passes,
 * what is refused, and what a fault in a kernel leaves. No GPU is needed. */
#include "tests/stub.h"

#define B (&ga_cuda_backend)

static ga_func *some_kernel(gpucontext *ctx, ga_module **m)
{
  ga_source src = {.text = "extern \"C\" __global__ void fill(float *x) {}\n"
                           "extern \"C\" __global__ void other(float *x) {}\n"};
  void *bin;
  size_t size;
  ga_func *f;
  OK(B->compile(&bin, &size, NULL, ctx, &src));
  OK(B->module_new(m, ctx, bin, size));
  free(bin);
  OK(B->module_func(&f, *m, "fill"));
  return f;
}

static const size_t one[3] = {1, 1, 1};

START_TEST(fault_poisons_and_names_the_kernel)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext *ctx = stub_context();
  ga_module *m;
  gpudata *b, *c;
  char x[8];
  ga_func *f = some_kernel(ctx, &m);
  OK(B->alloc(&b, ctx, 8, 0));
  OK(B->launch(f, one, one, 0, NULL, 0));
  s->fault = 700;
  FAILS(GA_IMPL_ERROR, "ILLEGAL_ADDRESS", B->read(x, b, 0, 8));
  s->fault = 0; /* the driver would not recover; that we do not ask is seen */
  FAILS(GA_IMPL_ERROR, "launched last was fill", B->read(x, b, 0, 8));
  FAILS(GA_IMPL_ERROR, "unusable", B->launch(f, one, one, 0, NULL, 0));
  FAILS(GA_IMPL_ERROR, "unusable", B->alloc(&c, ctx, 8, 0));
  int frees = s->frees, launches = s->launches;
  B->free(b);
  B->module_free(m);
  B->context_close(ctx);
  ck_assert_int_eq(s->frees, frees);
  ck_assert_int_eq(s->launches, launches);
  ck_assert_int_eq(s->retained, 0);
}
END_TEST

START_TEST(ordinary_errors_do_not_poison)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext *ctx = stub_context();
  ga_module *m;
  ga_func *f = some_kernel(ctx, &m);
  s->launch_result = 1;
  FAILS(GA_VALUE_ERROR, "fill", B->launch(f, one, one, 0, NULL, 0));
  s->launch_result = 701;
  FAILS(GA_VALUE_ERROR, "block (1, 1, 1)", B->launch(f, one, one, 0, NULL, 0));
  OK(B->launch(f, one, one, 0, NULL, 0));
  B->module_free(m);
  B->context_close(ctx);
  ck_assert_int_eq(s->modules, 0);
}
END_TEST

START_TEST(launch_passes_grid_and_packed_arguments)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext *ctx = stub_context();
  ga_module *m;
  ga_func_info info;
  size_t grid[3] = {5, 6, 7}, block[3] = {32, 2, 1};
  double args[3] = {1.5, 2.5, -3};
  ga_func *f, *again;
  s->params = 3;
  f = some_kernel(ctx, &m);
  OK(B->launch(f, grid, block, 100, args, sizeof args));
  ck_assert_uint_eq(s->grid[2], 7);
  ck_assert_uint_eq(s->block[0], 32);
  ck_assert_uint_eq(s->shared, 100);
  ck_assert_uint_eq(s->nargs, sizeof args);
  ck_assert(memcmp(s->args, args, sizeof args) == 0);
  OK(B->func_info(&info, f));
  ck_assert_uint_eq(info.nargs, 3);
  ck_assert_uint_eq(info.args_size, 24);
  ck_assert_uint_eq(info.arg_offset[2], 16);
  ck_assert_uint_eq(info.max_threads, 512);
  ck_assert_uint_eq(info.preferred_threads, 32);
  OK(B->module_func(&again, m, "fill"));
  ck_assert_ptr_eq(again, f);
  FAILS(GA_VALUE_ERROR, "fill, other", B->module_func(&again, m, "fil"));
  B->module_free(m);
  B->context_close(ctx);
}
END_TEST

START_TEST(old_driver_does_not_tell_parameters)
{
  gpucontext *ctx;
  ga_module *m;
  ga_func_info info;
  stub_use("libstubcuda_old");
  ctx = stub_context();
  OK(B->func_info(&info, some_kernel(ctx, &m)));
  ck_assert_uint_eq(info.nargs, (unsigned int)-1);
  B->module_free(m);
  B->context_close(ctx);
}
END_TEST

START_TEST(shared_memory_is_opted_into_and_bounded)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext *ctx = stub_context();
  ga_module *m;
  ga_func *f = some_kernel(ctx, &m);
  OK(B->launch(f, one, one, 16384, NULL, 0));
  ck_assert_int_eq(s->opted, 0);
  OK(B->launch(f, one, one, 49152, NULL, 0)); /* beside the kernel's own it may not fit */
  ck_assert_int_eq(s->opted, 49152);
  OK(B->launch(f, one, one, 100000, NULL, 0));
  ck_assert_int_eq(s->opted, 100000);
  FAILS(GA_VALUE_ERROR, "232448", B->launch(f, one, one, 232449, NULL, 0));
  B->module_free(m);
  B->context_close(ctx);
}
END_TEST

START_TEST(empty_and_huge_grids_are_refused)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext *ctx = stub_context();
  ga_module *m;
  ga_func *f = some_kernel(ctx, &m);
  size_t none[3] = {1, 0, 1}, huge[3] = {(size_t)1 << 31, 1, 1};
  FAILS(GA_VALUE_ERROR, "(1, 0, 1)", B->launch(f, none, one, 0, NULL, 0));
  FAILS(GA_VALUE_ERROR, "2147483648", B->launch(f, one, huge, 0, NULL, 0));
  ck_assert_int_eq(s->launches, 0);
  B->module_free(m);
  B->context_close(ctx);
}
END_TEST

START_TEST(broken_modules_are_refused)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext *ctx = stub_context();
  ga_source src = {.text = "extern \"C\" __global__ void k(float *x) {}\n"};
  ga_module *m;
  void *bin;
  size_t size, n;
  char *copy;
  OK(B->compile(&bin, &size, NULL, ctx, &src));
  for (n = 0; n < size; n++) { /* every truncation, read from memory of that size */
    copy = malloc(n > 0 ? n : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bin, n);
    FAILS(GA_IMPL_ERROR, "no compiled module", B->module_new(&m, ctx, copy, n));
    free(copy);
  }
  s->module_result = 200;
  FAILS(GA_IMPL_ERROR, "STUB_ERROR_200", B->module_new(&m, ctx, bin, size));
  free(bin);
  B->context_close(ctx);
  ck_assert_int_eq(s->modules, 0);
}
END_TEST

START_TEST(globals_are_found_by_name)
{
  gpucontext *ctx;
  ga_module *m;
  void *p = NULL;
  size_t size = 0;
  stub_use("libstubcuda");
  ctx = stub_context();
  some_kernel(ctx, &m);
  OK(B->module_global(&p, &size, m, "table"));
  ck_assert(p != NULL && size == 32);
  FAILS(GA_VALUE_ERROR, "'absent'", B->module_global(&p, &size, m, "absent"));
  B->module_free(m);
  B->context_close(ctx);
}
END_TEST

static const test_case cases[] = {CASE(fault_poisons_and_names_the_kernel),
                                  CASE(ordinary_errors_do_not_poison),
                                  CASE(launch_passes_grid_and_packed_arguments),
                                  CASE(old_driver_does_not_tell_parameters),
                                  CASE(shared_memory_is_opted_into_and_bounded),
                                  CASE(empty_and_huge_grids_are_refused),
                                  CASE(broken_modules_are_refused),
                                  CASE(globals_are_found_by_name),
                                  CASE_END};

int main(void) { return test_main("cuda_launch", cases); }
