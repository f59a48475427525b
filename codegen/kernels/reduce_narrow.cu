/* SPDX-License-Identifier: MIT */
/* Reduce, class COLUMNS, where rows are narrow and follow each other without a gap:
 * memory is read as one row of vectors, whatever the number of columns, and columns
 * are told apart in shared memory.
 *
 * Element p of 128 rows is at the same place of a vector in each eighth of a chunk of
 * 1024 rows, as 128 rows are whole vectors: a thread loads eight, 128 rows apart, and
 * joins them (bits 9 8 7 of the row's number, DESIGN.md). Of the 128 rows that are left
 * in shared memory, threads join fours (bits 0 1), then halves (bits 6 5 4 3 2). The
 * chunks of a span are joined as a binary counter carries, spans by the last block.
 *
 * A block does 2^zbits chunks at once where one has too few vectors for its threads.
 *
 *   3 columns of float32 from address 4 modulo 16: an eighth is 384 elements, position
 *   -1 to 382 in 96 vectors; element 383 is in vector 96. Two chunks at once, of 128
 *   threads each, 97 of which load. 96 fours of rows, then 48, 24, 12, 6 and 3 joins.
 *
 * Each operand moves along both axes, all from the same place of a vector (GA_VEC
 * elements, 16 bytes of the widest).
 */
#define GA_DEPTH 8    /* chunks of a span: at most 2^GA_DEPTH */
#define GA_QUARTER 32 /* fours of rows in 128 */

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_acc *part;
  ga_uint *ticket;
  ga_ulong units, reduced, passes;
  ga_div spans, columns;
  ga_axes<GA_NK> kept_axes; /* but for the columns */
  ga_offset inner_step[GA_NOFF];
  ga_uint zbits;
  GA_NUMBERS(GA_NUMBER)
};

/* Eight vectors as they were loaded, 128 rows apart. */
struct ga_eighths {
#define X(i, T) ga_pack<T, GA_VEC> x##i[8];
  GA_INPUTS(X)
#undef X
};

/* The vector from position p of a chunk on, eight times over, joined into `to`, where
 * position 0 is. `exist` elements of the chunk do (WHOLE: all do). */
template <bool WHOLE>
GA_FN void ga_fold(const ga_params &P, const ga_place &chunk, ga_offset p, ga_offset exist,
                   ga_sub *to) {
  const ga_offset pitch = 128 * (ga_offset)P.columns.d;
  ga_eighths l;
#define X(i, T)                                                                         \
  _Pragma("unroll") for (int c = 0; c < 8; c++) if (WHOLE || p + c * pitch < exist)     \
      l.x##i[c].load(P.a##i + (chunk.off[i] + (p + c * pitch) * (ga_offset)sizeof(T)));
  GA_INPUTS(X)
#undef X
#pragma unroll
  for (int j = 0; j < GA_VEC; j++) {
    ga_sub a[8];
#pragma unroll
    for (int c = 0; c < 8; c++) {
      ga_in in;
#define X(i, T) in.x##i = l.x##i[c].get(j);
      GA_INPUTS(X)
#undef X
      a[c] = ga_narrow(WHOLE || p + j + c * pitch < exist ? ga_leaf(P, in, 0) : ga_identity());
    }
#pragma unroll
    for (int h = 4; h > 0; h /= 2)
#pragma unroll
      for (int c = 0; c < 4; c++)
        if (c < h) a[c] = ga_combine(a[c], a[c + h]);
    if (p + j >= 0 && p + j < pitch) to[p + j] = a[0];
  }
}

/* Joins rows of columns in shared memory, n times 32, the second half of them to the
 * first until one is left. */
template <class A> GA_FN void ga_join_halves(const ga_params &P, A *rows, ga_uint nbits) {
  const ga_uint columns = (ga_uint)P.columns.d;
#pragma unroll 1
  for (int b = 4; b >= 0; b--) {
    const ga_uint h = 1u << b;
#pragma unroll 1
    for (ga_uint t = threadIdx.x; t < h * columns << nbits; t += GA_BLOCK) {
      const ga_uint z = (ga_uint)ga_quotient((ga_index)t, P.columns) >> b;
      A *at = rows + (t + z * (GA_QUARTER - h) * columns);
      at[0] = ga_combine(at[0], at[h * columns]);
    }
    __syncthreads();
  }
}

/* Joins number n to those before, as a binary counter carries. */
GA_FN ga_acc ga_carry(const ga_params &P, ga_acc a, ga_ulong n, ga_acc *stack) {
  ga_uint depth = 0;
#pragma unroll 1
  for (; n & 1; n >>= 1, depth++) a = ga_combine(stack[depth * (ga_uint)P.columns.d], a);
  if (depth < GA_DEPTH) stack[depth * (ga_uint)P.columns.d] = a;
  return a;
}

/* 2^zbits chunks from number `first` on, whose results are then carried: threads below
 * the number of columns get the join of those so far. */
GA_FN ga_acc ga_pass(const ga_params &P, const ga_place &at, ga_ulong first, ga_ulong n,
                     ga_sub *rows, ga_acc *stack) {
  const ga_uint columns = (ga_uint)P.columns.d, pitch = 128 * columns;
  const ga_uint threads = GA_BLOCK >> P.zbits, z = threadIdx.x >> (8 - P.zbits);
  const ga_ulong row = (first + z) * 1024;
  const ga_ulong some = P.reduced > row ? P.reduced - row : 0;
  const ga_offset exist = (ga_offset)(some < 1024 ? some : 1024) * (ga_offset)columns;
  ga_sub *fours = rows + (pitch << P.zbits);
  ga_place chunk = at;
  ga_offset before = 0;
  ga_acc all = ga_identity();
#define X(i, T)                                                                       \
  chunk.off[i] += (ga_offset)row * ((ga_offset)columns * (ga_offset)sizeof(T));       \
  before = (ga_offset)((ga_ulong)(P.a##i + at.off[i]) / sizeof(T) % GA_VEC);
  GA_INPUTS(X)
#undef X
#pragma unroll 1
  for (ga_offset p = (ga_offset)(threadIdx.x & (threads - 1)) * GA_VEC - before;
       p < (ga_offset)pitch; p += (ga_offset)threads * GA_VEC)
    if (some >= 1024)
      ga_fold<true>(P, chunk, p, exist, rows + z * pitch);
    else
      ga_fold<false>(P, chunk, p, exist, rows + z * pitch);
  __syncthreads();
#pragma unroll 1
  for (ga_uint t = threadIdx.x; t < GA_QUARTER * columns << P.zbits; t += GA_BLOCK) {
    const ga_sub *s = rows + (t + 3 * columns * (ga_uint)ga_quotient((ga_index)t, P.columns));
    fours[t] = ga_combine(ga_combine(s[0], s[columns]), ga_combine(s[2 * columns], s[3 * columns]));
  }
  __syncthreads();
  ga_join_halves(P, fours, P.zbits);
  if (threadIdx.x < columns)
#pragma unroll 1
    for (ga_uint k = 0; k < 1u << P.zbits; k++)
      all = ga_carry(P, ga_widen(fours[GA_QUARTER * k * columns + threadIdx.x]), n + k,
                     stack + threadIdx.x);
  return all;
}

/* Joins the `n` finished spans from `part` on, lowest bit first, 256 at a time: eight
 * neighbours of a column in flight together, then 32 eights. Halves are joined highest
 * bit first, so an eight is where its number turned round says. */
GA_FN ga_acc ga_join_spans(const ga_params &P, const ga_acc *part, ga_uint n, ga_acc *eights,
                           ga_acc *stack) {
  const ga_uint columns = (ga_uint)P.columns.d;
  ga_acc all = ga_identity();
#pragma unroll 1
  for (ga_uint first = 0; first < n; first += 256) {
#pragma unroll 1
    for (ga_uint t = threadIdx.x; t < GA_QUARTER * columns; t += GA_BLOCK) {
      const ga_uint g = (ga_uint)ga_quotient((ga_index)t, P.columns), column = t - g * columns;
      const ga_uint at = first + (__brev(g) >> 27) * 8;
      ga_acc v[8];
#pragma unroll
      for (int s = 0; s < 8; s++)
        v[s] = at + s < n ? ga_fetch(part + (ga_ulong)(at + s) * columns + column) : ga_identity();
      GA_UNROLL_JOINS
      for (int h = 1; h < 8; h *= 2)
        GA_UNROLL_JOINS
        for (int s = 0; s < 8; s += 2 * h) v[s] = ga_combine(v[s], v[s + h]);
      eights[t] = v[0];
    }
    __syncthreads();
    ga_join_halves(P, eights, 0);
    if (threadIdx.x < columns) all = ga_carry(P, eights[threadIdx.x], first / 256, stack);
    __syncthreads();
  }
  return all;
}

GA_FN void ga_finish(const ga_params &P, const ga_place &at, const ga_acc &acc) {
  ga_outer outer;
  ga_out out;
#define GA_AT(i) (P.a##i + (at.off[i] + (ga_offset)threadIdx.x * P.inner_step[i]))
#define X(i, T) outer.x##i = ga_load<T>(GA_AT(i));
  GA_OUTERS(X)
#undef X
  ga_post(P, acc, outer, out);
#define X(i, T) ga_store<T>(GA_AT(i), out.y##i);
  GA_OUTPUTS(X)
#undef X
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  extern __shared__ ga_ulong ga_held[];
  __shared__ ga_uint last;
  const ga_uint columns = (ga_uint)P.columns.d;
  ga_acc *stack = (ga_acc *)ga_held;
  ga_sub *rows = (ga_sub *)(stack + GA_DEPTH * columns);
#pragma unroll 1
  for (ga_ulong u = blockIdx.x; u < P.units; u += gridDim.x) {
    const ga_index outer = ga_quotient((ga_index)u, P.spans);
    const ga_index span = (ga_index)u - outer * P.spans.d;
    const ga_place at = ga_seek(P.kept_axes, outer);
    ga_acc all;
#pragma unroll 1
    for (ga_ulong p = 0; p < P.passes; p++)
      all = ga_pass(P, at, (span * P.passes + p) << P.zbits, p << P.zbits, rows, stack);
    if (P.spans.d > 1) {
      ga_acc *part = P.part + (ga_ulong)outer * P.spans.d * columns;
      if (threadIdx.x < columns) part[(ga_ulong)span * columns + threadIdx.x] = all;
      __syncthreads();
      if (threadIdx.x == 0) last = ga_take_ticket(P.ticket + outer) == (ga_uint)P.spans.d - 1;
      __syncthreads();
      if (!last) continue;
      all = ga_join_spans(P, part, (ga_uint)P.spans.d, (ga_acc *)rows, stack + threadIdx.x);
      if (threadIdx.x == 0) P.ticket[outer] = 0;
    }
    if (threadIdx.x < columns) ga_finish(P, at, all);
    __syncthreads();
  }
}
