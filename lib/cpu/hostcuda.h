/* SPDX-License-Identifier: MIT */
/* CUDA C on the CPU, inside. From a kernel's text to its run, by file:
 *
 *   hostcuda_cxx.c       which C++ compiler there is
 *   hostcuda_spawn.c     runs it: no shell, bounded time and output
 *   hostcuda_files.c     the private folder it works in
 *   hostcuda_compile.c   preprocess, rewrite, compile: text to a shared object
 *   hostcuda_options.c   what the caller's options ask of the compiler
 *   hostcuda_log.c       what the compiler says, told as of the user's text
 *   hostcuda_lex.c       preprocessed text to tokens
 *   hostcuda_decl.c      tokens to kernels, functions, globals
 *   hostcuda_rewrite.c   CUDA's words to C++ ones, and the module's table
 *   hostcuda_ptx.c       an asm of PTX to C++: its operands and registers
 *   hostcuda_ptx_words.c its instructions' types and operands
 *   hostcuda_ptx_code.c  its instructions
 *   hostcuda_module.c    a shared object's bytes to a module, its kernels, globals
 *   hostcuda_launch.c    blocks spread over the cores
 *   hostcuda_team.c      one block: its threads as fibers, barriers
 *   hostcuda_stacks.c    teams and their stacks between launches
 *   hostcuda_frames.c    how large the stacks have to be
 *   hostcuda_shared.c    how much static shared memory there is
 *   hostcuda_trap.c      what the processor refuses: an error of the launch
 *   hostcuda_looks.c     which names look at what other threads change
 *   hostcuda_loops.c     which loops let other threads run
 *   hostcuda_watch.c     loops that wait for ever
 *   hostcuda_warp.c      operations over the lanes of a warp
 *   hostcuda_math.c      the interpreter's maths, for generated kernels
 *   hostcuda_check.c     GPUARRAY_CHECK: every access looked at
 *   hostcuda_shadow.c    what it knows of shared memory
 *   hostcuda_lines.c     addresses to source lines
 *   hostcuda_track.c     the live buffers
 *   hostcuda/            the header that kernels are compiled with
 */
#ifndef GA_CPU_HOSTCUDA_H
#define GA_CPU_HOSTCUDA_H

#include <pthread.h>
#include <stdatomic.h>

#include "hostcuda/hostcuda_abi.h"
#include "hostcuda_shared.h"
#include "lib/backend.h"

/* ---- members of the backend ---------------------------------------------- */

int ga_hc_compile(void **bin, size_t *size, char **log, gpucontext *ctx, const ga_source *src);
int ga_hc_module_new(ga_module **m, gpucontext *ctx, const void *bin, size_t size);
void ga_hc_module_free(ga_module *m);
int ga_hc_module_func(ga_func **f, ga_module *m, const char *name);
int ga_hc_module_global(void **ptr, size_t *size, ga_module *m, const char *name);
int ga_hc_func_info(ga_func_info *info, ga_func *f);
int ga_hc_launch(ga_func *f, const size_t grid[3], const size_t block[3], size_t shared,
                 const void *args, size_t nargs);
const char *ga_hc_compiler_id(gpucontext *ctx, int load);
const char *ga_hc_compiler_path(gpucontext *ctx);
void ga_hc_compiler_hint(gpucontext *ctx, ga_str *s);

/* ---- modules -------------------------------------------------------------- */

struct ga_hc_lines;

struct ga_module {
  void *dl;
  const ga_hc_module *table;
  struct ga_func *funcs;
  unsigned int nfunc;
  struct ga_hc_lines *lines; /* of a checked module; may be NULL */
  ga_hc_guards guards;       /* likewise */
  uintptr_t low, high;       /* the object's memory: code, constants, globals */
  uintptr_t base;            /* what its addresses are relative to */
};

struct ga_func {
  ga_module *m;
  const ga_hc_kernel *k;
  size_t shared; /* bytes of static arrays */
};

/* "file:line" of a place, into `text`. */
void ga_hc_place_text(char *text, size_t size, const ga_hc_module *table, unsigned int place);

/* ---- a launch ------------------------------------------------------------- */

enum { GA_HC_MAX_THREADS = 1024, GA_HC_MESSAGE = 768, GA_HC_HELPERS = 1024 };

/* Do all of a launch's teams wait? (hostcuda_watch.c) */
typedef struct ga_hc_all_wait {
  pthread_mutex_t lock;
  unsigned int round, found; /* found: teams that were stalled in this round */
  double since;              /* seconds: all have waited since then; 0: not all */
  int how;                   /* of all loops that they wait in: enum ga_hc_spin */
} ga_hc_all_wait;

/* What the workers of one launch share. */
typedef struct ga_hc_run {
  const ga_func *f;
  ga_hc_dim grid, block;
  size_t nblock, chunk; /* blocks, and blocks a piece */
  unsigned int nthread; /* of a block */
  size_t shared;
  const void *args;
  int reverse;
  atomic_size_t next; /* the first block that nobody has begun */
  atomic_uint teams;  /* at work */
  ga_hc_all_wait wait;
  atomic_uint nhelper; /* threads beside the pool's */
  int full;            /* the system gives no more */
  pthread_t helper[GA_HC_HELPERS];
  atomic_ullong grid_arrived; /* blocks, at barriers of the whole grid so far */
  atomic_int failed;          /* 0, 1: being told, 2: code and message are there */
  int code;
  char message[GA_HC_MESSAGE];
} ga_hc_run;

/* Are there blocks that nobody has begun, and threads for them? */
int ga_hc_launch_left(const ga_hc_run *run);
/* Begins one, in a thread of its own; 0: it could not. */
int ga_hc_launch_more(ga_hc_run *run);

/* For tests: not 0 runs the blocks of a launch in falling order. */
extern int ga_hc_reverse;

extern const ga_hc_rt ga_hc_runtime;
extern const ga_hc_math ga_hc_math_table;
extern const size_t ga_hc_math_size;

#endif
