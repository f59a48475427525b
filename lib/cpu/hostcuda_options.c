/* SPDX-License-Identifier: MIT */
/* What a caller's options, which are NVRTC's, ask of a host's compiler. */
#include <string.h>

#include "hostcuda_options.h"

static const char *strip_dashes(const char *o)
{
  while (*o == '-') o++;
  return o;
}

const char *ga_hc_standard(const ga_source *src)
{
  const char *found = "17";
  for (unsigned int i = 0; i < src->noption; i++) {
    const char *o = strip_dashes(src->options[i]);
    if (strcmp(o, "std") == 0 && i + 1 < src->noption)
      o = src->options[++i];
    else if (strncmp(o, "std=", 4) == 0)
      o += 4;
    if (strcmp(o, "c++20") == 0) found = "20";
    if (strcmp(o, "c++17") == 0) found = "17";
  }
  return found;
}

/* A word of the command line, a NUL behind it. */
static void word(ga_str *line, const char *fmt, const char *value)
{
  ga_str_addf(line, fmt, value);
  ga_str_addn(line, "", 1);
}

void ga_hc_preprocessor_options(ga_str *line, const ga_source *src)
{
  static const struct {
    const char *name, *ours;
  } forms[] = {{"define-macro=", "-D%s"},
               {"undefine-macro=", "-U%s"},
               {"include-path=", "-I%s"},
               {"D", "-D%s"},
               {"U", "-U%s"},
               {"I", "-I%s"}};
  for (unsigned int i = 0; i < src->noption; i++) {
    const char *o = strip_dashes(src->options[i]);
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
      size_t n = strlen(forms[k].name);
      if (strncmp(o, forms[k].name, n) != 0) continue;
      if (o[n] != '\0')
        word(line, forms[k].ours, o + n);
      else if (i + 1 < src->noption)
        word(line, forms[k].ours, src->options[++i]);
      break;
    }
  }
}

int ga_hc_has_option(const ga_source *src, const char *name)
{
  for (unsigned int i = 0; i < src->noption; i++)
    if (strcmp(strip_dashes(src->options[i]), name) == 0) return 1;
  return 0;
}
