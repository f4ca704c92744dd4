// One C++ function per operation of the spec, generated from its row. Besides `add(x, y)` there are `add_out(z, x, y)`,
// which writes into a tensor that exists, and for elementwise and scatter operations `add_(x, y)`, which writes into its first operand.
//
// Operands are tensors or numbers. Attributes stand after the operands, by slot; reductions take `keepdims` last.
// Operations with two outputs give a pair, in the order of the row: `auto [values, indices] = topk(x, -1, 5);`
#pragma once

#include "runtime/ops/dispatch.h"

#include <optional>
#include <utility>

namespace ts {

using TensorPair = std::pair<Tensor, Tensor>;

#define TS_STRIP(...) __VA_ARGS__
#define TS_RESULT_1 Tensor
#define TS_RESULT_2 TensorPair
#define TS_OUT_1 const Tensor& out
#define TS_OUT_2 const Tensor &out, const Tensor &out_indices

#define TS_IN(x) const Input& x
#define TS_INDEX(x) const Input& x
#define TS_MASK(x) const Input& x
#define TS_INOUT(x) const Input& x
#define TS_INT(a) int64_t a
#define TS_REAL(a) double a
#define TS_BOOL(a) bool a
#define TS_AXIS(a) int64_t a
#define TS_AXES(a) const Axes& a = {}
#define TS_VALUE(a) const Scalar& a
#define TS_INT_DEFAULT(a, value) int64_t a = value
#define TS_REAL_DEFAULT(a, value) double a = value
#define TS_BOOL_DEFAULT(a, value) bool a = value
#define TS_AXIS_DEFAULT(a, value) int64_t a = value
#define TS_VALUE_DEFAULT(a, value) const Scalar& a = value

#define TS_DECLARE(name, results, parameters)                                                                          \
  TS_RESULT_##results name parameters;                                                                                 \
  TS_RESULT_##results name##_out(TS_OUT_##results, TS_STRIP parameters);
#define TS_DECLARE_IN_PLACE(name, results, parameters)                                                                 \
  TS_DECLARE(name, results, parameters)                                                                                \
  Tensor name##_ parameters;

// fill and convert are fill_() and to(dtype) of Tensor.
#define TS_DECLARE_TS_FAMILY_FILL(name, results, parameters)
#define TS_DECLARE_TS_FAMILY_CONVERT(name, results, parameters)
#define TS_DECLARE_TS_FAMILY_ELEMENTWISE(name, results, parameters) TS_DECLARE_IN_PLACE(name, results, parameters)
#define TS_DECLARE_TS_FAMILY_REDUCE(name, results, parameters)                                                         \
  TS_DECLARE(name, results, (TS_STRIP parameters, bool keepdims = false))
// Without an axis, over all elements in row-major order.
#define TS_DECLARE_TS_FAMILY_ARG_REDUCE(name, results, parameters)                                                     \
  Tensor name(const Input& x, std::optional<int64_t> axis = std::nullopt, bool keepdims = false);                      \
  Tensor name##_out(const Tensor& out, const Input& x, std::optional<int64_t> axis = std::nullopt,                     \
                    bool keepdims = false);
#define TS_DECLARE_TS_FAMILY_SCAN(name, results, parameters) TS_DECLARE(name, results, parameters)
#define TS_DECLARE_TS_FAMILY_MATMUL(name, results, parameters) TS_DECLARE(name, results, parameters)
#define TS_DECLARE_TS_FAMILY_GATHER(name, results, parameters) TS_DECLARE(name, results, parameters)
#define TS_DECLARE_TS_FAMILY_SCATTER(name, results, parameters)                                                        \
  TS_RESULT_##results name parameters;                                                                                 \
  Tensor name##_ parameters;
#define TS_DECLARE_TS_FAMILY_SORT(name, results, parameters) TS_DECLARE(name, results, parameters)
#define TS_DECLARE_TS_FAMILY_SOFTMAX(name, results, parameters) TS_DECLARE(name, results, parameters)
#define TS_DECLARE_TS_FAMILY_NORMALIZE(name, results, parameters) TS_DECLARE(name, results, parameters)

#define TS_FUNCTION(name, Name, id, family, results, parameters, operands, slots)                                      \
  TS_DECLARE_##family(name, results, parameters)
#include "spec/generated/functions.inc"

#undef TS_IN
#undef TS_INDEX
#undef TS_MASK
#undef TS_INOUT
#undef TS_INT
#undef TS_REAL
#undef TS_BOOL
#undef TS_AXIS
#undef TS_AXES
#undef TS_VALUE
#undef TS_INT_DEFAULT
#undef TS_REAL_DEFAULT
#undef TS_BOOL_DEFAULT
#undef TS_AXIS_DEFAULT
#undef TS_VALUE_DEFAULT
#undef TS_DECLARE
#undef TS_DECLARE_IN_PLACE
#undef TS_STRIP

Tensor operator+(const Tensor& x, const Input& y);
Tensor operator-(const Tensor& x, const Input& y);
Tensor operator*(const Tensor& x, const Input& y);
Tensor operator/(const Tensor& x, const Input& y);
Tensor operator+(const Scalar& x, const Tensor& y);
Tensor operator-(const Scalar& x, const Tensor& y);
Tensor operator*(const Scalar& x, const Tensor& y);
Tensor operator/(const Scalar& x, const Tensor& y);
Tensor operator-(const Tensor& x);
Tensor operator==(const Tensor& x, const Input& y);
Tensor operator!=(const Tensor& x, const Input& y);
Tensor operator<(const Tensor& x, const Input& y);
Tensor operator<=(const Tensor& x, const Input& y);
Tensor operator>(const Tensor& x, const Input& y);
Tensor operator>=(const Tensor& x, const Input& y);
const Tensor& operator+=(const Tensor& x, const Input& y);
const Tensor& operator-=(const Tensor& x, const Input& y);
const Tensor& operator*=(const Tensor& x, const Input& y);
const Tensor& operator/=(const Tensor& x, const Input& y);

} // namespace ts
