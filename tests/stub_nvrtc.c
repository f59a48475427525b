/* SPDX-License-Identifier: MIT */
/* A compiler that compiles nothing, for the cache's tests, loaded through
 * GPUARRAY_NVRTC: the "cubin" is PTX-like text with an .entry for each
 * extern "C" kernel of the source and its headers. Each compilation appends a line to the file
 * STUB_NVRTC_LOG, takes STUB_NVRTC_MS milliseconds and then as long as there is a
 * file STUB_NVRTC_GATE; a text with #error does not compile. STUB_NVRTC_VERSION
 * ("12.4") is the version it tells. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The prototypes are in headers that are not needed to build. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define API __attribute__((visibility("default")))

enum { OK = 0, BAD_OPTION = 5, BAD_SOURCE = 6, BAD_NAME = 10 };

typedef struct program {
  char *text;
  char *out;
  int failed;
} program;

API const char *nvrtcGetErrorString(int err)
{
  return err == BAD_SOURCE ? "NVRTC_ERROR_COMPILATION" : err == OK ? "NVRTC_SUCCESS" : "STUB_ERROR";
}

API int nvrtcVersion(int *major, int *minor)
{
  const char *v = getenv("STUB_NVRTC_VERSION");
  *major = 13;
  *minor = 0;
  if (v != NULL && sscanf(v, "%d.%d", major, minor) != 2) return BAD_OPTION;
  return OK;
}

API int nvrtcGetNumSupportedArchs(int *n)
{
  *n = 3;
  return OK;
}

API int nvrtcGetSupportedArchs(int *archs)
{
  archs[0] = 75;
  archs[1] = 80;
  archs[2] = 90;
  return OK;
}

API int nvrtcCreateProgram(void **res, const char *src, const char *name, int n,
                           const char *const *headers, const char *const *names)
{
  (void)name;
  (void)names;
  program *p = calloc(1, sizeof *p);
  size_t size = strlen(src) + 1;
  for (int i = 0; i < n; i++) size += strlen(headers[i]);
  if (p == NULL || (p->text = calloc(1, size)) == NULL) return 1;
  strcpy(p->text, src);
  for (int i = 0; i < n; i++) strcat(p->text, headers[i]);
  *res = p;
  return OK;
}

API int nvrtcDestroyProgram(void **res)
{
  program *p = *res;
  free(p->text);
  free(p->out);
  free(p);
  *res = NULL;
  return OK;
}

/* One write, so that processes do not mix their lines. */
static void note(void)
{
  const char *file = getenv("STUB_NVRTC_LOG"), *ms = getenv("STUB_NVRTC_MS");
  const char *gate = getenv("STUB_NVRTC_GATE");
  if (file != NULL) {
    int fd = open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd >= 0) {
      if (write(fd, "compiled\n", 9) != 9) abort();
      close(fd);
    }
  }
  if (ms != NULL) {
    struct timespec t = {atoi(ms) / 1000, atoi(ms) % 1000 * 1000000L};
    nanosleep(&t, NULL);
  }
  while (gate != NULL && access(gate, F_OK) == 0) usleep(1000);
}

API int nvrtcCompileProgram(void *prog, int n, const char *const *options)
{
  program *p = prog;
  for (int i = 0; i < n; i++)
    if (strcmp(options[i], "--bad-option") == 0) return BAD_OPTION;
  note();
  if (strstr(p->text, "#error") != NULL) {
    p->failed = 1;
    return BAD_SOURCE;
  }
  p->out = calloc(1, strlen(p->text) * 2 + 64);
  strcpy(p->out, "// stub\n");
  for (const char *s = p->text; (s = strstr(s, "__global__")) != NULL; s++) {
    const char *open = strchr(s, '('), *at, *bounds = strstr(s, "__launch_bounds__");
    if (bounds != NULL && bounds < open) open = strchr(strchr(bounds, ')'), '(');
    at = open;
    if (open == NULL) break;
    while (at > s && (at[-1] == '_' || (at[-1] >= '0' && at[-1] <= '9') ||
                      (at[-1] >= 'a' && at[-1] <= 'z') || (at[-1] >= 'A' && at[-1] <= 'Z')))
      at--;
    strcat(p->out, ".entry ");
    strncat(p->out, at, (size_t)(open - at));
    strcat(p->out, "\n");
  }
  return OK;
}

static int out_size(void *prog, size_t *size)
{
  program *p = prog;
  if (p->out == NULL) return BAD_SOURCE;
  *size = strlen(p->out) + 1;
  return OK;
}

static int out(void *prog, char *dst)
{
  program *p = prog;
  if (p->out == NULL) return BAD_SOURCE;
  strcpy(dst, p->out);
  return OK;
}

API int nvrtcGetPTXSize(void *p, size_t *size) { return out_size(p, size); }
API int nvrtcGetPTX(void *p, char *dst) { return out(p, dst); }
API int nvrtcGetCUBINSize(void *p, size_t *size) { return out_size(p, size); }
API int nvrtcGetCUBIN(void *p, char *dst) { return out(p, dst); }

static const char words[] = "source.cu(1): error: #error directive\n";

API int nvrtcGetProgramLogSize(void *prog, size_t *size)
{
  *size = ((program *)prog)->failed ? sizeof words : 1;
  return OK;
}

API int nvrtcGetProgramLog(void *prog, char *dst)
{
  strcpy(dst, ((program *)prog)->failed ? words : "");
  return OK;
}

API int nvrtcAddNameExpression(void *p, const char *name)
{
  (void)p;
  (void)name;
  return OK;
}

API int nvrtcGetLoweredName(void *p, const char *name, const char **lowered)
{
  (void)p;
  *lowered = name;
  return strchr(name, '?') != NULL ? BAD_NAME : OK;
}
