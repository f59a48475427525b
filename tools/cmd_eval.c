/* SPDX-License-Identifier: MIT */
/* gpuarray eval: one expression on arrays of .npy files and numbers. */
#include "cmd_eval.h"

#include <stdlib.h>
#include <string.h>

/* ---- words to a job ---------------------------------------------------------- */

static tool_value *find_value(eval_job *job, const char *name)
{
  for (unsigned int i = 0; i < job->nvalue; i++)
    if (strcmp(job->values[i].name, name) == 0) return &job->values[i];
  return NULL;
}

/* NAME=FILE.npy or NAME=NUMBER. Files are loaded once the device is open; until
 * then their path stands in for the array. */
static int take_value(eval_job *job, const char *word)
{
  tool_value *v = &job->values[job->nvalue];
  const char *rest;
  int split = tool_split_name(&v->name, &rest, word);
  if (split < 0) return tool_error(TOOL_FAILED, "out of memory");
  if (split == 0)
    return tool_error(TOOL_USAGE, "'%s' is no NAME=FILE.npy and no NAME=NUMBER", word);
  if (find_value(job, v->name) != NULL) {
    int status = tool_error(TOOL_USAGE, "'%s' is given twice", v->name);
    tool_value_clear(v);
    return status;
  }
  job->nvalue++;
  int number = tool_take_number(v, rest);
  if (number < 0)
    return tool_error(TOOL_USAGE, "%s: '%s' %s; write it in the expression", v->name, rest,
                      number == -1 ? "does not fit int64" : "is complex");
  if (number == 0) {
    if (*rest == '\0') return tool_error(TOOL_USAGE, "%s: no file and no number", v->name);
    v->arg = ga_array(v->name, &v->array);
    v->path = rest;
  }
  return TOOL_DONE;
}

/* OUT.npy or NAME=OUT.npy, after the values are known. */
static int take_output(eval_job *job, const char *word)
{
  char *name = NULL;
  const char *rest = word;
  eval_output *out = &job->outputs[job->noutput];
  int split = tool_split_name(&name, &rest, word);
  if (split < 0) return tool_error(TOOL_FAILED, "out of memory");
  if (*rest == '\0') {
    free(name);
    return tool_error(TOOL_USAGE, "-o '%s' names no file", word);
  }
  out->path = rest;
  job->noutput++;
  if (split == 0) {
    for (unsigned int i = 0; i + 1 < job->noutput; i++)
      if (job->outputs[i].value == NULL)
        return tool_error(TOOL_USAGE, "the value has two files: -o %s, -o %s", job->outputs[i].path,
                          rest);
    return TOOL_DONE;
  }
  out->value = find_value(job, name);
  if (out->value == NULL) {
    out->value = &job->values[job->nvalue++];
    out->value->name = name;
    out->value->arg = ga_new(name, &out->value->array);
    return TOOL_DONE;
  }
  free(name);
  if (out->value->arg.kind == GA_ARG_ARRAY || out->value->arg.kind == GA_ARG_NEW) return TOOL_DONE;
  return tool_error(TOOL_USAGE, "-o %s: '%s' is a number", word, out->value->name);
}

/* The argument of an option, the next word. */
static const char *option_value(int argc, char **argv, int *i)
{
  if (*i + 1 < argc) return argv[++*i];
  tool_error(TOOL_USAGE, "%s needs an argument", argv[*i]);
  return NULL;
}

static int take_word(eval_job *job, int argc, char **argv, int *i, int *options)
{
  const char *word = argv[*i];
  if (*options && strcmp(word, "--") == 0) {
    *options = 0;
  } else if (*options && strcmp(word, "--time") == 0) {
    job->time = 1;
  } else if (*options && strcmp(word, "-d") == 0) {
    if ((job->device = option_value(argc, argv, i)) == NULL) return TOOL_USAGE;
  } else if (*options && strcmp(word, "-f") == 0) {
    if ((job->script = option_value(argc, argv, i)) == NULL) return TOOL_USAGE;
  } else if (*options && strcmp(word, "-o") == 0) {
    if (option_value(argc, argv, i) == NULL) return TOOL_USAGE; /* see take_outputs */
  } else if (job->text == NULL) {
    if (*options && strncmp(word, "--", 2) == 0 && strpbrk(word, " (") == NULL)
      return tool_error(TOOL_USAGE, "there is no option %s; -- EXPR for an expression", word);
    job->text = word;
  } else if (*options && *word == '-') {
    return tool_error(TOOL_USAGE, "there is no option %s", word);
  } else {
    return take_value(job, word);
  }
  return TOOL_DONE;
}

static int take_outputs(eval_job *job, int argc, char **argv)
{
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    int output = strcmp(argv[i], "-o") == 0;
    if (!output && strcmp(argv[i], "-d") != 0 && strcmp(argv[i], "-f") != 0) continue;
    const char *value = option_value(argc, argv, &i);
    int status = output ? take_output(job, value) : TOOL_DONE;
    if (status != TOOL_DONE) return status;
  }
  return TOOL_DONE;
}

int eval_parse(eval_job *job, int argc, char **argv)
{
  int options = 1, status = TOOL_DONE;
  job->values = calloc((size_t)argc + 1, sizeof *job->values);
  job->outputs = calloc((size_t)argc + 1, sizeof *job->outputs);
  if (job->values == NULL || job->outputs == NULL) return tool_error(TOOL_FAILED, "out of memory");
  for (int i = 1; i < argc && status == TOOL_DONE; i++)
    status = take_word(job, argc, argv, &i, &options);
  if (status == TOOL_DONE) status = take_outputs(job, argc, argv);
  if (status != TOOL_DONE) return status;
  if (job->script != NULL && (job->text != NULL || job->nvalue > 0 || job->noutput > 0))
    return tool_error(TOOL_USAGE, "-f takes its expressions and files from the script");
  if (job->script == NULL && job->text == NULL)
    return tool_error(TOOL_USAGE, "no expression; gpuarray --help shows the usage");
  return TOOL_DONE;
}

void eval_clear(eval_job *job)
{
  for (unsigned int i = 0; i < job->nvalue; i++) tool_value_clear(&job->values[i]);
  free(job->values);
  free(job->outputs);
  memset(job, 0, sizeof *job);
}

/* ---- running it ------------------------------------------------------------------ */

static int load_values(eval_job *job, gpucontext *ctx)
{
  for (unsigned int i = 0; i < job->nvalue; i++) {
    tool_value *v = &job->values[i];
    if (v->path == NULL) continue;
    if (job->time) tool_progress("%s: loading %s", tool_where, v->path);
    int err = GpuArray_load(&v->array, ctx, v->path);
    if (err == GA_MEMORY_ERROR || err == GA_IMPL_ERROR) return tool_library_error(TOOL_FAILED);
    if (err != GA_NO_ERROR) return tool_library_error(TOOL_USAGE);
  }
  return TOOL_DONE;
}

static int save(const char *path, const GpuArray *a)
{
  int err = GpuArray_save(path, a);
  if (err == GA_NO_ERROR) return TOOL_DONE;
  return tool_library_error(err == GA_SYS_ERROR ? TOOL_USAGE : TOOL_FAILED);
}

/* The value goes to its file; without any -o it is printed. */
static int give_results(const eval_job *job, const GpuArray *result)
{
  for (unsigned int i = 0; i < job->noutput; i++) {
    const eval_output *out = &job->outputs[i];
    const GpuArray *a = out->value ? &out->value->array : result;
    if (a->data == NULL)
      return tool_error(TOOL_FAILED, "-o %s: the text does not assign '%s'", out->path,
                        out->value->name);
    int status = save(out->path, a);
    if (status != TOOL_DONE) return status;
  }
  if (job->noutput == 0 && GpuArray_print(stdout, result) != GA_NO_ERROR)
    return tool_library_error(TOOL_FAILED);
  return TOOL_DONE;
}

/* Does the text have a value, and a place for it? */
static int check_value(const eval_job *job, int has_value)
{
  if (has_value) return TOOL_DONE;
  for (unsigned int i = 0; i < job->noutput; i++)
    if (job->outputs[i].value == NULL)
      return tool_error(TOOL_FAILED, "-o %s: the text has no value, it only assigns",
                        job->outputs[i].path);
  if (job->noutput == 0)
    return tool_error(TOOL_FAILED, "the text has no value, it only assigns; -o NAME=OUT.npy saves "
                                   "what it assigns");
  return TOOL_DONE;
}

static int evaluate(eval_job *job, gpucontext *ctx, GpuExpr *e, const gpuarg *args, double load)
{
  GpuArray result = {0};
  gpuexpr_info info = {.size = sizeof info};
  int status = TOOL_DONE;
  if (job->time) tool_progress("%s: first call", tool_where);
  double start = eval_clock();
  if (GpuExpr_query(e, &info, NULL, job->nvalue, args) != GA_NO_ERROR)
    return tool_library_error(TOOL_FAILED);
  int has_value = info.typecode >= 0;
  status = check_value(job, has_value);
  if (status != TOOL_DONE) return status;
  if (GpuExpr_call(e, has_value ? &result : NULL, job->nvalue, args) != GA_NO_ERROR ||
      gpucontext_sync(ctx) != GA_NO_ERROR)
    status = tool_library_error(TOOL_FAILED);
  double first = eval_clock() - start;
  tool_progress_end();
  if (status == TOOL_DONE) status = give_results(job, &result);
  GpuArray_clear(&result);
  if (status == TOOL_DONE && job->time) eval_report(job, ctx, e, has_value, load, first);
  return status;
}

int eval_run(eval_job *job)
{
  GpuExpr *e = NULL;
  gpucontext *ctx = tool_context(job->device);
  if (ctx == NULL) return TOOL_FAILED;
  double start = eval_clock();
  int status = load_values(job, ctx);
  if (status != TOOL_DONE) return status;
  double load = eval_clock() - start;
  gpuarg *args = calloc(job->nvalue + 1u, sizeof *args);
  if (args == NULL) return tool_error(TOOL_FAILED, "out of memory");
  for (unsigned int i = 0; i < job->nvalue; i++) args[i] = job->values[i].arg;
  if (GpuExpr_new(&e, ctx, job->text, job->nvalue, args) != GA_NO_ERROR)
    status = tool_library_error(TOOL_FAILED);
  else
    status = evaluate(job, ctx, e, args, load);
  GpuExpr_free(e);
  free(args);
  return status;
}

int cmd_eval(int argc, char **argv)
{
  eval_job job = {0};
  int status = eval_parse(&job, argc, argv);
  if (status == TOOL_DONE) status = job.script ? eval_script(&job) : eval_run(&job);
  eval_clear(&job);
  return status;
}
