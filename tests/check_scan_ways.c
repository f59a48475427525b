/* SPDX-License-Identifier: MIT */
/* Which way a scan goes (codegen/variant_scan*.c): the sides of each threshold, and what its blocks
 * have. That the ways give the interpreter's bits is check_twins_scan.c's. */
#include "codegen/gen_boxes.h"
#include "tests/twins.h"

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
      {"cummax(a, axis=1)", "a=int16[20000,383]", GA_SKEL_SCAN_BOXES},
      {"cummax(a, axis=1)", "a=int16[20000,385]", GA_SKEL_SCAN_ROWS},
      /* backwards, or every second element: from one segment on */
      {"cumsum(a[:, ::-1], axis=1)", "a=float32[20000,132]", GA_SKEL_SCAN_ROWS},
      {"cumsum(a[:, ::-1], axis=1)", "a=float32[20000,128]", GA_SKEL_SCAN_BOXES},
      {"cumsum(a[:, ::-1], axis=1)", "a=float32[20000,133]", GA_SKEL_SCAN_BOXES},
      {"cumsum(a[:, ::2], axis=1)", "a=float16[20000,1024]", GA_SKEL_SCAN_ROWS},
      {"cumsum(a[:, ::-1], axis=1)", "a=float64[20000,512]", GA_SKEL_SCAN_ROWS},
      {"cumsum(a[:, ::2], axis=1)", "a=float64[20000,1024]", GA_SKEL_SCAN_BOXES},
      {"cummax(a[:, ::-1], axis=1)", "a=int16[20000,384]", GA_SKEL_SCAN_BOXES},
      {"cummax(a[:, ::-1], axis=1)", "a=int16[20000,388]", GA_SKEL_SCAN_ROWS},
      {"cummax(a[:, ::-1], axis=1)", "a=int8[20000,768]", GA_SKEL_SCAN_BOXES},
      {"cummax(a[:, ::-1], axis=1)", "a=int8[20000,772]", GA_SKEL_SCAN_ROWS},
      {"cumsum(a, axis=0)", "a=int8[300000,5]", GA_SKEL_SCAN_LONG},
      {"cumsum(a, axis=0)", "a=int16[300000,7]", GA_SKEL_SCAN_TALL},
      {"cumsum(a, axis=0)", "a=float32[300000,17]", GA_SKEL_SCAN_LONG},
      {"cumsum(a, axis=0)", "a=float64[300000,7]", GA_SKEL_SCAN_TALL}, /* results in place */
      {"cumsum(a, axis=0)", "a=float32[300000,13]", GA_SKEL_SCAN_LONG},
      {"cumsum(a, axis=1)", "a=int16[9,300000,7]", GA_SKEL_SCAN_LONG}, /* several boxes */
      {"cumsum(a, axis=1)", "a=int16[9,300000,8]", GA_SKEL_SCAN_TALL},
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

/* Where the elements of rows of 8 bytes wait: in shared memory of three blocks where registers
 * would be spilt, or blocks walk along rows, unless these pass one by one through it anyway. */
START_TEST(wide_rows_wait_where_nothing_is_spilt)
{
  static const struct {
    const char *text, *spec;
    int hold;
    unsigned int resident;
  } all[] = {
      {"cumsum(a)", "a=int64[3000000]", 0, 2},
      {"cumsum(a*a)", "a=int64[3000000]", 1, 2},
      {"cumsum(a*a)", "a=float64[3000000]", 0, 2},
      {"cumsum(a, axis=1)", "a=int64[20000,1001]", 0, 2},
      {"cumsum(a*a, axis=1)", "a=int64[20000,1001]", 1, 3},
      {"cumsum(a, axis=1)", "a=float64[600,9000]", 1, 3},
      {"cumsum(a[:, ::-1], axis=1)", "a=float64[600,9000]", 0, 2},
      {"cumsum(a, axis=1)", "a=int32[600,9000]", 0, 2},
  };
  const unsigned char align[2] = {0};
  ga_program *p = program_of(all[_i].text, all[_i].spec);
  ga_layout l;
  ga_variant v;
  OK(ga_layout_make(&l, &p->stages[0]));
  OK(ga_variant_choose(&v, &p->stages[0], &l, align, &large_card));
  ck_assert_int_eq(v.skeleton, GA_SKEL_SCAN_ROWS);
  ck_assert_msg(v.hold == all[_i].hold && v.resident == all[_i].resident, "%s (%s): %d, %u blocks",
                all[_i].text, all[_i].spec, v.hold, v.resident);
  ga_layout_clear(&l);
  ga_program_free(p);
}
END_TEST

/* A lane has two columns of narrow elements whose results are of 8 bytes, if more than a few lanes
 * have; registers of three blocks hold what is before units of such results, of six where they are
 * boxes. */
START_TEST(units_of_wide_results_have_registers)
{
  static const struct {
    const char *spec;
    enum ga_skeleton skeleton;
    int vec;
    unsigned int resident;
  } all[] = {
      {"a=int16[300000,10]", GA_SKEL_SCAN_TALL, 2, 3},
      {"a=int16[300000,8]", GA_SKEL_SCAN_TALL, 1, 3},
      {"a=int16[300000,11]", GA_SKEL_SCAN_TALL, 1, 3},
      {"a=int32[300000,10]", GA_SKEL_SCAN_TALL, 1, 3},
      {"a=float32[300000,16]", GA_SKEL_SCAN_TALL, 2, 3},
      {"a=int8[300000,2]", GA_SKEL_SCAN_LONG, 1, 6},
      {"a=float32[300000,17]", GA_SKEL_SCAN_LONG, 1, 7},
  };
  const unsigned char align[2] = {0};
  ga_program *p = program_of("cumsum(a, axis=0)", all[_i].spec);
  ga_layout l;
  ga_variant v;
  OK(ga_layout_make(&l, &p->stages[0]));
  OK(ga_variant_choose(&v, &p->stages[0], &l, align, &large_card));
  ck_assert_int_eq(v.skeleton, all[_i].skeleton);
  ck_assert_msg(v.vec == all[_i].vec && v.resident == all[_i].resident, "%s: %d, %u blocks",
                all[_i].spec, v.vec, v.resident);
  ga_layout_clear(&l);
  ga_program_free(p);
}
END_TEST

/* Crossed results that words do not fit are stored by the words around their lines, but of units;
 * boxes of small elements have more room. */
START_TEST(crossed_results_go_by_words)
{
  static const struct {
    const char *text, *spec;
    enum ga_skeleton skeleton;
    int phased;
    unsigned int unit;
  } all[] = {
      {"cummax(a.T, axis=2)", "a=uint8[33,401001,3]", GA_SKEL_SCAN_CROSS, 1, 4},
      {"cummax(a.T, axis=2)", "a=uint16[65,40101,33]", GA_SKEL_SCAN_CROSS, 1, 4},
      {"cummax(a.T, axis=2)", "a=uint32[17,40100,48]", GA_SKEL_SCAN_CROSS, 0, 4},
      {"cumsum(a.T, axis=1)", "a=float16[39001,96]", GA_SKEL_SCAN_CROSS_LONG, 0, 2},
  };
  const unsigned char align[2] = {0};
  ga_program *p = program_of(all[_i].text, all[_i].spec);
  ga_layout l;
  ga_variant v;
  ga_scan_way w;
  OK(ga_layout_make(&l, &p->stages[0]));
  OK(ga_variant_choose(&v, &p->stages[0], &l, align, &large_card));
  ck_assert_int_eq(v.skeleton, all[_i].skeleton);
  w = ga_scan_way_of(&v, &p->stages[0], &l, 1);
  ck_assert_msg(w.phased == all[_i].phased && w.unit == all[_i].unit, "%s (%s): %d, %u",
                all[_i].text, all[_i].spec, w.phased, w.unit);
  ga_layout_clear(&l);
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
      {"cumsum(a.T, axis=1)", "a=float32[9000,1049]", GA_SKEL_SCAN_BESIDE},
      {"cumsum(a.T, axis=1)", "a=float32[9000,1048]",
       GA_SKEL_SCAN_CROSS_LONG}, /* blocks are few, */
      {"cumsum(a.T, axis=1)", "a=float16[9000,4193]", GA_SKEL_SCAN_BESIDE},
      {"cumsum(a.T, axis=1)", "a=float16[9000,4192]", GA_SKEL_SCAN_CROSS_LONG}, /* or their rows */
  };
  ga_program *p = program_of(all[_i].text, all[_i].spec);
  ck_assert_msg(stages_with(p, all[_i].skeleton, &large_card) == 1, "%s (%s)", all[_i].text,
                all[_i].spec);
  ga_program_free(p);
}
END_TEST

/* Boxes of several turns have all of results' short rows that cut sectors, and longer runs of
 * others; of few narrow columns more rows instead. */
START_TEST(crossed_boxes_have_whole_short_rows)
{
  static const struct {
    const char *spec;
    unsigned int inner, rows;
  } all[] = {
      {"a=float32[71,20,70,300]", 71, 16},  {"a=float32[72,20,70,300]", 16, 16},
      {"a=float32[73,20,70,300]", 16, 16},  {"a=float16[31,32,1300,64]", 16, 64},
      {"a=float16[31,32,1300,67]", 16, 16},
  };
  ga_program *p = program_of("cumsum(a.T, axis=1)", all[_i].spec);
  const unsigned char align[2] = {0};
  ga_layout l;
  ga_variant v;
  OK(ga_layout_make(&l, &p->stages[0]));
  OK(ga_variant_choose(&v, &p->stages[0], &l, align, &large_card));
  ck_assert_int_eq(v.skeleton, GA_SKEL_SCAN_CROSS);
  ck_assert_uint_eq(v.box[0], l.nk - 1);
  ck_assert_uint_eq(v.box_extent[0], all[_i].inner);
  ck_assert_uint_eq(v.box_extent[3], all[_i].rows);
  ga_layout_clear(&l);
  ga_program_free(p);
}
END_TEST

/* A box of units has all of an axis that is little more than such boxes have of others. */
START_TEST(crossed_units_have_short_axes)
{
  static const char *const specs[] = {"a=uint16[33,40000]", "a=uint16[49,40000]"};
  ga_program *p = program_of("cummax(a.T, axis=0)", specs[_i]);
  const unsigned char align[2] = {0};
  ga_layout l;
  ga_variant v;
  OK(ga_layout_make(&l, &p->stages[0]));
  OK(ga_variant_choose(&v, &p->stages[0], &l, align, &large_card));
  ck_assert_int_eq(v.skeleton, GA_SKEL_SCAN_CROSS_LONG);
  ck_assert_uint_eq(v.width, _i == 0 ? 33 : 32);
  ga_layout_clear(&l);
  ga_program_free(p);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(copies_leave_room_for_results, 2),
    CASE_LOOP(short_odd_rows_go_by_boxes, 20),
    CASE_LOOP(sheets_have_few_rows_or_odd_ones, 23),
    CASE_LOOP(rows_and_columns_go_the_faster_way, 25),
    CASE_LOOP(wide_rows_wait_where_nothing_is_spilt, 8),
    CASE_LOOP(units_of_wide_results_have_registers, 7),
    CASE_LOOP(crossed_results_go_by_words, 4),
    CASE_LOOP(units_of_many_narrow_columns_have_long_rows, 2),
    CASE_LOOP(wider_results_stay_outside, 5),
    CASE_LOOP(gaps_of_boxes_fit_the_card, 3),
    CASE_LOOP(crossed_scans_go_by_boxes, 22),
    CASE_LOOP(crossed_boxes_have_whole_short_rows, 5),
    CASE_LOOP(crossed_units_have_short_axes, 2),
    CASE_LOOP(crossed_boxes_fit_the_card, 2),
    CASE_END,
};

int main(void) { return test_main("scan-ways", cases); }
