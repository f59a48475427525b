/* SPDX-License-Identifier: MIT */
/* What a kernel compiled for the CPU and the library that runs it know of each
 * other. The library includes it as C; it is also embedded, and the first thing
 * in every kernel's translation unit (C++), so it includes nothing.
 *
 * A kernel's shared object exports one symbol, ga_hc_module_table: its kernels,
 * its globals, and where to put the address of the library's functions.
 *
 * Every thread of a kernel runs on a stack that lies on a multiple of its size, with
 * its ga_hc_thread near the highest address. So any function finds the thread it
 * runs in from its own frame's address, without thread-local storage and without a
 * parameter. How near differs from stack to stack (GA_HC_STAGGER): the frames of a
 * block's threads would otherwise all meet in the same few lines of the processor's
 * cache. At its lower end is a guard that may not be touched, of 64 KiB at least: the
 * largest page of processors with 64-bit addresses.
 *
 * Stacks are of two sizes, one for all kernels of a module: GA_HC_DEEP is 1 for one
 * that needs large ones (hostcuda_frames.c), which hold the 512 KiB of local memory
 * that CUDA gives a thread. Large ones for all would cost twice the time at the
 * barriers of 1024 threads, as more tables of pages are walked. */
#ifndef GA_HOSTCUDA_ABI_H
#define GA_HOSTCUDA_ABI_H

#define GA_HC_VERSION     12
#define GA_HC_LOCAL       (512ul * 1024) /* local memory of a thread */
#define GA_HC_STACK_SMALL (256ul * 1024)
#define GA_HC_STACK_LARGE (1024ul * 1024)
#define GA_HC_STACK_LEAST (16ul * 1024) /* one that calls far, and has less left, fails */
#define GA_HC_GUARD(size) ((size) / 4)
#define GA_HC_WARP        32
#define GA_HC_PAD         1024ul

/* A function whose accesses are not looked at in a checked kernel. */
#if defined(__clang__)
#define GA_HC_UNCHECKED __attribute__((disable_sanitizer_instrumentation))
#else
#define GA_HC_UNCHECKED __attribute__((no_sanitize("thread")))
#endif

typedef struct ga_hc_dim {
  unsigned int x, y, z;
} ga_hc_dim;

/* What all threads of a block share, as far as kernels read it. */
typedef struct ga_hc_block {
  ga_hc_dim bid, bdim, gdim;
  void *dynamic; /* dynamic shared memory */
  unsigned long dynamic_size;
} ga_hc_block;

typedef struct ga_hc_thread {
  ga_hc_dim tid;
  unsigned int index; /* of the thread in its block, x fastest */
  unsigned int carry; /* what an asm has left for the next */
  ga_hc_block *block;
} ga_hc_thread;

#define GA_HC_NOBODY 0xffffffffu /* as `index`: it is not told */

/* Bytes between a stack's upper end and its ga_hc_thread, for its lower end. */
#define GA_HC_STAGGER(base, size) ((((base) / (size)*5) & 63) * 64 + sizeof(ga_hc_thread))

/* A place in the source where a thread may wait: each barrier, warp operation and
 * loop has one of its own. They are known by their numbers in the module's list. */
typedef struct ga_hc_place {
  unsigned int file, line; /* file: its number in the module's list */
} ga_hc_place;

enum ga_hc_sync { GA_HC_SYNC, GA_HC_SYNC_COUNT, GA_HC_SYNC_AND, GA_HC_SYNC_OR };

/* Operations over the lanes of a warp; `value` is a lane's own, the result is
 * what the lane gets. */
enum ga_hc_warp {
  GA_HC_WARP_SYNC,
  GA_HC_SHFL, /* arg: lane to read; of one that does not take part 0, as GPUs give */
  GA_HC_BALLOT,
  GA_HC_MATCH_ANY,
  GA_HC_MATCH_ALL, /* 0 or the mask */
  GA_HC_GATHER,    /* the address of all lanes' values, good until the lane waits */
  GA_HC_ADD,       /* 32-bit integers, as __reduce_*_sync */
  GA_HC_MIN,
  GA_HC_MAX,
  GA_HC_UMIN,
  GA_HC_UMAX,
  GA_HC_AND,
  GA_HC_OR,
  GA_HC_XOR,
  GA_HC_ACTIVE /* __activemask: the lanes that wait here together */
};

enum ga_hc_fault {
  GA_HC_ASSERT,
  GA_HC_TRAP,
  GA_HC_DIVISION,
  GA_HC_INDEX,
  GA_HC_ALIGNMENT,
  GA_HC_OVERFLOW,
  GA_HC_ENDED /* `text` says by what */
};

/* What a loop does beside waiting, as far as its text tells; added. */
enum ga_hc_spin {
  GA_HC_SPIN_CALLS = 1, /* it calls a function of the user's to look */
  GA_HC_SPIN_WORKS = 2, /* its body does more than wait */
  GA_HC_SPIN_MEETS = 4, /* it has barriers or operations of warps */
  GA_HC_SPIN_BEGINS = 8 /* not a round: one that only waits begins */
};

/* Where an address lies, for the thread that asks. */
enum ga_hc_space {
  GA_HC_IN_GLOBAL,
  GA_HC_IN_SHARED,
  GA_HC_IN_LOCAL,
  GA_HC_IN_CONSTANT,
  GA_HC_IN_ARGUMENTS /* among the kernel's arguments */
};

/* How an access is checked: its size, and what it is. */
enum ga_hc_access {
  GA_HC_READ,
  GA_HC_WRITE,
  GA_HC_ATOMIC,
  GA_HC_STORE,    /* an atomic one that reads nothing */
  GA_HC_LOOSE = 4 /* added: it need not be aligned */
};

/* The functions of a kernel's maths: those of codegen/kernels/math.cuh, in its
 * order, filled in by lib/cpu/hostcuda_math.c. */
typedef struct ga_hc_math ga_hc_math;

/* The library's functions. */
typedef struct ga_hc_rt {
  int (*sync)(int kind, int predicate, unsigned int place);
  unsigned long long (*warp)(int kind, unsigned int mask, unsigned long long value,
                             unsigned int arg, unsigned int place);
  void (*left)(void);  /* the thread returns before the kernel's end */
  void (*pause)(void); /* lets others run */
  /* Lets others run, every round of a loop that may wait for them; `how`: of ga_hc_spin. */
  void (*spin)(int how, unsigned int place);
  /* Ends the launch with an error; does not return. `text` may be NULL. */
  void (*fault)(int kind, const char *text, const char *file, unsigned int line);
  /* An access of a kernel that is checked; returns where it is allowed. */
  void (*access)(void *p, unsigned long size, int how, void *pc);
  int (*space)(const void *p); /* an enum ga_hc_space */
  /* A round of a loop in one of our headers that only waits, called from there. */
  void (*spin_at)(const char *file, unsigned int line);
  /* The heap, where accesses are checked. */
  void *(*allocate)(unsigned long align, unsigned long size);
  void (*release)(void *p);
  void (*met)(void); /* threads have met by other means than a barrier of the block */
  /* A barrier of the whole grid: 0 arrives, and gives what to ask for until it is not 0. */
  unsigned long long (*grid)(unsigned long long ticket);
  /* Barrier `id` of those that are counted; count 0: all threads. */
  void (*named)(unsigned int id, unsigned int count, int waits, unsigned int place);
  const ga_hc_math *math;
} ga_hc_rt;

typedef struct ga_hc_kernel {
  const char *name; /* as it is asked for: "ns::k", "k<float>" */
  /* Runs one thread, the one whose stack it is on; or all threads of a block,
   * one after the other. The one that a kernel does not have is NULL. */
  void (*thread)(ga_hc_thread *t, const void *args);
  void (*block)(ga_hc_thread *t, const void *args);
  unsigned int nargs;
  unsigned int max_threads;
  const unsigned long *arg_size, *arg_offset;
  unsigned long args_size;
} ga_hc_kernel;

typedef struct ga_hc_global {
  const char *name;
  void *ptr;
  unsigned long size;
  int constant; /* is __constant__ */
} ga_hc_global;

typedef struct ga_hc_module {
  unsigned int version;
  unsigned int check;  /* accesses are checked */
  unsigned long stack; /* bytes of a thread's */
  const ga_hc_rt **rt;
  const ga_hc_kernel *kernels; /* a NULL name ends each list */
  const ga_hc_global *globals;
  const char *const *files;
  const ga_hc_place *places;
  /* Of a checked module: GA_HC_PAD bytes each, between its globals; NULL ends. */
  const void *const *pads;
  void *(*shared)(void); /* some address in the calling thread's static shared memory */
} ga_hc_module;

#endif
