/* SPDX-License-Identifier: MIT */
/* A context of the CUDA device and what its parts share. Each file that
 * implements a piece of the door (lib/backend.h) declares it here; cuda_backend.c collects them. */
#ifndef GA_CUDA_DEVICE_H
#define GA_CUDA_DEVICE_H

#include <stdatomic.h>

#include "driver.h"
#include "lib/backend.h"
#include "lib/util/lock.h"

struct ga_nvrtc;

/* Where buffers come from. */
enum ga_cuda_mode {
  GA_CUDA_POOL,  /* the driver's stream-ordered pool, one of our own */
  GA_CUDA_CACHE, /* cuMemAlloc, freed blocks kept on a list (cuda_memory.c) */
  GA_CUDA_PLAIN  /* cuMemAlloc and cuMemFree: the user asked for no cache */
};

/* A block that CUDA_CACHE keeps for the next request. */
typedef struct ga_cuda_block {
  CUdeviceptr p;
  size_t size;
  struct ga_cuda_block *next;
} ga_cuda_block;

/* Sizes of small blocks, and how many of each are kept within reach. */
enum { GA_CUDA_NSMALL = 40, GA_CUDA_NKEPT = 4, GA_CUDA_SMALL_ALL = 64 << 20 };

typedef struct ga_cuda {
  struct _gpucontext base; /* first */

  CUdevice dev;
  CUcontext cu; /* the device's primary context, retained */
  int foreign;  /* 1: `cu` belongs to somebody else */
  CUstream stream;
  int cc;              /* compute capability, 90 for 9.0 */
  int warp;            /* threads */
  size_t max_block;    /* threads of a block */
  size_t shared_plain; /* bytes of shared memory without opting in */
  size_t shared_max;   /* with */

  /* cuda_memory.c */
  enum ga_cuda_mode mode;
  CUmemoryPool pool;
  size_t cache_max;
  ga_lock mem_lock;     /* the list below */
  ga_cuda_block *cache; /* by size, smallest first */
  size_t cached;        /* bytes on the list */
  int keeps_small;
  _Atomic(CUdeviceptr) small[GA_CUDA_NSMALL][GA_CUDA_NKEPT]; /* 0: none */
  atomic_size_t live, nlive;                                 /* bytes and number of buffers */

  /* scratch.c: grows by doubling; earlier blocks live as long as the context,
   * because a kernel that was given one may not have been launched yet. */
  ga_lock scratch_lock;
  struct ga_cuda_scratch *scratch;

  /* staging.c: pinned memory that large transfers go through */
  ga_lock stage_lock;
  struct ga_cuda_stage *stage;

  /* cuda_peer.c */
  _Atomic uint64_t open_to; /* devices that were let reach its memory */

  /* launch.c */
  atomic_uintptr_t last; /* ga_func * launched last */

  /* nvrtc.c: chosen at first use, under rtc_lock */
  ga_lock rtc_lock;
  atomic_int rtc_ready;
  const struct ga_nvrtc *rtc; /* NULL: no compiler */
  char arch[32];              /* its option: "sm_90", or "compute_90" for PTX */
  int to_ptx;
  char compiler[80]; /* "nvrtc 13.0 sm_90" */

  /* cublas.c */
  ga_lock blas_lock;
  cublasHandle_t blas;
  CUdeviceptr blas_space; /* what cuBLAS may use inside of graphs */
  size_t blas_size;

  /* A fault has made the CUDA context unusable; fault says which. Written once,
   * under fault_lock, before `poisoned` is set. */
  ga_lock fault_lock;
  atomic_int poisoned;
  char fault[512];
} ga_cuda;

static inline ga_cuda *ga_cuda_of(gpucontext *ctx) { return (ga_cuda *)ctx; }

/* Makes the context current for the calling thread; *pushed tells ga_cuda_exit
 * what to undo. Fails in a forked child and on a poisoned context. */
int ga_cuda_enter(ga_cuda *c, const char *op, int *pushed);
void ga_cuda_exit(int pushed);

/* 0 in a forked child and on a poisoned context: the driver is not to be called
 * for this context, and what it holds for us is left to it. */
int ga_cuda_usable(ga_cuda *c);

/* The GA_* code of a driver's result, with its message. A fault of the context
 * poisons it and names the kernel launched last. */
int ga_cuda_error(ga_cuda *c, const char *op, CUresult r);

/* Runs `call`, a driver call, and leaves its code in the variable `err`. */
#define GA_CUDA(c, op, call)                \
  do {                                      \
    CUresult ga_r = (call);                 \
    if (ga_r != CUDA_SUCCESS) {             \
      err = ga_cuda_error((c), (op), ga_r); \
      goto fail;                            \
    }                                       \
  } while (0)

/* cuda_context.c */
int ga_cuda_library(unsigned int i, gpuarray_library *lib);
int ga_cuda_device_count(unsigned int *n);
int ga_cuda_context_open(gpucontext **ctx, const gpucontext_props *props);
void ga_cuda_context_close(gpucontext *ctx);
int ga_cuda_context_sync(gpucontext *ctx);
/* cuda_property.c */
int ga_cuda_context_property(gpucontext *ctx, int prop, void *res);

/* cuda_memory.c: device memory; the context is current. Freeing and closing are for
 * unusable contexts too. */
int ga_cuda_pool_open(ga_cuda *c, const gpucontext_props *props);
void ga_cuda_pool_close(ga_cuda *c);
int ga_cuda_mem_alloc(ga_cuda *c, CUdeviceptr *p, size_t size);
void ga_cuda_mem_free(ga_cuda *c, CUdeviceptr p, size_t size);
size_t ga_cuda_mem_cached(ga_cuda *c); /* bytes held but in no buffer */

/* cuda_small.c: freed blocks of POOL within reach. The class of a size, which becomes
 * the class's, or -1; a block of it, 0 where there is none; 1 when a freed one is kept;
 * all back to the pool; the bytes of those that are kept. */
int ga_cuda_small_class(const ga_cuda *c, size_t *size);
CUdeviceptr ga_cuda_small_take(ga_cuda *c, int class);
int ga_cuda_small_keep(ga_cuda *c, int class, CUdeviceptr p);
void ga_cuda_small_drop(ga_cuda *c);
size_t ga_cuda_small_bytes(ga_cuda *c);

/* cuda_buffer.c */
int ga_cuda_alloc(gpudata **b, gpucontext *ctx, size_t size, int flags);
void ga_cuda_free(gpudata *b);
/* cuda_transfer.c */
int ga_cuda_copy(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff, size_t n);
int ga_cuda_read(void *dst, gpudata *src, size_t off, size_t n);
int ga_cuda_write(gpudata *dst, size_t off, const void *src, size_t n);
int ga_cuda_set(gpudata *dst, size_t off, int byte, size_t n);
int ga_cuda_sync(gpudata *b);

/* staging.c: moves n bytes of pageable memory, `out` of the device or to it; the
 * context is current. Returns when the host memory may be used again. *moved = 0:
 * nothing was done, there being too few threads or no pinned memory. */
int ga_cuda_stage_move(int *moved, ga_cuda *c, const char *op, CUdeviceptr dev, void *host,
                       size_t n, int out);
void ga_cuda_stage_close(ga_cuda *c);
/* cuda_peer.c */
int ga_cuda_peer(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff, size_t n);

/* scratch.c */
int ga_cuda_scratch(gpucontext *ctx, size_t size, size_t ntickets, void **scratch, void **tickets);
void ga_cuda_scratch_close(ga_cuda *c);

/* cubin.c, launch.c */
int ga_cuda_module_new(ga_module **m, gpucontext *ctx, const void *bin, size_t size);
void ga_cuda_module_free(ga_module *m);
int ga_cuda_module_func(ga_func **f, ga_module *m, const char *name);
int ga_cuda_module_global(void **ptr, size_t *size, ga_module *m, const char *name);
int ga_cuda_func_info(ga_func_info *info, ga_func *f);
const char *ga_cuda_func_name(const ga_func *f);
int ga_cuda_launch(ga_func *f, const size_t grid[3], const size_t block[3], size_t shared,
                   const void *args, size_t nargs);
/* Before a launch that something else makes; and what a driver's refusal of it means. */
int ga_cuda_launch_check(ga_func *f, const size_t grid[3], const size_t block[3], size_t shared);
int ga_cuda_launch_error(const ga_func *f, const size_t grid[3], const size_t block[3],
                         size_t shared, CUresult r);

/* cuda_graph.c */
int ga_cuda_graph_new(void **graph, gpucontext *ctx);
int ga_cuda_graph_add(void *graph, const ga_work *w);
int ga_cuda_graph_ready(void *graph);
int ga_cuda_graph_set(void *graph, size_t i, const ga_work *w);
int ga_cuda_graph_run(void *graph);
void ga_cuda_graph_free(void *graph);

/* nvrtc_compile.c */
int ga_cuda_compile(void **bin, size_t *size, char **log, gpucontext *ctx,
                    const struct ga_source *src);
const char *ga_cuda_compiler_id(gpucontext *ctx, int load);
const char *ga_cuda_compiler_path(gpucontext *ctx);
void ga_cuda_compiler_hint(gpucontext *ctx, ga_str *s);

/* cublas.c */
int ga_cuda_blas_setup(gpucontext *ctx);
void ga_cuda_blas_close(ga_cuda *c);
int ga_cuda_dot(int typecode, size_t n, gpudata *x, size_t offx, size_t incx, gpudata *y,
                size_t offy, size_t incy, gpudata *z, size_t offz);
int ga_cuda_gemv(int typecode, cb_order order, cb_transpose ta, size_t m, size_t n, double alpha,
                 gpudata *a, size_t offa, size_t lda, gpudata *x, size_t offx, int incx,
                 double beta, gpudata *y, size_t offy, int incy);
int ga_cuda_gemm(int typecode, cb_order order, cb_transpose ta, cb_transpose tb, size_t m, size_t n,
                 size_t k, double alpha, gpudata *a, size_t offa, size_t lda, gpudata *b,
                 size_t offb, size_t ldb, double beta, gpudata *c, size_t offc, size_t ldc);
/* cublas_batch.c */
int ga_cuda_gemm_batch(int typecode, cb_order order, cb_transpose ta, cb_transpose tb, size_t m,
                       size_t n, size_t k, double alpha, gpudata *const *a, const size_t *offa,
                       size_t lda, gpudata *const *b, const size_t *offb, size_t ldb, double beta,
                       gpudata *const *c, const size_t *offc, size_t ldc, size_t batch);
int ga_cuda_gemm_strided(int typecode, cb_order order, cb_transpose ta, cb_transpose tb, size_t m,
                         size_t n, size_t k, double alpha, gpudata *a, size_t offa, size_t lda,
                         ssize_t stridea, gpudata *b, size_t offb, size_t ldb, ssize_t strideb,
                         double beta, gpudata *c, size_t offc, size_t ldc, ssize_t stridec,
                         size_t batch);

/* nccl.c */
int ga_cuda_comm_id(gpucontext *ctx, void *id);
int ga_cuda_comm_open(gpucomm *comm, const void *id);
void ga_cuda_comm_close(gpucomm *comm);
int ga_cuda_comm_run(gpucomm *comm, enum ga_comm_kind kind, const void *src, void *dst,
                     size_t count, int typecode, int op, int root);

/* cuda_extension.c */
void *ga_cuda_extension(const char *name);

/* Private bits of a buffer's flags: cuMemAlloc's memory in any mode (the pool's
 * cannot be given to other processes), and memory of another process. */
#define GA_CUDA_BUFFER_PLAIN 0x20000000
#define GA_CUDA_BUFFER_IPC   0x08000000

/* cuda_context.c: a context over a CUDA context that somebody else made and
 * keeps; GA_CUDA_... of the device that `cu` is on. */
int ga_cuda_context_wrap(gpucontext **res, CUcontext cu, const gpucontext_props *props);

#endif
