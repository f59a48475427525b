/* SPDX-License-Identifier: MIT */
/* Reductions of views that step, go backwards or are shifted against each other, interpreted and as
 * their kernels run on the host (twins.h). Those of whole arrays are in check_twins_reduce.c. */
#include "tests/twins.h"

static const twin twins[] = {
    {"mean(a[::2])", "a=int16[300001]"},
    {"max(a[::3])", "a=float32[70001]"},
    {"argmin(a[:, ::3], axis=1)", "a=int8[7,9001]"},
    {"max(a.T + b)", "a=int16[300,200] b=int16[200,300]"},
    {"min(a[:, ::-1, ::2], axis=(0, 2))", "a=float64[30,20,100]"},
    {"sum(a[::2]*b[::2])", "a=int16[64000] b=int32[64000]"},
    {"sum(abs(a - b[:, ::-1]), axis=1)", "a=int8[301,211] b=int8[301,211]"},
    {"sum(a*b[:, ::-1], axis=1)", "a=float16[77,1000] b=float16[77,1000]"},
    {"sum(a*b[:, ::2], axis=1)", "a=int8[77,600] b=int8[77,1200]"},
    {"sum(a*b[:, ::-2], axis=1)", "a=int16[77,60] b=float32[77,120]"},
    {"sum(a[:, ::2], axis=1)", "a=float16[61,667]"},
    {"any(a[:, ::2] > b, axis=1)", "a=uint8[301,129] b=uint8[301,65]"},
    {"max(a - b[:, ::-1], axis=1)", "a=float32[33,500] b=float32[33,500]"},
    {"sum(a[:, 1::2]*b[:, :-1], axis=1)", "a=float16[33,500] b=float16[33,251]"},
    {"prod(a*b[:, ::-1], axis=1)", "a=complex64[33,31] b=complex64[33,31]"},
    {"mean(a[:, ::2]*b[:, ::-1], axis=1) + c", "a=uint8[300,62] b=float16[300,31] c=float32[300]"},
    {"sum(a[::2]*b[::-1])", "a=float16[1400] b=float16[700]"},
    {"max(a[::2]*b[::-1])", "a=int8[1000] b=int8[500]"},
    {"argmax(a - b[:, ::-1], axis=1)", "a=int8[301,211] b=int8[301,211]"},
    {"sum(abs(a[:, 1:] - b[:, :-1]), axis=0)", "a=int8[3001,510] b=int8[3001,510]"},
    {"sum(abs(a[1:] - b[:-1]), axis=0)", "a=int8[9001,5] b=int8[9001,5]"},
    {"max(a[1:]*b[:-1], axis=0)", "a=float16[9001,33] b=float16[9001,33]"},
    {"sum(a[:, 1:]*b[:, :-1], axis=0)", "a=float16[3001,141] b=float16[3001,141]"},
    {"sum(a - b[:, ::-1], axis=0)", "a=int8[3001,509] b=int8[3001,509]"},
    {"max(a - b[:, ::-1], axis=0)", "a=int16[301,509] b=int16[301,509]"},
    {"max(a[:, ::2], axis=0)", "a=float16[901,194]"},
    {"p = min(a[:, :, ::-2], axis=1); p + max(a[:, :, ::-2], axis=1)", "a=int8[21,257,194]"},
    {"sum(a[:, ::2]*b, axis=0)", "a=int8[900,194] b=int8[900,97]"},
    {"sum(a[:, 1::2] + b[:, ::-1], axis=0)", "a=uint8[901,195] b=uint8[901,97]"},
    {"max(a[:, :, 1:] + b[:, :, :-1], axis=1)", "a=float16[20,300,51] b=float16[20,300,51]"},
    {"max(a[:, 1:] + b[:, :-1], axis=0)", "a=float64[300,131] b=int8[300,131]"},
    {"max(a[:, ::2]*b, axis=0)", "a=int64[2300,18] b=float32[2300,9]"},
    {"any(a[1:] > b[:-1], axis=0)", "a=bool[999,77] b=bool[999,77]"},
    {"max(a[1:]*b[:-1]*c, axis=(0,2))", "a=int8[301,50,3] b=int8[301,50,3] c=int8[300,50,3]"},
    {"sum(a[1:]*b[:-1], axis=0) + c", "a=bfloat16[1601,40] b=float16[1601,40] c=float32[40]"},
    {"sum(abs(a - b[:, ::-1]), axis=1)", "a=int8[31,2101] b=int8[31,2101]"},
    {"max(a - b[:, ::-1], axis=1)", "a=float16[31,2101] b=float16[31,2101]"},
    {"max(a[:, 1:] - b[:, -2::-1], axis=1)", "a=float16[31,2101] b=float16[31,2101]"},
    {"sum(a[:, ::2]*b, axis=1)", "a=int8[31,4096] b=int8[31,2048]"},
    {"sum(a[:, 1::2]*b[:, ::-1], axis=1)", "a=uint8[31,4096] b=uint8[31,2048]"},
    {"max(a[:, ::-2]*b[:, :-1], axis=1)", "a=float32[31,1401] b=float32[31,702]"},
    {"max(a[:, ::-2]*b, axis=1)", "a=float64[31,1401] b=int8[31,701]"},
    {"argmax(a[:, ::2], axis=1)", "a=float32[31,1401]"},
    {"argmax(a - b[:, ::-1], axis=1)", "a=int16[31,1401] b=int16[31,1401]"},
    {"argmin(a - b[:, ::-2], axis=1)", "a=float32[3,30001] b=float32[3,60002]"},
    {"sum(a[::2] - b[::-1])", "a=int8[600002] b=int8[300001]"},
    {"any(a[:, ::2] > b[:, ::2], axis=1)", "a=bool[13,6001] b=bool[13,6001]"},
    {"max(a[:, ::2], axis=1)", "a=int64[13,6001]"},
    {"max(a[:, ::2]*b, axis=1)", "a=int16[13,1200] b=int16[13,1]"},
    {"max(a - b[:, :, ::2], axis=1)", "a=int8[61,33,50] b=int8[61,33,100]"},
    {"max(a - b[:, :, ::-1], axis=1)", "a=float16[61,13,53] b=float16[61,13,53]"},
    {"max(a - b[:, :, ::-2], axis=1)", "a=float32[61,13,53] b=int16[61,13,106]"},
    {"sum(a*b[:, :, ::-1], axis=1)", "a=float16[61,13,53] b=float16[61,13,53]"},
    {"sum(a*b[:, :, ::2], axis=1)", "a=float32[61,20,64] b=float32[61,20,128]"},
    {"min(a[:, ::2], axis=0)", "a=float64[41,1501]"},
    {"argmin(a[:, ::2], axis=0)", "a=int8[41,1501]"},
    {"argmin(a - b[:, ::-1], axis=0)", "a=uint8[41,1501] b=uint8[41,1501]"},
    {"sum(a[:, ::2], axis=0)", "a=int16[41,1501]"},
    {"max(a[:, 1:] - b[:, :-1], axis=0)", "a=float16[7,15031] b=float16[7,15031]"},
    {"max(a[:, 1:] - b[:, :0:-1], axis=0)", "a=int8[3,15031] b=int8[3,15031]"},
    {"var(a[:, ::2], axis=0)", "a=float32[21,1501]"},
    {"sum(b[:, 1:], axis=0) + sum(a[:, 1:], axis=0)", "a=int8[3001,31] b=int32[3001,31]"},
    {"argmax(a[:, 1:], axis=0)", "a=int16[3001,18]"},
    {"sum(a[:, 1:], axis=0)", "a=float32[9001,18]"},
    {"sum(a[:, :-3], axis=0)", "a=float16[9001,15]"},
    {"sum(a[:, 1:]*a[:, 1:], axis=0)", "a=uint8[9001,13]"},
    {"max(a[:, 3:], axis=0)", "a=float32[3001,33]"},
    {"any(a[:, :-2] > b[:, 2:], axis=0)", "a=int8[4001,33] b=int8[4001,33]"},
    {"var(a[:, 1:], axis=0)", "a=int16[3001,14]"},
    {"max(a[:, 1:], axis=0) - min(a[:, 1:], axis=0)", "a=uint8[3000,61]"},
    {"max(a, axis=0) - min(a, axis=0)", "a=int16[3000,333]"},
    {"max(a, axis=1) + min(a, axis=1)", "a=uint8[7,300,100]"},
    {"max(a[:, ::2], axis=0) - min(a[:, ::2], axis=0)", "a=int8[3000,61]"},
    {"min(a, axis=0)*2 - max(a, axis=0)", "a=uint16[97,9]"},
};
#define NTWINS (sizeof twins / sizeof twins[0])

START_TEST(kernel_gives_what_the_interpreter_gives)
{
  fenced = 1;
  compare(&twins[_i], &large_card, _i);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(kernel_gives_what_the_interpreter_gives, NTWINS),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("twins-views: no C++ compiler; nothing was run\n");
  return test_main("twins-views", cases);
}
