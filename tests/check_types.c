/* SPDX-License-Identifier: MIT */
/* Element types: codes, sizes, alignments, names, registration; the layouts and
 * values that clients of the C interface are compiled against. */

#include "tests/common.h"

#include "gpuarray/arg.h"
#include "gpuarray/blas.h"
#include "gpuarray/kernel.h"
#include "gpuarray/util.h"
#include "lib/util/dtype.h"

#define IS(name, value) _Static_assert((name) == (value), #name)
IS(GPUARRAY_ABI_VERSION, 3000);
IS(GPUARRAY_API_VERSION, 2);
IS(GA_BUFFER, -1);
IS(GA_BOOL, 0);
IS(GA_LONG, 7);
IS(GA_FLOAT, 11);
IS(GA_DOUBLE, 12);
IS(GA_CQUAD, 16);
IS(GA_BFLOAT, 17);
IS(GA_HALF, 23);
IS(GA_SSIZE, 25);
IS(GA_NBASE, 26);
IS(GA_DELIM, 255);
IS(GA_BYTE2, 256);
IS(GA_SHORT2, 266);
IS(GA_INT2, 276);
IS(GA_LONG2, 286);
IS(GA_FLOAT2, 296);
IS(GA_FLOAT16, 299);
IS(GA_DOUBLE2, 300);
IS(GA_HALF2, 304);
IS(GA_HALF16, 307);
IS(GA_NVEC, 308);
IS(GA_ENDVEC, 512);
IS(GA_NO_ERROR, 0);
IS(GA_VALUE_ERROR, 2);
IS(GA_INVALID_ERROR, 4);
IS(GA_DEVSUP_ERROR, 8);
IS(GA_UNALIGNED_ERROR, 12);
IS(GA_NODEV_ERROR, 14);
IS(GA_XLARGE_ERROR, 17);
IS(GA_LOAD_ERROR, 18);
IS(GA_ANY_ORDER, -1);
IS(GA_C_ORDER, 0);
IS(GA_F_ORDER, 1);
IS(GA_C_CONTIGUOUS, 1);
IS(GA_F_CONTIGUOUS, 2);
IS(GA_ALIGNED, 0x100);
IS(GA_WRITEABLE, 0x400);
IS(GA_BEHAVED, 0x500);
IS(GA_CARRAY, 0x501);
IS(GA_FARRAY, 0x502);
IS(GA_BUFFER_INIT, 4);
IS(GA_BUFFER_HOST, 8);
IS(GA_BUFFER_MASK, 0xffff);
IS(GA_CTX_PROP_DEVNAME, 1);
IS(GA_CTX_PROP_LARGEST_MEMBLOCK, 20);
IS(GA_BUFFER_PROP_SIZE, 514);
IS(GA_KERNEL_PROP_TYPES, 1028);
IS(GA_USE_SMALL, 2);
IS(GA_USE_OPENCL, 0x4000);
IS(GE_PADSHAPE, 0x400);
IS(cb_column, 1);
IS(cb_conj_trans, 2);

static const struct {
  int code;
  const char *device, *numpy;
  size_t size, align;
} scalars[] = {
    {GA_BOOL, "ga_bool", "bool", 1, 1},       {GA_BYTE, "ga_byte", "int8", 1, 1},
    {GA_UBYTE, "ga_ubyte", "uint8", 1, 1},    {GA_SHORT, "ga_short", "int16", 2, 2},
    {GA_USHORT, "ga_ushort", "uint16", 2, 2}, {GA_INT, "ga_int", "int32", 4, 4},
    {GA_UINT, "ga_uint", "uint32", 4, 4},     {GA_LONG, "ga_long", "int64", 8, 8},
    {GA_ULONG, "ga_ulong", "uint64", 8, 8},   {GA_LONGLONG, "ga_longlong", NULL, 16, 8},
    {GA_FLOAT, "ga_float", "float32", 4, 4},  {GA_DOUBLE, "ga_double", "float64", 8, 8},
    {GA_QUAD, "ga_quad", NULL, 16, 8},        {GA_CFLOAT, "ga_cfloat", "complex64", 8, 4},
    {GA_CQUAD, "ga_cquad", NULL, 32, 8},      {GA_CDOUBLE, "ga_cdouble", "complex128", 16, 8},
    {GA_HALF, "ga_half", "float16", 2, 2},    {GA_BFLOAT, "ga_bfloat", "bfloat16", 2, 2},
    {GA_SIZE, "ga_size", NULL, 8, 8},         {GA_SSIZE, "ga_ssize", NULL, 8, 8},
    {GA_BYTE3, "ga_byte3", NULL, 3, 1},       {GA_FLOAT4, "ga_float4", NULL, 16, 16},
    {GA_LONG16, "ga_long16", NULL, 128, 16},  {GA_HALF16, "ga_half16", NULL, 32, 16},
};
enum { NSCALAR = sizeof scalars / sizeof scalars[0] };

START_TEST(type_is_as_documented)
{
  const gpuarray_type *t = gpuarray_get_type(scalars[_i].code);
  ck_assert_int_eq(t->typecode, scalars[_i].code);
  ck_assert_str_eq(t->cluda_name, scalars[_i].device);
  ck_assert_uint_eq(t->size, scalars[_i].size);
  ck_assert_uint_eq(t->align, scalars[_i].align);
  ck_assert_uint_eq(gpuarray_get_elsize(t->typecode), t->size);
}
END_TEST

START_TEST(type_has_numpys_name)
{
  const char *name = gpuarray_typename(scalars[_i].code);
  if (scalars[_i].numpy == NULL) {
    ck_assert_ptr_null(name);
    return;
  }
  ck_assert_str_eq(name, scalars[_i].numpy);
  ck_assert_int_eq(gpuarray_typecode(name), scalars[_i].code);
}
END_TEST

START_TEST(unknown_code_has_no_type)
{
  static const int codes[] = {-2,  -100, -2147483647 - 1, 18, 22, 26, 100, 255,
                              308, 511,  2147483647};
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
    const gpuarray_type *t = gpuarray_get_type(codes[i]);
    ck_assert_int_eq(t->typecode, -1);
    ck_assert_uint_eq(t->size, 0);
    ck_assert_ptr_null(gpuarray_typename(codes[i]));
  }
  ck_assert_uint_eq(gpuarray_get_type(GA_BUFFER)->size, sizeof(void *));
  ck_assert_int_eq(gpuarray_get_type(GA_BUFFER)->typecode, -1);
}
END_TEST

START_TEST(every_vector_has_size_and_alignment)
{
  for (int code = GA_BYTE2; code < GA_NVEC; code++) {
    const gpuarray_type *t = gpuarray_get_type(code);
    ck_assert_int_eq(t->typecode, code);
    ck_assert_uint_gt(t->align, 0);
    ck_assert_uint_eq(t->size % t->align, 0);
  }
}
END_TEST

START_TEST(short_names_are_numpys)
{
  ck_assert_int_eq(gpuarray_typecode("half"), GA_HALF);
  ck_assert_int_eq(gpuarray_typecode("float"), GA_DOUBLE);
  ck_assert_int_eq(gpuarray_typecode("int"), GA_LONG);
  ck_assert_int_eq(gpuarray_typecode("bool_"), GA_BOOL);
  ck_assert_int_eq(gpuarray_typecode("byte"), GA_BYTE);
  ck_assert_int_eq(gpuarray_typecode("float33"), -1);
  ck_assert_int_eq(gpuarray_typecode("float3"), -1);
  ck_assert_int_eq(gpuarray_typecode(""), -1);
  ck_assert_int_eq(gpuarray_typecode(NULL), -1);
}
END_TEST

START_TEST(registered_type_is_kept)
{
  static gpuarray_type types[100];
  int err = -1;
  for (int i = 0; i < 100; i++) {
    types[i] = (gpuarray_type){"mine", 12, 4, 0};
    ck_assert_int_eq(gpuarray_register_type(&types[i], &err), 512 + i);
    ck_assert_int_eq(err, GA_NO_ERROR);
  }
  for (int i = 0; i < 100; i++) {
    ck_assert_int_eq(types[i].typecode, 512 + i);
    ck_assert_ptr_eq(gpuarray_get_type(512 + i), &types[i]);
  }
  ck_assert_int_eq(gpuarray_get_type(612)->typecode, -1);
  ck_assert_int_eq(gpuarray_register_type(NULL, &err), -1);
  ck_assert_int_eq(err, GA_VALUE_ERROR);
  ck_assert_int_eq(gpuarray_register_type(NULL, NULL), -1);
}
END_TEST

START_TEST(flags_tell_what_types_need)
{
  gpuelemwise_arg args[2] = {{"a", GA_DOUBLE, 0}, {"b", GA_BYTE, 0}};
  ck_assert_int_eq(gpuarray_type_flags(GA_DOUBLE, -1), GA_USE_DOUBLE);
  ck_assert_int_eq(gpuarray_type_flags(GA_FLOAT, -1), 0);
  ck_assert_int_eq(gpuarray_type_flags(GA_HALF, -1), GA_USE_HALF | GA_USE_SMALL);
  ck_assert_int_eq(gpuarray_type_flags(GA_CDOUBLE, GA_BYTE, -1),
                   GA_USE_COMPLEX | GA_USE_DOUBLE | GA_USE_SMALL);
  ck_assert_int_eq(gpuarray_type_flags(-1), 0);
  ck_assert_int_eq(gpuarray_type_flagsa(2, args), GA_USE_DOUBLE | GA_USE_SMALL);
  ck_assert_int_eq(gpuarray_type_flagsa(0, NULL), 0);
}
END_TEST

START_TEST(table_and_public_codes_agree)
{
  for (int i = 0; i < GA_NDTYPE; i++) {
    ck_assert_uint_eq(ga_dtypes[i].size, gpuarray_get_elsize(ga_dtypes[i].typecode));
    ck_assert_str_eq(ga_dtypes[i].device, gpuarray_get_type(ga_dtypes[i].typecode)->cluda_name);
    ck_assert_int_eq(ga_dtype_of(ga_dtypes[i].typecode), i);
    ck_assert_int_eq(ga_dtype_char(ga_dtypes[i].ch), i);
    ck_assert_int_eq(ga_dtype_named(ga_dtypes[i].name, strlen(ga_dtypes[i].name)), i);
  }
  ck_assert_int_eq(ga_dtype_of(GA_LONGLONG), GA_DT_NONE);
  ck_assert_int_eq(ga_dtype_char('x'), GA_DT_NONE);
  ck_assert_int_eq(ga_dtype_named("float32x", 7), GA_DT_FLOAT32);
  ck_assert_int_eq(ga_dtype_named("float3", 6), GA_DT_NONE);
}
END_TEST

int main(void)
{
  static const test_case cases[] = {CASE_LOOP(type_is_as_documented, NSCALAR),
                                    CASE_LOOP(type_has_numpys_name, NSCALAR),
                                    CASE(unknown_code_has_no_type),
                                    CASE(every_vector_has_size_and_alignment),
                                    CASE(short_names_are_numpys),
                                    CASE(registered_type_is_kept),
                                    CASE(flags_tell_what_types_need),
                                    CASE(table_and_public_codes_agree),
                                    CASE_END};
  return test_main("types", cases);
}
