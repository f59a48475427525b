/* SPDX-License-Identifier: MIT */
/* Entries of the kernel cache by key. Nothing here fails: what cannot be read is
 * not there, what cannot be written is made again by the next process.
 *
 * Of several processes that need one entry, the one that holds the lock file
 * compiles. The lock is the kernel's (flock) and dies with its holder, so it need
 * not be taken over; a holder that takes too long is no longer waited for, and a
 * waiter then compiles for itself. */
#define _GNU_SOURCE
#include "lib/cache_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

int ga_disk_patience = 60000;

#define DAY 86400

void ga_disk_open(ga_disk *d, const char *own, const ga_str *key)
{
  ga_str path = {0};
  int off;
  memset(d, 0, sizeof *d);
  d->fd = d->lock = -1;
  if (ga_cache_place(&path, &off, own) == GA_NO_ERROR && !off)
    (void)ga_cache_open(&d->fd, ga_str_text(&path), 1);
  ga_str_clear(&path);
  d->key = key->s;
  d->key_size = key->len;
  ga_hash_text(d->stem, ga_hash_bytes(key->s, key->len));
}

static void lock_name(const ga_disk *d, char name[64])
{
  snprintf(name, 64, "%s" GA_CACHE_LOCK, d->stem);
}

/* The name goes first, while the lock is held: who opened the file meanwhile
 * sees that it has no name any more (ga_disk_wait) and makes a new one. */
static void unlock(ga_disk *d)
{
  char name[64];
  if (d->lock < 0) return;
  lock_name(d, name);
  (void)unlinkat(d->fd, name, 0);
  close(d->lock);
  d->lock = -1;
}

void ga_disk_close(ga_disk *d)
{
  unlock(d);
  if (d->fd >= 0) close(d->fd);
  d->fd = -1;
}

/* ---- reading ---------------------------------------------------------------------- */

void ga_cache_entry_name(char name[64], const char *key, size_t key_size, const char *compiler,
                         size_t compiler_size)
{
  char stem[33];
  ga_hash h = ga_hash_bytes(compiler, compiler_size);
  ga_hash_text(stem, ga_hash_bytes(key, key_size));
  snprintf(name, 64, "%s-%08x" GA_CACHE_SUFFIX, stem, (unsigned int)h.lo);
}

static void entry_name(const ga_disk *d, char name[64])
{
  ga_cache_entry_name(name, d->key, d->key_size, d->compiler, strlen(d->compiler));
}

/* Marks an entry as used, once a day. */
static void touch(const ga_disk *d, const char *name)
{
  struct stat st;
  if (fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && time(NULL) - st.st_mtime >= DAY)
    (void)utimensat(d->fd, name, NULL, AT_SYMLINK_NOFOLLOW);
}

static int is_ours(const ga_disk *d, const ga_cache_file *f)
{
  if (f->key_size != d->key_size || memcmp(f->key, d->key, d->key_size) != 0) return 0;
  return d->compiler == NULL || (f->compiler_size == strlen(d->compiler) &&
                                 memcmp(f->compiler, d->compiler, f->compiler_size) == 0);
}

static int read_entry(const ga_disk *d, const char *name, void **bin, size_t *size, int64_t *made)
{
  ga_cache_file f;
  int found = 0;
  if (ga_cache_file_read(&f, d->fd, name) != GA_CACHE_GOOD) return 0;
  if (is_ours(d, &f) && (*bin = malloc(f.bin_size + 1)) != NULL) {
    memcpy(*bin, f.bin, f.bin_size);
    *size = f.bin_size;
    *made = f.made;
    found = 1;
  }
  ga_cache_file_clear(&f);
  return found;
}

/* Without a compiler: whatever was compiled last for this key. */
static int get_newest(ga_disk *d, void **bin, size_t *size)
{
  ga_cache_item *items;
  size_t n, len;
  int64_t best = 0, made;
  void *b;
  char name[64] = "";
  *bin = NULL;
  if (ga_cache_items(&items, &n, d->fd, 0) != GA_NO_ERROR) return 0;
  for (size_t i = 0; i < n; i++) {
    if (strncmp(items[i].name, d->stem, 32) != 0 || !read_entry(d, items[i].name, &b, &len, &made))
      continue;
    if (*bin != NULL && made < best) {
      free(b);
      continue;
    }
    free(*bin);
    *bin = b;
    *size = len;
    best = made;
    strcpy(name, items[i].name);
  }
  free(items);
  if (*bin == NULL) return 0;
  touch(d, name);
  return 1;
}

int ga_disk_get(ga_disk *d, void **bin, size_t *size)
{
  char name[64];
  int64_t made;
  if (d->fd < 0) return 0;
  if (d->compiler == NULL) return get_newest(d, bin, size);
  entry_name(d, name);
  if (!read_entry(d, name, bin, size, &made)) return 0;
  touch(d, name);
  return 1;
}

/* ---- writing ---------------------------------------------------------------------- */

void ga_disk_put(ga_disk *d, const void *bin, size_t size)
{
  char name[64];
  uint64_t limit = ga_cache_limit();
  if (d->fd < 0 || d->compiler == NULL || size + d->key_size > limit) return;
  entry_name(d, name);
  if (ga_cache_file_write(d->fd, name, d->key, d->key_size, d->compiler, bin, size))
    (void)ga_cache_evict(d->fd, limit, NULL, NULL);
}

/* ---- one compiles, the others wait ------------------------------------------------- */

static int64_t milliseconds(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* 1 locked, 0 another holds it, -1 there are no locks here. */
static int try_lock(ga_disk *d)
{
  char name[64];
  struct stat st;
  lock_name(d, name);
  int fd = openat(d->fd, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return -1;
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    int busy = errno == EWOULDBLOCK || errno == EINTR;
    close(fd);
    return busy ? 0 : -1;
  }
  if (fstat(fd, &st) != 0 || st.st_nlink == 0) { /* its holder removed it */
    close(fd);
    return 0;
  }
  d->lock = fd;
  return 1;
}

int ga_disk_wait(ga_disk *d, void **bin, size_t *size)
{
  int64_t start = milliseconds();
  long pause = 1;
  int state;
  if (d->fd < 0 || d->compiler == NULL) return 0;
  while ((state = try_lock(d)) == 0 && milliseconds() - start < ga_disk_patience) {
    struct timespec t = {0, pause * 1000000L};
    (void)nanosleep(&t, NULL);
    if (pause < 32) pause *= 2;
    if (ga_disk_get(d, bin, size)) return 1;
  }
  /* It may have come between the first look and the lock. */
  if (state == 1 && ga_disk_get(d, bin, size)) {
    unlock(d);
    return 1;
  }
  return 0;
}
