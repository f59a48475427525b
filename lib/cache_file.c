/* SPDX-License-Identifier: MIT */
/* One entry of the kernel cache: a head, the full key, the compiler's identity,
 * the binary. The checksum covers all of it, its own field taken as zero. */
#include "lib/cache_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAGIC   "GAkernl1"
#define LARGEST ((off_t)1 << 30)

typedef struct head {
  char magic[8];
  int64_t made;
  uint64_t key_size, compiler_size, bin_size;
  ga_hash checksum;
} head;

/* Reads all of a regular file; ABSENT for whatever goes wrong on the way. */
static enum ga_cache_state slurp(ga_cache_file *f, int fd)
{
  struct stat st;
  size_t done = 0;
  if (fstat(fd, &st) != 0) return GA_CACHE_ABSENT;
  if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(head) || st.st_size > LARGEST)
    return GA_CACHE_BROKEN;
  f->size = (size_t)st.st_size;
  f->file = malloc(f->size);
  if (f->file == NULL) return GA_CACHE_ABSENT;
  while (done < f->size) {
    ssize_t n = read(fd, f->file + done, f->size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return GA_CACHE_ABSENT;
    if (n == 0) return GA_CACHE_BROKEN;
    done += (size_t)n;
  }
  return GA_CACHE_GOOD;
}

enum ga_cache_state ga_cache_file_parse(ga_cache_file *f)
{
  head h;
  ga_hash zero = {0, 0}, sum;
  size_t left = f->size - sizeof h;
  if (f->size < sizeof h) return GA_CACHE_BROKEN;
  memcpy(&h, f->file, sizeof h);
  if (memcmp(h.magic, MAGIC, sizeof h.magic) != 0 || h.key_size > left ||
      h.compiler_size > left - h.key_size || h.bin_size != left - h.key_size - h.compiler_size)
    return GA_CACHE_BROKEN;
  memcpy(f->file + offsetof(head, checksum), &zero, sizeof zero);
  sum = ga_hash_bytes(f->file, f->size);
  memcpy(f->file, &h, sizeof h);
  if (!ga_hash_equal(sum, h.checksum)) return GA_CACHE_BROKEN;
  f->made = h.made;
  f->key = (const char *)f->file + sizeof h;
  f->key_size = (size_t)h.key_size;
  f->compiler = f->key + f->key_size;
  f->compiler_size = (size_t)h.compiler_size;
  f->bin = (const unsigned char *)f->compiler + f->compiler_size;
  f->bin_size = (size_t)h.bin_size;
  return GA_CACHE_GOOD;
}

enum ga_cache_state ga_cache_file_read(ga_cache_file *f, int dir, const char *name)
{
  enum ga_cache_state state;
  memset(f, 0, sizeof *f);
  int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return GA_CACHE_ABSENT;
  state = slurp(f, fd);
  close(fd);
  if (state == GA_CACHE_GOOD) state = ga_cache_file_parse(f);
  if (state != GA_CACHE_GOOD) ga_cache_file_clear(f);
  return state;
}

void ga_cache_file_clear(ga_cache_file *f)
{
  free(f->file);
  memset(f, 0, sizeof *f);
}

/* ---- writing ---------------------------------------------------------------------- */

static int write_all(int fd, const void *p, size_t size)
{
  const char *s = p;
  while (size > 0) {
    ssize_t n = write(fd, s, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    s += n;
    size -= (size_t)n;
  }
  return 1;
}

/* A write beyond the file size limit raises a signal that ends the program: it is
 * held back, and taken away when it came. */
static int write_quietly(int fd, const void *p, size_t size)
{
  sigset_t set, old, pending;
  struct timespec now = {0, 0};
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  if (pthread_sigmask(SIG_BLOCK, &set, &old) != 0) return 0;
  int ok = write_all(fd, p, size);
  if (!ok && !sigismember(&old, SIGXFSZ) && sigpending(&pending) == 0 &&
      sigismember(&pending, SIGXFSZ))
    (void)sigtimedwait(&set, NULL, &now);
  (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
  return ok;
}

static int write_tmp(int dir, const char *tmp, const char *name, const void *p, size_t size)
{
  int fd = openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), ok;
  if (fd < 0) return 0;
  ok = write_quietly(fd, p, size);
  ok &= close(fd) == 0;
  if (ok && renameat(dir, tmp, dir, name) == 0) return 1;
  (void)unlinkat(dir, tmp, 0);
  return 0;
}

int ga_cache_file_store(int dir, const char *name, const void *p, size_t size)
{
  static atomic_uint serial;
  char tmp[64];
  struct timespec t;
  (void)clock_gettime(CLOCK_REALTIME, &t);
  snprintf(tmp, sizeof tmp, "%lx-%lx-%x" GA_CACHE_TMP, (unsigned long)getpid(),
           (unsigned long)t.tv_nsec, atomic_fetch_add(&serial, 1));
  return write_tmp(dir, tmp, name, p, size);
}

int ga_cache_file_write(int dir, const char *name, const char *key, size_t key_size,
                        const char *compiler, const void *bin, size_t bin_size)
{
  ga_str s = {0};
  head h = {.magic = MAGIC,
            .made = (int64_t)time(NULL),
            .key_size = key_size,
            .compiler_size = strlen(compiler),
            .bin_size = bin_size};
  int ok = 0;
  ga_str_addn(&s, (const char *)&h, sizeof h);
  ga_str_addn(&s, key, key_size);
  ga_str_add(&s, compiler);
  ga_str_addn(&s, bin, bin_size);
  if (!s.failed) {
    h.checksum = ga_hash_bytes(s.s, s.len);
    memcpy(s.s, &h, sizeof h);
    ok = ga_cache_file_store(dir, name, s.s, s.len);
  }
  ga_str_clear(&s);
  return ok;
}
