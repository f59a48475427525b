/* SPDX-License-Identifier: MIT */
/* The two devices' forms of one program: each stage interpreted by the CPU device
 * and as its generated kernel, run on the host (tests/host_kernel.h). The texts
 * hold operations that are exact, so the results are the same bits (any NaN is
 * any other). Skipped where there is no C++ compiler. */
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
    {"a + b", "a=float32[5,6,7,9,3] b=float32[6,1,9,1]"},
    {"a + b", "a=float32[100,16] b=float32[16]"},
    {"a.T * 2", "a=float32[5,999]"},
    {"a.T * 2", "a=int8[13,999]"},
    {"a.T + b.T", "a=float32[70,133] b=float32[70,133]"},
    {"a.T + b", "a=int8[270,133] b=int8[133,270]"},
    {"a.T * 2", "a=int8[128,256]"},
    {"a.T * 2", "a=int8[127,259]"},
    {"a.T + b.T", "a=float16[127,131] b=float16[127,131]"},
    {"a.T + b.T + c", "a=float16[127,131] b=int8[127,131] c=float16[131,1]"},
    {"a.T * 2", "a=uint8[33,70,129]"},
    {"a.T + 1", "a=uint8[77,300]"},
    {"a + a.T", "a=float64[33,33]"},
    {"a[::2, ::-1] - b", "a=int32[10,77] b=int32[5,77]"},
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
    {"sum(a*a)", "a=float32[4000]"},
    {"sum(a)", "a=int8[70001]"},
    {"sum(a, axis=0)", "a=int8[3000,20]"},
    {"sum(a, axis=1)", "a=uint16[30,200]"},
    {"sum(a)", "a=bool[2050]"},
    {"sum(a)", "a=float16[9000]"},
    {"sum(a, axis=0)", "a=float16[100,999]"},
    {"sum(a, axis=0)", "a=bfloat16[2000,33]"},
    {"sum(a)", "a=complex64[5000]"},
    {"prod(a, axis=1)", "a=complex128[5,1300]"},
    {"prod(a, axis=0)", "a=complex64[1300,7]"},
    {"sum(a, axis=0)", "a=float32[300000,3]"},
    {"sum(a, axis=1)", "a=float32[5,2501,33]"},
    {"sum(a*a, axis=1) * 2", "a=float32[3,1027,71]"},
    {"sum(a*b, axis=0) + c", "a=float32[41000,5] b=float16[41000,5] c=float32[5]"},
    {"mean(a, axis=(0, 1))", "a=uint8[150,201,3]"},
    {"sum(a, axis=0)", "a=float64[20003,7]"},
    {"max(a, axis=0)", "a=int8[9000,37]"},
    {"min(a, axis=0)", "a=float16[70000,13]"},
    {"sum(a, axis=0)", "a=bfloat16[2000,9]"},
    {"mean(a, axis=1)", "a=uint8[1000,3]"},
    {"mean(a, axis=0)", "a=int16[1100,64]"},
    {"mean(a)", "a=bool[3001]"},
    {"sum(a, axis=(0, 2))", "a=float32[13,17,511]"},
    {"sum(a, axis=1)", "a=float16[9,3071]"},
    {"sum(a, axis=1)", "a=float16[7,40961]"},
    {"sum(a, axis=1)", "a=float64[7,2049]"},
    {"sum(a, axis=1)", "a=complex128[3,1025]"},
    {"mean(a, axis=1)", "a=int8[9,3071]"},
    {"sum(a*b, axis=1)", "a=float32[7,2049] b=float64[7,2049]"},
    {"sum(a[:,1:]*b[:,:-1]*c, axis=1)", "a=float32[7,2049] b=float16[7,2049] c=float32[7,1]"},
    {"sum(a[1:], axis=0)", "a=float32[1026]"},
    {"sum(a, axis=1)", "a=int8[9,3071]"},
    {"sum(a, axis=1)", "a=uint16[5,30001]"},
    {"max(a, axis=1)", "a=float32[11,2049]"},
    {"min(a, axis=1)", "a=float64[7,1027]"},
    {"max(a*b, axis=1)", "a=float32[7,4099] b=float16[7,4099]"},
    {"max(a[:,1:]*b[:,:-1], axis=1)", "a=float32[7,2049] b=float32[7,2049]"},
    {"any(a > 99.5, axis=1)", "a=float32[9,1501]"},
    {"max(a[3:], axis=0)", "a=int8[70003]"},
    {"sum(a, axis=(0, 2))", "a=float16[33,5,129]"},
    {"sum(a, axis=(0, 2, 4))", "a=float64[6,4,8,5,16]"},
    {"prod(a, axis=(0, 2, 4))", "a=float32[6,4,8,5,7]"},
    {"max(a, axis=(0, 2))", "a=int16[33,5,129]"},
    {"max(a, axis=0)", "a=float64[100,130]"},
    {"max(a, axis=0, keepdims=True)", "a=float16[100,130]"},
    {"min(a, axis=1)", "a=complex64[100,130]"},
    {"argmax(a)", "a=float32[100000]"},
    {"argmin(a, axis=0)", "a=float32[1000,77]"},
    {"argmax(a, axis=1)", "a=int8[77,1000]"},
    {"argmax(a, axis=1)", "a=bool[77,701]"},
    {"argmin(a[:, ::-1], axis=1)", "a=bool[77,701]"},
    {"argmax(a + b, axis=1)", "a=int8[33,1701] b=int16[33,1]"},
    {"max(a, axis=1)", "a=int16[33,4099]"},
    {"argmax(a, axis=0)", "a=bool[77,1000]"},
    {"argmin(a, axis=0)", "a=complex128[1100,3]"},
    {"any(a > 90)", "a=float32[10000]"},
    {"all(a > -90, axis=0)", "a=float32[2000,31]"},
    {"mean(a, axis=1)", "a=float32[31,2000]"},
    {"mean(a, axis=(0,2))", "a=float32[31,20,31]"},
    {"sum(a, axis=(0,2))", "a=float32[11,20,1000]"},
    {"sum(a, axis=(1,2))", "a=float32[11,50,33]"},
    {"sum(a, axis=1)", "a=float64[20,300,5]"},
    {"sum(a[:, ::2], axis=1)", "a=float32[20,3001]"},
    {"sum(a.T, axis=1)", "a=float32[300,50]"},
    {"sum(a[::-1])", "a=float32[2500]"},
    {"var(a, axis=0)", "a=float32[700,40]"},
    {"var(a, axis=0)", "a=float32[3,40]"},
    {"var(a, axis=0)", "a=float32[33,200]"},
    {"var(a, axis=0)", "a=float32[1024,40]"},
    {"var(a, axis=0)", "a=float32[9001,3]"},
    {"var(a, axis=0)", "a=float64[2049,70]"},
    {"std(a, axis=1, ddof=1)", "a=float16[20,300,5]"},
    {"var(a, axis=(0,1))", "a=int16[30,50,7]"},
    {"var(a, axis=0)", "a=complex64[1300,7]"},
    {"m = mean(a, axis=0); v = var(a, axis=0); m * v", "a=complex128[300,9]"},
    {"m = mean(a, axis=0); v = var(a, axis=0); m * v", "a=float32[1500,64]"},
    {"var(a[:, ::3], axis=1)", "a=float32[20,3001]"},
    {"var(a[:, ::3], axis=1)", "a=float64[9,100]"},
    {"var(a.T[:, ::-1], axis=1)", "a=float32[300,50]"},
    {"var(a, axis=1)", "a=complex128[3,5000]"},
    {"var(a[:, ::3], axis=1)", "a=complex128[40,99]"},
    {"var(a[:, ::3], axis=1)", "a=complex64[9,1536]"},
    {"var(a, axis=1)", "a=float32[2,140001]"},
    {"var(a, axis=1)", "a=int8[2,131073]"},
    {"m = mean(a); v = var(a); m + v", "a=float32[300001]"},
    {"var(a)", "a=float16[200003]"},
    {"std(a*b[:,None] + 1, axis=0) * c", "a=float32[1030,40] b=float32[1030] c=float32[40]"},
    {"count_nonzero(a > 0, axis=1)", "a=float32[40,1030]"},
    {"s = sum(a, axis=1); m = max(a, axis=1); s / m", "a=float32[40,1030]"},
    {"s = sum(a, axis=0); m = argmax(a, axis=0); s + m", "a=float32[1030,40]"},
    {"a - mean(a, axis=1, keepdims=True)", "a=float32[40,1030]"},
    {"sum(a * b[None,:], axis=1) + c", "a=float32[40,1030] b=float32[1030] c=float32[40]"},
    {"sum(a * b[:,None], axis=0) + c", "a=float32[1030,40] b=float32[1030] c=float32[40]"},
    {"sum(a[:,None] * b[None,:])", "a=float32[70] b=float32[70]"},
    {"cumsum(a)", "a=float32[5]"},
    {"cumsum(a)", "a=float32[128]"},
    {"cumsum(a)", "a=float32[1021]"},
    {"cumsum(a)", "a=float32[8000]"},
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
    {"cumsum(a, axis=0)", "a=float32[20,140000]"},
    {"cumsum(a, axis=0)", "a=float32[150,136000]"},
    {"cumsum(a, axis=0, exclusive=True)", "a=float16[1100,42]"},
    {"cummax(a, axis=0)", "a=uint8[300,44]"},
    {"cummin(a, axis=0)", "a=int8[300,45]"},
    {"cumprod(a, axis=0) + b[:, None]", "a=complex128[300,45] b=float64[300]"},
    {"cumsum(a, axis=1)", "a=float32[7,300,45]"},
    {"sum(cumsum(a, axis=0) - cummax(a, axis=1))", "a=float32[300,45]"},
    {"sum(a, axis=0)", "a=float32[0,5]"},
    {"prod(a, axis=0)", "a=int32[0,5]"},
    {"sum(a, axis=1)", "a=float32[5,1]"},
    {"a + 1", "a=float32[0,5]"},
    {"a + 1", "a=float32[]"},
};
#define NTWINS (sizeof twins / sizeof twins[0])

static const ga_target target = {132, 227 * 1024, 0, 0, 0};
START_TEST(kernel_gives_what_the_interpreter_gives)
{
  const twin *w = &twins[_i];
  ga_value given[MAXBIND] = {{{0}}}, numbers[16];
  char *mem[2][64], *base[2][64];
  binding b;
  gpucontext *ctx;
  ga_program *p;
  if (!host_kernel_available()) return;
  OK(gpucontext_init(&ctx, "cpu", NULL));
  p = program_of(w->text, w->spec);
  binding_read(&b, w->spec);
  seed = (uint32_t)_i + 1;
  give_numbers(given, &b);
  make_slots(p, mem);
  for (unsigned int k = 0; k < p->nstage; k++) {
    const ga_stage *st = &p->stages[k];
    for (int d = 0; d < 2; d++) aim_stage(p, st, mem[d], base[d], given, numbers);
    interpret(ctx, st, base[0], numbers);
    host_kernel_run(st, base[1], numbers, &target, _i % 2, NULL);
  }
  for (unsigned int s = 0; s < p->nslot; s++) {
    same(w, s, &p->slots[s], mem[0][s], mem[1][s]);
    free(mem[0][s]);
    free(mem[1][s]);
  }
  ga_program_free(p);
  gpucontext_deref(ctx);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(kernel_gives_what_the_interpreter_gives, NTWINS),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("twins: no C++ compiler; nothing was run\n");
  return test_main("twins", cases);
}
