/* SPDX-License-Identifier: MIT */
/* Headers of .npy files as text: what is read, and one clear line for each way
 * in which a header can be broken, hostile or beyond us. */
#include "tests/common.h"

#include "lib/npy_header.h"

static int parse(ga_npy *h, const char *text)
{
  return ga_npy_parse(h, "x.npy", text, strlen(text));
}

static const struct good {
  const char *text;
  const char *dtype;
  int swapped, fortran;
  unsigned int nd;
  size_t d0, d1, size;
} good[] = {
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 5), }  \n", "float32", 0, 0, 2, 4, 5,
     80},
    {"{'descr': '>f8', 'fortran_order': True, 'shape': (4, 5), }\n", "float64", 1, 1, 2, 4, 5, 160},
    {"{'descr': '|b1', 'fortran_order': False, 'shape': (), }", "bool", 0, 0, 0, 0, 0, 1},
    {"{'shape':(7,),\"descr\":\"<c16\",'fortran_order':False}", "complex128", 0, 0, 1, 7, 0, 112},
    {" { 'descr' : '=i2' , 'fortran_order' : False , 'shape' : ( 3L , ) } ", "int16", 0, 0, 1, 3, 0,
     6},
    {"{'descr': '>i1', 'fortran_order': False, 'shape': (3,)}", "int8", 0, 0, 1, 3, 0, 3},
    {"{'descr': 'u8', 'fortran_order': False, 'shape': (3, 0)}", "uint64", 0, 0, 2, 3, 0, 0},
    {"{u'descr': r'>f4', u\"shape\": (2L, 3L), 'fortran_order': False}", "float32", 1, 0, 2, 2, 3,
     24},
    {"{'descr': 'complex64', 'fortran_order': False, 'shape': (3,)}", "complex64", 0, 0, 1, 3, 0,
     24},
    {"{'descr': '<f2', 'fortran_order': False, 'shape': (9223372036854775807, 0,)}", "float16", 0,
     0, 2, 9223372036854775807, 0, 0},
};

START_TEST(reads_what_numpy_writes)
{
  const struct good *t = &good[_i];
  ga_npy h;
  if (t->size == 0 && t->d0 > 3) {
    FAILS(GA_XLARGE_ERROR, "2^63 bytes", parse(&h, t->text));
    return;
  }
  OK(parse(&h, t->text));
  ck_assert_str_eq(ga_dtypes[h.dtype].name, t->dtype);
  ck_assert_int_eq(h.swapped, t->swapped);
  ck_assert_int_eq(h.fortran, t->fortran);
  ck_assert_uint_eq(h.nd, t->nd);
  if (t->nd > 0) ck_assert_uint_eq(h.dims[0], t->d0);
  if (t->nd > 1) ck_assert_uint_eq(h.dims[1], t->d1);
  ck_assert_uint_eq(h.size, t->size);
}
END_TEST

#define HEAD(descr, shape) "{'descr': " descr ", 'fortran_order': False, 'shape': " shape ", }"

static const struct bad {
  const char *text;
  int code;
  const char *message;
} bad[] = {
    {"", GA_VALUE_ERROR, "expected a dict"},
    {"[]", GA_VALUE_ERROR, "expected a dict"},
    {"{", GA_VALUE_ERROR, "expected a string"},
    {"{}", GA_VALUE_ERROR, "missing"},
    {"{'descr': '<f4', 'fortran_order': False}", GA_VALUE_ERROR, "missing"},
    {"{'descr': '<f4', 'descr': '<f4'}", GA_VALUE_ERROR, "second key 'descr'"},
    {"{'desc': '<f4'}", GA_VALUE_ERROR, "unknown key 'desc'"},
    {"{'descr' '<f4'}", GA_VALUE_ERROR, "a colon"},
    {"{'descr': '<f4' 'shape': ()}", GA_VALUE_ERROR, "a comma or a brace"},
    {"{'descr': '<f4", GA_VALUE_ERROR, "the end of a string"},
    {"{u 'descr': '<f4'}", GA_VALUE_ERROR, "a string"},
    {"{ur'descr': '<f4'}", GA_VALUE_ERROR, "a string"},
    {"{'descr': '<f\\4'}", GA_VALUE_ERROR, "the end of a string"},
    {"{'fortran_order': 0}", GA_VALUE_ERROR, "True or False"},
    {HEAD("'<f4'", "(3)"), GA_VALUE_ERROR, "a comma"},
    {HEAD("'<f4'", "[3]"), GA_VALUE_ERROR, "a tuple"},
    {HEAD("'<f4'", "(-1,)"), GA_VALUE_ERROR, "an extent"},
    {HEAD("'<f4'", "(1.5,)"), GA_VALUE_ERROR, "a comma"},
    {HEAD("'<f4'", "(3,,)"), GA_VALUE_ERROR, "an extent"},
    {HEAD("'<f4'", "(,)"), GA_VALUE_ERROR, "an extent"},
    {HEAD("'<f4'", "(2, 3"), GA_VALUE_ERROR, "an extent"},
    {HEAD("'<f4'", "(2,)") "x", GA_VALUE_ERROR, "nothing more"},
    {HEAD("'<f4'", "(99999999999999999999,)"), GA_XLARGE_ERROR, "an extent beyond 2^63"},
    {HEAD("'<f4'", "(9223372036854775807,)"), GA_XLARGE_ERROR, "2^63 bytes"},
    {HEAD("'<f4'", "(4294967296, 4294967296)"), GA_XLARGE_ERROR, "2^63 bytes"},
    {HEAD("'<f4'", "(0, 4294967296, 4294967296)"), GA_XLARGE_ERROR, "2^63 bytes"},
    {HEAD("'<f16'", "(2,)"), GA_UNSUPPORTED_ERROR, "dtype '<f16'"},
    {HEAD("'<V2'", "(2,)"), GA_UNSUPPORTED_ERROR, "dtype '<V2'"},
    {HEAD("'bfloat16'", "(2,)"), GA_UNSUPPORTED_ERROR, "dtype 'bfloat16'"},
    {HEAD("'>float32'", "(2,)"), GA_UNSUPPORTED_ERROR, "dtype '>float32'"},
    {HEAD("'|O'", "(2,)"), GA_UNSUPPORTED_ERROR, "dtype '|O'"},
    {HEAD("'<U3'", "(2,)"), GA_UNSUPPORTED_ERROR, "dtype '<U3'"},
    {HEAD("'<f3'", "(2,)"), GA_UNSUPPORTED_ERROR, "dtype '<f3'"},
    {HEAD("'<f'", "(2,)"), GA_UNSUPPORTED_ERROR, "dtype '<f'"},
    {HEAD("'<f4000000000000000004'", "(2,)"), GA_UNSUPPORTED_ERROR, "dtype '<f4000"},
    {HEAD("''", "(2,)"), GA_UNSUPPORTED_ERROR, "dtype ''"},
    {HEAD("'<'", "(2,)"), GA_UNSUPPORTED_ERROR, "dtype '<'"},
    {HEAD("'\x01\x1b[2J\xff'", "(2,)"), GA_UNSUPPORTED_ERROR, "dtype '??[2J?'"},
    {HEAD("[('x', '<f4')]", "(2,)"), GA_UNSUPPORTED_ERROR, "structured"},
};

START_TEST(broken_headers_get_one_clear_line)
{
  ga_npy h;
  FAILS(bad[_i].code, bad[_i].message, parse(&h, bad[_i].text));
  ck_assert_ptr_null(strchr(gpuarray_error_message(), '\n'));
  ck_assert_ptr_nonnull(strstr(gpuarray_error_message(), "x.npy"));
}
END_TEST

START_TEST(every_prefix_of_a_header_is_refused)
{
  static const char text[] = HEAD("'<f4'", "(4, 5)");
  ga_npy h;
  for (size_t n = 0; n + 1 < sizeof text; n++) {
    char *cut = malloc(n + 1); /* of its own, so that a sanitizer sees the end */
    memcpy(cut, text, n);
    ck_assert_msg(ga_npy_parse(&h, "x.npy", cut, n) == GA_VALUE_ERROR, "%zu bytes are taken", n);
    free(cut);
  }
  OK(ga_npy_parse(&h, "x.npy", text, sizeof text - 1));
}
END_TEST

START_TEST(more_axes_than_numpy_has_are_refused)
{
  char text[4096] = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  char *end = text + strlen(text);
  ga_npy h;
  for (int i = 0; i < 64; i++) end = stpcpy(end, "1,");
  strcpy(end, ")}");
  OK(parse(&h, text));
  ck_assert_uint_eq(h.nd, 64);
  strcpy(end, "1)}");
  FAILS(GA_XLARGE_ERROR, "more than 64 axes", parse(&h, text));
}
END_TEST

static int prefix(const char *bytes, size_t n, size_t *p, size_t *t)
{
  return ga_npy_prefix(p, t, "x.npy", (const unsigned char *)bytes, n);
}

START_TEST(versions_up_to_three_are_read)
{
  size_t p, t;
  OK(prefix("\x93NUMPY\1\0\x76\0", 10, &p, &t));
  ck_assert(p == 10 && t == 0x76);
  OK(prefix("\x93NUMPY\2\0\x76\1\0\0", 12, &p, &t));
  ck_assert(p == 12 && t == 0x176);
  OK(prefix("\x93NUMPY\3\0\0\0\1\0", 12, &p, &t));
  ck_assert(p == 12 && t == 65536);
  FAILS(GA_XLARGE_ERROR, "65537 bytes", prefix("\x93NUMPY\3\0\1\0\1\0", 12, &p, &t));
  FAILS(GA_XLARGE_ERROR, "4294967295 bytes", prefix("\x93NUMPY\2\0\xff\xff\xff\xff", 12, &p, &t));
  FAILS(GA_UNSUPPORTED_ERROR, "version 4.0", prefix("\x93NUMPY\4\0\x76\0", 10, &p, &t));
  FAILS(GA_UNSUPPORTED_ERROR, "version 1.1", prefix("\x93NUMPY\1\1\x76\0", 10, &p, &t));
  FAILS(GA_UNSUPPORTED_ERROR, "version 0.0", prefix("\x93NUMPY\0\0\x76\0", 10, &p, &t));
  FAILS(GA_VALUE_ERROR, "not a .npy file", prefix("PK\3\4------", 10, &p, &t));
  FAILS(GA_VALUE_ERROR, "not a .npy file", prefix("", 0, &p, &t));
  FAILS(GA_VALUE_ERROR, "truncated", prefix("\x93NUMPY\1\0\x76", 9, &p, &t));
  FAILS(GA_VALUE_ERROR, "truncated", prefix("\x93NUMPY\2\0\x76\0", 10, &p, &t));
}
END_TEST

START_TEST(what_is_printed_is_read_back)
{
  for (int t = 0; t < GA_NDTYPE; t++) {
    if (t == GA_DT_BFLOAT16) continue;
    for (unsigned int nd = 0; nd <= GA_MAXND; nd++) {
      ga_npy h = {.dtype = (enum ga_dtype)t, .nd = nd, .fortran = (int)(nd & 1)}, back;
      ga_str s = {0};
      size_t p, n;
      for (unsigned int i = 0; i < nd; i++) h.dims[i] = i < 3 ? 1 + 1000 * i : 1;
      ga_npy_print(&s, &h);
      ck_assert(!s.failed);
      ck_assert_uint_eq(s.len % 64, 0);
      OK(ga_npy_prefix(&p, &n, "x.npy", (const unsigned char *)s.s, s.len));
      ck_assert_uint_eq(p + n, s.len);
      ck_assert_int_eq(s.s[s.len - 1], '\n');
      OK(ga_npy_parse(&back, "x.npy", s.s + p, n));
      ck_assert(back.dtype == h.dtype && back.nd == nd && back.fortran == h.fortran);
      ck_assert(!back.swapped && memcmp(back.dims, h.dims, nd * sizeof h.dims[0]) == 0);
      ga_str_clear(&s);
    }
  }
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(reads_what_numpy_writes, sizeof good / sizeof good[0]),
    CASE_LOOP(broken_headers_get_one_clear_line, sizeof bad / sizeof bad[0]),
    CASE(every_prefix_of_a_header_is_refused),
    CASE(more_axes_than_numpy_has_are_refused),
    CASE(versions_up_to_three_are_read),
    CASE(what_is_printed_is_read_back),
    CASE_END};

int main(void) { return test_main("npy_header", cases); }
