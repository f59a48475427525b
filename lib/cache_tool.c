/* SPDX-License-Identifier: MIT */
/* The kernel cache seen from outside (gpuarray/cache.h). */
#include "gpuarray/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cache_disk.h"
#include "lib/check.h"

int ga_cache_open_usual(int *fd, char *path, size_t size)
{
  ga_str place = {0};
  int off = 0, err = ga_cache_place(&place, &off, NULL);
  *fd = -1;
  if (path != NULL && size > 0) snprintf(path, size, "%s", ga_str_text(&place));
  if (err == GA_NO_ERROR && off)
    err = ga_error(GA_UNSUPPORTED_ERROR, "kernel cache: switched off (GPUARRAY_CACHE)");
  if (err == GA_NO_ERROR && path != NULL && place.len >= size)
    err = ga_error(GA_VALUE_ERROR, "gpuarray_cache_path: %zu bytes are too few for %s", size,
                   ga_str_text(&place));
  if (err == GA_NO_ERROR) err = ga_cache_open(fd, ga_str_text(&place), 1);
  ga_str_clear(&place);
  return err;
}

int gpuarray_cache_path(char *path, size_t size)
{
  int fd;
  GA_TRY(ga_cache_open_usual(&fd, path, size));
  close(fd);
  return GA_NO_ERROR;
}

int gpuarray_cache_usage(uint64_t *entries, uint64_t *bytes, uint64_t *limit)
{
  ga_cache_item *items;
  size_t n;
  uint64_t total = 0;
  int fd, err;
  if (entries != NULL) *entries = 0;
  if (bytes != NULL) *bytes = 0;
  if (limit != NULL) *limit = ga_cache_limit();
  GA_TRY(ga_cache_open_usual(&fd, NULL, 0));
  err = ga_cache_items(&items, &n, fd, 0);
  close(fd);
  GA_TRY(err);
  for (size_t i = 0; i < n; i++) total += items[i].size;
  free(items);
  if (entries != NULL) *entries = n;
  if (bytes != NULL) *bytes = total;
  return GA_NO_ERROR;
}

/* Reads an entry for `e`; *text holds what e->compiler points to. */
static enum ga_cache_state inspect(gpuarray_cache_entry *e, char text[256], int fd,
                                   const ga_cache_item *item)
{
  ga_cache_file f;
  enum ga_cache_state state = ga_cache_file_read(&f, fd, item->name);
  memset(e, 0, sizeof *e);
  text[0] = 0;
  e->size = sizeof *e;
  e->file = item->name;
  e->bytes = item->size;
  e->used = item->used;
  e->compiler = text;
  if (state != GA_CACHE_GOOD) return state;
  snprintf(text, 256, "%.*s", (int)(f.compiler_size < 255 ? f.compiler_size : 255), f.compiler);
  e->made = f.made;
  e->good = 1;
  ga_cache_file_clear(&f);
  return state;
}

int gpuarray_cache_list(gpuarray_cache_visit visit, void *arg)
{
  ga_cache_item *items;
  gpuarray_cache_entry e;
  char text[256];
  size_t n;
  int fd, err, stop = 0;
  GA_NOT_NULL("gpuarray_cache_list", 1, visit);
  GA_TRY(ga_cache_open_usual(&fd, NULL, 0));
  err = ga_cache_items(&items, &n, fd, 0);
  for (size_t i = 0; err == GA_NO_ERROR && i < n && !stop; i++)
    if (inspect(&e, text, fd, &items[i]) != GA_CACHE_ABSENT) stop = visit(&e, arg);
  free(items);
  close(fd);
  return err;
}

static int remove_broken(int fd, uint64_t *entries, uint64_t *bytes)
{
  ga_cache_item *items;
  gpuarray_cache_entry e;
  char text[256];
  size_t n;
  GA_TRY(ga_cache_items(&items, &n, fd, 0));
  for (size_t i = 0; i < n; i++) {
    if (inspect(&e, text, fd, &items[i]) != GA_CACHE_BROKEN || unlinkat(fd, items[i].name, 0) != 0)
      continue;
    ++*entries;
    *bytes += items[i].size;
  }
  free(items);
  return GA_NO_ERROR;
}

static int prune(uint64_t limit, int check, uint64_t *entries, uint64_t *bytes)
{
  uint64_t n = 0, size = 0;
  int fd;
  if (entries != NULL) *entries = 0;
  if (bytes != NULL) *bytes = 0;
  GA_TRY(ga_cache_open_usual(&fd, NULL, 0));
  int err = check ? remove_broken(fd, &n, &size) : GA_NO_ERROR;
  if (err == GA_NO_ERROR) err = ga_cache_evict(fd, limit, &n, &size);
  close(fd);
  if (entries != NULL) *entries = n;
  if (bytes != NULL) *bytes = size;
  return err;
}

int gpuarray_cache_prune(uint64_t limit, uint64_t *entries, uint64_t *bytes)
{
  return prune(limit == UINT64_MAX ? ga_cache_limit() : limit, 1, entries, bytes);
}

int gpuarray_cache_clear(uint64_t *entries, uint64_t *bytes) { return prune(0, 0, entries, bytes); }
