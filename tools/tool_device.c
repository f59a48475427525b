/* SPDX-License-Identifier: MIT */
/* Devices by the names of the command line. Each is opened once: a script may
 * name the same one on every line. */
#include "tool.h"

#include <string.h>

enum { MAXOPEN = 32 };

static struct {
  char name[32];
  gpucontext *ctx;
} opened[MAXOPEN];
static int nopened;

gpucontext *tool_context(const char *name)
{
  if (name == NULL) name = "";
  for (int i = 0; i < nopened; i++)
    if (strcmp(opened[i].name, name) == 0) return opened[i].ctx;
  if (strlen(name) >= sizeof opened[0].name || nopened == MAXOPEN) {
    tool_error(0, "no device is called '%s'", name);
    return NULL;
  }
  gpucontext *ctx = NULL;
  if (gpucontext_init(&ctx, *name ? name : NULL, NULL) != GA_NO_ERROR) {
    tool_library_error(0);
    return NULL;
  }
  strcpy(opened[nopened].name, name);
  opened[nopened++].ctx = ctx;
  return ctx;
}

void tool_close_contexts(void)
{
  while (nopened > 0) gpucontext_deref(opened[--nopened].ctx);
}
