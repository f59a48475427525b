/* SPDX-License-Identifier: MIT */
/* Files of one compilation. */
#define _GNU_SOURCE
#include "hostcuda_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codegen/kernels.h"
#include "lib/util/hash.h"

enum { MAX_PATH = 1024 };

int ga_hc_folder_make(ga_hc_folder *f)
{
  const char *tmp = getenv("TMPDIR");
  if (tmp == NULL || tmp[0] != '/') tmp = "/tmp";
  int n = snprintf(f->path, sizeof f->path, "%s/gpuarray-XXXXXX", tmp);
  int fits = n > 0 && (size_t)n < sizeof f->path;
  if (!fits) errno = ENAMETOOLONG;
  if (!fits || mkdtemp(f->path) == NULL) {
    f->path[0] = '\0';
    return ga_error_sys("compile: a private folder", tmp);
  }
  return GA_NO_ERROR;
}

/* Empties and removes what only this process has written; links are not followed. */
static void remove_tree(int at, const char *name, int depth)
{
  int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
  if (d != NULL) {
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
      if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
      if (unlinkat(fd, e->d_name, 0) != 0 && depth < 16) remove_tree(fd, e->d_name, depth + 1);
    }
    closedir(d);
  } else if (fd >= 0) {
    close(fd);
  }
  unlinkat(at, name, AT_REMOVEDIR);
}

void ga_hc_folder_remove(ga_hc_folder *f)
{
  if (f->path[0] != '\0') remove_tree(AT_FDCWD, f->path, 0);
  f->path[0] = '\0';
}

static int full_path(char path[MAX_PATH], const ga_hc_folder *f, const char *name)
{
  int n = snprintf(path, MAX_PATH, "%s/%s", f->path, name);
  int leaves = name[0] == '/' || name[0] == '\0' || strncmp(name, "../", 3) == 0 ||
               strstr(name, "/../") != NULL;
  if (leaves || n < 0 || n >= MAX_PATH)
    return ga_error(GA_VALUE_ERROR, "compile: '%.200s' is no name for a header", name);
  return GA_NO_ERROR;
}

static void make_parents(const ga_hc_folder *f, char *path)
{
  for (char *p = path + strlen(f->path) + 1; (p = strchr(p, '/')) != NULL; p++) {
    *p = '\0';
    mkdir(path, 0700);
    *p = '/';
  }
}

int ga_hc_folder_write(const ga_hc_folder *f, const char *name, const char *data, size_t size)
{
  char path[MAX_PATH];
  GA_TRY(full_path(path, f, name));
  if (strchr(name, '/') != NULL) make_parents(f, path);
  FILE *out = fopen(path, "wbe");
  int ok = out != NULL && fwrite(data, 1, size, out) == size, why = errno;
  if (out != NULL && fclose(out) != 0 && ok) {
    ok = 0;
    why = errno;
  }
  if (ok) return GA_NO_ERROR;
  errno = why;
  return ga_error_sys("compile: writing", name);
}

int ga_hc_folder_read(const ga_hc_folder *f, const char *name, char **data, size_t *size)
{
  char path[MAX_PATH];
  struct stat st;
  *data = NULL;
  GA_TRY(full_path(path, f, name));
  FILE *in = fopen(path, "rbe");
  if (in == NULL || fstat(fileno(in), &st) != 0) {
    if (in != NULL) fclose(in);
    return ga_error_sys("compile: reading", name);
  }
  *size = (size_t)st.st_size;
  *data = malloc(*size + 1);
  size_t got = *data != NULL ? fread(*data, 1, *size, in) : 0;
  fclose(in);
  if (*data == NULL) return ga_error_memory("compile", *size);
  (*data)[got] = '\0';
  if (got == *size) return GA_NO_ERROR;
  free(*data);
  *data = NULL;
  return ga_error(GA_SYS_ERROR, "compile: reading %s: it ended early", name);
}

/* ---- the library's headers ---------------------------------------------------- */

typedef struct file {
  const char *name, *text;
  const size_t *size;
} file;

static const size_t nothing;
static const file files[] = {
#define FILE(name, symbol) {name, ga_kernel_##symbol, &ga_kernel_##symbol##_size},
#define EMPTY(name)        {name, "", &nothing},
#include "hostcuda_files.def"
#undef FILE
#undef EMPTY
};
enum { NFILE = sizeof files / sizeof *files };

unsigned int ga_hc_headers_id(void)
{
  static atomic_uint known;
  unsigned int id = atomic_load_explicit(&known, memory_order_relaxed);
  if (id != 0) return id;
  for (size_t i = 0; i < NFILE; i++)
    id = (id << 1 | id >> 31) ^ (unsigned int)ga_hash_bytes(files[i].text, *files[i].size).lo;
  id |= 1;
  atomic_store_explicit(&known, id, memory_order_relaxed);
  return id;
}

int ga_hc_folder_system(const ga_hc_folder *f)
{
  char name[128];
  for (size_t i = 0; i < NFILE; i++) {
    snprintf(name, sizeof name, "system/%s", files[i].name);
    GA_TRY(ga_hc_folder_write(f, name, files[i].text, *files[i].size));
  }
  return GA_NO_ERROR;
}
