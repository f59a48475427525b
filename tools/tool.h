/* SPDX-License-Identifier: MIT */
/* What the subcommands of `gpuarray` share. The command uses the public headers
 * only, as any program would. */
#ifndef GPUARRAY_TOOL_H
#define GPUARRAY_TOOL_H

#include <gpuarray.h>

/* Exit statuses. */
enum {
  TOOL_DONE = 0,
  TOOL_FAILED = 1, /* the expression or the device; with -f, any line */
  TOOL_USAGE = 2   /* the command line, or a file */
};

typedef struct tool_command {
  const char *name;
  const char *usage; /* after "gpuarray NAME " */
  const char *summary;
  int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name */
} tool_command;

int cmd_eval(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_cache(int argc, char **argv);

/* The place and size of the kernel cache, for `info` (cmd_cache.c). */
void tool_print_cache(void);

/* ---- messages (tool_message.c) --------------------------------------------- */

/* What messages begin with: "gpuarray eval", "script.txt:3". */
extern char tool_where[512];

/* Prints one message to stderr; returns `status`. */
int tool_error(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints the library's last message to stderr; returns `status`. */
int tool_library_error(int status);

/* ---- progress (tool_progress.c) ---------------------------------------------- */

/* Says on stderr what the command is at, where that is a terminal, on a line that the
 * next one or a message replaces. */
void tool_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Erases it; messages do so by themselves. */
void tool_progress_end(void);

/* ---- devices (tool_device.c) ------------------------------------------------- */

/* The context on `name` ("cpu", "cuda", "cuda0"; NULL: the best there is), opened
 * once and kept; NULL when that fails, after a message. */
gpucontext *tool_context(const char *name);
void tool_close_contexts(void);

/* ---- arguments (tool_value.c) -------------------------------------------------- */

/* A NAME=VALUE of the command line. */
typedef struct tool_value {
  char *name;
  gpuarg arg;       /* .name is `name`; .v may point into this struct */
  const char *path; /* of an array that is still to be loaded */
  GpuArray array;
  unsigned char scalar[16];
  size_t *dims; /* of a described array */
  ssize_t *strides;
} tool_value;

/* Splits NAME=REST; 1 and a malloc'ed name, 0 where there is no name before the
 * first '=', -1 when memory is out. */
int tool_split_name(char **name, const char **rest, const char *word);

/* NUMBER: a weak number, as Python writes it. 1: taken, 0: no number; -1: a number
 * that does not fit; -2: a complex one, which arguments have not. */
int tool_take_number(tool_value *v, const char *text);
/* DTYPE or DTYPE[N,...]: a scalar or an array that is described, without data.
 * 1: taken, 0: no description; -1: one with an error, or no memory. */
int tool_take_description(tool_value *v, const char *text);
void tool_value_clear(tool_value *v);

/* ---- words (tool_words.c) ------------------------------------------------------- */

/* Splits a line as a shell does: spaces, '...', "...", backslashes, # comments.
 * The words are malloc'ed, NULL-terminated, and freed with tool_words_free().
 * NULL on error, with what is wrong in *why. */
char **tool_words(const char *line, int *n, const char **why);
void tool_words_free(char **words);

#endif
