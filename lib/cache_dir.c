/* SPDX-License-Identifier: MIT */
/* The cache's directory. What is loaded from it runs with the user's rights, so
 * it is used only when it belongs to the user and nobody else may look into it;
 * anything else is left alone, and the program runs without. */
#include "lib/cache_disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_LIMIT ((uint64_t)1 << 30)
#define STALE_SECONDS 3600 /* a temporary or lock file of nobody's */
#define MEMO_SECONDS  (30 * 86400)

static const char *value(const char *name)
{
  const char *s = getenv(name);
  return s != NULL && s[0] != 0 ? s : NULL;
}

int ga_cache_place(ga_str *path, int *off, const char *own)
{
  const char *s = value("GPUARRAY_CACHE");
  *off = s != NULL && (strcmp(s, "off") == 0 || strcmp(s, "0") == 0);
  if (own != NULL && own[0] != 0)
    ga_str_add(path, own);
  else if ((s = value("GPUARRAY_CACHE_DIR")) != NULL)
    ga_str_add(path, s);
  else if ((s = value("XDG_CACHE_HOME")) != NULL && s[0] == '/')
    ga_str_addf(path, "%s/gpuarray", s);
  else if ((s = value("HOME")) != NULL)
    ga_str_addf(path, "%s/.cache/gpuarray", s);
  else
    return ga_error(GA_VALUE_ERROR, "kernel cache: neither GPUARRAY_CACHE_DIR nor "
                                    "XDG_CACHE_HOME nor HOME is set");
  return path->failed ? ga_error_memory("kernel cache", path->cap) : GA_NO_ERROR;
}

uint64_t ga_cache_limit(void)
{
  const char *s = value("GPUARRAY_CACHE_SIZE");
  char *end;
  if (s == NULL || *s < '0' || *s > '9') return DEFAULT_LIMIT;
  errno = 0;
  uint64_t n = strtoull(s, &end, 10);
  unsigned int shift = 0;
  if (errno != 0) return DEFAULT_LIMIT;
  if (*end == 'k' || *end == 'K') shift = 10;
  if (*end == 'm' || *end == 'M') shift = 20;
  if (*end == 'g' || *end == 'G') shift = 30;
  if (end[shift != 0] != 0 || n > UINT64_MAX >> shift) return DEFAULT_LIMIT;
  return n << shift;
}

/* Makes each directory on the way; those that are there are left as they are. */
static void make_path(char *path)
{
  for (char *s = path + 1; *s != 0; s++)
    if (*s == '/') {
      *s = 0;
      (void)mkdir(path, 0700);
      *s = '/';
    }
  (void)mkdir(path, 0700);
}

int ga_cache_open(int *res, const char *path, int make)
{
  struct stat st;
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  *res = -1;
  if (fd < 0 && errno == ENOENT && make) {
    char *copy = strdup(path);
    if (copy == NULL) return ga_error_memory("kernel cache", strlen(path) + 1);
    make_path(copy);
    free(copy);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  if (fd < 0 || fstat(fd, &st) != 0) {
    int err = ga_error_sys("kernel cache", path);
    if (fd >= 0) close(fd);
    return err;
  }
  if (st.st_uid == geteuid() && (st.st_mode & 077) == 0) {
    *res = fd;
    return GA_NO_ERROR;
  }
  close(fd);
  return ga_error(GA_VALUE_ERROR,
                  "kernel cache: %s is not used: it has owner %lu and mode %04o, needed are "
                  "owner %lu and mode 0700",
                  path, (unsigned long)st.st_uid, (unsigned int)st.st_mode & 07777,
                  (unsigned long)geteuid());
}

/* ---- the files -------------------------------------------------------------------- */

static int ends_with(const char *name, const char *end)
{
  size_t n = strlen(name), m = strlen(end);
  return n >= m && strcmp(name + n - m, end) == 0;
}

static int is_entry(const char *name)
{
  return strlen(name) == 41 + strlen(GA_CACHE_SUFFIX) && name[32] == '-' &&
         strspn(name, "0123456789abcdef") == 32 && ends_with(name, GA_CACHE_SUFFIX);
}

static int is_other(const char *name)
{
  return ends_with(name, GA_CACHE_TMP) || ends_with(name, GA_CACHE_LOCK) ||
         ends_with(name, GA_CACHE_MEMO);
}

static int by_use(const void *a, const void *b)
{
  const ga_cache_item *x = a, *y = b;
  if (x->used != y->used) return x->used < y->used ? -1 : 1;
  return strcmp(x->name, y->name);
}

static int add_item(ga_cache_item **items, size_t *n, size_t *cap, int fd, const char *name)
{
  struct stat st;
  if (strlen(name) >= sizeof(*items)->name) return GA_NO_ERROR;
  if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
    return GA_NO_ERROR; /* gone meanwhile, or not ours */
  if (*n == *cap) {
    size_t more = *cap > 0 ? 2 * *cap : 256;
    ga_cache_item *p = realloc(*items, more * sizeof *p);
    if (p == NULL) return ga_error_memory("kernel cache", more * sizeof *p);
    *items = p;
    *cap = more;
  }
  ga_cache_item *item = &(*items)[(*n)++];
  strcpy(item->name, name);
  item->size = (uint64_t)st.st_size;
  item->used = (int64_t)st.st_mtime;
  return GA_NO_ERROR;
}

int ga_cache_items(ga_cache_item **items, size_t *n, int fd, int others)
{
  size_t cap = 0;
  int err = GA_NO_ERROR, copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
  struct dirent *e;
  *items = NULL;
  *n = 0;
  if (dir == NULL) {
    err = ga_error_sys("kernel cache", "reading the directory");
    if (copy >= 0) close(copy);
    return err;
  }
  while (err == GA_NO_ERROR && (e = readdir(dir)) != NULL)
    if (is_entry(e->d_name) || (others && is_other(e->d_name)))
      err = add_item(items, n, &cap, fd, e->d_name);
  closedir(dir);
  if (err != GA_NO_ERROR) {
    free(*items);
    *items = NULL;
    *n = 0;
    return err;
  }
  if (*n > 0) qsort(*items, *n, sizeof **items, by_use);
  return GA_NO_ERROR;
}

/* A lock file goes only when nobody holds it; a note of the compiler is small and
 * made again. */
static void remove_stale(int fd, const ga_cache_item *item, int all)
{
  int64_t age = time(NULL) - item->used;
  int memo = ends_with(item->name, GA_CACHE_MEMO);
  if (age < (memo ? MEMO_SECONDS : STALE_SECONDS) && !(memo && all)) return;
  if (!ends_with(item->name, GA_CACHE_LOCK)) {
    (void)unlinkat(fd, item->name, 0);
    return;
  }
  int lock = openat(fd, item->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (lock < 0) return;
  if (flock(lock, LOCK_EX | LOCK_NB) == 0) (void)unlinkat(fd, item->name, 0);
  close(lock);
}

int ga_cache_evict(int fd, uint64_t limit, uint64_t *removed, uint64_t *bytes)
{
  ga_cache_item *items;
  size_t n;
  uint64_t total = 0;
  GA_TRY(ga_cache_items(&items, &n, fd, 1));
  for (size_t i = 0; i < n; i++)
    if (is_entry(items[i].name))
      total += items[i].size;
    else
      remove_stale(fd, &items[i], limit == 0);
  for (size_t i = 0; i < n && total > limit; i++) {
    if (!is_entry(items[i].name) || unlinkat(fd, items[i].name, 0) != 0) continue;
    total -= items[i].size;
    if (removed != NULL) ++*removed;
    if (bytes != NULL) *bytes += items[i].size;
  }
  free(items);
  return GA_NO_ERROR;
}
