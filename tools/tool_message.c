/* SPDX-License-Identifier: MIT */
/* Messages of the command: where, then what. A message of several lines (an
 * expression with a caret under it) starts on a line of its own, so that the
 * caret stays under its column. */
#include "tool.h"

#include <stdarg.h>
#include <string.h>

char tool_where[512] = "gpuarray";

int tool_error(int status, const char *fmt, ...)
{
  va_list ap;
  tool_progress_end();
  fflush(stdout);
  fprintf(stderr, "%s: ", tool_where);
  va_start(ap, fmt);
  vfprintf(stderr, fmt, ap);
  va_end(ap);
  fputc('\n', stderr);
  return status;
}

int tool_library_error(int status)
{
  const char *message = gpuarray_error_message();
  size_t n = strlen(message);
  tool_progress_end();
  fflush(stdout);
  fprintf(stderr, "%s:%c%s%s", tool_where, strchr(message, '\n') ? '\n' : ' ', message,
          n > 0 && message[n - 1] == '\n' ? "" : "\n");
  return status;
}
