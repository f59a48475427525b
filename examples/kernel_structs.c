/* SPDX-License-Identifier: MIT */
/* An array of structs that hold pointers, all into one allocation: two structs,
 * then the two arrays that they point to. Each block of the kernel doubles the
 * array of one struct. */
#include <gpuarray.h>
#include <stddef.h>
#include <string.h>

static const char source[] =
    "struct DoubleOperation {\n"
    "  int datalen, pad;\n"
    "  float *ptr;\n"
    "};\n"
    "__global__ void double_array(DoubleOperation *a) {\n"
    "  a = &a[blockIdx.x];\n"
    "  for (int idx = threadIdx.x; idx < a->datalen; idx += blockDim.x) {\n"
    "    a->ptr[idx] *= 2;\n"
    "  }\n"
    "}\n";

typedef struct operation {
  int datalen, pad;
  void *ptr; /* on the device */
} operation;

typedef struct memory {
  operation ops[2];
  float first[3], second[2];
} memory;

int main(void)
{
  static const size_t grid[3] = {2, 1, 1}, block[3] = {32, 1, 1};
  memory m = {.first = {1, 2, 3}, .second = {0, 4}};
  GA_AUTOPTR(gpucontext) ctx = NULL;
  GA_AUTO(GpuArray) all = {0};
  GA_AUTO(GpuKernel) k = {0};
  char *base;

  GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
  GA_OR_DIE(GpuKernel_build(&k, ctx, source, "double_array"));
  GA_OR_DIE(GpuArray_zeros(&all, ctx, GA_UBYTE, GA_DIMS(sizeof m), GA_C_ORDER));
  GA_OR_DIE(GpuArray_devptr((void **)&base, &all));
  m.ops[0] = (operation){3, 0, base + offsetof(memory, first)};
  m.ops[1] = (operation){2, 0, base + offsetof(memory, second)};
  GA_OR_DIE(GpuArray_write(&all, &m, sizeof m));
  GA_OR_DIE(GpuKernel_launch(&k, grid, block, 0, GA_ARGS(ga_array(NULL, &all))));
  GA_OR_DIE(GpuArray_read(&m, sizeof m, &all));
  printf("[%g %g %g] [%g %g]\n", m.first[0], m.first[1], m.first[2], m.second[0], m.second[1]);
  return m.first[0] != 2 || m.first[1] != 4 || m.first[2] != 6 || m.second[0] != 0 ||
         m.second[1] != 8;
}
