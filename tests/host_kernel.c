/* SPDX-License-Identifier: MIT */
/* tests/host_kernel.h. The text goes the way of any CUDA C on the CPU device:
 * the very text that NVRTC gets, through the kernel cache. */
#include "tests/host_kernel.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gpuarray/buffer.h"
#include "lib/cpu/hostcuda.h"
#include "tests/common.h"

/* A GPU faults where the address of a vector is no multiple of its size, and so do kernels here,
 * whichever compiler the tests are told to use. */
static void trap_misaligned(void)
{
  const char *asked = getenv("GPUARRAY_CXX"), *cxx = getenv("CXX");
  char line[1024];
  if (asked == NULL) asked = cxx != NULL ? cxx : "c++";
  if (strstr(asked, "alignment") != NULL) return;
  snprintf(line, sizeof line, "%s -fsanitize=alignment -fsanitize-undefined-trap-on-error", asked);
  setenv("GPUARRAY_CXX", line, 1);
}

int host_kernel_available(void)
{
  trap_misaligned();
  return ga_cpu_backend.compiler_id(NULL, 1) != NULL;
}

/* One for the process; a forked test makes its own. */
static gpucontext *context(void)
{
  static gpucontext *ctx;
  if (ctx == NULL) OK(gpucontext_init(&ctx, "cpu", NULL));
  return ctx;
}

static ga_func *build(const ga_text *t, size_t nargs)
{
  ga_source src = {.text = ga_str_text(&t->main),
                   .nheader = t->nheader,
                   .header_names = (const char *const *)t->names,
                   .header_bodies = (const char *const *)t->bodies};
  ga_module *m;
  ga_func *f;
  ga_func_info info;
  int err = ga_cache_module(&m, context(), &src, NULL);
  ck_assert_msg(err == GA_NO_ERROR, "%s\n%s", gpuarray_error_message(), ga_str_text(&t->generated));
  OK(ga_cpu_backend.module_func(&f, m, t->entry));
  OK(ga_cpu_backend.func_info(&info, f));
  ck_assert_msg(info.args_size == nargs,
                "the kernel's parameters take %zu bytes, packed are %zu\n%s", info.args_size, nargs,
                ga_str_text(&t->generated));
  return f;
}

/* Fills in what only the call knows. */
static void fill(ga_launch *launch, const ga_stage *st, char *const *first, const ga_value *numbers,
                 void *scratch, void *tickets)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    memcpy(launch->args + launch->operand_at[i], &first[i], sizeof first[i]);
  for (unsigned int i = 0; i < st->nparam; i++)
    memcpy(launch->args + launch->param_at[i], &numbers[i], ga_dtypes[st->params[i].dtype].size);
  if (launch->scratch_at != (size_t)-1)
    memcpy(launch->args + launch->scratch_at, &scratch, sizeof scratch);
  if (launch->ticket_at != (size_t)-1)
    memcpy(launch->args + launch->ticket_at, &tickets, sizeof tickets);
}

void host_kernel_run(const ga_stage *st, char *const *base, const ga_value *numbers,
                     const ga_target *target, int reverse, enum ga_class *cls)
{
  ga_layout l;
  ga_text t;
  ga_launch launch;
  unsigned char align[HOST_OPERANDS];
  char *first[HOST_OPERANDS];
  ck_assert_uint_le(st->noperand, HOST_OPERANDS);
  OK(ga_layout_make(&l, st));
  if (cls != NULL) *cls = l.cls;
  for (unsigned int i = 0; i < st->noperand; i++) {
    first[i] = base[i] + st->operands[i].offset + l.offset[i];
    align[i] = (unsigned char)((uintptr_t)first[i] % 16);
  }
  OK(ga_gen_text(&t, st, &l, align, target));
  OK(ga_gen_launch(&launch, st, &l, align, target));
  void *scratch = NULL;
  uint32_t *tickets = calloc(launch.ntickets + 1, sizeof *tickets);
  ck_assert_int_eq(posix_memalign(&scratch, 64, launch.scratch + 64), 0);
  fill(&launch, st, first, numbers, scratch, tickets);
  ga_func *f = build(&t, launch.nargs);
  ga_hc_reverse = reverse;
  if (launch.grid[0] * launch.grid[1] * launch.grid[2] != 0) /* else there are no elements */
    OK(ga_cpu_backend.launch(f, launch.grid, launch.block, launch.shared, launch.args,
                             launch.nargs));
  ga_hc_reverse = 0;
  for (size_t i = 0; i < launch.ntickets; i++)
    ck_assert_msg(tickets[i] == 0, "ticket %zu is left at %u", i, tickets[i]);
  free(tickets);
  free(scratch);
  ga_launch_clear(&launch);
  ga_text_clear(&t);
  ga_layout_clear(&l);
}
