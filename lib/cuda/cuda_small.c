/* SPDX-License-Identifier: MIT */
/* Small blocks within reach. The driver's pool takes 0.9 us to give a block and take
 * it back, a third of a launch. So up to four freed blocks of each of 40 sizes stay
 * with the context and are handed out again, without a lock: 28 MB at most. All work
 * is on one stream, so a block may be used again as soon as it was freed. */
#include "cuda_device.h"

enum { SMALL_MOST = 1 << 20 };

/* The size's class, or -1: steps of 512 bytes up to 2048, then four for each power
 * of two. The size becomes the class's. */
int ga_cuda_small_class(const ga_cuda *c, size_t *size)
{
  if (!c->keeps_small || *size > SMALL_MOST) return -1;
  if (*size <= 2048) {
    size_t n = (*size + 511) / 512;
    *size = 512 * n;
    return (int)n - 1;
  }
  int shift = 61 - __builtin_clzll((unsigned long long)(*size - 1));
  size_t step = (size_t)1 << shift;
  *size = (*size + step - 1) & ~(step - 1);
  return 4 * (shift - 8) + (int)(*size >> shift) - 5;
}

CUdeviceptr ga_cuda_small_take(ga_cuda *c, int class)
{
  for (int i = 0; i < GA_CUDA_NKEPT; i++) {
    _Atomic(CUdeviceptr) *at = &c->small[class][i];
    CUdeviceptr p = atomic_load_explicit(at, memory_order_relaxed);
    if (p != 0 && atomic_compare_exchange_strong(at, &p, 0)) return p;
  }
  return 0;
}

int ga_cuda_small_keep(ga_cuda *c, int class, CUdeviceptr p)
{
  for (int i = 0; i < GA_CUDA_NKEPT; i++) {
    _Atomic(CUdeviceptr) *at = &c->small[class][i];
    CUdeviceptr none = 0;
    if (atomic_load_explicit(at, memory_order_relaxed) == 0 &&
        atomic_compare_exchange_strong(at, &none, p))
      return 1;
  }
  return 0;
}

/* Back to the pool. */
void ga_cuda_small_drop(ga_cuda *c)
{
  CUdeviceptr p;
  for (int class = 0; class < GA_CUDA_NSMALL; class ++)
    while ((p = ga_cuda_small_take(c, class)) != 0)
      if (ga_cuda_usable(c)) (void)ga_cu.cuMemFreeAsync(p, c->stream);
}

size_t ga_cuda_small_bytes(ga_cuda *c)
{
  size_t n = 0;
  for (int class = 0; class < GA_CUDA_NSMALL; class ++) {
    size_t size =
        class < 4 ? 512 * ((size_t) class + 1) : ((size_t)(class % 4) + 5) << (class / 4 + 8);
    for (int i = 0; i < GA_CUDA_NKEPT; i++)
      if (atomic_load_explicit(&c->small[class][i], memory_order_relaxed) != 0) n += size;
  }
  return n;
}
