/* SPDX-License-Identifier: MIT */
/* Scans down columns in several units (scan_tall.cu, scan_long.cu): what the units tell each
 * other. A unit has GA_PARTS segments of a strip of GA_STRIP(P) columns, at most GA_WIDTH,
 * GA_VEC of them by each of GA_ACROSS lanes here.
 *
 * Units are drawn by ticket, all strips of some rows before the next rows. In every
 * column each publishes what its segments make; the last of a chunk what the chunk
 * makes, the last of a tile the tile, the last of a span what all up to the span's end
 * makes (PREFIX). A unit waits for the segments of its chunk before its own, the chunks of
 * its tile, the tiles of its span, and the spans; of tiles, it looks back to one that has
 * published what all of the span's up to it make (PREFIX), which is the same left fold.
 * scan.cuh has the order and the statuses: those of segments, of chunks, of tiles, of
 * spans, each by column, then counters. When all of a chunk's units have gone on, the last
 * one clears its segments' statuses; likewise the last of a tile its chunks', and the last
 * of all the rest: no block clears what all have written. Totals that no later unit reads are not
 * published, so those that are need no fence: who counted himself has read them.
 */
#define GA_FEW (GA_PARTS < 8 ? 8 / GA_PARTS : 1)    /* units of a chunk */
#define GA_CHUNKS (GA_PARTS < 8 ? 1 : GA_PARTS / 8) /* chunks of a unit */
#define GA_BACK 8                                   /* tiles that are looked at together */

/* Where a unit is: numbers of its strip, of its first segment, and of what that is in. */
struct ga_unit {
  ga_index strip, segment, chunk, tile, span;
  bool more, ends_chunk, ends_tile, ends_span; /* there are later units; and it ends */
};

GA_FN ga_index ga_ceil(ga_index n, ga_index d) { return n / d + (n % d != 0); }

GA_FN ga_unit ga_unit_at(const ga_params &P, ga_index unit, ga_index strip) {
  ga_unit u;
  u.more = ((ga_ulong)unit + 1) * (GA_PARTS * 128) < P.reduced;
  u.strip = strip;
  u.segment = unit * GA_PARTS;
  u.chunk = u.segment / 8;
  u.tile = u.chunk / 8;
  u.span = u.tile / 32;
  u.ends_chunk = u.more && (GA_FEW == 1 || (u.segment & 7) == 8 - GA_PARTS);
  u.ends_tile = u.ends_chunk && (u.chunk & 7) == 8 - GA_CHUNKS;
  u.ends_span = u.ends_tile && (u.tile & 31) == 31;
  return u;
}

/* Words before the statuses of segments, chunks, tiles, spans (level 0 to 3), and
 * before the counters. */
GA_FN ga_ulong ga_level_at(const ga_params &P, int level) {
  const ga_index n = (ga_index)P.reduced;
  ga_index rows = 0;
  if (level > 0 && GA_FEW > 1) rows += ga_ceil(n, 128);
  if (level > 1) rows += ga_ceil(n, 1024);
  if (level > 2) rows += ga_ceil(n, 8192);
  if (level > 3) rows += ga_ceil(n, 262144);
  return (ga_ulong)rows * P.kept * GA_WORDS;
}

/* The status of number i of a level in column k. */
GA_FN ga_ulong ga_status_at(const ga_params &P, int level, ga_ulong i, ga_ulong k) {
  return ga_level_at(P, level) + (i * P.kept + k) * GA_WORDS;
}

/* What the `n` of a level before number i make: from the nearest prefix on. */
GA_FN ga_acc ga_fold_back(const ga_params &P, int level, ga_ulong i, int n, ga_ulong k) {
  const ga_ulong at = ga_status_at(P, level, i, k), pitch = P.kept * GA_WORDS;
  ga_acc v[GA_BACK], x = ga_identity();
  int from;
  do {
    bool all = true;
    from = n <= GA_BACK ? n : -1; /* how far back the fold begins */
#pragma unroll
    for (int b = GA_BACK; b > 0; b--) {
      if (b > n) continue;
      const ga_uint state = ga_inspect(P.ticket, at - b * pitch, v[b - 1]);
      if (state == GA_PREFIX) {
        from = b;
        all = true;
      } else if (state == GA_NONE) {
        all = false;
      }
    }
    if (!all) from = -1;
  } while (from < 0);
#pragma unroll
  for (int b = GA_BACK; b > 0; b--)
    if (b <= from) x = b == from && b < n ? v[b - 1] : ga_combine(x, v[b - 1]);
  return x;
}

/* What comes before a unit in each of its columns: spans, tiles, chunks and segments by their
 * levels. */
struct ga_before {
  ga_acc at[4][GA_WIDTH];
};

/* Waits for what comes before the unit in column c of levels `level` to `last`. ALL, from 0 on:
 * tells the others as soon as it is known what the unit makes, and, where it ends them, what its
 * chunks, tile and span do. made(p, c): what its segment p makes. */
template <class Made>
GA_FN void ga_wait_levels(const ga_params &P, const ga_unit &u, int level, int last, bool all,
                          const Made &made, ga_before &before, int c, ga_ulong k) {
  ga_acc totals[GA_CHUNKS], up = ga_identity();
  if (GA_FEW > 1 && all && u.more && !u.ends_chunk)
    for (int p = 0; p < GA_PARTS; p++)
      ga_publish(P.ticket, ga_status_at(P, 0, u.segment + p, k), GA_TOTAL, made(p, c));
#pragma unroll 1
  for (; level <= last; level++) {
    const ga_index i = level == 0 ? u.segment : level == 1 ? u.chunk : level == 2 ? u.tile : u.span;
    const int n = (int)(level < 2 ? i & 7 : level == 2 ? i & 31 : i);
    const ga_acc x =
        GA_FEW == 1 && level == 0 ? ga_identity() : ga_fold_back(P, level, i, n, k);
    before.at[level][c] = x;
    if (!all) continue;
    up = level == 1 ? x : ga_combine(x, up);
#pragma unroll
    for (int j = 0; j < GA_CHUNKS; j++) {
      if (level == 1) up = ga_combine(up, totals[j]);
      if (level != 0) continue;
      totals[j] = j == 0 ? x : ga_identity();
#pragma unroll
      for (int p = 0; p < GA_PARTS / GA_CHUNKS; p++)
        totals[j] = ga_combine(totals[j], made(j * 8 + p, c));
      if (u.ends_chunk && !u.ends_tile)
        ga_publish(P.ticket, ga_status_at(P, 1, u.chunk + j, k), GA_TOTAL, totals[j]);
    }
    const bool ends = level == 1 ? u.ends_tile && !u.ends_span : level > 1, total = level < last;
    if (ends)
      ga_publish(P.ticket, ga_status_at(P, u.ends_span ? 3 : 2, u.ends_span ? u.span : u.tile, k),
                 total ? GA_TOTAL : GA_PREFIX, up);
  }
  if (all && u.ends_tile) __threadfence(); /* a prefix need not be read by anyone */
}

/* What comes before the unit: of each of a lane's columns, a warp waits for segments and
 * chunks, one for tiles, one for spans; but where it ends a tile, one for segments to tiles, as
 * what others wait for is not to wait for spans, and where it ends a span one for all. */
template <class Made>
GA_FN void ga_wait_before(const ga_params &P, const ga_unit &u, const Made &made,
                          ga_before &before) {
  const int lane = threadIdx.x & 31, first = u.ends_span ? 3 : u.ends_tile ? 2 : 1;
#pragma unroll 1
  for (int job = threadIdx.x >> 5; job < 3 * GA_VEC; job += GA_THREADS / 32) {
    const int c = lane * GA_VEC + job / 3, what = job % 3;
    const ga_ulong k = u.strip * GA_STRIP(P) + c;
    if (lane >= GA_ACROSS || c >= (int)GA_STRIP(P) || k >= P.kept) continue;
    if (what == 0 || what + 1 > first)
      ga_wait_levels(P, u, what ? what + 1 : 0, what ? what + 1 : first, what == 0, made, before,
                     c, k);
  }
}

/* What all before the unit's segments makes, in column c. */
GA_FN ga_levels ga_before_unit(const ga_before &before, int c) {
  return {ga_combine(before.at[3][c], before.at[2][c]), before.at[1][c], before.at[0][c]};
}

/* Counts one of the `of` things below number i of a level (0: chunks, 1: tiles), and says
 * whether it was the last; by one thread. */
GA_FN bool ga_counted(const ga_params &P, int level, ga_ulong i, ga_ulong strip, ga_ulong of) {
  ga_uint *counter = (ga_uint *)((ga_ulong *)(P.ticket + 4) + ga_level_at(P, 4));
  if (level == 1) counter += ga_ceil(P.reduced, 1024) * P.strips.d;
  counter += i * P.strips.d + strip;
  if (atomicAdd(counter, 1u) + 1 != (ga_uint)of) return false;
  *counter = 0;
  return true;
}

GA_FN ga_index ga_below(ga_index n, ga_index all, ga_index most) {
  return all - n < most ? all - n : most;
}

/* Whether all units of the unit's chunk, or tile where one is a chunk, have gone on. */
GA_FN bool ga_is_last(const ga_params &P, const ga_unit &u) {
  const ga_index chunks = ga_ceil((ga_index)P.reduced, 1024);
  const ga_index units = ga_ceil((ga_index)P.reduced, GA_PARTS * 128);
  if (GA_FEW == 1)
    return ga_counted(P, 1, u.tile, u.strip,
                      ga_ceil(ga_below(u.tile * 8, chunks, 8), GA_CHUNKS));
  return ga_counted(P, 0, u.chunk, u.strip, ga_below(u.chunk * GA_FEW, units, GA_FEW));
}

/* Clears the statuses of rows [i, end) of a level in the strip; by the whole block. */
GA_FN void ga_clear_rows(const ga_params &P, int level, ga_ulong i, ga_ulong end,
                         ga_ulong strip) {
  ga_ulong *status = (ga_ulong *)(P.ticket + 4);
  const ga_ulong first = strip * GA_STRIP(P);
  const ga_ulong width = ga_below(first, P.kept, GA_STRIP(P)) * GA_WORDS;
#pragma unroll 1
  for (; i < end; i++)
#pragma unroll 1
    for (ga_ulong w = threadIdx.x; w < width; w += GA_THREADS)
      status[ga_status_at(P, level, i, first) + w] = 0;
}

/* Statuses as they were found; by the whole block of a unit that is the last. */
GA_FN void ga_clear(const ga_params &P, const ga_unit &u) {
  const ga_index tiles = ga_ceil((ga_index)P.reduced, 8192);
#pragma unroll 1
  for (int level = GA_FEW > 1 ? 0 : 1; level < 2; level++) {
    const ga_index i = (level ? u.tile : u.chunk) * 8;
    const ga_index all = ga_ceil((ga_index)P.reduced, level ? 1024 : 128);
    bool last = threadIdx.x == 0;
    ga_clear_rows(P, level, i, i + ga_below(i, all, 8), u.strip);
    if (level)
      last = last && atomicAdd(P.ticket + 1, 1u) + 1 == (ga_uint)(tiles * P.strips.d);
    else
      last = last && ga_counted(P, 1, u.tile, u.strip,
                                ga_below(u.tile * 8, ga_ceil((ga_index)P.reduced, 1024), 8));
    if (!__syncthreads_or(last)) return;
  }
  ga_ulong *status = (ga_ulong *)(P.ticket + 4);
  const ga_ulong end = ga_level_at(P, 4);
#pragma unroll 1
  for (ga_ulong i = ga_level_at(P, 2) + threadIdx.x; i < end; i += GA_THREADS) status[i] = 0;
  if (threadIdx.x == 0) P.ticket[0] = P.ticket[1] = 0;
}
