/* SPDX-License-Identifier: MIT */
/* Where scans leave what they have loaded until what comes before it is known
 * (scan_groups.cuh says why): shared memory, as slots of GA_VEC elements that their own
 * thread alone uses, so that no barrier is needed.
 *
 * The generator supplies GA_HOLD (scan_groups.cuh), and GA_NSLOTS: a thread's slots of
 * an operand. */

/* GA_VEC neighbours of each operand, as they were loaded. */
struct ga_loaded {
#define X(i, T) ga_words<T, GA_VEC> x##i;
  GA_INPUTS(X)
#undef X
  char unused;
};

#if GA_HOLD
extern __shared__ ga_ulong ga_held[];

/* The thread's slot n of those from `held` on. */
template <class W> GA_FN W *ga_slot(char *held, int n) {
  return (W *)held + n * GA_BLOCK + threadIdx.x;
}
#define GA_SLOTS(w) (GA_NSLOTS * GA_BLOCK * (int)sizeof(w))

GA_FN void ga_put(int n, const ga_loaded &g) {
  char *held = (char *)ga_held;
#define X(i, T)                                                                 \
  *ga_slot<decltype(g.x##i)>(held, n) = g.x##i;                                \
  held += GA_SLOTS(g.x##i);
  GA_INPUTS(X)
#undef X
}

GA_FN void ga_get(int n, ga_loaded &g) {
  char *held = (char *)ga_held;
#define X(i, T)                                                                 \
  g.x##i = *ga_slot<decltype(g.x##i)>(held, n);                                \
  held += GA_SLOTS(g.x##i);
  GA_INPUTS(X)
#undef X
}

/* The same of accumulators. */
template <class A> GA_FN void ga_put(int n, const A (&a)[GA_VEC]) {
  typedef ga_vec<ga_uint, (GA_VEC * (int)sizeof(A) / 4)> words;
  memcpy(ga_slot<words>((char *)ga_held, n), a, sizeof a);
}

template <class A> GA_FN void ga_get(int n, A (&a)[GA_VEC]) {
  typedef ga_vec<ga_uint, (GA_VEC * (int)sizeof(A) / 4)> words;
  const words w = *ga_slot<words>((char *)ga_held, n);
  memcpy(a, &w, sizeof a);
}
#endif
