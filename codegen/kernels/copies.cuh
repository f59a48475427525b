/* SPDX-License-Identifier: MIT */
/* Copies from global to shared memory that need no register, and that the thread does not
 * wait for (`cp.async`, compute capability 8.0 and later; elsewhere plain ones).
 */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && !defined(__GPUARRAY_CPU__)
#define GA_COPIES 1
#else
#define GA_COPIES 0
#endif

/* Copies 4, 8 or 16 bytes to shared memory, while the thread goes on. */
template <int BYTES> GA_FN void ga_copy_beside(char *to, const char *from) {
#if GA_COPIES
  const ga_uint at = (ga_uint)__cvta_generic_to_shared(to);
  if constexpr (BYTES == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(BYTES)
                 : "memory");
#else
  typedef ga_vec<ga_uint, BYTES / 4> words;
  *(words *)to = *(const words *)from;
#endif
}

/* Waits for the thread's own copies. */
GA_FN void ga_wait_for_copies() {
#if GA_COPIES
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Ends a part of the copies, which ga_copied waits for: for all parts of the warp's
 * lanes but the last `later`. */
GA_FN void ga_end_copies() {
#if GA_COPIES
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

GA_FN void ga_copied(int later) {
#if GA_COPIES
  if (later == 3)
    asm volatile("cp.async.wait_group 3;" ::: "memory");
  else if (later == 2)
    asm volatile("cp.async.wait_group 2;" ::: "memory");
  else if (later == 1)
    asm volatile("cp.async.wait_group 1;" ::: "memory");
  else
    asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
  __syncwarp();
}
