/* SPDX-License-Identifier: MIT */
/* Compiled modules: what the compiler hands out as one block of bytes (and the
 * cache keeps), and its loaded form.
 *
 * The block is an `ga_cubin_head`, then `nname` pairs of NUL-terminated strings
 * (a name expression, its symbol), then `nentry` symbols of kernels, padded to
 * 16 bytes, then the image for cuModuleLoadData: a cubin, or PTX with its NUL. */
#ifndef GA_CUBIN_H
#define GA_CUBIN_H

#include "cuda_device.h"

#define GA_CUBIN_MAGIC "GAcubin1"

typedef struct ga_cubin_head {
  char magic[8];
  uint32_t nname, nentry;
  uint64_t image_at, image_size; /* bytes from the head's start */
} ga_cubin_head;

struct ga_func {
  struct ga_module *m;
  CUfunction fn;
  char *name;
  int known; /* the driver told the parameters */
  unsigned int nargs;
  size_t *arg_size, *arg_offset;
  size_t args_size;
  int waits;           /* for earlier kernels, by itself: prelude.cuh */
  atomic_size_t opted; /* dynamic shared memory opted into */
  struct ga_func *next;
};

struct ga_module {
  gpucontext *ctx;
  CUmodule mod;
  uint32_t nname, nentry;
  char *strings; /* as in the block */
  ga_lock lock;
  ga_func *funcs; /* handed out so far */
};

/* Adds the NUL-terminated symbols of the kernels in an image to `s`; returns
 * their number. */
uint32_t ga_cubin_entries(ga_str *s, const void *image, size_t size);

/* The symbol of the kernel that a user calls `name`: an expression the module
 * was compiled with, a symbol, or a C++ name (`scale`, `ns::scale`) of one kernel
 * only. NULL if there is none or several. */
const char *ga_cubin_symbol(const ga_module *m, const char *name);

#endif
