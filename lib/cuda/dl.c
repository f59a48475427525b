/* SPDX-License-Identifier: MIT */
/* Opening libraries (dl.h). The places where CUDA's libraries are looked for
 * stand in `prefixes` and `subdirs`; the loader's own path comes first, so that
 * LD_LIBRARY_PATH and the system's configuration decide. */
#define _GNU_SOURCE
#include "dl.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const subdirs[] = {"lib64", "lib", "targets/x86_64-linux/lib",
                                      "targets/sbsa-linux/lib"};

/* Patterns of toolkit roots; of several matches the last in order of names,
 * which is the newest version, is tried first. */
static const char *const prefixes[] = {"/usr/local/cuda", "/usr/local/cuda-[0-9]*", "/opt/cuda",
                                       "/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit"};

static const char *const libdirs[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                      "/usr/lib64", "/usr/lib", "/usr/lib/wsl/lib"};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void real_path(ga_dl *dl, const char *file)
{
  struct link_map *map = NULL;
  const char *path = file;
  if (dlinfo(dl->handle, RTLD_DI_LINKMAP, &map) == 0 && map != NULL && map->l_name[0] != 0)
    path = map->l_name;
  snprintf(dl->path, sizeof dl->path, "%s", path);
}

int ga_dl_open(ga_dl *dl, const char *what, const char *file, const ga_dl_symbol *symbols, size_t n,
               void *table)
{
  memset(dl, 0, sizeof *dl);
  dl->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (dl->handle == NULL) {
    const char *why = dlerror();
    return ga_error(GA_LOAD_ERROR, "%s: cannot load %s: %s", what, file,
                    why != NULL ? why : "unknown reason");
  }
  real_path(dl, file);
  for (size_t i = 0; i < n; i++) {
    void *fn = dlsym(dl->handle, symbols[i].name);
    if (fn == NULL && !symbols[i].optional) {
      ga_error(GA_LOAD_ERROR, "%s: %s has no symbol %s (too old, or another library)", what,
               dl->path, symbols[i].name);
      ga_dl_close(dl);
      return GA_LOAD_ERROR;
    }
    memcpy((char *)table + symbols[i].at, &fn, sizeof fn);
  }
  return GA_NO_ERROR;
}

void ga_dl_close(ga_dl *dl)
{
  if (dl->handle != NULL) dlclose(dl->handle);
  memset(dl, 0, sizeof *dl);
}

/* GA_LOAD_ERROR without a message where the file is not there. */
static int try_file(ga_dl *dl, const char *what, const char *dir, const char *sub, const char *name,
                    const ga_dl_symbol *symbols, size_t n, void *table)
{
  char path[1024];
  int len = snprintf(path, sizeof path, "%s%s%s/%s", dir, sub != NULL ? "/" : "",
                     sub != NULL ? sub : "", name);
  if (len < 0 || (size_t)len >= sizeof path || access(path, R_OK) != 0) return GA_LOAD_ERROR;
  return ga_dl_open(dl, what, path, symbols, n, table);
}

static int try_root(ga_dl *dl, const char *what, const char *root, const char *name,
                    const ga_dl_symbol *symbols, size_t n, void *table)
{
  for (size_t i = 0; i < COUNT(subdirs); i++)
    if (try_file(dl, what, root, subdirs[i], name, symbols, n, table) == GA_NO_ERROR)
      return GA_NO_ERROR;
  return GA_LOAD_ERROR;
}

static int try_pattern(ga_dl *dl, const char *what, const char *pattern, const char *name,
                       const ga_dl_symbol *symbols, size_t n, void *table)
{
  glob_t g;
  int err = GA_LOAD_ERROR;
  if (glob(pattern, 0, NULL, &g) != 0) return err;
  for (size_t i = g.gl_pathc; i-- > 0 && err != GA_NO_ERROR;)
    err = try_root(dl, what, g.gl_pathv[i], name, symbols, n, table);
  globfree(&g);
  return err;
}

int ga_dl_find(ga_dl *dl, const char *what, const char *name, const ga_dl_symbol *symbols, size_t n,
               void *table)
{
  static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH"};
  if (ga_dl_open(dl, what, name, symbols, n, table) == GA_NO_ERROR) return GA_NO_ERROR;
  for (size_t i = 0; i < COUNT(homes); i++) {
    const char *root = getenv(homes[i]);
    if (root != NULL && root[0] != 0 &&
        try_root(dl, what, root, name, symbols, n, table) == GA_NO_ERROR)
      return GA_NO_ERROR;
  }
  for (size_t i = 0; i < COUNT(prefixes); i++)
    if (try_pattern(dl, what, prefixes[i], name, symbols, n, table) == GA_NO_ERROR)
      return GA_NO_ERROR;
  for (size_t i = 0; i < COUNT(libdirs); i++)
    if (try_file(dl, what, libdirs[i], NULL, name, symbols, n, table) == GA_NO_ERROR)
      return GA_NO_ERROR;
  return GA_LOAD_ERROR;
}
