/* SPDX-License-Identifier: MIT */
/* Scans by way of shared memory (scan_boxes.cu, scan_long.cu), where rows are short or do
 * not lie on vectors, or few kept elements lie inside the scanned axis, which are the
 * columns of a box: what one position of the kept axis around it holds. A block copies
 * aligned vectors around all that it has, threads walk down columns of the copy, and the
 * block copies out what they leave.
 *
 * Of operand i, box k begins k * P.pitch[i] bytes on, row r of column c is r * P.down[i] +
 * c * P.step[i] on in it; it is copied to P.area[i] in shared memory, an output from where
 * an input of its shape and phase lies too.
 */
#if GA_TILES
#define GA_THREADS 128
#define GA_ACROSS 32
#define GA_WIDTH (32 * GA_VEC)
#define GA_STRIP(P) (P).inner
#else
#define GA_THREADS GA_BLOCK
#endif

struct ga_params {
  GA_OPERANDS(GA_POINTER)
#if GA_TILES
  ga_uint *ticket;
  ga_ulong kept;
  ga_div strips; /* boxes */
#else
  ga_ulong boxes;
  ga_uint each; /* boxes of a block */
#endif
  ga_ulong reduced;
  ga_long pitch[GA_NOP];
  ga_uint inner, totals; /* totals: where they lie, after all areas */
  ga_uint area[GA_NOP];
  int down[GA_NOP], step[GA_NOP];
  GA_NUMBERS(GA_NUMBER)
};

struct GA_ALIGN(16) ga_sixteen {
  ga_uint w[4];
};
extern __shared__ ga_sixteen ga_copy[];

#define GA_SEGMENT 128

/* Of an operand: `bytes` from p on that a block has; how far that is from a vector's
 * begin, and row 0 of column 0 from p. */
struct ga_part {
  char *p;
  ga_uint bytes, phase, origin;
};

/* `rows` from row r on of some boxes from number k on. */
GA_FN ga_part ga_part_of(const ga_params &P, char *a, int i, int size, ga_ulong k, ga_ulong r,
                         ga_uint boxes, ga_uint rows) {
  const ga_uint down = (rows - 1) * (ga_uint)(P.down[i] < 0 ? -P.down[i] : P.down[i]);
  const ga_uint step = (P.inner - 1) * (ga_uint)(P.step[i] < 0 ? -P.step[i] : P.step[i]);
  ga_part part;
  part.origin = (P.down[i] < 0 ? down : 0) + (P.step[i] < 0 ? step : 0);
  part.p = a + ((ga_long)k * P.pitch[i] + (ga_long)r * P.down[i] - (ga_long)part.origin);
  part.bytes = (boxes - 1) * (ga_uint)P.pitch[i] + down + step + size;
  part.phase = (ga_uint)(ga_ulong)part.p & 15;
  return part;
}

/* Byte `at` of the areas: 16 bytes are left out behind each 512, as segments, and rows whose
 * length is a power of two, would else ask the same banks. */
GA_FN char *ga_place_of(ga_uint at) {
  return (char *)ga_copy + (GA_SKEW ? at + (at >> 9 << 4) : at);
}

GA_FN void ga_copy_in(const ga_part &part, ga_uint area) {
  const ga_uint end = part.phase + part.bytes;
  const char *from = part.p - part.phase;
#pragma unroll 4
  for (ga_uint b = threadIdx.x * 16; b < end; b += GA_THREADS * 16)
    ga_copy_beside<16>(ga_place_of(area + b), from + b);
}

template <class T> GA_FN void ga_copy_out(const ga_part &part, ga_uint area) {
  const ga_uint end = part.phase + part.bytes;
  char *to = part.p - part.phase;
#pragma unroll 4
  for (ga_uint b = threadIdx.x * 16; b < end; b += GA_THREADS * 16) {
    if (b >= part.phase && b + 16 <= end) {
      *(ga_sixteen *)(to + b) = *(const ga_sixteen *)ga_place_of(area + b);
    } else {
#pragma unroll 1
      for (ga_uint e = b; e < b + 16; e += (ga_uint)sizeof(T))
        if (e >= part.phase && e < end) ga_store<T>(to + e, *(const T *)ga_place_of(area + e));
    }
  }
}

/* A walk down a segment: what its groups so far make; held[b], an aligned 2^b of them, is
 * what a group whose number has bit b set is joined to. */
struct ga_running {
  ga_acc held[5], up;
};

/* Group q, of which `n` rows are there, from `at` on: joins it to those before it. STORE:
 * leaves its results, `base` being what all before the segment makes. */
template <bool STORE, bool WHOLE>
GA_FN void ga_walk_group(const ga_params &P, ga_running &w, const ga_uint (&at)[GA_NOP], ga_uint q,
                         int n, const ga_acc &base, bool first) {
  ga_acc a[4], results[4];
#pragma unroll
  for (int j = 0; j < 4; j++) {
    ga_in in;
    a[j] = ga_identity();
    if (WHOLE || j < n) {
#define X(i, T) in.x##i = *(const T *)ga_place_of(at[i] + (ga_uint)(j * P.down[i]));
      GA_INPUTS(X)
#undef X
      a[j] = ga_leaf(P, in, 0);
    }
    if (j > 0) a[j] = ga_combine(a[j - 1], a[j]);
  }
  if (STORE) ga_group_results(results, a, ga_combine(base, w.up), first);
#pragma unroll
  for (int j = 0; j < 4; j++) {
    ga_outer outer;
    ga_out out;
    if (!STORE || !(WHOLE || j < n)) continue;
    ga_post(P, results[j], outer, out);
#define X(i, T) *(T *)ga_place_of(at[i] + (ga_uint)(j * P.down[i])) = out.y##i;
    GA_OUTPUTS(X)
#undef X
  }
  w.up = a[3];
#pragma unroll
  for (int b = 0; b < 5; b++) {
    if (q >> b & 1)
      w.up = ga_combine(w.held[b], w.up);
    else
      w.held[b] = w.up;
  }
}

/* Walks down n rows of a column, a segment's, from the one at `at` on; `first`: a row's
 * first. Returns what they make. */
template <bool STORE>
GA_FN ga_acc ga_walk_rows(const ga_params &P, ga_uint (&at)[GA_NOP], int n, const ga_acc &base,
                          bool first) {
  ga_running w;
  ga_uint q = 0;
  w.up = ga_identity();
#pragma unroll
  for (int b = 0; b < 5; b++) w.held[b] = ga_identity();
#pragma unroll 1
  for (; n >= 4; n -= 4, q++) {
    ga_walk_group<STORE, true>(P, w, at, q, 4, base, first && q == 0);
#pragma unroll
    for (int i = 0; i < GA_NOP; i++) at[i] += (ga_uint)(4 * P.down[i]);
  }
  if (n > 0) ga_walk_group<STORE, false>(P, w, at, q, n, base, first && q == 0);
  return w.up;
}
