#include "runtime/tensor/tensor.h"

#include "runtime/errors.h"
#include "runtime/mutate.h"
#include "runtime/tensor/movement.h"
#include "runtime/tensor/print.h"
#include "runtime/tensor/view.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

namespace ts {

namespace {

uint64_t byte_offset(const Tensor& x) { return static_cast<uint64_t>(x.offset() * itemsize(x.dtype())); }

uint64_t byte_count(const Tensor& x) { return static_cast<uint64_t>(x.numel() * itemsize(x.dtype())); }

// Stride-0 axes cut to extent 1: what a transfer has to carry.
Tensor stored_part(const Tensor& x) {
  if (x.numel() == 0) return x;
  Layout layout = x.layout();
  for (int axis = 0; axis < layout.rank(); ++axis)
    if (layout.strides[axis] == 0 && layout.shape[axis] > 1) layout.shape[axis] = 1;
  return layout.shape == x.shape() ? x : Tensor(x.storage(), std::move(layout), x.dtype());
}

void transfer(const Tensor& to, const Tensor& from) {
  DeviceRow& target = to.device().row();
  DeviceRow& source = from.device().row();
  const uint64_t bytes = byte_count(from);
  if (target.backend == source.backend) {
    door::copy(target, to.storage()->buffer(), byte_offset(to), source, from.storage()->buffer(), byte_offset(from),
               bytes);
    return;
  }
  const auto staging = std::make_unique_for_overwrite<std::byte[]>(bytes);
  door::copy_out(source, staging.get(), from.storage()->buffer(), byte_offset(from), bytes);
  door::copy_in(target, to.storage()->buffer(), byte_offset(to), staging.get(), bytes);
}

} // namespace

Tensor::Tensor(std::shared_ptr<Storage> storage, Layout layout, DType dtype) {
  const Reach r = reach(layout);
  const int64_t elements = static_cast<int64_t>(storage->bytes()) / itemsize(dtype);
  if (r.high >= r.low && (r.low < 0 || r.high >= elements)) {
    throw ValueError(fmt::format("[layout.2] a view of shape {} reaches positions {} to {} of a storage of {} "
                                 "elements",
                                 shape_text(layout.shape), r.low, r.high, elements));
  }
  impl_ = std::make_shared<TensorImpl>(TensorImpl{std::move(storage), std::move(layout), dtype});
}

const TensorImpl& Tensor::get() const {
  if (impl_ == nullptr) throw ValueError("this tensor was never given a value");
  return *impl_;
}

void Tensor::require_dtype(DType wanted) const {
  if (wanted != dtype())
    throw TypeError(fmt::format("[data] this tensor has dtype {}, not {}", ts::name(dtype()), ts::name(wanted)));
}

bool Tensor::is_compact() const { return is_contiguous() && offset() == 0 && byte_count(*this) == storage()->bytes(); }

Tensor Tensor::contiguous() const { return is_contiguous() ? *this : clone(); }

Tensor Tensor::clone() const {
  const Tensor copy = empty(shape(), dtype(), device());
  ops::convert_into(copy, *this);
  return copy;
}

const Tensor& Tensor::copy_(const Tensor& source) const {
  if (source.device() == device()) {
    ops::convert_into(*this, source);
    return *this;
  }
  ops::require_writable(*this, "copy_");
  static_cast<void>(broadcast(source.layout(), shape(), "copy_"));
  const bool direct = source.shape() == shape() && source.dtype() == dtype() && is_contiguous();
  if (direct && source.is_contiguous())
    transfer(*this, source);
  else
    ops::convert_into(*this, source.to(device()));
  storage()->bump_version();
  return *this;
}

const Tensor& Tensor::fill_(const Scalar& value) const {
  ops::fill(*this, value);
  return *this;
}

Tensor Tensor::to(Device target) const {
  if (target == device()) return *this;
  const Tensor source = stored_part(*this).contiguous();
  Tensor copy = empty(source.shape(), dtype(), target);
  transfer(copy, source);
  return source.shape() == shape() ? copy : expand(copy, shape()).clone();
}

Tensor Tensor::to(DType wanted) const {
  if (wanted == dtype()) return *this;
  const Tensor converted = empty(shape(), wanted, device());
  ops::convert_into(converted, *this);
  return converted;
}

const Tensor& Tensor::move_to_(Device target) const {
  if (target == device()) return *this;
  const uint64_t written = version();
  const Tensor moved = to(target);
  *impl_ = *moved.impl_;
  storage()->set_version(written + 1);
  return *this;
}

Scalar Tensor::item() const {
  if (numel() != 1) {
    throw ValueError(fmt::format("[item] needs exactly one element, shape {} has {}", shape_text(shape()), numel()));
  }
  uint64_t bits = 0;
  read(&bits);
  return Scalar::decode(dtype(), bits);
}

void Tensor::read(void* target) const {
  const Tensor part = stored_part(*this);
  if (part.shape() != shape()) { // repeat on the host what is stored once
    to(host_device()).contiguous().read(target);
    return;
  }
  const Tensor dense = TS_MUTATE("SI11", contiguous(), *this);
  TS_MUTATE("AS03",
            door::copy_out(dense.device().row(), target, dense.storage()->buffer(),
                           TS_MUTATE("SI11", byte_offset(dense), 0), byte_count(dense)),
            mutants::read_once(*this, dense, target));
}

std::string Tensor::str() const { return to_string(*this); }

Tensor empty(const Dims& shape, DType dtype, Device device) {
  const int64_t count = element_count(shape);
  int64_t bytes;
  if (__builtin_mul_overflow(count, itemsize(dtype), &bytes)) {
    throw ValueError(
        fmt::format("[layout.15] shape {} of {} is beyond int64 bytes", shape_text(shape), ts::name(dtype)));
  }
  auto storage = std::make_shared<Storage>(device, static_cast<uint64_t>(bytes));
  return Tensor(
      std::make_shared<TensorImpl>(TensorImpl{std::move(storage), Layout{shape, row_major(shape), 0}, dtype}));
}

} // namespace ts
