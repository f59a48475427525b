/* SPDX-License-Identifier: MIT */
/* A place for the kernel cache that belongs to one test, and a compiler that counts
 * how often it is asked. */
#ifndef TESTS_CACHE_PLACE_H
#define TESTS_CACHE_PLACE_H

#include "gpuarray/cache.h"
#include "lib/cache.h"
#include "lib/cache_disk.h"
#include "tests/stub.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[512], logfile[600], gatefile[600]; /* of this test */

/* An empty place for the cache, and no compilation so far. */
static inline stub_state *fresh(void)
{
  snprintf(dir, sizeof dir, "/tmp/gpuarray-check-cache.XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(dir));
  snprintf(logfile, sizeof logfile, "%s.log", dir);
  snprintf(gatefile, sizeof gatefile, "%s.gate", dir);
  ck_assert(setenv("GPUARRAY_CACHE_DIR", dir, 1) == 0);
  ck_assert(unsetenv("GPUARRAY_CACHE") == 0);
  ck_assert(unsetenv("GPUARRAY_CACHE_SIZE") == 0);
  ck_assert(setenv("STUB_NVRTC_LOG", logfile, 1) == 0);
  ck_assert(setenv("STUB_NVRTC_GATE", gatefile, 1) == 0);
  return stub_use("libstubcuda");
}

static inline void cleanup(void)
{
  char cmd[1900];
  (void)chmod(dir, 0700);
  snprintf(cmd, sizeof cmd, "rm -rf %s %s %s", dir, logfile, gatefile);
  ck_assert_int_eq(system(cmd), 0);
}

static inline long compiled(void)
{
  struct stat st;
  return stat(logfile, &st) == 0 ? (long)st.st_size / 9 : 0;
}

/* Until `n` compilations have begun, however busy the machine is. */
static inline void await_compiled(long n)
{
  while (compiled() < n) usleep(1000);
}

/* Compilations begin and do not end until the gate is opened. */
static inline void shut_gate(void)
{
  int fd = open(gatefile, O_CREAT | O_WRONLY, 0600);
  ck_assert_int_ge(fd, 0);
  close(fd);
}

static inline void open_gate(void) { (void)unlink(gatefile); }

static const char text_a[] = "extern \"C\" __global__ void a(float *x) {}\n";
static const char text_b[] = "extern \"C\" __global__ void b(float *x) {}\n";

/* Gets the module of a source in a new context, as a new process would. */
static inline int get_source(const ga_source *src)
{
  gpucontext *ctx = stub_context();
  ga_module *m;
  int err = ga_cache_module(&m, ctx, src, NULL);
  ga_cache_close(ctx);
  ctx->backend->context_close(ctx);
  return err;
}

static inline int get(const char *text)
{
  ga_source src = {.text = text};
  return get_source(&src);
}

/* The name of the entry, of which there is one. */
static inline void only_entry(char path[1200])
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

static inline int count_files(const char *suffix)
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

/* Runs `body` in a new process before this one has opened the driver. */
static inline int in_child(int (*body)(void *), void *arg)
{
  int status;
  pid_t pid = fork();
  if (pid == 0) _exit(body(arg));
  ck_assert_int_gt(pid, 0);
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

static inline int child_get(void *arg) { return get(arg) == GA_NO_ERROR ? 0 : 1; }

#endif
