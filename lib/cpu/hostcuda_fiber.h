/* SPDX-License-Identifier: MIT */
/* Switching between stacks, without a system call: what the threads of a block
 * are made of.
 *
 * A switch saves what the calling convention makes a function keep, and nothing
 * else: the compiler is told that everything else is lost, so it keeps only what
 * it needs. It jumps rather than returns: a return would be predicted to go to
 * the caller of the stack that was left. Threads that meet at one barrier all
 * resume at one place, which the branch predictor learns.
 *
 *   ga_fiber home, f;
 *   ga_fiber_init(&f, stack + size, body);
 *   ga_fiber_switch(&home, &f);   runs body(), until it switches to home
 *
 * body() may not return. A function that switches, and means to come back, must
 * call some other function too: one that calls none may keep values below its
 * stack pointer. Other processors use the C library's contexts, whose
 * switch is a system call; GA_FIBER_CONTEXTS asks for them anywhere. */
#ifndef GA_CPU_HOSTCUDA_FIBER_H
#define GA_CPU_HOSTCUDA_FIBER_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && !defined(__ILP32__) && !defined(GA_FIBER_CONTEXTS)

typedef struct ga_fiber {
  void *sp;
} ga_fiber;

/* `top` is the stack's end, a multiple of 16. */
static inline void ga_fiber_init(ga_fiber *f, void *top, void (*body)(void))
{
  void **sp = (void **)top - 4;
  sp[0] = (void *)(uintptr_t)body;
  sp[1] = NULL; /* where body() would return to */
  f->sp = sp;
}

static inline __attribute__((always_inline)) void ga_fiber_switch(ga_fiber *from, ga_fiber *to)
{
  void **save = &from->sp;
  void *next = to->sp;
  __asm__ volatile("pushq %%rbp\n\t"
                   "leaq 1f(%%rip), %%rax\n\t"
                   "pushq %%rax\n\t"
                   "movq %%rsp, (%0)\n\t"
                   "movq %1, %%rsp\n\t"
                   "popq %%rax\n\t"
                   "jmp *%%rax\n"
                   "1:\n\t"
                   "popq %%rbp"
                   : "+D"(save), "+S"(next)
                   :
                   : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
                     "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                     "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
}

#elif defined(__aarch64__) && !defined(GA_FIBER_CONTEXTS)

typedef struct ga_fiber {
  void *sp;
} ga_fiber;

#ifdef __ARM_FEATURE_SVE
#define GA_FIBER_PREDICATES                                                                        \
  , "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", \
      "p15"
#else
#define GA_FIBER_PREDICATES
#endif

/* Where pages are guarded (-mbranch-protection) a jump by x16 may land where a function begins,
 * and a "bti j" is where others may; other processors take it for nothing. */
static inline void ga_fiber_init(ga_fiber *f, void *top, void (*body)(void))
{
  void **sp = (void **)top - 4;
  sp[0] = NULL; /* frame pointer */
  sp[1] = NULL; /* where body() would return to */
  sp[2] = (void *)(uintptr_t)body;
  f->sp = sp;
}

static inline __attribute__((always_inline)) void ga_fiber_switch(ga_fiber *from, ga_fiber *to)
{
  register void **save __asm__("x0") = &from->sp;
  register void *next __asm__("x1") = to->sp;
  __asm__ volatile("adr x9, 1f\n\t"
                   "stp x29, x30, [sp, #-32]!\n\t"
                   "str x9, [sp, #16]\n\t"
                   "mov x10, sp\n\t"
                   "str x10, [x0]\n\t"
                   "mov sp, x1\n\t"
                   "ldr x16, [sp, #16]\n\t"
                   "ldp x29, x30, [sp], #32\n\t"
                   "br x16\n"
                   "1:\n\t"
                   "hint #36" /* bti j */
                   : "+r"(save), "+r"(next)
                   :
                   : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
                     "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24",
                     "x25", "x26", "x27", "x28", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6",
                     "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17",
                     "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28",
                     "v29", "v30", "v31", "cc", "memory" GA_FIBER_PREDICATES);
}

#else
#include <ucontext.h>

typedef struct ga_fiber {
  ucontext_t context;
} ga_fiber;

static inline void ga_fiber_init(ga_fiber *f, void *top, void (*body)(void))
{
  enum { SIZE = 64 * 1024 };
  getcontext(&f->context);
  f->context.uc_stack.ss_sp = (char *)top - SIZE;
  f->context.uc_stack.ss_size = SIZE;
  f->context.uc_link = NULL;
  makecontext(&f->context, body, 0);
}

static inline void ga_fiber_switch(ga_fiber *from, ga_fiber *to)
{
  swapcontext(&from->context, &to->context);
}

#endif
#endif
