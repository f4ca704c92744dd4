/*
 * Elements of every dtype, read and written one at a time (spec/numerics.md): the part of a backend that is the same for
 * all of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SKELETON_ELEMENTS_H
#define SKELETON_ELEMENTS_H

#include "touchstone/backend.h"

#include <math.h>
#include <string.h>

/* A value on its way between dtypes. Integers and reals stay apart: a double cannot hold every int64. */
typedef struct {
  int is_integer;
  int64_t integer;
  double real;
} Number;

/* Bytes of an element, 0 for a dtype that is not known. */
static int itemsize(int32_t dtype) {
  switch (dtype) {
    case TS_DTYPE_BOOL:
    case TS_DTYPE_U8: return 1;
    case TS_DTYPE_F16:
    case TS_DTYPE_BF16: return 2;
    case TS_DTYPE_I32:
    case TS_DTYPE_F32: return 4;
    case TS_DTYPE_I64:
    case TS_DTYPE_F64: return 8;
    default: return 0;
  }
}

static int is_floating(int32_t dtype) {
  return dtype == TS_DTYPE_F16 || dtype == TS_DTYPE_BF16 || dtype == TS_DTYPE_F32 || dtype == TS_DTYPE_F64;
}

/* The value of a small float with these widths: 5 and 10 for f16, 8 and 7 for bf16. */
static double widen(uint16_t bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
  const int exponent = bits >> fraction_bits & top, fraction = bits & ((1 << fraction_bits) - 1);
  double value;
  if (exponent == top)
    value = fraction != 0 ? (double)NAN : (double)INFINITY;
  else if (exponent == 0)
    value = ldexp(fraction, 1 - bias - fraction_bits);
  else
    value = ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  return (bits & 0x8000) != 0 ? -value : value;
}

/* The small float nearest to x, ties to even. nearbyint rounds so in the default mode. */
static uint16_t narrow(double x, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
  const uint16_t sign = (uint16_t)(signbit(x) ? 0x8000 : 0), infinity = (uint16_t)(top << fraction_bits);
  int exponent;
  double steps;
  if (isnan(x)) return (uint16_t)(infinity | 1 << (fraction_bits - 1));
  if (isinf(x)) return (uint16_t)(sign | infinity);
  if (x == 0) return sign;
  frexp(x, &exponent); /* |x| is in [2^(exponent - 1), 2^exponent) */
  exponent -= 1;
  if (exponent < 1 - bias) exponent = 1 - bias; /* subnormals share the smallest exponent */
  if (exponent > bias) return (uint16_t)(sign | infinity);
  steps = nearbyint(ldexp(fabs(x), fraction_bits - exponent));
  /* A carry out of the fraction moves into the exponent by itself, up to infinity. */
  return (uint16_t)(sign | (uint16_t)((exponent + bias - 1) * (1 << fraction_bits) + (int)steps));
}

/* An int64 as a double that rounds to few bits as the integer itself would: bits that do not fit leave a trace. */
static double sticky(int64_t x) {
  uint64_t size = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
  if (size >> 53 != 0) size = (size & ~(uint64_t)0x7ff) | ((size & 0x7ff) != 0 ? 0x800 : 0);
  return x < 0 ? -(double)size : (double)size;
}

static Number load(int32_t dtype, const unsigned char* from) {
  Number value = {1, 0, 0.0};
  uint16_t half;
  int32_t i32;
  float f32;
  memcpy(&half, from, itemsize(dtype) >= 2 ? sizeof half : 0);
  switch (dtype) {
    case TS_DTYPE_BOOL: value.integer = *from != 0; break;
    case TS_DTYPE_U8: value.integer = *from; break;
    case TS_DTYPE_I32: memcpy(&i32, from, sizeof i32), value.integer = i32; break;
    case TS_DTYPE_I64: memcpy(&value.integer, from, sizeof value.integer); break;
    case TS_DTYPE_F16: value.is_integer = 0, value.real = widen(half, 5, 10); break;
    case TS_DTYPE_BF16: value.is_integer = 0, value.real = widen(half, 8, 7); break;
    case TS_DTYPE_F32: memcpy(&f32, from, sizeof f32), value.is_integer = 0, value.real = f32; break;
    case TS_DTYPE_F64: memcpy(&value.real, from, sizeof value.real), value.is_integer = 0; break;
    default: break;
  }
  return value;
}

/* A real truncates to an integer, saturates at both ends, and NaN is 0. An integer wraps. */
static int64_t to_integer(Number value, int64_t low, int64_t high) {
  if (value.is_integer) return value.integer;
  if (isnan(value.real)) return 0;
  if (value.real <= (double)low) return low;
  if (value.real >= (double)high) return high;
  return (int64_t)value.real;
}

static void store(Number value, int32_t dtype, unsigned char* to) {
  const double rounded_late = value.is_integer ? sticky(value.integer) : value.real;
  const double f64 = value.is_integer ? (double)value.integer : value.real;
  const float f32 = value.is_integer ? (float)value.integer : (float)value.real;
  const int64_t i64 = to_integer(value, INT64_MIN, INT64_MAX);
  const uint32_t i32 = (uint32_t)to_integer(value, INT32_MIN, INT32_MAX);
  uint16_t half;
  switch (dtype) {
    case TS_DTYPE_BOOL: *to = (unsigned char)(value.is_integer ? value.integer != 0 : value.real != 0); break;
    case TS_DTYPE_U8: *to = (unsigned char)to_integer(value, 0, 255); break;
    case TS_DTYPE_I32: memcpy(to, &i32, sizeof i32); break;
    case TS_DTYPE_I64: memcpy(to, &i64, sizeof i64); break;
    case TS_DTYPE_F16: half = narrow(rounded_late, 5, 10), memcpy(to, &half, sizeof half); break;
    case TS_DTYPE_BF16: half = narrow(rounded_late, 8, 7), memcpy(to, &half, sizeof half); break;
    case TS_DTYPE_F32: memcpy(to, &f32, sizeof f32); break;
    case TS_DTYPE_F64: memcpy(to, &f64, sizeof f64); break;
    default: break;
  }
}

#endif
