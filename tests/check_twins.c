/* SPDX-License-Identifier: MIT */
/* The two devices' forms of one program: each stage interpreted by the CPU device
 * and as its generated kernel, run on the host (tests/host_kernel.h). The texts
 * hold operations that are exact, so the results are the same bits (any NaN is
 * any other). Skipped where there is no C++ compiler. */
#include "lib/backend.h"

#include "gpuarray/buffer.h"
#include "tests/host_kernel.h"
#include "tests/program.h"

typedef struct twin {
  const char *text, *spec;
} twin;

static const twin twins[] = {
    {"2*a", "a=float32[4,3]"},
    {"hypot(a, b)", "a=float64[100] b=float64[100]"},
    {"hypot(a, b) + 1", "a=float16[100] b=float16[100]"},
    {"(a*10+2)*((b+2)*10-5)*5", "a=float32[1037] b=float32[1037]"},
    {"k*a + x", "a=int16[100] k=int x=float"},
    {"a + b[:,None]", "a=float32[37,65] b=float32[37]"},
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
    {"max(a, axis=0)", "a=float64[100,130]"},
    {"max(a, axis=0, keepdims=True)", "a=float16[100,130]"},
    {"min(a, axis=1)", "a=complex64[100,130]"},
    {"argmax(a)", "a=float32[100000]"},
    {"argmin(a, axis=0)", "a=float32[1000,77]"},
    {"argmax(a, axis=1)", "a=int8[77,1000]"},
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
    {"count_nonzero(a > 0, axis=1)", "a=float32[40,1030]"},
    {"s = sum(a, axis=1); m = max(a, axis=1); s / m", "a=float32[40,1030]"},
    {"s = sum(a, axis=0); m = argmax(a, axis=0); s + m", "a=float32[1030,40]"},
    {"a - mean(a, axis=1, keepdims=True)", "a=float32[40,1030]"},
    {"sum(a * b[None,:], axis=1) + c", "a=float32[40,1030] b=float32[1030] c=float32[40]"},
    {"sum(a * b[:,None], axis=0) + c", "a=float32[1030,40] b=float32[1030] c=float32[40]"},
    {"sum(a[:,None] * b[None,:])", "a=float32[70] b=float32[70]"},
    {"sum(a, axis=0)", "a=float32[0,5]"},
    {"prod(a, axis=0)", "a=int32[0,5]"},
    {"sum(a, axis=1)", "a=float32[5,1]"},
    {"a + 1", "a=float32[0,5]"},
    {"a + 1", "a=float32[]"},
};
#define NTWINS (sizeof twins / sizeof twins[0])

static const ga_target target = {132, 227 * 1024, 0};
static uint32_t seed;

static uint32_t rnd(void) {
  seed = seed * 1664525 + 1013904223;
  return seed >> 8;
}

/* One element of small, mostly ordinary values. */
static void fill_one(char *p, enum ga_dtype t) {
  double x = (double)(int)(rnd() % 20001) / 100 - 100;
  float f = (float)x;
  uint32_t u;
  int64_t i = (int64_t)x;
  memcpy(&u, &f, 4);
  switch (t) {
    case GA_DT_BOOL: *p = (char)(rnd() & 1); break;
    case GA_DT_FLOAT32: memcpy(p, &f, 4); break;
    case GA_DT_FLOAT64: memcpy(p, &x, 8); break;
    case GA_DT_BFLOAT16: u >>= 16, memcpy(p, &u, 2); break;
    case GA_DT_FLOAT16: /* by the bits: normal, of moderate size */
      u = (rnd() & 0x83ff) | (13 + rnd() % 5) << 10;
      memcpy(p, &u, 2);
      break;
    case GA_DT_COMPLEX64:
    case GA_DT_COMPLEX128: {
      size_t half = ga_dtypes[t].size / 2u;
      fill_one(p, half == 4 ? GA_DT_FLOAT32 : GA_DT_FLOAT64);
      fill_one(p + half, half == 4 ? GA_DT_FLOAT32 : GA_DT_FLOAT64);
      break;
    }
    default: memcpy(p, &i, ga_dtypes[t].size);
  }
}

static size_t elements(const ga_slot *s) {
  size_t n = 1;
  for (unsigned int k = 0; k < s->nd; k++) n *= s->dims[k];
  return n;
}

/* A NaN of dtype t at p. */
static int is_nan(const char *p, enum ga_dtype t) {
  float f = 0;
  double d = 0;
  uint16_t h;
  uint32_t u;
  memcpy(&h, p, 2);
  switch (t) {
    case GA_DT_FLOAT32: memcpy(&f, p, 4); return f != f;
    case GA_DT_FLOAT64: memcpy(&d, p, 8); return d != d;
    case GA_DT_FLOAT16: return (h & 0x7fff) > 0x7c00;
    case GA_DT_BFLOAT16: u = (uint32_t)h << 16, memcpy(&f, &u, 4); return f != f;
    default: return 0;
  }
}

static void same(const twin *w, unsigned int slot, const ga_slot *s, const char *a,
                 const char *b) {
  enum ga_dtype t = s->dtype;
  size_t n = elements(s);
  if (ga_dtypes[t].kind == 'c') {
    t = t == GA_DT_COMPLEX64 ? GA_DT_FLOAT32 : GA_DT_FLOAT64;
    n *= 2;
  }
  size_t size = ga_dtypes[t].size;
  for (size_t i = 0; i < n; i++)
    if (memcmp(a + i * size, b + i * size, size) != 0 &&
        !(is_nan(a + i * size, t) && is_nan(b + i * size, t))) {
      uint64_t x = 0, y = 0;
      memcpy(&x, a + i * size, size);
      memcpy(&y, b + i * size, size);
      ck_abort_msg("%s (%s): slot %u, element %zu: interpreted %llx, kernel %llx", w->text,
                   w->spec, slot, i, (unsigned long long)x, (unsigned long long)y);
    }
}

static void interpret(gpucontext *ctx, const ga_stage *st, char *const *base,
                      const ga_value *numbers) {
  ga_layout l;
  void *exec, *addr[64];
  OK(ga_layout_make(&l, st));
  if (l.kept != 0) {
    for (unsigned int i = 0; i < st->noperand; i++)
      addr[i] = base[i] + st->operands[i].offset + l.offset[i];
    OK(ctx->backend->stage_new(&exec, ctx, st, &l));
    OK(ctx->backend->stage_run(exec, ctx, addr, numbers));
    ctx->backend->stage_free(exec);
  }
  ga_layout_clear(&l);
}

START_TEST(kernel_gives_what_the_interpreter_gives) {
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
  for (unsigned int i = 0; i < b.n; i++)
    if (b.binds[i].kind == GA_BIND_WEAK_INT)
      given[i].i = 3;
    else if (b.binds[i].kind == GA_BIND_WEAK_FLOAT)
      given[i].d = 1.75;
  for (unsigned int s = 0; s < p->nslot; s++) {
    size_t size = ga_dtypes[p->slots[s].dtype].size, n = elements(&p->slots[s]);
    for (int d = 0; d < 2; d++)
      ck_assert_int_eq(posix_memalign((void **)&mem[d][s], 64, n * size + 64), 0);
    for (size_t i = 0; i < n; i++) fill_one(mem[0][s] + i * size, p->slots[s].dtype);
    memcpy(mem[1][s], mem[0][s], n * size);
  }
  for (unsigned int k = 0; k < p->nstage; k++) {
    const ga_stage *st = &p->stages[k];
    for (unsigned int i = 0; i < st->nparam; i++)
      OK(ga_param_value(&numbers[i], p, &st->params[i], given));
    for (int d = 0; d < 2; d++)
      for (unsigned int i = 0; i < st->noperand; i++)
        base[d][i] = mem[d][st->operands[i].slot];
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

int main(void) {
  if (!host_kernel_available()) printf("twins: no C++ compiler; nothing was run\n");
  return test_main("twins", cases);
}
