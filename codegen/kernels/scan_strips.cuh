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
  ga_ulong strip, segment, chunk, tile, span;
  bool more, ends_chunk, ends_tile, ends_span; /* there are later units; and it ends */
};

GA_FN ga_ulong ga_ceil(ga_ulong n, ga_ulong d) { return (n + d - 1) / d; }

GA_FN ga_unit ga_unit_at(const ga_params &P, ga_ulong unit, ga_ulong strip) {
  ga_unit u;
  u.more = (unit + 1) * (GA_PARTS * 128) < P.reduced;
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
  ga_ulong rows = 0;
  if (level > 0 && GA_FEW > 1) rows += ga_ceil(P.reduced, 128);
  if (level > 1) rows += ga_ceil(P.reduced, 1024);
  if (level > 2) rows += ga_ceil(P.reduced, 8192);
  if (level > 3) rows += ga_ceil(P.reduced, 262144);
  return rows * P.kept * GA_WORDS;
}

/* The status of number i of a level in column k. */
GA_FN ga_ulong ga_status_at(const ga_params &P, int level, ga_ulong i, ga_ulong k) {
  return ga_level_at(P, level) + (i * P.kept + k) * GA_WORDS;
}

/* `n` totals from number i of a level on, joined to each other from the left. */
GA_FN ga_acc ga_fold_totals(const ga_params &P, int level, ga_ulong i, int n, ga_ulong k) {
  const ga_ulong at = ga_status_at(P, level, i, k), pitch = P.kept * GA_WORDS;
  ga_acc v[7], x = ga_identity();
  bool all;
  do {
    all = true;
#pragma unroll
    for (int b = 0; b < 7; b++)
      if (b < n) all = ga_inspect(P.ticket, at + b * pitch, v[b]) != GA_NONE && all;
  } while (!all);
#pragma unroll
  for (int b = 0; b < 7; b++)
    if (b < n) x = ga_combine(x, v[b]);
  return x;
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

GA_FN ga_ulong ga_below(ga_ulong n, ga_ulong all, ga_ulong most) {
  return all - n < most ? all - n : most;
}

/* Whether all units of the unit's chunk, or tile where one is a chunk, have gone on. */
GA_FN bool ga_is_last(const ga_params &P, const ga_unit &u) {
  const ga_ulong chunks = ga_ceil(P.reduced, 1024), units = ga_ceil(P.reduced, GA_PARTS * 128);
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
  for (; i < end; i++)
    for (ga_ulong w = threadIdx.x; w < width; w += GA_THREADS)
      status[ga_status_at(P, level, i, first) + w] = 0;
}

/* Statuses as they were found; by the whole block of a unit that is the last. */
GA_FN void ga_clear(const ga_params &P, const ga_unit &u) {
  const ga_ulong segments = ga_ceil(P.reduced, 128), chunks = ga_ceil(P.reduced, 1024),
                 tiles = ga_ceil(P.reduced, 8192);
  bool last = threadIdx.x == 0;
  if (GA_FEW > 1) {
    ga_clear_rows(P, 0, u.chunk * 8, u.chunk * 8 + ga_below(u.chunk * 8, segments, 8), u.strip);
    last = last && ga_counted(P, 1, u.tile, u.strip, ga_below(u.tile * 8, chunks, 8));
    if (!__syncthreads_or(last)) return;
  }
  ga_clear_rows(P, 1, u.tile * 8, u.tile * 8 + ga_below(u.tile * 8, chunks, 8), u.strip);
  last = threadIdx.x == 0 && atomicAdd(P.ticket + 1, 1u) + 1 == (ga_uint)(tiles * P.strips.d);
  if (!__syncthreads_or(last)) return;
  ga_ulong *status = (ga_ulong *)(P.ticket + 4);
  const ga_ulong end = ga_level_at(P, 4);
  for (ga_ulong i = ga_level_at(P, 2) + threadIdx.x; i < end; i += GA_THREADS) status[i] = 0;
  if (threadIdx.x == 0) P.ticket[0] = P.ticket[1] = 0;
}
