#include "conformance/memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace ts::conformance {

namespace {

constexpr int64_t kBaseAlignment = 64; // of a tensor that shares a buffer

std::byte poison_byte(Poison poison, int32_t dtype) {
  if (poison == Poison::ones) return std::byte{0xff}; // NaN, -1, true
  return dtype == TS_DTYPE_BOOL ? std::byte{0} : std::byte{0x5b};
}

ts_view view_of(const Memory::Tensor& tensor, ts_buffer buffer) {
  ts_view view{};
  view.buffer = buffer;
  view.dtype = tensor.dtype;
  view.rank = static_cast<int32_t>(tensor.placement.shape.size());
  view.offset = tensor.placement.offset;
  for (size_t k = 0; k < tensor.placement.shape.size(); ++k) {
    view.shape[k] = tensor.placement.shape[k];
    view.stride[k] = tensor.placement.stride[k];
  }
  return view;
}

} // namespace

Arrangement arrangement_of(const Case& c) { return {c.operands, c.outputs, c.route, c.in_place, c.alias}; }

Arrangement dense_arrangement(const Case& c) {
  Arrangement dense = arrangement_of(c);
  std::fill(dense.operands.begin(), dense.operands.end(), Layout::dense);
  std::fill(dense.outputs.begin(), dense.outputs.end(), Layout::dense);
  dense.alias = Alias::none;
  dense.in_place = inout_operand(*c.op);
  dense.route = dense.in_place >= 0 ? Route::in_place : Route::fresh;
  return dense;
}

bool is_dense(const Arrangement& a) {
  const auto dense = [](Layout layout) { return layout == Layout::dense; };
  return std::all_of(a.operands.begin(), a.operands.end(), dense) &&
         std::all_of(a.outputs.begin(), a.outputs.end(), dense) && a.alias == Alias::none;
}

Memory::Memory(const Prepared& prepared, const Arrangement& arrangement, Poison poison) : case_(prepared.c) {
  place_all(prepared, arrangement);
  make_regions(arrangement.alias == Alias::one_buffer, poison);
  for (size_t k = 0; k < operands_.size(); ++k)
    if (operands_[k].region >= 0) write(operands_[k], prepared.inputs[k]);
  for (const Tensor& output : outputs_) {
    const int64_t size = judge::bytes_of(output.dtype);
    std::vector<bool>& writable = regions_[static_cast<size_t>(output.region)].writable;
    for (const int64_t position : output.placement.position)
      for (int64_t b = 0; b < size; ++b) writable[static_cast<size_t>(position * size + b)] = true;
  }
}

void Memory::place_all(const Prepared& prepared, const Arrangement& arrangement) {
  const Case& c = prepared.c;
  for (size_t k = 0; k < c.op->operands.size(); ++k) {
    Tensor tensor;
    tensor.name = c.op->operands[k].name;
    tensor.dtype = c.instance->in[k];
    shares_.push_back(-1);
    if (arrangement.operands[k] == Layout::immediate) {
      if (prepared.inputs[k].count() > 0) tensor.bits = prepared.inputs[k].bits(0);
      tensor.placement.shape = c.shapes[k];
      tensor.placement.stride.assign(c.shapes[k].size(), 0);
      shares_.back() = -2;
    } else if (k == 1 && (arrangement.alias == Alias::same || arrangement.alias == Alias::shifted)) {
      tensor.placement = operands_[0].placement;
      shares_.back() = 0;
      if (arrangement.alias == Alias::shifted) {
        ++tensor.placement.offset;
        ++operands_[0].placement.storage;
        for (int64_t& position : tensor.placement.position) ++position;
      }
    } else {
      tensor.placement = place(arrangement.operands[k], c.shapes[k], judge::bytes_of(tensor.dtype));
    }
    operands_.push_back(std::move(tensor));
  }
  for (size_t k = 0; k < c.op->outputs.size(); ++k) {
    Tensor tensor;
    tensor.name = c.op->outputs[k];
    tensor.dtype = c.instance->out[k];
    if (k == 0 && arrangement.route == Route::in_place) {
      tensor.placement = operands_[static_cast<size_t>(arrangement.in_place)].placement;
      output_shares_ = true;
    } else {
      tensor.placement = place(arrangement.outputs[k], result_shape(c, k), judge::bytes_of(tensor.dtype));
    }
    outputs_.push_back(std::move(tensor));
  }
}

std::vector<Memory::Tensor*> Memory::distinct() {
  std::vector<Tensor*> tensors;
  for (size_t k = 0; k < operands_.size(); ++k)
    if (shares_[k] == -1) tensors.push_back(&operands_[k]);
  for (size_t k = output_shares_ ? 1 : 0; k < outputs_.size(); ++k) tensors.push_back(&outputs_[k]);
  return tensors;
}

void Memory::make_regions(bool one_buffer, Poison poison) {
  for (Tensor* tensor : distinct()) {
    const int64_t size = judge::bytes_of(tensor->dtype);
    if (regions_.empty() || !one_buffer) regions_.emplace_back();
    Region& region = regions_.back();
    tensor->region = static_cast<int>(regions_.size()) - 1;
    const int64_t used = static_cast<int64_t>(region.before.size());
    const int64_t base = (used + kBaseAlignment - 1) / kBaseAlignment * kBaseAlignment;
    region.before.resize(static_cast<size_t>(base + tensor->placement.storage * size),
                         poison_byte(poison, tensor->dtype));
    tensor->placement.offset += base / size;
    for (int64_t& position : tensor->placement.position) position += base / size;
  }
  for (Region& region : regions_) region.writable.assign(region.before.size(), false);
  // Those that share a place follow it.
  for (size_t k = 0; k < operands_.size(); ++k) {
    if (shares_[k] < 0) continue;
    const Tensor& first = operands_[static_cast<size_t>(shares_[k])];
    const int64_t shift = case_.alias == Alias::shifted ? 1 : 0;
    operands_[k].region = first.region;
    operands_[k].placement.offset = first.placement.offset + shift;
    operands_[k].placement.position = first.placement.position;
    for (int64_t& position : operands_[k].placement.position) position += shift;
  }
  if (output_shares_) {
    const Tensor& operand = operands_[static_cast<size_t>(std::max(case_.in_place, inout_operand(*case_.op)))];
    outputs_[0].region = operand.region;
    outputs_[0].placement = operand.placement;
  }
}

void Memory::write(const Tensor& tensor, const Array& values) {
  const auto size = static_cast<size_t>(judge::bytes_of(tensor.dtype));
  std::vector<std::byte>& bytes = regions_[static_cast<size_t>(tensor.region)].before;
  for (size_t e = 0; e < tensor.placement.position.size(); ++e)
    std::memcpy(bytes.data() + static_cast<size_t>(tensor.placement.position[e]) * size, values.bytes.data() + e * size,
                size);
}

std::vector<ts_operand> Memory::door_inputs() const {
  std::vector<ts_operand> inputs;
  for (size_t k = 0; k < operands_.size(); ++k) {
    if (case_.op->operands[k].role == judge::Role::inout) continue;
    const Tensor& tensor = operands_[k];
    const ts_buffer buffer = tensor.region < 0 ? 0 : regions_[static_cast<size_t>(tensor.region)].handle;
    inputs.push_back({view_of(tensor, buffer), tensor.bits});
  }
  return inputs;
}

std::vector<ts_view> Memory::door_outputs() const {
  std::vector<ts_view> views;
  for (const Tensor& tensor : outputs_)
    views.push_back(view_of(tensor, regions_[static_cast<size_t>(tensor.region)].handle));
  return views;
}

Array Memory::gather(size_t output) const {
  const Tensor& tensor = outputs_[output];
  Array array(tensor.dtype, tensor.placement.shape);
  const auto size = static_cast<size_t>(judge::bytes_of(tensor.dtype));
  const std::vector<std::byte>& bytes = regions_[static_cast<size_t>(tensor.region)].after;
  for (size_t e = 0; e < tensor.placement.position.size(); ++e)
    std::memcpy(array.bytes.data() + e * size, bytes.data() + static_cast<size_t>(tensor.placement.position[e]) * size,
                size);
  return array;
}

bool Memory::untouched(size_t output, int64_t e) const {
  const Tensor& tensor = outputs_[output];
  const auto size = static_cast<size_t>(judge::bytes_of(tensor.dtype));
  const Region& region = regions_[static_cast<size_t>(tensor.region)];
  const size_t at = static_cast<size_t>(tensor.placement.position[static_cast<size_t>(e)]) * size;
  return std::memcmp(region.before.data() + at, region.after.data() + at, size) == 0;
}

std::string Memory::damage(bool frozen) const {
  for (size_t r = 0; r < regions_.size(); ++r) {
    const Region& region = regions_[r];
    for (size_t b = 0; b < region.before.size(); ++b) {
      if (region.before[b] == region.after[b] || (region.writable[b] && !frozen)) continue;
      std::vector<std::string> names;
      const Tensor* owner = nullptr;
      const auto lies_here = [&](const Tensor& tensor) { return tensor.region == static_cast<int>(r); };
      for (const auto* tensors : {&outputs_, &operands_}) {
        for (const Tensor& tensor : *tensors) {
          if (!lies_here(tensor)) continue;
          names.push_back(tensor.name);
          if (owner == nullptr) owner = &tensor;
        }
      }
      const int64_t size = owner != nullptr ? judge::bytes_of(owner->dtype) : 1;
      return fmt::format(
          "byte {} of the buffer of {} (element position {}) changed from 0x{:02x} to 0x{:02x}, outside every "
          "output{}",
          b, fmt::join(names, " and "), static_cast<int64_t>(b) / size, static_cast<unsigned>(region.before[b]),
          static_cast<unsigned>(region.after[b]), frozen ? "; the call was refused and may change nothing" : "");
    }
  }
  return {};
}

} // namespace ts::conformance
