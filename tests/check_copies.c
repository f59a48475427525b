/* SPDX-License-Identifier: MIT */
/* Stages that are added beside reductions: copies of inputs and results, and reductions in two
 * steps. Which texts get them, on both sides of each bound, and that no bit changes: the text's own
 * stages interpreted, and all stages as their kernels run on the host. */
#include "tests/short_memory.h"
#include "tests/twins.h"

static const struct {
  twin w;
  unsigned int stages; /* with those that are added */
} cases_of[] = {
    /* small inputs in another order, and rows that they cut short */
    {{"sum(a*b)", "a=float32[10,6,2,128] b=float32[6,2,1]/p120"}, 1}, /* fours of 128 */
    {{"sum(a*b)", "a=float32[20,6,2,33] b=float32[6,2,1]/p120"}, 2},
    {{"sum(abs(a - b))", "a=float16[12,5,52,2,64] b=float16[2,1]"}, 1},
    {{"sum(abs(a - b))", "a=float16[12,5,52,2,31] b=float16[2,1]"}, 2}, /* 52 * 62 */
    {{"sum(abs(a - b))", "a=float16[12,5,3,2,31] b=float16[2,1]"}, 2},
    {{"sum(abs(a - b))", "a=float16[12,1,1,2,31] b=float16[2,1]"}, 1}, /* 62 are not 4 * 31 */
    {{"sum(abs(a - b))", "a=int8[12,5,52,7,31] b=int16[7,1]"}, 2},
    {{"any(a > b, axis=1)", "a=float32[20,30,64] b=float32[30,64]/p10"}, 2},
    {{"any(a > b, axis=1)", "a=float32[15,30,64] b=float32[30,64]/p10"}, 1}, /* not so small */
    {{"any(a > b, axis=1)", "a=float32[20,30,64] b=float32[30,64]"}, 1},
    {{"sum(a*b[:, ::-1], axis=(0,1))", "a=bfloat16[40,7,77] b=bfloat16[7,77]"}, 2},
    {{"sum(a[::-1, :, ::-1]*b)", "a=bfloat16[40,7,77] b=int32[7,77]"}, 2},
    {{"argmax(a*b, axis=1)", "a=float32[20,30,64] b=float32[30,64]/p10"}, 2},
    /* inputs that cross: slow ones in the order of the first, ... */
    {{"sum(a*b)", "a=float32[60,1100] b=float32[60,1100]/p10"}, 2}, /* several passes of lines */
    {{"sum(a*b)", "a=float32[16,1024] b=float32[16,1024]/p10"}, 1},
    {{"sum(a*b)", "a=float32[130,60] b=float32[130,60]/p10"}, 1},
    {{"sum(a*b)", "a=int32[60,1100] b=int32[60,1100]/p10"}, 1}, /* in no order */
    {{"sum(a*b*c)", "a=float32[60,1100] b=float32[60,1100]/p10 c=float16[60,1100]/p10"}, 3},
    {{"any(a > b)", "a=int32[60,30,37] b=int32[60,30,37]/p210"}, 1},
    {{"any(a[:, :, 1:] > b)", "a=int8[60,30,38] b=int8[60,30,37]/p210"}, 2}, /* gaps */
    {{"any(a[:, :, 1:] > b)", "a=int16[60,30,38] b=int16[60,30,37]/p210"}, 1},
    {{"any(a[..., 1:, 1:] > b)", "a=int16[60,9,5,38] b=int16[60,9,4,37]/p3210"}, 2},
    {{"any(a[..., 1:, 1:] > b)", "a=int32[60,9,5,38] b=int32[60,9,4,37]/p3210"}, 1},
    {{"any(a > b)", "a=int8[600,33] b=int8[600,33]/p10"}, 2}, /* bytes */
    {{"any(a > b)", "a=int16[600,33] b=int16[600,33]/p10"}, 1},
    {{"any(a > b, axis=1)", "a=int16[60,64] b=int16[60,64]/p10"}, 2}, /* short rows */
    {{"any(a > b, axis=1)", "a=int16[60,96] b=int16[60,96]/p10"}, 1},
    {{"any(a > b, axis=1)", "a=int8[33,120] b=int8[33,120]/p10"}, 2}, /* bytes off vectors */
    {{"any(a > b, axis=1)", "a=int8[32,128] b=int8[32,128]/p10"}, 1},
    {{"sum(a*b, axis=(1,2))", "a=int16[21,10,48,64] b=int16[21,10,48,64]/p3210"}, 2},
    {{"sum(abs(a - b), axis=2)", "a=int32[64,96,24]/p210 b=int32[64,96,24]"}, 1}, /* boxes */
    {{"sum(a*b, axis=1)", "a=float32[4,300,48,7]/p3210 b=float32[4,300,48,7]"}, 2},
    {{"sum(a*b, axis=1)", "a=int64[559,100,3]/p102 b=int64[559,100,3]"}, 1}, /* down columns */
    {{"any(a > b)", "a=float32[300,400,5]/p210 b=float32[300,400,5]"}, 2},
    {{"any(a > b)", "a=float32[300,5] b=float32[300,5]/p10"}, 1}, /* five long pieces */
    {{"any(a > b)", "a=int16[300,5] b=int16[300,5]/p10"}, 2},
    {{"any(a > b)", "a=int16[300,5] b=float64[300,5]/p10"}, 1},
    {{"sum(a*b, axis=2)", "a=float16[300,16,48] b=float16[300,16,1]/p210"}, 2},
    {{"sum(a*b, axis=2)", "a=float16[70,16,136] b=float16[70,16,1]/p210"}, 1},
    {{"sum(a[::-1]*b)", "a=float32[60,1100] b=float32[60,1100]/p10"}, 2},
    {{"argmax(a*b[:, ::-1])", "a=int8[600,33] b=int8[600,33]/p10"}, 2},
    /* ... or the first in the other's, if that is less */
    {{"any(a > b)", "a=int16[300,400,5]/p210 b=float64[300,400,5]"}, 2},
    /* results that lie across */
    {{"max(a, axis=2)", "a=float32[30,50,12]/p102"}, 2},
    {{"max(a, axis=2)", "a=float32[30,50,4]/p102"}, 1}, /* boxes have so many */
    {{"sum(a, axis=2)", "a=float32[30,50,4]/p102"}, 2},
    {{"sum(a, axis=2)", "a=float32[30,50,41]/p102"}, 1}, /* few for what they are made of */
    {{"max(a, axis=2)", "a=int8[30,50,3]/p102"}, 2},
    {{"mean(a, axis=2)", "a=int8[30,50,3]/p102"}, 1},
    {{"max(a, axis=0)", "a=float32[96,8,9,80]/p3210"}, 1},
    {{"max(a, axis=2) + c", "a=float32[30,50,12]/p102 c=float64[50]"}, 2},
    {{"s = sum(a, axis=2); s + max(a, axis=2)", "a=float32[30,50,12]/p102"}, 2},
    {{"sum(sqrt(float64(a*a)), axis=2)", "a=int8[30,50,3]/p102"}, 2}, /* more than is read */
    {{"a = a + 1; sum(a[::-1], axis=2)", "a=float32[30,50,4]/p102"}, 3},
    /* rows with gaps behind them */
    {{"max(a[:, :, 1:], axis=0)", "a=float32[40,30,18]"}, 2},
    {{"max(a[:, :, 1:], axis=0)", "a=float32[40,30,25]"}, 1}, /* 96 bytes */
    {{"sum(a[:, :, 1:], axis=0)", "a=float32[40,30,25]"}, 2},
    {{"max(a[:, :, 5:], axis=0)", "a=float32[40,30,18]"}, 1}, /* wide gaps */
    {{"max(a[:, ::-1, 1:], axis=0)", "a=float32[40,30,18]"}, 1},
    {{"max(a[:, ::-1, :0:-1], axis=0)", "a=float32[40,30,18]"}, 2},
    {{"argmax(a[:, :, 1:], axis=0)", "a=int8[100,30,18]"}, 2},
    {{"argmax(a[:, :, 1:], axis=0)", "a=int8[60,30,18]"}, 1}, /* much to write */
    {{"var(a[:, :, 1:], axis=0)", "a=float64[70,30,6]"}, 2},
    {{"any(a[:, :, 1:] > b[:, :, :-1], axis=0)", "a=int8[70,30,9] b=int8[70,30,9]"}, 2},
    {{"any(a[:, :, 1:] > b, axis=0)", "a=int8[70,30,9] b=int8[70,30,8]"}, 1},
    /* in two steps */
    {{"max(a, axis=(0,2))", "a=float32[30,50,12]"}, 2},
    {{"max(a, axis=(0,2))", "a=float32[30,50,64]"}, 1}, /* long pieces */
    {{"max(a, axis=(0,2))", "a=float32[11,50,11]"}, 1}, /* much that is left */
    {{"max(a, axis=(0,2))", "a=float32[11,50,13]"}, 2},
    {{"sum(a, axis=(0,2))", "a=float32[30,50,12]"}, 1}, /* in order */
    {{"max(a, axis=(0,2)) - min(a, axis=(0,2))*k + c", "a=int8[40,30,20] k=int c=int16[30]"}, 2},
    {{"mean(a, axis=(0,2))", "a=uint8[97,30,20]"}, 2},
    {{"m = max(a, axis=(0,2)); m + c", "a=float32[30,50,12] c=float32[1,50] m=new"}, 2},
    {{"m = max(a, axis=(0,2)); max(a, axis=(0,2), keepdims=True)", "a=float32[30,50,12] m=new"}, 2},
    {{"var(a, axis=(0,2))", "a=int8[200,30,20]"}, 2},
    {{"any(a > b, axis=(1,3))", "a=int8[3,40,5,20] b=int8[3,40,5,20]"}, 2},
    {{"any(a > b, axis=(1,3))", "a=int32[3,40,5,3] b=int32[3,40,5,3]/p0132"}, 1}, /* cross */
    {{"any(a > b, axis=(1,3))", "a=int8[3,40,5,20] b=int8[3,40,5,20]/p0321"}, 3}, /* and a copy */
    {{"any(a > k, axis=(1,3))", "a=int8[3,40,5,20] k=int"}, 2},
    {{"max(a[..., ::2], axis=(1,3)) + sum(b)", "a=float64[3,30,50,24] b=int8[9]"}, 4},
    {{"max(a[:, :, ::2], axis=(0,2)) + sum(b)", "a=float64[30,50,24] b=int8[9]"}, 3}, /* gaps */
    {{"max(a[:, :, ::2], axis=(0,2))", "a=int8[40,30,40]"}, 2},
    {{"sum(a*b, axis=(0,1))", "a=int32[1030,4,100] b=int32[4,1]"}, 1},
    {{"sum(a*b, axis=(0,1))", "a=int32[1000,4,100] b=int32[4,1]"}, 2},
    {{"max(a[..., 1:], axis=(1,3))", "a=float32[3,30,50,8]"}, 3}, /* and gaps */
    {{"max(a[:, :, 1:], axis=(0,2))", "a=float32[30,50,8]"}, 1},
    /* a chain's are left */
    {{"a - max(a, axis=2, keepdims=True)", "a=float32[30,50,12]/p102"}, 2},
};
#define NCASES (sizeof cases_of / sizeof cases_of[0])

START_TEST(stages_are_added_where_told)
{
  const twin *w = &cases_of[_i].w;
  ga_program *p = program_of(w->text, w->spec);
  OK(ga_copies_add(p, 0, &large_card));
  ck_assert_msg(p->nstage == cases_of[_i].stages, "%s (%s): %u stages", w->text, w->spec,
                p->nstage);
  ga_program_free(p);
}
END_TEST

START_TEST(few_bytes_get_none)
{
  ga_program *p = program_of("max(a, axis=(0,2))", "a=float32[30,50,12]");
  OK(ga_copies_add(p, 30 * 50 * 12 * 4 + 1, &large_card));
  ck_assert_uint_eq(p->nstage, 1);
  OK(ga_copies_add(p, 30 * 50 * 12 * 4, &large_card));
  ck_assert_uint_eq(p->nstage, 2);
  ga_program_free(p);
}
END_TEST

/* Of inputs that cross. */
START_TEST(the_smaller_is_copied_where_no_order_tells)
{
  static const struct {
    const char *text, *spec;
    enum ga_dtype copied;
  } texts[] = {
      {"any(a > b)", "a=int16[300,400,5]/p210 b=float64[300,400,5]", GA_DT_INT16},
      {"any(a > b)", "a=float64[300,400,5]/p210 b=int16[300,400,5]", GA_DT_INT16},
      {"any(a > b)", "a=int16[300,400,5]/p210 b=uint16[300,400,5]", GA_DT_UINT16},
      {"sum(a*b)", "a=float16[300,400,5]/p210 b=float64[300,400,5]", GA_DT_FLOAT64},
  };
  ga_program *p = program_of(texts[_i].text, texts[_i].spec);
  OK(ga_copies_add(p, 0, &large_card));
  ck_assert_uint_eq(p->nstage, 2);
  ck_assert_int_eq(p->slots[p->nslot - 1].kind, GA_SLOT_TEMP);
  ck_assert_int_eq(p->slots[p->nslot - 1].dtype, texts[_i].copied);
  ga_program_free(p);
}
END_TEST

/* Runs the stages of p in `mem`, interpreted or as kernels. */
static void run(gpucontext *ctx, const ga_program *p, char *const *mem, const ga_value *given,
                int kernels)
{
  for (unsigned int k = 0; k < p->nstage; k++) {
    ga_value numbers[16];
    char *base[HOST_OPERANDS];
    aim_stage(p, &p->stages[k], mem, base, given, numbers);
    if (kernels)
      host_kernel_run(&p->stages[k], base, numbers, &large_card, (int)k % 2, NULL);
    else
      interpret(ctx, &p->stages[k], base, numbers);
  }
}

START_TEST(no_bit_changes)
{
  const twin *w = &cases_of[_i].w;
  ga_value given[MAXBIND] = {{{0}}};
  char *mem[2][HOST_OPERANDS];
  gpucontext *ctx;
  ga_program *p, *q;
  binding b;
  if (!host_kernel_available()) return;
  OK(gpucontext_init(&ctx, "cpu", NULL));
  p = program_of(w->text, w->spec);
  q = program_of(w->text, w->spec);
  OK(ga_copies_add(q, 0, &large_card));
  binding_read(&b, w->spec);
  give_numbers(given, &b);
  seed = (uint32_t)_i + 1;
  fenced = 1;
  make_slots(q, mem);
  run(ctx, p, mem[0], given, 0);
  run(ctx, q, mem[1], given, 1);
  for (unsigned int s = 0; s < p->nslot; s++) same(w, s, &p->slots[s], mem[0][s], mem[1][s]);
  for (unsigned int s = 0; s < q->nslot; s++) free(mem[0][s]);
  ga_program_free(p);
  ga_program_free(q);
  gpucontext_deref(ctx);
}
END_TEST

/* Each allocation fails in turn: that is said, and nothing is lost. */
START_TEST(memory_runs_out)
{
  static const twin texts[] = {
      {"max(a[..., 1:], axis=(1,3))", "a=float32[3,30,50,8]"},
      {"sum(a*b, axis=2); max(a, axis=2)", "a=float32[30,50,12]/p102 b=float64[50,12]/p10"},
      {"any(a[:, :, 1:] > b)", "a=int8[60,30,38] b=int8[60,30,37]/p210"},
  };
  int out = 1;
  for (long n = 0; out; n++) {
    long before = atomic_load(&live);
    ga_program *p = program_of(texts[_i].text, texts[_i].spec);
    int err;
    atomic_store(&hit, 0);
    atomic_store(&countdown, n);
    err = ga_copies_add(p, 0, &large_card);
    atomic_store(&countdown, -1);
    out = atomic_load(&hit);
    ck_assert_int_eq(err, out ? GA_MEMORY_ERROR : GA_NO_ERROR);
    ga_program_free(p);
    ck_assert_msg(n == 0 || atomic_load(&live) == before, "allocation %ld: %ld blocks are lost", n,
                  atomic_load(&live) - before);
  }
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(stages_are_added_where_told, NCASES),
    CASE(few_bytes_get_none),
    CASE_LOOP(the_smaller_is_copied_where_no_order_tells, 4),
    CASE_LOOP(no_bit_changes, NCASES),
    CASE_LOOP(memory_runs_out, 3),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("copies: no C++ compiler; no kernel was run\n");
  return test_main("copies", cases);
}
