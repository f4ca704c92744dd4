// What tests of the kernel families share: tensors in random layouts, and a launcher that runs tasks in a chosen order.
#pragma once

#include "backends/kernels/families.h"
#include "backends/kernels/host_launcher.h"
#include "backends/kernels/numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ts::kernels::test {

using Random = std::mt19937_64;
using Shape = std::vector<int64_t>;

inline int64_t below(Random& random, int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); }
inline int64_t size_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

enum class Layout { kDense, kWild, kWildBroadcast };

/// A tensor in a buffer of its own, surrounded and interleaved with poison.
class Tensor {
public:
  Tensor(int32_t dtype, Shape shape, Layout layout, Random& random) : shape_(std::move(shape)) {
    const int rank = static_cast<int>(shape_.size());
    view_ = View{nullptr, dtype, rank, {}, {}};
    std::vector<int> order(shape_.size());
    std::iota(order.begin(), order.end(), 0);
    const bool wild = layout != Layout::kDense;
    if (wild) std::shuffle(order.begin(), order.end(), random);
    int64_t pitch = 1, low = 0, high = 0;
    for (int i = rank - 1; i >= 0; --i) {
      const int axis = order[static_cast<size_t>(i)];
      const int64_t extent = shape_[static_cast<size_t>(axis)];
      view_.shape[axis] = extent;
      if (wild && below(random, 3) == 0) pitch *= 1 + below(random, 3);
      int64_t stride = wild && below(random, 3) == 0 ? -pitch : pitch;
      if (layout == Layout::kWildBroadcast && below(random, 4) == 0) stride = 0;
      if (wild && extent == 1) stride = -1234567890123;
      view_.stride[axis] = stride;
      if (extent > 1) (stride < 0 ? low : high) += (extent - 1) * stride;
      pitch *= std::max<int64_t>(extent, 1);
      if (wild) pitch += below(random, 3);
    }
    const int64_t lead = wild ? below(random, 9) : 0;
    const int64_t bytes = itemsize(dtype);
    storage_.assign(static_cast<size_t>((lead + high - low + 1 + 3) * bytes + 64), std::byte{0xa5});
    const uintptr_t address = reinterpret_cast<uintptr_t>(storage_.data());
    view_.data = storage_.data() + (64 - address % 64) % 64 + (lead - low) * bytes;
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  Tensor(Tensor&&) = default;

  const View& view() const { return view_; }
  const Shape& shape() const { return shape_; }
  int64_t size() const { return size_of(shape_); }
  Operand operand() const { return {view_, 0, false}; }
  const std::vector<std::byte>& storage() const { return storage_; }

  std::byte* address(int64_t element) const {
    int64_t offset = 0;
    for (int axis = view_.rank - 1; axis >= 0; --axis) {
      if (view_.shape[axis] != 1) offset += element % view_.shape[axis] * view_.stride[axis];
      element /= view_.shape[axis];
    }
    return view_.data + offset * itemsize(view_.dtype);
  }
  template <class T> T at(int64_t element) const { return *reinterpret_cast<const T*>(address(element)); }
  template <class T> void set(int64_t element, T value) { *reinterpret_cast<T*>(address(element)) = value; }

  /// A value of any dtype as a double (i64 beyond 2^53 loses bits).
  double real(int64_t element) const {
    double value = 0;
    with_dtype(view_.dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      value = convert<double>(at<T>(element));
    });
    return value;
  }
  void set_real(int64_t element, double value) {
    with_dtype(view_.dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      set<T>(element, convert<T>(value));
    });
  }
  template <class F> void fill(F&& value) {
    for (int64_t i = 0; i < size(); ++i) set_real(i, value(i));
  }

  /// The bytes of all elements in row-major order.
  std::vector<std::byte> elements() const {
    std::vector<std::byte> bytes;
    const int width = itemsize(view_.dtype);
    for (int64_t i = 0; i < size(); ++i) bytes.insert(bytes.end(), address(i), address(i) + width);
    return bytes;
  }
  void set_elements(const std::vector<std::byte>& bytes) {
    const int width = itemsize(view_.dtype);
    for (int64_t i = 0; i < size(); ++i) std::copy_n(bytes.data() + i * width, width, address(i));
  }
  /// Poisons every element; gaps keep theirs.
  void poison() {
    set_elements(std::vector<std::byte>(static_cast<size_t>(size() * itemsize(view_.dtype)), std::byte{0xa5}));
  }
  /// True where nothing but elements was written since construction.
  bool gaps_intact() const {
    std::vector<std::byte> copy = storage_;
    const int width = itemsize(view_.dtype);
    for (int64_t i = 0; i < size(); ++i)
      std::fill_n(copy.data() + (address(i) - storage_.data()), width, std::byte{0xa5});
    return std::all_of(copy.begin(), copy.end(), [](std::byte b) { return b == std::byte{0xa5}; });
  }

private:
  Shape shape_;
  View view_;
  std::vector<std::byte> storage_;
};

inline Tensor dense(int32_t dtype, const Shape& shape) {
  Random random(0);
  return Tensor(dtype, shape, Layout::kDense, random);
}

/// Runs tasks forward, or backward: blocks, threads within a phase, and items. Remembers which routes ran.
class TestLauncher final : public HostLauncher {
public:
  explicit TestLauncher(bool backward) : backward_(backward) {}

  void launch(const FlatKernel& kernel) override {
    note(kernel.kernel, kernel.route);
    if (backward_)
      kernel.walk(kernel.task, kernel.count - 1, kernel.count, -1);
    else
      kernel.forward(kernel.task, 0, kernel.count);
  }
  void launch(const BlockKernel& kernel) override {
    note(kernel.kernel, kernel.route);
    ThreadOrder order;
    if (backward_) order = {kernel.threads - 1, -1, nullptr};
    std::vector<std::byte> memory(kernel.shared_bytes + kernel.local_bytes * static_cast<size_t>(kernel.threads) + 192);
    const auto align = [](std::byte* p) {
      return p + (kHostAlignment - reinterpret_cast<uintptr_t>(p) % kHostAlignment) % kHostAlignment;
    };
    std::byte* shared = align(memory.data());
    std::byte* locals = align(shared + kernel.shared_bytes);
    for (int64_t i = 0; i < kernel.count; ++i) {
      std::fill(memory.begin(), memory.end(), std::byte{0xcb});
      kernel.run(kernel.task, backward_ ? kernel.count - 1 - i : i, shared, locals, order);
    }
  }
  IndexFault* fault() override { return &fault_; }

  IndexFault found() const { return fault_; }
  /// "kernel/route" of every launch, in order.
  const std::vector<std::string>& launches() const { return routes_; }

private:
  void note(const char* kernel, const char* route) { routes_.push_back(std::string(kernel) + "/" + route); }

  bool backward_;
  IndexFault fault_{INT64_MAX, 0, 0, -1};
  std::vector<std::string> routes_;
};

inline ts_attribute integer_attribute(int64_t value) { return {TS_ATTRIBUTE_INTEGER, 0, value, 0}; }
inline ts_attribute real_attribute(double value) { return {TS_ATTRIBUTE_REAL, 0, 0, value}; }

/// Runs one call with a workspace of exactly the bytes it asks for, guarded behind.
inline void run(int32_t family, int32_t op, const std::vector<const Tensor*>& outputs,
                const std::vector<Operand>& inputs, const std::vector<ts_attribute>& attributes,
                TestLauncher& launcher) {
  std::vector<View> views;
  views.reserve(outputs.size());
  for (const Tensor* output : outputs) views.push_back(output->view());
  const HostFamily& kernels = *host_family(family);
  Call call{op,
            family,
            static_cast<int32_t>(views.size()),
            static_cast<int32_t>(inputs.size()),
            static_cast<int32_t>(attributes.size()),
            views.data(),
            inputs.data(),
            attributes.data(),
            nullptr,
            0};
  call.workspace_bytes = kernels.workspace(call);
  std::vector<uint64_t> memory(call.workspace_bytes / 8 + 2, 0xd9d9d9d9d9d9d9d9ULL);
  call.workspace = reinterpret_cast<std::byte*>(memory.data());
  kernels.run(call, launcher);
  const auto* bytes = reinterpret_cast<const unsigned char*>(memory.data());
  for (uint64_t i = call.workspace_bytes; i < memory.size() * 8; ++i) ASSERT_EQ(bytes[i], 0xd9) << "workspace overrun";
}

inline const std::vector<int32_t>& all_dtypes() {
  static const std::vector<int32_t> dtypes{TS_DTYPE_BOOL, TS_DTYPE_U8,   TS_DTYPE_I32, TS_DTYPE_I64,
                                           TS_DTYPE_F16,  TS_DTYPE_BF16, TS_DTYPE_F32, TS_DTYPE_F64};
  return dtypes;
}
inline bool is_floating_dtype(int32_t dtype) { return dtype >= TS_DTYPE_F16; }

/// Unit roundoff of the type that f16, bf16, f32 and f64 accumulate in, and of the dtype itself.
inline double accumulator_roundoff(int32_t dtype) { return dtype == TS_DTYPE_F64 ? 0x1p-53 : 0x1p-24; }
inline double roundoff(int32_t dtype) {
  switch (dtype) {
    case TS_DTYPE_F16: return 0x1p-11;
    case TS_DTYPE_BF16: return 0x1p-8;
    case TS_DTYPE_F32: return 0x1p-24;
    default: return 0x1p-53;
  }
}
/// The depth k of rules for sums and scans.
inline double depth(int64_t n) {
  return static_cast<double>(std::min<int64_t>(n, 256)) +
         std::ceil(std::log2(static_cast<double>(std::max<int64_t>(n, 1))));
}

} // namespace ts::kernels::test
