/* SPDX-License-Identifier: MIT */
/* Scan of extremes of single bytes, which nothing is done to, of rows that lie one after the other
 * in both operands, where vectors of 16 bytes do too. To each byte its row's number is put, in the
 * upper byte of a half of a word, so that the greatest of all before it is that of its row: nothing
 * is asked about rows' ends. Two halves are joined by one instruction.
 *
 * GA_LONG 0: a warp has P.each rows, or as much of GA_SEGS * 512 bytes as they take.
 *
 *   cummax(a, axis=1) of int8 [1000, 333]: 12 rows a warp, 3996 bytes; that of rows 12 to 23 begins
 *   12 bytes into a vector, whose other bytes are of earlier rows, and so are not greater.
 *
 * GA_LONG 1: a block has a row, and walks along it if its warps do not hold it. There are no
 * numbers: what the first vector has of the row before is as small as can be instead.
 */
struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong units; /* rows */
  ga_div row;     /* bytes of one */
  ga_uint each, before; /* rows of a warp, or block; bytes of whole rows, 15 at least */
  GA_NUMBERS(GA_NUMBER)
};

/* What makes the order of bytes that of whole numbers without a sign, the greatest being sought. */
#define GA_FLIP ((GA_GREATEST ? 0u : 0xffffffffu) ^ (GA_EXTREME_SIGNED ? 0x80808080u : 0u))

/* 4 bytes, from byte `at` on, with their rows' numbers: the first and third one, and the others. */
GA_FN void ga_number_bytes(const ga_params &P, ga_uint x, ga_uint at, ga_uint &even, ga_uint &odd) {
  ga_uint rows = 0;
  if (!GA_LONG) {
    const ga_uint row = (ga_uint)ga_quotient(at, P.row), left = (row + 1) * (ga_uint)P.row.d - at;
    rows = row * 0x01010101u + (left < 4 ? 0x01010101u << left * 8 : 0);
  }
  x ^= GA_FLIP;
  even = __byte_perm(x, rows, 0x6240);
  odd = __byte_perm(x, rows, 0x7351);
}

/* The greatest of all that the lanes up to this one have, of 16 bytes each, this one's from byte
 * `at` on. */
GA_FN ga_uint ga_greatest_bytes(const ga_params &P, const ga_vec<ga_uint, 4> &v, ga_uint at) {
  ga_uint all = 0;
#pragma unroll
  for (int w = 0; w < 4; w++) {
    ga_uint even, odd;
    ga_number_bytes(P, v.v[w], at + 4 * w, even, odd);
    all = __vmaxu2(all, __vmaxu2(even, odd));
  }
  all = __vmaxu2(all, all >> 16) & 0xffffu;
#pragma unroll
  for (int b = 0; b < 5; b++) {
    const ga_uint left = __shfl_up_sync(GA_FULL, all, 1 << b); /* or the lane's own */
    all = left > all ? left : all;
  }
  return all;
}

/* The lane's results, `all` being that, and carry the greatest of all before the lanes' bytes. */
GA_FN ga_vec<ga_uint, 4> ga_scan_bytes(const ga_params &P, ga_vec<ga_uint, 4> v, ga_uint at,
                                       ga_uint all, ga_uint &carry) {
  const ga_uint left = __shfl_up_sync(GA_FULL, all, 1), last = __shfl_sync(GA_FULL, all, 31);
  ga_uint up = (threadIdx.x & 31) == 0 || carry > left ? carry : left;
  carry = last > carry ? last : carry;
  up |= up << 16;
#pragma unroll
  for (int w = 0; w < 4; w++) {
    ga_uint even, odd;
    ga_number_bytes(P, v.v[w], at + 4 * w, even, odd);
    const ga_uint both = __vmaxu2(even, odd);
    even = __vmaxu2(even, __vmaxu2(up, both << 16));
    odd = __vmaxu2(odd, even);
    up = __byte_perm(odd, 0, 0x3232);
    v.v[w] = __byte_perm(even, odd, 0x6240) ^ GA_FLIP;
  }
  return v;
}

/* The lane's 16 bytes to `to` + b, as far as they are of [begin, end). */
GA_FN void ga_store_bytes(char *to, ga_uint b, ga_uint begin, ga_uint end,
                          const ga_vec<ga_uint, 4> &v) {
  const ga_uint lane = threadIdx.x & 31;
  const bool whole = b >= begin && b + 16 <= end;
  if (whole) *(ga_vec<ga_uint, 4> *)(to + b) = v;
  for (ga_uint part = __ballot_sync(GA_FULL, !whole && b < end); part != 0; part &= part - 1) {
    const int from = __ffs((int)part) - 1;
    const ga_uint at = __shfl_sync(GA_FULL, b, from) + lane;
    ga_uint x = 0;
#pragma unroll
    for (ga_uint w = 0; w < 4; w++) {
      const ga_uint y = __shfl_sync(GA_FULL, v.v[w], from);
      if (lane / 4 == w) x = y;
    }
    if (lane < 16 && at >= begin && at < end) to[at] = (char)(x >> lane % 4 * 8);
  }
}

/* The first `n` bytes, at most 15, are as small as can be. */
GA_FN void ga_hide_bytes(ga_vec<ga_uint, 4> &v, ga_uint n) {
#pragma unroll
  for (ga_uint w = 0; w < 4; w++) {
    const ga_uint some = n <= 4 * w ? 0 : (1u << (n - 4 * w) % 4 * 8) - 1;
    const ga_uint hidden = n >= 4 * w + 4 ? 0xffffffffu : some;
    v.v[w] = (v.v[w] & ~hidden) | (GA_FLIP & hidden);
  }
}

/* The lane's 16 bytes of each of the warp's segments, from byte b of `from` on. */
GA_FN void ga_load_bytes(const char *from, ga_uint b, ga_uint end,
                         ga_vec<ga_uint, 4> (&v)[GA_SEGS]) {
#pragma unroll
  for (ga_uint s = 0; s < GA_SEGS; s++, b += 512) {
    v[s] = ga_vec<ga_uint, 4>();
    if (b < end) v[s] = *(const ga_vec<ga_uint, 4> *)(from + b);
  }
}

extern "C" __global__ void __launch_bounds__(GA_THREADS, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  const ga_uint lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const ga_ulong unit = GA_LONG ? blockIdx.x : (ga_ulong)blockIdx.x * (GA_THREADS / 32) + warp;
  const ga_ulong first = unit * P.each, at = first * P.row.d;
  if (!__all_sync(GA_FULL, first < P.units)) return;
  const ga_uint rows = P.units - first < P.each ? (ga_uint)(P.units - first) : P.each;
#define X(i, T) const char *from = P.a##i + at;
  GA_INPUTS(X)
#undef X
#define X(i, T) char *to = P.a##i + at;
  GA_OUTPUTS(X)
#undef X
  const ga_uint begin = (ga_uint)(ga_ulong)from & 15, end = begin + rows * (ga_uint)P.row.d;
  ga_vec<ga_uint, 4> v[GA_SEGS];
  ga_uint carry = 0;
  from -= begin;
  to -= begin;
#if GA_LONG
  __shared__ ga_uint made[2][GA_THREADS / 32]; /* by warps; the last turn's may still be read */
  ga_uint t = 0;
#pragma unroll 1
  for (ga_uint b = threadIdx.x / 32 * (GA_SEGS * 512) + lane * 16, turn = 0; turn < end;
       turn += GA_SEGS * 16 * GA_THREADS, b += GA_SEGS * 16 * GA_THREADS, t ^= 1) {
    ga_uint all[GA_SEGS], total = 0;
    ga_load_bytes(from, b, end, v);
    if (b < begin) ga_hide_bytes(v[0], begin);
#pragma unroll
    for (ga_uint s = 0; s < GA_SEGS; s++) {
      all[s] = 0;
      if (!__any_sync(GA_FULL, b + s * 512 < end)) continue;
      all[s] = ga_greatest_bytes(P, v[s], b + s * 512 + P.before - begin);
      const ga_uint last = __shfl_sync(GA_FULL, all[s], 31);
      total = last > total ? last : total;
    }
    if (lane == 0) made[t][warp] = total;
    __syncthreads();
    ga_uint before = carry;
#pragma unroll 1
    for (ga_uint w = 0; w < GA_THREADS / 32; w++) {
      const ga_uint x = made[t][w];
      if (w == warp) before = carry;
      carry = x > carry ? x : carry;
    }
#pragma unroll
    for (ga_uint s = 0; s < GA_SEGS; s++) {
      const ga_uint c = b + s * 512;
      if (!__any_sync(GA_FULL, c < end)) break;
      ga_store_bytes(to, c, begin, end,
                     ga_scan_bytes(P, v[s], c + P.before - begin, all[s], before));
    }
  }
#else
  ga_load_bytes(from, lane * 16, end, v);
#pragma unroll
  for (ga_uint s = 0; s < GA_SEGS; s++) {
    const ga_uint b = s * 512 + lane * 16, c = b + P.before - begin;
    if (!__any_sync(GA_FULL, b < end)) break;
    const ga_uint all = ga_greatest_bytes(P, v[s], c);
    ga_store_bytes(to, b, begin, end, ga_scan_bytes(P, v[s], c, all, carry));
  }
#endif
}
