/* SPDX-License-Identifier: MIT */
/* Scans as check_twins.c has all else: each stage interpreted by the CPU device and as the
 * generated kernel run on the host, to the bit. Skipped where there is no C++ compiler. */
#include "tests/twins.h"

static const twin twins[] = {
    {"t = float64(cumsum(a[:, ::-1], axis=1)); u = cumsum(a[:, ::-1], axis=1)*3",
     "a=float32[2,20011]"},
    {"t = float64(cumsum(a, axis=1)); u = cumsum(a, axis=1)*3", "a=float32[2,20011]"},
    {"cumsum(a[:, ::-1], axis=1)", "a=float64[2,20011]"},
    {"cumsum(a[:, ::2], axis=1)", "a=int8[2,40011]"},
    {"cumsum(a)", "a=float32[5]"},
    {"cumsum(a)", "a=float32[128]"},
    {"cumsum(a)", "a=float32[1021]"},
    {"cumsum(a)", "a=float32[8000]"},
    {"cumsum(a*b, axis=0)", "a=float16[9001,33] b=float16[9001,33]"},
    {"cumsum(a+b, axis=0)", "a=int8[9001,33] b=int8[9001,33]"},
    {"cumsum(a)", "a=float32[70001]"},
    {"cumsum(a)", "a=float64[30001]"},
    {"cumsum(a)", "a=complex128[20001]"},
    {"cumsum(a)", "a=float16[20001]"},
    {"cumsum(a, exclusive=True)", "a=float32[20001]"},
    {"cumprod(a, exclusive=True, axis=1)", "a=float64[3,2001]"},
    {"cumprod(a)", "a=complex64[9001]"},
    {"cumsum(a)", "a=int8[20001]"},
    {"cummax(a)", "a=int8[20001]"},
    {"cummin(a)", "a=bfloat16[20001]"},
    {"cummax(a, exclusive=True)", "a=float32[9000]"},
    {"cumsum(a, axis=1)", "a=float32[1000,7]"},
    {"cumsum(a, axis=1)", "a=float32[77,33]"},
    {"cumsum(a, axis=1)", "a=float16[41,128]"},
    {"cumsum(a, axis=1)", "a=float32[41,130]"},
    {"cumsum(a, axis=1)", "a=float32[9,1024]"},
    {"cumsum(a, axis=1)", "a=float32[5,9001]"},
    {"cumsum(a, axis=1) * b + 1", "a=float32[5,9001] b=float32[5,9001]"},
    {"cumsum(a*b, axis=1) * c[:,None]", "a=float32[50,901] b=float32[901] c=float32[50]"},
    {"cumsum(a[:, ::-2], axis=1)", "a=float32[5,3001]"},
    {"cumsum(a.T)", "a=float32[100,130]"},
    {"cumsum(a, axis=1)", "a=float32[4000,7]"},
    {"cumprod(a, axis=1, exclusive=True)", "a=float64[300,33]"},
    {"cummax(a, axis=1)", "a=int8[1001,100]"},
    {"cumsum(a[1:], axis=1)", "a=float16[301,130]"},
    {"cumsum(a, axis=1)", "a=bool[140,2001]"},
    {"cumsum(a, axis=1)", "a=float32[133,9001]"},
    {"cumsum(a, axis=1)", "a=float32[300,100,3]"},
    {"cumsum(a, axis=1)", "a=complex64[140,1030,2]"},
    {"float16(cumsum(a*b, axis=1, exclusive=True)*2)", "a=float32[150,257,5] b=int8[257,1]"},
    {"cumsum(a[:, ::-1, ::-1] + b, axis=1)", "a=int16[200,300,7] b=int16[200,300,7]"},
    {"cumsum(a[:, ::2], axis=1)", "a=float32[500,200]"},
    {"cumsum(a*b, axis=0)", "a=float16[9001,5] b=float32[9001,5]"},
    {"cumsum(a, axis=0)", "a=complex128[3000,17]"},
    {"cumprod(a, axis=1, exclusive=True)", "a=float32[3,20001,3]"},
    {"cumsum(a[::-1], axis=0)", "a=float32[300001,2]"},
    {"cumsum(a, axis=1)", "a=float32[2,5001,50]"},
    {"cumsum(a, axis=0)", "a=float32[9,33]"},
    {"cumsum(a, axis=0)", "a=float32[100,33]"},
    {"cumsum(a, axis=0)", "a=float32[1100,40]"},
    {"cumsum(a, axis=0)", "a=float32[9001,40]"},
    {"cumsum(a, axis=0)", "a=float32[17000,3]"},
    {"cumsum(a, axis=0)", "a=float64[9300,11]"},
    {"cumsum(a, axis=0, exclusive=True)", "a=float16[2100,22]"},
    {"cummax(a, axis=0) - b", "a=int8[2100,21] b=int8[2100,1]"},
    {"cumsum(a, axis=0)", "a=float32[300000,2]"},
    {"cumsum(a)", "a=float32[600000]"},
    {"cumsum(a)", "a=float16[600001]"},
    {"cumsum(a*b)", "a=float32[300001] b=float32[300001]"},
    {"cummax(a)", "a=int8[2200001]"},
    {"cummin(a, exclusive=True)", "a=uint16[1100001]"},
    {"cumsum(a) - a", "a=int16[300001]"},
    {"cumsum(a)", "a=int32[70001]"},
    {"cumsum(a)", "a=uint16[70001]"},
    {"cumsum(a, axis=1)", "a=float64[5,2048]"},
    {"cumsum(a, axis=1)", "a=float32[5,3060]"},
    {"cumsum(a*b, axis=1, exclusive=True)", "a=float16[3,5000] b=float16[3,5000]"},
    {"cummin(a, axis=1, exclusive=True)", "a=int16[3,16384]"},
    {"cummin(a[1:], axis=1)", "a=uint8[4,40001]"},
    {"cummax(a > 3, exclusive=True)", "a=int8[140001]"},
    {"cummin(a, axis=0, exclusive=True)", "a=int8[9001,36]"},
    {"cummax(a, axis=0)", "a=int8[9001,100]"},
    {"cummin(a, axis=0)", "a=uint8[2100,1000]"},
    {"cummax(a, axis=0, exclusive=True)", "a=int8[9001,4]"},
    {"cummin(a, axis=0)", "a=uint16[20001,2]"},
    {"cummax(a, axis=1)", "a=int16[40,300,50]"},
    {"cummin(a, axis=1)", "a=bool[20,2000,8]"},
    {"cummin(a[::-1, 4:], axis=0)", "a=int8[3001,24]"},
    {"cummax(a, axis=0)", "a=int8[20011,2]"},
    {"cummin(a, axis=0, exclusive=True)", "a=uint8[5001,6]"},
    {"cummin(a[:, 2:], axis=0)", "a=int8[1500,202]"},
    {"cummax(a, axis=1)", "a=bool[300,70,10]"},
    {"cummin(a, axis=0, exclusive=True)", "a=bool[2049,200]"},
    {"cumsum(a, axis=0)", "a=float32[20011,2]"},
    {"cumsum(a, axis=1, exclusive=True)", "a=float32[3,9011,2]"},
    {"cumsum(a, axis=1)", "a=float64[100,137,2]"},
    {"cumsum(a[::-1], axis=0)", "a=float64[17001,2]"},
    {"cummax(a - b, axis=1, exclusive=True) + b", "a=int8[70,2000,3] b=int8[70,2000,3]"},
    {"cummax(a, exclusive=True)", "a=int64[70001]"},
    {"cumsum(a, axis=1)", "a=float16[3,40008]"},
    {"cumsum(a, axis=1)", "a=float16[3,40004]"},
    {"cumsum(a + b, axis=1)", "a=int8[2,70016] b=int16[70016]"},
    {"cumsum(a * complex128(1), axis=1)", "a=float64[2,9000]"},
    {"cumsum(a, axis=0)", "a=int32[9001,17]"},
    {"cummax(a, axis=1)", "a=int8[700,31]"},
    {"cummax(a, axis=1)", "a=uint8[77,4000]"},
    {"cummax(a*b[:,None], axis=1)", "a=int8[7,40000] b=int8[7]"},
    {"cumsum(a, axis=0)", "a=float32[266000,32]"},
    {"cumsum(a, axis=0, exclusive=True)", "a=float32[18000,37]"},
    {"cumsum(a, axis=0)", "a=float16[70001,64]"},
    {"cumsum(a*b, axis=0)", "a=float32[9001,32] b=float32[9001,1]"},
    {"cummax(a, axis=0)", "a=int8[20001,132]"},
    {"cumsum(a, axis=0)", "a=int8[9001,36]"},
    {"cumsum(a, axis=0)", "a=float32[9001,16]"},
    {"cumprod(a, axis=0)", "a=complex128[2300,33]"},
    {"cumsum(a, axis=1)", "a=float32[3,300000]"},
    {"cumsum(a, axis=1)", "a=complex128[2,2500,5]"},
    {"cumsum(a, axis=0)", "a=float32[1200,4300]"},
    {"cumsum(a, axis=0)", "a=float32[1100,8454]"},
    {"cumsum(a[:, 1:], axis=0, exclusive=True)", "a=float32[1100,8455]"},
    {"cumsum(a, axis=0)", "a=float16[301,16904]"},
    {"cummin(a, axis=0)", "a=int8[259,33800]"},
    {"cumsum(a*b, axis=1)", "a=float32[5,301,1802] b=float32[301,1]"},
    {"cumsum(a, axis=1) + b", "a=float32[5,301,1802] b=float32[301,1]"},
    {"cumsum(a, axis=0) + b[:,None]", "a=float32[9001,128] b=float32[9001]"},
    {"cumsum(a[:, 1:], axis=0)", "a=float32[9001,41]"},
    {"cumsum(a, axis=0)", "a=float32[20,140000]"},
    {"cumsum(a, axis=0)", "a=float32[150,136000]"},
    {"cumsum(a, axis=0, exclusive=True)", "a=float16[1100,42]"},
    {"cummax(a, axis=0)", "a=uint8[300,44]"},
    {"cummin(a, axis=0)", "a=int8[300,45]"},
    {"cumprod(a, axis=0) + b[:, None]", "a=complex128[300,45] b=float64[300]"},
    {"cumsum(a, axis=1)", "a=float32[7,300,45]"},
    {"sum(cumsum(a, axis=0) - cummax(a, axis=1))", "a=float32[300,45]"},
    {"cummin(a, axis=1, exclusive=True)", "a=int8[77,96]"},
    {"cummax(a*b, axis=1)", "a=uint8[31,512] b=uint8[512]"},
    {"cummax(a, axis=1) + b[:,None]", "a=bfloat16[31,248] b=bfloat16[31]"},
    {"cumsum(a[1:])", "a=float16[300003]"},
    {"cummax(a[:, 3:], axis=1)", "a=int8[5,9999]"},
    {"cumsum(a, exclusive=True)", "a=int32[300003]"},
    {"cumsum(a, axis=1)", "a=float64[1001,4]"},
    {"cumsum(a, axis=1)", "a=int64[1001,2]"},
    {"cumsum(a, axis=1) * 2", "a=complex64[1003,4]"},
    {"cumsum(a, axis=1)", "a=float64[1001,28]"},
    {"cumsum(a, axis=1)", "a=float32[140,8200]"},
    {"cummax(sqrt(a + 99), axis=1)", "a=float64[301,160]"},
    {"cummin(sqrt(a + 99), axis=0)", "a=float64[300,45]"},
    {"cummax(sqrt(a + 99.99), axis=1)", "a=float64[3,20004]"},
    {"cummin(a * 0, exclusive=True)", "a=float64[9000]"},
    {"cummax(a * 0, axis=1)", "a=float64[70,300]"},
    {"cummin(sqrt(a + 99), axis=1)", "a=float16[77,120]"},
    {"cumsum(a, axis=1)", "a=float32[5,3001]"},
    {"cumsum(a, axis=1, exclusive=True)", "a=float16[5,5003]"},
    {"cumsum(a[1:], axis=1)", "a=float64[5,2501]"},
    {"t = cumsum(a*b, axis=1); float16(t)", "a=float16[5,4001] b=float64[5,4001]"},
    {"cumsum(a, axis=1)", "a=complex128[19,601]"},
    {"cummax(a, axis=1)", "a=int8[19,333]"},
    {"cummin(a, axis=1, exclusive=True)", "a=int8[19,1001]"},
    {"cummax(a, axis=1)", "a=int8[5,5008]"},
    {"cummin(a - b, axis=1)", "a=int16[5,20003] b=int8[5,20003]"},
    {"cumsum(a, axis=1)", "a=float64[528,8200]"},
    {"cummax(a[:, 1:], axis=1)", "a=int8[19,3002]"},
    {"cummin(a, axis=1)", "a=uint8[301,333]"},
    {"cummax(a, axis=1)", "a=uint8[1301,17]"},
    {"cummin(a, axis=1)", "a=int8[3001,5]"},
    {"cummin(a, axis=1)", "a=bool[3001,4]"},
    {"cummax(a, axis=1)", "a=bool[301,9]"},
    {"cummax(a, axis=1)", "a=int8[77,4081]"},
    {"cummax(a, axis=2)", "a=uint8[3,99,99]"},
    {"cumsum(a[::-1])", "a=float16[150001]"},
    {"cumsum(a[::2])", "a=float16[140001]"},
    {"cumsum(a[::-2], exclusive=True)", "a=float32[140003]"},
    {"cummax(a[::-1])", "a=int8[270003]"},
    {"cummin(a[1::2])", "a=uint8[280001]"},
    {"cummax(a[::-1] + b)", "a=int16[70001] b=int16[70001]"},
    {"cumsum(a[:, ::-1] * b[:,None], axis=1)", "a=float16[3,9003] b=float16[3]"},
    {"cumsum(a, axis=1) * b[:, ::-1]", "a=float32[5,9001] b=float32[5,9001]"},
    {"cumsum(a[1:])", "a=int8[150001]"},
    {"cumsum(a, axis=1)", "a=float64[1100,142]"},
    {"cumsum(a, axis=1)", "a=int64[1100,200]"},
    {"cumsum(a, axis=1)", "a=float16[140,1500]"},
    {"cumsum(a.T, axis=1)", "a=float64[300,1100]"},
    {"cummax(a.T, axis=1)", "a=int8[4500,1107]"},
    {"cumsum(a.T + b, axis=1, exclusive=True) * b", "a=float32[304,4233] b=int8[4233,304]"},
    {"cumsum(a, axis=1)", "a=int8[1032,200,65]"}, /* wider results are stored where they are */
    {"cumsum(a, axis=1, exclusive=True) * 3", "a=int32[1500,33,32]"},
    {"float64(cumsum(a[:, ::-1], axis=1))", "a=float32[1100,257,40]"},
    /* what is fast along other axes than results (kernels/scan_cross.cu), */
    {"cumsum(a.T, axis=2)", "a=float16[64,70,133]"},
    {"cumsum(a.T, axis=2)", "a=float16[5,97,131]"},
    {"cumsum(a.T, axis=1, exclusive=True)", "a=float32[37,57,83]"},
    {"cummax(a.T, axis=4)", "a=int8[33,3,35,27,3]"},
    {"cumsum(a.T + b, axis=2)", "a=float32[33,60,64] b=float16[64,60,33]"},
    {"cummax(a.T, axis=0)", "a=uint8[272,125,192]"}, /* some rows after the other */
    {"cummax(a.T, axis=3)", "a=uint16[24,57,48,63,8]"},
    /* or few columns of many rows (kernels/scan_cross_long.cu) */
    {"cummax(a.T, axis=0)", "a=bfloat16[96,6901]"},
    {"cumsum(a.T, axis=0, exclusive=True)", "a=float64[20,2,3901]"},
    {"cumsum(a.T, axis=0)", "a=float16[33,3901]"},
    /* warps whose rows have two to four segments */
    {"cumsum(a, axis=1)", "a=float32[77,132]"},
    {"cumsum(a, axis=1, exclusive=True)", "a=float64[77,256]"},
    {"cumsum(a * b, axis=1)", "a=int8[33,260] b=int8[33,260]"},
    {"cumprod(a, axis=1) + b[:,None]", "a=complex128[21,384] b=complex128[21]"},
    {"cummin(a, axis=1)", "a=int64[33,388]"},
    /* walks of boxes in units begin anywhere in a vector, and end in another's */
    {"cummax(a, axis=1)", "a=int16[3,9001,5]"},
    {"cumsum(a[:, ::-1], axis=1)", "a=float16[3,5003,7]"},
    {"cumsum(a[:, :, ::-1] + b, axis=1)", "a=int8[3,5003,3] b=float32[3,5003,3]"},
    {"cumsum(a[::-1], axis=0)", "a=float16[9001,6]"},
    {"cummax(a, axis=0)", "a=bfloat16[2100,1026]"}, /* units of longer rows */
};
#define NTWINS (sizeof twins / sizeof twins[0])

static const twin small[] = {
    {"cummax(a, axis=1) * 3", "a=int64[1,20568,5]"},
    {"cumsum(a, axis=1)", "a=float16[9,2001,13]"},
    {"cumprod(a[:, ::-1], axis=1, exclusive=True)", "a=float64[5,1900,9]"},
    {"cumsum(a + b, axis=1)", "a=int8[8,511,81] b=int8[8,511,1]"},
    {"cumsum(a, axis=1)", "a=float32[4,262601,9]"},
    {"cumsum(a, axis=0)", "a=int64[9001,4]"},
    {"cumsum(a, axis=0)", "a=float32[9001,128]"},
    {"cumsum(a, axis=0)", "a=float32[540001,2]"},
    {"cummax(a, axis=0)", "a=int8[270001,4]"},
    {"cumsum(a*b, axis=1, exclusive=True)", "a=float32[2,40001,3] b=int8[40001,3]"},
    {"cumsum(a[::-1], axis=0)", "a=float16[30001,10]"},
    {"cumsum(a, axis=1)", "a=float32[40,5001]"},
    {"cumsum(a, axis=1)", "a=float32[8,10000]"},
    {"cummax(a, axis=1)", "a=int8[8,5001]"},
    {"cummin(a, axis=1)", "a=uint8[8,65550]"},
    {"cummax(a, axis=1)", "a=bool[8,100002]"},
    {"cumsum(a, axis=1) + b", "a=float16[8,9001] b=float32[8,9001]"},
    {"cumsum(a, axis=1, exclusive=True)", "a=float16[8,270336]"},
    {"cummin(a, axis=1, exclusive=True)", "a=uint8[8,131072]"},
    {"cummax(a, axis=1)", "a=int8[10,70001]"},
    {"cumsum(a[:, ::-1], axis=1)", "a=float32[8,20001]"},
    {"cumsum(a[:, ::-1], axis=1)", "a=float16[8,20001]"},
    {"cummax(a[:, ::-2], axis=1)", "a=int8[8,90001]"},
    {"cumsum(a.T, axis=1)", "a=float32[20001,20]"},
    {"cumsum(a.T, axis=2)", "a=int8[301,20,33]"},
    {"cumsum(a.T, axis=1)", "a=float16[262529,9]"},
    {"cumsum(a.T, axis=0)", "a=float64[5000,64]"},
    {"cummax(a.T, axis=0, exclusive=True)", "a=float64[3001,7]"},
    {"cumsum(a.T, axis=0)", "a=float32[3001,150]"},
    {"cumsum(a.T[::-1] * b[:,None], axis=0)", "a=float16[2311,131] b=float16[131]"},
    {"cumsum(a.T, axis=1)", "a=int8[14,5001]"},
    {"cummin(a[:, ::2].T, axis=1)", "a=int16[33,6001]"},
    {"cumsum(a.T + b, axis=1, exclusive=True)", "a=float32[40,3001] b=float32[3001,40]"},
    {"cumsum(a[:, ::-1].T, axis=1)", "a=complex128[129,700]"},
    {"cumsum(a.T, axis=1)", "a=bool[257,900]"},
    /* sheets: few rows */
    {"cummax(a, axis=0)", "a=int8[2,60001]"},
    {"cummax(a, axis=0)", "a=int8[5,4,16001]"},
    {"cummax(a[:, :, ::-1], axis=0)", "a=int8[5,4,16001]"},
    {"cummax(a[:, :, ::-1], axis=0)", "a=int8[5,4001,31]"},
    {"cumsum(a[:, :, ::-1], axis=0)", "a=float16[9,41,131]"},
    {"cumsum(a[:, :, ::-1], axis=0)", "a=float16[9,41,127]"},
    {"cumsum(a, axis=0)", "a=float32[3,13,1000]"},
    {"cummax(a[:, 1:], axis=1)", "a=uint16[3,33,17,16,96]"},
    {"cumsum(a[:, :, 1:], axis=0)", "a=float16[33,117,97]"},
    {"cumsum(a[1:, :, 1:], axis=0)", "a=float16[10,1117,97]"},
    {"cumsum(a, axis=0)", "a=int16[3,19001]"},
    {"cumsum(a[::-1] * a, axis=0)", "a=bfloat16[5,21001]"},
    {"cumsum(a, axis=0)", "a=float16[4,32000]"},
    {"cumsum(a, axis=0, exclusive=True)", "a=float32[17,9001]"},
    {"cumsum(a * b, axis=0)", "a=float16[7,9001] b=float32[9001]"},
    {"cumsum(a * b[:, None], axis=0)", "a=float16[7,9001] b=float32[7]"},
    {"cumprod(a[:, ::2], axis=0)", "a=float64[9,9001]"},
    {"cummin(a, axis=1)", "a=uint8[5,128,1201]"},
    {"cumsum(a, axis=0)", "a=complex128[4,9001]"},
    {"cumsum(a, axis=0)", "a=int8[100,9001]"},
    {"cumsum(a, axis=0)", "a=float32[128,1201]"},
    {"a = cumsum(a, axis=0)", "a=float16[5,9001]"}, /* in place: sectors are shared */
    {"a = cummax(a, axis=1)", "a=int8[2,7,6011]"},
    /* and many */
    {"cumsum(a, axis=0)", "a=float16[129,3001]"},
    {"cumsum(a, axis=0, exclusive=True)", "a=bfloat16[1100,1001]"},
    {"cummax(a, axis=0)", "a=int8[2049,1999]"},
    {"cumsum(a[:, :, ::-1], axis=1)", "a=float16[2,700,901]"},
    {"cumsum(a[::-1], axis=0)", "a=int16[9001,601]"},
    /* what crosses */
    {"cumsum(a.T, axis=1)", "a=bfloat16[271,75,5]"},
    {"cumsum(a.T, axis=1)", "a=int8[33,568]"},
    {"cumsum(a.T, axis=3)", "a=float64[32,3,17,7]"},
    {"cummax(a.T, axis=1)", "a=int8[99,352]"},
    {"cumsum(a.T, axis=0)", "a=uint16[120,79,3]"},
    {"cummax(a.T, axis=1)", "a=float16[77,3,77]"},
    {"cummin(a.T, axis=3, exclusive=True)", "a=uint16[24,57,8,9,8]"},
    {"cumsum(a.T, axis=1)", "a=float64[36,40,70]"},
    {"cumsum(a.T, axis=4)", "a=uint64[48,3,6,24,2]"},
    {"cumsum(a.T, axis=0)", "a=float16[77,20,121]"},
    {"cumsum(a.T, axis=0)", "a=float16[76,20,128]"},
    {"cumsum(a.T * a.T, axis=1)", "a=uint8[7,12,148,4,8]"},
    {"cumsum(a[:, ::-1].T, axis=1)", "a=float32[33,101,77]"},
    {"cumprod(a.T, axis=2)", "a=complex128[12,30,14]"},
    {"cumsum(a.T, axis=0)", "a=int8[33,2957]"},
    {"cumsum(a.T, axis=0)", "a=complex64[12,1500]"},
    {"cummax(a.T, axis=0)", "a=bfloat16[36,2901]"},
};
#define NSMALL (sizeof small / sizeof small[0])

START_TEST(kernel_gives_what_the_interpreter_gives) { compare(&twins[_i], &large_card, _i); }
END_TEST

START_TEST(kernels_of_a_small_card_do_so_too) { compare(&small[_i], &small_card, _i); }
END_TEST

/* Of elements that pass one by one through shared memory, though results would lie on vectors. */
START_TEST(copies_leave_room_for_results)
{
  static const twin full[] = {
      {"cumsum(a[:, 1:] * b[:, None], axis=1)", "a=float64[400,16385] b=float32[400]"},
      {"cumsum(a[:, 1:] * b[:, None], axis=1)", "a=float64[432,20001] b=int16[432]"},
  };
  static const ga_target cards[] = {{84, 99 * 1024, 0, 0, 0}, {108, 163 * 1024, 0, 0, 0}};
  const unsigned char align[3] = {8, 0, 0};
  const size_t room = 8192; /* scan_turned.cuh: ga_room */
  ga_program *p = program_of(full[_i].text, full[_i].spec);
  ga_layout l;
  ga_variant v;
  OK(ga_layout_make(&l, &p->stages[0]));
  OK(ga_variant_choose(&v, &p->stages[0], &l, align, &cards[_i]));
  ck_assert_msg(v.shared + room <= cards[_i].shared, "%s (%s): %zu bytes and %zu", full[_i].text,
                full[_i].spec, v.shared, room);
  ga_layout_clear(&l);
  ga_program_free(p);
}
END_TEST

/* Rows that vectors do not divide go by boxes, of elements of every size. */
START_TEST(short_odd_rows_go_by_boxes)
{
  static const char *const dtypes[] = {"float16", "float32", "int64", "float64"};
  static const int lengths[] = {65, 127, 255, 513, 1025};
  static const ga_target card = {132, 227 * 1024, 0, 0, 0};
  char spec[64];
  snprintf(spec, sizeof spec, "a=%s[20000,%d]", dtypes[_i / 5], lengths[_i % 5]);
  ga_program *p = program_of("cumsum(a, axis=1)", spec);
  ck_assert_msg(stages_with(p, GA_SKEL_SCAN_BOXES, &card) == 1, "%s", spec);
  ga_program_free(p);
}
END_TEST

/* What is better off as sheets (variant_scan_sheets.c), and what walks down columns. */
START_TEST(sheets_have_few_rows_or_odd_ones)
{
  static const struct {
    const char *text, *spec;
    enum ga_skeleton skeleton;
  } all[] = {
      {"cumsum(a, axis=0)", "a=float64[12,100000]", GA_SKEL_SCAN_SHEETS},
      {"cumsum(a, axis=0)", "a=float64[13,100000]", GA_SKEL_SCAN_COLUMNS},
      {"cumsum(a, axis=0)", "a=float32[64,200000]", GA_SKEL_SCAN_SHEETS},
      {"cumsum(a, axis=0)", "a=float32[65,200000]", GA_SKEL_SCAN_COLUMNS},
      {"cumsum(a, axis=0)", "a=float16[32,200000]", GA_SKEL_SCAN_SHEETS},
      {"cumsum(a[:, :, ::-1], axis=0)", "a=float16[31,2000,1000]", GA_SKEL_SCAN_SHEETS},
      {"cumsum(a, axis=0)", "a=float32[128,200001]", GA_SKEL_SCAN_SHEETS},
      {"cumsum(a, axis=0)", "a=float32[129,200001]", GA_SKEL_SCAN_COLUMNS},
      {"cumsum(a[:, ::2], axis=0)", "a=float32[48,400002]", GA_SKEL_SCAN_SHEETS},
      {"cumsum(a[:, ::2], axis=0)", "a=float32[49,400002]", GA_SKEL_SCAN_COLUMNS},
      {"cumsum(a, axis=0)", "a=int8[32,200001]", GA_SKEL_SCAN_SHEETS},
      {"cumsum(a, axis=0)", "a=int8[33,200001]", GA_SKEL_SCAN_COLUMNS},
      {"cumsum(a, axis=0)", "a=float16[300,200001]", GA_SKEL_SCAN_SHEETS},
      {"cumsum(a, axis=0)", "a=float16[33,200002]", GA_SKEL_SCAN_COLUMNS},
      {"cummax(a, axis=0)", "a=int8[300,200002]", GA_SKEL_SCAN_SHEETS},  /* words of 2 bytes, */
      {"cummax(a, axis=0)", "a=int8[300,200004]", GA_SKEL_SCAN_COLUMNS}, /* and of 4 */
      {"cummax(a, axis=0)", "a=int8[300,200001]", GA_SKEL_SCAN_SHEETS},
      {"cummax(a[:, ::-1], axis=0)", "a=int8[128,200001]", GA_SKEL_SCAN_SHEETS},
      {"cummax(a[:, ::-1], axis=0)", "a=int8[129,200001]", GA_SKEL_SCAN_COLUMNS},
      {"cumsum(a, axis=0) - a", "a=float32[4,200001]", GA_SKEL_SCAN_COLUMNS}, /* reads after */
      {"cumsum(a, axis=0)", "a=float32[4,68000]", GA_SKEL_SCAN_SHEETS},       /* blocks enough */
      {"cumsum(a, axis=0)", "a=float32[4,60000]", GA_SKEL_SCAN_COLUMNS},
      {"cumsum(a[:, :, :, ::-1], axis=1)", "a=int64[1000,4,50,2]",
       GA_SKEL_SCAN_COLUMNS}, /* narrow */
  };
  static const ga_target card = {132, 227 * 1024, 0, 0, 0};
  ga_program *p = program_of(all[_i].text, all[_i].spec);
  ck_assert_msg(stages_with(p, all[_i].skeleton, &card) == 1, "%s (%s)", all[_i].text,
                all[_i].spec);
  ga_program_free(p);
}
END_TEST

/* Rows on vectors are a warp's, others boxes; few columns are boxes, in units of a chunk at least,
 * or a lane each; blocks walk down many. */
START_TEST(rows_and_columns_go_the_faster_way)
{
  static const struct {
    const char *text, *spec;
    enum ga_skeleton skeleton;
  } all[] = {
      {"cumsum(a, axis=1)", "a=float32[20000,132]", GA_SKEL_SCAN_ROWS},
      {"cumsum(a, axis=1)", "a=int8[20000,384]", GA_SKEL_SCAN_ROWS},
      {"cumsum(a[:, 1:], axis=1)", "a=float32[20000,257]", GA_SKEL_SCAN_BOXES},
      {"cummax(a, axis=1)", "a=int16[20000,511]", GA_SKEL_SCAN_BOXES},
      {"cummax(a, axis=1)", "a=int16[20000,513]", GA_SKEL_SCAN_ROWS},
      {"cumsum(a, axis=0)", "a=int8[300000,5]", GA_SKEL_SCAN_LONG},
      {"cumsum(a, axis=0)", "a=int16[300000,7]", GA_SKEL_SCAN_TALL},
      {"cumsum(a, axis=0)", "a=float32[300000,17]", GA_SKEL_SCAN_LONG},
      {"cummax(a, axis=0)", "a=uint8[4096,33792]", GA_SKEL_SCAN_COLUMNS},
      {"cummax(a, axis=0)", "a=uint8[4096,33660]", GA_SKEL_SCAN_TALL},
      {"cummax(a, axis=0)", "a=uint16[4096,8448]", GA_SKEL_SCAN_COLUMNS},
  };
  const unsigned char align[3] = {0};
  ga_program *p = program_of(all[_i].text, all[_i].spec);
  const ga_stage *st = &p->stages[0];
  const ga_layout *l;
  ga_scan_words words;
  ga_layout own;
  ga_variant v;
  OK(ga_layout_make(&own, st));
  l = &own;
  ga_scan_by_words(&words, &st, &l, align);
  OK(ga_variant_choose(&v, st, l, align, &large_card));
  ck_assert_msg(v.skeleton == all[_i].skeleton, "%s (%s)", all[_i].text, all[_i].spec);
  ga_layout_clear(&own);
  ga_program_free(p);
}
END_TEST

/* Of narrow elements, so that rows are more than a sector where there are many. */
START_TEST(units_of_many_narrow_columns_have_long_rows)
{
  static const char *const specs[] = {"a=float16[70000,1008]", "a=float16[70000,1024]"};
  const unsigned char align[2] = {0};
  ga_program *p = program_of("cumsum(a, axis=0)", specs[_i]);
  ga_layout l;
  ga_variant v;
  OK(ga_layout_make(&l, &p->stages[0]));
  OK(ga_variant_choose(&v, &p->stages[0], &l, align, &large_card));
  ck_assert_int_eq(v.skeleton, GA_SKEL_SCAN_TALL);
  ck_assert_int_eq(v.across, _i == 0 ? 8 : 32);
  ga_layout_clear(&l);
  ga_program_free(p);
}
END_TEST

/* Results that are wider than what is read are not copied to boxes, from 8 sectors a row on, unless
 * their rows lie so far apart that offsets of 32 bits would not do (`down` bytes). */
START_TEST(wider_results_stay_outside)
{
  static const struct {
    const char *text, *spec;
    uint64_t outside;
    ssize_t down;
  } all[] = {
      {"cumsum(a, axis=1)", "a=int8[3000,100,32]", 2, 0},
      {"cumsum(a, axis=1)", "a=int8[3000,100,31]", 0, 0},
      {"cumsum(a, axis=1)", "a=int64[3000,100,32]", 0, 0},
      {"cumsum(a, axis=1)", "a=int8[3000,100,32]", 2, 1 << 21},
      {"cumsum(a, axis=1)", "a=int8[3000,100,32]", 0, 1 << 22},
  };
  static const ga_target card = {132, 227 * 1024, 0, 0, 0};
  const unsigned char align[3] = {0};
  ga_program *p = program_of(all[_i].text, all[_i].spec);
  ga_layout l;
  ga_variant v;
  OK(ga_layout_make(&l, &p->stages[0]));
  if (all[_i].down != 0) l.strides[1][l.nk] = all[_i].down;
  OK(ga_variant_choose(&v, &p->stages[0], &l, align, &card));
  ck_assert_msg(v.outside == all[_i].outside, "%s (%s): %llx", all[_i].text, all[_i].spec,
                (unsigned long long)v.outside);
  ga_layout_clear(&l);
  ga_program_free(p);
}
END_TEST

/* Boxes that a small card has no room for are left to other variants. */
START_TEST(crossed_boxes_fit_the_card)
{
  static const ga_target cards[] = {{2, 64 * 1024, 0, 0, 0}, {2, 99 * 1024, 0, 0, 0}};
  ga_program *p = program_of("cumsum(a.T, axis=0)", "a=uint64[31,5001]");
  ck_assert_uint_eq(stages_with(p, GA_SKEL_SCAN_CROSS_LONG, &cards[_i]), (unsigned int)_i);
  ga_program_free(p);
}
END_TEST

/* Gaps that keep lanes off each other's banks count too. */
static const char *const tight[][2] = {
    {"cumsum(a[:, ::-1], axis=1)", "a=int16[3765,36]"},
    {"cumsum(a[..., ::2], axis=1)", "a=complex128[7266,8]"},
    {"cumsum(a, axis=2)*2 + 1", "a=int64[10,700,56]"},
};

START_TEST(gaps_of_boxes_fit_the_card)
{
  static const ga_target card = {1, 48 * 1024, 0, 0, 0};
  const unsigned char align[64] = {0};
  ga_program *p = program_of(tight[_i][0], tight[_i][1]);
  ga_layout l;
  ga_variant v;
  OK(ga_layout_make(&l, &p->stages[0]));
  OK(ga_variant_choose(&v, &p->stages[0], &l, align, &card));
  ck_assert_int_eq(v.skeleton, GA_SKEL_SCAN_BOXES);
  ck_assert_uint_le(v.shared, card.shared - 1024);
  ga_layout_clear(&l);
  ga_program_free(p);
}
END_TEST

/* Which scans go by boxes whose operands are fast along different axes, and at which sizes those
 * end where others are the faster ones. */
START_TEST(crossed_scans_go_by_boxes)
{
  static const struct {
    const char *text, *spec;
    enum ga_skeleton skeleton;
  } all[] = {
      {"cumsum(a.T, axis=1)", "a=float32[300,200,300]", GA_SKEL_SCAN_CROSS},
      {"cumsum(a.T, axis=1)", "a=float32[100,1000,300]", GA_SKEL_SCAN_CROSS_LONG},
      {"cumsum(a.T, axis=2)", "a=float32[256,300,300]", GA_SKEL_SCAN_CROSS},
      {"cumsum(a.T, axis=2)", "a=float32[257,300,300]", GA_SKEL_SCAN_BESIDE},
      {"cumsum(a.T, axis=2)", "a=float64[128,200,300]", GA_SKEL_SCAN_BESIDE},
      {"cumsum(a.T, axis=0)", "a=float64[40000,256]", GA_SKEL_SCAN_CROSS},
      {"cumsum(a.T, axis=0)", "a=float64[40000,257]", GA_SKEL_SCAN_BOXES},
      {"cumsum(a.T, axis=0)", "a=float32[40000,256]", GA_SKEL_SCAN_BOXES},
      {"cumsum(a.T, axis=0)", "a=int8[64,9000]", GA_SKEL_SCAN_CROSS_LONG},
      {"cumsum(a.T, axis=0)", "a=int8[65,90000]", GA_SKEL_SCAN_TALL},
      {"cumsum(a.T, axis=1)", "a=float16[9000,5]", GA_SKEL_SCAN_ROWS},
      {"cumsum(a.T, axis=1)", "a=float16[9000,16]", GA_SKEL_SCAN_CROSS_LONG},
      {"cumsum(a, axis=1)", "a=int8[93207,64,5]", GA_SKEL_SCAN_BOXES}, /* all lie in one order */
      {"cumsum(a.T, axis=1)", "a=uint32[8,1000000]", GA_SKEL_SCAN_CROSS},
      {"cumsum(a.T, axis=1)", "a=uint32[9,1000000]", GA_SKEL_SCAN_BOXES},
      {"cumsum(a.T, axis=0)", "a=float64[8001,1001]", GA_SKEL_SCAN_COLUMNS},
      {"cumsum(a.T, axis=0)", "a=float64[8000,1001]", GA_SKEL_SCAN_CROSS_LONG},
      {"cumsum(a.T, axis=1)", "a=float64[24,605,400]", GA_SKEL_SCAN_CROSS_LONG},
      {"cumsum(a.T, axis=1)", "a=float32[9000,2097]", GA_SKEL_SCAN_BESIDE},
      {"cumsum(a.T, axis=1)", "a=float32[9000,2096]", GA_SKEL_SCAN_CROSS_LONG}, /* blocks are few */
  };
  ga_program *p = program_of(all[_i].text, all[_i].spec);
  ck_assert_msg(stages_with(p, all[_i].skeleton, &large_card) == 1, "%s (%s)", all[_i].text,
                all[_i].spec);
  ga_program_free(p);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(kernel_gives_what_the_interpreter_gives, NTWINS),
    CASE_LOOP(kernels_of_a_small_card_do_so_too, NSMALL),
    CASE_LOOP(copies_leave_room_for_results, 2),
    CASE_LOOP(short_odd_rows_go_by_boxes, 20),
    CASE_LOOP(sheets_have_few_rows_or_odd_ones, 23),
    CASE_LOOP(rows_and_columns_go_the_faster_way, 11),
    CASE_LOOP(units_of_many_narrow_columns_have_long_rows, 2),
    CASE_LOOP(wider_results_stay_outside, 5),
    CASE_LOOP(gaps_of_boxes_fit_the_card, 3),
    CASE_LOOP(crossed_scans_go_by_boxes, 20),
    CASE_LOOP(crossed_boxes_fit_the_card, 2),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("twins-scan: no C++ compiler; nothing was run\n");
  return test_main("twins-scan", cases);
}
