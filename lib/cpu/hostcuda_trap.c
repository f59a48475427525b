/* SPDX-License-Identifier: MIT */
/* What the processor refuses while a kernel runs, and so a signal tells: an access
 * of memory that is not there, a stack that is used up (its lower end may not be
 * touched, see hostcuda_stacks.c), INT_MIN / -1, an instruction that ends all. The
 * handler lets the thread go on elsewhere: at the top of the stack on which it
 * faulted, whose frames nobody needs any more, in landed(), which reports the
 * error and leaves the block.
 *
 *   stack of the thread          the alternate stack
 *   kernel  <- fault             on_signal(): is it a kernel's? then
 *   landed(): report, abandon  <-  pc = landed, sp = top of the thread's stack
 *
 * Only code that holds no lock may be left so: the kernel's, this library's, that
 * of the C library's maths and of memcpy and its like. Any other fault, and any in
 * a thread that runs no kernel, goes to the handler that was there before. */
#define _GNU_SOURCE
#include "hostcuda_trap.h"

#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "hostcuda_check.h"
#include "hostcuda_shadow.h"
#include "lib/util/fpmode.h"
#include "lib/util/pool.h"

#if (defined(__x86_64__) && !defined(__ILP32__)) || defined(__aarch64__)

/* ---- a signal's registers ---------------------------------------------------------- */

#if defined(__x86_64__)
static uintptr_t pc_of(const ucontext_t *u) { return (uintptr_t)u->uc_mcontext.gregs[REG_RIP]; }
static uintptr_t sp_of(const ucontext_t *u) { return (uintptr_t)u->uc_mcontext.gregs[REG_RSP]; }
static int writes(const ucontext_t *u) { return (u->uc_mcontext.gregs[REG_ERR] & 2) != 0; }
/* As if `to` had been called. */
static void go_on(ucontext_t *u, uintptr_t top, void (*to)(void))
{
  enum { DIRECTION = 1 << 10 };
  u->uc_mcontext.gregs[REG_RSP] = (greg_t)((top & ~(uintptr_t)15) - 8);
  u->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)to;
  u->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)DIRECTION;
}
#else
static uintptr_t pc_of(const ucontext_t *u) { return u->uc_mcontext.pc; }
static uintptr_t sp_of(const ucontext_t *u) { return u->uc_mcontext.sp; }
/* The record of the fault's cause says; an emulator may have none. */
static int writes(const ucontext_t *u)
{
  enum { WRITE = 1 << 6 };
  const struct _aarch64_ctx *r = (const void *)u->uc_mcontext.__reserved;
  for (; r->magic != 0 && r->size != 0; r = (const void *)((const char *)r + r->size))
    if (r->magic == ESR_MAGIC) return (((const struct esr_context *)r)->esr & WRITE) != 0;
  return -1;
}
static void go_on(ucontext_t *u, uintptr_t top, void (*to)(void))
{
  u->uc_mcontext.sp = top & ~(uintptr_t)15;
  u->uc_mcontext.regs[29] = u->uc_mcontext.regs[30] = 0;
  u->uc_mcontext.pc = (uintptr_t)to;
}
#endif

/* ---- the error ------------------------------------------------------------------------ */

static const int signals[] = GA_FAULTS;
enum { NSIGNAL = sizeof signals / sizeof *signals, ENTRY = 512 };

/* Is the address one that no thread's stack may grow to? */
static int in_guard(const ga_hc_team *t, uintptr_t at)
{
  uintptr_t low = (uintptr_t)t->stacks;
  return at >= low - t->stack && at < low + t->nstack * t->stack &&
         (at & (t->stack - 1)) < GA_HC_GUARD(t->stack);
}

static void describe(char *text, size_t size, const ga_hc_team *t)
{
  const uintptr_t at = t->trap.at;
  if (t->trap.overflow)
    snprintf(text, size, "local memory is used up: a thread has %lu KiB", GA_HC_LOCAL / 1024);
  else if (t->trap.signal == SIGFPE)
    snprintf(text, size, "a quotient of integers that does not fit");
  else if (t->trap.signal == SIGILL || t->trap.signal == SIGTRAP)
    snprintf(text, size, "__builtin_trap(), or an instruction that the processor has not");
  else if (!t->trap.addressed)
    snprintf(text, size, "a misaligned access, or one of an address that there cannot be");
  else
    snprintf(text, size, "%s memory that is not there, at address 0x%zx%s",
             t->trap.writes < 0 ? "accesses"
             : t->trap.writes   ? "writes"
                                : "reads",
             (size_t)at, at < 4096 ? " (a NULL pointer)" : "");
}

/* The thread that faulted; GA_HC_NOBODY where the loop over threads does not say. The
 * frames of such a loop are made for the first. */
static unsigned int who(const ga_hc_team *t, const ga_hc_thread *self)
{
  const ga_hc_kernel *k = t->run->f->k;
  if (k->block == NULL) return t->current;
  if (self->index == GA_HC_NOBODY && t->trap.overflow && t->trap.pc - (uintptr_t)k->block < ENTRY)
    return 0;
  return self->index;
}

static GA_HC_PLAIN _Noreturn void landed(void)
{
  ga_hc_team *t = ga_hc_current_team;
  const ga_hc_thread *self = ga_hc_self(t);
  char what[256], where[160] = "";
  (void)ga_fpmode_enter();
  describe(what, sizeof what, t);
  if (t->checked) {
    if (t->shadow != NULL) t->shadow->pending.there = 0;
    ga_hc_check_line(where, sizeof where, t, t->trap.pc + 1);
  } else if (t->trap.signal != SIGFPE && !t->trap.overflow) {
    snprintf(what + strlen(what), sizeof what - strlen(what), " (GPUARRAY_CHECK=1 tells the line)");
  }
  ga_hc_report(t, who(t, self), where, what);
  ga_hc_abandon(t);
}

/* ---- the handler ------------------------------------------------------------------------ */

typedef struct range {
  uintptr_t low, high;
} range;

static struct sigaction before[NSIGNAL];
static range maths, own; /* code of these objects */

static int within(range r, uintptr_t at) { return at >= r.low && at < r.high; }

/* Is it code that may be left where it stands? */
static int may_leave(const ga_hc_team *t, uintptr_t pc)
{
  enum { NEAR = 2048 }; /* these are small and lie together */
  const ga_module *m = t->run->f->m;
  return within((range){m->low, m->high}, pc) || within(maths, pc) || within(own, pc) ||
         pc - (uintptr_t)&memcpy < NEAR || pc - (uintptr_t)&memmove < NEAR ||
         pc - (uintptr_t)&memset < NEAR;
}

static GA_HC_PLAIN void pass_on(int sig, siginfo_t *info, void *context)
{
  unsigned int i = 0;
  while (signals[i] != sig) i++;
  const struct sigaction *old = &before[i];
  if (old->sa_flags & SA_SIGINFO) {
    old->sa_sigaction(sig, info, context);
  } else if (old->sa_handler == SIG_IGN && info->si_code <= 0) {
    return;
  } else if (old->sa_handler == SIG_DFL || old->sa_handler == SIG_IGN) {
    sigaction(sig, old, NULL); /* a fault comes again; what was sent is sent again */
    if (info->si_code <= 0) raise(sig);
  } else {
    old->sa_handler(sig);
  }
}

static GA_HC_PLAIN void on_signal(int sig, siginfo_t *info, void *context)
{
  ga_hc_team *t = ga_hc_current_team;
  ucontext_t *u = context;
  if (t != NULL && info->si_code > 0) {
    const uintptr_t sp = sp_of(u), low = (uintptr_t)t->stacks;
    if (sp >= low && sp < low + t->nstack * t->stack && may_leave(t, pc_of(u))) {
      t->trap.signal = sig;
      t->trap.at = (uintptr_t)info->si_addr;
      t->trap.pc = pc_of(u);
      t->trap.writes = writes(u);
      t->trap.addressed = sig == SIGSEGV && info->si_code != SI_KERNEL;
      t->trap.overflow = t->trap.addressed && in_guard(t, t->trap.at);
      go_on(u, (uintptr_t)ga_hc_thread_at(sp & ~(t->stack - 1), t->stack), landed);
      return;
    }
  }
  pass_on(sig, info, context);
}

/* ---- setting it --------------------------------------------------------------------------- */

/* The object that holds the address r->low: its range. */
static int find_object(struct dl_phdr_info *info, size_t size, void *arg)
{
  range *r = arg;
  uintptr_t low = UINTPTR_MAX, high = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t at = info->dlpi_addr + p->p_vaddr;
    if (p->p_type != PT_LOAD) continue;
    if (at < low) low = at;
    if (at + p->p_memsz > high) high = at + p->p_memsz;
  }
  if (r->low < low || r->low >= high) return 0;
  *r = (range){low, high};
  return 1;
}

static range object_of(uintptr_t at)
{
  range r = {at, at};
  return dl_iterate_phdr(find_object, &r) ? r : (range){0, 0};
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t alternate;

/* A thread that ends gives its alternate stack back. */
enum { ALTERNATE = 64 * 1024 };
static void drop_alternate(void *p)
{
  stack_t now;
  if (sigaltstack(NULL, &now) == 0 && now.ss_sp == p)
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
  munmap(p, ALTERNATE);
}

static int set;

static void set_handlers(void)
{
  const char *s = getenv("GPUARRAY_SIGNALS");
  struct sigaction a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  double (*volatile some)(double) = erfc;
  if ((s != NULL && strcmp(s, "0") == 0) || pthread_key_create(&alternate, drop_alternate) != 0)
    return;
  ga_pool_stay_loaded();
  maths = object_of((uintptr_t)some);
  own = object_of((uintptr_t)&on_signal);
  sigemptyset(&a.sa_mask);
  for (int i = 0; i < NSIGNAL; i++) sigaction(signals[i], &a, &before[i]);
  set = 1;
}

void ga_hc_trap_ready(void)
{
  static _Thread_local int ready;
  stack_t now;
  if (__builtin_expect(ready, 1)) return;
  ready = 1;
  pthread_once(&once, set_handlers);
  if (!set || sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
  void *p = mmap(NULL, ALTERNATE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return;
  if (sigaltstack(&(stack_t){.ss_sp = p, .ss_size = ALTERNATE}, NULL) != 0 ||
      pthread_setspecific(alternate, p) != 0)
    drop_alternate(p);
}

#else
void ga_hc_trap_ready(void) {}
#endif
