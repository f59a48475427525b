/* SPDX-License-Identifier: MIT */
/* Scans of rows of several units: what the units of a row tell each other.
 *
 * Blocks draw their units by ticket, so a unit's predecessors have always begun (and have often
 * ended, where rows are side by side: the first units of all, then the second ones). Each
 * publishes what its tiles make (TOTAL), and waits for that of the tiles before it in
 * its span, and for what all up to the span before makes (PREFIX). The last unit of a
 * span publishes what the span makes, looks back over the spans before, past totals, to
 * the nearest prefix (Merrill and Garland, 2016), folds from there and publishes the
 * span's own prefix. That is the left fold of all spans however far back that prefix
 * is: a prefix is that fold itself. So timing changes no bit, and the only chain is one
 * of spans.
 *
 * What is published is read by the unit after it, which then counts itself as done: so
 * when all have, every status is written and read, and the last block clears them for
 * the next launch, without a fence. What no unit reads is not published.
 *
 * GA_AHEAD > 0: so many units at most are being loaded at a time (ticket[2]: those that have been):
 * memory would else have all that fit on the card at once, and the first of them, which all others
 * wait for, as late as the last. The least unit that is not loaded waits for no other.
 */
#if GA_TILES

/* Draws the next unit, and waits until it may be loaded; by one thread. */
GA_FN ga_uint ga_draw(ga_uint *ticket) {
  const ga_uint n = atomicAdd(ticket, 1u);
#if GA_AHEAD
  const volatile ga_uint *const loaded = ticket + 2;
  if (n >= GA_AHEAD)
    while (*loaded <= n - GA_AHEAD) continue;
#endif
  return n;
}

/* The block's unit has been loaded; by one thread. */
GA_FN void ga_tell_loaded(ga_uint *ticket) {
  if (GA_AHEAD > 0) atomicAdd(ticket + 2, 1u);
}

#define GA_SPREAD 16 /* words between spans' statuses, as many wait for one */

GA_FN ga_ulong ga_tile_at(ga_ulong n) { return n * GA_WORDS; }
GA_FN ga_ulong ga_span_at(const ga_params &P, ga_ulong s) {
  return P.units * (GA_TURNS * GA_WORDS) + s * GA_SPREAD;
}

/* Waits until this lane's span, and that of every lane above the highest prefix, is
 * there: number `end` - 32 + lane, which is nothing below `first`. Returns the lane of
 * that prefix, -1 where there is none. */
GA_FN int ga_wait(const ga_params &P, ga_long end, ga_long first, ga_acc &v) {
  const ga_long s = end - 32 + (threadIdx.x & 31);
  for (;;) {
    ga_uint state = GA_TOTAL;
    v = ga_identity();
    if (s >= first) state = ga_inspect(P.ticket, ga_span_at(P, (ga_ulong)s), v);
    const ga_uint prefix = __ballot_sync(GA_FULL, state == GA_PREFIX);
    const ga_uint ready = __ballot_sync(GA_FULL, state != GA_NONE);
    const int lane = 31 - __clz((int)prefix);
    const ga_uint above = lane == 31 ? 0 : GA_FULL << (lane + 1);
    if ((ready & above) == above) return lane;
  }
}

/* Lanes i to end - 1 joined to x, from the left. */
GA_FN ga_acc ga_fold_lanes(ga_acc x, ga_acc v, int i, int end) {
  const int lane = threadIdx.x & 31;
  if (lane < i || lane >= end) v = ga_identity();
#pragma unroll 1
  for (i &= ~7; i < end; i += 8) {
#pragma unroll
    for (int n = 0; n < 8; n++) x = ga_combine(x, ga_from_lane(v, i + n));
  }
  return x;
}

/* What spans `first` to s - 1 make; by a whole warp: goes back by 32 spans until there is a
 * prefix, and from there folds forth again, where others may have become prefixes. */
GA_FN ga_acc ga_look_back(const ga_params &P, ga_ulong s, ga_ulong first) {
  ga_acc v, x = ga_identity();
  bool found = false;
#pragma unroll 1
  for (ga_long end = (ga_long)s;; end += found ? 32 : -32) {
    const int lane = ga_wait(P, end, (ga_long)first, v);
    found = found || lane >= 0;
    if (!found) continue;
    if (lane >= 0) x = ga_from_lane(v, lane);
    x = ga_fold_lanes(x, v, lane + 1, 32);
    if (end == (ga_long)s) return x;
  }
}

/* What all before each tile of the t-th unit of row k makes, lane n's `total` being what its tile
 * n makes; by a whole warp: lane l waits for tile l of the span, lane 31 for the
 * span before. */
GA_FN void ga_before_tiles(const ga_params &P, ga_ulong k, ga_uint t, const ga_acc &total,
                           ga_acc *before) {
  const int lane = threadIdx.x & 31, p = (int)(t * GA_TURNS % 32);
  const ga_ulong first = k * P.spans, s = first + t / (32 / GA_TURNS);
  const ga_ulong at = (k * P.tiles + t) * GA_TURNS;
  const bool end = t + 1 == P.tiles, last = p == 32 - GA_TURNS && !end;
  ga_acc spans = ga_identity(), tiles = spans, v = spans;
  if (lane < GA_TURNS && !end && !last)
    ga_publish(P.ticket, ga_tile_at(at + lane), GA_TOTAL, total);
  if (lane < p || (lane == 31 && !last && s != first))
    v = ga_await(P.ticket, lane < p ? ga_tile_at(at - p + lane) : ga_span_at(P, s - 1),
                 lane < p ? GA_TOTAL : GA_PREFIX);
  __syncwarp();
  if (!last) spans = ga_from_lane(v, 31);
  tiles = ga_fold_lanes(tiles, v, 0, p);
  if (last) {
    const ga_acc up = ga_fold_lanes(tiles, total, 0, GA_TURNS);
    if (s != first) {
      if (lane == 0) ga_publish(P.ticket, ga_span_at(P, s), GA_TOTAL, up);
      spans = ga_look_back(P, s, first);
    }
    if (lane == 0) ga_publish(P.ticket, ga_span_at(P, s), GA_PREFIX, ga_combine(spans, up));
  }
#pragma unroll
  for (int n = 0; n < GA_TURNS; n++) {
    if (lane == 0) before[n] = ga_combine(spans, tiles);
    tiles = ga_combine(tiles, ga_from_lane(total, n));
  }
}

/* All as it was found; by the whole block. What has been loaded is taken off: some of those who
 * told may still be on their way. */
GA_FN void ga_clear(const ga_params &P) {
#pragma unroll 1
  for (ga_ulong i = 2 + threadIdx.x; i < P.words; i += GA_BLOCK) ((ga_ulong *)P.ticket)[i] = 0;
  if (threadIdx.x == 0) {
    P.ticket[0] = P.ticket[1] = 0;
    if (GA_AHEAD > 0) atomicAdd(P.ticket + 2, 0u - (ga_uint)P.units);
  }
}

#endif
