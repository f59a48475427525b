/* SPDX-License-Identifier: MIT */
/* A chain's columns whose rows do not begin with sectors of memory, by way of shared memory: a
 * block copies its part of each row there as aligned vectors, each level reads it again, results
 * take the places of what was read, and the block stores them as whole sectors.
 *
 * A sector of which two blocks store a part each takes the second cache several times as long, and
 * beside a narrow part that is every fourth. So neighbouring tiles share GA_LAP columns, as many as
 * a sector may have of the next: both work them out, and of each row a block stores the sectors
 * that begin in its part, but that of the columns it shares with the next.
 *
 *   float32, 128 columns, 7 of them shared: tile 1 begins with column 121. A row that lies at 8
 *   modulo 32 has that column at byte 492: the tile stores from byte 512, column 126, to byte 991,
 *   column 245, as tile 2 begins with column 242, at byte 976.
 *
 * Where the result is the input's own memory a block stores the columns that it has for itself, and
 * no more: the others' are not yet read, or no longer what they were.
 *
 * One input, and the one result, which lies as it does, are tiled (ga_tiled<i>). */
#if GA_TILED

#define GA_TILE_TURN     2 /* fours of a thread that the map reads before it leaves their results */
#define GA_TILE_ROWS     (4 * GA_FOURS * GA_SLOTS)
#define GA_TILE_TURNS    (GA_LANES ? 1 : 2) /* fours of a thread, until rows lie on vectors alike */
#define GA_TILE_PITCH(T) (GA_SIDE * (int)sizeof(T) + 16) /* bytes from row to row */

/* The block's part of rows: `columns` of them, from those at `at` on. Its first four begins at row
 * `first`, and the next are GA_PARTS apart. */
struct ga_tile {
  char *shared;
  ga_place at;
  ga_index first, columns;
  bool begins, sectors, cut;       /* it has the first columns; stores whole sectors, but where rows
                                    * begin or end; stores elements somewhere */
  ga_uint place[GA_TILE_TURNS][4]; /* bytes from `shared` to elements of the thread's first fours */
};

GA_FN ga_tile ga_find_tile(const ga_params &P, char *shared, ga_index outer, ga_index begin,
                           ga_index first)
{
  const ga_index columns = (ga_index)P.columns - begin;
  ga_tile tile;
  tile.shared = shared;
#if GA_FLAT
  tile.at = ga_seek(P.kept_axes, outer * (ga_index)P.columns + begin);
#else
  tile.at = ga_seek(P.kept_axes, outer);
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) tile.at.off[o] += (ga_offset)begin * P.column[o];
#endif
  tile.first = first;
  tile.columns = columns < GA_SIDE ? columns : GA_SIDE;
  ga_ulong from = 0, to = 0;
#define X(i, T) \
  if (ga_tiled##i) from = (ga_ulong)(P.a##i + tile.at.off[i]);
  GA_INPUTS(X)
#undef X
#define X(i, T) to = (ga_ulong)(P.a##i + tile.at.off[i]);
  GA_OUTPUTS(X)
#undef X
  tile.begins = begin == 0;
  tile.sectors = from != to;
  tile.cut = tile.begins || !tile.sectors || columns <= GA_SIDE;
  return tile;
}

/* Vectors that go side by side, and rows that do at once. */
#define GA_TILE_VECTORS(T) (GA_SIDE * (int)sizeof(T) / 16)
#define GA_TILE_ABREAST(T) (GA_THREADS / GA_TILE_VECTORS(T))

/* The block's b-th row: the one n later, a multiple of 4, is n * GA_PARTS further on. */
GA_FN ga_index ga_tile_row(const ga_tile &tile, ga_index b)
{
  return tile.first + b / 4 * (4 * GA_PARTS) + b % 4;
}

/* Copies the v-th vector of the row at p, as far as it has some of the columns. */
GA_FN void ga_copy_part(char *to, const char *p, ga_uint v, ga_uint bytes)
{
  const ga_uint low = (ga_uint)(ga_ulong)p & 15;
  if (v * 16 < low + bytes) ga_copy_beside<16>(to + v * 16, p - low + v * 16);
}

/* Copies what the block has of each row: a row has a vector more than go side by side. */
template <class T>
GA_FN void ga_copy_rows(const ga_params &P, const ga_tile &tile, const char *p, ga_offset row)
{
  const ga_uint v = threadIdx.x % GA_TILE_VECTORS(T), bytes = tile.columns * (ga_uint)sizeof(T);
  const int more = GA_TILE_ABREAST(T);
  ga_index b = threadIdx.x / GA_TILE_VECTORS(T), r = ga_tile_row(tile, b);
  const char *from = p + (ga_offset)r * row;
#pragma unroll 4
  for (int k = 0; k < GA_TILE_ROWS; k += more) {
    if (k + b < GA_TILE_ROWS && r < P.reduced)
      ga_copy_part(tile.shared + (k + b) * GA_TILE_PITCH(T), from, v, bytes);
    from += (ga_offset)(more * GA_PARTS) * row;
    r += more * GA_PARTS;
  }
  for (b = threadIdx.x; b < GA_TILE_ROWS; b += GA_THREADS) {
    r = ga_tile_row(tile, b);
    if (r >= P.reduced) break;
    ga_copy_part(tile.shared + b * GA_TILE_PITCH(T), p + (ga_offset)r * row, GA_TILE_VECTORS(T),
                 bytes);
  }
}

/* Where the thread's element j of its c-th four is. */
template <class T> GA_FN T *ga_tile_place(const ga_tile &tile, int c, int j)
{
  return (T *)(tile.shared + tile.place[c % GA_TILE_TURNS][j] +
               (c * GA_SLOTS * 4 + j) * GA_TILE_PITCH(T));
}

/* Of those the ones that are not known before, from row r on, where the first row begins at p. */
template <class T> GA_FN void ga_place_tile(ga_tile &tile, const char *p, ga_offset row, ga_index r)
{
  const ga_uint x = threadIdx.x % GA_ACROSS, slot = threadIdx.x / GA_ACROSS;
  const ga_uint at =
      slot * (4 * GA_TILE_PITCH(T)) + (x < tile.columns ? x : 0) * (ga_uint)sizeof(T);
#pragma unroll
  for (int c = 0; c < GA_TILE_TURNS; c++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const ga_uint e = (ga_uint)r + c * GA_PITCH + j;
      tile.place[c][j] = at + (((ga_uint)(ga_ulong)p + e * (ga_uint)row) & 15);
#if GA_COPIES
      asm volatile("" : "+r"(tile.place[c][j])); /* not to be made anew for each element */
#endif
    }
}

GA_FN void ga_copy_tile(const ga_params &P, ga_tile &tile, ga_index r)
{
#define X(i, T)                                                   \
  if (ga_tiled##i) {                                              \
    ga_copy_rows<T>(P, tile, P.a##i + tile.at.off[i], P.row[i]);  \
    ga_place_tile<T>(tile, P.a##i + tile.at.off[i], P.row[i], r); \
  }
  GA_INPUTS(X)
#undef X
  ga_wait_for_copies();
  __syncthreads();
}

/* What level L reads of N of the lane's fours, from the one numbered `from` on. */
template <int L, int N = GA_FOURS>
GA_FN void ga_read_tile(const ga_params &P, const ga_tile &tile, const ga_place &column, ga_index r,
                        ga_four (&f)[GA_VEC][GA_FOURS], int from = 0)
{
#if GA_COPIES
  asm volatile("" ::: "memory"); /* registers need not hold it from the level before on */
#endif
  ga_load_fours<L, N>(P, column, r, f, from);
#define X(i, T)                                                                                  \
  if (ga_tiled##i && ga_at##i <= L && L <= ga_last##i)                                           \
    _Pragma("unroll") for (int c = from; c < from + N; c++)                                      \
        _Pragma("unroll") for (int j = 0; j < 4; j++) if (c < GA_FOURS && ga_exists(P, r, c, j)) \
            f[0][c]                                                                              \
                .x##i.set(j, *ga_tile_place<T>(tile, c, j));
  GA_INPUTS(X)
#undef X
}

/* Of a row, from which byte to which the block stores it, counted from its first sector on; the
 * row begins at byte `at`. */
struct ga_tile_part {
  ga_uint at, low, high;
};

GA_FN ga_tile_part ga_own_part(const ga_tile &tile, const char *p, ga_uint size)
{
  const ga_uint up = tile.sectors ? 31 : 0;
  ga_tile_part part;
  part.at = (ga_uint)(ga_ulong)p & 31;
  part.low = tile.begins ? part.at : (part.at + up) & ~up;
  part.high = (part.at + (GA_SIDE - GA_LAP) * size + up) & ~up;
  if (part.high > part.at + tile.columns * size) part.high = part.at + tile.columns * size;
  return part;
}

/* Stores the v-th vector of the row at p, if the block is to store all of it. */
GA_FN void ga_store_part(const ga_tile_part &part, char *p, const char *from, ga_uint v)
{
  const ga_uint to = (part.at & 16) + v * 16;
  if (to >= part.low && to + 16 <= part.high)
    *(ga_sixteen *)(p - part.at + to) = *(const ga_sixteen *)(from + v * 16);
}

/* Stores the rows: whole vectors, and elements where rows begin and end. */
template <class T>
GA_FN void ga_store_rows(const ga_params &P, const ga_tile &tile, char *p, ga_offset row)
{
  const ga_uint v = threadIdx.x % GA_TILE_VECTORS(T), some = 16 / sizeof(T);
  const int more = GA_TILE_ABREAST(T);
  ga_index b = threadIdx.x / GA_TILE_VECTORS(T), r = ga_tile_row(tile, b);
  char *to = p + (ga_offset)r * row;
#pragma unroll 4
  for (int k = 0; k < GA_TILE_ROWS; k += more) {
    if (k + b < GA_TILE_ROWS && r < P.reduced)
      ga_store_part(ga_own_part(tile, to, sizeof(T)), to, tile.shared + (k + b) * GA_TILE_PITCH(T),
                    v);
    to += (ga_offset)(more * GA_PARTS) * row;
    r += more * GA_PARTS;
  }
  for (b = threadIdx.x; b < GA_TILE_ROWS; b += GA_THREADS) {
    r = ga_tile_row(tile, b);
    if (r >= P.reduced) break;
    to = p + (ga_offset)r * row;
    ga_store_part(ga_own_part(tile, to, sizeof(T)), to, tile.shared + b * GA_TILE_PITCH(T),
                  GA_TILE_VECTORS(T));
  }
  if (!tile.cut) return;
  for (ga_index u = threadIdx.x; u < GA_TILE_ROWS * 2 * some; u += GA_THREADS) {
    const ga_index k = u % (2 * some);
    b = u / (2 * some);
    r = ga_tile_row(tile, b);
    if (r >= P.reduced) break;
    to = p + (ga_offset)r * row;
    const ga_tile_part part = ga_own_part(tile, to, sizeof(T));
    const ga_uint low = part.low & ~15u, high = part.high & ~15u;
    const ga_uint e = (k < some ? low : high) + k % some * (ga_uint)sizeof(T);
    if ((k < some ? low != part.low : high >= part.low) && e >= part.low && e < part.high)
      *(T *)(to - part.at + e) =
          *(const T *)(tile.shared + b * GA_TILE_PITCH(T) + (e - (part.at & 16)));
  }
}

GA_FN void ga_map_tile(const ga_params &P, const ga_tile &tile, const ga_place &column, ga_index r,
                       ga_four (&f)[GA_VEC][GA_FOURS], const ga_kept (&kept)[GA_VEC], bool exists)
{
#pragma unroll
  for (int from = 0; from < GA_FOURS; from += GA_TILE_TURN) {
    ga_out out[GA_TILE_TURN][4];
    ga_read_tile<GA_MAP, GA_TILE_TURN>(P, tile, column, r, f, from);
#pragma unroll
    for (int k = 0; k < GA_TILE_TURN && from + k < GA_FOURS; k++)
#pragma unroll
      for (int j = 0; j < 4; j++) ga_map(P, f[0][from + k].get(j), kept[0], out[k][j]);
#pragma unroll
    for (int k = 0; k < 4 * GA_TILE_TURN && from + k / 4 < GA_FOURS; k++) {
      const int c = from + k / 4, j = k % 4;
      if (!exists || !ga_exists(P, r, c, j)) continue;
#define X(i, T) *ga_tile_place<T>(tile, c, j) = out[k / 4][j].y##i;
      GA_OUTPUTS(X)
#undef X
    }
  }
  __syncthreads();
#define X(i, T) ga_store_rows<T>(P, tile, P.a##i + tile.at.off[i], P.row[i]);
  GA_OUTPUTS(X)
#undef X
}

#endif
