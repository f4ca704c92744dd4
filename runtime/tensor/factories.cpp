#include "runtime/tensor/factories.h"

#include "runtime/errors.h"
#include "runtime/tensor/view.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace ts {

namespace {

// Elements are made on the host and cross once: no backend needs an operation for it.
template <class Value> Tensor from_sequence(int64_t count, DType dtype, Device device, Value&& value) {
  const auto width = static_cast<size_t>(itemsize(dtype));
  std::vector<std::byte> bytes(static_cast<size_t>(count) * width);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = Scalar(value(i)).encode(dtype);
    std::memcpy(bytes.data() + static_cast<size_t>(i) * width, &bits, width);
  }
  return from_host(bytes.data(), {count}, dtype, device);
}

int64_t integer_steps(int64_t start, int64_t stop, int64_t step) {
  if (step > 0 ? stop <= start : stop >= start) return 0;
  const uint64_t distance = step > 0 ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start)
                                     : static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  const uint64_t count = (distance - 1) / stride + 1;
  if (count > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / 16)
    throw ValueError("[layout.15] arange: too many elements");
  return static_cast<int64_t>(count);
}

} // namespace

Tensor full(const Dims& shape, const Scalar& value, DType dtype, Device device) {
  Tensor x = empty(shape, dtype, device);
  x.fill_(value);
  return x;
}

Tensor zeros(const Dims& shape, DType dtype, Device device) { return full(shape, false, dtype, device); }
Tensor ones(const Dims& shape, DType dtype, Device device) { return full(shape, true, dtype, device); }
Tensor empty_like(const Tensor& x) { return empty(x.shape(), x.dtype(), x.device()); }
Tensor zeros_like(const Tensor& x) { return zeros(x.shape(), x.dtype(), x.device()); }

Tensor arange(const Scalar& start, const Scalar& stop, const Scalar& step, DType dtype, Device device) {
  if (step.real() == 0) throw ValueError("[arange] step is 0");
  if (start.is_real() || stop.is_real() || step.is_real()) {
    const double steps = std::ceil((stop.real() - start.real()) / step.real());
    if (!(steps < 0x1p59)) throw ValueError("[arange] bounds and step must be finite");
    const double first = start.real(), stride = step.real();
    return from_sequence(static_cast<int64_t>(std::max(steps, 0.0)), dtype, device,
                         [&](int64_t i) { return std::fma(static_cast<double>(i), stride, first); });
  }
  const uint64_t first = static_cast<uint64_t>(start.integer()), stride = static_cast<uint64_t>(step.integer());
  return from_sequence(integer_steps(start.integer(), stop.integer(), step.integer()), dtype, device,
                       [&](int64_t i) { return static_cast<int64_t>(first + static_cast<uint64_t>(i) * stride); });
}

Tensor arange(const Scalar& stop, DType dtype, Device device) { return arange(0, stop, 1, dtype, device); }

Tensor linspace(double start, double stop, int64_t count, DType dtype, Device device) {
  if (count < 0) throw ValueError("[linspace] a negative number of values");
  // Counted from the nearer end, so that both ends are exact.
  const double step = count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0;
  return from_sequence(count, dtype, device, [&](int64_t i) {
    if (i < count - i) return std::fma(static_cast<double>(i), step, start);
    return std::fma(static_cast<double>(i - (count - 1)), step, stop);
  });
}

Tensor eye(int64_t rows, int64_t columns, int64_t offset, DType dtype, Device device) {
  const Tensor x = zeros({rows, columns}, dtype, device);
  diagonal(x, offset).fill_(true);
  return x;
}

Tensor from_host(const void* data, const Dims& shape, DType dtype, Device device) {
  const Tensor x = empty(shape, dtype, device);
  door::copy_in(device.row(), x.storage()->buffer(), 0, data, static_cast<uint64_t>(x.numel() * itemsize(dtype)));
  return x;
}

} // namespace ts
