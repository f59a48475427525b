/* SPDX-License-Identifier: MIT */
/* The note of which compiler was found (cache_disk.h). It has an entry's format: the
 * hint is the key, the identity the compiler, and the file the binary. */
#include <stdio.h>
#include <string.h>

#include "lib/cache_disk.h"

static void memo_name(char name[64], const ga_str *hint)
{
  char stem[33];
  ga_hash_text(stem, ga_hash_bytes(hint->s, hint->len));
  snprintf(name, 64, "%s" GA_CACHE_MEMO, stem);
}

/* The file as it is now: path, size, time of change. */
static int describe(char *text, size_t size, const char *path)
{
  struct stat st;
  if (path[0] != '/' || stat(path, &st) != 0) return 0;
  int n = snprintf(text, size, "%lld %lld.%09ld %s", (long long)st.st_size,
                   (long long)st.st_mtim.tv_sec, (long)st.st_mtim.tv_nsec, path);
  return n > 0 && (size_t)n < size;
}

void ga_memo_get(char id[128], int fd, const ga_str *hint)
{
  ga_cache_file f;
  char name[64], noted[1200], now[1200];
  const char *path;
  id[0] = 0;
  if (fd < 0 || hint->failed) return;
  memo_name(name, hint);
  if (ga_cache_file_read(&f, fd, name) != GA_CACHE_GOOD) return;
  if (f.key_size == hint->len && memcmp(f.key, hint->s, hint->len) == 0 && f.compiler_size < 128 &&
      f.bin_size < sizeof noted) {
    memcpy(noted, f.bin, f.bin_size);
    noted[f.bin_size] = 0;
    path = strchr(noted, '/');
    if (path != NULL && describe(now, sizeof now, path) && strcmp(now, noted) == 0) {
      memcpy(id, f.compiler, f.compiler_size);
      id[f.compiler_size] = 0;
    }
  }
  ga_cache_file_clear(&f);
}

void ga_memo_put(int fd, const ga_str *hint, const char *id, const char *path)
{
  char name[64], now[1200];
  if (fd < 0 || hint->failed || strlen(id) >= 128 || !describe(now, sizeof now, path)) return;
  memo_name(name, hint);
  (void)ga_cache_file_write(fd, name, hint->s, hint->len, id, now, strlen(now));
}
