/* SPDX-License-Identifier: MIT */
/* What the scan skeletons share, on top of reduce.cuh (accumulators, ga_leaf,
 * ga_combine, ga_post): the order of DESIGN.md ("Order of a scan"). An element's result
 * is
 *
 *   ((((spans + tiles) + chunks) + segments) + groups) + elements
 *
 * + being ga_combine: what the spans before its own make, the tiles of its span before
 * its own, the chunks of its tile, the segments of its chunk, the groups of its segment,
 * and the elements of its group up to it (exclusive: up to the one before). A group is 4
 * elements, a segment 32 groups, a chunk 8 segments, a tile 8 chunks, a span 32 tiles.
 * Elements, segments, chunks, tiles and spans are folded from the left; groups by
 * aligned pairs: step b joins to each group whose number has bit b set all of the 2^b
 * groups before the ones that share its higher bits. Nothing is ga_identity(), which
 * changes no bit of what it is joined to.
 *
 * The generator supplies beside what reduce.cuh asks for:
 *   GA_EXCLUSIVE  1: an element's result leaves it out
 *   GA_TILES      1: a row is of several blocks
 *   GA_AGAIN      1: what is joined to an accumulator again changes nothing
 *   GA_MOVES      1: every operand moves along the axis that vectors lie along
 */

/* 7.5 has room for 1024 threads a multiprocessor; its assembler minds being asked for more. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750 && GA_MIN_BLOCKS > 4
#undef GA_MIN_BLOCKS
#define GA_MIN_BLOCKS 4
#endif

/* The accumulator of another lane. */
GA_FN ga_acc ga_from_lane(const ga_acc &a, int lane) {
  ga_acc r;
#define X(T, m) r.m = ga_value_from_lane(a.m, lane);
  GA_MEMBERS(X)
#undef X
  return r;
}

#if GA_SUB
GA_FN ga_sub ga_from_lane(const ga_sub &a, int lane) {
  ga_sub r;
#define X(T, m) r.m = ga_value_from_lane(a.m, lane);
  GA_SUB_MEMBERS(X)
#undef X
  return r;
}

GA_FN ga_acc ga_widen(const ga_acc &a) { return a; }
#endif

/* A group's results: what comes before it, joined to its own elements up to each, `a`,
 * which may lie there too, and may be so joined already (JOINED). `first`: the row begins here. */
template <bool JOINED = false, int N, class A>
GA_FN void ga_group_results(ga_acc (&results)[N], const A (&a)[N], const ga_acc &base,
                            bool first) {
#if GA_EXCLUSIVE
#pragma unroll
  for (int j = N - 1; j > 0; j--)
    results[j] = JOINED ? ga_widen(a[j - 1]) : ga_combine(base, ga_widen(a[j - 1]));
  results[0] = first ? ga_empty() : base;
#else
#pragma unroll
  for (int j = 0; j < N; j++)
    results[j] = JOINED ? ga_widen(a[j]) : ga_combine(base, ga_widen(a[j]));
#endif
}

/* A walk over groups: what they make so far; held[b], an aligned 2^b of them, is what a group
 * whose number has bit b set is joined to. */
template <int LEVELS> struct ga_running {
  ga_acc held[LEVELS], up;
};

template <int LEVELS> GA_FN ga_running<LEVELS> ga_no_groups() {
  ga_running<LEVELS> w;
  w.up = ga_identity();
#pragma unroll
  for (int b = 0; b < LEVELS; b++) w.held[b] = ga_identity();
  return w;
}

/* The next group, number q, which makes `made`. */
template <int LEVELS>
GA_FN void ga_next_group(ga_running<LEVELS> &w, ga_uint q, const ga_acc &made) {
  w.up = made;
#pragma unroll
  for (int b = 0; b < LEVELS; b++) {
    if (q >> b & 1)
      w.up = ga_combine(w.held[b], w.up);
    else
      w.held[b] = w.up;
  }
}

/* What all before a segment makes: of the tiles before its own, and in that of chunks, and in
 * its chunk of segments. */
struct ga_levels {
  ga_acc tiles, chunks, segments;
};

/* A walk over segments: what comes before the next one, level by level. */
struct ga_passed {
  ga_acc spans, tiles, chunks, segments;
};

GA_FN ga_passed ga_nothing_passed() {
  return {ga_identity(), ga_identity(), ga_identity(), ga_identity()};
}

GA_FN ga_acc ga_before_next(const ga_passed &w) {
  return ga_combine(ga_combine(ga_combine(w.spans, w.tiles), w.chunks), w.segments);
}

/* Segment `s` has ended, and makes `total`. */
GA_FN void ga_end_segment(ga_passed &w, ga_ulong s, const ga_acc &total) {
  w.segments = ga_combine(w.segments, total);
  if ((s & 7) == 7) {
    w.chunks = ga_combine(w.chunks, w.segments);
    w.segments = ga_identity();
  }
  if ((s & 63) == 63) {
    w.tiles = ga_combine(w.tiles, w.chunks);
    w.chunks = ga_identity();
  }
  if ((s & 2047) == 2047) {
    w.spans = ga_combine(w.spans, w.tiles);
    w.tiles = ga_identity();
  }
}

#if GA_TILES

/* What blocks tell each other: ticket[0], units begun; ticket[1], units that need no one
 * else's status any more; and from ticket + 4 on a status for each thing that has a
 * total: GA_WORDS words of 64 bits, the state above, 4 bytes of the accumulator below.
 * Each word is written and read as a whole, so nothing need be ordered; a status whose
 * words are of different states is not there yet. */
enum { GA_NONE, GA_TOTAL, GA_PREFIX };
#define GA_WORDS ((int)sizeof(ga_acc) / 4)

/* The status from word `at` on; by one thread. An exchange is done in the second
 * cache, where the others look; a store gets there behind all that is being written. */
GA_FN void ga_publish(ga_uint *ticket, ga_ulong at, ga_uint state, const ga_acc &a) {
  ga_ulong *status = (ga_ulong *)(ticket + 4) + at;
  ga_uint w[GA_WORDS];
  memcpy(w, &a, sizeof a);
#pragma unroll
  for (int k = 0; k < GA_WORDS; k++) atomicExch(status + k, (ga_ulong)state << 32 | w[k]);
}

/* Its state and value. */
GA_FN ga_uint ga_inspect(ga_uint *ticket, ga_ulong at, ga_acc &a) {
  const volatile ga_ulong *status = (const volatile ga_ulong *)(ticket + 4) + at;
  ga_uint w[GA_WORDS], state = 0;
  bool whole = true;
#pragma unroll
  for (int k = 0; k < GA_WORDS; k++) {
    const ga_ulong word = status[k];
    w[k] = (ga_uint)word;
    if (k == 0) state = (ga_uint)(word >> 32);
    whole = whole && (ga_uint)(word >> 32) == state;
  }
  memcpy(&a, w, sizeof a);
  return whole ? state : (ga_uint)GA_NONE;
}

/* Waits until it is there, in state `least` or a later one; returns its value. */
GA_FN ga_acc ga_await(ga_uint *ticket, ga_ulong at, ga_uint least) {
  ga_acc a;
  while (ga_inspect(ticket, at, a) < least) continue;
  return a;
}

#endif
