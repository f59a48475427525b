/* SPDX-License-Identifier: MIT */
/* The fours of a chain's columns (chain_columns.cu): their elements lie a row apart,
 * neighbouring lanes have neighbouring columns. ga_lengthwise<i> 1: operand i lies in memory
 * along its columns, as the transpose of the others does: a four is a vector.
 */
#define GA_CHUNK 1024
#define GA_SIDE (GA_ACROSS * GA_VEC) /* columns of a block */
#define GA_GROUPS (GA_LANES || GA_TEAM || GA_CLUSTER > 1 ? 1 : GA_THREADS / GA_ACROSS)
#define GA_SLOTS (GA_THREADS / GA_ACROSS) /* lanes of a block: 8, 16 and on in a cluster */
#define GA_SPLIT (GA_CLUSTER > 1 && GA_SLOTS < 1 << GA_LANES)
#define GA_NEAR /* log2 of a chunk's lanes in a block, */ \
  (!GA_SPLIT ? GA_LANES : GA_SLOTS > 4 ? GA_SLOTS / 8 + 2 : GA_SLOTS / 2)
#define GA_PARTS (1 << (GA_LANES - GA_NEAR))             /* ... of so many that have them all */
#define GA_LANE_COUNT (1 << GA_NEAR)
#define GA_OWN (GA_CLUSTER > 1 ? GA_SLOTS / GA_LANE_COUNT : 1) /* chunks of a cluster's block */
#define GA_STRIPS (GA_CLUSTER > 1 ? 8 * GA_OWN : 4) /* parts of a column that are joined, at most */

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong reduced, columns, units; /* units: groups of GA_SIDE columns, or fewer */
  ga_div tiles;                     /* of which columns that lie side by side have so many */
  ga_axes<GA_NK> kept_axes; /* all but the columns, GA_FLAT: all */
  ga_offset column[GA_NOFF], row[GA_NOFF];
  GA_NUMBERS(GA_NUMBER)
};

GA_FN int ga_in_turn(int j) { return j; }

/* Elements of a thread's columns in one row. */
template <class T> GA_FN ga_vec<T, GA_VEC> ga_load_beside(const char *p) {
  if constexpr (GA_VEC > 1) return ga_load_aligned<T, GA_VEC>(p);
  return ga_splat<T, GA_VEC>(ga_load<T>(p));
}
template <class T> GA_FN void ga_store_beside(char *p, const ga_vec<T, GA_VEC> &y) {
  if constexpr (GA_VEC > 1)
    ga_store_aligned<T, GA_VEC>(p, y);
  else
    ga_store<T>(p, y.v[0]);
}

/* The v-th of a thread's columns. */
GA_FN ga_place ga_next(const ga_params &P, const ga_place &column, int v) {
  ga_place at = column;
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) at.off[o] += v * P.column[o];
  return at;
}

/* What level L reads first of N of the lane's fours, the first of all beginning at element r of its
 * columns, from the one numbered `from` on. */
template <int L, int N = GA_FOURS>
GA_FN void ga_load_fours(const ga_params &P, const ga_place &column, ga_index r,
                         ga_four (&f)[GA_VEC][GA_FOURS], int from = 0) {
#define X(i, T)                                                                    \
  if (ga_at##i == L && !ga_tiled##i) {                                             \
    const char *p =                                                                \
        P.a##i + (column.off[i] + (ga_offset)(r + from * GA_PITCH) * P.row[i]);    \
    _Pragma("unroll") for (int k = 0; k < N; k++) {                                \
      const int c = from + k;                                                      \
      if (c >= GA_FOURS) continue;                                                 \
      if (ga_lengthwise##i && ga_exists(P, r, c, 3)) {                             \
        _Pragma("unroll") for (int v = 0; v < GA_VEC; v++) f[v][c].x##i.load(p);   \
        p += GA_PITCH * (int)sizeof(T);                                            \
        continue;                                                                  \
      }                                                                            \
      _Pragma("unroll") for (int j = 0; j < 4; j++) {                              \
        if (ga_exists(P, r, c, j)) {                                               \
          const ga_vec<T, GA_VEC> x =                                              \
              ga_lengthwise##i ? ga_splat<T, GA_VEC>(ga_load<T>(p)) : ga_load_beside<T>(p); \
          _Pragma("unroll") for (int v = 0; v < GA_VEC; v++) f[v][c].x##i.set(j, x.v[v]); \
        }                                                                          \
        p += j < 3 ? (ga_long)P.row[i] : (ga_long)P.row[i] * (GA_PITCH - 3);             \
      }                                                                            \
    }                                                                              \
  }
  GA_INPUTS(X)
#undef X
}

/* Registers of what the map alone reads: where they are few all is read before it, else as it goes
 * on. */
#define X(i, T) +(ga_at##i == GA_MAP ? GA_FOURS * 4 * GA_VEC * (int)sizeof(T) : 0)
enum { ga_map_bytes = 0 GA_INPUTS(X), ga_is_early = ga_map_bytes <= 80 };
#undef X

#if GA_TILED
/* chain_tiles.cuh */
#elif GA_MAPS && GA_TURNED

/* Results that lie along the columns change places in shared memory, GA_TURNED of a thread's fours
 * at a time, so that neighbouring threads store neighbouring fours.
 *
 *   100 rows of float16, 4 lanes, 64 columns: two fours at a time, 32 elements of each column,
 *   which 8 neighbours store. */
#define GA_AT_ONCE (GA_TURNED << GA_LANES)
#define GA_TURNED_ROOM ((GA_THREADS * GA_TURNED + (GA_THREADS >> GA_LANES)) * GA_VEC) /* fours */

/* Where fours of the x-th column of a chunk lie: first columns of all threads, then second ones. */
GA_FN ga_uint ga_turned_column(ga_uint chunk, ga_uint x) {
  return ((chunk * GA_VEC + x % GA_VEC) * GA_ACROSS + x / GA_VEC) * (GA_AT_ONCE + 1);
}

/* The k-th four of the thread's v-th column, in turn. */
GA_FN ga_uint ga_turned_place(int k, int v) {
  const ga_uint slot = threadIdx.x / GA_ACROSS, x = threadIdx.x % GA_ACROSS;
  return ga_turned_column(slot >> GA_LANES, x * GA_VEC + v) + (k << GA_LANES) +
         (slot & ((1 << GA_LANES) - 1));
}

/* Stores the c-th and following fours of all columns, N elements at a time; p: where the block's
 * columns begin. */
template <class T, int N>
GA_FN void ga_store_turned(const ga_params &P, const ga_vec<T, 4> *turned, char *p,
                           ga_offset column, ga_index columns, int c) {
#pragma unroll
  for (int k = 0; k < GA_TURNED * GA_VEC * 4 / N; k++) {
    const ga_uint u = (threadIdx.x + k * GA_THREADS) * N, strip = u / (GA_AT_ONCE * 4);
    const ga_uint x = strip % GA_SIDE, chunk = strip / GA_SIDE, e = u % (GA_AT_ONCE * 4);
    const ga_index r = chunk * GA_CHUNK + c * GA_PITCH + e;
    const T *const from = (const T *)(turned + ga_turned_column(chunk, x)) + e;
    if (x >= columns || c + (int)(e / GA_PITCH) >= GA_FOURS) continue;
    char *const to = p + ((ga_offset)x * column + (ga_offset)r * (ga_offset)sizeof(T));
    if (N > 1 && r + N <= P.reduced) {
      ga_store_aligned<T, N>(to, *(const ga_vec<T, N> *)from);
    } else {
#pragma unroll
      for (int j = 0; j < N; j++)
        if (r + j < P.reduced) ga_store<T>(to + j * (int)sizeof(T), from[j]);
    }
  }
}

/* x: the block's first column. */
GA_FN void ga_map_turned(const ga_params &P, const ga_place &column, ga_index x, ga_index r,
                         ga_four (&f)[GA_VEC][GA_FOURS], const ga_kept (&kept)[GA_VEC],
                         bool exists) {
  const ga_offset back = exists ? (ga_offset)(threadIdx.x % GA_ACROSS * GA_VEC)
                                : (ga_offset)((ga_index)P.columns - GA_VEC - x);
  if (ga_is_early) ga_load_fours<GA_MAP>(P, column, r, f);
#define X(i, T)                                                                             \
  __shared__ GA_ALIGN(16) char room##i[ga_lengthwise##i ? GA_TURNED_ROOM * 4 * sizeof(T) : 1]; \
  ga_vec<T, 4> *const turned##i = (ga_vec<T, 4> *)room##i;
  GA_OUTPUTS(X)
#undef X
#pragma unroll
  for (int c = 0; c < GA_FOURS; c += GA_TURNED) {
    if (c > 0) __syncthreads();
    if (!ga_is_early) ga_load_fours<GA_MAP, GA_TURNED>(P, column, r, f, c);
#pragma unroll
    for (int k = 0; k < GA_TURNED && c + k < GA_FOURS; k++) {
#define X(i, T) ga_vec<T, 4> four##i[GA_VEC];
      GA_OUTPUTS(X)
#undef X
#pragma unroll
      for (int j = 0; j < 4; j++) {
        ga_out out[GA_VEC];
#pragma unroll
        for (int v = 0; v < GA_VEC; v++) ga_map(P, f[v][c + k].get(j), kept[v], out[v]);
#define X(i, T)                                                                             \
  _Pragma("unroll") for (int v = 0; v < GA_VEC; v++) four##i[v].v[j] = out[v].y##i;         \
  if (!ga_lengthwise##i && exists && ga_exists(P, r, c + k, j)) {                           \
    ga_vec<T, GA_VEC> y;                                                                    \
    _Pragma("unroll") for (int v = 0; v < GA_VEC; v++) y.v[v] = out[v].y##i;                \
    ga_store_beside<T>(P.a##i + (column.off[i] +                                            \
                                 (ga_offset)(r + (c + k) * GA_PITCH + j) * P.row[i]), y);   \
  }
        GA_OUTPUTS(X)
#undef X
      }
#define X(i, T)                                                                             \
  if (ga_lengthwise##i)                                                                     \
    _Pragma("unroll") for (int v = 0; v < GA_VEC; v++)                                      \
      turned##i[ga_turned_place(k, v)] = four##i[v];
      GA_OUTPUTS(X)
#undef X
    }
    __syncthreads();
#define X(i, T)                                                                             \
  if (ga_lengthwise##i)                                                                     \
    ga_store_turned<T, ga_lengthwise##i == 2 ? 1 : 4>(                                      \
        P, turned##i, P.a##i + (column.off[i] - back * P.column[i]), P.column[i],           \
        (ga_index)P.columns - x, c);
    GA_OUTPUTS(X)
#undef X
  }
}

#elif GA_MAPS

GA_FN void ga_map_fours(const ga_params &P, const ga_place &column, ga_index r,
                        ga_four (&f)[GA_VEC][GA_FOURS], const ga_kept (&kept)[GA_VEC],
                        bool exists) {
  if (ga_is_early) ga_load_fours<GA_MAP>(P, column, r, f);
  if (!exists) return;
#define X(i, T) char *p##i = P.a##i + (column.off[i] + (ga_offset)r * P.row[i]);
  GA_OUTPUTS(X)
#undef X
#pragma unroll
  for (int c = 0; c < GA_FOURS; c++) {
    const bool whole = ga_exists(P, r, c, 3);
    if (!ga_is_early) ga_load_fours<GA_MAP, 1>(P, column, r, f, c);
#define X(i, T) ga_vec<T, 4> four##i;
    GA_OUTPUTS(X)
#undef X
#pragma unroll
    for (int j = 0; j < 4; j++) {
      ga_out out[GA_VEC];
#pragma unroll
      for (int v = 0; v < GA_VEC; v++) ga_map(P, f[v][c].get(j), kept[v], out[v]);
#define X(i, T)                                                                 \
  if (ga_lengthwise##i && whole) {                                              \
    four##i.v[j] = out[0].y##i;                                                 \
    if (j == 3) ga_store_aligned<T, 4>(p##i - 3 * (int)sizeof(T), four##i);     \
  } else if (ga_exists(P, r, c, j)) {                                           \
    ga_vec<T, GA_VEC> y;                                                        \
    _Pragma("unroll") for (int v = 0; v < GA_VEC; v++) y.v[v] = out[v].y##i;    \
    ga_store_beside<T>(p##i, y);                                                \
  }                                                                             \
  p##i += j < 3 ? (ga_long)P.row[i] : (ga_long)P.row[i] * (GA_PITCH - 3);
      GA_OUTPUTS(X)
#undef X
    }
  }
}

#endif
