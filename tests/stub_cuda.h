/* SPDX-License-Identifier: MIT */
/* The controls of the stub driver (stub_cuda.c): what it has seen, and what it
 * is to do. A test finds the one object of the library that it loaded itself
 * with dlsym(handle, "stub"). */
#ifndef TESTS_STUB_CUDA_H
#define TESTS_STUB_CUDA_H

#include <stddef.h>

typedef struct stub_state {
  /* to be set by a test */
  int ndev;               /* 1 */
  int cc;                 /* 90 */
  int version;            /* 13000 */
  int pools;              /* device attribute; 1 */
  int params;             /* cuFuncGetParamInfo knows this many pointers, below 0 none; 0 */
  size_t total;           /* bytes of device memory; 1 GiB */
  int init_result;        /* of cuInit */
  int attribute_result;   /* of cuDeviceGetAttribute */
  int fault;              /* not 0: what every call on the context returns */
  int overlap;            /* kernels wait for those ahead of them: modules have the mark */
  int launch_result;      /* of the next cuLaunchKernel */
  int module_result;      /* of the next cuModuleLoadData */
  int pinned;             /* all host memory is pinned */
  int host_most;          /* blocks of pinned memory that can be had; below 0: any number */
  int lazy;               /* copies are done when they are waited for */
  int copy_fails;         /* the number of a copy that does */
  int graph_result;       /* of a call that makes, changes or launches a graph: ... */
  int graph_result_after; /* ... this many of them succeed before */
  void *foreign;          /* a CUDA context of device 0 that nobody has made */
  /* what was seen */
  int retained; /* primary contexts, less released ones */
  int streams;  /* made, less destroyed */
  int modules;  /* loaded, less unloaded */
  int npools;
  int pushes, pops, bad_pops;
  int wrong_context; /* calls without the context that owns the thing */
  int depth;         /* of the calling thread's stack, below the current */
  size_t used;       /* bytes allocated, pool and plain */
  size_t reserved;   /* held by pools, used or not */
  int blocks;        /* allocations that live */
  int allocs, frees; /* calls that succeeded */
  int trims, syncs, launches, overlaps, bad_frees, copies;
  int waits;          /* of a stream for an event */
  int peers, granted; /* contexts and pools opened to another device */
  int host_blocks;    /* of pinned memory, that live */
  int events;         /* made, less destroyed */
  int ipc;            /* handles opened, less closed */
  int early;          /* launches that may start before the one ahead has ended */
  int graphs, execs;  /* made, less destroyed */
  int early_edges;    /* nodes that may */
  int graph_launches, node_sets;
  int capturing;       /* a stream is */
  int opted;           /* largest dynamic shared memory opted into */
  void *launch_stream; /* of the last launch */
  int strays;          /* copies and fills on other streams than that */
  unsigned int grid[3], block[3], shared;
  size_t nargs;
  unsigned char args[4096];
} stub_state;

extern stub_state stub; /* within the stub */

#endif
