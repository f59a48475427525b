/* SPDX-License-Identifier: MIT */
/* Reduce, class COLUMNS: the innermost axis is kept; threads walk down it.
 *
 * DESIGN.md joins the elements of a chunk of 1024 rows by the bits of a row's number
 * in it: 9 8 7 0 1 6 5 4 3 2, of which there are as many as the rows have. `bit` holds
 * what each stands for, in that order. A thread takes the first: GA_LOADS rows at once,
 * in flight together, joined in registers. The last `ybits` are the thread's y, joined
 * through shared memory and lanes; those between are its steps, whose results wait in shared
 * memory and are joined as a binary counter carries. A pass is a chunk; the passes of a span are
 * joined as a binary counter again, spans by the last block to finish one.
 *
 * A block is 2^xbits threads wide, each with GA_VEC columns, 2^ybits high, and does
 * 2^zbits groups (a tile of columns of one outer element) where that leaves threads.
 *
 *   1500 rows of 40 float32: GA_VEC 4 and GA_LOADS 8 (bits 9 8 7), xbits 4 (10 of 16
 *   vectors), ybits 4 (5 4 3 2), so the steps are 0 1 6: eight. Two passes or spans.
 *   256 rows of 16: xbits 2, loads are bits 7 0 1, ybits 5, no steps, zbits 1.
 *   3 rows of 5000: GA_LOADS 4 (bits 0 1), no ybits, xbits 8.
 *
 * GA_SPANS 0: the rows are of one chunk. GA_WHOLE 1: they are whole chunks.
 * GA_WALKS_0, ...: 0: the operand does not move along the columns (GA_TAIL 1: along the tail).
 *
 * GA_VECTOR 1: a thread's columns are neighbours, and lie on vectors where an operand
 * moves along them. Else they are 2^xbits apart, so that those of a warp's lanes are
 * neighbours, wherever a row begins. GA_ALIGNED 1 then: they are 32 apart, and each
 * operand moves along them by one element or not at all.
 *
 * GA_TAIL 1: inside the kept axis is a reduced one of 4 elements to 64 bytes, a power of two.
 * A thread has four of them (bits 0 1, joined when its loads are) of one column, and
 * 2^tail lanes side by side have a column's; they are joined last, as the tree has it.
 *
 *   axes 0, 2 and 4 of 4096 x 16 x 8 x 32 x 16: loads are bits 9 8 7, steps 6 5 4, the
 *   four lanes of a column 3 2; 8 columns a warp, which loads 512 bytes of memory at once.
 */
#define GA_DEPTH 8   /* passes of a span: at most 2^GA_DEPTH */
#define GA_LEADERS 32 /* threads that lead, with y 0, where a span has passes */
/* One barrier a pass, where what is joined in one does not lie in the next one's way. */
#define GA_BUFFERS (sizeof(ga_subs) > 32 ? 1 : 2)
/* What a thread's steps leave is in shared memory, where that has room for it: registers are
 * for what is on its way. */
#define GA_SHARED_BYTES \
  (GA_BLOCK * (sizeof(ga_subs) * (GA_BUFFERS + 4) + sizeof(ga_accs) * (GA_SUB + 1)))
#define GA_WAITS_APART (GA_SHARED_BYTES > 48000 ? 1 : GA_BLOCK)

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_acc *part;
  ga_uint *ticket;
  ga_ulong reduced, inner, passes, groups;
#if GA_IOTA
  ga_long iota_base;
#endif
  ga_div spans, tiles;
  ga_axes<GA_NK> kept_axes; /* but for the innermost */
  ga_axes<GA_NR> reduced_axes;
  ga_offset inner_step[GA_NOFF];
  ga_uint xbits, ybits, zbits, steps, rows; /* rows: of a chunk, a power of two */
  ga_uint bit[10];                         /* the y's from the end */
#if GA_TAIL
  ga_uint tail;
#endif
  GA_NUMBERS(GA_NUMBER)
};

/* Columns of a thread. */
#define GA_COLUMNS (GA_TAIL ? 1 : GA_VEC)

/* Those of one thread: the first one's offset, how many exist. */
struct ga_columns {
  ga_offset off[GA_NOFF];
  int n;
};

/* From one column of a thread to the next. */
GA_FN int ga_apart(const ga_params &P) {
  return GA_VECTOR ? 1 : GA_ALIGNED ? 32 : 1 << P.xbits;
}

/* log2 of a column's lanes. */
GA_FN ga_uint ga_tail(const ga_params &P) {
#if GA_TAIL
  return P.tail;
#else
  return 0;
#endif
}

/* Accumulators of a thread's columns, of part of a chunk and of more. */
struct ga_subs {
  ga_sub v[GA_COLUMNS];
};
#if GA_SUB
struct ga_accs {
  ga_acc v[GA_COLUMNS];
};
#else
typedef ga_subs ga_accs;
#endif

template <bool EVEN = false, class A> GA_FN A ga_combines(const A &a, const A &b) {
  A r;
#pragma unroll
  for (int k = 0; k < GA_COLUMNS; k++) r.v[k] = ga_combine_some<EVEN>(a.v[k], b.v[k]);
  return r;
}

/* The same of columns that all have some elements. */
GA_FN ga_subs ga_combine_cut(const ga_subs &a, const ga_subs &b) {
  ga_subs r;
#pragma unroll
  for (int k = 0; k < GA_COLUMNS; k++) r.v[k] = ga_combine_cut(a.v[k], b.v[k]);
  return r;
}

GA_FN ga_accs ga_wide(const ga_subs &a) {
  ga_accs r;
#pragma unroll
  for (int k = 0; k < GA_COLUMNS; k++) r.v[k] = ga_widen(a.v[k]);
  return r;
}

GA_FN ga_subs ga_identities() {
  ga_subs r;
#pragma unroll
  for (int k = 0; k < GA_COLUMNS; k++) r.v[k] = ga_narrow(ga_identity());
  return r;
}

/* One row of a thread's columns as it was loaded. */
struct ga_line {
#define X(i, T) ga_pack<T, GA_VEC> x##i;
  GA_INPUTS(X)
#undef X
#if GA_IOTA
  ga_offset iota;
#endif
};

/* The rows that a thread loads at once, `row` being the first. Each is one addition
 * away from another, and is not to be held as its distance from the first. */
GA_FN void ga_rows_from(const ga_params &P, ga_index row, ga_index (&rows)[GA_LOADS]) {
  rows[0] = row;
#pragma unroll
  for (int h = GA_LOADS / 2, b = 0; h > 0; h /= 2, b++)
#pragma unroll
    for (int n = 0; n < GA_LOADS; n += 2 * h) {
      rows[n + h] = rows[n] + P.bit[b];
      GA_OPAQUE(rows[n + h]);
    }
}

/* GA_LOADS rows from `row` on. No condition is between the loads: past the end it is the last
 * row again, and the last column. */
GA_FN void ga_load_lines(const ga_params &P, const ga_columns &c, ga_index row,
                         ga_line (&l)[GA_LOADS]) {
  ga_offset off[GA_LOADS][GA_NOFF];
  ga_index rows[GA_LOADS];
  const ga_index last = (ga_index)P.reduced - (GA_TAIL ? GA_VEC : 1);
  ga_rows_from(P, row, rows);
#pragma unroll
  for (int n = 0; n < GA_LOADS; n++) {
#define X(o) off[n][o] = c.off[o];
    GA_OFFSETS(X)
#undef X
    ga_walk(P.reduced_axes, GA_WHOLE || rows[n] < last ? rows[n] : last, off[n]);
#if GA_IOTA
    l[n].iota = off[n][GA_NOP];
#endif
  }
#define GA_EACH_ROW(i) \
  _Pragma("unroll") for (int n = 0; n < (GA_STANDS(i) ? 1 : GA_LOADS); n++)
#define X(i, T)                                                                      \
  if constexpr (!GA_WALKS_##i) {                                                     \
    GA_EACH_ROW(i) l[n].x##i.fill(ga_load<T>(P.a##i + off[n][i]));                   \
  } else if constexpr (GA_VECTOR) {                                                  \
    GA_EACH_ROW(i) l[n].x##i.load(P.a##i + off[n][i]);                               \
  } else {                                                                           \
    const ga_offset pitch =                                                          \
        (GA_ALIGNED ? (ga_offset)sizeof(T) : P.inner_step[i]) * ga_apart(P);         \
    GA_EACH_ROW(i) {                                                                 \
      const char *p = P.a##i + off[n][i];                                            \
      _Pragma("unroll") for (int k = 0; k < GA_VEC; k++)                             \
        l[n].x##i.set(k, ga_load<T>(p + (k < c.n ? k : c.n - 1) * pitch));           \
    }                                                                                \
  }                                                                                  \
  if constexpr (GA_STANDS(i))                                                        \
    _Pragma("unroll") for (int n = 1; n < GA_LOADS; n++) l[n].x##i = l[0].x##i;
  GA_INPUTS(X)
#undef X
}

#if GA_IOTA
/* From one element of a thread's vector to the next. */
GA_FN ga_long ga_next_iota(const ga_params &P) {
  if constexpr (GA_TAIL) return P.reduced_axes.step[P.reduced_axes.n - 1][GA_NOP];
  else return (ga_long)P.inner_step[GA_NOP] * ga_apart(P);
}
#endif

/* Those rows joined, as far as they exist. */
template <bool WHOLE>
GA_FN ga_subs ga_fold(const ga_params &P, const ga_line (&l)[GA_LOADS], ga_index row) {
  ga_subs r;
  ga_index rows[GA_LOADS];
  if (!WHOLE) ga_rows_from(P, row, rows);
  const auto leaf = [&](int n, int k) {
    ga_in in;
    ga_long iota = 0;
#define X(i, T) in.x##i = l[n].x##i.get(k);
    GA_INPUTS(X)
#undef X
#if GA_IOTA
    iota = P.iota_base + l[n].iota + k * ga_next_iota(P);
#endif
    const bool exists = WHOLE || (GA_ROLL && !GA_TAIL) || rows[n] < P.reduced;
    return ga_narrow(ga_leaf_or_none(P, in, iota, exists));
  };
#if GA_TAIL
  const int apart = GA_LOADS / 8; /* of the rows whose bits are 9 8 7 */
  r.v[0] = ga_join_leaves<apart>([&](int first) {
    const auto of = [&](int k) {
      return ga_join_leaves<8>([&](int c) { return leaf(first + c * apart, k); });
    };
    const ga_sub even = ga_combine(of(0), of(1));
    return ga_combine(even, ga_combine(of(2), of(3)));
  });
#else
  if constexpr (GA_ROLL && !WHOLE) {
    if (rows[0] >= P.reduced) return ga_identities();
    return ga_join_existing<GA_LOADS>(
        [&](int n) {
          ga_subs some;
#pragma unroll
          for (int k = 0; k < GA_VEC; k++) some.v[k] = leaf(n, k);
          return some;
        },
        [&](int n) { return rows[n] < P.reduced; });
  }
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) {
    const auto element = [&](int n) { return leaf(n, k); };
    if constexpr (GA_ROLL) {
      r.v[k] = ga_join_leaves<GA_LOADS>(element);
      continue;
    }
    ga_sub a[GA_LOADS];
#pragma unroll
    for (int n = 0; n < GA_LOADS; n++) a[n] = element(n);
#pragma unroll
    for (int h = GA_LOADS / 2; h > 0; h /= 2)
#pragma unroll
      for (int n = 0; n < GA_LOADS / 2; n++) /* a bound that is known, or it is no register */
        if (n < h) a[n] = ga_combine(a[n], a[n + h]);
    r.v[k] = a[0];
  }
#endif
  return r;
}

GA_FN int ga_log2_loads() {
  int b = 0;
#pragma unroll
  for (int n = GA_LOADS; n > 1; n /= 2) b++;
  return b;
}

/* All that one thread has of a chunk, its first row being `row`. What steps leave waits in
 * `waits`, GA_WAITS_APART apart, as a binary counter has it. (Of several chunks only the last
 * lacks rows: where text is long, it has one of its own, as short as may be.) */
GA_FN ga_subs ga_down(const ga_params &P, const ga_columns &c, ga_index row, ga_subs *waits) {
  ga_subs a;
#pragma unroll 1
  for (ga_uint t = 0;; t++) {
    ga_line l[GA_LOADS];
    const ga_uint *bit = P.bit + ga_log2_loads();
    ga_subs *w = waits;
    ga_load_lines(P, c, row, l);
    if (GA_WHOLE || (GA_ROLL && GA_SPANS && (row | (P.rows - 1)) < P.reduced))
      a = ga_fold<true>(P, l, row);
    else
      a = ga_fold<false>(P, l, row);
#pragma unroll 1
    for (ga_uint n = t; n & 1; n >>= 1, w += GA_WAITS_APART) {
      a = ga_combines<GA_WHOLE>(*w, a);
      row -= *bit++;
    }
    if (t + 1 == P.steps) return a;
    *w = a;
    row += *bit;
  }
}

/* Joins the y's of each x and z, highest bit first; threads with y 0 get the result.
 * Bits of the warp's number go through `shared`, one barrier; then lanes, a column's
 * last. */
GA_FN ga_subs ga_join_y(const ga_params &P, ga_subs a, ga_subs *shared) {
  const ga_uint low = P.xbits > 5 ? P.xbits : 5, top = P.xbits + P.ybits;
  if (top > low) {
    ga_subs *const own = shared + threadIdx.x;
    *own = a;
    __syncthreads();
    if (((threadIdx.x >> low) & ((1u << (top - low)) - 1)) == 0) {
#pragma unroll 1
      for (ga_uint h = 1u << (top - 1); h >= 1u << low; h /= 2)
#pragma unroll 1
        for (ga_uint j = 0; j < h; j += 1u << low)
          own[j] = ga_combines<GA_WHOLE>(own[j], own[j + h]);
      a = *own;
    }
  }
#pragma unroll 1
  for (int b = 4; b >= 0; b--)
    if ((b >= (int)P.xbits && b < (int)top) || b < (int)ga_tail(P)) {
      ga_subs other;
#pragma unroll
      for (int k = 0; k < GA_COLUMNS; k++) other.v[k] = ga_exchange(a.v[k], 1 << b);
      a = ga_combines<GA_WHOLE>(a, other);
    }
  return a;
}

#if GA_SPANS

/* Joins pass number n to those before, as a binary counter carries; the result
 * of all 2^k passes comes with the last. For threads that lead. */
GA_FN ga_accs ga_carry(ga_accs a, ga_ulong n, ga_accs *stack) {
  ga_uint depth = 0;
#pragma unroll 1
  for (; n & 1; n >>= 1, depth++) a = ga_combines(stack[depth * GA_LEADERS], a);
  if (depth < GA_DEPTH) stack[depth * GA_LEADERS] = a;
  return a;
}

/* Of a group's spans, the `part`s of which lie `pitch` apart, the join, lowest bit first:
 * eight in flight a thread, then a column's lanes, the y's, then passes of those. */
GA_FN ga_accs ga_join_spans(const ga_params &P, const ga_accs *part, ga_uint pitch, bool leads,
                            ga_accs *shared, ga_accs *stack) {
  const ga_uint y = threadIdx.x >> P.xbits & ((1u << P.ybits) - 1), tail = ga_tail(P);
  const ga_uint own = y << tail | (threadIdx.x & ((1u << tail) - 1)), each = 8u << (P.ybits + tail);
  const ga_uint n = (ga_uint)P.spans.d;
  ga_uint passes = 1;
  ga_accs a;
  while (passes * each < n) passes *= 2;
#pragma unroll 1
  for (ga_uint p = 0; p < passes; p++) {
    ga_accs v[8];
#pragma unroll
    for (int s = 0; s < 8; s++) {
      const ga_uint at = p * each + own * 8 + s;
      const ga_accs got = ga_fetch(part + (ga_ulong)(at < n ? at : 0) * pitch);
#pragma unroll
      for (int k = 0; k < GA_COLUMNS; k++) v[s].v[k] = at < n ? got.v[k] : ga_identity();
    }
    GA_UNROLL_JOINS
    for (int h = 1; h < 8; h *= 2)
      GA_UNROLL_JOINS
      for (int s = 0; s < 8; s += 2 * h) v[s] = ga_combines(v[s], v[s + h]);
    a = v[0];
#pragma unroll 1
    for (ga_uint b = tail ? 0 : P.xbits; b < P.xbits + P.ybits;
         b = b + 1 == tail ? P.xbits : b + 1) {
      shared[threadIdx.x] = a;
      __syncthreads();
      if (!(threadIdx.x >> b & 1)) a = ga_combines(a, shared[threadIdx.x + (1u << b)]);
      __syncthreads();
    }
    if (leads) a = ga_carry(a, p, stack);
  }
  return a;
}

#endif

GA_FN void ga_finish(const ga_params &P, const ga_columns &c, const ga_accs &a) {
#pragma unroll
  for (int k = 0; k < GA_COLUMNS; k++) {
    ga_outer outer;
    ga_out out;
    if (k >= c.n) break;
#define GA_AT(i) (P.a##i + (c.off[i] + k * ga_apart(P) * P.inner_step[i]))
#define X(i, T) outer.x##i = ga_load<T>(GA_AT(i));
    GA_OUTERS(X)
#undef X
    ga_post(P, a.v[k], outer, out);
#define X(i, T) ga_store<T>(GA_AT(i), out.y##i);
    GA_OUTPUTS(X)
#undef X
  }
}

/* The columns of this thread in a group, which may not exist. */
GA_FN ga_columns ga_seek(const ga_params &P, ga_ulong group, ga_uint x) {
  ga_columns c;
  const ga_index outer = ga_quotient((ga_index)group, P.tiles);
  const ga_ulong tile = (ga_index)group - outer * P.tiles.d;
  ga_ulong column = tile * GA_COLUMNS << (P.xbits - ga_tail(P));
  column += GA_VECTOR ? (x >> ga_tail(P)) * GA_COLUMNS : x;
  const ga_ulong left = column < P.inner && group < P.groups ? P.inner - column : 0;
  const ga_ulong exist = (left + ga_apart(P) - 1) >> (GA_VECTOR ? 0 : P.xbits);
  c.n = exist < GA_COLUMNS ? (int)exist : GA_COLUMNS;
#define X(o) c.off[o] = c.n ? (ga_offset)column * P.inner_step[o] : 0;
  GA_OFFSETS(X)
#undef X
  if (c.n) ga_walk(P.kept_axes, outer, c.off);
  return c;
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  __shared__ ga_subs shared[GA_SPANS ? GA_BUFFERS : 1][GA_BLOCK];
  __shared__ ga_subs held[GA_WAITS_APART > 1 ? 4 * GA_BLOCK : 1];
  ga_subs own[GA_WAITS_APART > 1 ? 1 : 4];
  ga_subs *waits = GA_WAITS_APART > 1 ? held + threadIdx.x : own;
  const ga_uint x = threadIdx.x & ((1u << P.xbits) - 1);
  const ga_uint y = threadIdx.x >> P.xbits & ((1u << P.ybits) - 1);
  const ga_uint z = threadIdx.x >> (P.xbits + P.ybits);
  const ga_uint lane = x & ((1u << ga_tail(P)) - 1); /* of a column */
  const bool leads = y == 0 && lane == 0;
  ga_index row = lane * GA_VEC;
#pragma unroll 1
  for (ga_uint p = 0; p < P.ybits; p++) row += (y >> p & 1) * P.bit[9 - p];
#if GA_SPANS
#if GA_SUB
  __shared__ ga_accs joined[GA_BLOCK];
#else
  ga_accs *joined = shared[0];
#endif
  __shared__ ga_accs stacks[GA_DEPTH * GA_LEADERS];
  __shared__ ga_uint last;
  ga_accs *stack = stacks + ((z << P.xbits | x) >> ga_tail(P) & (GA_LEADERS - 1));
  const ga_index first = ga_quotient((ga_index)blockIdx.x, P.spans);
  const ga_index span = (ga_index)blockIdx.x - first * P.spans.d;
  const ga_ulong group = ((ga_ulong)first << P.zbits) + z;
  const ga_columns c = ga_seek(P, group, x);
  ga_uint parity = 0;
  ga_accs all;
#pragma unroll 1
  for (ga_ulong p = 0; p < P.passes; p++, parity = (parity + 1) % GA_BUFFERS) {
    const ga_ulong chunk = span * P.passes + p;
    ga_subs a = ga_identities();
    if (chunk * 1024 < P.reduced && c.n)
      a = ga_down(P, c, (ga_index)(chunk * 1024) + row, waits);
    a = ga_join_y(P, a, shared[parity]);
    if (GA_BUFFERS == 1) __syncthreads();
    all = ga_wide(a);
    if (P.passes > 1 && leads) all = ga_carry(all, p, stack);
  }
  if (P.spans.d > 1) {
    const ga_uint pitch = 1u << (P.xbits - ga_tail(P));
    ga_accs *part = (ga_accs *)P.part + group * P.spans.d * pitch + (x >> ga_tail(P));
    if (leads && c.n) part[(ga_ulong)span * pitch] = all;
    __syncthreads();
    if (threadIdx.x == 0) last = ga_take_ticket(P.ticket + first) == (ga_uint)P.spans.d - 1;
    __syncthreads();
    if (!last) return;
    all = ga_join_spans(P, c.n ? part : (ga_accs *)P.part, pitch, leads, joined, stack);
    if (threadIdx.x == 0) P.ticket[first] = 0;
  }
#else
  const ga_columns c = ga_seek(P, ((ga_ulong)blockIdx.x << P.zbits) + z, x);
  ga_subs a = ga_identities();
  if (c.n) a = ga_down(P, c, row, waits);
  const ga_accs all = ga_wide(ga_join_y(P, a, shared[0]));
#endif
  if (leads) ga_finish(P, c, all);
}
