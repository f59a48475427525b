/* SPDX-License-Identifier: MIT */
/* A chain whose input lies in another order than its result, or is reduced along several axes, of
 * rows that a box of both fits on chip with: a block copies a box of up to four axes, all of the
 * reduced ones (GA_ROW_AXES), to shared memory, line by line as it lies in memory; 2^GA_LANES
 * lanes a row make what the levels want of that, and leave results in the places of what they read;
 * then the block stores them, run by run as the result lies. The box's axes are in the result's
 * order, the fastest first.
 *
 *   log-softmax along axis 2 of bfloat16 [3, 155345, 3, 48] in Fortran order, into C order: axes 3,
 *   2, 1 and 0 of it, 48 by 3 by 32 by 3. The input has 144 * 3 lines of 96 elements, its axes 0
 *   and 1, and the result three runs of 4608. 4608 rows of three elements, a lane each.
 *
 * An element lies GA_PLACE0 bytes from its neighbour along axis 0, and so on: those in memory along
 * a line, modulo 4 those from line to line, so that lines are copied by words of 4 bytes, and as
 * many words as no two neighbours meet a bank with.
 *
 * The generator supplies besides what chain.cuh and map_boxes.cuh say:
 *   GA_LINES_APART  bit k: axis k goes from line to line of the input
 *   GA_LINE_LANES   log2 of the threads that copy a line
 *   GA_BOX_ORDER        the axes in the input's order, 4 bits each, the fastest in the lowest
 *   GA_RUN          axes of a run of the result: those before the last of them are whole
 *   ga_boxed<i>     whether input i is of the box: one is, of the size of the one result. The
 *                   others, which have fewer elements, are read where they lie. */
#define GA_GRAIN(T) (sizeof(T) < 8 ? 4 : 8)

constexpr GA_FN int ga_place_of(int k) {
  return k == 0 ? GA_PLACE0 : k == 1 ? GA_PLACE1 : k == 2 ? GA_PLACE2 : GA_PLACE3;
}
constexpr GA_FN bool ga_is_apart(int k) { return (GA_LINES_APART >> k & 1) != 0; }

/* The n-th axis in the input's order, the fastest first: rows side by side meet few banks. */
constexpr GA_FN int ga_axis_of(int n) { return GA_BOX_ORDER >> 4 * n & 15; }

/* Positions of the box along axes [from, to); rows of all. */
constexpr GA_FN int ga_volume(int from, int to) {
  int n = 1;
  for (int k = from; k < to; k++) n *= GA_EXTENT(k);
  return n;
}
constexpr GA_FN int ga_rows_of_box() { return ga_volume(0, 4) / (int)ga_elements_of_row(); }

constexpr GA_FN int ga_lines_of_box() {
  int n = 1;
  for (int k = 0; k < 4; k++)
    if (ga_is_apart(k)) n *= GA_EXTENT(k);
  return n;
}

/* Bytes of a whole line. */
constexpr GA_FN int ga_line_bytes(int size) {
  int n = size;
  for (int k = 0; k < 4; k++)
    if (!ga_is_apart(k)) n += (GA_EXTENT(k) - 1) * ga_place_of(k);
  return n;
}

/* Copies operand o's part of the box, which begins at p, to `to`. */
template <class T>
GA_FN void ga_copy_box(ga_shared to, const ga_params &P, int o, const char *p,
                       const ga_spot &part) {
  constexpr int lines = ga_lines_of_box(), threads = 1 << GA_LINE_LANES, grain = GA_GRAIN(T);
  constexpr int most = (ga_line_bytes((int)sizeof(T)) + 2 * (grain - 1)) / grain;
  const int first = grain * ((int)threadIdx.x & (threads - 1));
  int bytes = (int)sizeof(T);
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (GA_EXTENT(k) != 1 && !ga_is_apart(k)) bytes += (part.at[k] - 1) * ga_place_of(k);
#pragma unroll 2
  for (int line = (int)threadIdx.x >> GA_LINE_LANES; line < lines; line += GA_BLOCK / threads) {
    int rest = line, place = 0;
    const char *q = p;
    bool on = true;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      if (GA_EXTENT(k) == 1 || !ga_is_apart(k)) continue;
      const int over = (int)((ga_uint)rest / GA_EXTENT(k)), at = rest - over * GA_EXTENT(k);
      rest = over;
      on = on && at < part.at[k];
      q += at * P.step[k][o];
      place += at * ga_place_of(k);
    }
    const int past = (int)((ga_ulong)q & (grain - 1)) - first, left = on ? past + bytes : 0;
    const ga_shared into = to + (place - past);
    q -= past;
#pragma unroll 8
    for (int b = 0; b < most * grain; b += threads * grain)
      ga_copy_if<grain>(into, b, q + b, b < left);
  }
}

/* Places of N elements of a run from number x on, in bytes from its first. */
template <int N> GA_FN void ga_places_in_run(int (&place)[N], int x) {
  int at[4], first = 0;
#pragma unroll
  for (int k = 0; k < GA_RUN; k++) {
    const int over = k + 1 < GA_RUN ? (int)((ga_uint)x / GA_EXTENT(k)) : 0;
    at[k] = x - over * GA_EXTENT(k);
    first += at[k] * ga_place_of(k);
    x = over;
  }
  place[0] = first;
#pragma unroll
  for (int e = 1; e < N; e++) {
    int step = ga_place_of(0);
    bool over = true; /* of the axes before axis k */
#pragma unroll
    for (int k = 0; k + 1 < GA_RUN; k++) {
      at[k] += over;
      over = over && at[k] == GA_EXTENT(k);
      if (over) at[k] = 0;
      if (over) step += ga_place_of(k + 1) - GA_EXTENT(k) * ga_place_of(k);
    }
    place[e] = place[e - 1] + step;
  }
}

/* Stores what lies at `from` as operand o's part of the box, which begins at p. */
template <class T>
GA_FN void ga_store_box(const char *from, const ga_params &P, int o, char *p,
                        const ga_spot &part) {
  constexpr int vec = sizeof(T) < 4 ? 4 / (int)sizeof(T) : 1;
  constexpr int slots = (ga_volume(0, GA_RUN) + vec - 1 + vec - 1) / vec;
  constexpr int items = slots * ga_volume(GA_RUN, 4);
  const int length = ga_volume(0, GA_RUN - 1) * part.at[GA_RUN - 1];
#pragma unroll 2
  for (int item = (int)threadIdx.x; item < items; item += GA_BLOCK) {
    int rest = (int)((ga_uint)item / slots);
    const int slot = item - rest * slots;
    ga_offset to = 0;
    int line = 0, place[vec];
    bool on = true;
#pragma unroll
    for (int k = GA_RUN; k < 4; k++) {
      if (GA_EXTENT(k) == 1) continue;
      const int over = (int)((ga_uint)rest / GA_EXTENT(k)), at = rest - over * GA_EXTENT(k);
      rest = over;
      on = on && at < part.at[k];
      to += at * P.step[k][o];
      line += at * ga_place_of(k);
    }
    const ga_uint begin = ((ga_uint)(ga_ulong)p + (ga_uint)to) / (ga_uint)sizeof(T);
    const int x = slot * vec - (int)(begin & (vec - 1));
    if (!on || x >= length) continue;
    char *const q = p + (to + x * (int)sizeof(T));
    if (x >= 0 && x + vec <= length) {
      ga_vec<T, vec> y;
      ga_places_in_run<vec>(place, x);
#pragma unroll
      for (int e = 0; e < vec; e++) y.v[e] = *(const T *)(from + (line + place[e]));
      ga_store_aligned<T, vec>(q, y);
    } else {
#pragma unroll 1
      for (int e = x < 0 ? -x : 0; e < vec && x + e < length; e++) {
        int one[1];
        ga_places_in_run<1>(one, x + e);
        ga_store<T>(q + e * (int)sizeof(T), *(const T *)(from + (line + one[0])));
      }
    }
  }
}

/* Joins the lanes of a row, which are 32 / 2^GA_LANES apart. */
template <class A> GA_FN A ga_join_row(A a) {
  GA_UNROLL_JOINS
  for (int b = GA_LANES - 1; b >= 0; b--) a = ga_combine(a, ga_exchange(a, (32 >> GA_LANES) << b));
  return a;
}

/* Where element r of a row lies, of which neighbours along axis k are step(k) apart. */
template <class T, class F> GA_FN T ga_element_at(ga_uint r, const F &step) {
  T at = 0;
#pragma unroll
  for (int n = 0; n < GA_NR; n++) {
    const int k = ga_reduced_axis(n);
    const ga_uint over = n + 1 < GA_NR ? r / GA_EXTENT(k) : 0;
    at += (T)(r - over * GA_EXTENT(k)) * step(k);
    r = over;
  }
  return at;
}

/* Element j of a lane's c-th four, in bytes from the row's first, or along one axis the lane's. */
GA_FN int ga_place_of_element(ga_uint r, int c, int j) {
  const int ahead = c * GA_PITCH + j;
  if (GA_NR == 1) return ahead * ga_place_of(ga_reduced_axis(0));
  return ga_element_at<int>(r + ahead, [](int k) { return ga_place_of(k); });
}

/* The same of operand o, which is not of the box. */
template <class T>
GA_FN T ga_beside_box(const ga_params &P, const char *p, int o, const ga_place &row, ga_uint r,
                      int c, int j) {
  const ga_offset at = ga_element_at<ga_offset>(r + c * GA_PITCH + j,
                                                [&](int k) { return P.step[k][o]; });
  return ga_load<T>(p + (row.off[o] + at));
}

/* Row number u of the box, whose lane has elements r to r+3 and on. Lanes whose row does not exist
 * go along for the exchanges, but read none: another may be writing it. */
GA_FN void ga_do_row(const ga_params &P, const ga_offset (&off)[GA_NOFF], char *box, int u,
                     ga_index r, const ga_spot &part) {
  bool exists = u < ga_rows_of_box();
  ga_place row;
  ga_spot at;
  ga_four f[GA_FOURS];
  ga_kept kept;
#pragma unroll
  for (int n = 0; n < 4; n++) {
    const int k = ga_axis_of(n);
    at.at[k] = 0;
    if (GA_EXTENT(k) == 1 || ga_is_reduced(k)) continue;
    const int over = (int)((ga_uint)u / GA_EXTENT(k));
    at.at[k] = u - over * GA_EXTENT(k);
    u = over;
    exists = exists && at.at[k] < part.at[k];
  }
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) row.off[o] = off[o];
#pragma unroll
  for (int k = 0; k < 4; k++) {
    if (GA_EXTENT(k) == 1 || ga_is_reduced(k)) continue;
    if (!exists) at.at[k] = 0; /* where operands beside the box are there */
    box += at.at[k] * ga_place_of(k);
#pragma unroll
    for (int o = 0; o < GA_NOFF; o++) row.off[o] += at.at[k] * P.step[k][o];
  }
  if (GA_NR == 1) box += (int)r * ga_place_of(ga_reduced_axis(0));
#define X(i, T)                                                                            \
  if (ga_boxed##i || ga_at##i < GA_MAP)                                                    \
    _Pragma("unroll") for (int c = 0; c < GA_FOURS; c++)                                   \
      _Pragma("unroll") for (int j = 0; j < 4; j++)                                        \
        if ((exists || !ga_boxed##i) && ga_exists(P, r, c, j))                             \
          f[c].x##i.set(j, ga_boxed##i ? *(const T *)(box + ga_place_of_element(r, c, j))  \
                                       : ga_beside_box<T>(P, P.a##i, i, row, r, c, j));
  GA_INPUTS(X)
#undef X
#define X(j)                                                                               \
  {                                                                                        \
    const ga_acc##j a = ga_join_row(ga_fold_lane<ga_acc##j, false>(P, f, kept, r));        \
    ga_finish<j>(P, row, a, kept, exists && r == 0);                                       \
  }
  GA_LEVELS(X)
#undef X
#pragma unroll
  for (int c = 0; c < GA_FOURS; c++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      ga_out out;
#define X(i, T)                                                                            \
  if (!ga_boxed##i && ga_at##i == GA_MAP && ga_exists(P, r, c, j))                         \
    f[c].x##i.set(j, ga_beside_box<T>(P, P.a##i, i, row, r, c, j));
      GA_INPUTS(X)
#undef X
      ga_map(P, f[c].get(j), kept, out);
      if (!exists || !ga_exists(P, r, c, j)) continue;
#define X(i, T) *(T *)(box + ga_place_of_element(r, c, j)) = out.y##i;
      GA_OUTPUTS(X)
#undef X
    }
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  extern __shared__ ga_vec<ga_uint, 4> ga_held[];
  char *box = (char *)ga_held;
  const int lane = (int)threadIdx.x & 31, beside = 32 >> GA_LANES; /* rows of a warp */
  ga_offset off[GA_NOFF];
  ga_spot part;
  if (!ga_find_box(P, off, part)) return;
#define X(i, T)                                                      \
  if (ga_boxed##i) {                                                 \
    box += (ga_ulong)(P.a##i + off[i]) & (GA_GRAIN(T) - 1);          \
    ga_copy_box<T>(ga_shared_at(box), P, i, P.a##i + off[i], part);  \
  }
  GA_INPUTS(X)
#undef X
  ga_wait_for_copies();
  __syncthreads();
#pragma unroll 1
  for (int u = ((int)threadIdx.x >> 5) * beside; u < ga_rows_of_box();
       u += GA_BLOCK >> GA_LANES)
    ga_do_row(P, off, box, u + (lane & (beside - 1)), (ga_uint)(lane / beside * 4), part);
  __syncthreads();
#define X(i, T) ga_store_box<T>(box, P, i, P.a##i + off[i], part);
  GA_OUTPUTS(X)
#undef X
}
