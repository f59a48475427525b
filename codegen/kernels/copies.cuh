/* SPDX-License-Identifier: MIT */
/* Copies from global to shared memory that need no register, and that the thread does not
 * wait for (`cp.async`, compute capability 8.0 and later; elsewhere plain ones).
 */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && !defined(__GPUARRAY_CPU__)
#define GA_COPIES 1
#else
#define GA_COPIES 0
#endif

/* What is moved as one vector, and shared memory that vectors are moved to is made of. */
struct GA_ALIGN(16) ga_sixteen {
  ga_uint w[4];
};

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

/* Where copies need no register: addresses in shared memory that the compiler does not
 * make anew for each. */
#if GA_COPIES
typedef ga_uint ga_shared;
GA_FN ga_shared ga_shared_at(const void *p) {
  ga_shared at = (ga_shared)__cvta_generic_to_shared(p);
  asm volatile("" : "+r"(at));
  return at;
}
#else
typedef char *ga_shared;
GA_FN ga_shared ga_shared_at(void *p) { return (ga_shared)p; }
#endif

/* The 4, 8 or 16 bytes at p to `at` bytes behind `to`, if `on`. LINE: the second cache takes
 * the 128 bytes around them, which will be asked for by other blocks. */
template <int BYTES, bool LINE = false>
GA_FN void ga_copy_if(ga_shared to, int at, const char *p, bool on) {
#if GA_COPIES
  if constexpr (LINE)
    asm volatile("{\n.reg .pred on;\nsetp.ne.b32 on, %2, 0;\n"
                 "@on cp.async.ca.shared.global.L2::128B [%0], [%1], %3;\n}" ::"r"(to + at),
                 "l"(p), "r"((int)on), "n"(BYTES)
                 : "memory");
  else
    asm volatile("{\n.reg .pred on;\nsetp.ne.b32 on, %2, 0;\n"
                 "@on cp.async.ca.shared.global [%0], [%1], %3;\n}" ::"r"(to + at),
                 "l"(p), "r"((int)on), "n"(BYTES)
                 : "memory");
#else
  typedef ga_vec<ga_uint, BYTES / 4> words;
  if (on) *(words *)(to + at) = *(const words *)p;
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
