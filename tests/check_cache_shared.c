/* SPDX-License-Identifier: MIT */
/* The kernel cache shared and bounded: several processes at once, locks, the oldest
 * removed, sources that are not kept, and the functions of gpuarray/cache.h. */
#include "tests/cache_place.h"

#include <signal.h>
#include <sys/file.h>
#include <utime.h>

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
  ck_assert_int_eq(count_files(GA_CACHE_SUFFIX), 1);
  ck_assert_int_eq(count_files(GA_CACHE_LOCK) + count_files(GA_CACHE_TMP), 0);
  cleanup();
}
END_TEST

/* Another process, whose compiler takes a minute; it has begun. */
static pid_t busy_process(void)
{
  setenv("STUB_NVRTC_MS", "60000", 1);
  pid_t pid = fork();
  if (pid == 0) _exit(child_get((void *)text_a));
  await_compiled(1);
  setenv("STUB_NVRTC_MS", "0", 1);
  return pid;
}

START_TEST(lock_of_a_dead_process_does_not_block)
{
  int status;
  fresh();
  pid_t pid = busy_process();
  ck_assert_int_eq(count_files(GA_CACHE_LOCK), 1);
  ck_assert_int_eq(kill(pid, SIGKILL), 0);
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
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
  pid_t pid = busy_process();
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

START_TEST(d22_oldest_use_goes_first)
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
  ck_assert_int_eq(count_files(GA_CACHE_SUFFIX), 0);
  cleanup();
}
END_TEST

START_TEST(sizes_are_read_with_their_unit)
{
  static const struct {
    const char *s;
    uint64_t n;
  } cases[] = {{"0", 0},
               {"123", 123},
               {"2K", 2048},
               {"3m", 3 << 20},
               {"4G", (uint64_t)4 << 30},
               {"", 1 << 30},
               {"x", 1 << 30},
               {"-1", 1 << 30},
               {"1T", 1 << 30},
               {"1KB", 1 << 30},
               {"99999999999999999999", 1 << 30},
               {"18446744073709551615K", 1 << 30}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    setenv("GPUARRAY_CACHE_SIZE", cases[i].s, 1);
    ck_assert_msg(ga_cache_limit() == cases[i].n, "'%s'", cases[i].s);
  }
}
END_TEST

/* ---- sources that read the disk ------------------------------------------------------------ */

START_TEST(text_with_files_of_the_disk_is_not_kept)
{
  static const struct {
    const char *text;
    int closed;
  } cases[] = {
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

/* ---- seen from outside ---- */

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
    if (files[i] == live)
      held = fd;
    else
      close(fd);
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

static const test_case cases[] = {CASE(eight_cold_processes_compile_once),
                                  CASE(lock_of_a_dead_process_does_not_block),
                                  CASE(waiting_has_an_end),
                                  CASE(d22_oldest_use_goes_first),
                                  CASE(entry_larger_than_the_cache_is_not_kept),
                                  CASE(sizes_are_read_with_their_unit),
                                  CASE(text_with_files_of_the_disk_is_not_kept),
                                  CASE(cache_is_listed_pruned_and_cleared),
                                  CASE(stale_files_are_swept_and_live_locks_stay),
                                  CASE_END};

int main(void) { return test_main("cache_shared", cases); }
