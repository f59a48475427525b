/* SPDX-License-Identifier: MIT */
/* gpuarray explain: what an expression would do, for arrays that need not be
 * there. */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

typedef struct explain_job {
  const char *text, *device;
  unsigned int nvalue, nkept;
  tool_value *values;
  const char **kept; /* names after -o */
} explain_job;

static tool_value *find_value(explain_job *job, const char *name)
{
  for (unsigned int i = 0; i < job->nvalue; i++)
    if (strcmp(job->values[i].name, name) == 0) return &job->values[i];
  return NULL;
}

/* NAME=DTYPE[N,...], NAME=DTYPE, NAME=NUMBER. */
static int take_value(explain_job *job, const char *word)
{
  tool_value *v = &job->values[job->nvalue];
  const char *rest;
  int split = tool_split_name(&v->name, &rest, word);
  if (split < 0) return tool_error(TOOL_FAILED, "out of memory");
  if (split == 0)
    return tool_error(TOOL_USAGE, "'%s' is no NAME=DTYPE[N,...] and no NAME=NUMBER", word);
  const tool_value *same = find_value(job, v->name);
  if (same != NULL) {
    tool_value_clear(v);
    return tool_error(TOOL_USAGE, "'%s' is given twice", same->name);
  }
  job->nvalue++;
  int taken = tool_take_number(v, rest);
  if (taken == 0) taken = tool_take_description(v, rest);
  if (taken > 0) return TOOL_DONE;
  return tool_error(TOOL_USAGE, "%s: '%s' is no number and no DTYPE[N,...], as float32[4000,4000]",
                    v->name, rest);
}

/* -o NAME, after the values are known: one that is given too is written in place. */
static int take_kept(explain_job *job, const char *name)
{
  tool_value *v = find_value(job, name);
  if (v != NULL && v->arg.kind != GA_ARG_ARRAY && v->arg.kind != GA_ARG_NEW)
    return tool_error(TOOL_USAGE, "-o %s: '%s' is a number", name, name);
  if (v != NULL) return TOOL_DONE;
  v = &job->values[job->nvalue];
  v->name = malloc(strlen(name) + 1);
  if (v->name == NULL) return tool_error(TOOL_FAILED, "out of memory");
  strcpy(v->name, name);
  v->arg = ga_new(v->name, &v->array);
  job->nvalue++;
  return TOOL_DONE;
}

static int parse(explain_job *job, int argc, char **argv)
{
  int options = 1, status = TOOL_DONE;
  for (int i = 1; i < argc && status == TOOL_DONE; i++) {
    int takes = options && (strcmp(argv[i], "-d") == 0 || strcmp(argv[i], "-o") == 0);
    if (takes && i + 1 == argc) return tool_error(TOOL_USAGE, "%s needs an argument", argv[i]);
    if (options && strcmp(argv[i], "--") == 0)
      options = 0;
    else if (takes && argv[i][1] == 'd')
      job->device = argv[++i];
    else if (takes)
      job->kept[job->nkept++] = argv[++i];
    else if (job->text == NULL)
      job->text = argv[i];
    else
      status = take_value(job, argv[i]);
  }
  for (unsigned int i = 0; i < job->nkept && status == TOOL_DONE; i++)
    status = take_kept(job, job->kept[i]);
  if (status == TOOL_DONE && job->text == NULL)
    status = tool_error(TOOL_USAGE, "no expression; gpuarray --help shows the usage");
  return status;
}

static int explain(const explain_job *job)
{
  GpuExpr *e = NULL;
  char *text = NULL;
  int status = TOOL_DONE;
  gpucontext *ctx = tool_context(job->device);
  if (ctx == NULL) return TOOL_FAILED;
  gpuarg *args = calloc(job->nvalue + 1u, sizeof *args);
  if (args == NULL) return tool_error(TOOL_FAILED, "out of memory");
  for (unsigned int i = 0; i < job->nvalue; i++) args[i] = job->values[i].arg;
  if (GpuExpr_new(&e, ctx, job->text, job->nvalue, args) != GA_NO_ERROR ||
      GpuExpr_explain(e, &text, job->nvalue, args) != GA_NO_ERROR)
    status = tool_library_error(TOOL_FAILED);
  else
    printf("%s%s", text, *text && text[strlen(text) - 1] == '\n' ? "" : "\n");
  free(text);
  GpuExpr_free(e);
  free(args);
  return status;
}

int cmd_explain(int argc, char **argv)
{
  explain_job job = {0};
  job.values = calloc((size_t)argc + 1, sizeof *job.values);
  job.kept = calloc((size_t)argc + 1, sizeof *job.kept);
  int status = job.values == NULL || job.kept == NULL ? tool_error(TOOL_FAILED, "out of memory")
                                                      : parse(&job, argc, argv);
  if (status == TOOL_DONE) status = explain(&job);
  for (unsigned int i = 0; i < job.nvalue; i++) tool_value_clear(&job.values[i]);
  free(job.values);
  free(job.kept);
  return status;
}
