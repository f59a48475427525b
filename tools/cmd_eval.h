/* SPDX-License-Identifier: MIT */
/* One evaluation, from its words: what `eval` does, and each line of a script. */
#ifndef GPUARRAY_CMD_EVAL_H
#define GPUARRAY_CMD_EVAL_H

#include "tool.h"

typedef struct eval_output {
  const char *path;
  tool_value *value; /* assigned by the text; NULL: the value of the text */
} eval_output;

typedef struct eval_job {
  const char *text;
  const char *device; /* NULL: the best there is */
  const char *script; /* of -f */
  int time;
  unsigned int nvalue, noutput;
  tool_value *values; /* of arguments, and of outputs that are no arguments */
  eval_output *outputs;
} eval_job;

/* Reads the words of one evaluation; `job` is zeroed, or holds defaults. Returns
 * an exit status, after a message when it is not TOOL_DONE. */
int eval_parse(eval_job *job, int argc, char **argv);
/* Loads, evaluates, saves or prints. */
int eval_run(eval_job *job);
void eval_clear(eval_job *job);

/* Each line of job->script is an evaluation. */
int eval_script(const eval_job *defaults);

/* Times more calls and reports to stderr (eval_time.c). */
void eval_report(const eval_job *job, gpucontext *ctx, GpuExpr *e, int has_value, double load,
                 double first);
double eval_clock(void);

#endif
