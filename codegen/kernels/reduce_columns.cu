/* SPDX-License-Identifier: MIT */
/* Reduce, class COLUMNS: the innermost axis is kept; threads walk down it.
 *
 * A block is 2^xbits threads wide, each with GA_VEC neighbouring columns, and
 * 2^ybits high. Of the ten bits of a row's number in its chunk of 1024, DESIGN.md
 * takes 9 8 7 first: eight loads in flight of one thread; then 0 and 1, then 6 to
 * 2, which number q. Of q the lower `qb` bits are the thread's y, the others and
 * bits 0 and 1 its steps t, whose results are joined as a binary counter carries.
 * Then the y's are joined through shared memory, q's bits from the top, chunks
 * from the bottom. One such pass does 2^(ybits - qb) chunks; the passes of a span
 * are joined as a binary counter again, spans by the last block to finish one.
 *
 *   1500 rows of 40 float32: GA_VEC 4, xbits 3 (10 of 16 vectors in two tiles of
 *   8, so the second tile has 6 idle), ybits 5: y is q, t is j. One pass a chunk:
 *   2 chunks, the second has 476 rows: of its eight loads four are made, the
 *   fourth for the rows below 1024 + 476 only.
 *
 * GA_SHORT 1: at most 128 rows, 4 << qbits or fewer; four loads in flight are
 * bits 0 and 1, the steps are q's upper bits, and there is one pass.
 *
 *   3 rows of 5000 float32: qbits 0, xbits 8, five tiles; three loads a thread.
 *
 * GA_VECTOR 1: along the innermost axis each operand is of unit step or still.
 */
#define GA_DEPTH 8 /* passes of a span: at most 2^GA_DEPTH */

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_acc *part;
  ga_uint *ticket;
  ga_ulong units, reduced, inner, passes;
#if GA_IOTA
  ga_long iota_base;
#endif
  ga_div spans, tiles;
  ga_axes<GA_NK> kept_axes; /* but for the innermost */
  ga_axes<GA_NR> reduced_axes;
  ga_offset inner_step[GA_NOFF];
  ga_uint xbits, qbits;
  ga_uint step[GA_NOP];
  GA_NUMBERS(GA_NUMBER)
};

/* The columns of one thread: the first one's offset, how many exist. */
struct ga_columns {
  ga_offset off[GA_NOFF];
  int n;
};

/* Accumulators of GA_VEC neighbouring columns. */
struct ga_accs {
  ga_acc v[GA_VEC];
};

GA_FN ga_accs ga_identities() {
  ga_accs r;
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) r.v[k] = ga_identity();
  return r;
}

GA_FN ga_accs ga_combines(const ga_accs &a, const ga_accs &b) {
  ga_accs r;
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) r.v[k] = ga_combine(a.v[k], b.v[k]);
  return r;
}

/* One row of a thread's columns as it was loaded. */
struct ga_line {
  ga_in in[GA_VEC];
#if GA_IOTA
  ga_long iota;
#endif
};

GA_FN void ga_load_line(const ga_params &P, const ga_columns &c, ga_index row, ga_line &l) {
  ga_offset off[GA_NOFF];
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) off[o] = c.off[o];
  ga_walk(P.reduced_axes, row, off);
#if GA_IOTA
  l.iota = P.iota_base + off[GA_NOP];
#endif
#if GA_VECTOR
  if (c.n == GA_VEC) {
#define X(i, T)                                                                  \
  {                                                                              \
    ga_vec<T, GA_VEC> t;                                                         \
    if (P.step[i])                                                               \
      t = ga_load_vec<T, GA_VEC, GA_ALIGNED>(P.a##i + off[i]);                   \
    else                                                                         \
      t = ga_splat<T, GA_VEC>(ga_load<T>(P.a##i + off[i]));                      \
    _Pragma("unroll") for (int k = 0; k < GA_VEC; k++) l.in[k].x##i = t.v[k];    \
  }
    GA_INPUTS(X)
#undef X
    return;
  }
#endif
#pragma unroll
  for (int k = 0; k < GA_VEC; k++)
    if (k < c.n) {
#define X(i, T) l.in[k].x##i = ga_load<T>(P.a##i + off[i] + k * P.inner_step[i]);
      GA_INPUTS(X)
#undef X
    }
}

/* A row's leaves; columns that do not exist give what was never loaded. */
GA_FN ga_accs ga_leaves(const ga_params &P, const ga_line &l, bool exists) {
  ga_accs r;
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) {
    ga_long iota = 0;
#if GA_IOTA
    iota = l.iota + k * (ga_long)P.inner_step[GA_NOP];
#endif
    r.v[k] = exists ? ga_leaf(P, l.in[k], iota) : ga_identity();
  }
  return r;
}

#if GA_SHORT
#define GA_LOADS 4 /* rows at once, GA_STRIDE apart */
#define GA_STRIDE 1
#define GA_STEPS 0 /* bits of t that are bits 0 and 1 of the row */
#else
#define GA_LOADS 8
#define GA_STRIDE 128
#define GA_STEPS 2
#endif

/* The rows that one thread loads at once, from `row` on, joined: neighbours
 * first (bits 0 and 1) in GA_SHORT, the farthest first (9 8 7) else. */
GA_FN ga_accs ga_rows(const ga_params &P, const ga_columns &c, ga_index row) {
  ga_line l[GA_LOADS];
  ga_accs a[GA_LOADS / 2];
#pragma unroll
  for (int n = 0; n < GA_LOADS; n++)
    if (row + n * GA_STRIDE < P.reduced) ga_load_line(P, c, row + n * GA_STRIDE, l[n]);
#pragma unroll
  for (int n = 0; n < GA_LOADS / 2; n++) {
    const int left = GA_SHORT ? 2 * n : n, right = GA_SHORT ? left + 1 : n + GA_LOADS / 2;
    a[n] = ga_leaves(P, l[left], row + left * GA_STRIDE < P.reduced);
    if (row + right * GA_STRIDE < P.reduced)
      a[n] = ga_combines(a[n], ga_leaves(P, l[right], true));
  }
#pragma unroll
  for (int h = GA_LOADS / 4; h > 0; h /= 2)
#pragma unroll
    for (int n = 0; n < h; n++) a[n] = ga_combines(a[n], a[n + h]);
  return a[0];
}

/* All that one thread has of a chunk, from row `first` on: the rows whose q has
 * the lower bits `q`. `high` is the number of q's upper bits. */
GA_FN ga_accs ga_down(const ga_params &P, const ga_columns &c, ga_ulong first, ga_uint q,
                      ga_uint high) {
  ga_accs s0, s1, s2, s3, a = ga_identities();
  const ga_uint steps = 1u << (GA_STEPS + high);
  s0 = s1 = s2 = s3 = a;
#if GA_SHORT
  ga_accs s4 = a;
#endif
#pragma unroll 1
  for (ga_uint t = 0; t < steps; t++) {
    ga_uint at = q;
#pragma unroll
    for (int b = 0; b < 5; b++)
      if (b < (int)high) at |= ((t >> (GA_STEPS + b)) & 1) << (P.qbits - 1 - b);
    a = ga_rows(P, c, (ga_index)first + at * 4 + (t & ((1 << GA_STEPS) - 1)));
    if (!(t & 1)) { s0 = a; continue; }
    a = ga_combines(s0, a);
    if (!(t & 2)) { s1 = a; continue; }
    a = ga_combines(s1, a);
    if (!(t & 4)) { s2 = a; continue; }
    a = ga_combines(s2, a);
    if (!(t & 8)) { s3 = a; continue; }
    a = ga_combines(s3, a);
#if GA_SHORT
    if (!(t & 16)) { s4 = a; continue; }
    a = ga_combines(s4, a);
#endif
  }
  return a;
}

/* Joins the y's of each x: the lower `down` bits of y from their top, the others
 * from their bottom. Threads with y 0 get the result. */
GA_FN ga_accs ga_join_y(ga_accs a, ga_uint xbits, ga_uint down, ga_accs *shared) {
  const ga_uint ybits = 8 - xbits;
#pragma unroll 1
  for (ga_uint n = 0; n < ybits; n++) {
    const ga_uint bit = n < down ? down - 1 - n : n;
    /* of a group that is joined already, the member with its bits 0 counts */
    shared[threadIdx.x] = a;
    __syncthreads();
    if (!(threadIdx.x >> (xbits + bit) & 1))
      a = ga_combines(a, shared[threadIdx.x + (1u << (xbits + bit))]);
    __syncthreads();
  }
  return a;
}

/* Joins pass number n to those before, as a binary counter carries; the result
 * of all 2^k passes comes with the last. For threads with y 0. */
GA_FN ga_accs ga_carry(ga_accs a, ga_ulong n, ga_accs *stack) {
  ga_uint depth = 0;
#pragma unroll 1
  for (; n & 1; n >>= 1, depth++) a = ga_combines(stack[depth * 32], a);
  if (depth < GA_DEPTH) stack[depth * 32] = a;
  return a;
}

/* Of `n` spans, the `part`s of which lie `pitch` apart, the join: eight in flight
 * a thread, then the y's, then the passes. */
GA_FN ga_accs ga_join_spans(const ga_acc *part, ga_uint n, ga_ulong pitch, int columns,
                            ga_uint xbits, ga_accs *shared, ga_accs *stack) {
  const ga_uint y = threadIdx.x >> xbits, each = 8u << (8 - xbits);
  ga_uint passes = 1;
  ga_accs a;
  while (passes * each < n) passes *= 2;
#pragma unroll 1
  for (ga_uint p = 0; p < passes; p++) {
    ga_accs v[8];
#pragma unroll
    for (int s = 0; s < 8; s++) {
      const ga_uint at = p * each + y * 8 + s;
#pragma unroll
      for (int k = 0; k < GA_VEC; k++)
        v[s].v[k] = at < n && k < columns ? ga_fetch(part + at * pitch + k) : ga_identity();
    }
#pragma unroll
    for (int h = 1; h < 8; h *= 2)
#pragma unroll
      for (int s = 0; s < 8; s += 2 * h) v[s] = ga_combines(v[s], v[s + h]);
    a = ga_join_y(v[0], xbits, 0, shared);
    if (y == 0) a = ga_carry(a, p, stack);
  }
  return a;
}

GA_FN void ga_finish(const ga_params &P, const ga_columns &c, const ga_accs &a) {
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) {
    ga_outer outer;
    ga_out out;
    if (k >= c.n) break;
#define X(i, T) outer.x##i = ga_load<T>(P.a##i + c.off[i] + k * P.inner_step[i]);
    GA_OUTERS(X)
#undef X
    ga_post(P, a.v[k], outer, out);
#define X(i, T) ga_store<T>(P.a##i + c.off[i] + k * P.inner_step[i], out.y##i);
    GA_OUTPUTS(X)
#undef X
  }
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  __shared__ ga_accs shared[GA_BLOCK];
#if !GA_SHORT
  __shared__ ga_accs stacks[GA_DEPTH * 32];
  __shared__ ga_uint last;
#endif
  const ga_uint x = threadIdx.x & ((1u << P.xbits) - 1), y = threadIdx.x >> P.xbits;
  const ga_uint ybits = 8 - P.xbits, qb = P.qbits < ybits ? P.qbits : ybits;
#pragma unroll 1
  for (ga_ulong u = blockIdx.x; u < P.units; u += gridDim.x) {
    const ga_index group = ga_quotient((ga_index)u, P.spans);
    const ga_index outer = ga_quotient(group, P.tiles);
    const ga_ulong column = ((ga_ulong)((group - outer * P.tiles.d) << P.xbits) + x) * GA_VEC;
    ga_columns c;
    ga_accs a;
    c.n = column >= P.inner ? 0 : P.inner - column < GA_VEC ? (int)(P.inner - column) : GA_VEC;
#pragma unroll
    for (int o = 0; o < GA_NOFF; o++)
      c.off[o] = c.n ? (ga_offset)column * P.inner_step[o] : 0;
    ga_walk(P.kept_axes, outer, c.off);
#if GA_SHORT
    a = ga_down(P, c, 0, y & ((1u << qb) - 1), P.qbits - qb);
    a = ga_join_y(a, P.xbits, qb, shared);
#else
    const ga_index span = (ga_index)u - group * P.spans.d;
    ga_accs *stack = stacks + x;
#pragma unroll 1
    for (ga_ulong p = 0; p < P.passes; p++) {
      const ga_ulong chunk = ((span * P.passes + p) << (ybits - qb)) + (y >> qb);
      a = ga_identities();
      if (chunk * 1024 < P.reduced)
        a = ga_down(P, c, chunk * 1024, y & ((1u << qb) - 1), P.qbits - qb);
      a = ga_join_y(a, P.xbits, qb, shared);
      if (y == 0) a = ga_carry(a, p, stack);
    }
    if (P.spans.d > 1) {
      const ga_ulong pitch = (ga_ulong)P.tiles.d * (GA_VEC << P.xbits);
      ga_acc *part = P.part + outer * (P.spans.d * pitch) + column;
      if (y == 0) {
#pragma unroll
        for (int k = 0; k < GA_VEC; k++)
          if (k < c.n) part[span * pitch + k] = a.v[k];
      }
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) last = atomicAdd(P.ticket + group, 1u) == (ga_uint)P.spans.d - 1;
      __syncthreads();
      if (!last) continue;
      __threadfence();
      a = ga_join_spans(part, (ga_uint)P.spans.d, pitch, c.n, P.xbits, shared, stack);
      if (threadIdx.x == 0) P.ticket[group] = 0;
    }
#endif
    if (y == 0) ga_finish(P, c, a);
#if !GA_SHORT
    __syncthreads();
#endif
  }
}
