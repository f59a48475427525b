/* SPDX-License-Identifier: MIT */
/* Scans of rows that vectors do not fit: they do not begin on vectors, or have a step, or are
 * several axes. Elements pass through shared memory: in memory neighbouring lanes have
 * neighbours, there each has its groups. A lane that moved its own elements would touch a part
 * of each sector as often as a group has elements.
 *
 *   cumsum(a[::-1]) of float64, GA_VEC 4: lane 3 copies elements 3, 35, 67, ... of its warp's
 *   1024, 256 bytes down from one to the next; it works on 12 to 15, 140 to 143, ...
 *
 * Neighbours that only do not begin on vectors are copied as they lie, 16 bytes by 16 (GA_SHIFTED),
 * and lanes shift their groups out of those.
 */
#if GA_SHIFTED

/* The warp's chunk t of an operand as it lies in memory, from the 16 bytes on that it begins in,
 * and bytes of a block's chunks of all tiles. */
template <class T> struct ga_strip {
  enum { GROUP = GA_VEC * (int)sizeof(T), PART = GROUP < 16 ? GROUP : 16 };
  enum { CHUNK = 256 * GROUP, ROOM = CHUNK + 32 };

  GA_FN int room() { return GA_TURNS * (int)(blockDim.x >> 5) * ROOM; }
  GA_FN char *at(char *held, int t) {
    return held + (t * (int)(blockDim.x >> 5) + (int)(threadIdx.x >> 5)) * ROOM;
  }
  /* Byte `at` of it (ga_put_slot). */
  GA_FN ga_uint place(ga_uint at) { return GROUP == 32 ? at ^ (at >> 7 & 1) << 4 : at; }
};

/* That chunk, from `from` on, `bytes` of which are left of the row, on its way there. */
template <class T>
GA_FN void ga_fetch_strip(char *held, int t, const char *from, ga_ulong bytes) {
  typedef ga_strip<T> strip;
  const ga_uint phase = (ga_uint)(ga_ulong)from & 15, lane = threadIdx.x & 31;
  const ga_uint most = bytes < strip::CHUNK ? (ga_uint)bytes : strip::CHUNK;
  const ga_uint end = most > 0 ? phase + most : 0;
  char *const to = strip::at(held, t);
#pragma unroll
  for (ga_uint b = 0; b < strip::CHUNK + 16; b += 512) {
    const ga_uint at = b + lane * 16;
    if (at < end) ga_copy_beside<16>(to + strip::place(at), from - phase + at);
  }
}

/* The lane's group n of those chunks, which begin at `phase` in their first 16 bytes. */
template <class T>
GA_FN void ga_get_shifted(ga_words<T, GA_VEC> &w, char *held, int n, ga_uint phase) {
  typedef ga_strip<T> strip;
  enum { PART = strip::PART };
  typedef ga_vec<ga_uint, PART / 4> part;
  const char *const from = strip::at(held, n >> 3);
  const ga_uint at = phase + ((n & 7) * 32 + (threadIdx.x & 31)) * strip::GROUP;
  const ga_uint first = at & ~(ga_uint)(PART - 1);
  part low = *(const part *)(from + strip::place(first));
#pragma unroll
  for (int k = 0; k < strip::GROUP; k += PART) {
    const part high = *(const part *)(from + strip::place(first + k + PART));
    const part x = ga_shift_words<PART / 4, sizeof(T) >= 4>(low, high, at & (PART - 1));
    memcpy((char *)&w + k, &x, PART);
    low = high;
  }
}

#elif GA_TURNED

/* Where element e of the warp's chunk t lies, in slots (scan_slots.cuh). */
template <class T> GA_FN char *ga_element(char *held, int t, int e) {
  enum { PART = GA_SEGMENT * (int)sizeof(T) };
  const int at = e * (int)sizeof(T), warp = threadIdx.x >> 5;
  const int turn = GA_VEC * sizeof(T) == 32 ? (at >> 7 & 1) << 4 : 0;
  return held + ((8 * t + at / PART) * GA_WARPS + warp) * PART + (at % PART ^ turn);
}

/* Operand i of the warp's chunk t, from element r on, of which `left` exist, on its way to its
 * slots. */
template <class T>
GA_FN void ga_fetch_elements(const ga_params &P, char *held, const char *a, int i, int t,
                             const ga_place &row, ga_index r, ga_ulong left) {
  enum { SIZE = (int)sizeof(T), AT_ONCE = SIZE < 4 ? 32 : 16 };
  const int lane = threadIdx.x & 31;
#pragma unroll 1
  for (int k = 0; k < 8 * GA_VEC; k += AT_ONCE) {
    T small[AT_ONCE] = {};
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++) {
      const int e = (k + j) * 32 + lane;
      if ((ga_ulong)e >= left) continue;
      const char *from = a + ga_at(P.scanned_axes, row, r + e).off[i];
      if constexpr (SIZE >= 4)
        ga_copy_beside<SIZE>(ga_element<T>(held, t, e), from);
      else
        small[j] = ga_load<T>(from);
    }
    if constexpr (SIZE < 4) {
#pragma unroll
      for (int j = 0; j < AT_ONCE; j++)
        *(T *)ga_element<T>(held, t, (k + j) * 32 + lane) = small[j];
    }
  }
}

#endif

constexpr int ga_widest_output() {
  int most = 1;
#define X(i, T) most = (int)sizeof(T) > most ? (int)sizeof(T) : most;
  GA_OUTPUTS(X)
#undef X
  return most;
}

/* Segments of an operand whose results pass through shared memory together: 1024 bytes, or one. */
template <class T> constexpr int ga_run() {
  return GA_SEGMENT * (int)sizeof(T) < 1024 ? 1024 / (GA_SEGMENT * (int)sizeof(T)) : 1;
}

/* Shared memory for the warp's results of one operand, one after the other. */
GA_FN char *ga_room() {
  enum { LEAST = 1024, SEGMENT = GA_SEGMENT * ga_widest_output() };
  enum { SIZE = SEGMENT < LEAST ? LEAST : SEGMENT };
  __shared__ GA_ALIGN(16) char room[GA_WARPS][SIZE];
  return room[threadIdx.x >> 5];
}

/* n neighbouring elements, at most N segments, which a warp has at `room`, to p: as vectors of 16
 * bytes, and those before the first one and after the last one by one. */
template <class T, int N> GA_FN void ga_store_run(char *p, const char *room, int n) {
  enum { SIZE = (int)sizeof(T), EACH = 16 / SIZE };
  typedef ga_vec<ga_uint, 4> vector;
  const int lane = threadIdx.x & 31, bytes = n * SIZE, align = (int)(-(ga_long)p & 15);
  const int head = align < bytes ? align : bytes, vectors = (bytes - head) / 16;
#pragma unroll
  for (int b = 0; b < N * GA_SEGMENT * SIZE; b += 512) {
    const int i = b / 16 + lane;
    if (i < vectors) {
      const vector low = ((const vector *)room)[i];
      vector high = low;
      if (head != 0) high = ((const vector *)room)[i + 1];
      *(vector *)(p + head + i * 16) = ga_shift_words<4, SIZE >= 4>(low, high, (ga_uint)head);
    }
  }
  const int e = lane < EACH ? lane : head / SIZE + vectors * EACH + lane - EACH;
  if (lane < 2 * EACH && e < (lane < EACH ? head / SIZE : n))
    ga_store<T>(p + e * SIZE, ((const T *)room)[e]);
}

/* N segments' results of operand i, as far as they exist, `t` being the lane's, from its element
 * r on. */
template <class T, int N>
GA_FN void ga_store_turned(const ga_params &P, char *a, int i, const ga_place &row, ga_index r,
                           const T (*t)[GA_VEC]) {
  enum { ALL = N * GA_SEGMENT };
  const int lane = threadIdx.x & 31;
  char *const room = ga_room();
  const ga_index first = r - lane * GA_VEC, end = (ga_index)P.reduced;
  const int n = first >= end ? 0 : first + ALL <= end ? ALL : (int)(end - first);
#pragma unroll
  for (int b = 0; b < N; b++) {
    ga_vec<T, GA_VEC> v;
#pragma unroll
    for (int j = 0; j < GA_VEC; j++) v.v[j] = t[b][j];
    ((ga_vec<T, GA_VEC> *)room)[b * 32 + lane] = v;
  }
  __syncwarp();
  if constexpr ((GA_VECTOR || GA_BESIDE) && sizeof(T) < 4) {
    ga_store_run<T, N>(a + ga_at(P.scanned_axes, row, first).off[i], room, n);
  } else {
#pragma unroll
    for (int j = 0; j < N * GA_VEC; j++) {
      const int e = lane + 32 * j;
      if (e < n)
        ga_store<T>(a + ga_at(P.scanned_axes, row, first + e).off[i], ((const T *)room)[e]);
    }
  }
  __syncwarp();
}
