// Tensors from nothing and from host data. Each takes the device it lives on; the default device where none is named.
#pragma once

#include "runtime/tensor/tensor.h"

#include <concepts>
#include <vector>

namespace ts {

Tensor zeros(const Dims& shape, DType dtype = DType::kF32, Device device = {});
Tensor ones(const Dims& shape, DType dtype = DType::kF32, Device device = {});
/// Every element the value, which must fit.
Tensor full(const Dims& shape, const Scalar& value, DType dtype, Device device = {});
Tensor empty_like(const Tensor& x);
Tensor zeros_like(const Tensor& x);

/// start, start + step, ... below stop (above, for a negative step). Integers are exact over the whole range of int64;
/// a real value is start + i * step, rounded once to double and once to the dtype. ValueError for step 0.
Tensor arange(const Scalar& start, const Scalar& stop, const Scalar& step, DType dtype, Device device = {});
Tensor arange(const Scalar& stop, DType dtype = DType::kI64, Device device = {});
/// `count` values from start to stop, both included.
Tensor linspace(double start, double stop, int64_t count, DType dtype = DType::kF32, Device device = {});
/// Ones on diagonal `offset`, zeros elsewhere.
Tensor eye(int64_t rows, int64_t columns, int64_t offset = 0, DType dtype = DType::kF32, Device device = {});
inline Tensor eye(int64_t rows) { return eye(rows, rows); }

/// Dense, from numel * itemsize bytes of host memory in row-major order; the bytes are copied before it returns.
Tensor from_host(const void* data, const Dims& shape, DType dtype, Device device = {});
/// Dense, from values in row-major order. ValueError where their number is not the shape's.
template <class T> Tensor from_values(const std::vector<T>& values, const Dims& shape, Device device = {}) {
  if (static_cast<int64_t>(values.size()) != element_count(shape))
    throw ValueError("[from_values] " + std::to_string(values.size()) + " values for shape " + shape_text(shape));
  if constexpr (std::same_as<T, bool>) {
    const std::vector<uint8_t> bytes(values.begin(), values.end());
    return from_host(bytes.data(), shape, DType::kBool, device);
  } else {
    return from_host(values.data(), shape, dtype_of<T>(), device);
  }
}
/// One axis.
template <class T> Tensor from_values(const std::vector<T>& values, Device device = {}) {
  return from_values(values, Dims{static_cast<int64_t>(values.size())}, device);
}

} // namespace ts
