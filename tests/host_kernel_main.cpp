// SPDX-License-Identifier: MIT
// A generated kernel as a function of a shared object (tests/host_kernel.c).
// main.cu is the kernel's text, in a directory of the test's.
#include "tests/cuda_host.hpp"

#include "main.cu"

static void thread(void *args) { ga_kernel(*(const ga_params *)args); }

extern "C" __attribute__((visibility("default"))) void run(const size_t *grid, const size_t *block,
                                                           const void *args, int barriers,
                                                           int reverse) {
  cuda_host::launch(thread, const_cast<void *>(args), grid, block, barriers, reverse);
}

extern "C" __attribute__((visibility("default"))) size_t params_size() {
  return sizeof(ga_params);
}
