/* SPDX-License-Identifier: MIT */
/* Inline PTX on the CPU: the instructions that kernels usually have, with the operands, registers
 * and predicates of an asm. What there is not is in check_hostcuda_refusals.c. */
#include "tests/forms.h"

#define KERNEL(body) "__global__ void k(int *out) {\n" body "}\n"
/* Whether instruction `text` makes `want` of the operands `in`; the result is of 32 bits. */
#define MAKES(text, want, ...) \
  "  asm(\"" text "\" : \"=r\"(r) : " __VA_ARGS__ "); good = good && r == (unsigned)(" want ");\n"

START_TEST(special_registers_are_read)
{
  static const form forms[] = {
      {0, 0,
       "__device__ unsigned lane() { unsigned r; asm(\"mov.u32 %0, %laneid;\" : \"=r\"(r)); return "
       "r; }\n" KERNEL(
           "  unsigned below, t, n; unsigned long long ns;\n"
           "  asm volatile(\"mov.u32 %0, %%lanemask_lt;\" : \"=r\"(below));\n"
           "  asm(\"mov.u32 %0, %%tid.x;\\n\\tmov.u32 %1, %%ntid.x;\" : \"=r\"(t), \"=r\"(n));\n"
           "  asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(ns));\n"
           "  if (lane() == 7) out[0] = below == 127 && t == 7 && n == 32 && ns > 0;\n")}};
  ALL_HOLD(forms);
}
END_TEST

START_TEST(integers_are_computed)
{
  static const form forms[] = {
      {0, 0,
       KERNEL(
           "  unsigned r; bool good = true;\n" MAKES("prmt.b32 %0, %1, %2, %3;", "0x78563412",
                                                     "\"r\"(0x12345678), \"r\"(0), \"r\"(0x0123)")
               MAKES("prmt.b32 %0, %1, 0, 0x9;", "0xff", "\"r\"(0x8000)") MAKES(
                   "bfe.u32 %0, %1, 4, 8;", "0x67",
                   "\"r\"(0x12345678)") MAKES("bfe.s32 %0, %1, 4, 8;", "-2",
                                              "\"r\"(0xfe0)") MAKES("bfe.s32 %0, %1, 28, 9;", "-1",
                                                                    "\"r\"(-5)")
                   MAKES("bfi.b32 %0, %1, %2, 4, 4;", "0xf3", "\"r\"(0x1f), \"r\"(3)") MAKES(
                       "lop3.b32 %0, %1, %2, %3, 0x96;", "7",
                       "\"r\"(1), \"r\"(3), \"r\"(5)") MAKES("mad.lo.s32 %0, %1, %2, %3;", "-10",
                                                             "\"r\"(-2), \"r\"(3), \"r\"(-4)")
                       MAKES("mul.hi.s32 %0, %1, %2;", "-2", "\"r\"(0x80000000), \"r\"(4)") MAKES(
                           "shr.s32 %0, %1, 40;", "-1", "\"r\"(-8)") MAKES("shl.b32 %0, %1, 32;",
                                                                           "0", "\"r\"(-8)")
                           MAKES("bfind.u32 %0, %1;", "-1", "\"r\"(0)") MAKES(
                               "shf.l.wrap.b32 %0, %1, %2, 1;",
                               "3", "\"r\"(0x80000000), \"r\"(1)") MAKES("{ .reg .pred p, q; "
                                                                         "setp.gt.s32 p, %1, -1; "
                                                                         "not.pred q, p; selp.s32 "
                                                                         "%0, 4, 5, q; }",
                                                                         "4", "\"r\"(-3)")
                               MAKES("{\\n.reg .pred p;\\nsetp.lt.s32 p, %1, 0;\\n@p mov.s32 %0, "
                                     "7;\\n@!p mov.s32 %0, 8;\\n}",
                                     "8",
                                     "\"r\"(3)") "  unsigned long long a = 1ull << 40, b; unsigned "
                                                 "lo, hi;\n"
                                                 "  asm(\"mul.wide.u32 %0, %1, %1;\" : \"=l\"(b) : "
                                                 "\"r\"(1 << 20)); good = good && a == b;\n"
                                                 "  asm(\"mov.b64 {%0, %1}, %2;\" : \"=r\"(lo), "
                                                 "\"=r\"(hi) : \"l\"(a)); good = good && lo == 0 "
                                                 "&& hi == 256;\n"
                                                 "  asm(\"mov.b64 %0, {%1, %2};\" : \"=l\"(b) : "
                                                 "\"r\"(hi), \"r\"(lo)); good = good && b == 256;\n"
                                                 "  asm(\"add.cc.u32 %0, %2, %4;\\n\\taddc.u32 %1, "
                                                 "%3, 0;\" : \"=r\"(lo), \"=r\"(hi)\n"
                                                 "      : \"r\"(-1), \"r\"(5), \"r\"(1)); good = "
                                                 "good && lo == 0 && hi == 6;\n"
                                                 "  asm(\"sub.cc.u64 %0, %0, %2; subc.u64 %1, %1, "
                                                 "0;\" : \"+l\"(a), \"+l\"(b) : \"l\"(a + 1));\n"
                                                 "  good = good && a == ~0ull && b == 255;\n"
                                                 "  out[0] = good;\n")}};
  ALL_HOLD(forms);
}
END_TEST

START_TEST(floats_are_computed_and_converted)
{
  static const form forms[] = {
      {0, 0,
       KERNEL(
           "  float f; double d; int i; unsigned short h; bool good = true;\n"
           "  asm(\"rcp.approx.ftz.f32 %0, %1;\" : \"=f\"(f) : \"f\"(4.f)); good = good && f == "
           ".25f;\n"
           "  asm(\"fma.rn.f64 %0, %1, %2, %3;\" : \"=d\"(d) : \"d\"(2.), \"d\"(3.), \"d\"(1.)); "
           "good = good && d == 7;\n"
           "  asm(\"ex2.approx.f32 %0, %1;\" : \"=f\"(f) : \"f\"(3.f)); good = good && f == 8;\n"
           "  asm(\"{ .reg .f32 t; mul.f32 t, %1, 0f40000000; add.f32 %0, t, %2; }\" : \"=f\"(f) : "
           "\"f\"(3.f), \"f\"(1.f));\n"
           "  good = good && f == 7;\n"
           "  asm(\"cvt.rni.s32.f32 %0, %1;\" : \"=r\"(i) : \"f\"(-2.5f)); good = good && i == "
           "-2;\n"
           "  asm(\"cvt.rzi.s32.f32 %0, %1;\" : \"=r\"(i) : \"f\"(1e20f)); good = good && i == "
           "0x7fffffff;\n"
           "  asm(\"cvt.rn.f32.s32 %0, %1;\" : \"=f\"(f) : \"r\"(-3)); good = good && f == -3;\n"
           "  asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(1.5f)); good = good && h == "
           "0x3e00;\n"
           "  asm(\"mov.b32 %0, %1;\" : \"=r\"(i) : \"f\"(1.f)); good = good && i == 0x3f800000;\n"
           "  out[0] = good;\n")}};
  ALL_HOLD(forms);
}
END_TEST

/* What is easily taken for something else. */
START_TEST(meanings_are_exact)
{
  static const form forms[] = {
      {0, 0,
       KERNEL("  unsigned short u; short s; int n, g; float f, q = __int_as_float(0x7fc00000);\n"
              "  asm(\"mul.hi.u16 %0, %1, %1;\" : \"=h\"(u) : \"h\"((unsigned short)40000));\n"
              "  asm(\"mul.hi.s16 %0, %1, %2;\" : \"=h\"(s) : \"h\"((short)-30000), "
              "\"h\"((short)30000));\n"
              "  bool good = u == (40000u * 40000u >> 16) && s == (-30000 * 30000 >> 16);\n"
              "  asm(\"{ .reg .pred p; setp.ne.f32 p, %1, 0f3F800000; selp.s32 %0, 1, 0, p; }\" : "
              "\"=r\"(n) : \"f\"(q));\n"
              "  asm(\"{ .reg .pred p; setp.hi.u32 p, %1, 1; selp.s32 %0, 1, 0, p; }\" : "
              "\"=r\"(g) : \"r\"(-1));\n"
              "  good = good && n == 0 && g == 1;\n"
              "  asm(\"cvt.rmi.f32.f32 %0, %1;\" : \"=f\"(f) : \"f\"(-1.5f)); good = good && f == "
              "-2;\n"
              "  asm(\"cvt.rzi.ftz.f32.f32 %0, %1;\" : \"=f\"(f) : \"f\"(-1.5f)); good = good && f "
              "== -1;\n"
              "  out[0] = good;\n")},
      /* from 32 bits of an address in shared memory to all of it */
      {0, 0,
       KERNEL("  __shared__ int s[4]; s[threadIdx.x & 3] = 7; __syncthreads(); int *p;\n"
              "  unsigned a = (unsigned)__cvta_generic_to_shared(s);\n"
              "  asm(\"{ .reg .u64 t; cvt.u64.u32 t, %1; cvta.shared.u64 %0, t; }\" : \"=l\"(p) : "
              "\"r\"(a));\n"
              "  out[0] = p == s && p[2] == 7;\n")}};
  ALL_HOLD(forms);
}
END_TEST

START_TEST(memory_is_read_and_written)
{
  static const form forms[] = {
      {0, 0,
       "__device__ float4 four = {1, 2, 3, 4};\n__device__ short low = -3;\n__device__ int "
       "kept[2];\n" KERNEL(
           "  float4 v; int s, t;\n"
           "  asm volatile(\"ld.global.nc.L1::no_allocate.v4.f32 {%0,%1,%2,%3}, [%4];\"\n"
           "      : \"=f\"(v.x), \"=f\"(v.y), \"=f\"(v.z), \"=f\"(v.w) : \"l\"(&four));\n"
           "  asm(\"ld.global.s16 %0, [%1];\" : \"=r\"(s) : \"l\"(&low));\n"
           "  asm volatile(\"st.volatile.global.u32 [%0+4], %1;\" :: \"l\"(kept), \"r\"(9) : "
           "\"memory\");\n"
           "  asm volatile(\"ld.acquire.gpu.u32 %0, [%1 + 4];\" : \"=r\"(t) : \"l\"(kept));\n"
           "  asm volatile(\"red.global.add.s32 [%0], %1;\" :: \"l\"(kept), \"r\"(2));\n"
           "  asm volatile(\"membar.gl;\"); __syncthreads();\n"
           "  if (threadIdx.x == 0) out[0] = v.z == 3 && v.w == 4 && s == -3 && t == 9 && kept[0] "
           "== 64;\n")},
      /* addresses of shared memory in 32 bits, static and dynamic */
      {0, 0,
       KERNEL(
           "  extern __shared__ int d[];\n  __shared__ int s[32];\n  s[threadIdx.x] = 7;\n"
           "  unsigned a = (unsigned)__cvta_generic_to_shared(d), b, x, y;\n"
           "  asm(\"{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }\" : \"=r\"(b) : "
           "\"l\"(s));\n"
           "  asm volatile(\"st.shared.u32 [%0], %1;\" :: \"r\"(a + 4 * threadIdx.x), "
           "\"r\"(threadIdx.x));\n"
           "  asm volatile(\"bar.sync 0;\" ::: \"memory\");\n"
           "  asm volatile(\"ld.shared.u32 %0, [%1+12];\" : \"=r\"(x) : \"r\"(a));\n"
           "  asm volatile(\"ld.shared.u32 %0, [%1];\" : \"=r\"(y) : \"r\"(b + 124));\n"
           "  asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(b + 4 * "
           "threadIdx.x), \"l\"(out));\n"
           "  asm volatile(\"cp.async.commit_group;\"); asm volatile(\"cp.async.wait_group 0;\");\n"
           "  bool good = s[threadIdx.x] == 0; __syncthreads(); if (x == 3 && y == 7 && good) "
           "out[0] = 1;\n")}};
  ALL_HOLD(forms);
}
END_TEST

START_TEST(warps_meet)
{
  static const form forms[] = {
      {0, 0,
       "template <class T> __device__ T join(T a, int off) {\n  T out;\n"
       "  asm volatile(\"{ .reg .u32 r0; .reg .pred p; shfl.sync.up.b32 r0|p, %1, %2, 0, -1;\"\n"
       "               \" @p add.u32 r0, r0, %1; mov.u32 %0, r0; }\" : \"=r\"(out) : \"r\"(a), "
       "\"r\"(off));\n"
       "  return out;\n}\n" KERNEL(
           "  int v = 1, w; unsigned odd;\n  for (int o = 1; o < 32; o *= 2) v = join(v, o);\n"
           "  asm volatile(\"shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;\" : \"=r\"(w) : "
           "\"r\"(v), \"r\"(5));\n"
           "  asm volatile(\"{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, "
           "0xffffffff; }\"\n"
           "               : \"=r\"(odd) : \"r\"(threadIdx.x & 1));\n"
           "  if (threadIdx.x == 31) out[0] = v == 32 && w == 6 && odd == 0xaaaaaaaa;\n")}};
  ALL_HOLD(forms);
}
END_TEST

/* Branches, also back, where another thread brings what is waited for. */
START_TEST(branches_go_to_labels)
{
  static const form forms[] = {
      {0, 0,
       KERNEL(
           "  int n, sum = 0;\n"
           "  asm(\"{\\n\\t.reg .pred p;\\n\\t.reg .u32 i;\\n\\tmov.u32 i, 0;\\nAGAIN:\\n\\t\"\n"
           "      \"add.s32 %0, %0, i;\\n\\tadd.s32 i, i, 1;\\n\\tsetp.lt.u32 p, i, %1;\\n\\t\"\n"
           "      \"@p bra AGAIN;\\n\\t}\" : \"+r\"(sum) : \"r\"(10));\n"
           "  asm(\"{ .reg .pred p; setp.gt.s32 p, %1, 3; @!p bra.uni $SMALL; mov.s32 %0, 1; \"\n"
           "      \"bra $END; $SMALL: mov.s32 %0, 2; $END: }\" : \"=r\"(n) : \"r\"(sum));\n"
           "  out[0] = sum == 45 && n == 1;\n")},
      {0, 0,
       "__device__ int flag;\n" KERNEL(
           "  if (threadIdx.x == 0)\n"
           "    asm volatile(\"{ .reg .pred p; .reg .s32 v;\\n\"\n"
           "        \"LAB_WAIT: ld.acquire.gpu.s32 v, [%0]; setp.eq.s32 p, v, 1; @p bra "
           "DONE;\\n\"\n"
           "        \"bra LAB_WAIT;\\nDONE: }\" :: \"l\"(&flag) : \"memory\");\n"
           "  else if (threadIdx.x == 31) atomicExch(&flag, 1);\n"
           "  __syncthreads(); out[0] = flag;\n")},
      /* a tab behind bra, in a raw string */
      {0, 0,
       "__device__ int flag;\n" KERNEL(
           "  if (threadIdx.x == 0)\n"
           "    asm volatile(R\"({ .reg .pred p; .reg .s32 v;\nL:\tld.s32 v, [%0];\n"
           "\tsetp.eq.s32 p, v, 0;\n\t@p bra\tL; })\" :: \"l\"(&flag) : \"memory\");\n"
           "  else if (threadIdx.x == 31) atomicExch(&flag, 1);\n  out[0] = flag;\n")}};
  ALL_HOLD(forms);
}
END_TEST

START_TEST(carries_go_from_one_asm_to_the_next)
{
  static const form forms[] = {
      {0, 0,
       "__device__ __forceinline__ unsigned add_cc(unsigned a, unsigned b) { unsigned r;\n"
       "  asm volatile(\"add.cc.u32 %0, %1, %2;\" : \"=r\"(r) : \"r\"(a), \"r\"(b)); return r; }\n"
       "__device__ __forceinline__ unsigned addc_cc(unsigned a, unsigned b) { unsigned r;\n"
       "  asm volatile(\"addc.cc.u32 %0, %1, %2;\" : \"=r\"(r) : \"r\"(a), \"r\"(b)); return r; }\n"
       "__device__ __forceinline__ unsigned addc(unsigned a, unsigned b) { unsigned r;\n"
       "  asm volatile(\"addc.u32 %0, %1, %2;\" : \"=r\"(r) : \"r\"(a), \"r\"(b)); return r; "
       "}\n" KERNEL("  unsigned a[4] = {~0u - threadIdx.x, ~0u, ~0u, 5}, b[4] = {32, 0, 0, 7};\n"
                    "  b[0] = add_cc(a[0], b[0]);\n"
                    "  for (int i = 1; i < 3; i++) b[i] = addc_cc(a[i], b[i]);\n"
                    "  b[3] = addc(a[3], b[3]);\n"
                    "  bool over = threadIdx.x < 32;\n"
                    "  bool good = b[0] == 31 - threadIdx.x && b[1] == (over ? 0 : ~0u) &&\n"
                    "              b[2] == (over ? 0 : ~0u) && b[3] == (over ? 13 : 12);\n"
                    "  if (__syncthreads_and(good)) out[0] = 1;\n")},
      /* kept by an addc that leaves none, and by an add.cc that its guard passes over */
      {0, 0,
       KERNEL(
           "  unsigned r, s, t;\n"
           "  asm volatile(\"add.cc.u32 %0, %2, %2; addc.u32 %1, %3, 0;\" : \"=&r\"(r), "
           "\"=r\"(s) : \"r\"(1u << 31), \"r\"(3));\n"
           "  asm volatile(\"{ .reg .pred p; setp.ne.u32 p, %1, %1; @p add.cc.u32 %0, %1, %1; }\" "
           ": \"+r\"(r) : \"r\"(1));\n"
           "  asm volatile(\"addc.u32 %0, %1, 0;\" : \"=r\"(t) : \"r\"(5));\n"
           "  out[0] = r == 0 && s == 4 && t == 6;\n")}};
  ALL_HOLD(forms);
}
END_TEST

START_TEST(halves_and_other_roundings_are_computed)
{
  static const form forms[] = {
      {0, 0,
       KERNEL(
           "  unsigned short h = 0x3e00, g = 0x4000, r; unsigned x; float f; double d; bool "
           "good = true;\n"
           "  asm(\"add.f16 %0, %1, %2;\" : \"=h\"(r) : \"h\"(h), \"h\"(g)); good = good && r "
           "== 0x4300;\n"
           "  asm(\"mul.f16 %0, %1, %2;\" : \"=h\"(r) : \"h\"(h), \"h\"(g)); good = good && r "
           "== 0x4200;\n"
           "  asm(\"{neg.f16 %0, %1;}\" : \"=h\"(r) : \"h\"(h)); good = good && r == 0xbe00;\n"
           "  asm(\"fma.rn.f16x2 %0, %1, %2, %3;\" : \"=r\"(x) : \"r\"(0x3e004000), "
           "\"r\"(0x40004000), \"r\"(0x3c003c00)); good = good && x == 0x44004500;\n"
           /* a tie, but for what float64 has no room for */
           "  asm(\"fma.rn.bf16 %0, %1, %2, %3;\" : \"=h\"(r) : \"h\"((short)0x3f81), "
           "\"h\"((short)0x3fc0), \"h\"((short)0x8d80)); good = good && r == 0x3fc1;\n"
           "  asm(\"max.f16x2 %0, %1, %2;\" : \"=r\"(x) : \"r\"(0x3e00c000), \"r\"(0x40003c00)); "
           "good = good && x == 0x40003c00;\n"
           "  asm(\"cvt.rn.f16x2.f32 %0, %1, %2;\" : \"=r\"(x) : \"f\"(1.5f), \"f\"(2.f)); good "
           "= good && x == 0x3e004000;\n"
           "  asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(r) : \"f\"(1.f)); good = good && r == "
           "0x3f80;\n"
           "  asm(\"fma.rn.bf16x2 %0, %1, %1, %1;\" : \"=r\"(x) : \"r\"(0x40003f80)); good = "
           "good && x == 0x40c04000;\n"
           "  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(f) : \"h\"(h)); good = good && f == 1.5f;\n"
           "  asm(\"cvt.rzi.s32.f16 %0, %1;\" : \"=r\"(x) : \"h\"(h)); good = good && x == 1;\n"
           "  asm(\"{ .reg .pred p; setp.lt.f16 p, %1, %2; selp.u32 %0, 1, 0, p; }\" : "
           "\"=r\"(x) : \"h\"(h), \"h\"(g)); good = good && x == 1;\n"
           "  asm(\"ex2.approx.f16 %0, %1;\" : \"=h\"(r) : \"h\"(g)); good = good && r == "
           "0x4400;\n"
           "  asm(\"add.rz.f32 %0, %1, %2;\" : \"=f\"(f) : \"f\"(1.f), \"f\"(0x1.8p-24f)); good "
           "= good && f == 1.f;\n"
           "  asm(\"fma.rp.f64 %0, %1, %1, %2;\" : \"=d\"(d) : \"d\"(1.), \"d\"(1e-30)); good = "
           "good && d == 1. + 0x1p-52;\n"
           "  asm(\"div.rm.f32 %0, %1, %2;\" : \"=f\"(f) : \"f\"(2.f), \"f\"(3.f)); good = good "
           "&& f == 0x1.555554p-1f;\n"
           "  asm(\"mul.f32 %0, %1, 2.5;\" : \"=f\"(f) : \"f\"(2.f)); good = good && f == 5.f;\n"
           "  asm(\"mov.f64 %0, 1.25e1;\" : \"=d\"(d)); good = good && d == 12.5;\n"
           "  asm(\"mad24.lo.s32 %0, %1, %2, %3;\" : \"=r\"(x) : \"r\"(0x01fffffe), \"r\"(3), "
           "\"r\"(1)); good = good && x == (unsigned)-5;\n"
           "  out[0] = good;\n")},
      {0, 0,
       "__device__ unsigned sum[1];\n" KERNEL(
           "  asm volatile(\"red.global.add.noftz.f16x2 [%0], %1;\" :: \"l\"(sum), "
           "\"r\"(0x3c004000) : \"memory\");\n"
           "  __syncthreads(); out[0] = sum[0] == 0x50005400;\n")}};
  ALL_HOLD(forms);
}
END_TEST

START_TEST(barriers_count_votes)
{
  static const form forms[] = {
      {0, 0,
       KERNEL("  int n, any, all; unsigned t = threadIdx.x;\n"
              "  asm volatile(\"{ .reg .pred p; setp.lt.u32 p, %1, 10; bar.red.popc.u32 %0, 0, p; "
              "}\" : \"=r\"(n) : \"r\"(t));\n"
              "  asm volatile(\"{ .reg .pred p, q; setp.eq.u32 p, %1, 3; bar.red.or.pred q, 0, p; "
              "selp.s32 %0, 1, 0, q; }\" : \"=r\"(any) : \"r\"(t));\n"
              "  asm volatile(\"{ .reg .pred p, q; setp.eq.u32 p, %1, 3; bar.red.and.pred q, 0, "
              "!p; selp.s32 %0, 1, 0, q; }\" : \"=r\"(all) : \"r\"(t));\n"
              "  if (t == 5) out[0] = n == 10 && any == 1 && all == 0;\n")},
      {0, 0,
       KERNEL("  int n; unsigned t = threadIdx.x;\n"
              "  asm volatile(\"{ .reg .pred p; setp.lt.u32 p, %1, 10; "
              "barrier.red.popc.aligned.u32 %0, 0, p; }\" : \"=r\"(n) : \"r\"(t));\n"
              "  if (t == 5) out[0] = n == 10;\n")}};
  ALL_HOLD(forms);
}
END_TEST

/* Words between which blanks and remarks stand, operands that are numbers, letters in parts. */
START_TEST(operands_are_read_in_any_shape)
{
  static const form forms[] = {
      {0, 0,
       KERNEL("  long long x; int r; unsigned a, b; unsigned long long v = 0x500000004ull;\n"
              "  asm(\"add.s64 %0, %1, %2;\" : \"=l\"(x) : \"l\"(5ll), \"n\"(-1));\n"
              "  asm(\"add.s32 %0, /* first */ %1, // second\\n %2; // end\" : \"=\" \"r\"(r) : "
              "\"r\"(3), \"r\"(4));\n"
              "  asm(\"mov.b64 {%0,\\n\\t%1 }, %2;\" : \"=r\"(a), \"=r\"(b) : \"l\"(v));\n"
              "  out[0] = x == 4 && r == 7 && a == 4 && b == 5;\n")},
      /* nothing but operands: their letters are not the machine's */
      {0, 0,
       KERNEL("  float f = 1; double d = 2; long long l = 3; short h = 4; int r = 5;\n"
              "  asm volatile(\"\" : \"+f\"(f)); asm volatile(\"\" : \"+d\"(d), \"+l\"(l));\n"
              "  asm volatile(\"\" : \"+h\"(h) : \"f\"(f) : \"memory\"); asm volatile(\"\" :: "
              "\"r\"(r));\n"
              "  asm volatile(\"\" : : : \"memory\"); out[0] = f + d + l + h + r == 15;\n")}};
  ALL_HOLD(forms);
}
END_TEST

/* One statement, wherever it stands. */
START_TEST(an_asm_is_a_statement)
{
  static const form forms[] = {
      {0, 0,
       KERNEL("  int r = 0;\n  if (threadIdx.x < 40) asm(\"mov.s32 %0, 1;\" : \"=r\"(r)); else "
              "asm(\"mov.s32 %0, 2;\" : \"=r\"(r));\n"
              "  for (int i = 0; i < 2; i++) asm volatile(\"// nothing\");\n"
              "  auto f = [&](int a) { int b; asm(\"add.s32 %0, %1, %2;\" : \"=r\"(b) : \"r\"(a), "
              "\"r\"((int)blockDim.x)); return b; };\n"
              "  out[0] = r == 1 && f(3) == 35;\n")}};
  ALL_HOLD(forms);
}
END_TEST

static const test_case cases[] = {CASE(special_registers_are_read),
                                  CASE(integers_are_computed),
                                  CASE(floats_are_computed_and_converted),
                                  CASE(meanings_are_exact),
                                  CASE(memory_is_read_and_written),
                                  CASE(warps_meet),
                                  CASE(branches_go_to_labels),
                                  CASE(carries_go_from_one_asm_to_the_next),
                                  CASE(halves_and_other_roundings_are_computed),
                                  CASE(barriers_count_votes),
                                  CASE(operands_are_read_in_any_shape),
                                  CASE(an_asm_is_a_statement),
                                  CASE_END};

int main(void)
{
  setenv("GPUARRAY_CACHE", "off", 1); /* what was built once is not looked at again */
  return test_main("hostcuda_ptx", cases);
}
