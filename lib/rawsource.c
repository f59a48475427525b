/* SPDX-License-Identifier: MIT */
/* The source of a raw kernel as it is compiled, and the report of one that does
 * not compile: the compiler speaks of line numbers, so the lines are numbered. */
#include <stdlib.h>
#include <string.h>

#include "lib/rawkernel.h"

void ga_raw_source(ga_source *src, ga_raw_headers *headers, const char *text,
                   const char *const *options, unsigned int noption)
{
  memset(src, 0, sizeof *src);
  headers->names[0] = "cluda.h";
  headers->bodies[0] = ga_kernel_cluda_cuh;
  src->text = text;
  src->nheader = 1;
  src->header_names = headers->names;
  src->header_bodies = headers->bodies;
  src->options = options;
  src->noption = noption;
  src->raw = 1;
}

static void add_numbered(ga_str *s, const char *text)
{
  unsigned int line = 1;
  while (*text != 0) {
    const char *end = strchr(text, '\n');
    size_t n = end != NULL ? (size_t)(end - text) : strlen(text);
    ga_str_addf(s, "%4u  ", line++);
    ga_str_addn(s, text, n);
    ga_str_add(s, "\n");
    text += n + (end != NULL);
  }
}

int ga_raw_report(int err, const char *op, const char *text, char **report)
{
  ga_str s = {0};
  ga_str_addf(&s, "%s: %s\n", op, ga_error_message());
  add_numbered(&s, text);
  if (!s.failed) {
    ga_error(err, "%s", ga_str_text(&s));
    if (report != NULL) *report = strdup(ga_str_text(&s));
  }
  ga_str_clear(&s);
  return err;
}
