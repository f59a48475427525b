/* SPDX-License-Identifier: MIT */
/* Scans of rows that vectors do not fit: they do not begin on vectors, or have a step, or are
 * several axes. Elements pass through shared memory: in memory neighbouring lanes have
 * neighbours, there each has its groups. A lane that moved its own elements would touch a part
 * of each sector as often as a group has elements.
 *
 *   cumsum(a[::-1]) of float64, GA_VEC 4: lane 3 copies elements 3, 35, 67, ... of its warp's
 *   1024, 256 bytes down from one to the next; it works on 12 to 15, 140 to 143, ...
 */
#if GA_TURNED

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

/* Shared memory for a block's results of one operand, one after the other. */
GA_FN char *ga_room() {
  __shared__ GA_ALIGN(16) char room[GA_BLOCK * GA_VEC * ga_widest_output()];
  return room;
}

/* n neighbouring elements of less than 4 bytes, at most a segment, which a warp has at `words`,
 * to p: as words, and those before the first whole one and after the last one by one. */
template <class T> GA_FN void ga_store_words(char *p, const ga_uint *words, int n) {
  enum { SIZE = (int)sizeof(T) };
  const int lane = threadIdx.x & 31, align = (int)(-(ga_long)p & 3), shift = align * 8;
  const int bytes = n * SIZE, head = align < bytes ? align : bytes;
  const int tail = head + ((bytes - head) & ~3);
#pragma unroll
  for (int b = 0; b < GA_SEGMENT * SIZE; b += 128) {
    const int i = b / 4 + lane;
    if (i * 4 + head < tail)
      *(ga_uint *)(p + head + i * 4) =
          head ? __funnelshift_r(words[i], words[i + 1], shift) : words[i];
  }
  const int e = lane * SIZE < head ? lane : lane + (tail - head) / SIZE;
  if (lane < 8 / SIZE && e < n) ga_store<T>(p + e * SIZE, ((const T *)words)[e]);
}

/* A segment's results of operand i, as far as they exist, `t` being the lane's, from its element
 * r on. Those of less than 4 bytes are neighbours (variant_scan.c). */
template <class T>
GA_FN void ga_store_turned(const ga_params &P, char *a, int i, const ga_place &row, ga_index r,
                           const T (&t)[GA_VEC]) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  char *const room = ga_room() + warp * (GA_SEGMENT * ga_widest_output()); /* the warp's */
  const ga_index first = r - lane * GA_VEC, end = (ga_index)P.reduced;
  const int n = first >= end ? 0 : first + GA_SEGMENT <= end ? GA_SEGMENT : (int)(end - first);
  ga_vec<T, GA_VEC> v;
#pragma unroll
  for (int j = 0; j < GA_VEC; j++) v.v[j] = t[j];
  ((ga_vec<T, GA_VEC> *)room)[lane] = v;
  __syncwarp();
  const T *elements = (const T *)room;
  if constexpr (sizeof(T) < 4) {
    ga_store_words<T>(a + ga_at(P.scanned_axes, row, first).off[i], (const ga_uint *)elements, n);
  } else {
#pragma unroll
    for (int j = 0; j < GA_VEC; j++) {
      const int e = lane + 32 * j;
      if (e < n) ga_store<T>(a + ga_at(P.scanned_axes, row, first + e).off[i], elements[e]);
    }
  }
  __syncwarp();
}
