/* SPDX-License-Identifier: MIT */
/* Reductions of rows whose variants are chosen by how rows lie: the variant is the one meant, and
 * its kernel, run on the host, gives what the interpreter gives (twins.h). */
#include "codegen/variant.h"
#include "tests/twins.h"

static const ga_target one_processor = {1, 227 * 1024, 0, 16, 0};

/* The variant of t's one stage on a card. */
static ga_variant variant_on(const twin *t, const ga_target *target)
{
  unsigned char align[64];
  ga_program *p = program_of(t->text, t->spec);
  ga_layout l;
  ga_variant v;
  OK(ga_layout_make(&l, &p->stages[0]));
  for (unsigned int i = 0; i < p->stages[0].noperand; i++)
    align[i] = (unsigned char)((p->stages[0].operands[i].offset + l.offset[i]) & 15);
  OK(ga_variant_choose(&v, &p->stages[0], &l, align, target));
  ga_layout_clear(&l);
  ga_program_free(p);
  return v;
}

static ga_variant variant_of(const twin *t) { return variant_on(t, &one_processor); }

/* A matrix times a vector, and the like: rows of some operand are one and the same. `staged`: rows
 * go by way of shared memory; `rows`: of a thread; `repeats`: bits of the operands that are read
 * late, or once for several rows. */
static const struct repeated {
  twin twin;
  int staged, rows;
  uint64_t repeats;
} repeated[] = {
    {{"sum(a*v, axis=1)", "a=float32[700,300] v=float32[300]"}, 0, 2, 2},
    {{"sum(a*v, axis=1)", "a=float32[701,512] v=float32[512]"}, 0, 2, 2},
    {{"argmax(a*v, axis=1)", "a=float32[33,400] v=float32[400]"}, 0, 2, 2},
    {{"argmin(a*v, axis=1)", "a=float32[33,129] v=float32[129]"}, 1, 1, 0},
    {{"sum(a*v, axis=2)", "a=float64[3,70,300] v=float64[3,1,300]"}, 0, 2, 2},
    {{"max(a*v, axis=1)", "a=int32[701,260] v=int32[260]"}, 0, 2, 2},
    {{"sum(a*v, axis=1)", "a=complex64[70,1000] v=complex64[1000]"}, 0, 1, 2},
    {{"sum(a*v, axis=1)", "a=float64[35,3001] v=float64[3001]"}, 0, 1, 2},
    {{"sum(a[:,1:]*v[1:], axis=1)", "a=float32[35,2052] v=float32[2052]"}, 0, 1, 2},
    {{"sum(a[:,:-3]*v[4:], axis=1)", "a=float64[700,304] v=float64[305]"}, 0, 2, 2},
    {{"sum(a[:,:-3]*v[3:], axis=1)", "a=float64[700,304] v=float64[304]"}, 1, 1, 0}, /* off them */
    {{"s = sum(a*v, axis=1); m = max(a*v, axis=1); s + m", "a=float64[35,1500] v=float64[1500]"},
     0,
     1,
     2},
    {{"var(a*v, axis=1)", "a=float32[3,140000] v=float32[140000]"}, 0, 1, 0},
    {{"sum(a*v, axis=1)", "a=float16[40,2000] v=float16[2000]"}, 0, 1, 0},
    {{"max(a*v, axis=1)", "a=int32[40,516] v=int32[516]"}, 0, 1, 0},
    {{"sum(a*v, axis=1)", "a=int8[700,300] v=int8[300]"}, 1, 8, 2},
    {{"sum(a*v, axis=1)", "a=float16[700,100] v=float16[100]"}, 1, 4, 2},
    {{"sum(a*v, axis=1)", "a=float16[700,128] v=float16[128]"}, 1, 4, 2},
    {{"sum(a*v, axis=1)", "a=float16[700,136] v=float16[136]"}, 0, 4, 2},
    {{"sum(a*v[::-1], axis=1)", "a=bfloat16[4001,33] v=bfloat16[33]"}, 1, 4, 2},
    {{"sum(a*v, axis=1)", "a=float16[70,1001] v=float16[1001]"}, 1, 2, 2},
    {{"sum(a*v, axis=1)", "a=float16[70,1025] v=float16[1025]"}, 0, 1, 0},
    {{"sum(a*v, axis=1)", "a=float32[70,999] v=float32[999]"}, 1, 1, 0},
    {{"mean(a*v + w, axis=1) + c", "a=int16[701,63] v=int16[63] w=int8[63] c=float32[701]"},
     1,
     2,
     6},
    {{"sum(a*v, axis=2)", "a=float16[5,301,77] v=float16[5,1,77]"}, 1, 4, 2},
    {{"sum(a*v*u, axis=2)", "a=int8[5,303,130] v=int8[5,1,130] u=int16[130]"}, 1, 8, 6},
    {{"sum(a*v, axis=2)", "a=float16[5,301,77] v=float16[301,77]"}, 1, 1, 0},
};
#define NREPEATED (sizeof repeated / sizeof repeated[0])

START_TEST(what_all_rows_have_is_read_late_or_once)
{
  const struct repeated *r = &repeated[_i];
  const ga_variant v = variant_of(&r->twin);
  ck_assert_msg((v.staged != 0) == r->staged && v.rows == r->rows && v.repeats == r->repeats,
                "%s (%s): staged %d, rows %d, repeats %d", r->twin.text, r->twin.spec,
                v.staged != 0, v.rows, (int)v.repeats);
  compare(&r->twin, &one_processor, _i);
}
END_TEST

/* Rows of few narrow elements are columns woven: of so many elements, 0 where they are not. Few
 * rows are vectors, in the order of rows or (`loose`) as they come. */
static const struct few {
  twin twin;
  int woven, vector, loose;
} few[] = {
    {{"max(a, axis=1)", "a=uint8[20001,3]"}, 3, 1, 0},
    {{"sum(a, axis=1)", "a=int8[5003,7]"}, 7, 1, 0},
    {{"mean(a, axis=1)", "a=float16[9001,5]"}, 5, 1, 0},
    {{"prod(a, axis=1)", "a=bfloat16[9001,4]"}, 4, 1, 0},
    {{"sum((a - b)**2, axis=1) + c", "a=uint8[9001,3] b=int16[9001,3] c=float32[9001]"}, 3, 1, 0},
    {{"max(a, axis=1) - min(a, axis=1)", "a=float16[9001,2]"}, 2, 1, 0},
    {{"max(a, axis=1)", "a=float16[9001,6]"}, 0, 1, 0},   /* more than 10 bytes, ... */
    {{"sum(a, axis=1)", "a=int16[9001,6]"}, 6, 1, 0},     /* ... but into wider results */
    {{"any(a > 2, axis=1)", "a=int8[10007,8]"}, 0, 1, 0}, /* too many */
    {{"sum(a, axis=1)", "a=float32[9001,3]"}, 0, 1, 0},   /* too wide */
    {{"sum(a, axis=1)", "a=float16[90,3]"}, 0, 1, 0},     /* too few rows */
    {{"max(a, axis=0)", "a=uint8[3,20001]"}, 0, 1, 1},
    {{"max(a, axis=0)", "a=uint8[2,20001]"}, 0, 1, 0},
    {{"min(a, axis=0)", "a=float16[8,10001]"}, 0, 1, 0},
    {{"min(a, axis=0)", "a=float32[8,10001]"}, 0, 0, 0},
    {{"sum(a, axis=0)", "a=int8[5,10003]"}, 0, 1, 0},
    {{"all(a > 2, axis=1)", "a=int8[7,3,10003]"}, 0, 0, 1}, /* results off vectors */
};
#define NFEW (sizeof few / sizeof few[0])

START_TEST(few_elements_are_woven_columns)
{
  const struct few *f = &few[_i];
  const ga_variant v = variant_of(&f->twin);
  ck_assert_msg(v.woven == f->woven && v.vector == f->vector && v.loose == f->loose,
                "%s (%s): woven %d, vector %d, loose %d", f->twin.text, f->twin.spec, v.woven,
                v.vector, v.loose);
  compare(&f->twin, &one_processor, _i);
}
END_TEST

/* Several operands of free reductions whose rows or pieces begin at places of their own in vectors:
 * `pieces`: walked by slots; `agrees`: all begin at the same place; `loads`: vectors of a lane. */
static const struct aside {
  twin twin;
  int pieces, agrees, loads;
} asides[] = {
    {{"sum(abs(a - b[1:]))", "a=int8[70001] b=int8[70002]"}, 0, 0, 3},
    {{"any(a[3:] > b[1:])", "a=uint8[70003] b=uint8[70001]"}, 0, 0, 3},
    {{"sum(a[5:]*b[1:])", "a=int16[50005] b=int16[50001]"}, 0, 0, 4},
    {{"any(a > b[:, 1:], axis=1)", "a=float16[50,3001] b=float16[50,3002]"}, 0, 0, 4},
    {{"max(a[:, 1:] - b[:, 3:], axis=1)", "a=int8[700,702] b=int8[700,704]"}, 0, 0, 2},
    {{"max(a[7:] - b[1:] - c[3:])", "a=int8[20007] b=int8[20001] c=int8[20003]"}, 0, 0, 2},
    {{"any(a[1:] > b[2:])", "a=uint16[20001] b=int8[20002]"}, 0, 0, 4},
    {{"any(a[1:] > b[3:])", "a=float32[20001] b=int8[20003]"}, 0, 0, 4},
    {{"any(a[1:] > b[2:])", "a=float64[9001] b=int8[9002]"}, 0, 0, 8},  /* a pair is too short */
    {{"any(a[2:] > b[1:])", "a=int32[20002] b=int32[20001]"}, 0, 0, 8}, /* by elements */
    {{"sum(abs(a - b), axis=(0,2))", "a=int8[30,3,2796] b=int8[30,3,2796]"}, GA_LONG_PIECES, 1, 6},
    {{"any(a > b, axis=(0,2))", "a=int16[30,3,1333] b=int16[30,3,1333]"}, GA_LONG_PIECES, 1, 6},
    {{"any(a > b, axis=(0,2))", "a=int16[30,3,1003] b=int16[30,3,1003]"}, 1, 1, 8},
    {{"max(a*b, axis=(0,2))", "a=int32[30,3,333] b=int32[30,3,333]"}, 1, 1, 8},
    {{"any(a > b[:, :, 1:], axis=(0,2))", "a=int8[20,3,1500] b=int8[20,3,1501]"}, 1, 0, 4},
    {{"sum(a[:, :, 3:]*b[:, :, 1:])", "a=uint8[20,3,1503] b=uint8[20,3,1501]"}, 1, 0, 3},
    {{"any(a[:, :, 5:] > b, axis=(0,2))", "a=uint16[20,3,1338] b=int8[20,3,1333]"},
     GA_LONG_PIECES,
     0,
     3},
    {{"any(a[:, :, 5:] > b, axis=(0,2))", "a=uint16[60,3,1008] b=int8[60,3,1003]"}, 1, 0, 5},
    {{"max(a - b[:, :, 1:] - c, axis=(0,2))", "a=int16[9,3,1333] b=int16[9,3,1334] c=int16[1,3,1]"},
     GA_LONG_PIECES,
     0,
     3},
    {{"max(a - b[:, :, 1:], axis=(0,2))", "a=int32[9,3,1333] b=int32[9,3,1334]"},
     GA_LONG_PIECES,
     0,
     6},
    {{"max(a - b[:, :, 1:], axis=(0,2))", "a=int32[99,3,113] b=int32[99,3,114]"}, 0, 0, 0},
};
#define NASIDES (sizeof asides / sizeof asides[0])

START_TEST(free_operands_off_vectors_are_shifted_together)
{
  const struct aside *x = &asides[_i];
  const ga_variant v = variant_of(&x->twin);
  ck_assert_msg(v.skeleton == GA_SKEL_ROWS && v.pieces == x->pieces && v.agrees == x->agrees &&
                    v.loads == x->loads,
                "%s (%s): pieces %d, agrees %d, loads %d", x->twin.text, x->twin.spec, v.pieces,
                v.agrees, v.loads);
  fenced = 1;
  compare(&x->twin, &one_processor, _i);
}
END_TEST

/* Pieces of several axes that no order tells of are walked as rows are where they are long, and
 * shorter ones where slots cannot: `pieces`, as in gen.h. */
static const struct piece {
  twin twin;
  int pieces;
} pieces[] = {
    {{"max(a[:, 1:])", "a=float64[70,259]"}, GA_LONG_PIECES},
    {{"max(a[:, 1:])", "a=float64[70,256]"}, 1}, /* of 127.5 vectors */
    {{"min(a[:, 1:])", "a=int8[70,2049]"}, GA_LONG_PIECES},
    {{"sum(a[:, :, 1:]*a[:, :, 1:], axis=(0,2))", "a=int16[3,7,2049]"}, GA_LONG_PIECES},
    {{"max(a[:, :, 1:], axis=(0,2)) - min(a[:, :, 1:], axis=(0,2))", "a=uint8[4,5,3003]"},
     GA_LONG_PIECES},
    {{"max(a[:, :, ::2], axis=(0,2)) - min(a[:, :, ::2], axis=(0,2))", "a=uint8[4,5,6003]"},
     GA_LONG_PIECES},
    {{"any(a > b[:, ::-1])", "a=int16[70,301] b=int16[70,301]"}, GA_LONG_PIECES},
    {{"any(a > b[:, ::-1])", "a=int16[70,255] b=int16[70,255]"}, 0},
    {{"sum(abs(a - b[:, ::-2]))", "a=uint8[30,513] b=uint8[30,1026]"}, GA_LONG_PIECES},
    {{"sum(a*b[:, 1::2])", "a=int8[30,1513] b=int8[30,3027]"}, GA_LONG_PIECES},
    {{"all(a[:, 1:] < b[:, ::-1])", "a=int8[30,1514] b=uint8[30,1513]"}, GA_LONG_PIECES},
    {{"any(a[:, 1:] > b[::-1, ::-1])", "a=int64[30,1514] b=float32[30,1513]"}, GA_LONG_PIECES},
    {{"any(a > b[:, :, 1:], axis=(0,2))", "a=float64[30,3,355] b=float64[1,3,356]"},
     GA_LONG_PIECES},
    {{"sum(a*b[:, :, ::2], axis=(0,2))", "a=int32[30,3,655] b=int64[30,3,1310]"}, GA_LONG_PIECES},
    {{"any(a > b)", "a=uint16[3,4,48,2184] b=int8[1,1,48,1]"}, GA_LONG_PIECES},
    {{"argmax(a)", "a=int8[1025,700]/p10"}, GA_LONG_PIECES},
    {{"argmin(a)", "a=uint8[1025,700]/p10"}, GA_LONG_PIECES},
    {{"argmax(a)", "a=float16[1025,700]/p10"}, GA_LONG_PIECES},
    {{"argmin(a)", "a=bfloat16[1025,70]/p10"}, GA_LONG_PIECES},
    {{"argmax(a)", "a=int32[1025,70]/p10"}, 0}, /* has no keys */
    {{"argmax(a[:, 1:])", "a=int32[70,1025]"}, GA_LONG_PIECES},
    {{"argmax(a[::-1, :-1])", "a=float64[70,1025]"}, GA_LONG_PIECES},
    {{"argmin(a*b)", "a=float64[70,1025] b=float32[70,1]"}, GA_LONG_PIECES},
    {{"argmax(a[:, ::-1])", "a=int8[70,1025]"}, GA_LONG_PIECES},
    {{"argmin(a[::-1, 1:])", "a=int16[70,1025]"}, GA_LONG_PIECES},
    {{"argmax(a[:, ::-1])", "a=float32[70,1025]"}, GA_LONG_PIECES},
    {{"argmax(a[:, ::-1, ::-1])", "a=float16[7,31,1025]/p102"}, GA_LONG_PIECES},
    {{"argmin(a[:, ::-1])", "a=int8[513,4025]/p10"}, GA_LONG_PIECES},
    {{"argmax(a[:, ::2])", "a=int8[70,2050]"}, 0},
    {{"argmax(a > 90)", "a=int8[51,4025]/p10"}, 0},
    {{"argmax(a[:, 1:] > 90)", "a=int8[51,4025]"}, GA_LONG_PIECES},
};
#define NPIECES (sizeof pieces / sizeof pieces[0])

START_TEST(long_pieces_are_walked_as_rows)
{
  const struct piece *x = &pieces[_i];
  const ga_variant v = variant_of(&x->twin);
  ck_assert_msg(v.skeleton == GA_SKEL_ROWS && v.pieces == x->pieces,
                "%s (%s): skeleton %d, pieces %d", x->twin.text, x->twin.spec, v.skeleton,
                v.pieces);
  fenced = 1;
  compare(&x->twin, &one_processor, _i);
  compare(&x->twin, &large_card, _i);
}
END_TEST

/* any and all of what bytes make of several operands go by words. */
static const struct asked {
  twin twin;
  int by_bytes;
} asked[] = {
    {{"any(a > b)", "a=int8[70001] b=int8[70001]"}, 1},
    {{"all(a != b[1:], axis=1)", "a=uint8[60,1500] b=uint8[61,1500]"}, 1},
    {{"any((a > 97) & (b < -97), axis=(0,2))", "a=int8[4,30,1503] b=int8[4,30,1503]"}, 1},
    {{"any((a > 97) & (b[:, :, 1:] < -97), axis=(0,2))", "a=int8[4,30,1503] b=int8[4,30,1504]"}, 1},
    {{"all((a < 97) | (b > -97), axis=(0,2))", "a=int8[4,30,1503] b=int8[4,30,1503]"}, 1},
    {{"all(where(a < 97, a != b, a > 97), axis=1)", "a=uint8[99,1213] b=uint8[99,1213]"}, 1},
    {{"any((a > 99) & (b[:, 1:] < 2), axis=1)", "a=uint8[99,1213] b=uint8[99,1214]"}, 1},
    {{"any(a & b, axis=1)", "a=bool[99,1213] b=bool[99,1213]"}, 1},
    {{"any((a > b) & (a < b))", "a=int8[70001] b=int8[1]"}, 1}, /* of one, but not its greatest */
    {{"any(a > b)", "a=int8[70001] b=uint8[70001]"}, 0},        /* compared as int16 */
    {{"any(a > 3)", "a=int8[70001]"}, 0},                       /* the greatest alone */
    {{"any(a)", "a=bool[70001]"}, 0},
};
#define NASKED (sizeof asked / sizeof asked[0])

START_TEST(truths_of_bytes_are_asked_by_words)
{
  const struct asked *x = &asked[_i];
  const ga_variant v = variant_of(&x->twin);
  ck_assert_msg(v.skeleton == GA_SKEL_ROWS && v.by_bytes == x->by_bytes,
                "%s (%s): skeleton %d, by_bytes %d", x->twin.text, x->twin.spec, v.skeleton,
                v.by_bytes);
  fenced = 1;
  compare(&x->twin, &one_processor, _i);
}
END_TEST

/* Greatest and least of whole numbers of 1 and 2 bytes are sought by words, in one walk. */
static const struct ends {
  twin twin;
  int both;
} ends[] = {
    {{"max(a) - min(a)", "a=int8[70001]"}, 1},
    {{"max(a, axis=1) - min(a, axis=1)", "a=uint8[99,1501]"}, 1},
    {{"max(a[:, 1:], axis=1)*2 - min(a[:, 1:], axis=1)", "a=int16[99,1501]"}, 1},
    {{"max(a, axis=(0,2)) - min(a, axis=(0,2))", "a=int8[7,5,3741]"}, 1},
    {{"max(a, axis=(0,2)) - min(a, axis=(0,2))", "a=uint16[7,5,1301]"}, 1},
    {{"max(a, axis=1) - min(a, axis=1)", "a=uint8[3001,64]"}, 1},
    {{"m = min(a); n = any(a > 95); o = all(a < x); max(a)",
      "a=int8[30001] x=float m=new n=new o=new"},
     1},
    {{"m = min(int32(a), axis=1); max(a, axis=1)", "a=uint16[50,2001] m=new"}, 1},
    {{"n = any(a, axis=1); max(a, axis=1)", "a=int8[50,2001] n=new"}, 0}, /* signs, or none */
    {{"m = min(b, axis=1); max(a, axis=1) + m", "a=int8[50,2001] b=int8[50,2001] m=new"}, 0},
    {{"s = sum(a, axis=1); max(a, axis=1) - min(a, axis=1)", "a=int8[50,2001] s=new"}, 0},
    {{"max(a[:, ::-1], axis=1) - min(a[:, ::-1], axis=1)", "a=int8[50,2001]"}, 1},
    {{"max(a, axis=0) - min(a, axis=0)", "a=int8[300,501]"}, 1},
    {{"max(a, axis=0) - min(a, axis=0)", "a=uint8[7,20001]"}, 1},
    {{"max(a, axis=0) - min(a, axis=0)", "a=int16[40,20000]"}, 1},
    {{"m = all(a < 90, axis=0); n = any(a > 3, axis=0); max(a, axis=0) - min(a, axis=0)",
      "a=uint8[13,20001] m=new n=new"},
     1},
    {{"max(a, axis=1) - min(a, axis=1)", "a=int8[90,50,17]"}, 0},
};
#define NENDS (sizeof ends / sizeof ends[0])

START_TEST(greatest_and_least_are_sought_together)
{
  const twin *t = &ends[_i].twin;
  const unsigned char align[64] = {0};
  ga_program *p = program_of(t->text, t->spec);
  ga_layout l;
  ga_text text;
  OK(ga_layout_make(&l, &p->stages[0]));
  OK(ga_gen_text(&text, &p->stages[0], &l, align, &one_processor));
  ck_assert_msg((strstr(ga_str_text(&text.generated), "#define GA_BOTH(X)") != NULL) ==
                    ends[_i].both,
                "%s (%s): not %d", t->text, t->spec, ends[_i].both);
  ga_text_clear(&text);
  ga_layout_clear(&l);
  ga_program_free(p);
  fenced = 1;
  compare(t, &one_processor, _i);
}
END_TEST

/* An array of one element, b, is as good as a number, whatever the kernel; where a moment is taken
 * it stays an input. */
static const struct number {
  twin twin;
  enum ga_skeleton skeleton;
} numbers[] = {
    {{"any(a > b)", "a=uint8[70001] b=uint8[1]"}, GA_SKEL_ROWS},
    {{"all(b <= a, axis=1)", "a=int16[40,1500] b=uint8[1,1]"}, GA_SKEL_ROWS},
    {{"any(a > b, axis=(0,2))", "a=uint8[10,3,4333] b=uint8[1,1,1]"}, GA_SKEL_ROWS},
    {{"any(a > b)", "a=uint8[7001] b=float32[1]"}, GA_SKEL_ROWS},
    {{"any(a > b, axis=1)", "a=int8[4001,31] b=int8[1,1]"}, GA_SKEL_CHAIN},
    {{"any(a > b, axis=(0,1))", "a=uint8[3,2047,211] b=uint8[1,1,1]"}, GA_SKEL_NARROW},
    {{"max(a - b, axis=1)", "a=uint8[300,100,21] b=uint8[1,1,1]"}, GA_SKEL_GROUPS},
    {{"min(a*b, axis=0)", "a=float16[7,10001] b=float16[1,1]"}, GA_SKEL_DOWN},
    {{"sum(abs(a - b))", "a=int8[70001] b=int8[1]"}, GA_SKEL_ROWS},
    {{"sum(a > b, axis=1)", "a=uint8[40,3000] b=uint8[1,1]"}, GA_SKEL_ROWS},
    {{"sum(a*b)", "a=int8[20000] b=float64[1]"}, GA_SKEL_ROWS},
    {{"sum(abs(a - b), axis=0)", "a=bfloat16[4100,96] b=bfloat16[1,1]"}, GA_SKEL_NARROW},
    {{"sum(a*b, axis=(0,2))", "a=float32[501,33,3] b=float32[1,1,1]"}, GA_SKEL_BOXES},
    {{"argmax(a*b, axis=1)", "a=float32[50,700] b=float32[1,1]"}, GA_SKEL_ROWS},
    {{"argmin(a - b, axis=0)", "a=int16[700,50] b=int16[1,1]"}, GA_SKEL_NARROW},
    {{"sum(a*c*b)", "a=float32[64,1024] b=float32[1,1] c=float32[64,1024]/p10"},
     GA_SKEL_REDUCE_CROSS},
    {{"sum((a - c)*b, axis=2)", "a=float32[256,1,32] b=float32[1,1,1] c=float32[1,256,32]"},
     GA_SKEL_PAIRS},
    {{"sum(a*b, axis=0) + b", "a=float32[700,50] b=float32[1]"}, GA_SKEL_COLUMNS},
    {{"var(a*b, axis=0)", "a=float32[5000,50] b=float32[1,1]"}, GA_SKEL_NARROW},
};
#define NNUMBERS (sizeof numbers / sizeof numbers[0])

START_TEST(an_array_of_one_element_is_a_number)
{
  const struct number *x = &numbers[_i];
  const ga_variant v = variant_of(&x->twin);
  ga_program *p = program_of(x->twin.text, x->twin.spec);
  const ga_stage *st = &p->stages[p->nstage - 1];
  unsigned int n = 0;
  for (unsigned int i = 0; i < st->noperand; i++) n += st->operands[i].outer == GA_NUMBER;
  ck_assert_msg(v.skeleton == x->skeleton && n == !ga_has_moment(st), "%s (%s): skeleton %d, %u",
                x->twin.text, x->twin.spec, v.skeleton, n);
  ga_program_free(p);
  compare(&x->twin, &one_processor, _i);
}
END_TEST

/* Kept axes that all which is read has as one are one, though results have them apart. */
static const struct parted {
  twin twin;
  unsigned int axes;
} parted[] = {
    {{"sum(a, axis=2)", "a=float32[5,17,2100]/p210"}, 2},
    {{"sum(a, axis=2) + c", "a=float16[3,50,3001]/p210 c=float16[3,50]"}, 2},
    {{"var(a, axis=2)", "a=float32[4,3,9000]/p210"}, 2},
    {{"max(a, axis=3)", "a=int16[6,2,14,1003]/p3210"}, 3},
    {{"max(a, axis=4)", "a=uint8[3,4,5,6,1003]/p43210"}, 3},
    {{"argmax(a, axis=2)", "a=int8[30,40,1024]/p210"}, 2},
    {{"argmin(a[:, :, ::-1], axis=0)", "a=int32[1124,60,7]"}, 2},
    {{"max(a, axis=2) - min(a, axis=2)", "a=uint8[9,11,3003]/p210"}, 2},
    {{"sum(a*b, axis=2)", "a=int16[9,11,3003]/p210 b=uint8[9,11,3003]/p210"}, 2},
    {{"any(a > b, axis=2)", "a=int16[9,21,303]/p210 b=uint8[9,21,303]/p120"}, 0},
    {{"max(a[:, 1:], axis=2)", "a=int16[9,12,3003]/p210"}, 2}, /* a gap outside */
    {{"max(a[1:], axis=2)", "a=int16[10,11,3003]/p210"}, 0},   /* inside */
    {{"max(a, axis=2)", "a=int32[256,3,303]/p210"}, 0},        /* long rows as they are */
    {{"sum(a, axis=0)", "a=float32[2100,5,17]"}, 0},           /* are one to all */
};
#define NPARTED (sizeof parted / sizeof parted[0])

START_TEST(columns_that_results_have_apart_are_walked_as_one_axis)
{
  const struct parted *x = &parted[_i];
  const ga_variant v = variant_of(&x->twin);
  ck_assert_msg(v.parted == x->axes, "%s (%s): parted %u", x->twin.text, x->twin.spec, v.parted);
  compare(&x->twin, &one_processor, _i);
  compare(&x->twin, &large_card, _i);
}
END_TEST

/* One long row, and columns of several spans, are cut into parts that fall into whole turns of the
 * blocks that an H200 runs at once: `units`. */
static const struct cut {
  twin twin;
  unsigned int units;
} cuts[] = {
    {{"sum(a*a)", "a=uint8[268435200]"}, 1366},
    {{"max(a)", "a=int8[268435456]"}, 1366},
    {{"max(a)", "a=int8[134217728]"}, 512}, /* too few bytes for so many */
    {{"max(a) - min(a)", "a=float64[16777216]"}, 1024},
    {{"max(a) - min(a)", "a=float64[8388608]"}, 512}, /* again */
    {{"sum(a[:, 1:])", "a=float16[1025,130945]"}, 1024},
    {{"sum(a)", "a=float32[33554432]"}, 512},
    {{"any(a > b, axis=1)", "a=int16[100,1342177] b=int16[100,1342177]"}, 1400},
    {{"var(a, axis=0)", "a=int32[65600,1023]"}, 1056},
    {{"var(a, axis=0)", "a=float64[3000,10000]"}, 313}, /* one span stays one */
    {{"sum(a, axis=0)", "a=float16[43692,4096]"}, 384}, /* less than an eighth */
    /* passes of narrow columns, where instructions bound them */
    {{"sum(exp(a - b), axis=1)", "a=float16[17,30840,128] b=float16[17,1,128]"}, 1054},
    {{"sum(exp(a - b), axis=0)", "a=float16[524524,128] b=float16[128]"}, 258},
    {{"sum(exp(a - b), axis=0)", "a=float16[8193,8191] b=float16[8191]"}, 640},
    {{"sum(abs(a - b), axis=0)", "a=bfloat16[699051,96] b=bfloat16[96]"}, 683},
    {{"sum(abs(a - b), axis=0)", "a=float32[699051,48] b=float32[48]"}, 171},
    {{"sum(exp(a), axis=0)", "a=float32[699051,48]"}, 342},
    {{"var(a, axis=0)", "a=uint32[9586981,7]"}, 1171},
};
#define NCUTS (sizeof cuts / sizeof cuts[0])

START_TEST(long_rows_and_columns_fall_into_turns)
{
  const struct cut *x = &cuts[_i];
  const ga_variant v = variant_on(&x->twin, &large_card);
  ck_assert_msg(v.units == x->units, "%s (%s): %u units, skeleton %d, resident %u", x->twin.text,
                x->twin.spec, (unsigned int)v.units, v.skeleton, v.resident);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(what_all_rows_have_is_read_late_or_once, NREPEATED),
    CASE_LOOP(few_elements_are_woven_columns, NFEW),
    CASE_LOOP(free_operands_off_vectors_are_shifted_together, NASIDES),
    CASE_LOOP(long_pieces_are_walked_as_rows, NPIECES),
    CASE_LOOP(truths_of_bytes_are_asked_by_words, NASKED),
    CASE_LOOP(greatest_and_least_are_sought_together, NENDS),
    CASE_LOOP(an_array_of_one_element_is_a_number, NNUMBERS),
    CASE_LOOP(long_rows_and_columns_fall_into_turns, NCUTS),
    CASE_LOOP(columns_that_results_have_apart_are_walked_as_one_axis, NPARTED),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("twins-rows: no C++ compiler; nothing was run\n");
  return test_main("twins-rows", cases);
}
