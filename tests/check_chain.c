/* SPDX-License-Identifier: MIT */
/* Chains: the generated kernel of each, run on the host, gives what the interpreter
 * gives stage by stage, to the bit, for rows of every form; which texts are chains,
 * and how often one reads its rows. Kernels are skipped where there is no C++
 * compiler. */
#include "tests/chains.h"

#define CENTER "a - mean(a, axis=1, keepdims=True)"

#define BACKWARDS                                            \
  "x = a[:, ::-1]; t = x - mean(x, axis=1, keepdims=True); " \
  "t / sqrt(mean(t*t, axis=1, keepdims=True) + 1e-5)*g + b"

#define PER_COLUMN(axis)                            \
  "d = a - mean(a, axis=" axis ", keepdims=True); " \
  "d / sqrt(mean(d*d, axis=" axis ", keepdims=True) + 1)*g + b"

#define ACROSS_NORM                              \
  "d = a - mean(a, axis=(0,2), keepdims=True); " \
  "d / sqrt(mean(d*d, axis=(0,2), keepdims=True) + 1e-5)"
#define FROM_TURNED "x = a.T; x - mean(x, axis=1, keepdims=True)"

/* %d: elements of a row */
static const struct text {
  twin twin;
  int wider, more; /* an array's rows have this many times and this many more */
} texts[] = {
    {{SOFTMAX, "a=float32[3,%d]"}, 1, 0},
    {{NORM "*g + b", "a=float16[3,%d] g=float32[%d] b=float32[%d]"}, 1, 0},
    {{"m = mean(a, axis=1); v = var(a, axis=1, ddof=1); (a - m[:,None])/sqrt(v[:,None] + x)",
      "a=float64[3,%d] x=float m=new v=new"},
     1,
     0},
    {{"w = a[:, 1:] + b; s = sum(w, axis=1); m = max(w*s[:,None], axis=1); o = w - m[:,None]",
      "a=float32[3,%d] b=int8[3,1] s=new m=new o=new"},
     1,
     1},
    {{"std(a[:, ::-1] * c, axis=1) + v", "a=float32[3,%d] c=float32[%d] v=float32[3]"}, 1, 0},
    {{"t = a[:, ::2] - min(a[:, ::2], axis=1, keepdims=True); t*2 - sum(t, axis=1, keepdims=True)",
      "a=int16[3,%d]"},
     2,
     0},
};
#define NTEXTS (sizeof texts / sizeof texts[0])

static const int rows[] = {2,    3,    31,   32,   33,   128,  129,  300,  512,   1000,  1023,
                           1024, 1025, 1100, 1280, 1536, 1537, 4096, 9217, 16384, 16385, 40000};
#define NROWS (sizeof rows / sizeof rows[0])

static void spec_of(char *to, size_t size, const struct text *w, int row)
{
  snprintf(to, size, w->twin.spec, row, row, row);
}

START_TEST(chain_gives_what_its_stages_give)
{
  const struct text *w = &texts[(size_t)_i / NROWS];
  int row = rows[(size_t)_i % NROWS];
  char spec[256];
  gpucontext *ctx;
  if (!host_kernel_available()) return;
  OK(gpucontext_init(&ctx, "cpu", NULL));
  seed = (uint32_t)_i + 1;
  spec_of(spec, sizeof spec, w, row * w->wider + w->more);
  check_one(ctx, &w->twin, spec, row <= 16384, _i % 2);
  gpucontext_deref(ctx);
}
END_TEST

/* Loops of other ranks, rows that are no neighbours, sums of every width. */
static const twin others[] = {
    {"x = a*b; t = exp(x - max(x, axis=1, keepdims=True)); t / sum(t*b, axis=1, keepdims=True)",
     "a=float32[9,700] b=float32[1,1]"}, /* a number */
    {"x = a*b; x - mean(x, axis=0, keepdims=True)", "a=float16[70,300] b=int8[1,1]"},
    {SOFTMAX, "a=float32[5,4,70]"},
    {SOFTMAX, "a=complex64[9,70]"},
    {SOFTMAX, "a=bfloat16[9,2000]"},
    {SOFTMAX, "a=bfloat16[3,17001]"},
    {SOFTMAX, "a=float32[3,20480]"},
    {NORM, "a=float16[3,17001]"},
    {NORM, "a=float64[2,20001]"},
    {"x = float32(a); t = exp(x - max(x, axis=1, keepdims=True)); t / sum(t, axis=1, "
     "keepdims=True)",
     "a=bfloat16[3,20001]"},
    {"float16(a - mean(a, axis=1, keepdims=True))", "a=float32[5,2047]"},
    {"w = a[:, 1:]*2 + b[:, :-1]; w - max(w, axis=1, keepdims=True)*c",
     "a=float32[5,3003] b=int8[5,3003] c=float32[3002]"},
    {"a - min(a, axis=1, keepdims=True)", "a=uint8[3,17003]"},
    {"m = max(a, axis=1, keepdims=True); o = a - m; p = int8(a > m*0.5)",
     "a=float32[4,2047] o=new p=new"},
    {SOFTMAX, "a=float64[70,10]"},
    {NORM, "a=float64[300,6]"},
    {NORM "*g", "a=float64[33,102] g=float64[102]"},
    {SOFTMAX, "a=float16[300,100]"},
    {NORM "*g", "a=bfloat16[40,124] g=bfloat16[124]"},
    {SOFTMAX, "a=float64[3,514]"},
    {"a - max(a, axis=1, keepdims=True)", "a=complex64[40,14]"},
    {SOFTMAX, "a=float64[3,768]"},
    {SOFTMAX, "a=float64[9,100]"},
    {"a / sum(a*a, axis=1, keepdims=True)", "a=float64[7,2500]"},
    {SOFTMAX, "a=bfloat16[3,3136]"},
    {NORM, "a=float16[2,20000]"},
    {NORM, "a=bfloat16[2,18440]"},
    {SOFTMAX, "a=float16[150,129]"},
    {SOFTMAX, "a=float16[300,66]"},
    {NORM, "a=bfloat16[140,150]"},
    {SOFTMAX, "a=float32[270,50]"},
    {NORM "*g", "a=bfloat16[70,258] g=float32[258]"},
    {"a - max(a, axis=1, keepdims=True)", "a=int8[260,34]"},
    {"a[:, 2:] - max(a[:, 2:], axis=1, keepdims=True)", "a=int8[130,102]"},
    {"a[:, 1:] / sum(a[:, 1:], axis=1, keepdims=True)", "a=float16[70,259]"},
    {DOWN, "a=float32[3,70]"},
    {DOWN, "a=float32[33,300]"},
    {DOWN, "a=float16[2,100,130]"},
    {DOWN, "a=float64[300,33]"},
    {DOWN, "a=float32[1024,40]"},
    {DOWN, "a=float32[3,1023,17]"},
    {DOWN, "a=bfloat16[1500,33]"},
    {DOWN, "a=float32[4096,9]"},
    {DOWN, "a=float32[3077,8]"},
    {DOWN, "a=float32[37,341,3]"},
    {DOWN, "a=float32[5,100,31]"},
    {DOWN, "a=float32[3,1000,8]"},
    {DOWN, "a=float16[41,77,4]"},
    {DOWN, "a=bfloat16[9,513,2]"},
    {DOWN, "a=float64[19,50,6]"},
    {DOWN, "a=float64[2,1024,3]"},
    {DOWN, "a=float32[2,2001,3]"},
    {DOWN, "a=float64[2,600,8]"},
    {DOWN, "a=float16[2,300,50]"},
    {DOWN, "a=bfloat16[1025,18]"},
    {TURNED("1"), "a=float32[300,40]"},
    {TURNED("1"), "a=float32[2000,33]"},
    {TURNED("1"), "a=float32[301,30]"},
    {TURNED("1"), "a=float16[1024,46]"},
    {TURNED("1"), "a=bfloat16[77,30]"},
    {TURNED("1"), "a=float64[72,30]"},
    {TURNED("0"), "a=float32[40,300]"},
    {TURNED("0"), "a=float32[33,2000]"},
    {TURNED("0"), "a=float16[31,999]"},
    {TURNED("0"), "a=float16[31,64]"},
    {TURNED("1"), "a=float32[3,40,72]"},
    {"x = a[1:].T; y = b[:, 2:]; (x + y)/sum(x*y, axis=1, keepdims=True)",
     "a=float32[101,40] b=float16[40,102]"},
    {"x = a[::-1].T; y = b[:, 4:]; (x + y)/sum(x*y, axis=1, keepdims=True)",
     "a=float32[100,40] b=float32[40,104]"},
    {"x = a[1:, 2:]; (x + v)*b + max(x, axis=0, keepdims=True)",
     "a=float16[78,92] v=float16[90] b=int8[77,90]"},
    {"x = a[1:, 1:]; (x + v)*b + max(x, axis=0, keepdims=True)",
     "a=int8[78,91] v=int16[77,1] b=int8[77,90]"},
    {"x = a[1:]; y = b[2:]; m = mean(x*y, axis=1, keepdims=True); (x - m)*g[:,None] + v*y",
     "a=float32[20,66,7] b=float16[21,66,7] g=float64[66] v=float32[19,1,7]"},
    {"x = a[3:]; m = max(x, axis=1); s = sum(x - m[:,None], axis=1); q = (x - m[:,None])*s[:,None]",
     "a=int8[90,33,5] m=new s=new q=new"},
    {"m = mean(a, axis=1); d = a - m[:,None]; d / sqrt(mean(d*d, axis=1, keepdims=True))*g[:,None]",
     "a=float32[3,70,11] g=float32[70] m=new"},
    {"x = a[:, ::-1] * b; s = sum(x, axis=0); x - s", "a=int32[300,70] b=int8[300,1] s=new"},
    {"x = a[:, 1:] + v; max(x - min(x, axis=0), axis=0)", "a=int8[600,131] v=int8[130]"},
    {BACKWARDS, "a=float32[41,192] g=float32[192] b=float32[192]"},
    {BACKWARDS, "a=float16[41,333] g=float32[333] b=float16[333]"},
    {BACKWARDS, "a=float64[300,14] g=float64[14] b=float64[14]"},
    {"x = a[:, ::-1]; (x - mean(x, axis=1, keepdims=True))*g", "a=float32[70,64] g=float32[64]"},
    {"x = a*g[::-1] + b; x - mean(x, axis=1, keepdims=True)",
     "a=float32[70,61] g=float32[61] b=float16[61]"},
    {"x = a[:, ::-2]*g[::-1] + b; x - mean(x, axis=1, keepdims=True)",
     "a=float32[70,120] g=float32[60] b=float16[60]"},
    {NORM "*g + b", "a=float16[3,4097] g=float16[4097] b=float32[4097]"},
    {NORM "*g + b", "a=float32[1,3001] g=float32[3001] b=float32[3001]"},
    {NORM "*g + b", "a=float32[2,40001] g=float32[40001] b=float16[40001]"},
    {BACKWARDS, "a=float16[3,4096] g=float16[4096] b=float16[4096]"},
    {"x = a*g; x - mean(x, axis=1, keepdims=True) + b[1:]",
     "a=float32[3,5001] g=float16[5001] b=float32[5002]"},
    {PER_COLUMN("0"), "a=float16[300,70,6] g=float16[6] b=float32[6]"},
    {PER_COLUMN("0"), "a=float32[40,33,5] g=float32[5] b=float32[5]"},
    {PER_COLUMN("1"), "a=float32[3,40,33,5] g=float16[5] b=float32[33,1]"},
    {PER_COLUMN("0"), "a=bfloat16[2100,21,6] g=bfloat16[6] b=float32[6]"},
    {PER_COLUMN("0"), "a=float64[5,7,33,4] g=float64[4] b=float32[33,4]"},
    {PER_COLUMN("1"), "a=int8[2,1100,7,9] g=float32[9] b=float32[1100,1,1]"},
    {PER_COLUMN("1"), "a=float16[3,303,4,40] g=float16[303,1,1] b=float32[303,1,1]"},
    {"x = a[:, :, ::-1]; x - mean(x, axis=0)", "a=float16[300,40,2]"},
    {"x = a[:, :, 1:]; x / sum(x, axis=0)", "a=float16[341,96,5]"},
    {"x = a[..., 1:]; x - max(x, axis=1, keepdims=True)", "a=float64[9,96,24,3]"},
    {"x = a[..., ::-1]; d = x - mean(x, axis=1, keepdims=True); d / max(d, axis=1, "
     "keepdims=True)*g",
     "a=float16[30,64,31,7] g=float16[7]"},
    {SOFTMAX, "a=float32[600,33]"},
    {SOFTMAX, "a=float16[300,47]"},
    {SOFTMAX, "a=float16[19,1001]"},
    {SOFTMAX, "a=float64[70,33]"},
    {SOFTMAX, "a=float64[5,1022]"},
    {NORM "*g", "a=float64[3,3002] g=float32[3002]"},
    {"x = a[1:]; y = b[2:]; t = x*y - max(x, axis=1, keepdims=True); t / sum(t*y, axis=1, "
     "keepdims=True) + y*c",
     "a=float32[270,51] b=int8[271,51] c=float16[51]"},
    {"x = a[3:] * v; m = max(x, axis=1, keepdims=True); s = sum(x - m, axis=1); q = (x - "
     "m)*s[:,None]",
     "a=int16[33,130] v=int16[30,1] s=new q=new"},
    {"x = a[1:]; d = x - mean(x, axis=1, keepdims=True); sum(d*d*b[5:], axis=1)",
     "a=float32[21,999] b=float32[25,999]"},
    {"a - max(a, axis=1, keepdims=True)", "a=int8[9,1001]"},
    {"a - max(a, axis=1, keepdims=True)", "a=uint8[70,33]"},
    {"a - max(a, axis=1, keepdims=True)", "a=float16[70,5]"},
    {"x = a[:, 3:]; x - max(x, axis=1, keepdims=True)", "a=int8[9,3003]"},
    {"d = a - mean(a, axis=(1,3), keepdims=True); d/(1 + max(d, axis=(1,3), keepdims=True))",
     "a=float32[3,4,5,70]"},
    {"d = a - mean(a, axis=(1,3), keepdims=True); d/(1 + max(d, axis=(1,3), keepdims=True))",
     "a=float32[3,7,5,333]"},
    {ACROSS_NORM, "a=bfloat16[16,3,1500]"},
    {ACROSS_NORM, "a=float16[24,2,1024]"},
    {ACROSS_NORM, "a=bfloat16[2,40,48]"},
    {ACROSS_NORM, "a=float32[9,3,1000]"},
    {ACROSS_NORM " + g", "a=float64[3,2,1024] g=float64[3,1,1024]"},
    {"t = exp(a - max(a, axis=(0,2), keepdims=True)); t / sum(t, axis=(0,2), keepdims=True)",
     "a=float16[9,3,1000]"},
    {"var(a.T[:, ::-1], axis=0)", "a=float32[70,33]"},
    {"var(a, axis=1)", "a=float32[2501,8,32]"},
    {"a / max(a, axis=1, keepdims=True)", "a=float16[1501,9,35]"},
    {"x = a[::2, 3:]; x / sum(x*x, axis=1, keepdims=True)", "a=float32[7,1500]"},
    {"x = a + v; x / sum(x, axis=1, keepdims=True)", "a=int32[7,1500] v=bool[7,1]"},
    {"std(a)", "a=float64[5000]"},
    {"a / sum(a)", "a=uint8[300]"},
    {CENTER " + g", "a=int8[5,1024] g=float32[1024]"},
    {CENTER, "a=int8[5,1536]"},
    {CENTER, "a=uint8[5,1001]"},
    {CENTER, "a=int16[5,2000]"},
    {CENTER, "a=int32[5,600]"},
    {CENTER, "a=int32[5,1284]"},
    {CENTER, "a=int16[3,17001]"},
    {NORM "*g + b", "a=int8[5,1024] g=float32[1024] b=float32[1024]"},
    {NORM, "a=int16[5,1537]"},
    {"a / sum(a, axis=1, keepdims=True)", "a=int32[5,2000]"},
    {"prod(a/max(a, axis=1, keepdims=True), axis=1) + any(a/max(a, axis=1, keepdims=True) > 1, "
     "axis=1)",
     "a=float32[40,150]"},
};

START_TEST(other_chains_give_what_their_stages_give) { check_chain(&others[_i], 0, _i); }
END_TEST

/* Chains of columns of which some operands lie along them, each of which is one kernel: in and out,
 * with a four that is cut, results of 2 to 16 bytes, off vectors, several, and in place. */
static const twin lengthwise[] = {
    {TURNED("1"), "a=float32[300,40]"},
    {TURNED("1"), "a=float64[72,30]"},
    {TURNED("0"), "a=float32[40,300]"},
    {TURNED("0"), "a=float16[31,64]"},
    {"x = a[:, :37].T; x / sum(x, axis=0, keepdims=True)", "a=float32[300,40]"},
    {"x = a[:, :37].T; x - max(x, axis=0, keepdims=True)", "a=float16[300,40]"},
    {"x = a.T; float64(x - mean(x, axis=1, keepdims=True))", "a=float32[304,40]"},
    {"x = a.T; complex128(x - mean(x, axis=1, keepdims=True))", "a=float32[304,40]"},
    {"x = a.T; d = x - mean(x, axis=1, keepdims=True); d*2", "a=float32[304,40] d=new"},
    {"a = a - max(a*b.T, axis=1, keepdims=True); a", "a=float32[40,304] b=float32[304,40]"},
    {FROM_TURNED, "a=float16[4,300]"},
    {FROM_TURNED, "a=float16[8,700]"},
    {FROM_TURNED, "a=float32[7,700]"},
    {FROM_TURNED, "a=float32[100,70]"},
    {FROM_TURNED, "a=float32[35,100]"},
    {FROM_TURNED, "a=bfloat16[101,70]"},
    {FROM_TURNED, "a=float16[1000,40]"},
    {FROM_TURNED, "a=float16[1999,40]"},
    {FROM_TURNED, "a=float32[4000,20]"},
    {FROM_TURNED, "a=float64[75,30]"},
    {FROM_TURNED "*g + b", "a=float32[2047,30] g=float32[2047] b=float32[2047]"},
    {FROM_TURNED "*g + b", "a=float16[301,40] g=float32[301] b=float16[301]"},
    {FROM_TURNED "*g", "a=float32[100,70] g=float32[100]"},
    {FROM_TURNED "*g", "a=float16[303,70] g=float16[303]"},
    {FROM_TURNED, "a=bfloat16[1601,46]"},
    {FROM_TURNED, "a=float16[258,38]"},
    {FROM_TURNED, "a=float16[254,38]"},
    {"x = a.T; d = x - mean(x, axis=1, keepdims=True); d*2", "a=float16[290,40] d=new"},
    {"x = transpose(a, (1, 2, 0)); (x - mean(x, axis=2, keepdims=True))*g",
     "a=float32[100,70,6] g=float32[6,1]"},
    {"x = a.T; d = x - mean(x, axis=1, keepdims=True); d*2", "a=float16[301,40] d=new"},
    {"x = a.T; d = x - mean(x, axis=1, keepdims=True); float64(d)", "a=float16[64,40] d=new"},
};
#define NLENGTHWISE (sizeof lengthwise / sizeof lengthwise[0])

START_TEST(lengthwise_operands_are_of_one_kernel)
{
  const unsigned char align[64] = {0};
  ga_program *p = program_of(lengthwise[_i].text, lengthwise[_i].spec);
  ga_layout l;
  ga_variant v;
  OK(ga_layout_make(&l, &p->chains[0].stage));
  OK(ga_variant_choose(&v, &p->chains[0].stage, &l, align, &target));
  ck_assert_uint_ne(v.lengthwise | v.ragged, 0);
  ga_layout_clear(&l);
  ga_program_free(p);
  check_chain(&lengthwise[_i], 1, _i);
}
END_TEST

/* Rows of float64 off vectors whose chunks do not fit shared memory. */
static const struct {
  twin twin;
  unsigned int shared;
} tight[] = {
    {{"x = a[:, :-1]; m = mean(x, axis=1, keepdims=True); (x - m)*w + b",
      "a=float64[3,4096] w=float64[4095] b=float64[4095]"},
     99 * 1024},
    {{"m = mean(a, axis=1, keepdims=True); (a - m)*w + b",
      "a=float64[3,4095] w=float64[4095] b=float64[4095]"},
     99 * 1024},
    {{"m = mean(a, axis=1, keepdims=True); (a - m)*w + b",
      "a=float64[3,2047] w=float64[2047] b=float64[2047]"},
     64 * 1024},
    {{"x = a[:, :-1]; m = mean(x, axis=1, keepdims=True); (x - m)*w + b*c + d*e + f",
      "a=float64[3,4096] w=float64[4095] b=float64[4095] c=float64[4095] d=float64[4095] "
      "e=float64[4095] f=float64[4095]"},
     227 * 1024},
};

START_TEST(chains_fit_less_shared_memory)
{
  gpucontext *ctx;
  if (!host_kernel_available()) return;
  OK(gpucontext_init(&ctx, "cpu", NULL));
  target.shared = tight[_i].shared;
  check_one(ctx, &tight[_i].twin, tight[_i].twin.spec, 1, 0);
  target.shared = 227 * 1024;
  gpucontext_deref(ctx);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(chains_fit_less_shared_memory, sizeof tight / sizeof tight[0]),
    CASE_LOOP(chain_gives_what_its_stages_give, NTEXTS *NROWS),
    CASE_LOOP(lengthwise_operands_are_of_one_kernel, NLENGTHWISE),
    CASE_LOOP(other_chains_give_what_their_stages_give, sizeof others / sizeof others[0]),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("chain: no C++ compiler; no kernel was run\n");
  return test_main("chain", cases);
}
