/* SPDX-License-Identifier: MIT */
/* What a text gives, as "float32[4,3]" or "error", and the files of NumPy's own
 * answers in tests/data. */
#ifndef TESTS_ANSWERS_H
#define TESTS_ANSWERS_H

#include "tests/program.h"

static inline void answer(char *out, size_t size, const char *text, const char *spec)
{
  ga_program *p;
  int err = program_try(&p, text, spec);
  if (err != GA_NO_ERROR) {
    ck_assert_msg(err == GA_VALUE_ERROR, "%s: error %d: %s", text, err, gpuarray_error_message());
    snprintf(out, size, "error");
    return;
  }
  ck_assert_int_ge(p->result, 0);
  const ga_slot *s = &p->slots[p->result];
  size_t n = (size_t)snprintf(out, size, "%s[", ga_dtypes[s->dtype].name);
  for (unsigned int k = 0; k < s->nd; k++)
    n += (size_t)snprintf(out + n, size - n, "%s%zu", k ? "," : "", s->dims[k]);
  snprintf(out + n, size - n, "]");
  ga_program_free(p);
}

static inline FILE *data(const char *name)
{
  char path[4096];
  const char *top = getenv("top_srcdir");
  snprintf(path, sizeof path, "%s/tests/data/%s", top ? top : ".", name);
  FILE *f = fopen(path, "r");
  ck_assert_msg(f != NULL, "cannot open %s", path);
  return f;
}

#endif
