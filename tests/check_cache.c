/* SPDX-License-Identifier: MIT */
/* The kernel cache, in memory and on disk, over a stub driver and a stub compiler:
 * what is kept, what is in the key, what becomes of damaged entries and of places
 * that may not be used. */
#include "tests/cache_place.h"

#include <pthread.h>
#include <sys/resource.h>

/* ---- memory -------------------------------------------------------------------- */

START_TEST(one_context_compiles_once)
{
  gpucontext *ctx;
  ga_module *m[3];
  ga_source src = {.text = text_a};
  fresh();
  setenv("GPUARRAY_CACHE", "off", 1);
  ctx = stub_context();
  for (int i = 0; i < 3; i++) OK(ga_cache_module(&m[i], ctx, &src, NULL));
  ck_assert(m[0] == m[1] && m[1] == m[2]);
  ck_assert_int_eq(compiled(), 1);
  for (int i = 0; i < 300; i++) { /* the table grows */
    char text[64];
    snprintf(text, sizeof text, "%s// %d\n", text_a, i);
    src.text = text;
    OK(ga_cache_module(&m[1], ctx, &src, NULL));
  }
  src.text = text_a;
  OK(ga_cache_module(&m[1], ctx, &src, NULL));
  ck_assert(m[0] == m[1]);
  ck_assert_int_eq(compiled(), 301);
  ga_cache_close(ctx);
  ctx->backend->context_close(ctx);
  ck_assert_int_eq(count_files(""), 0);
  cleanup();
}
END_TEST

START_TEST(every_part_of_a_source_is_in_the_key)
{
  const char *names[] = {"h", "g"}, *bodies[] = {"x", "y"}, *options[] = {"-a", "-b"};
  const char *joined[] = {"-a-b"}, *kernels[] = {"a"};
  ga_source sources[] = {
      {.text = text_a},
      {.text = text_b},
      {.text = text_a, .fast = 1},
      {.text = text_a, .raw = 1},
      {.text = text_a, .noption = 1, .options = options},
      {.text = text_a, .noption = 2, .options = options},
      {.text = text_a, .noption = 1, .options = joined},
      {.text = text_a, .nname = 1, .names = kernels},
      {.text = text_a, .noption = 1, .options = kernels},
      {.text = text_a, .nheader = 1, .header_names = names, .header_bodies = bodies},
      {.text = text_a, .nheader = 1, .header_names = names + 1, .header_bodies = bodies},
      {.text = text_a, .nheader = 1, .header_names = names, .header_bodies = bodies + 1},
      {.text = text_a, .nheader = 1, .header_names = bodies, .header_bodies = names},
  };
  enum { n = sizeof sources / sizeof *sources };
  fresh();
  for (int i = 0; i < n; i++) OK(get_source(&sources[i]));
  ck_assert_int_eq(compiled(), n);
  for (int i = 0; i < n; i++) OK(get_source(&sources[i]));
  ck_assert_int_eq(compiled(), n);
  cleanup();
}
END_TEST

static void *get_in_thread(void *arg)
{
  ga_module *m = NULL;
  ga_source src = {.text = text_a};
  return ga_cache_module(&m, arg, &src, NULL) == GA_NO_ERROR ? m : NULL;
}

START_TEST(threads_that_need_one_kernel_compile_once)
{
  pthread_t t[8];
  void *m[8];
  gpucontext *ctx;
  fresh();
  setenv("GPUARRAY_CACHE", "off", 1);
  setenv("STUB_NVRTC_MS", "200", 1);
  ctx = stub_context();
  for (int i = 0; i < 8; i++) ck_assert_int_eq(pthread_create(&t[i], NULL, get_in_thread, ctx), 0);
  for (int i = 0; i < 8; i++) ck_assert_int_eq(pthread_join(t[i], &m[i]), 0);
  for (int i = 0; i < 8; i++) ck_assert(m[i] != NULL && m[i] == m[0]);
  ck_assert_int_eq(compiled(), 1);
  ga_cache_close(ctx);
  ctx->backend->context_close(ctx);
  cleanup();
}
END_TEST

START_TEST(refused_source_is_not_kept)
{
  char *log = NULL;
  gpucontext *ctx;
  ga_module *m;
  ga_source src = {.text = "#error no\n"};
  fresh();
  ctx = stub_context();
  FAILS(GA_IMPL_ERROR, "error: #error directive", ga_cache_module(&m, ctx, &src, &log));
  ck_assert_ptr_null(m);
  ck_assert_ptr_nonnull(log);
  ck_assert_ptr_nonnull(strstr(log, "#error directive"));
  free(log);
  FAILS(GA_IMPL_ERROR, "error: #error directive", ga_cache_module(&m, ctx, &src, NULL));
  ck_assert_int_eq(compiled(), 2);
  ck_assert_int_eq(count_files(GA_CACHE_SUFFIX), 0);
  ga_cache_close(ctx);
  ctx->backend->context_close(ctx);
  cleanup();
}
END_TEST

/* ---- disk ------------------------------------------------------------------------ */

START_TEST(second_process_does_not_compile)
{
  struct stat st;
  char path[1200];
  fresh();
  OK(get(text_a));
  OK(get(text_a));
  ck_assert_int_eq(compiled(), 1);
  only_entry(path);
  ck_assert_int_eq(stat(path, &st), 0);
  ck_assert_uint_eq(st.st_mode & 0777, 0600);
  ck_assert_int_eq(count_files(GA_CACHE_TMP), 0);
  ck_assert_int_eq(count_files(GA_CACHE_LOCK), 0);
  cleanup();
}
END_TEST

START_TEST(missing_directories_are_made_for_the_user_alone)
{
  struct stat st;
  char path[1200];
  fresh();
  snprintf(path, sizeof path, "%s/x/y", dir);
  setenv("GPUARRAY_CACHE_DIR", path, 1);
  OK(get(text_a));
  ck_assert_int_eq(stat(path, &st), 0);
  ck_assert_uint_eq(st.st_mode & 0777, 0700);
  OK(get(text_a));
  ck_assert_int_eq(compiled(), 1);
  unsetenv("GPUARRAY_CACHE_DIR");
  setenv("XDG_CACHE_HOME", dir, 1);
  OK(get(text_a));
  snprintf(path, sizeof path, "%s/gpuarray", dir);
  ck_assert_int_eq(stat(path, &st), 0);
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", dir, 1);
  OK(get(text_a));
  snprintf(path, sizeof path, "%s/.cache/gpuarray", dir);
  ck_assert_int_eq(stat(path, &st), 0);
  unsetenv("HOME"); /* no place at all */
  OK(get(text_a));
  OK(get(text_a));
  ck_assert_int_eq(compiled(), 5);
  FAILS(GA_VALUE_ERROR, "HOME", gpuarray_cache_path(path, sizeof path));
  cleanup();
}
END_TEST

START_TEST(damaged_entries_are_replaced)
{
  char path[1200];
  struct stat st;
  long want = 1;
  unsigned char byte;
  fresh();
  OK(get(text_a));
  only_entry(path);
  ck_assert_int_eq(stat(path, &st), 0);
  for (off_t at = 0; at < st.st_size; at += 1 + at / 8) { /* one byte changed */
    int fd = open(path, O_RDWR);
    ck_assert(pread(fd, &byte, 1, at) == 1);
    byte ^= 0x10;
    ck_assert(pwrite(fd, &byte, 1, at) == 1);
    close(fd);
    OK(get(text_a));
    ck_assert_msg(compiled() == ++want, "byte %ld changed: compiled %ld times, not %ld", (long)at,
                  compiled(), want);
  }
  for (off_t n = 0; n < st.st_size; n += 1 + n / 4) { /* cut off */
    ck_assert_int_eq(truncate(path, n), 0);
    OK(get(text_a));
    ck_assert_int_eq(compiled(), ++want);
  }
  OK(get(text_a));
  ck_assert_int_eq(compiled(), want);
  cleanup();
}
END_TEST

START_TEST(binary_the_driver_refuses_is_compiled_again)
{
  stub_state *s = fresh();
  OK(get(text_a));
  s->module_result = 209;
  OK(get(text_a));
  ck_assert_int_eq(compiled(), 2);
  OK(get(text_a));
  ck_assert_int_eq(compiled(), 2);
  cleanup();
}
END_TEST

START_TEST(other_keys_entry_is_not_taken)
{
  char a[1200], b[1300];
  fresh();
  OK(get(text_a));
  only_entry(a);
  snprintf(b, sizeof b, "%s.keep", a);
  ck_assert_int_eq(rename(a, b), 0);
  OK(get(text_b));
  only_entry(a); /* a is now b's entry: put a's content there, as if hashes met */
  ck_assert_int_eq(rename(b, a), 0);
  OK(get(text_b));
  ck_assert_int_eq(compiled(), 3);
  cleanup();
}
END_TEST

/* The compiler from now on: a copy of the stub at `name` that tells `version`. */
static void install(const char *name, const char *version)
{
  char cmd[9000], path[4096], to[700];
  snprintf(to, sizeof to, "%s/%s", dir, name);
  snprintf(cmd, sizeof cmd, "cp %s %s", stub_path(path, "libstubnvrtc"), to);
  ck_assert_int_eq(system(cmd), 0);
  ck_assert(setenv("STUB_NVRTC_VERSION", version, 1) == 0);
  ck_assert(setenv("GPUARRAY_NVRTC", to, 1) == 0);
}

START_TEST(compiler_version_must_match_where_there_is_one)
{
  fresh();
  install("old.so", "12.8");
  ck_assert_int_eq(in_child(child_get, (void *)text_a), 0);
  install("new.so", "13.0");
  ck_assert_int_eq(in_child(child_get, (void *)text_a), 0);
  ck_assert_int_eq(compiled(), 2);
  ck_assert_int_eq(count_files(GA_CACHE_SUFFIX), 2);
  install("old.so", "12.8");
  ck_assert_int_eq(in_child(child_get, (void *)text_a), 0);
  ck_assert_int_eq(compiled(), 2);
  install("old.so", "12.9"); /* another compiler in its place */
  ck_assert_int_eq(in_child(child_get, (void *)text_a), 0);
  ck_assert_int_eq(compiled(), 3);
  setenv("GPUARRAY_NVRTC", "/nowhere/libnvrtc.so", 1); /* any serves */
  ck_assert_int_eq(in_child(child_get, (void *)text_a), 0);
  ck_assert_int_eq(in_child(child_get, (void *)text_b), 1);
  ck_assert_int_eq(compiled(), 3);
  cleanup();
}
END_TEST

/* 0: the entry came, and the compiler was not loaded for it. */
static int child_without_compiler(void *arg)
{
  char path[4096];
  if (get(arg) != GA_NO_ERROR) return 1;
  return dlopen(stub_path(path, "libstubnvrtc"), RTLD_NOW | RTLD_NOLOAD) == NULL ? 0 : 2;
}

START_TEST(second_process_does_not_load_the_compiler)
{
  fresh();
  ck_assert_int_eq(in_child(child_without_compiler, (void *)text_a), 2);
  ck_assert_int_eq(in_child(child_without_compiler, (void *)text_a), 0);
  ck_assert_int_eq(in_child(child_without_compiler, (void *)text_b), 2);
  setenv("CUDA_HOME", "/elsewhere", 1); /* might lead to another */
  ck_assert_int_eq(in_child(child_without_compiler, (void *)text_b), 2);
  ck_assert_int_eq(in_child(child_without_compiler, (void *)text_b), 0);
  ck_assert_int_eq(compiled(), 2);
  cleanup();
}
END_TEST

START_TEST(missing_compiler_is_named)
{
  fresh();
  setenv("GPUARRAY_NVRTC", "/nowhere/libnvrtc.so", 1);
  FAILS(GA_LOAD_ERROR, "/nowhere/libnvrtc.so", get(text_a));
  cleanup();
}
END_TEST

START_TEST(directory_open_to_others_is_not_used)
{
  static const mode_t modes[] = {0777, 0755, 0710};
  char path[600];
  fresh();
  ck_assert_int_eq(chmod(dir, modes[_i]), 0);
  OK(get(text_a));
  OK(get(text_a));
  ck_assert_int_eq(compiled(), 2);
  ck_assert_int_eq(count_files(""), 0);
  FAILS(GA_VALUE_ERROR, "0700", gpuarray_cache_path(path, sizeof path));
  ck_assert_str_eq(path, dir);
  cleanup();
}
END_TEST

START_TEST(foreign_directory_is_not_used)
{
  char path[600];
  fresh();
  if (geteuid() != 0) { /* only root can give it away: take one that is root's */
    setenv("GPUARRAY_CACHE_DIR", "/root", 1);
    snprintf(path, sizeof path, "/root");
  } else {
    ck_assert_int_eq(chown(dir, 12345, (gid_t)-1), 0);
  }
  OK(get(text_a));
  OK(get(text_a));
  ck_assert_int_eq(compiled(), 2);
  ck_assert_int_ne(gpuarray_cache_path(path, sizeof path), GA_NO_ERROR);
  cleanup();
}
END_TEST

START_TEST(file_in_place_of_the_directory_is_left_alone)
{
  char path[600];
  struct stat st;
  fresh();
  snprintf(path, sizeof path, "%s/file", dir);
  close(open(path, O_CREAT | O_WRONLY, 0600));
  setenv("GPUARRAY_CACHE_DIR", path, 1);
  OK(get(text_a));
  ck_assert_int_eq(compiled(), 1);
  ck_assert(stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0);
  FAILS(GA_SYS_ERROR, "file", gpuarray_cache_list((gpuarray_cache_visit)abort, NULL));
  cleanup();
}
END_TEST

/* What root may do anyway, another user may not: become one where we are root. */
static int child_read_only(void *arg)
{
  (void)arg;
  /* Loads the libraries, which may lie where only root can go. */
  setenv("GPUARRAY_CACHE", "off", 1);
  if (get(text_b) != GA_NO_ERROR) return 5;
  unsetenv("GPUARRAY_CACHE");
  if (geteuid() == 0 && (chown(dir, 12345, 12345) != 0 || setgid(12345) != 0 || setuid(12345) != 0))
    return 2;
  if (chmod(dir, 0500) != 0 || get(text_a) != GA_NO_ERROR || get(text_b) != GA_NO_ERROR) return 3;
  return count_files("") == 0 ? 0 : 4;
}

START_TEST(read_only_directory_does_no_harm)
{
  fresh();
  unsetenv("STUB_NVRTC_LOG");
  ck_assert_int_eq(in_child(child_read_only, NULL), 0);
  cleanup();
}
END_TEST

/* Check writes to a file of its own meanwhile, so the limit is not too small. */
static int child_full(void *arg)
{
  struct rlimit small = {1 << 16, 1 << 16};
  char *text = calloc(1, 1 << 18);
  (void)arg;
  if (text == NULL || setrlimit(RLIMIT_FSIZE, &small) != 0) return 2;
  memset(text, ' ', (1 << 18) - 1);
  memcpy(text, text_a, sizeof text_a - 1);
  if (get(text) != GA_NO_ERROR) return 3;
  free(text);
  return count_files(GA_CACHE_SUFFIX) == 0 ? 0 : 4; /* and no signal ended us */
}

START_TEST(full_disk_does_no_harm)
{
  fresh();
  ck_assert_int_eq(in_child(child_full, NULL), 0);
  OK(get(text_a));
  ck_assert_int_eq(count_files(GA_CACHE_SUFFIX), 1);
  cleanup();
}
END_TEST

START_TEST(unreadable_entry_is_not_deleted)
{
  char path[1200];
  struct stat st;
  fresh();
  OK(get(text_a));
  only_entry(path);
  ck_assert_int_eq(unlink(path), 0);
  ck_assert_int_eq(mkdir(path, 0700), 0); /* cannot be read, cannot be replaced */
  OK(get(text_a));
  ck_assert_int_eq(compiled(), 2);
  ck_assert(stat(path, &st) == 0 && S_ISDIR(st.st_mode));
  ck_assert_int_eq(count_files(GA_CACHE_TMP), 0);
  cleanup();
}
END_TEST

START_TEST(symbolic_links_are_not_followed)
{
  char path[1200], target[1300];
  fresh();
  OK(get(text_a));
  only_entry(path);
  snprintf(target, sizeof target, "%s.moved", path);
  ck_assert_int_eq(rename(path, target), 0);
  ck_assert_int_eq(symlink(target, path), 0);
  OK(get(text_a));
  ck_assert_int_eq(compiled(), 2);
  cleanup();
}
END_TEST

static const test_case cases[] = {CASE(one_context_compiles_once),
                                  CASE(every_part_of_a_source_is_in_the_key),
                                  CASE(threads_that_need_one_kernel_compile_once),
                                  CASE(refused_source_is_not_kept),
                                  CASE(second_process_does_not_compile),
                                  CASE(missing_directories_are_made_for_the_user_alone),
                                  CASE(damaged_entries_are_replaced),
                                  CASE(binary_the_driver_refuses_is_compiled_again),
                                  CASE(other_keys_entry_is_not_taken),
                                  CASE(compiler_version_must_match_where_there_is_one),
                                  CASE(second_process_does_not_load_the_compiler),
                                  CASE(missing_compiler_is_named),
                                  CASE_LOOP(directory_open_to_others_is_not_used, 3),
                                  CASE(foreign_directory_is_not_used),
                                  CASE(file_in_place_of_the_directory_is_left_alone),
                                  CASE(read_only_directory_does_no_harm),
                                  CASE(full_disk_does_no_harm),
                                  CASE(unreadable_entry_is_not_deleted),
                                  CASE(symbolic_links_are_not_followed),
                                  CASE_END};

int main(void) { return test_main("cache", cases); }
