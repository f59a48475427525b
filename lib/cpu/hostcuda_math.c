/* SPDX-License-Identifier: MIT */
/* The maths that generated kernels call when they run on the CPU: the very
 * functions of the interpreter's loops, so that both give the same bits. The
 * kernels reach them through this table (codegen/kernels/math.cuh). */
#include "hostcuda.h"
#include "scalar.h"

#define FUNCTION1(name, c, ulp, fix)                                        \
  static float name##_float32(float a) { return ga_m_##name##_float32(a); } \
  static double name##_float64(double a) { return ga_m_##name##_float64(a); }
#define FUNCTION2(name, c, ulp, fix)                                                    \
  static float name##_float32(float a, float b) { return ga_m_##name##_float32(a, b); } \
  static double name##_float64(double a, double b) { return ga_m_##name##_float64(a, b); }
GA_MATH1(FUNCTION1)
GA_MATH2(FUNCTION2)

struct ga_hc_math {
#define MEMBER1(name, c, ulp, fix) \
  float (*name##_float32)(float);  \
  double (*name##_float64)(double);
#define MEMBER2(name, c, ulp, fix)       \
  float (*name##_float32)(float, float); \
  double (*name##_float64)(double, double);
  GA_MATH1(MEMBER1)
  GA_MATH2(MEMBER2)
};

const ga_hc_math ga_hc_math_table = {
#define ROW1(name, c, ulp, fix) name##_float32, name##_float64,
#define ROW2(name, c, ulp, fix) name##_float32, name##_float64,
    GA_MATH1(ROW1) GA_MATH2(ROW2)};

const size_t ga_hc_math_size = sizeof ga_hc_math_table;
