/* SPDX-License-Identifier: MIT */
/* tests/host_kernel.h. A text is compiled once: the shared objects are kept
 * under a directory of this process, by a hash of the text. */
#include "tests/host_kernel.h"

#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/common.h"

#define KEPT 512

typedef void (*run_fn)(const size_t *grid, const size_t *block, const void *args, int barriers,
                       int reverse);

static struct {
  uint64_t hash;
  run_fn run;
} kept[KEPT];
static char dir[256];

static const char *compiler(void) {
  const char *cxx = getenv("CXX");
  return cxx != NULL && *cxx != '\0' ? cxx : "c++";
}

int host_kernel_available(void) {
  char cmd[600];
  snprintf(cmd, sizeof cmd, "%s --version >/dev/null 2>&1", compiler());
  return system(cmd) == 0;
}

static void remove_dir(void) {
  char cmd[300];
  snprintf(cmd, sizeof cmd, "rm -rf '%s'", dir);
  if (system(cmd) != 0) fprintf(stderr, "%s is left behind\n", dir);
}

static void make_dir(void) {
  const char *tmp = getenv("TMPDIR");
  if (dir[0] != '\0') return;
  snprintf(dir, sizeof dir, "%s/ga-host-kernel-XXXXXX", tmp != NULL ? tmp : "/tmp");
  ck_assert_ptr_nonnull(mkdtemp(dir));
  atexit(remove_dir);
}

static void write_file(const char *name, const char *text) {
  char path[400];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fputs(text, f);
  ck_assert_int_eq(fclose(f), 0);
}

static uint64_t hash_text(uint64_t h, const char *s) {
  for (; *s != '\0'; s++) h = (h ^ (unsigned char)*s) * 0x100000001b3u;
  return h;
}

static run_fn build(const ga_text *t, uint64_t hash, size_t nargs) {
  const char *top = getenv("top_srcdir"), *flags = getenv("GA_HOST_KERNEL_CXXFLAGS");
  char cmd[2000], so[400];
  if (top == NULL) top = ".";
  make_dir();
  write_file("main.cu", ga_str_text(&t->main));
  for (unsigned int i = 0; i < t->nheader; i++) write_file(t->names[i], t->bodies[i]);
  snprintf(so, sizeof so, "%s/%016llx.so", dir, (unsigned long long)hash);
  snprintf(cmd, sizeof cmd,
           "%s -std=c++17 -O1 -w -fno-strict-aliasing -ffp-contract=off -fPIC -shared %s -I'%s' "
           "-I'%s' '%s/tests/host_kernel_main.cpp' -o '%s'",
           compiler(), flags != NULL ? flags : "", dir, top, top, so);
  ck_assert_msg(system(cmd) == 0, "%s\n%s\n", cmd, ga_str_text(&t->generated));
  void *lib = dlopen(so, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(lib != NULL, "%s", dlerror());
  size_t (*size)(void) = (size_t(*)(void))dlsym(lib, "params_size");
  ck_assert_msg(size() == nargs, "the kernel's parameters take %zu bytes, packed are %zu\n%s",
                size(), nargs, ga_str_text(&t->generated));
  return (run_fn)dlsym(lib, "run");
}

static run_fn find(const ga_text *t, size_t nargs) {
  uint64_t h = hash_text(14695981039346656037u, ga_str_text(&t->main));
  h = hash_text(h, ga_str_text(&t->generated));
  unsigned int at = 0;
  for (; at < KEPT && kept[at].run != NULL; at++)
    if (kept[at].hash == h) return kept[at].run;
  ck_assert_uint_lt(at, KEPT);
  kept[at].hash = h;
  kept[at].run = build(t, h, nargs);
  return kept[at].run;
}

/* Fills in what only the call knows. */
static void fill(ga_launch *launch, const ga_stage *st, char *const *first,
                 const ga_value *numbers, void *scratch, void *tickets) {
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
                     const ga_target *target, int reverse, enum ga_class *cls) {
  ga_layout l;
  ga_text t;
  ga_launch launch;
  unsigned char align[64];
  char *first[64];
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
  run_fn run = find(&t, launch.nargs);
  run(launch.grid, launch.block, launch.args, st->nreduction != 0 || l.cls == GA_CLASS_TILE,
      reverse);
  for (size_t i = 0; i < launch.ntickets; i++)
    ck_assert_msg(tickets[i] == 0, "ticket %zu is left at %u", i, tickets[i]);
  free(tickets);
  free(scratch);
  ga_launch_clear(&launch);
  ga_text_clear(&t);
  ga_layout_clear(&l);
}
