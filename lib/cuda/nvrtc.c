/* SPDX-License-Identifier: MIT */
/* Finding NVRTC. A compiler newer than the driver makes code that the driver
 * may not load, one older may not know the device; so the newest that is not
 * newer than the driver (in its major version) and that knows the device is
 * taken. GPUARRAY_NVRTC names a file to use instead of all others. */
#include "nvrtc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/util/lock.h"
#include "lib/util/tasks.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const ga_dl_symbol symbols[] = {
#define FN(ret, name, args) {#name, offsetof(ga_nvrtc_table, name), 0},
#include "nvrtc.def"
#undef FN
};

static const struct {
  int major;
  const char *name;
} versions[] = {{13, "libnvrtc.so.13"}, {12, "libnvrtc.so.12"}, {11, "libnvrtc.so.11.2"}};

static ga_nvrtc libs[COUNT(versions) + 1]; /* the last: GPUARRAY_NVRTC */
static ga_lock lock = GA_LOCK;

/* NVRTC opens its builtins by name, which fails where its folder is not in the
 * loader's path; a library of that name that is loaded already is found. */
static void load_builtins(const ga_nvrtc *n)
{
  char path[sizeof n->lib.path + 64];
  const char *slash = strrchr(n->lib.path, '/');
  if (slash == NULL) return;
  snprintf(path, sizeof path, "%.*s/libnvrtc-builtins.so.%d.%d", (int)(slash - n->lib.path),
           n->lib.path, n->major, n->minor);
  (void)dlopen(path, RTLD_NOW | RTLD_LOCAL); /* stays as long as NVRTC: for ever */
}

/* The toolkit's own headers (cuda_fp16.h), for users' kernels: beside the library's
 * folder, or above it in targets/ and Debian's trees. */
static void find_headers(ga_nvrtc *n)
{
  static const char *const ways[] = {"../include", "../../include", "../../../include"};
  const char *slash = strrchr(n->lib.path, '/');
  char file[sizeof n->headers + 16];
  n->headers[0] = 0;
  for (size_t i = 0; slash != NULL && i < COUNT(ways); i++) {
    int dir = (int)(slash - n->lib.path);
    int len = snprintf(n->headers, sizeof n->headers, "%.*s/%s", dir, n->lib.path, ways[i]);
    snprintf(file, sizeof file, "%s/cuda_fp16.h", n->headers);
    if (len > 0 && (size_t)len < sizeof n->headers && access(file, R_OK) == 0) return;
  }
  n->headers[0] = 0;
}

static int read_version(ga_nvrtc *n)
{
  int narch = 0;
  if (n->fn.nvrtcVersion(&n->major, &n->minor) != NVRTC_SUCCESS ||
      n->fn.nvrtcGetNumSupportedArchs(&narch) != NVRTC_SUCCESS || narch <= 0 ||
      narch > (int)COUNT(n->archs) || n->fn.nvrtcGetSupportedArchs(n->archs) != NVRTC_SUCCESS)
    return ga_error(GA_LOAD_ERROR, "nvrtc: %s does not tell its version and architectures",
                    n->lib.path);
  n->narch = narch;
  return GA_NO_ERROR;
}

static int load(ga_nvrtc *n, const char *name, const char *file)
{
  int err;
  if (n->state != 0) return n->state > 0 ? GA_NO_ERROR : GA_LOAD_ERROR;
  if (file != NULL)
    err = ga_dl_open(&n->lib, "nvrtc", file, symbols, COUNT(symbols), &n->fn);
  else
    err = ga_dl_find(&n->lib, "nvrtc", name, symbols, COUNT(symbols), &n->fn);
  if (err == GA_NO_ERROR && (err = read_version(n)) != GA_NO_ERROR) ga_dl_close(&n->lib);
  /* A file that the user names is tried again next time: the message matters. */
  n->state = err == GA_NO_ERROR ? 1 : file != NULL ? 0 : -1;
  if (err == GA_NO_ERROR) {
    load_builtins(n);
    find_headers(n);
    ga_tasks_before_exit();
  }
  return err;
}

/* The highest architecture of n that is at most cc, 0 if there is none. */
static int best_arch(const ga_nvrtc *n, int cc)
{
  int best = 0;
  for (int i = 0; i < n->narch; i++)
    if (n->archs[i] <= cc && n->archs[i] > best) best = n->archs[i];
  return best;
}

static const ga_nvrtc *pick_named(const char *file, int cc, int *arch)
{
  ga_nvrtc *n = &libs[COUNT(versions)];
  if (load(n, NULL, file) != GA_NO_ERROR) return NULL;
  *arch = best_arch(n, cc);
  if (*arch != 0) return n;
  ga_error(GA_LOAD_ERROR, "nvrtc: %s (GPUARRAY_NVRTC) knows no architecture up to sm_%d", file, cc);
  return NULL;
}

static const ga_nvrtc *pick_newest(int driver_major, int cc, int *arch)
{
  const ga_nvrtc *found = NULL;
  ga_str tried = {0};
  *arch = 0;
  for (size_t i = 0; i < COUNT(versions) && *arch != cc; i++) {
    ga_str_addf(&tried, "%s%s", i > 0 ? ", " : "", versions[i].name);
    if (versions[i].major > driver_major) {
      ga_str_addf(&tried, " (too new for the driver, which is of CUDA %d)", driver_major);
      continue;
    }
    if (load(&libs[i], versions[i].name, NULL) != GA_NO_ERROR) {
      ga_str_add(&tried, " (not found, or not usable)");
      continue;
    }
    int best = best_arch(&libs[i], cc);
    ga_str_addf(&tried, " (%s)", best != 0 ? libs[i].lib.path : "knows no such architecture");
    if (best > *arch) {
      *arch = best;
      found = &libs[i];
    }
  }
  if (found == NULL)
    ga_error(GA_LOAD_ERROR,
             "nvrtc: no compiler for sm_%d; looked for %s in the loader's path, CUDA_HOME, "
             "CUDA_PATH, /usr/local/cuda*, /opt/cuda, /usr/lib; GPUARRAY_NVRTC may name the file",
             cc, ga_str_text(&tried));
  ga_str_clear(&tried);
  return found;
}

const ga_nvrtc *ga_nvrtc_pick(int driver_major, int cc, int *arch)
{
  const char *file = getenv("GPUARRAY_NVRTC");
  ga_lock_take(&lock);
  const ga_nvrtc *n = file != NULL && file[0] != 0 ? pick_named(file, cc, arch)
                                                   : pick_newest(driver_major, cc, arch);
  ga_lock_give(&lock);
  return n;
}

void ga_nvrtc_hint(ga_str *s)
{
  static const char *const variables[] = {"GPUARRAY_NVRTC", "CUDA_HOME", "CUDA_PATH",
                                          "LD_LIBRARY_PATH"};
  static const char *const places[] = {"/etc/ld.so.cache", "/usr/local", "/opt"};
  for (size_t i = 0; i < COUNT(variables); i++) {
    const char *v = getenv(variables[i]);
    ga_str_addf(s, "%s=%s\n", variables[i], v != NULL ? v : "");
  }
  for (size_t i = 0; i < COUNT(places); i++) {
    struct stat st;
    if (stat(places[i], &st) == 0)
      ga_str_addf(s, "%s %lld.%09ld\n", places[i], (long long)st.st_mtim.tv_sec,
                  (long)st.st_mtim.tv_nsec);
  }
}
