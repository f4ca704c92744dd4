// The last step before the door: views and attributes that are ready become a ts_call, with workspace, on the default
// queue of a device; what the backend does not support is computed on the host.
#pragma once

#include "runtime/base/row.h"
#include "runtime/tensor/tensor.h"

#include <array>
#include <span>

namespace ts::ops {

/// An operand as the door will see it: a view of a tensor's storage, or an immediate.
struct Bound {
  Tensor tensor; ///< keeps the storage; undefined for an immediate
  Layout layout;
  DType dtype = DType::kF32;
  uint64_t bits = 0;

  bool immediate() const { return !tensor.defined(); }
};

/// Everything an operation needs, in door order: an inout operand is output 0 and no input.
struct Launch {
  const OpRow* row = nullptr;
  std::array<Bound, kOutputsMax> outputs;
  std::array<Bound, kOperandsMax> inputs;
  std::array<ts_attribute, kAttributesMax> attributes;
  int output_count = 0, input_count = 0, attribute_count = 0;
  /// For operations on more than 8 axes: which axes may merge, kAlone for those that attributes name.
  Dims groups;
  /// Attributes that name axes, so that merging renumbers them.
  int axis_slot = -1, axes_slot = -1;
};

/// Runs it on the device. TypeError where neither the device nor the host device supports it; ValueError for more than
/// 8 axes after merging.
void launch(Device device, Launch& call);

/// Computes it on the host device with copies there and back, and counts it. Outputs keep what lies between their
/// elements. TypeError where the host device does not support it either; `reason` is why the device does not.
void fall_back(Device device, Launch& call, const char* reason);

/// Computes it on the device by the operations of its row's composition, and counts it; false where the row has none.
bool compose(Device device, Launch& call);

/// Merges axes until the call has at most TS_RANK_MAX; ValueError where it cannot.
void merge_to_rank_max(Launch& call);

} // namespace ts::ops
