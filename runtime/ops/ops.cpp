#include "runtime/ops/ops.h"

#include "runtime/errors.h"
#include "runtime/tensor/view.h"

#include <fmt/format.h>

namespace ts {

namespace {

template <int kResults> auto packed(Results&& results) {
  if constexpr (kResults == 1)
    return std::move(results[0]);
  else
    return TensorPair(std::move(results[0]), std::move(results[1]));
}

template <int kResults>
auto run(int32_t id, std::initializer_list<Input> operands, std::initializer_list<Attribute> attributes,
         const ops::Options& options = {}) {
  return packed<kResults>(
      ops::call(ops::row(id), {operands.begin(), operands.size()}, {attributes.begin(), attributes.size()}, options));
}

const Tensor& destination(int32_t id, const Input& x) {
  if (x.is_scalar()) throw TypeError(fmt::format("{}_: a number cannot be written to", ops::row(id).name));
  return x.tensor();
}

// Over all elements: the index of the row-major order.
Tensor arg_reduce(int32_t id, const Input& x, std::optional<int64_t> axis, bool keepdims, const Tensor* out) {
  ops::Options options;
  options.out[0] = out;
  options.keepdims = keepdims;
  if (axis) return run<1>(id, {x}, {Scalar(*axis)}, options);
  const Tensor& whole = destination(id, x);
  options.keepdims = false;
  const Dims ones(keepdims ? whole.shape().size() : 0, 1);
  Tensor scalar_out;
  if (out != nullptr) {
    if (out->shape() != ones)
      throw ValueError(fmt::format("[{0}] the result has shape {1}, out has {2}", ops::row(id).name, shape_text(ones),
                                   shape_text(out->shape())));
    scalar_out = reshape(*out, {});
    options.out[0] = &scalar_out;
  }
  const Tensor found = run<1>(id, {reshape(whole, {-1})}, {Scalar(0)}, options);
  return out != nullptr ? *out : reshape(found, ones);
}

} // namespace

#define TS_STRIP(...) __VA_ARGS__
#define TS_LIST(...)                                                                                                   \
  { __VA_ARGS__ }
#define TS_RESULT_1 Tensor
#define TS_RESULT_2 TensorPair
#define TS_OUT_1 const Tensor& out
#define TS_OUT_2 const Tensor &out, const Tensor &out_indices
#define TS_OPTIONS_1 &out, nullptr
#define TS_OPTIONS_2 &out, &out_indices

#define TS_IN(x) const Input& x
#define TS_INDEX(x) const Input& x
#define TS_MASK(x) const Input& x
#define TS_INOUT(x) const Input& x
#define TS_INT(a) int64_t a
#define TS_REAL(a) double a
#define TS_BOOL(a) bool a
#define TS_AXIS(a) int64_t a
#define TS_AXES(a) const Axes& a
#define TS_VALUE(a) const Scalar& a
#define TS_INT_DEFAULT(a, value) int64_t a
#define TS_REAL_DEFAULT(a, value) double a
#define TS_BOOL_DEFAULT(a, value) bool a
#define TS_AXIS_DEFAULT(a, value) int64_t a
#define TS_VALUE_DEFAULT(a, value) const Scalar& a

#define TS_PASS_IN(x) x
#define TS_PASS_INDEX(x) x
#define TS_PASS_MASK(x) x
#define TS_PASS_INOUT(x) x
#define TS_SLOT_INT(a) Scalar(a)
#define TS_SLOT_REAL(a) Scalar(a)
#define TS_SLOT_BOOL(a) Scalar(a)
#define TS_SLOT_AXIS(a, x) Scalar(a)
#define TS_SLOT_AXES(a, x) a
#define TS_SLOT_VALUE(a, x) a
// The first operand of the list is where an in-place form writes.
#define TS_FIRST(x, ...) x

#define TS_DEFINE(name, id, results, parameters, operands, slots, keep)                                                \
  TS_RESULT_##results name parameters { return run<results>(id, TS_LIST operands, TS_LIST slots, {{}, keep}); }        \
  TS_RESULT_##results name##_out(TS_OUT_##results, TS_STRIP parameters) {                                              \
    return run<results>(id, TS_LIST operands, TS_LIST slots, {{TS_OPTIONS_##results}, keep});                          \
  }
#define TS_DEFINE_IN_PLACE(name, id, parameters, operands, slots)                                                      \
  Tensor name##_ parameters {                                                                                          \
    return run<1>(id, TS_LIST operands, TS_LIST slots, {{&destination(id, first_of operands)}, false});                \
  }

namespace {
template <class... Rest> const Input& first_of(const Input& first, const Rest&...) { return first; }
} // namespace

#define TS_DEFINE_TS_FAMILY_FILL(...)
#define TS_DEFINE_TS_FAMILY_CONVERT(...)
#define TS_DEFINE_TS_FAMILY_ELEMENTWISE(name, id, results, parameters, operands, slots)                                \
  TS_DEFINE(name, id, results, parameters, operands, slots, false)                                                     \
  TS_DEFINE_IN_PLACE(name, id, parameters, operands, slots)
#define TS_DEFINE_TS_FAMILY_REDUCE(name, id, results, parameters, operands, slots)                                     \
  TS_DEFINE(name, id, results, (TS_STRIP parameters, bool keepdims), operands, slots, keepdims)
#define TS_DEFINE_TS_FAMILY_ARG_REDUCE(name, id, results, parameters, operands, slots)                                 \
  Tensor name(const Input& x, std::optional<int64_t> axis, bool keepdims) {                                            \
    return arg_reduce(id, x, axis, keepdims, nullptr);                                                                 \
  }                                                                                                                    \
  Tensor name##_out(const Tensor& out, const Input& x, std::optional<int64_t> axis, bool keepdims) {                   \
    return arg_reduce(id, x, axis, keepdims, &out);                                                                    \
  }
#define TS_DEFINE_TS_FAMILY_SCAN(name, id, results, parameters, operands, slots)                                       \
  TS_DEFINE(name, id, results, parameters, operands, slots, false)
#define TS_DEFINE_TS_FAMILY_MATMUL(name, id, results, parameters, operands, slots)                                     \
  TS_DEFINE(name, id, results, parameters, operands, slots, false)
#define TS_DEFINE_TS_FAMILY_GATHER(name, id, results, parameters, operands, slots)                                     \
  TS_DEFINE(name, id, results, parameters, operands, slots, false)
#define TS_DEFINE_TS_FAMILY_SCATTER(name, id, results, parameters, operands, slots)                                    \
  TS_RESULT_##results name parameters { return run<results>(id, TS_LIST operands, TS_LIST slots); }                    \
  TS_DEFINE_IN_PLACE(name, id, parameters, operands, slots)
#define TS_DEFINE_TS_FAMILY_SORT(name, id, results, parameters, operands, slots)                                       \
  TS_DEFINE(name, id, results, parameters, operands, slots, false)
#define TS_DEFINE_TS_FAMILY_SOFTMAX(name, id, results, parameters, operands, slots)                                    \
  TS_DEFINE(name, id, results, parameters, operands, slots, false)
#define TS_DEFINE_TS_FAMILY_NORMALIZE(name, id, results, parameters, operands, slots)                                  \
  TS_DEFINE(name, id, results, parameters, operands, slots, false)

#define TS_FUNCTION(name, Name, id, family, results, parameters, operands, slots)                                      \
  TS_DEFINE_##family(name, id, results, parameters, operands, slots)
#include "spec/generated/functions.inc"

Tensor operator+(const Tensor& x, const Input& y) { return add(x, y); }
Tensor operator-(const Tensor& x, const Input& y) { return subtract(x, y); }
Tensor operator*(const Tensor& x, const Input& y) { return multiply(x, y); }
Tensor operator/(const Tensor& x, const Input& y) { return divide(x, y); }
Tensor operator+(const Scalar& x, const Tensor& y) { return add(x, y); }
Tensor operator-(const Scalar& x, const Tensor& y) { return subtract(x, y); }
Tensor operator*(const Scalar& x, const Tensor& y) { return multiply(x, y); }
Tensor operator/(const Scalar& x, const Tensor& y) { return divide(x, y); }
Tensor operator-(const Tensor& x) { return negative(x); }
Tensor operator==(const Tensor& x, const Input& y) { return equal(x, y); }
Tensor operator!=(const Tensor& x, const Input& y) { return not_equal(x, y); }
Tensor operator<(const Tensor& x, const Input& y) { return less(x, y); }
Tensor operator<=(const Tensor& x, const Input& y) { return less_equal(x, y); }
Tensor operator>(const Tensor& x, const Input& y) { return greater(x, y); }
Tensor operator>=(const Tensor& x, const Input& y) { return greater_equal(x, y); }
const Tensor& operator+=(const Tensor& x, const Input& y) { return add_(x, y), x; }
const Tensor& operator-=(const Tensor& x, const Input& y) { return subtract_(x, y), x; }
const Tensor& operator*=(const Tensor& x, const Input& y) { return multiply_(x, y), x; }
const Tensor& operator/=(const Tensor& x, const Input& y) { return divide_(x, y), x; }

} // namespace ts
