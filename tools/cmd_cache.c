/* SPDX-License-Identifier: MIT */
/* gpuarray cache: the compiled kernels that are kept on disk. */
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void size_text(char buf[32], uint64_t bytes)
{
  static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double x = (double)bytes;
  int u = 0;
  for (; x >= 1024 && u < 4; u++) x /= 1024;
  snprintf(buf, 32, u ? "%.1f %s" : "%.0f %s", x, units[u]);
}

static void day_text(char buf[32], int64_t seconds)
{
  time_t t = (time_t)seconds;
  struct tm tm;
  if (seconds == 0 || localtime_r(&t, &tm) == NULL || !strftime(buf, 32, "%Y-%m-%d", &tm))
    snprintf(buf, 32, "-");
}

static int list_one(const gpuarray_cache_entry *e, void *arg)
{
  char made[32], used[32];
  (void)arg;
  day_text(made, e->made);
  day_text(used, e->used);
  printf("%s %9llu  made %-10s  used %-10s  %s\n", e->file, (unsigned long long)e->bytes, made,
         used, e->good ? e->compiler : "BROKEN");
  return 0;
}

static int verify_one(const gpuarray_cache_entry *e, void *arg)
{
  uint64_t *count = arg;
  count[e->good != 0]++;
  if (!e->good) printf("%s is broken\n", e->file);
  return 0;
}

static int list(void)
{
  return gpuarray_cache_list(list_one, NULL) == GA_NO_ERROR ? TOOL_DONE
                                                           : tool_library_error(TOOL_USAGE);
}

static int verify(void)
{
  uint64_t count[2] = {0, 0};
  if (gpuarray_cache_list(verify_one, count) != GA_NO_ERROR) return tool_library_error(TOOL_USAGE);
  printf("%llu good, %llu broken\n", (unsigned long long)count[1], (unsigned long long)count[0]);
  return count[0] ? TOOL_FAILED : TOOL_DONE;
}

static void removed(uint64_t entries, uint64_t bytes)
{
  char text[32];
  size_text(text, bytes);
  printf("%llu removed, %s\n", (unsigned long long)entries, text);
}

/* BYTES may end in K, M or G. */
static int take_bytes(uint64_t *bytes, const char *text)
{
  char *end;
  errno = 0;
  unsigned long long n = strtoull(text, &end, 10);
  int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
  if (shift) end++;
  if (*text < '0' || *text > '9' || *end != '\0' || errno == ERANGE || n > UINT64_MAX >> shift)
    return tool_error(TOOL_USAGE, "'%s' is no number of bytes; as 1000000, 512M, 1G", text);
  *bytes = (uint64_t)n << shift;
  return TOOL_DONE;
}

static int prune(const char *limit)
{
  uint64_t most = UINT64_MAX, entries = 0, bytes = 0;
  if (limit != NULL) {
    int status = take_bytes(&most, limit);
    if (status != TOOL_DONE) return status;
  }
  if (gpuarray_cache_prune(most, &entries, &bytes) != GA_NO_ERROR)
    return tool_library_error(TOOL_USAGE);
  removed(entries, bytes);
  return TOOL_DONE;
}

static int clear(void)
{
  uint64_t entries = 0, bytes = 0;
  if (gpuarray_cache_clear(&entries, &bytes) != GA_NO_ERROR) return tool_library_error(TOOL_USAGE);
  removed(entries, bytes);
  return TOOL_DONE;
}

void tool_print_cache(void)
{
  char path[4096] = "", used[32], most[32];
  uint64_t entries = 0, bytes = 0, limit = 0;
  int err = gpuarray_cache_path(path, sizeof path);
  if (err == GA_NO_ERROR) err = gpuarray_cache_usage(&entries, &bytes, &limit);
  puts("kernel cache");
  if (*path) printf("  %s\n", path);
  if (err != GA_NO_ERROR) {
    printf("  %s\n", gpuarray_error_message());
    return;
  }
  size_text(used, bytes);
  size_text(most, limit);
  printf("  %llu entries, %s of at most %s\n", (unsigned long long)entries, used, most);
}

int cmd_cache(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";
  int pruning = strcmp(what, "prune") == 0;
  if (argc > 2 + pruning)
    return tool_error(TOOL_USAGE, "%s takes no argument '%s'", what, argv[2 + pruning]);
  if (pruning) return prune(argc > 2 ? argv[2] : NULL);
  if (strcmp(what, "list") == 0) return list();
  if (strcmp(what, "verify") == 0) return verify();
  if (strcmp(what, "clear") == 0) return clear();
  return tool_error(TOOL_USAGE, "cache list, verify, prune or clear; not '%s'", what);
}
