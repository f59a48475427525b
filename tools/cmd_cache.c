/* SPDX-License-Identifier: MIT */
/* gpuarray cache: the compiled kernels that are kept on disk, and carrying them to
 * other machines. */
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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

static void tell(FILE *to, const char *what, uint64_t entries, uint64_t bytes)
{
  char text[32];
  size_text(text, bytes);
  fprintf(to, "%llu %s, %s\n", (unsigned long long)entries, what, text);
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
  tell(stdout, "removed", entries, bytes);
  return TOOL_DONE;
}

static int clear(void)
{
  uint64_t entries = 0, bytes = 0;
  if (gpuarray_cache_clear(&entries, &bytes) != GA_NO_ERROR) return tool_library_error(TOOL_USAGE);
  tell(stdout, "removed", entries, bytes);
  return TOOL_DONE;
}

typedef struct packing {
  const char *arch; /* NULL: every entry */
  uint64_t entries, bytes;
} packing;

/* Writes the pack to a stream, whose name is for messages. */
static int pack_stream(packing *p, FILE *f, const char *name)
{
  if (gpuarray_cache_pack(f, p->arch, &p->entries, &p->bytes) != GA_NO_ERROR)
    return tool_library_error(TOOL_USAGE);
  if (fflush(f) != 0) return tool_error(TOOL_USAGE, "%s: %s", name, strerror(errno));
  if (p->arch != NULL && p->entries == 0)
    return tool_error(TOOL_FAILED, "there is no entry for %s", p->arch);
  return TOOL_DONE;
}

static int pack_in_place(packing *p, const char *path)
{
  FILE *f = fopen(path, "wb");
  if (f == NULL) return tool_error(TOOL_USAGE, "%s: %s", path, strerror(errno));
  int status = pack_stream(p, f, path);
  fclose(f);
  return status;
}

/* Writes a file of its own, which gets the name when it is complete. */
static int pack_beside(packing *p, const char *path)
{
  char part[4096];
  if ((size_t)snprintf(part, sizeof part, "%s.%ld.tmp", path, (long)getpid()) >= sizeof part)
    return tool_error(TOOL_USAGE, "%s: %s", path, strerror(ENAMETOOLONG));
  FILE *f = fopen(part, "wbx");
  if (f == NULL) return tool_error(TOOL_USAGE, "%s: %s", part, strerror(errno));
  int status = pack_stream(p, f, part);
  fclose(f);
  if (status == TOOL_DONE && rename(part, path) != 0)
    status = tool_error(TOOL_USAGE, "%s: %s", path, strerror(errno));
  if (status != TOOL_DONE) (void)remove(part);
  return status;
}

/* As GpuArray_save(): a link is followed, a pipe or a device is written in place. */
static int pack_file(packing *p, const char *path)
{
  struct stat st;
  if (stat(path, &st) != 0) return pack_beside(p, path);
  if (!S_ISREG(st.st_mode)) return pack_in_place(p, path);
  char *real = realpath(path, NULL);
  if (real == NULL) return tool_error(TOOL_USAGE, "%s: %s", path, strerror(errno));
  int status = pack_beside(p, real);
  free(real);
  return status;
}

/* "-" is the standard output; what there is to say then goes to the other one. */
static int pack(const char *path, const char *arch)
{
  packing p = {.arch = arch};
  int to_stdout = strcmp(path, "-") == 0;
  int status = to_stdout ? pack_stream(&p, stdout, "standard output") : pack_file(&p, path);
  if (status == TOOL_DONE) tell(to_stdout ? stderr : stdout, "packed", p.entries, p.bytes);
  return status;
}

static int unpack(const char *path)
{
  uint64_t entries = 0, added = 0;
  int err, from_stdin = strcmp(path, "-") == 0;
  FILE *f = from_stdin ? stdin : fopen(path, "rb");
  if (f == NULL) return tool_error(TOOL_USAGE, "%s: %s", path, strerror(errno));
  err = gpuarray_cache_unpack(f, &entries, &added);
  if (err != GA_NO_ERROR) tool_library_error(TOOL_USAGE);
  if (!from_stdin) fclose(f);
  printf("%llu unpacked, %llu of them new\n", (unsigned long long)entries,
         (unsigned long long)added);
  return err == GA_NO_ERROR ? TOOL_DONE : TOOL_USAGE;
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

/* What follows `cache`, and how many words each takes. */
static const struct {
  const char *name;
  int least, most;
} actions[] = {{"list", 0, 0},  {"verify", 0, 0}, {"prune", 0, 1},
               {"clear", 0, 0}, {"pack", 1, 2},   {"unpack", 1, 1}};

int cmd_cache(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "", *first = argc > 2 ? argv[2] : NULL;
  size_t i = 0, n = sizeof actions / sizeof *actions;
  while (i < n && strcmp(what, actions[i].name) != 0) i++;
  if (i == n)
    return tool_error(TOOL_USAGE, "cache list, verify, prune, clear, pack or unpack; not '%s'",
                      what);
  if (argc - 2 < actions[i].least) return tool_error(TOOL_USAGE, "%s needs a file", what);
  if (argc - 2 > actions[i].most)
    return tool_error(TOOL_USAGE, "%s takes no argument '%s'", what, argv[2 + actions[i].most]);
  if (strcmp(what, "prune") == 0) return prune(first);
  if (strcmp(what, "list") == 0) return list();
  if (strcmp(what, "verify") == 0) return verify();
  if (strcmp(what, "pack") == 0) return pack(first, argc > 3 ? argv[3] : NULL);
  if (strcmp(what, "unpack") == 0) return unpack(first);
  return clear();
}
