/* SPDX-License-Identifier: MIT */
/* The C++ compiler of raw kernels on the CPU device: how it is found and started, whatever
 * the program does with its signals and its files, and what is said where it is not. */
#include <errno.h>
#include <fcntl.h>
#include <gpuarray.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cpu/hostcuda_cxx.h"
#include "tests/device.h"

static const char right[] = "__global__ void k(int *a) { a[0] = 1; }";

/* Where a launcher stands before the compiler, as in "ccache g++", messages speak
 * of the compiler, and of the configured one the launcher is not needed. */
START_TEST(a_compilers_launcher_is_not_spoken_of)
{
  char dir[] = "/tmp/gpuarray-test-XXXXXX", path[64], wish[96];
  static const char wrong[] = "__global__ void k() { nothing(); }";
  GpuModule m = {0};
  const ga_hc_cxx *cxx;
  if (!test_on_cpu()) return;
  gpucontext *ctx = test_context();
  OK(ga_hc_cxx_find(&cxx));
  ck_assert_msg(strstr(cxx->words[0], "ccache") == NULL, "%s", cxx->words[0]);
  ck_assert_ptr_nonnull(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/ccache", dir);
  snprintf(wish, sizeof wish, "%s c++", path);
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fputs("#!/bin/sh\nexec \"$@\"\n", f);
  fclose(f);
  ck_assert_int_eq(chmod(path, 0700), 0);
  setenv("GPUARRAY_CXX", wish, 1);
  FAILS(GA_IMPL_ERROR, ": c++ failed", GpuModule_init(&m, ctx, wrong, NULL));
  unsetenv("GPUARRAY_CXX");
  FAILS(GA_IMPL_ERROR, " failed", GpuModule_init(&m, ctx, wrong, NULL));
  ck_assert_msg(strstr(gpuarray_error_message(), "ccache") == NULL, "%s", gpuarray_error_message());
  unlink(path);
  rmdir(dir);
  gpucontext_deref(ctx);
}
END_TEST

/* However many options there are, and words in GPUARRAY_CXX; too many of those are refused. */
START_TEST(command_lines_are_of_any_length)
{
  enum { N = 400 };
  static const char source[] = "__global__ void k(int *a) { a[0] = V0 + V399; }";
  char text[N][16], wish[600] = "c++";
  const char *options[N + 1] = {NULL};
  GpuModule m = {0};
  if (!test_on_cpu()) return;
  setenv("GPUARRAY_CACHE", "off", 1);
  gpucontext *ctx = test_context();
  for (int i = 0; i < N; i++) {
    snprintf(text[i], sizeof text[i], "-DV%d=%d", i, i);
    options[i] = text[i];
  }
  OK(GpuModule_init(&m, ctx, source, options));
  GpuModule_clear(&m);
  for (int i = 0; i < 20; i++) strcat(wish, " -DV0");
  strcat(wish, " -DV399");
  setenv("GPUARRAY_CXX", wish, 1);
  OK(GpuModule_init(&m, ctx, source, NULL));
  GpuModule_clear(&m);
  for (int i = 0; i < 50; i++) strcat(wish, " -DV0");
  setenv("GPUARRAY_CXX", wish, 1);
  FAILS(GA_UNSUPPORTED_ERROR, "more than 63 words", GpuModule_init(&m, ctx, source, NULL));
  unsetenv("GPUARRAY_CXX");
  gpucontext_deref(ctx);
}
END_TEST

static void take_all(int sig)
{
  int saved = errno;
  (void)sig;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
  errno = saved;
}

/* Ignored, or with a handler that takes the status of every child. */
START_TEST(a_programs_use_of_sigchld_is_its_own)
{
  struct sigaction sa = {.sa_handler = _i == 0 ? SIG_IGN : take_all}, old;
  GpuModule m = {0}, none = {0};
  if (!test_on_cpu()) return;
  setenv("GPUARRAY_CACHE", "off", 1);
  gpucontext *ctx = test_context();
  ck_assert_int_eq(sigaction(SIGCHLD, &sa, &old), 0);
  OK(GpuModule_init(&m, ctx, right, NULL));
  FAILS(GA_IMPL_ERROR, " failed", GpuModule_init(&none, ctx, "__global__ void k() { x(); }", NULL));
  ck_assert_int_eq(sigaction(SIGCHLD, &old, NULL), 0);
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
}
END_TEST

/* The new files of a process without standard streams get their numbers. */
START_TEST(a_program_may_have_no_standard_streams)
{
  int status = 1;
  if (!test_on_cpu()) return;
  setenv("GPUARRAY_CACHE", "off", 1);
  gpucontext *ctx = test_context();
  pid_t pid = fork();
  if (pid == 0) {
    GpuModule m = {0};
    for (int i = 0; i < 3; i++) close(i);
    if (GpuModule_init(&m, ctx, right, NULL) != GA_NO_ERROR) _exit(1);
    if (GpuModule_init(&m, ctx, "__global__ void k() { missing(); }", NULL) != GA_IMPL_ERROR)
      _exit(2);
    _exit(strstr(gpuarray_error_message(), "missing") != NULL ? 0 : 3);
  }
  ck_assert_int_gt(pid, 0);
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  ck_assert_int_eq(status, 0);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_named)
{
  static const char of_any[] = "template <class T> __global__ void t(T *a) { a[0] = 1; }";
  GpuModule m = {0};
  GpuKernel k = {0};
  char deep[300] = {0};
  if (!test_on_cpu()) return;
  setenv("GPUARRAY_CACHE", "off", 1);
  setenv("TMPDIR", "/nonexistent/tmp", 1);
  gpucontext *ctx = test_context();
  FAILS(GA_SYS_ERROR, "/nonexistent/tmp: No such file", GpuModule_init(&m, ctx, right, NULL));
  memset(deep, '/', sizeof deep - 1); /* which names the root */
  setenv("TMPDIR", deep, 1);
  FAILS(GA_SYS_ERROR, "File name too long", GpuModule_init(&m, ctx, right, NULL));
  FAILS(GA_SYS_ERROR, "File name too long", GpuKernel_build(&k, ctx, right, "k"));
  setenv("TMPDIR", "/tmp", 1);
  OK(GpuModule_init(&m, ctx, of_any, NULL));
  setenv("TMPDIR", deep, 1);
  FAILS(GA_SYS_ERROR, "File name too long", GpuModule_kernel(&k, &m, "t<int>"));
  setenv("TMPDIR", "/tmp", 1);
  OK(GpuModule_kernel(&k, &m, "t<int>"));
  GpuKernel_clear(&k);
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
}
END_TEST

/* What a shell, a compiler or printf() would make something of is part of a name. */
START_TEST(a_folder_may_have_any_name)
{
  static const char *const names[] = {"a b", "\"'\\", "$HOME`id`;&|", "a,b", "%s%n", "\n", "-x"};
  char dir[] = "/tmp/gpuarray-test-XXXXXX", path[64];
  GpuModule m = {0};
  if (!test_on_cpu()) return;
  ck_assert_ptr_nonnull(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/%s", dir, names[_i]);
  ck_assert_int_eq(mkdir(path, 0700), 0);
  setenv("GPUARRAY_CACHE", "off", 1);
  setenv("TMPDIR", path, 1);
  gpucontext *ctx = test_context();
  OK(GpuModule_init(&m, ctx, right, NULL));
  GpuModule_clear(&m);
  FAILS(GA_IMPL_ERROR, "missing",
        GpuModule_init(&m, ctx, "__global__ void k() { missing(); }", NULL));
  setenv("TMPDIR", "/tmp", 1);
  gpucontext_deref(ctx);
  ck_assert_int_eq(rmdir(path), 0); /* nothing was left */
  rmdir(dir);
}
END_TEST

/* With no file to be opened nothing can be started, which is no missing compiler. */
START_TEST(a_compiler_that_cannot_be_started_is_not_missing)
{
  struct rlimit all, few;
  GpuModule m = {0};
  int last = 0;
  if (!test_on_cpu()) return;
  setenv("GPUARRAY_CACHE", "off", 1);
  gpucontext *ctx = test_context();
  ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
  while (last < 1000 && fcntl(last, F_GETFD) >= 0) last++;
  for (few = all, few.rlim_cur = (rlim_t)last; few.rlim_cur < (rlim_t)last + 4; few.rlim_cur++) {
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    int err = GpuModule_init(&m, ctx, right, NULL);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
    ck_assert_msg(err == GA_SYS_ERROR, "%d: %s", err, gpuarray_error_message());
  }
  OK(GpuModule_init(&m, ctx, right, NULL));
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
}
END_TEST

/* Nor where the shell that starts it ends, as it does where it cannot have another process. */
START_TEST(a_shell_that_ends_is_no_missing_compiler)
{
  char path[] = "/tmp/gpuarray-test-XXXXXX";
  GpuModule m = {0};
  if (!test_on_cpu()) return;
  int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  FILE *f = fdopen(fd, "w");
  ck_assert_ptr_nonnull(f);
  fputs("#!/bin/sh\nkill -9 $PPID\n", f);
  fclose(f);
  ck_assert_int_eq(chmod(path, 0700), 0);
  setenv("GPUARRAY_CACHE", "off", 1);
  setenv("GPUARRAY_CXX", path, 1);
  gpucontext *ctx = test_context();
  FAILS(GA_SYS_ERROR, path, GpuModule_init(&m, ctx, right, NULL));
  unsetenv("GPUARRAY_CXX");
  OK(GpuModule_init(&m, ctx, right, NULL));
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
  unlink(path);
}
END_TEST

static const test_case cases[] = {CASE(a_compilers_launcher_is_not_spoken_of),
                                  CASE(command_lines_are_of_any_length),
                                  CASE_LOOP(a_programs_use_of_sigchld_is_its_own, 2),
                                  CASE(a_program_may_have_no_standard_streams),
                                  CASE(a_folder_that_cannot_be_made_is_named),
                                  CASE_LOOP(a_folder_may_have_any_name, 7),
                                  CASE(a_compiler_that_cannot_be_started_is_not_missing),
                                  CASE(a_shell_that_ends_is_no_missing_compiler),
                                  CASE_END};

int main(void) { return test_main("hostcuda_cxx", cases); }
