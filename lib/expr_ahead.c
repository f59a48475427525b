/* SPDX-License-Identifier: MIT */
/* Plans made ahead of their first call, in the background (lib/util/tasks.h). A
 * job is one set of dtypes, shapes, strides and alignments; it has copies of
 * everything it is told, and lives as long as its expression. Jobs are put before
 * each other without a lock, as plans are. */
#include <stdlib.h>
#include <string.h>

#include "lib/expr.h"
#include "lib/util/tasks.h"

struct ga_job {
  ga_task task;
  ga_job *next;
  GpuExpr *e;
  ga_kept_error error;
  ga_call call; /* of the copies behind this struct */
  gpuarg *args;
  GpuArray *arrays, into;
  size_t *axes;
};

/* ---- copies ------------------------------------------------------------------ */

static const GpuArray *array_of(const gpuarg *arg)
{
  return arg->kind == GA_ARG_ARRAY ? arg->v.array : NULL;
}

/* The array without its data; `offset` keeps the address modulo 16. */
static void copy_array(GpuArray *to, const GpuArray *a, size_t **axes)
{
  *to = *a;
  to->offset = a->data == NULL ? a->offset : ((uintptr_t)a->data->ptr + a->offset) % 16;
  to->data = NULL;
  to->dimensions = *axes;
  to->strides = (ssize_t *)(*axes + a->nd);
  for (unsigned int i = 0; i < a->nd; i++) {
    to->dimensions[i] = a->dimensions[i];
    to->strides[i] = a->strides[i];
  }
  *axes += 2 * (size_t)a->nd;
}

static void copy_args(ga_job *job, unsigned int n, const gpuarg *args, const GpuArray *into)
{
  size_t *axes = job->axes;
  for (unsigned int i = 0; i < n; i++) {
    job->args[i] = args[i];
    job->args[i].name = job->e->names[i];
    if (array_of(&args[i]) == NULL) continue;
    copy_array(&job->arrays[i], array_of(&args[i]), &axes);
    job->args[i].v.array = &job->arrays[i];
  }
  if (into != NULL) copy_array(&job->into, into, &axes);
}

static void job_free(ga_job *job)
{
  ga_call_clear(&job->call);
  ga_error_forget(&job->error);
  free(job->args);
  free(job->arrays);
  free(job->axes);
  free(job);
}

static int job_new(ga_job **res, GpuExpr *e, unsigned int n, const gpuarg *args,
                   const GpuArray *into)
{
  ga_job *job = calloc(1, sizeof *job);
  size_t axes = into != NULL ? into->nd : 0;
  int err = GA_NO_ERROR;
  if (job == NULL) return ga_error_memory("expression", sizeof *job);
  job->e = e;
  job->call.key = job->call.few;
  for (unsigned int i = 0; i < n; i++)
    if (array_of(&args[i]) != NULL) axes += array_of(&args[i])->nd;
  job->args = calloc(n + 1u, sizeof *job->args);
  job->arrays = calloc(n + 1u, sizeof *job->arrays);
  job->axes = calloc(2 * axes + 1, sizeof *job->axes);
  if (job->args == NULL || job->arrays == NULL || job->axes == NULL) {
    err = ga_error_memory("expression", (n + 1u) * sizeof *job->arrays);
  } else {
    copy_args(job, n, args, into);
    err = ga_call_init(&job->call, e, n, job->args, into != NULL ? &job->into : NULL, 0,
                       GA_CALL_AHEAD);
  }
  if (err == GA_NO_ERROR)
    *res = job;
  else
    job_free(job);
  return err;
}

/* ---- jobs -------------------------------------------------------------------- */

static void run(void *arg)
{
  ga_job *job = arg;
  ga_error_keep(&job->error, ga_call_make(job->e, &job->call));
}

static ga_job *first_job(const GpuExpr *e)
{
  return atomic_load_explicit(&((GpuExpr *)e)->jobs, memory_order_acquire);
}

static ga_job *find_job(const GpuExpr *e, const ga_call *c)
{
  ga_job *job = first_job(e);
  while (job != NULL && !ga_call_same(&job->call, c)) job = job->next;
  return job;
}

/* Waits for the job; its error is then the calling thread's, unless a call has come
 * by the plan meanwhile. */
static int await(ga_job *job)
{
  ga_task_wait(&job->task);
  return ga_call_planned(job->e, &job->call) ? GA_NO_ERROR : ga_error_retell(&job->error);
}

void ga_jobs_await(GpuExpr *e, const ga_call *c)
{
  ga_job *job = find_job(e, c);
  if (job != NULL) ga_task_wait(&job->task);
}

void ga_jobs_free(GpuExpr *e)
{
  ga_job *job = first_job(e), *next;
  for (; job != NULL; job = next) {
    next = job->next;
    ga_task_cancel(&job->task);
    job_free(job);
  }
}

static int start(GpuExpr *e, unsigned int n, const gpuarg *args, const GpuArray *into)
{
  ga_job *job = NULL;
  GA_TRY(job_new(&job, e, n, args, into));
  job->task.run = run;
  job->task.arg = job;
  job->next = first_job(e);
  /* Started before others see it: whoever finds it may wait for it. */
  if (!ga_task_start(&job->task)) run(job);
  while (!atomic_compare_exchange_weak_explicit(&e->jobs, &job->next, job, memory_order_release,
                                                memory_order_relaxed)) {
  }
  return GA_NO_ERROR;
}

int GpuExpr_compile_async(GpuExpr *e, const GpuArray *into, unsigned int n, const gpuarg *args)
{
  ga_call c;
  ga_job *job;
  int err;
  if (e == NULL) return ga_error(GA_VALUE_ERROR, "expression: the expression is NULL");
  err = ga_call_init(&c, e, n, args, (GpuArray *)into, 0, GA_CALL_AHEAD);
  if (err == GA_NO_ERROR && !ga_call_planned(e, &c)) {
    job = find_job(e, &c);
    if (job == NULL)
      err = start(e, n, args, into);
    else if (ga_task_ready(&job->task))
      err = await(job);
  }
  ga_call_clear(&c);
  return err;
}

int GpuExpr_ready(GpuExpr *e)
{
  if (e == NULL) return 1;
  for (ga_job *job = first_job(e); job != NULL; job = job->next)
    if (!ga_task_ready(&job->task)) return 0;
  return 1;
}

int GpuExpr_wait(GpuExpr *e)
{
  int err = GA_NO_ERROR;
  ga_job *failed = NULL;
  if (e == NULL) return ga_error(GA_VALUE_ERROR, "expression: the expression is NULL");
  for (ga_job *job = first_job(e); job != NULL; job = job->next)
    if (await(job) != GA_NO_ERROR) failed = job;
  if (failed != NULL) err = await(failed); /* the oldest of them */
  return err;
}
