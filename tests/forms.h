/* SPDX-License-Identifier: MIT */
/* Texts of kernels that leave 1 in their first result where all is right. */
#ifndef TESTS_FORMS_H
#define TESTS_FORMS_H

#include <stdlib.h>
#include <string.h>
#include <gpuarray.h>

#include "tests/device.h"

typedef struct form {
  const char *name; /* of the kernel; NULL: k */
  const char *option;
  const char *text;
} form;

/* Runs the kernel on 32 threads; returns what the launch does. out[0] is 1 where all is right. */
static int run(const form *f, int *out)
{
  const char *options[] = {f->option, NULL};
  gpucontext *ctx = NULL;
  GpuModule m = {0};
  GpuKernel k = {0};
  GpuArray a = {0};
  OK(gpucontext_init(&ctx, "cpu", NULL));
  int err = GpuModule_init(&m, ctx, f->text, options);
  if (err == GA_NO_ERROR) err = GpuModule_kernel(&k, &m, f->name != NULL ? f->name : "k");
  ck_assert_msg(err == GA_NO_ERROR, "%s\n%s", f->text, gpuarray_error_message());
  OK(GpuArray_zeros(&a, ctx, GA_INT, 1, (size_t[]){1}, GA_C_ORDER));
  err = GpuKernel_launch(&k, (size_t[3]){1, 1, 1}, (size_t[3]){32, 1, 1}, 256,
                         GA_ARGS(ga_array(NULL, &a)));
  if (err == GA_NO_ERROR) OK(GpuArray_tohost(out, sizeof *out, GA_INT, &a));
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
  return err;
}

static void all_hold(const form *f, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    int out = 0, err = run(&f[i], &out);
    ck_assert_msg(err == GA_NO_ERROR && out == 1, "%s\n%d %s", f[i].text, out,
                  err != GA_NO_ERROR ? gpuarray_error_message() : "");
  }
}
#define ALL_HOLD(forms) all_hold(forms, sizeof(forms) / sizeof *(forms))

#endif
