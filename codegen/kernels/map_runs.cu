/* SPDX-License-Identifier: MIT */
/* Map, operands in several orders, along short axes, or in rows off words: a block does a box of
 * up to four axes, whose results are rows, each a run of neighbours in memory. Operands that lie
 * otherwise are copied to shared memory as they lie, an image of the box; a thread takes GA_VEC
 * neighbours of a row out of it, 4 bytes of the widest operand or one element, and stores them.
 *
 * Axes 0 and 1 are along a row: all of axis 0 (of extent 1 where axis 1 alone is), and some of
 * axis 1. Rows follow each other along axis 2, or (GA_SPLIT) along axis 1, of which a row has
 * GA_SPLIT elements. Axis 3 (then 2) repeats that.
 *
 * An image is lines of memory, some axes going along a line, the others from line to line
 * (APART). Lines keep how far they are past a multiple of GRAIN bytes, so that whole words are
 * copied: steps from line to line are, modulo GRAIN, those of memory. So where an element lies
 * is a sum of what its place in the row says and its row. Rows are cut at multiples of GA_CUT
 * elements in memory, and those GA_STRIDE rows apart are cut alike: a thread does those.
 *
 *   int8 [1000, 33] to 33 rows of 1000: axis 1 is x, axis 2 the 33, a box 256 by 33. The image is
 *   one line of 8448 bytes; x = 4 of row 2 is byte 4 * 33 + 2.
 *   Back: axis 0 is the 33, axis 1 x, GA_SPLIT 32: a row is 1056 bytes. The image is 33 lines.
 *   [300, 600, 7] to [600, 300, 7]: axis 0 the 7, axis 1 the 300, axis 2 the 600.
 *
 * GA_BESIDE rows that follow each other are done together, GA_STRIDE such groups apart: of an image
 * whose elements lie beside each other from row to row (BESIDE), a word has an element of each.
 *
 *   float16 [640, 24] to 24 rows of 640: GA_BESIDE 4; x = 3 of rows 8 to 11 is the 8 bytes at
 *   48 * 3 + 16.
 *
 * The generator supplies besides what map_boxes.cuh says:
 *   GA_CROSSED(X)   X(i, ga_image<T, ...>) for each operand that goes by way of shared memory
 *   GA_DIRECT(X)    X(i, T, STILL) for the others, which move along a row by one element, or
 *                   (STILL 1) not at all
 */
/* Elements of a whole row, and slots of GA_VEC that it takes wherever it begins: whole sectors of
 * memory, so that a warp's begin with one. */
constexpr int ga_run = GA_EXTENT0 * (GA_SPLIT ? GA_SPLIT : GA_EXTENT1);
constexpr int ga_slots = ((ga_run + GA_CUT - 1 + GA_VEC - 1) / GA_VEC + 7) / 8 * 8;

/* Rows of a box, those of a thread, taken together, and how many of them it does at once: 4 at
 * most, and as many each time. */
constexpr GA_FN int ga_parts(int n, int each) { return (n + each - 1) / each; }
constexpr int ga_rows = GA_SPLIT ? ga_parts(GA_EXTENT1, GA_SPLIT ? GA_SPLIT : 1) : GA_EXTENT2;
constexpr int ga_groups = ga_parts(ga_parts(ga_rows, GA_BESIDE), GA_STRIDE);
constexpr int ga_turns = ga_parts(ga_groups, GA_BESIDE > 4 ? 1 : 4 / GA_BESIDE);
constexpr int ga_each = GA_BESIDE * ga_parts(ga_groups, ga_turns);

/* All threads have so many each time. */
constexpr bool ga_even = ga_rows % (GA_STRIDE * ga_each) == 0;

/* Most warps have an end of a row: all is done as ends are, where such warps would do both. */
constexpr bool ga_ends = GA_VEC > 1 && ga_slots <= 64;

/* How the box of an operand lies in shared memory, FROM bytes from its beginning on: P0, P1, ...
 * bytes from one to the next along each axis; bit k of APART: axis k goes from line to line, of
 * BACK: it goes backwards; 2^LANES threads copy a line, GRAIN bytes at once: 16, or 4 so that
 * lines can be an odd number of words apart. */
template <class T, int FROM, int P0, int P1, int P2, int P3, int APART, int BACK, int LANES,
          int BESIDE, int GRAIN>
struct ga_image {
  typedef T type;
  static constexpr int from = FROM, lanes = LANES, grain = GRAIN;
  static constexpr bool beside = BESIDE != 0;
  static constexpr GA_FN_MEMBER int pitch(int k) {
    return k == 0 ? P0 : k == 1 ? P1 : k == 2 ? P2 : P3;
  }
  static constexpr GA_FN_MEMBER bool apart(int k) { return (APART >> k & 1) != 0; }
  static constexpr GA_FN_MEMBER bool back(int k) { return (BACK >> k & 1) != 0; }
  static constexpr GA_FN_MEMBER int steps(int k) { return back(k) ? -pitch(k) : pitch(k); }
  static constexpr GA_FN_MEMBER int count(int k) { return apart(k) ? GA_EXTENT(k) : 1; }
  /* Bytes to position `at` of axis k. */
  static GA_FN_MEMBER int place(int k, int at) {
    if (back(k)) at = GA_EXTENT(k) - 1 - at;
    return at * pitch(k);
  }
  /* Bytes to element e of row 0. */
  static GA_FN_MEMBER int of_element(int e) {
    if (GA_EXTENT0 == 1) return place(1, e);
    const int y = (int)((ga_uint)e / GA_EXTENT0);
    return place(0, e - y * GA_EXTENT0) + place(1, y);
  }
};

/* How far past a multiple of GRAIN the lowest element is that a whole box of operand o at p has. */
template <class IMAGE> GA_FN int ga_past(const ga_params &P, int o, const char *p) {
  ga_ulong at = (ga_ulong)p;
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (IMAGE::back(k)) at += (ga_ulong)(GA_EXTENT(k) - 1) * (ga_ulong)P.step[k][o];
  return (int)(at & (IMAGE::grain - 1));
}

/* Copies the box of operand o, which begins at p. */
template <class IMAGE>
GA_FN void ga_copy_image(char *shared, const ga_params &P, int o, const char *p,
                         const ga_spot &part) {
  constexpr int lines = IMAGE::count(0) * IMAGE::count(1) * IMAGE::count(2) * IMAGE::count(3);
  constexpr int threads = 1 << IMAGE::lanes;
  int bytes = (int)sizeof(typename IMAGE::type), first = IMAGE::from + ga_past<IMAGE>(P, o, p);
#pragma unroll
  for (int k = 0; k < 4; k++) {
    if (GA_EXTENT(k) == 1) continue;
    const int past = part.at[k] - 1, step = (int)(IMAGE::back(k) ? -P.step[k][o] : P.step[k][o]);
    if (IMAGE::back(k)) p += past * P.step[k][o];
    if (!IMAGE::apart(k)) bytes += past * step;
    if (!IMAGE::apart(k) && IMAGE::back(k)) first += (GA_EXTENT(k) - part.at[k]) * IMAGE::pitch(k);
  }
  const int lane = (int)threadIdx.x & (threads - 1);
#pragma unroll 2
  for (int line = (int)threadIdx.x >> IMAGE::lanes; line < lines; line += GA_BLOCK / threads) {
    int rest = line, to = first;
    const char *q = p;
    bool on = true;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      if (!IMAGE::apart(k)) continue;
      const int over = (int)((ga_uint)rest / GA_EXTENT(k)), at = rest - over * GA_EXTENT(k);
      rest = over;
      on = on && at < part.at[k];
      q += at * (IMAGE::back(k) ? -P.step[k][o] : P.step[k][o]);
      const int there = IMAGE::back(k) ? at + GA_EXTENT(k) - part.at[k] : at;
      to += there * IMAGE::pitch(k);
    }
    const int past = (int)((ga_ulong)q & (IMAGE::grain - 1));
    if (!on) continue;
    q -= past;
#pragma unroll 4
    for (int b = IMAGE::grain * lane; b < past + bytes; b += IMAGE::grain * threads)
      ga_copy_beside<IMAGE::grain>(shared + (to - past) + b, q + b);
  }
}

/* From a thread's first row to its row n. */
constexpr GA_FN int ga_row(int n) {
  return n / GA_BESIDE * (GA_STRIDE * GA_BESIDE) + n % GA_BESIDE;
}

template <int N, bool WHOLE> struct ga_flags {
  static constexpr int rows = N;
  static constexpr bool whole = WHOLE;
};

extern "C" __global__ void __launch_bounds__(GA_BLOCK)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  extern __shared__ ga_vec<ga_uint, 4> ga_held[];
  char *const shared = (char *)ga_held;
  ga_offset off[GA_NOFF];
  ga_spot part;
  if (!ga_find_box(P, off, part)) return;

#define X(i, ...) ga_copy_image<__VA_ARGS__>(shared, P, i, P.a##i + off[i], part);
  GA_CROSSED(X)
#undef X
  constexpr int row_axis = GA_SPLIT ? 1 : 2, time_axis = row_axis + 1;
  constexpr int each = GA_SPLIT ? GA_SPLIT : 1; /* positions of the axis that a row is */
  const int all = GA_EXTENT0 * part.at[1];       /* elements along axes 0 and 1 */
  const int times = part.at[time_axis], rows = (part.at[row_axis] + each - 1) / each;
  ga_offset row_step[GA_NOFF];
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) row_step[o] = each * P.step[row_axis][o];
#define X(i, ...)                                                                        \
  typedef __VA_ARGS__ image##i;                                                          \
  constexpr int row_pitch##i = each * image##i::steps(row_axis);                         \
  const char *base##i = shared + ga_past<image##i>(P, i, P.a##i + off[i]);               \
  base##i += image##i::from;                                                             \
  if (row_axis == 2) base##i += image##i::place(2, 0);                                   \
  base##i += image##i::place(time_axis, 0);
  GA_CROSSED(X)
#undef X
  ga_wait_for_copies();
  __syncthreads();

#pragma unroll 1
  for (int time = 0; time < times; time++) {
#pragma unroll 1
    for (int item = (int)threadIdx.x; item < GA_STRIDE * ga_slots; item += GA_BLOCK) {
      const int group = item / ga_slots, row0 = group * GA_BESIDE;
      if (row0 >= rows) break;
      const char *const at = GA_FIRST_ADDRESS + (off[GA_FIRST] + row0 * row_step[GA_FIRST]);
      const int past = (int)((ga_ulong)at / sizeof(GA_FIRST_T)) & (GA_CUT - 1);
      const int x = (item - group * ga_slots) * GA_VEC - past;
      const int from = x < 0 ? -x : 0;
      /* elements of row 0 from there on */
      const int end = all - x, most = ga_run - x;
      if (from >= GA_VEC || ga_least(end, most) <= 0) continue;
#define X(i, ...)                                                                        \
  const char *c##i[GA_VEC];                                                              \
  _Pragma("unroll") for (int k = 0; k < GA_VEC; k++)                                     \
    c##i[k] = base##i + (image##i::of_element(x + k) + row0 * row_pitch##i);
      GA_CROSSED(X)
#undef X
      ga_offset at_row[GA_NOFF];
#pragma unroll
      for (int o = 0; o < GA_NOFF; o++) at_row[o] = off[o] + row0 * row_step[o];
#define X(i, T, STILL) at_row[i] += STILL ? 0 : x * (int)sizeof(T);
      GA_DIRECT(X)
#undef X
#define X(i, T) at_row[i] += x * (int)sizeof(T);
      GA_OUTPUTS(X)
#undef X
      const auto left = [&](int row) {
        return ga_least(most, GA_SPLIT ? end - row * ga_run : end);
      };
      /* N rows from `row` on: all of them where they are WHOLE, else what is there. */
      const auto do_rows = [&](auto flags, int row) {
        constexpr int N = decltype(flags)::rows;
        constexpr bool WHOLE = decltype(flags)::whole;
        int to[N]; /* elements [from, to) of a row are there */
#pragma unroll
        for (int n = 0; n < N; n++) {
          const int at = row + ga_row(n);
          to[n] = WHOLE ? GA_VEC : at < rows ? ga_least(GA_VEC, left(at)) : 0;
        }
#define X(i, ...)                                                                        \
  constexpr bool held##i = image##i::beside;                                             \
  ga_words<image##i::type, GA_BESIDE> h##i[held##i ? N / GA_BESIDE : 1][GA_VEC];         \
  if constexpr (held##i)                                                                 \
    _Pragma("unroll") for (int n = 0; n < N; n += GA_BESIDE)                             \
      _Pragma("unroll") for (int k = 0; k < GA_VEC; k++)                                 \
        if (WHOLE || (k >= from && k < to[n]))                                           \
          h##i[n / GA_BESIDE][k] = *(const ga_words<image##i::type, GA_BESIDE> *)(       \
              c##i[k] + (row - row0 + ga_row(n)) * row_pitch##i);
        GA_CROSSED(X)
#undef X
#define X(i, T, STILL) ga_words<T, GA_VEC> d##i[N];
        GA_DIRECT(X)
#undef X
#pragma unroll
        for (int n = 0; n < N; n++) {
#define X(i, T, STILL)                                                                   \
  if (WHOLE || from < to[n])                                                             \
    d##i[n] = ga_load_beside<T, GA_VEC, GA_ALIGNED, STILL>(                              \
        P.a##i + (at_row[i] + (row - row0 + ga_row(n)) * row_step[i]), from, to[n]);
          GA_DIRECT(X)
#undef X
        }
#pragma unroll
        for (int n = 0; n < N; n++) {
#define X(i, T) ga_vec<T, GA_VEC> r##i;
          GA_OUTPUTS(X)
#undef X
#define X(i, T, STILL) const ga_vec<T, GA_VEC> v##i = ga_elements<T, GA_VEC>(d##i[n]);
          GA_DIRECT(X)
#undef X
#pragma unroll
          for (int k = 0; k < GA_VEC; k++) {
            ga_in in;
            ga_out out;
            if (!WHOLE && (k < from || k >= to[n])) continue;
#define X(i, T, STILL) in.x##i = v##i.v[k];
            GA_DIRECT(X)
#undef X
#define X(i, ...)                                                                        \
  if constexpr (held##i)                                                                 \
    in.x##i =                                                                            \
        ga_elements<image##i::type, GA_BESIDE>(h##i[n / GA_BESIDE][k]).v[n % GA_BESIDE]; \
  else                                                                                   \
    in.x##i = *(const image##i::type *)(c##i[k] + ((row - row0) * row_pitch##i +         \
                                                   ga_row(n) * row_pitch##i));
            GA_CROSSED(X)
#undef X
            ga_map(P, in, 0, out);
#define X(i, T) r##i.v[k] = out.y##i;
            GA_OUTPUTS(X)
#undef X
          }
#define X(i, T)                                                                          \
  {                                                                                      \
    char *p = P.a##i + (at_row[i] + (row - row0 + ga_row(n)) * row_step[i]);         \
    if (WHOLE)                                                                           \
      GA_STORE_RESULTS(i, T, ga_store_aligned, p)                                        \
    else                                                                                 \
      ga_store_part<T, GA_VEC, GA_STORE_VEC || i == GA_FIRST>(p, r##i, from, to[n]);     \
  }
          GA_OUTPUTS(X)
#undef X
        }
      };
      int row = row0;
#pragma unroll 1
      for (; !ga_ends && from == 0 && row + ga_row(ga_each - 1) < rows &&
             left(row + ga_row(ga_each - 1)) >= GA_VEC;
           row += ga_each * GA_STRIDE)
        do_rows(ga_flags<ga_each, true>(), row);
#pragma unroll 1
      for (; !ga_ends && !ga_even && from == 0 && row < rows && left(row) >= GA_VEC;
           row += GA_BESIDE * GA_STRIDE)
        do_rows(ga_flags<GA_BESIDE, true>(), row);
#pragma unroll 1
      for (; row < rows; row += ga_each * GA_STRIDE)
        do_rows(ga_flags<ga_each, false>(), row);
    }
#pragma unroll
    for (int o = 0; o < GA_NOFF; o++) off[o] += P.step[time_axis][o];
#define X(i, ...) base##i += image##i::steps(time_axis);
    GA_CROSSED(X)
#undef X
  }
}
