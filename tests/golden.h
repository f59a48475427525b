/* SPDX-License-Identifier: MIT */
/* Golden texts: tests/golden/<name>.txt holds what a printer gave when someone
 * last read it. They change by `make update-golden` only, and the difference is
 * read like code. */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include "tests/common.h"

static inline FILE *golden_open(const char *name, const char *mode)
{
  char path[4096];
  const char *top = getenv("top_srcdir");
  snprintf(path, sizeof path, "%s/tests/golden/%s.txt", top ? top : ".", name);
  return fopen(path, mode);
}

/* `text` is that of tests/golden/<name>.txt; with GA_UPDATE_GOLDEN set, it becomes it. */
static inline void golden_check(const char *name, const char *text)
{
  size_t n = strlen(text);
  if (getenv("GA_UPDATE_GOLDEN") != NULL) {
    FILE *f = golden_open(name, "w");
    ck_assert_msg(f != NULL && fwrite(text, 1, n, f) == n && fclose(f) == 0, "%s: not written",
                  name);
    return;
  }
  FILE *f = golden_open(name, "r");
  ck_assert_msg(f != NULL, "there is no golden text %s; make update-golden", name);
  char *want = calloc(1, n + 2);
  size_t got = fread(want, 1, n + 1, f);
  fclose(f);
  size_t same = 0;
  while (same < n && same < got && want[same] == text[same]) same++;
  if (same != n || got != n) {
    size_t line = 1, start = 0;
    for (size_t i = 0; i < same; i++)
      if (text[i] == '\n') line++, start = i + 1;
    int len = (int)strcspn(text + start, "\n"), old = (int)strcspn(want + start, "\n");
    ck_abort_msg("%s differs from its golden text in line %zu:\n  now %.*s\n  was %.*s", name, line,
                 len, text + start, old, want + start);
  }
  free(want);
}

#endif
