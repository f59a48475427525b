/* SPDX-License-Identifier: MIT */
/* Programs compiled for libgpuarray have its constants, struct layouts and inline
 * functions in them: each is what it was there. The exported names are compared by
 * check-oldapi.sh. */
#include <stddef.h>

#include "tests/device.h"

#include "gpuarray/arg.h"
#include "gpuarray/array.h"
#include "gpuarray/blas.h"
#include "gpuarray/collectives.h"
#include "gpuarray/elemwise.h"
#include "gpuarray/extension.h"
#include "gpuarray/kernel.h"
#include "gpuarray/types.h"
#include "gpuarray/util.h"

START_TEST(constants_have_their_values)
{
  static const struct {
    const char *name;
    long value, expected;
  } all[] = {
#define V(name, value) {#name, (long)(name), value},
#include "tests/data/oldapi_values.def"
#undef V
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    ck_assert_msg(all[i].value == all[i].expected, "%s is %ld, expected %ld", all[i].name,
                  all[i].value, all[i].expected);
}
END_TEST

/* The tables' names, sizes and alignments, but that of vectors, which was 0. */
START_TEST(types_have_their_names_and_sizes)
{
  static const struct {
    int code;
    const char *name;
    size_t size, align;
  } all[] = {
      {GA_BOOL, "ga_bool", 1, 1},
      {GA_BYTE, "ga_byte", 1, 1},
      {GA_UBYTE, "ga_ubyte", 1, 1},
      {GA_SHORT, "ga_short", 2, 2},
      {GA_USHORT, "ga_ushort", 2, 2},
      {GA_INT, "ga_int", 4, 4},
      {GA_UINT, "ga_uint", 4, 4},
      {GA_LONG, "ga_long", 8, 8},
      {GA_ULONG, "ga_ulong", 8, 8},
      {GA_LONGLONG, "ga_longlong", 16, 8},
      {GA_ULONGLONG, "ga_ulonglong", 16, 8},
      {GA_FLOAT, "ga_float", 4, 4},
      {GA_DOUBLE, "ga_double", 8, 8},
      {GA_QUAD, "ga_quad", 16, 8},
      {GA_CFLOAT, "ga_cfloat", 8, 4},
      {GA_CDOUBLE, "ga_cdouble", 16, 8},
      {GA_CQUAD, "ga_cquad", 32, 8},
      {GA_HALF, "ga_half", 2, 2},
      {GA_SIZE, "ga_size", sizeof(size_t), 8},
      {GA_SSIZE, "ga_ssize", sizeof(ssize_t), 8},
      {GA_BYTE2, "ga_byte2", 2, 0},
      {GA_UBYTE16, "ga_ubyte16", 16, 0},
      {GA_SHORT3, "ga_short3", 6, 0},
      {GA_ULONG16, "ga_ulong16", 128, 0},
      {GA_FLOAT4, "ga_float4", 16, 0},
      {GA_DOUBLE16, "ga_double16", 128, 0},
      {GA_HALF2, "ga_half2", 4, 0},
      {GA_HALF16, "ga_half16", 32, 0},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const gpuarray_type *t = gpuarray_get_type(all[i].code);
    ck_assert_str_eq(t->cluda_name, all[i].name);
    ck_assert_msg(t->size == all[i].size && t->typecode == all[i].code, "%s", all[i].name);
    if (all[i].align != 0) ck_assert_msg(t->align == all[i].align, "%s", all[i].name);
    ck_assert_uint_eq(gpuarray_get_elsize(all[i].code), all[i].size);
  }
  ck_assert_ptr_null(gpuarray_get_type(GA_BUFFER)->cluda_name);
  ck_assert_uint_eq(gpuarray_get_type(GA_BUFFER)->size, sizeof(void *));
  for (int code = 18; code <= 22; code++) ck_assert_uint_eq(gpuarray_get_elsize(code), 0);
}
END_TEST

#define AT(type, field, offset) ck_assert_uint_eq(offsetof(type, field), offset)

START_TEST(structs_have_their_layouts)
{
  if (sizeof(void *) != 8) return;
  ck_assert_uint_eq(sizeof(gpuarray_type), 32);
  AT(gpuarray_type, cluda_name, 0);
  AT(gpuarray_type, size, 8);
  AT(gpuarray_type, align, 16);
  AT(gpuarray_type, typecode, 24);
  ck_assert_uint_eq(sizeof(GpuArray), 48);
  AT(GpuArray, data, 0);
  AT(GpuArray, dimensions, 8);
  AT(GpuArray, strides, 16);
  AT(GpuArray, offset, 24);
  AT(GpuArray, nd, 32);
  AT(GpuArray, flags, 36);
  AT(GpuArray, typecode, 40);
  ck_assert_uint_eq(sizeof(GpuKernel), 16);
  AT(GpuKernel, k, 0);
  AT(GpuKernel, args, 8);
  ck_assert_uint_eq(sizeof(gpuelemwise_arg), 16);
  AT(gpuelemwise_arg, name, 0);
  AT(gpuelemwise_arg, typecode, 8);
  AT(gpuelemwise_arg, flags, 12);
  ck_assert_uint_eq(sizeof(ga_half_t), 2);
  ck_assert_uint_eq(sizeof(gpucommCliqueId), 128);
  ck_assert_uint_eq(sizeof(GpuArrayIpcMemHandle), 64);
  ck_assert_uint_eq(sizeof(ga_order), sizeof(int));
  ck_assert_uint_eq(sizeof(cb_transpose), sizeof(int));
  ck_assert_uint_eq(sizeof(ga_usefl), sizeof(int));
}
END_TEST

START_TEST(inline_functions_are_the_same)
{
  static const struct {
    float f;
    uint16_t h;
  } halves[] = {{2.9831426e-08f, 1},  {2e-25f, 0},       {2e-26f, 0},       {1.0005035f, 0x3c01},
                {1.0002441f, 0x3c00}, {65519.f, 0x7bff}, {65520.f, 0x7c00}, {-2.f, 0xc000}};
  GpuArray a = {0};
  a.flags = GA_CARRAY;
  a.typecode = GA_DOUBLE;
  ck_assert(GpuArray_CHKFLAGS(&a, GA_BEHAVED) && !GpuArray_CHKFLAGS(&a, GA_FARRAY));
  ck_assert(GpuArray_ISWRITEABLE(&a) && GpuArray_ISALIGNED(&a) && !GpuArray_ISFORTRAN(&a));
  ck_assert(GpuArray_ISONESEGMENT(&a) && GpuArray_IS_C_CONTIGUOUS(&a));
  ck_assert(!GpuArray_IS_F_CONTIGUOUS(&a));
  ck_assert_uint_eq(GpuArray_ITEMSIZE(&a), 8);
  for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
    ck_assert_uint_eq(ga_float2half(halves[i].f).h, halves[i].h);
  ck_assert_ptr_eq((void *)GpuArray_sgemm, (void *)GpuArray_rgemm);
  ck_assert_ptr_eq((void *)GpuArray_hdot, (void *)GpuArray_rdot);
  ck_assert_ptr_eq((void *)GpuArray_dgemmBatch_3d, (void *)GpuArray_rgemmBatch_3d);
}
END_TEST

/* Bindings read both. */
START_TEST(buffers_begin_with_their_address_and_context)
{
  gpucontext *ctx = test_context();
  GpuArray a = {0};
  void *first;
  OK(GpuArray_zeros(&a, ctx, GA_FLOAT, GA_DIMS(4), GA_C_ORDER));
  OK(GpuArray_devptr(&first, &a));
  ck_assert_ptr_eq(((void **)a.data)[0], first);
  ck_assert_ptr_eq(((void **)a.data)[1], ctx);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}
END_TEST

static const test_case cases[] = {CASE(constants_have_their_values),
                                  CASE(types_have_their_names_and_sizes),
                                  CASE(structs_have_their_layouts),
                                  CASE(inline_functions_are_the_same),
                                  CASE(buffers_begin_with_their_address_and_context),
                                  CASE_END};

int main(void) { return test_main("abi", cases); }
