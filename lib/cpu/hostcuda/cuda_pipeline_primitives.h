// SPDX-License-Identifier: MIT
// Copies to shared memory that run beside the thread: here they are done at once.
#pragma once

GA_HC_FN void __pipeline_memcpy_async(void *to, const void *from, size_t n, size_t zeros = 0)
{
  memcpy(to, from, n - zeros);
  if (zeros != 0) memset((char *)to + (n - zeros), 0, zeros);
}
GA_HC_FN void __pipeline_commit() {}
GA_HC_FN void __pipeline_wait_prior(size_t) {}
