/* SPDX-License-Identifier: MIT */
/* Scan of rows some operand of which is fast along a kept axis: a block has GA_BESIDE rows beside
 * each other on that axis, the last of the kept ones, and walks along them, segment by segment. The
 * next GA_TURNS - 1 are on their way to shared memory: neighbouring lanes have rows beside each
 * other of such an operand (GA_ACROSS, bit i), and neighbours along the rows of others.
 * A warp then works on GA_BESIDE / 8 of the rows; results are neighbours along them.
 *
 *   cummax(a, axis=1), a Fortran-ordered [4096, 5000] float64, GA_BESIDE 16: 256 blocks, which
 *   walk 40 segments of 128 elements, 16 KB each; 16 lanes ask for 128 bytes of memory.
 */
#define GA_EACH (GA_BESIDE / GA_WARPS) /* rows of a warp */

/* A segment of the block's rows of an operand: row y's element x. ACROSS: rows lie beside each
 * other as they do in memory, and a gap behind each 4 elements keeps a warp's lanes, which have 4
 * each, off each other's banks. */
template <class T, bool ACROSS> struct ga_stage {
  enum { SIZE = (int)sizeof(T), WIDTH = GA_BESIDE * SIZE, GAP = SIZE < 4 ? 4 : SIZE };
  enum { PITCH = GA_SEGMENT * SIZE + 16 };
  enum { ROOM = ACROSS ? GA_SEGMENT * WIDTH + 32 * GAP + 15 & ~15 : GA_BESIDE * PITCH };

  GA_FN int place(int y, int x) {
    return ACROSS ? x * WIDTH + x / 4 * GAP + y * SIZE : y * PITCH + x * SIZE;
  }
};

/* Operand i of the rows' segment from element r on, on its way to `to`: elements, or (WORDS) the
 * words of 4 bytes that small ones of rows beside each other are. */
template <class T, bool ACROSS>
GA_FN void ga_fetch_beside(const ga_params &P, char *to, const char *a, int i,
                           const ga_place *rows, int nrows, ga_index r) {
  typedef ga_stage<T, ACROSS> stage;
  enum { WORDS = ACROSS && GA_WORDS && stage::SIZE < 4, SIZE = stage::SIZE };
  enum { EACH = WORDS ? 4 / SIZE : 1, ROWS = ACROSS ? GA_BESIDE / EACH : GA_BESIDE };
  enum { LOADS = ROWS * GA_SEGMENT / GA_BLOCK };
  const int t = threadIdx.x;
  T small[LOADS] = {};
#pragma unroll
  for (int k = 0; k < LOADS; k++) {
    const int n = t + k * GA_BLOCK;
    const int y = (ACROSS ? n % ROWS : n / GA_SEGMENT) * EACH;
    const int x = ACROSS ? n / ROWS : n % GA_SEGMENT;
    if (y >= nrows || r + x >= (ga_index)P.reduced) continue;
    const char *from = a + ga_at(P.scanned_axes, rows[y], r + x).off[i];
    if constexpr (SIZE * EACH >= 4)
      ga_copy_beside<SIZE * EACH>(to + stage::place(y, x), from);
    else
      small[k] = ga_load<T>(from);
  }
  if constexpr (SIZE * EACH < 4) {
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
      const int n = t + k * GA_BLOCK;
      const int y = ACROSS ? n % ROWS : n / GA_SEGMENT, x = ACROSS ? n / ROWS : n % GA_SEGMENT;
      *(T *)(to + stage::place(y, x)) = small[k];
    }
  }
}

#define GA_IS_ACROSS(i) ((GA_ACROSS >> i & 1) != 0)

/* The same of all operands, segment n. */
GA_FN void ga_fetch_segment(const ga_params &P, const ga_place *rows, int nrows, ga_index n) {
  const int t = (int)(n % GA_TURNS);
  char *held = (char *)ga_held;
#define X(i, T)                                                                       \
  {                                                                                   \
    enum { ROOM = ga_stage<T, GA_IS_ACROSS(i)>::ROOM };                               \
    if (n * GA_SEGMENT < (ga_index)P.reduced)                                         \
      ga_fetch_beside<T, GA_IS_ACROSS(i)>(P, held + t * ROOM, P.a##i, i, rows, nrows, \
                                          n * GA_SEGMENT);                            \
    held += GA_TURNS * ROOM;                                                          \
  }
  GA_INPUTS(X)
#undef X
  ga_end_copies();
}

/* The lane's group of row y of a segment, which waits at `from`. */
template <class T, bool ACROSS>
GA_FN void ga_take_group(ga_words<T, GA_VEC> &w, const char *from, int y) {
  typedef ga_stage<T, ACROSS> stage;
  const int x = (threadIdx.x & 31) * GA_VEC;
  if constexpr (ACROSS) {
    ga_vec<T, GA_VEC> v;
#pragma unroll
    for (int j = 0; j < GA_VEC; j++)
      v.v[j] = *(const T *)(from + stage::place(y, x) + j * stage::WIDTH);
    w = ga_words_of<T, GA_VEC>(v);
  } else {
    w = *(const ga_words<T, GA_VEC> *)(from + stage::place(y, x));
  }
}

/* The same of all operands, of segment n. */
GA_FN void ga_get_beside(ga_index n, int y, ga_loaded &g) {
  const int t = (int)(n % GA_TURNS);
  char *held = (char *)ga_held;
#define X(i, T)                                                         \
  {                                                                     \
    enum { ROOM = ga_stage<T, GA_IS_ACROSS(i)>::ROOM };                 \
    ga_take_group<T, GA_IS_ACROSS(i)>(g.x##i, held + t * ROOM, y);      \
    held += GA_TURNS * ROOM;                                            \
  }
  GA_INPUTS(X)
#undef X
}

/* What comes before a row's next segment. */
struct ga_walked {
  ga_acc spans, tiles, chunks, segments;
};

/* The next segment, number n, which makes `made`. */
GA_FN void ga_next_segment(ga_walked &w, ga_index n, const ga_acc &made) {
  w.segments = ga_combine(w.segments, made);
  if (n % 8 != 7) return;
  w.chunks = ga_combine(w.chunks, w.segments);
  w.segments = ga_identity();
  if (n % 64 != 63) return;
  w.tiles = ga_combine(w.tiles, w.chunks);
  w.chunks = ga_identity();
  if (n % 2048 != 2047) return;
  w.spans = ga_combine(w.spans, w.tiles);
  w.tiles = ga_identity();
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  __shared__ ga_place rows[GA_BESIDE];
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const ga_ulong first = (ga_ulong)blockIdx.x * GA_BESIDE, left = P.units - first;
  const int nrows = left < GA_BESIDE ? (int)left : GA_BESIDE;
  ga_walked before[GA_EACH];
#pragma unroll
  for (int b = 0; b < GA_EACH; b++)
    before[b] = {ga_identity(), ga_identity(), ga_identity(), ga_identity()};
  if (threadIdx.x < nrows) rows[threadIdx.x] = ga_seek(P.kept_axes, (ga_index)first + threadIdx.x);
  __syncthreads();
#pragma unroll 1
  for (int n = 0; n < GA_TURNS - 1; n++) ga_fetch_segment(P, rows, nrows, n);
#pragma unroll 1
  for (ga_index n = 0; n * GA_SEGMENT < (ga_index)P.reduced; n++) {
    const ga_index r = n * GA_SEGMENT + lane * GA_VEC;
    ga_copied(GA_TURNS - 2);
    __syncthreads(); /* all are there, and of the segment before all is done */
    ga_fetch_segment(P, rows, nrows, n + GA_TURNS - 1);
#pragma unroll
    for (int b = 0; b < GA_EACH; b++) {
      const int y = warp * GA_EACH + b;
      ga_loaded g;
      ga_sub a[GA_VEC];
      ga_acc results[1][GA_VEC];
      if (!__all_sync(GA_FULL, y < nrows)) break;
      ga_get_beside(n, y, g);
      ga_scan_group(P, g, a);
      const ga_sub up = ga_scan_lanes(a[GA_VEC - 1], 5);
      ga_sub base = ga_from_lane(up, (lane - 1) & 31);
      if (lane == 0) base = ga_narrow(ga_identity());
      ga_walked &w = before[b];
      const ga_acc all = ga_combine(ga_combine(ga_combine(w.spans, w.tiles), w.chunks), w.segments);
      ga_group_results(results[0], a, ga_combine(all, ga_widen(base)), r == 0);
      ga_finish_groups(P, rows[y], r, results);
      ga_next_segment(w, n, ga_widen(ga_from_lane(up, 31)));
    }
  }
}
