/* SPDX-License-Identifier: MIT */
/* gpuarray eval -f: a file of evaluations, one a line. A line that fails says so
 * with its number, and the rest still run. */
#include "cmd_eval.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The next line without its end, malloc'ed; NULL at the end of the file or, with
 * *status set, when it cannot be read. */
static char *next_line(FILE *f, int *status)
{
  size_t n = 0, cap = 256;
  char *line = malloc(cap);
  for (int c; line != NULL && (c = getc(f)) != EOF && c != '\n';) {
    if (c == '\0') c = ' ';
    if (n + 2 > cap) {
      char *more = realloc(line, cap *= 2);
      if (more == NULL) free(line);
      line = more;
      if (line == NULL) break;
    }
    line[n++] = (char)c;
  }
  if (line == NULL) {
    *status = tool_error(TOOL_FAILED, "out of memory");
  } else if (ferror(f)) {
    *status = tool_error(TOOL_USAGE, "%s", strerror(errno));
  } else if (n > 0 || !feof(f)) {
    line[n] = '\0';
    return line;
  }
  free(line);
  return NULL;
}

static int run_line(const eval_job *defaults, const char *line)
{
  eval_job job = {.device = defaults->device, .time = defaults->time};
  const char *why;
  int n, status;
  /* A line is the arguments of eval, so its first word follows the command's. */
  char **words = tool_words(line, &n, &why);
  if (words == NULL) return tool_error(TOOL_FAILED, "%s", why);
  char **argv = n > 0 ? malloc(((size_t)n + 2) * sizeof *argv) : NULL;
  if (n > 0 && argv == NULL) {
    tool_words_free(words);
    return tool_error(TOOL_FAILED, "out of memory");
  }
  status = TOOL_DONE;
  if (n > 0) {
    argv[0] = (char *)"eval";
    memcpy(argv + 1, words, ((size_t)n + 1) * sizeof *argv);
    status = eval_parse(&job, n + 1, argv);
    if (status == TOOL_DONE && job.script != NULL)
      status = tool_error(TOOL_FAILED, "a line of a script cannot have -f");
    if (status == TOOL_DONE) status = eval_run(&job);
    eval_clear(&job);
  }
  free(argv);
  tool_words_free(words);
  fflush(stdout);
  return status;
}

/* The bytes of a script; 0 of one that is a pipe or typed in. */
static long script_size(FILE *f)
{
  struct stat s;
  return fstat(fileno(f), &s) == 0 && S_ISREG(s.st_mode) ? (long)s.st_size : 0;
}

/* The line that runs now, and how much of the script is read. */
static void show_place(FILE *f, long size)
{
  long at = size > 0 ? ftell(f) : -1;
  if (at >= 0 && at <= size)
    tool_progress("%s (%d%%)", tool_where, (int)(100.0 * (double)at / (double)size));
  else if (!isatty(fileno(f)))
    tool_progress("%s", tool_where);
}

int eval_script(const eval_job *defaults)
{
  const char *path = defaults->script;
  int standard = strcmp(path, "-") == 0, status = TOOL_DONE;
  FILE *f = standard ? stdin : fopen(path, "r");
  char *line;
  if (f == NULL) return tool_error(TOOL_USAGE, "%s: %s", path, strerror(errno));
  long size = script_size(f);
  for (unsigned long number = 1;; number++) {
    snprintf(tool_where, sizeof tool_where, "%.400s:%lu", standard ? "stdin" : path, number);
    line = next_line(f, &status);
    if (line == NULL) break;
    show_place(f, size);
    if (run_line(defaults, line) != TOOL_DONE) status = TOOL_FAILED;
    free(line);
  }
  tool_progress_end();
  if (!standard) fclose(f);
  return status;
}
