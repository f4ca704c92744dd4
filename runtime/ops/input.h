// What callers pass to operations: a tensor or a number, an axis or several.
#pragma once

#include "runtime/tensor/tensor.h"

#include <concepts>
#include <initializer_list>
#include <variant>

namespace ts {

/// An operand: a tensor, or a number that takes the tensors' dtype and device.
class Input {
public:
  Input(Tensor tensor) : tensor_(std::move(tensor)) {}
  Input(const Scalar& scalar) : scalar_(scalar) {}
  template <class T>
  requires std::is_arithmetic_v<T> Input(T scalar) : scalar_(scalar) {}

  bool is_scalar() const { return !tensor_.defined(); }
  const Tensor& tensor() const { return tensor_; }
  const Scalar& scalar() const { return scalar_; }

private:
  Tensor tensor_;
  Scalar scalar_;
};

/// Axes of a reduction, counted from the end where negative: some, or all.
class Axes {
public:
  Axes() : all_(true) {}
  template <std::integral T> Axes(T axis) : axes_{static_cast<int64_t>(axis)} {}
  Axes(std::initializer_list<int64_t> axes) : axes_(axes) {}
  Axes(const std::vector<int64_t>& axes) : axes_(axes) {}
  Axes(const Dims& axes) : axes_(axes) {}

  bool all() const { return all_; }
  const Dims& axes() const { return axes_; }

private:
  bool all_ = false;
  Dims axes_;
};

/// An attribute's value, by slot.
using Attribute = std::variant<Scalar, Axes>;

} // namespace ts
