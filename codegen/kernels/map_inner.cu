/* SPDX-License-Identifier: MIT */
/* Map, class INNER: along the innermost axis every operand has unit step or
 * stays; the axes outside it (GA_NK of them) are anything.
 *
 * A row is one pass over the innermost axis, cut into `slots` slots of GA_VEC
 * elements, one thread each. The slots of a row are shifted so that the first
 * output's vectors are aligned; the first and the last may be cut by the row's
 * ends: of those only a part is stored (parts.cuh).
 *
 *   rows of 9 float32, output row at 12 modulo 16, GA_VEC 4: one element lies
 *   before the first aligned vector, so s = 3 and slot j begins at 4j - 3:
 *     slot 0: element 0        slot 1: elements 1..4
 *     slot 2: elements 5..8    (a row may need (9 + 3 + 3) / 4 = 3 slots)
 *
 * GA_EXACT 1: every row is whole vectors of the first output, from its first
 * element on: half the instructions.
 * GA_APART 8: a block has a part of as many rows, one after the other, and the blocks of all rows'
 * first parts come first: an input that each row reads, and no cache holds, is read once from
 * memory, and by most rows from the first cache.
 * GA_STILL: bits of the first 64 inputs that stay along rows, where values of them are made once;
 * else 0, and what stays is known as the kernel runs.
 * GA_GAPS 1: outputs are rows with gaps between; sectors that gaps cut are asked for.
 */
struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong total; /* slots of all rows; GA_APART: of one */
  ga_ulong inner; /* elements of a row */
#if GA_APART
  ga_ulong rows;
#endif
#if GA_IOTA
  ga_long iota_base, iota_step;
#endif
  ga_div slots; /* of a row; GA_APART: groups of rows */
  ga_axes<GA_NK> axes;
  ga_uint step[GA_NOP]; /* 1: moves along the row, 0: stays */
  GA_NUMBERS(GA_NUMBER)
};

#define GA_MOVES(i) (GA_STILL && i < 64 ? !(GA_STILL >> (i & 63) & 1) : P.step[i])

/* Elements [first, last) of the vector that begins with element e of a row. Each operand off
 * vectors is shifted as it comes: one that may stay would be shifted for nothing later. */
GA_FN void ga_vector(const ga_params &P, const ga_offset (&off)[GA_NOFF], ga_offset e, int first,
                     int last) {
#define X(i, T)                                                                  \
  ga_asked<T, GA_VEC, GA_ALIGNED, false> w##i;                                   \
  if (GA_MOVES(i))                                                               \
    w##i.ask(P.a##i + (off[i] + e * (ga_offset)sizeof(T)), first, last);         \
  else                                                                           \
    w##i.take(ga_splat<T, GA_VEC>(ga_load<T>(P.a##i + off[i])));
  GA_INPUTS(X)
#undef X
#if GA_BY_BYTES
  ga_bytes_in in;
  ga_bytes_out out;
#define X(i, T) in.x##i = w##i.get();
  GA_INPUTS(X)
#undef X
  ga_map_bytes(P, in, out);
#define X(i, T) const ga_vec<T, GA_VEC> r##i = ga_elements<T, GA_VEC>(out.y##i);
  GA_OUTPUTS(X)
#undef X
#else
#define X(i, T) const ga_vec<T, GA_VEC> v##i = ga_elements<T, GA_VEC>(w##i.get());
  GA_INPUTS(X)
#undef X
#define X(i, T) ga_vec<T, GA_VEC> r##i;
  GA_OUTPUTS(X)
#undef X
  ga_in in;
  ga_kept kept;
#define X(i, T) in.x##i = v##i.v[0];
  GA_INPUTS(X)
#undef X
  ga_keep(P, in, kept);
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) {
    ga_out out;
    ga_long iota = 0;
    if (GA_GUARDED && (k < first || k >= last)) continue;
#define X(i, T) in.x##i = v##i.v[k];
    GA_INPUTS(X)
#undef X
#if GA_IOTA
    iota = P.iota_base + off[GA_NOP] + (ga_long)(e + k) * P.iota_step;
#endif
    ga_map(P, in, kept, iota, out);
#define X(i, T) r##i.v[k] = out.y##i;
    GA_OUTPUTS(X)
#undef X
  }
#endif
#define X(i, T)                                                                  \
  {                                                                              \
    char *p = P.a##i + (off[i] + e * (ga_offset)sizeof(T));                      \
    if (first == 0 && last == GA_VEC)                                            \
      GA_STORE_RESULTS(i, T, ga_store_past, p)                                   \
    else                                                                         \
      ga_store_part<T, GA_VEC, GA_STORE_VEC || i == GA_FIRST>(p, r##i, first, last); \
  }
  GA_OUTPUTS(X)
#undef X
}

/* Slot `slot` of row `row`. */
GA_FN void ga_slot(const ga_params &P, ga_index row, ga_index slot, ga_index slots) {
  ga_offset off[GA_NOFF];
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) off[o] = 0;
  ga_walk(P.axes, row, off);
#if GA_GAPS
  if (slot == 0 || slot == slots - 1) {
    const ga_offset end = slot == 0 ? 0 : (ga_offset)P.inner - 1;
#define X(i, T) ga_ask_sector(P.a##i + (off[i] + end * (ga_offset)sizeof(T)));
    GA_OUTPUTS(X)
#undef X
  }
#endif

#if GA_EXACT
  ga_vector(P, off, (ga_offset)(slot * GA_VEC), 0, GA_VEC);
#else
  const ga_ulong at = (ga_ulong)(GA_FIRST_ADDRESS + off[GA_FIRST]);
  const ga_uint s = (ga_uint)(at & (GA_VEC * sizeof(GA_FIRST_T) - 1)) / (ga_uint)sizeof(GA_FIRST_T);
  const ga_offset e = (ga_offset)(slot * GA_VEC) - (GA_BYTES ? 0 : (ga_offset)s);
  const ga_offset rest = (ga_offset)P.inner - e;
  if (rest > 0) ga_vector(P, off, e, e < 0 ? (int)-e : 0, rest < GA_VEC ? (int)rest : GA_VEC);
#endif
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
#if GA_APART
  const ga_index part = ga_quotient((ga_index)blockIdx.x, P.slots), slots = (ga_index)P.total;
  const ga_index row = ((ga_index)blockIdx.x - part * P.slots.d) * GA_APART;
  const ga_index slot = part * GA_BLOCK + threadIdx.x;
  if (slot >= slots) return;
#pragma unroll 1
  for (int k = 0; k < GA_APART && row + k < (ga_index)P.rows; k++) ga_slot(P, row + k, slot, slots);
#else
  const ga_ulong t = (ga_ulong)blockIdx.x * GA_BLOCK + threadIdx.x;
  if (t >= P.total) return;
  const ga_index slots = P.slots.d, row = ga_quotient((ga_index)t, P.slots);
  ga_slot(P, row, (ga_index)t - row * slots, slots);
#endif
}
