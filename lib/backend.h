/* SPDX-License-Identifier: MIT */
/* The door between the library and a device. Everything above it (buffers,
 * arrays, expressions, kernels) is written once; lib/cpu and lib/cuda each give
 * one `const ga_backend`. A dtype is an argument, never part of a member's name.
 *
 * A device runs a stage in one of two forms, and lib/plan.c alone asks which:
 * it interprets the typed stage (stage_new, stage_run), or compiles its text
 * (stage_new is NULL; compile, module_new and launch do it).
 *
 * Every member that can fail returns a GA_* code and has recorded a message.
 * Members are called with references held; they may be called from several
 * threads at once. */
#ifndef GA_BACKEND_H
#define GA_BACKEND_H

#include <stdatomic.h>

#include "codegen/codegen.h"
#include "gpuarray/buffer.h"
#include "gpuarray/buffer_blas.h"
#include "gpuarray/buffer_collectives.h"
#include "gpuarray/info.h"

typedef struct ga_backend ga_backend;

/* The part of a context that the library above the door knows. A backend's own
 * context begins with it. */
struct _gpucontext {
  const ga_backend *backend;
  atomic_uint refcnt;
  unsigned int device; /* number among the backend's devices */
  char name[16];       /* "cpu", "cuda0": gpucontext_name() */
  char bin_id[64];     /* architecture kernels are built for: "sm_90" */
  ga_target target;
  _Atomic(struct ga_expr_cache *) exprs;     /* lib/expr_cache.c; made at first use */
  _Atomic(struct ga_kernel_cache *) kernels; /* lib/cache.c; made at first use */
  char *cache_path;          /* where modules are kept on disk; NULL: the usual place */
  _Atomic(gpudata *) errbuf; /* GA_CTX_PROP_ERRBUF, made when asked for */
  atomic_uint captures;      /* graphs being captured, of all threads: lib/capture.h */
};

/* A backend's own buffer begins with this. The first word is the device's
 * address (clients read it); the second the context. */
struct _gpudata {
  void *ptr;
  gpucontext *ctx;
  size_t size; /* bytes */
  atomic_uint refcnt;
  int flags; /* GA_BUFFER_* */
};

/* Private bits of flags: the memory belongs to something else (a module), and
 * `free` releases the host's part only; a graph holds its address, which stays. */
#define GA_BUFFER_BORROWED 0x40000000
#define GA_BUFFER_CAPTURED 0x10000000

struct _gpucontext_props {
  int dev; /* -1: the first that works */
  int sched;
  int single_stream;
  const char *kernel_cache_path;
  size_t alloc_initial, alloc_max;
};

struct ga_source;
typedef struct ga_module ga_module; /* compiled text, of one context */
typedef struct ga_func ga_func;     /* one kernel of a module */

/* What a compiled kernel says of itself. */
typedef struct ga_func_info {
  unsigned int nargs;       /* parameters; UINT_MAX where the device cannot tell */
  const size_t *arg_size;   /* bytes of each; NULL where it cannot tell */
  const size_t *arg_offset; /* in the packed parameters */
  size_t args_size;         /* of all, packed */
  size_t max_threads;       /* of a block */
  size_t preferred_threads; /* multiple worth launching: the warp */
} ga_func_info;

/* A communicator: what is known above the door. */
struct _gpucomm {
  gpucontext *ctx; /* retained */
  void *handle;    /* the backend's */
  int ndev, rank;
};

enum ga_comm_kind {
  GA_COMM_REDUCE,
  GA_COMM_ALL_REDUCE,
  GA_COMM_REDUCE_SCATTER, /* count: of a part */
  GA_COMM_BROADCAST,      /* dst alone */
  GA_COMM_ALL_GATHER      /* count: of a part */
};

/* Rows gathered by index: everything in words of `word` bytes, axes of a row
 * collapsed. codegen/kernels/take.cu says what is done with it. */
typedef struct ga_take {
  char *r;           /* n words, in C order */
  const char *v;     /* first row */
  const char *index; /* n / row of them */
  uint32_t *bad;     /* set to 1 by an index beyond the rows; NULL: not told */
  uint64_t n, row, rows;
  int64_t step; /* bytes from a row of v to the next */
  int64_t dims[GA_MAXND], steps[GA_MAXND];
  unsigned int nk; /* axes of a row, 1 at least */
  unsigned int word;
  enum ga_dtype dtype; /* of an index */
  int wide;            /* words or bytes inside a row pass 31 bits */
} ga_take;

/* A graph that calls are captured into: lib/graph.h. */
typedef struct _gpugraph gpugraph;

/* A piece of work in a graph, its addresses filled in. `args` is what the kernel
 * gets (LAUNCH), {to, from} (COPY), {to} (SET, WRITE), or whatever `run` makes of
 * it: OTHER is work that the device takes by another member, called by `run`. */
enum ga_work_kind { GA_WORK_LAUNCH, GA_WORK_COPY, GA_WORK_SET, GA_WORK_WRITE, GA_WORK_OTHER };

typedef struct ga_work {
  enum ga_work_kind kind;
  ga_func *func; /* LAUNCH */
  size_t grid[3], block[3], shared;
  size_t n;         /* COPY, SET, WRITE: bytes; OTHER: as `run` has it */
  int byte;         /* SET */
  void *host;       /* WRITE: the bytes; they live as long as the node */
  const void *what; /* OTHER */
  int (*run)(gpucontext *ctx, const struct ga_work *node);
  void *args;
  size_t nargs;
} ga_work;

struct ga_backend {
  const char *name; /* "cpu", "cuda" */

  /* The i-th library that the device looks for at run time, loaded now if it was
   * not yet: its path and version, or in `problem` why it is not there. 0: there
   * is no i-th. */
  int (*library)(unsigned int i, gpuarray_library *lib);

  int (*device_count)(unsigned int *n);
  int (*context_open)(gpucontext **ctx, const gpucontext_props *props);
  void (*context_close)(gpucontext *ctx); /* frees it; nothing refers to it */
  int (*context_property)(gpucontext *ctx, int prop, void *res);
  int (*context_sync)(gpucontext *ctx);

  /* size > 0. `host` NULL: contents undefined. */
  int (*alloc)(gpudata **b, gpucontext *ctx, size_t size, int flags);
  void (*free)(gpudata *b);
  /* Same context, ranges checked by the caller, may overlap. */
  int (*copy)(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff, size_t n);
  /* Between contexts of this backend, ordered with the work of both; NULL: through
   * the host. */
  int (*peer)(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff, size_t n);
  /* Return when the host memory may be reused. */
  int (*read)(void *dst, gpudata *src, size_t off, size_t n);
  int (*write)(gpudata *dst, size_t off, const void *src, size_t n);
  int (*set)(gpudata *dst, size_t off, int byte, size_t n);
  int (*sync)(gpudata *b); /* all work on it so far is done */

  /* A stage that the device interprets; NULL where it compiles text instead.
   * `addr[i]` is the address of operand i's first element after the layout's
   * offset; `params` are typed numbers. */
  int (*stage_new)(void **exec, gpucontext *ctx, const ga_stage *st, const ga_layout *layout);
  int (*stage_run)(const void *exec, gpucontext *ctx, void *const *addr, const ga_value *params);
  void (*stage_free)(void *exec);
  /* Rows gathered by index; NULL: by a kernel (lib/take.h). */
  int (*take)(const ga_take *t);

  /* Kernel text to binary, binary to module, module to kernel. `compile`
   * returns malloc'ed bytes; on a compiler's refusal GA_IMPL_ERROR and, in
   * *log, its malloc'ed words. `names` are name expressions (templates,
   * mangled names) whose lowered names come back in the module. NULL members:
   * the device takes no CUDA C (GA_UNSUPPORTED_ERROR said by the caller). */
  int (*compile)(void **bin, size_t *size, char **log, gpucontext *ctx,
                 const struct ga_source *src);
  int (*module_new)(ga_module **m, gpucontext *ctx, const void *bin, size_t size);
  void (*module_free)(ga_module *m);
  int (*module_func)(ga_func **f, ga_module *m, const char *name);
  int (*module_global)(void **ptr, size_t *size, ga_module *m, const char *name);
  int (*func_info)(ga_func_info *info, ga_func *f);
  /* `args` packed as CUDA lays parameters out, nargs bytes. */
  int (*launch)(ga_func *f, const size_t grid[3], const size_t block[3], size_t shared,
                const void *args, size_t nargs);
  /* Device memory that only kernels of the context's stream use: `size` bytes,
   * and `ntickets` uint32 counters that are zero whenever no kernel runs. */
  int (*scratch)(gpucontext *ctx, size_t size, size_t ntickets, void **scratch, void **tickets);
  /* Graphs: nodes one after the other, made ready once, run often on the context's
   * stream. graph_set gives node `i` other arguments, for later runs. One thread at
   * a time calls them for one graph. NULL, or *graph NULL after graph_new: the device
   * has none, and the nodes are run one by one. */
  int (*graph_new)(void **graph, gpucontext *ctx);
  int (*graph_add)(void *graph, const ga_work *node);
  int (*graph_ready)(void *graph);
  int (*graph_set)(void *graph, size_t i, const ga_work *node);
  int (*graph_run)(void *graph);
  void (*graph_free)(void *graph);
  /* What identifies the compiler, for the cache: "nvrtc 13.0 sm_90". NULL when
   * there is none, or when it is not loaded yet and `load` is 0. */
  const char *(*compiler_id)(gpucontext *ctx, int load);
  /* Where loading takes long (else NULL): the compiler's file, once loaded; and
   * what decides which compiler compiler_id() would find (places, versions), found
   * out without loading any. */
  const char *(*compiler_path)(gpucontext *ctx);
  void (*compiler_hint)(gpucontext *ctx, ga_str *s);

  /* BLAS; typecode GA_FLOAT or GA_DOUBLE (GA_HALF where the device has it).
   * Offsets and increments in elements, scalars as doubles. */
  int (*blas_setup)(gpucontext *ctx);
  int (*dot)(int typecode, size_t n, gpudata *x, size_t offx, size_t incx, gpudata *y, size_t offy,
             size_t incy, gpudata *z, size_t offz);
  int (*gemv)(int typecode, cb_order order, cb_transpose ta, size_t m, size_t n, double alpha,
              gpudata *a, size_t offa, size_t lda, gpudata *x, size_t offx, int incx, double beta,
              gpudata *y, size_t offy, int incy);
  int (*gemm)(int typecode, cb_order order, cb_transpose ta, cb_transpose tb, size_t m, size_t n,
              size_t k, double alpha, gpudata *a, size_t offa, size_t lda, gpudata *b, size_t offb,
              size_t ldb, double beta, gpudata *c, size_t offc, size_t ldc);
  /* Many products of one shape, of matrices each in a buffer of its own, or at
   * equal distances (elements) in one. NULL: one gemm after the other. */
  int (*gemm_batch)(int typecode, cb_order order, cb_transpose ta, cb_transpose tb, size_t m,
                    size_t n, size_t k, double alpha, gpudata *const *a, const size_t *offa,
                    size_t lda, gpudata *const *b, const size_t *offb, size_t ldb, double beta,
                    gpudata *const *c, const size_t *offc, size_t ldc, size_t batch);
  int (*gemm_strided)(int typecode, cb_order order, cb_transpose ta, cb_transpose tb, size_t m,
                      size_t n, size_t k, double alpha, gpudata *a, size_t offa, size_t lda,
                      ssize_t stridea, gpudata *b, size_t offb, size_t ldb, ssize_t strideb,
                      double beta, gpudata *c, size_t offc, size_t ldc, ssize_t stridec,
                      size_t batch);

  /* Collectives; NULL where the device has none. `id` has 128 bytes. comm_open
   * fills what a backend keeps in `comm->handle`; comm_run queues. */
  int (*comm_id)(gpucontext *ctx, void *id);
  int (*comm_open)(gpucomm *comm, const void *id);
  void (*comm_close)(gpucomm *comm);
  int (*comm_run)(gpucomm *comm, enum ga_comm_kind kind, const void *src, void *dst, size_t count,
                  int typecode, int op, int root);

  /* gpuarray_get_extension(): a function by name, NULL where there is none. */
  void *(*extension)(const char *name);
};

/* A compilation: source text, the headers it may include by name, options, and
 * name expressions. What the cache's key is made of, with the compiler's id. */
typedef struct ga_source {
  const char *text;
  unsigned int nheader;
  const char *const *header_names;
  const char *const *header_bodies;
  unsigned int noption;
  const char *const *options;
  unsigned int nname;
  const char *const *names;
  int fast;   /* allow contraction, flushing, approximate division */
  int raw;    /* the user's own text: the compiler's defaults for arithmetic */
  int closed; /* and known to include nothing but these headers */
} ga_source;

extern const ga_backend ga_cpu_backend;
extern const ga_backend ga_cuda_backend;

/* lib/cache.c: the module of `src` on `ctx`, from memory, disk or the compiler;
 * the context owns it. On a compiler's refusal the log is in the message and,
 * when `log` is given, malloc'ed in *log. */
int ga_cache_module(ga_module **m, gpucontext *ctx, const ga_source *src, char **log);
int ga_cache_held(ga_module **m, gpucontext *ctx, const ga_source *src); /* in memory; or NULL */
void ga_cache_close(gpucontext *ctx); /* frees the context's modules */

#endif
