/* SPDX-License-Identifier: MIT */
/* What long work is at: one line of stderr, written over and in the end erased, and
 * only where stderr is a terminal. */
#include "tool.h"

#include <stdarg.h>
#include <unistd.h>

static int shown;

void tool_progress(const char *fmt, ...)
{
  char text[72]; /* narrower than a terminal: a line that wraps cannot be erased */
  va_list ap;
  if (!isatty(STDERR_FILENO)) return;
  fflush(stdout);
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  fprintf(stderr, "\r%s\033[K", text);
  fflush(stderr);
  shown = 1;
}

void tool_progress_end(void)
{
  if (!shown) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  shown = 0;
}
