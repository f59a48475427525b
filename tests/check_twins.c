/* SPDX-License-Identifier: MIT */
/* The two devices' forms of one program: each stage interpreted by the CPU device
 * and as its generated kernel, run on the host (tests/host_kernel.h). The texts
 * hold operations that are exact, so the results are the same bits (any NaN is
 * any other). Skipped where there is no C++ compiler. Maps, and memory of any kind;
 * check_twins_reduce.c has reductions, check_twins_scan.c scans. */
#include "tests/twins.h"

static const twin twins[] = {
    {"2*a", "a=float32[4,3]"},
    {"hypot(a, b)", "a=float64[100] b=float64[100]"},
    {"hypot(a, b) + 1", "a=float16[100] b=float16[100]"},
    {"(a*10+2)*((b+2)*10-5)*5", "a=float32[1037] b=float32[1037]"},
    {"k*a + x", "a=int16[100] k=int x=float"},
    {"a + b[:,None]", "a=float32[37,65] b=float32[37]"},
    {"a + b", "a=float32[70,33] b=float32[33]"},
    {"a + b", "a=int8[70,33] b=int8[33]"},
    {"a + b[:,None]", "a=float16[70,33] b=float16[70]"},
    {"a * b + c", "a=float16[9,7,5] b=float16[7,1] c=float16[5]"},
    {"a + b", "a=int8[1000,3] b=int8[3]"},
    {"a[:, 1:] + b", "a=int8[40,38] b=int16[37]"},
    {"a[:, 1:-1] * b[:, None, :]", "a=float32[11,9,21] b=float32[11,21]"},
    {"a + b", "a=complex128[2,1500001] b=complex128[1500001]"},
    {"a + b + c", "a=complex128[2,1510,999] b=complex128[1510,999] c=complex128[999]"},
    {"a + b", "a=float32[5,6,7,9,3] b=float32[6,1,9,1]"},
    {"a + b", "a=float32[100,16] b=float32[16]"},
    {"a.T * 2", "a=float32[5,999]"},
    {"a.T * 2", "a=int8[13,999]"},
    {"a.T + b.T", "a=float32[70,133] b=float32[70,133]"},
    {"a.T * 2", "a=float32[121,131]"},
    {"a.T - b", "a=int8[249,133] b=int8[133,249]"},
    {"a.T * b[:, 1:] + c", "a=float16[121,251] b=float32[251,122] c=float16[251,1]"},
    {"a.T - b.T + c", "a=uint8[253,61] b=float32[253,61] c=int16[61,253]"},
    {"a[1:, 1:].T + 1", "a=int16[122,3,125]"},
    {"x = a.T + 1; o = a.T * 2; x", "a=uint16[249,125] o=new"},
    {"a.T + b", "a=int8[270,133] b=int8[133,270]"},
    {"a.T * 2", "a=int8[128,256]"},
    {"a.T + b", "a=float16[80,130] b=float16[130,80]"},
    {"a.T - b[:, ::-1]", "a=float16[121,251] b=float16[251,121]"},
    {"a.T - b[:, 1:]", "a=int8[128,301] b=int8[301,129]"},
    {"a.T + b", "a=uint8[512,37] b=uint8[37,512]"},
    {"a*b + c", "a=int8[5,60,32,3]/p0132 b=int8[5,60,32,3]/p3210 c=int8[1,1,1,3]"},
    {"a*b + c", "a=float64[28,7,2,40,9]/p41230 b=float64[28,7,2,40,9]/p41230 c=float64[2,1,1]"},
    {"a.T * 2", "a=int8[127,259]"},
    {"a.T + b.T", "a=float16[127,131] b=float16[127,131]"},
    {"a.T + b.T + c", "a=float16[127,131] b=int8[127,131] c=float16[131,1]"},
    {"a.T * 2", "a=uint8[33,70,129]"},
    {"a.T * 2", "a=int8[33,511]"},
    {"a.T + b", "a=int8[33,511] b=int8[511,1]"},
    {"a.T + b", "a=int8[33,511] b=int8[511,33]"},
    {"a.T * 2", "a=int8[99,511]"},
    {"a.T * 2", "a=float32[99,41,3]"},
    {"a.T * 2", "a=float32[1501,3]"},
    {"a.T * 2", "a=float32[2048,2]"},
    {"a.T + b", "a=float32[1502,3] b=float32[3,1502]"},
    {"a.T + b * c", "a=float32[3,1203] b=float32[1203,3] c=float32[3]"},
    {"a.T - b[1:, 1:]", "a=int8[5,4999] b=int8[5000,6]"},
    {"a.T - b", "a=int8[4999,5] b=int8[5,4999]"},
    {"a.T + b[1:, None]", "a=uint8[8001,7] b=uint8[8]"},
    {"float32(a.T) * b[:, None]", "a=uint8[2500,3] b=float32[3]"},
    {"int8(a.T)", "a=float32[4,2501]"},
    {"a[:, 1:].T * b", "a=float16[6,2222] b=float16[6]"},
    {"a.T * b", "a=complex128[300,3] b=complex128[3,300]"},
    {"x = a.T + 1; o = a.T * 2; x", "a=uint16[3001,3] o=new"},
    {"a + b + c", "a=float32[33,19,17] b=float32[33,19,17]/p021 c=float32[33,19,17]/p120"},
    {"a - b", "a=int8[39,17,70]/p021 b=int8[39,17,70]/p120"},
    {"a[:, 1:, ::-1] * 3 + b[:, 1:]", "a=float16[40,36,39]/p021 b=float16[40,36,39]/p120"},
    {"a - b * c", "a=float16[40,36,39] b=int8[40,36,39]/p021 c=float32[40,36,39]/p120"},
    {"a - b * c", "a=complex128[9,11,40]/p021 b=float64[9,11,40]/p120 c=int16[11,40]"},
    {"a - b * c + d", "a=float32[9,10,11,33] b=float32[9,10,11,33]/p0132 "
                      "c=float32[9,10,11,33]/p0231 d=float32[9,10,11,33]/p1230"},
    {"a.T + 1", "a=uint8[77,300]"},
    {"a + a.T", "a=float64[33,33]"},
    {"a[::2, ::-1] - b", "a=int32[10,77] b=int32[5,77]"},
    {"a[:, ::-1] + b", "a=int8[29,101] b=int8[29,101]"},
    {"a[::-2] - b[1::2] * c", "a=uint16[4001] b=int8[4002] c=uint16[2001]"},
    {"a[1:, 2::2] + b[:, None] - c[:, ::-1]", "a=int8[40,95] b=int8[39] c=int16[39,47]"},
    {"a[::-1] * b[:, 1:]", "a=float64[53] b=float64[31,54]"},
    {"a[:, 3:] + b[::-1] + c", "a=int8[50,36] b=float32[33] c=int8[33]"},
    {"a[1:, 1:] * a[:-1, :-1]", "a=float32[50,99]"},
    {"where(a > b, a, b) // 3", "a=int64[1000] b=int64[1000]"},
    {"float16(a) + b", "a=float64[515] b=float16[515]"},
    {"a * b", "a=bfloat16[129] b=bfloat16[129]"},
    {"a * b + 1", "a=complex64[129] b=complex64[129]"},
    {"a * b", "a=complex128[40] b=complex128[40]"},
    {"a == b", "a=int8[1033] b=uint8[1033]"},
    {"~a & (b > 3)", "a=bool[3001] b=float32[3001]"},
    {"a % 7", "a=uint8[5000]"},
    {"x = a + b; y = a - b; x * y", "a=float32[999] b=float32[999]"},
    {"s = a + 1; o = a * 2; s", "a=float32[3,999] o=new"},
    {"a + 1", "a=float32[0,5]"},
    {"a + 1", "a=float32[]"},
};
#define NTWINS (sizeof twins / sizeof twins[0])

START_TEST(kernel_gives_what_the_interpreter_gives) { compare(&twins[_i], &large_card, _i); }
END_TEST

/* Arrays that begin one byte past where their elements would. */
static const twin astray[] = {
    {"max(a, axis=1)", "a=int16[300,600]"},
    {"argmax(a, axis=1)", "a=float16[300,600]"},
    {"sum(a, axis=(0,2))", "a=int32[30,3,600]"},
    {"sum(a, axis=1)", "a=float32[30,600]"},
    {"a - mean(a, axis=1, keepdims=True)", "a=float32[40,1030]"},
};
#define NASTRAY (sizeof astray / sizeof astray[0])

START_TEST(elements_astray_do_so_too)
{
  shift = 1;
  compare(&astray[_i], &small_card, _i);
  shift = 0;
}
END_TEST

/* Operands that end before memory does, inside a vector. */
static const twin ends[] = {
    {"int8(a.T + b)", "a=int8[249,133] b=float64[133,249]"},
    {"int16(a.T + b)", "a=int16[249,133] b=float64[133,249]"},
    {"a.T + b", "a=int8[249,133] b=float32[133,249]"},
    {"sum(a, axis=1)", "a=float32[30,1031]"},
    {"max(a + b, axis=1)", "a=int16[300,601] b=int8[300,601]"},
    {"max(a, axis=(0,2))", "a=int8[33,5,127]"},
};
#define NENDS (sizeof ends / sizeof ends[0])

START_TEST(kernels_touch_nothing_behind_an_array)
{
  fenced = 1;
  compare(&ends[_i], &small_card, _i);
  fenced = 0;
}
END_TEST

/* More operands than a variant has bits for: those behind the 64th are as any other. */
START_TEST(stages_of_many_operands_do_so)
{
  static const char *const axes[] = {"axis=1", "axis=0", "axis=(0, 2)", "axis=1"};
  static const char *const arrays[] = {"a=float32[75,133]", "a=float32[75,133]",
                                       "a=float32[75,6,32]", "a=float32[75,132]"};
  static const char *const term[] = {"a[%d:%d, ::3]", "a[%d:%d]", "a[%d:%d]", "a[%d:%d]"};
  char text[2048] = "sum(";
  twin w = {text, arrays[_i]};
  for (int k = 0; k < 70; k++) {
    char *end = text + strlen(text);
    end += sprintf(end, k ? " + " : "");
    sprintf(end, term[_i], k, k + 5);
  }
  sprintf(text + strlen(text), ", %s)", axes[_i]);
  compare(&w, &large_card, _i);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(stages_of_many_operands_do_so, 4),
    CASE_LOOP(kernel_gives_what_the_interpreter_gives, NTWINS),
    CASE_LOOP(elements_astray_do_so_too, NASTRAY),
    CASE_LOOP(kernels_touch_nothing_behind_an_array, NENDS),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("twins: no C++ compiler; nothing was run\n");
  return test_main("twins", cases);
}
