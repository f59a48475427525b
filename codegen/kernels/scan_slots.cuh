/* SPDX-License-Identifier: MIT */
/* Where scans leave what they have loaded until what comes before it is known
 * (scan_groups.cuh says why): shared memory, as slots of GA_VEC elements that their own
 * thread alone reads, so that no barrier is needed, but a warp's where its lanes fill
 * each other's slots.
 *
 * The generator supplies GA_HOLD (scan_groups.cuh), GA_NSLOTS: a thread's slots of
 * an operand, and
 *   GA_COPIED  1: what is loaded is copied to its slots, by no register's way: rows by 16
 *              bytes of a warp's chunk (what lies behind a row's end in its last 16 bytes
 *              comes too), columns by each thread for itself; 2: rows by elements; 3: rows
 *              by 16 bytes, wherever they begin (scan_turned.cuh). */
#define GA_TURNED (GA_COPIED == 2)
#define GA_SHIFTED (GA_COPIED == 3)

/* GA_VEC neighbours of each operand, as they were loaded. */
struct ga_loaded {
#define X(i, T) ga_words<T, GA_VEC> x##i;
  GA_INPUTS(X)
#undef X
  char unused;
};

#if GA_HOLD || GA_COPIED
struct GA_ALIGN(16) ga_line_of_slots {
  ga_ulong v[2];
};
extern __shared__ ga_line_of_slots ga_held[];

/* The thread's slot n of those from `held` on. */
template <class W> GA_FN W *ga_slot(char *held, int n) {
  return (W *)held + n * GA_BLOCK + threadIdx.x;
}
#define GA_SLOTS(...) (GA_NSLOTS * GA_BLOCK * (int)sizeof(__VA_ARGS__))

/* Slots of 32 bytes: half h of lane l is at h ^ (l / 4 & 1), which keeps eight lanes that
 * ask for the same half off each other's banks. */
template <class W> GA_FN void ga_put_slot(W *slot, const W &w) {
  if constexpr (sizeof(W) == 32) {
    typedef ga_vec<ga_uint, 4> half;
    const int turn = threadIdx.x >> 2 & 1;
    memcpy((half *)slot + turn, &w, 16);
    memcpy((half *)slot + (turn ^ 1), (const char *)&w + 16, 16);
  } else {
    *slot = w;
  }
}

template <class W> GA_FN W ga_get_slot(const W *slot) {
  if constexpr (sizeof(W) == 32) {
    typedef ga_vec<ga_uint, 4> half;
    const int turn = threadIdx.x >> 2 & 1;
    const half low = ((const half *)slot)[turn], high = ((const half *)slot)[turn ^ 1];
    W w;
    memcpy(&w, &low, 16);
    memcpy((char *)&w + 16, &high, 16);
    return w;
  } else {
    return *slot;
  }
}

GA_FN void ga_put(int n, const ga_loaded &g) {
  char *held = (char *)ga_held;
#define X(i, T)                                             \
  ga_put_slot(ga_slot<decltype(g.x##i)>(held, n), g.x##i);  \
  held += GA_SLOTS(g.x##i);
  GA_INPUTS(X)
#undef X
}

GA_FN void ga_get(int n, ga_loaded &g) {
  char *held = (char *)ga_held;
#define X(i, T)                                                \
  g.x##i = ga_get_slot(ga_slot<decltype(g.x##i)>(held, n));    \
  held += GA_SLOTS(g.x##i);
  GA_INPUTS(X)
#undef X
}

#if GA_COPIED

/* The thread's slot n of an operand at `from`. */
template <class W> GA_FN void ga_copy_slot(char *held, int n, const char *from) {
  ga_copy_beside<(int)sizeof(W)>((char *)ga_slot<W>(held, n), from);
}

/* The slots of the warp's 8 groups from n on, of an operand at `from` and of `bytes` that
 * are left of the row; lanes fill each other's. */
template <class W>
GA_FN void ga_copy_chunk(char *held, int n, const char *from, ga_ulong bytes) {
  enum { PART = 32 * (int)sizeof(W) };
#pragma unroll
  for (int b = 0; b < 8 * PART; b += 512) {
    const int at = b + (threadIdx.x & 31) * 16, warp = threadIdx.x >> 5;
    const int turn = sizeof(W) == 32 ? (at >> 7 & 1) << 4 : 0;
    if (at < bytes)
      ga_copy_beside<16>(held + ((n + at / PART) * GA_WARPS + warp) * PART + (at % PART ^ turn),
                     from + at);
  }
}

#endif

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
