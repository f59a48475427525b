/* SPDX-License-Identifier: MIT */
/* The kernel cache, in memory and on disk, over a stub driver and a stub compiler
 * that counts how often it is asked. */
#include "gpuarray/cache.h"
#include "lib/cache.h"
#include "lib/cache_disk.h"
#include "tests/stub.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

static char dir[512], logfile[600]; /* of this test */

/* An empty place for the cache, and no compilation so far. */
static stub_state *fresh(void)
{
  snprintf(dir, sizeof dir, "/tmp/gpuarray-check-cache.XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(dir));
  snprintf(logfile, sizeof logfile, "%s.log", dir);
  ck_assert(setenv("GPUARRAY_CACHE_DIR", dir, 1) == 0);
  ck_assert(unsetenv("GPUARRAY_CACHE") == 0);
  ck_assert(unsetenv("GPUARRAY_CACHE_SIZE") == 0);
  ck_assert(setenv("STUB_NVRTC_LOG", logfile, 1) == 0);
  return stub_use("libstubcuda");
}

static void cleanup(void)
{
  char cmd[1300];
  (void)chmod(dir, 0700);
  snprintf(cmd, sizeof cmd, "rm -rf %s %s", dir, logfile);
  ck_assert_int_eq(system(cmd), 0);
}

static long compiled(void)
{
  struct stat st;
  return stat(logfile, &st) == 0 ? (long)st.st_size / 9 : 0;
}

static const char text_a[] = "extern \"C\" __global__ void a(float *x) {}\n";
static const char text_b[] = "extern \"C\" __global__ void b(float *x) {}\n";

/* Gets the module of a source in a new context, as a new process would. */
static int get_source(const ga_source *src)
{
  gpucontext *ctx = stub_context();
  ga_module *m;
  int err = ga_cache_module(&m, ctx, src, NULL);
  ga_cache_close(ctx);
  ctx->backend->context_close(ctx);
  return err;
}

static int get(const char *text)
{
  ga_source src = {.text = text};
  return get_source(&src);
}

/* The name of the entry, of which there is one. */
static void only_entry(char path[1200])
{
  ga_cache_item *items;
  size_t n;
  int fd;
  OK(ga_cache_open(&fd, dir, 0));
  OK(ga_cache_items(&items, &n, fd, 0));
  ck_assert_uint_eq(n, 1);
  snprintf(path, 1200, "%s/%s", dir, items[0].name);
  free(items);
  close(fd);
}

static int count_files(const char *suffix)
{
  DIR *d = opendir(dir);
  int n = 0;
  ck_assert_ptr_nonnull(d);
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    size_t len = strlen(e->d_name), m = strlen(suffix);
    n += e->d_name[0] != '.' && len >= m && strcmp(e->d_name + len - m, suffix) == 0;
  }
  closedir(d);
  return n;
}

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
  ck_assert_int_eq(count_files(""), 0);
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

/* Runs `body` in a new process before this one has opened the driver. */
static int in_child(int (*body)(void *), void *arg)
{
  int status;
  pid_t pid = fork();
  if (pid == 0) _exit(body(arg));
  ck_assert_int_gt(pid, 0);
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

static int child_get(void *arg) { return get(arg) == GA_NO_ERROR ? 0 : 1; }

START_TEST(compiler_version_must_match_where_there_is_one)
{
  fresh();
  setenv("STUB_NVRTC_VERSION", "12.8", 1);
  ck_assert_int_eq(in_child(child_get, (void *)text_a), 0);
  setenv("STUB_NVRTC_VERSION", "13.0", 1);
  ck_assert_int_eq(in_child(child_get, (void *)text_a), 0);
  ck_assert_int_eq(compiled(), 2);
  ck_assert_int_eq(count_files(GA_CACHE_SUFFIX), 2);
  setenv("STUB_NVRTC_VERSION", "12.8", 1);
  ck_assert_int_eq(in_child(child_get, (void *)text_a), 0);
  ck_assert_int_eq(compiled(), 2);
  setenv("GPUARRAY_NVRTC", "/nowhere/libnvrtc.so", 1); /* any serves */
  ck_assert_int_eq(in_child(child_get, (void *)text_a), 0);
  ck_assert_int_eq(in_child(child_get, (void *)text_b), 1);
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
  return count_files("") == 0 ? 0 : 4; /* and no signal ended us */
}

START_TEST(full_disk_does_no_harm)
{
  fresh();
  ck_assert_int_eq(in_child(child_full, NULL), 0);
  OK(get(text_a));
  ck_assert_int_eq(count_files(""), 1);
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

/* ---- several processes ---------------------------------------------------------------- */

START_TEST(eight_cold_processes_compile_once)
{
  pid_t pid[8];
  int status, go[2];
  char x;
  fresh();
  setenv("STUB_NVRTC_MS", "300", 1);
  ck_assert_int_eq(pipe(go), 0);
  for (int i = 0; i < 8; i++)
    if ((pid[i] = fork()) == 0) {
      close(go[1]);
      (void)!read(go[0], &x, 1); /* until the pipe closes: all at once */
      _exit(get(text_a) != GA_NO_ERROR);
    }
  close(go[0]);
  close(go[1]);
  for (int i = 0; i < 8; i++) {
    ck_assert_int_eq(waitpid(pid[i], &status, 0), pid[i]);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  ck_assert_int_eq(compiled(), 1);
  ck_assert_int_eq(count_files(""), 1);
  cleanup();
}
END_TEST

START_TEST(lock_of_a_dead_process_does_not_block)
{
  int status;
  fresh();
  setenv("STUB_NVRTC_MS", "60000", 1);
  pid_t pid = fork();
  if (pid == 0) _exit(child_get((void *)text_a));
  for (int i = 0; i < 500 && compiled() == 0; i++) usleep(10000);
  ck_assert_int_eq(count_files(GA_CACHE_LOCK), 1);
  ck_assert_int_eq(kill(pid, SIGKILL), 0);
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  setenv("STUB_NVRTC_MS", "0", 1);
  OK(get(text_a));
  ck_assert_int_eq(compiled(), 2);
  ck_assert_int_eq(count_files(GA_CACHE_LOCK), 0);
  cleanup();
}
END_TEST

START_TEST(waiting_has_an_end)
{
  int status;
  fresh();
  setenv("STUB_NVRTC_MS", "60000", 1);
  pid_t pid = fork();
  if (pid == 0) _exit(child_get((void *)text_a));
  for (int i = 0; i < 500 && compiled() == 0; i++) usleep(10000);
  setenv("STUB_NVRTC_MS", "0", 1);
  ga_disk_patience = 100;
  OK(get(text_a)); /* compiles for itself */
  ck_assert_int_eq(compiled(), 2);
  ck_assert_int_eq(kill(pid, SIGKILL), 0);
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  cleanup();
}
END_TEST

/* ---- size ------------------------------------------------------------------------------ */

static void get_numbered(int i)
{
  char text[2100];
  snprintf(text, sizeof text, "%s// %d %02000d\n", text_a, i, 0);
  OK(get(text));
}

/* Makes entry `i` of those that are there as old as its number says. */
static void age_all(void)
{
  ga_cache_item *items;
  size_t n;
  int fd;
  OK(ga_cache_open(&fd, dir, 0));
  OK(ga_cache_items(&items, &n, fd, 0));
  for (size_t i = 0; i < n; i++) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", dir, items[i].name);
    struct utimbuf t = {items[i].used - 2 * 86400, items[i].used - 2 * 86400};
    ck_assert_int_eq(utime(path, &t), 0);
  }
  free(items);
  close(fd);
}

START_TEST(oldest_use_goes_first)
{
  fresh();
  setenv("GPUARRAY_CACHE_SIZE", "10K", 1); /* four entries, not five */
  for (int i = 0; i < 4; i++) {
    age_all();
    get_numbered(i);
  }
  ck_assert_int_eq(count_files(GA_CACHE_SUFFIX), 4);
  get_numbered(0); /* used again: no longer the oldest */
  ck_assert_int_eq(compiled(), 4);
  get_numbered(4);
  ck_assert_int_eq(count_files(GA_CACHE_SUFFIX), 4);
  ck_assert_int_eq(compiled(), 5);
  get_numbered(0);
  get_numbered(2);
  get_numbered(3);
  get_numbered(4);
  ck_assert_int_eq(compiled(), 5);
  get_numbered(1);
  ck_assert_int_eq(compiled(), 6);
  cleanup();
}
END_TEST

START_TEST(entry_larger_than_the_cache_is_not_kept)
{
  fresh();
  setenv("GPUARRAY_CACHE_SIZE", "1000", 1);
  get_numbered(0);
  ck_assert_int_eq(count_files(""), 0);
  cleanup();
}
END_TEST

START_TEST(sizes_are_read_with_their_unit)
{
  static const struct { const char *s; uint64_t n; } cases[] = {
    {"0", 0}, {"123", 123}, {"2K", 2048}, {"3m", 3 << 20}, {"4G", (uint64_t)4 << 30},
    {"", 1 << 30}, {"x", 1 << 30}, {"-1", 1 << 30}, {"1T", 1 << 30}, {"1KB", 1 << 30},
    {"99999999999999999999", 1 << 30}, {"18446744073709551615K", 1 << 30}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    setenv("GPUARRAY_CACHE_SIZE", cases[i].s, 1);
    ck_assert_msg(ga_cache_limit() == cases[i].n, "'%s'", cases[i].s);
  }
}
END_TEST

/* ---- sources that read the disk ------------------------------------------------------------ */

START_TEST(text_with_files_of_the_disk_is_not_kept)
{
  static const struct { const char *text; int closed; } cases[] = {
    {"", 1},
    {"#include \"given.h\"\n", 1},
    {"  #  include  <given.h>\n", 1},
    {"#include \"other.h\"\n", 0},
    {"#include <cuda_fp16.h>\n", 0},
    {"# include\"given.h\"\n#include \"given.hh\"\n", 0},
    {"#include \"giv\"\n", 0},
    {"#include NAME\n", 0},
    {"#include", 0},
    {"#include \"given.h", 0},
    {"#if __has_include(<x.h>)\n", 0},
    {"#include_next <given.h>\n", 0},
    {"// include this\n", 1},
    {"int includes;\n", 1},
  };
  const char *name = "given.h", *body = "";
  ga_source src = {.raw = 1, .nheader = 1, .header_names = &name, .header_bodies = &body};
  const char *options[] = {"--include=x.h"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    src.text = cases[i].text;
    ck_assert_msg(ga_cache_is_closed(&src) == cases[i].closed, "%s", src.text);
  }
  src.text = "";
  src.noption = 1;
  src.options = options;
  ck_assert(!ga_cache_is_closed(&src));
  options[0] = "-DX=1";
  ck_assert(ga_cache_is_closed(&src));
  fresh();
  src.noption = 0;
  src.text = "#include <other.h>\nextern \"C\" __global__ void a() {}\n";
  OK(get_source(&src));
  OK(get_source(&src));
  ck_assert_int_eq(compiled(), 2);
  ck_assert_int_eq(count_files(""), 0);
  cleanup();
}
END_TEST

/* ---- seen from outside ------------------------------------------------------------------------ */

typedef struct tally {
  int good, broken;
  uint64_t bytes;
} tally;

static int add_up(const gpuarray_cache_entry *e, void *arg)
{
  tally *t = arg;
  ck_assert_uint_eq(e->size, sizeof *e);
  ck_assert_str_eq(e->compiler, e->good ? "nvrtc 13.0 sm_90" : "");
  ck_assert(e->good ? e->made > 0 : e->made == 0);
  t->good += e->good;
  t->broken += !e->good;
  t->bytes += e->bytes;
  return 0;
}

static int stop_at_once(const gpuarray_cache_entry *e, void *arg)
{
  (void)e;
  ++*(int *)arg;
  return 1;
}

START_TEST(cache_is_listed_pruned_and_cleared)
{
  uint64_t n, bytes, limit;
  tally t = {0, 0, 0};
  char path[1200], few[4];
  int calls = 0;
  fresh();
  OK(gpuarray_cache_path(path, sizeof path));
  ck_assert_str_eq(path, dir);
  FAILS(GA_VALUE_ERROR, "too few", gpuarray_cache_path(few, sizeof few));
  OK(gpuarray_cache_path(NULL, 0));
  OK(gpuarray_cache_usage(&n, &bytes, &limit));
  ck_assert(n == 0 && bytes == 0 && limit == (uint64_t)1 << 30);
  OK(get(text_a));
  only_entry(path);
  ck_assert_int_eq(truncate(path, 100), 0);
  for (int i = 0; i < 3; i++) get_numbered(i);
  OK(gpuarray_cache_list(add_up, &t));
  ck_assert(t.good == 3 && t.broken == 1);
  OK(gpuarray_cache_usage(&n, &bytes, NULL));
  ck_assert(n == 4 && bytes == t.bytes);
  OK(gpuarray_cache_list(stop_at_once, &calls));
  ck_assert_int_eq(calls, 1);
  FAILS(GA_VALUE_ERROR, "argument 1", gpuarray_cache_list(NULL, NULL));
  OK(gpuarray_cache_prune(UINT64_MAX, &n, &bytes));
  ck_assert(n == 1 && bytes == 100);
  OK(gpuarray_cache_prune(t.bytes / 2, &n, &bytes));
  ck_assert(n == 2 && bytes > 4000);
  OK(gpuarray_cache_clear(&n, NULL));
  ck_assert(n == 1);
  ck_assert_int_eq(count_files(""), 0);
  setenv("GPUARRAY_CACHE", "off", 1);
  FAILS(GA_UNSUPPORTED_ERROR, "off", gpuarray_cache_usage(&n, NULL, NULL));
  cleanup();
}
END_TEST

START_TEST(stale_files_are_swept_and_live_locks_stay)
{
  char tmp[700], lock[700], live[700], foreign[700];
  struct utimbuf old = {1000000, 1000000};
  fresh();
  snprintf(tmp, sizeof tmp, "%s/1-2-3" GA_CACHE_TMP, dir);
  snprintf(lock, sizeof lock, "%s/0123" GA_CACHE_LOCK, dir);
  snprintf(live, sizeof live, "%s/4567" GA_CACHE_LOCK, dir);
  snprintf(foreign, sizeof foreign, "%s/notes.txt", dir);
  const char *files[] = {tmp, lock, live, foreign};
  int held = -1;
  for (int i = 0; i < 4; i++) {
    int fd = open(files[i], O_CREAT | O_RDWR, 0600);
    ck_assert_int_ge(fd, 0);
    if (files[i] == live) held = fd;
    else close(fd);
    ck_assert_int_eq(utime(files[i], &old), 0);
  }
  ck_assert_int_eq(flock(held, LOCK_EX), 0);
  OK(gpuarray_cache_clear(NULL, NULL));
  ck_assert_int_ne(access(tmp, F_OK), 0);
  ck_assert_int_ne(access(lock, F_OK), 0);
  ck_assert_int_eq(access(live, F_OK), 0);
  ck_assert_int_eq(access(foreign, F_OK), 0);
  close(held);
  cleanup();
}
END_TEST

static const test_case cases[] = {
  CASE(one_context_compiles_once),
  CASE(every_part_of_a_source_is_in_the_key),
  CASE(threads_that_need_one_kernel_compile_once),
  CASE(refused_source_is_not_kept),
  CASE(second_process_does_not_compile),
  CASE(missing_directories_are_made_for_the_user_alone),
  CASE(damaged_entries_are_replaced),
  CASE(binary_the_driver_refuses_is_compiled_again),
  CASE(other_keys_entry_is_not_taken),
  CASE(compiler_version_must_match_where_there_is_one),
  CASE(missing_compiler_is_named),
  CASE_LOOP(directory_open_to_others_is_not_used, 3),
  CASE(foreign_directory_is_not_used),
  CASE(file_in_place_of_the_directory_is_left_alone),
  CASE(read_only_directory_does_no_harm),
  CASE(full_disk_does_no_harm),
  CASE(unreadable_entry_is_not_deleted),
  CASE(symbolic_links_are_not_followed),
  CASE(eight_cold_processes_compile_once),
  CASE(lock_of_a_dead_process_does_not_block),
  CASE(waiting_has_an_end),
  CASE(oldest_use_goes_first),
  CASE(entry_larger_than_the_cache_is_not_kept),
  CASE(sizes_are_read_with_their_unit),
  CASE(text_with_files_of_the_disk_is_not_kept),
  CASE(cache_is_listed_pruned_and_cleared),
  CASE(stale_files_are_swept_and_live_locks_stay),
  CASE_END};

int main(void) { return test_main("cache", cases); }
