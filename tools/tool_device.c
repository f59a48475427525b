/* SPDX-License-Identifier: MIT */
/* Devices by the names of the command line. Each is opened once: a script may
 * name the same one on every line. */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

enum { MAXOPEN = 32 };

static struct {
  char name[32];
  gpucontext *ctx;
} opened[MAXOPEN];
static int nopened;

static gpucontext *open_device(const char *name)
{
  gpucontext *ctx = NULL;
  gpucontext_props *props = NULL;
  char kind[32];
  size_t n = strcspn(name, "0123456789");
  char *end = (char *)name + n;
  unsigned long number = *end ? strtoul(end, &end, 10) : 0;
  memcpy(kind, name, n);
  kind[n] = '\0';
  if (*end != '\0' || number > 1023 || (name[n] && strcmp(kind, "cuda") != 0)) {
    tool_error(0, "no device is called '%s'; cpu, cuda, cuda0, cuda1, ...", name);
    return NULL;
  }
  if (name[n] != '\0' && (gpucontext_props_new(&props) != GA_NO_ERROR ||
                          gpucontext_props_cuda_dev(props, (int)number) != GA_NO_ERROR)) {
    gpucontext_props_del(props);
    tool_library_error(0);
    return NULL;
  }
  if (gpucontext_init(&ctx, n ? kind : NULL, props) != GA_NO_ERROR) {
    tool_library_error(0);
    return NULL;
  }
  return ctx;
}

gpucontext *tool_context(const char *name)
{
  if (name == NULL) name = "";
  for (int i = 0; i < nopened; i++)
    if (strcmp(opened[i].name, name) == 0) return opened[i].ctx;
  if (strlen(name) >= sizeof opened[0].name || nopened == MAXOPEN) {
    tool_error(0, "no device is called '%s'", name);
    return NULL;
  }
  gpucontext *ctx = open_device(name);
  if (ctx == NULL) return NULL;
  strcpy(opened[nopened].name, name);
  opened[nopened++].ctx = ctx;
  return ctx;
}

void tool_close_contexts(void)
{
  while (nopened > 0) gpucontext_deref(opened[--nopened].ctx);
}
