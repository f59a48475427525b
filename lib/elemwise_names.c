/* SPDX-License-Identifier: MIT */
/* Names that mean something else where the text of a GpuElemwise is compiled. Some
 * compilers let a parameter hide one or the other; all of them are refused, so that a
 * text that works on one device works on all. */
#include "lib/elemwise.h"

#include <string.h>

static const struct taken {
  const char *as, *names; /* each between blanks */
} taken[] = {
    {"a keyword of C++",
     " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t "
     "char32_t char8_t class co_await co_return co_yield compl concept const const_cast "
     "consteval constexpr constinit continue decltype default delete do double "
     "dynamic_cast else enum explicit export extern false float for friend goto if inline "
     "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
     "protected public register reinterpret_cast requires restrict return short signed "
     "sizeof static static_assert static_cast struct switch template this thread_local "
     "throw true try typedef typeid typename typeof union unsigned using virtual void "
     "volatile wchar_t while xor xor_eq "},
    {"a variable of CUDA", " blockDim blockIdx gridDim threadIdx warpSize "},
    {"a type of CUDA",
     " dim3 char1 char2 char3 char4 uchar1 uchar2 uchar3 uchar4 short1 short2 short3 short4 "
     "ushort1 ushort2 ushort3 ushort4 int1 int2 int3 int4 uint1 uint2 uint3 uint4 long1 "
     "long2 long3 long4 ulong1 ulong2 ulong3 ulong4 longlong1 longlong2 longlong3 "
     "longlong4 ulonglong1 ulonglong2 ulonglong3 ulonglong4 float1 float2 float3 float4 "
     "double1 double2 double3 double4 "},
    {"a word of cluda.h",
     " ga_bool ga_byte GA_DECL_SHARED_BODY GA_DECL_SHARED_PARAM ga_double ga_float ga_half "
     "ga_int ga_long ga_short ga_size ga_ssize ga_ubyte ga_uint ga_ulong ga_ushort "
     "GA_WARP_SIZE GDIM_0 GDIM_1 GDIM_2 GID_0 GID_1 GID_2 GLOBAL_MEM HUGE_VAL HUGE_VALF "
     "INFINITY KERNEL LDIM_0 LDIM_1 LDIM_2 LID_0 LID_1 LID_2 local_barrier LOCAL_MEM "
     "LOCAL_MEM_ARG M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2 M_LOG10E M_LOG2E M_PI M_PI_2 "
     "M_PI_4 M_SQRT1_2 M_SQRT2 MAXFLOAT NAN NULL ptrdiff_t size_t WITHIN_KERNEL "},
    {"a macro of some compilers", " linux unix "},
};

const char *ga_ge_name_taken(const char *name)
{
  size_t n = strlen(name);

  if (strncmp(name, "__", 2) == 0) return "kept for compilers, as all that begin with __";
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    for (const char *s = taken[i].names; (s = strstr(s, name)) != NULL; s++)
      if (s[-1] == ' ' && s[n] == ' ') return taken[i].as;
  return NULL;
}
