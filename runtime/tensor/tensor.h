// Tensor: a handle to a strided view of device memory. Copying a handle copies nothing; handles and views share storage.
#pragma once

#include "runtime/base/scalar.h"
#include "runtime/tensor/impl.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ts {

class Tensor {
public:
  Tensor() = default;
  explicit Tensor(std::shared_ptr<TensorImpl> impl) : impl_(std::move(impl)) {}
  /// A view of a storage. ValueError unless every element lies inside it.
  Tensor(std::shared_ptr<Storage> storage, Layout layout, DType dtype);

  bool defined() const { return impl_ != nullptr; }
  const std::shared_ptr<TensorImpl>& impl() const { return impl_; }
  const std::shared_ptr<Storage>& storage() const { return get().storage; }
  const Layout& layout() const { return get().layout; }
  const Dims& shape() const { return layout().shape; }
  const Dims& strides() const { return layout().strides; }
  int64_t offset() const { return layout().offset; }
  int rank() const { return layout().rank(); }
  DType dtype() const { return get().dtype; }
  Device device() const { return storage()->device(); }
  int64_t numel() const { return element_count(shape()); }
  /// Extent of an axis, counted from the end where negative.
  int64_t size(int64_t axis) const { return shape()[normalize_axis(axis, rank(), "size")]; }
  uint64_t version() const { return storage()->version(); }

  /// Elements in row-major order without gaps: axes of extent 1 and tensors of no element do not matter.
  bool is_contiguous() const { return ts::is_contiguous(layout()); }
  /// Contiguous, and the only thing in its storage.
  bool is_compact() const;
  /// Whether two handles are one tensor, not only equal.
  bool same_as(const Tensor& other) const { return impl_ == other.impl_; }

  /// This tensor where it is contiguous, else a dense copy.
  Tensor contiguous() const;
  /// A dense copy in storage of its own.
  Tensor clone() const;
  /// Writes another tensor's values here, broadcast and converted; the other may live anywhere, and may overlap.
  const Tensor& copy_(const Tensor& source) const;
  /// Writes one value everywhere. It must fit the dtype.
  const Tensor& fill_(const Scalar& value) const;

  /// On another device: a dense copy, or this very handle where it is there already.
  Tensor to(Device device) const;
  /// Converted to another dtype, or this very handle where it has it already.
  Tensor to(DType dtype) const;
  Tensor cpu() const { return to(host_device()); }
  /// Moves this tensor itself: every handle to it sees the new device. Views made before keep the old storage.
  const Tensor& move_to_(Device device) const;

  /// The value of the only element; ValueError where there is not exactly one. Copies to the host.
  Scalar item() const;
  /// The elements in row-major order, copied to the host: only what the view holds crosses.
  template <class T> std::vector<T> values() const {
    require_dtype(dtype_of<T>());
    if constexpr (std::is_same_v<T, bool>) { // vector<bool> has no memory to copy into
      std::vector<uint8_t> bytes(static_cast<size_t>(numel()));
      read(bytes.data());
      return {bytes.begin(), bytes.end()};
    } else {
      std::vector<T> values(static_cast<size_t>(numel()));
      read(values.data());
      return values;
    }
  }
  /// Copies the elements in row-major order to host memory of numel() * itemsize bytes.
  void read(void* target) const;
  /// The address of element (0, 0, ...), after everything enqueued has run. DeviceError on a device that does not compute
  /// in host memory; TypeError for another dtype.
  template <class T> T* data() const {
    require_dtype(dtype_of<T>());
    return reinterpret_cast<T*>(storage()->map()) + offset();
  }

  /// As text, see print.h.
  std::string str() const;

private:
  const TensorImpl& get() const;
  void require_dtype(DType dtype) const;

  std::shared_ptr<TensorImpl> impl_;
};

/// A tensor with uninitialised elements, dense and row-major. ValueError where shape and itemsize overflow.
Tensor empty(const Dims& shape, DType dtype = DType::kF32, Device device = {});

} // namespace ts
