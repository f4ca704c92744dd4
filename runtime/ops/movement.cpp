#include "runtime/tensor/movement.h"

#include "runtime/errors.h"
#include "runtime/mutate.h"
#include "runtime/ops/bind.h"

#include <fmt/format.h>

namespace ts::ops {

void convert_into(const Tensor& target, const Tensor& source) {
  static const OpRow& convert = row(TS_OP_CONVERT);
  require_writable(target, "copy_");
  if (!(target.device() == source.device())) {
    throw DeviceError(fmt::format("[backend.50] convert: all tensors must be on one device, but found {} and {}",
                                  target.device().name(), source.device().name()));
  }
  Launch launched;
  launched.row = &convert;
  launched.output_count = launched.input_count = 1;
  launched.inputs[0] = {source, broadcast(source.layout(), target.shape(), "copy_"), source.dtype(), 0};
  launched.outputs[0] = {target, target.layout(), target.dtype(), 0};
  launched.groups = Dims(target.shape().size(), 0);
  if (target.storage() == source.storage()) {
    const Overlap meets =
        range_overlap(target.layout(), itemsize(target.dtype()), launched.inputs[0].layout, itemsize(source.dtype()));
    if (meets == Overlap::kIdentical && target.dtype() == source.dtype()) return;
    if (meets != Overlap::kNone)
      return TS_MUTATE(
          "AL01",
          TS_MUTATE("AL02", convert_into(target, source.clone()), mutants::copy_by_outer_extents(target, source)),
          mutants::copy_row_by_row(target, source));
  }
  target.storage()->bump_version();
  launch(target.device(), launched);
}

void fill(const Tensor& target, const Scalar& value) {
  static const OpRow& op = row(TS_OP_FILL);
  require_writable(target, "fill_");
  Launch launched;
  launched.row = &op;
  launched.output_count = launched.attribute_count = 1;
  launched.attributes[0] = value_attribute(op, op.attributes[0], value, target.dtype());
  launched.outputs[0] = {target, target.layout(), target.dtype(), 0};
  launched.groups = Dims(target.shape().size(), 0);
  target.storage()->bump_version();
  launch(target.device(), launched);
}

void require_writable(const Tensor& target, const char* op) {
  if (!self_overlaps(target.layout())) return;
  throw ValueError(fmt::format("[layout.19] {}: cannot write to a view of shape {} in which several indices name one "
                               "element; clone() it first",
                               op, shape_text(target.shape())));
}

} // namespace ts::ops
