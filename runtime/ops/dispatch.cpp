#include "runtime/ops/dispatch.h"

#include "runtime/errors.h"
#include "runtime/mutate.h"
#include "runtime/ops/bind.h"
#include "runtime/ops/promotion.h"
#include "runtime/ops/shapes.h"

#include <fmt/format.h>

#include <optional>

namespace ts {
namespace ops {

namespace {

// All tensors of a call, outputs included, live on one device: there is no implicit transfer.
Device common_device(const OpRow& row, std::span<const Input> operands, const Options& options) {
  const Tensor* first = nullptr;
  const auto meet = [&](const Tensor& tensor) {
    if (first == nullptr)
      first = &tensor;
    else if (!(tensor.device() == first->device())) {
      throw DeviceError(fmt::format("[backend.50] {}: all tensors must be on one device, but found {} and {}", row.name,
                                    first->device().name(), tensor.device().name()));
    }
  };
  for (const Input& operand : operands)
    if (!operand.is_scalar()) meet(operand.tensor());
  for (const Tensor* out : options.out)
    if (out != nullptr) meet(*out);
  if (first == nullptr) throw TypeError(fmt::format("[{0}] at least one operand must be a tensor", row.name));
  return first->device();
}

void require_shape(const OpRow& row, const Tensor& out, const Dims& shape) {
  if (out.shape() == shape) return;
  throw ValueError(
      fmt::format("[{0}] the result has shape {1}, out has {2}", row.name, shape_text(shape), shape_text(out.shape())));
}

// A result may go to a tensor of a dtype that it promotes to, not to a lesser one.
void require_castable(const OpRow& row, DType result, DType out) {
  if (promote(result, out) == out) return;
  throw TypeError(fmt::format("[numerics.37] {}: the result is {}, which does not promote to the {} of out", row.name,
                              name(result), name(out)));
}

// How an output may lie to an input, so that the kernel may write it while it reads.
bool needs_temporary(const Launch& call, size_t output, const Bound& target) {
  for (size_t i = 0; i < static_cast<size_t>(call.input_count); ++i) {
    const Bound& input = call.inputs[i];
    if (input.immediate() || input.tensor.storage() != target.tensor.storage()) continue;
    const Overlap meets = range_overlap(target.layout, itemsize(target.dtype), input.layout, itemsize(input.dtype));
    const bool identical_allowed = output == 0 && (call.row->identical_inputs >> i & 1) != 0;
    if (meets == Overlap::kSome || (meets == Overlap::kIdentical && !identical_allowed)) return true;
  }
  return false;
}

// Two results cannot go to one place, temporaries or not.
void require_apart(const OpRow& row, const Options& options) {
  const Tensor* a = options.out[0];
  const Tensor* b = options.out[1];
  if (a == nullptr || b == nullptr || a->storage() != b->storage()) return;
  if (overlap(a->layout(), itemsize(a->dtype()), b->layout(), itemsize(b->dtype())) != Overlap::kNone)
    throw ValueError(fmt::format("[layout.17] {}: its outputs overlap each other", row.name));
}

Bound bound_output(const Tensor& tensor, const Shapes& shapes, size_t i) {
  return {tensor, door_layout(tensor.layout(), shapes.door[i], i == 0 ? shapes.hidden : 0), tensor.dtype(), 0};
}

// Inputs that an inout output meets are copied first; it is read and written, so it cannot be a temporary itself.
void copy_inputs_that_meet(Launch& call, const Bound& inout) {
  for (size_t i = 0; i < static_cast<size_t>(call.input_count); ++i) {
    Bound& input = call.inputs[i];
    if (input.immediate() || input.tensor.storage() != inout.tensor.storage()) continue;
    if (range_overlap(inout.layout, itemsize(inout.dtype), input.layout, itemsize(input.dtype)) == Overlap::kNone)
      continue;
    input.tensor = Tensor(input.tensor.storage(), input.layout, input.dtype).clone();
    input.layout = input.tensor.layout();
  }
}

std::optional<Results> call_exact_comparison(const OpRow& row, std::span<const Input> operands,
                                             const Options& options) {
  const std::optional<ExactComparison> exact = exact_comparison(row, operands);
  if (!exact) return std::nullopt;
  const Tensor& x = operands[operands[0].is_scalar() ? 1 : 0].tensor();
  if (!exact->constant) {
    const std::array<Input, 2> held{x, exact->value};
    return call(ops::row(exact->op), held, {}, options);
  }
  Results results;
  results[0] = options.out[0] != nullptr ? *options.out[0] : empty(x.shape(), DType::kBool, x.device());
  require_shape(row, results[0], x.shape());
  require_castable(row, DType::kBool, results[0].dtype());
  fill(results[0], exact->value);
  return results;
}

// fill and convert take the dtype of the result from where it goes.
Results call_movement(const OpRow& row, std::span<const Input> operands, std::span<const Attribute> attributes,
                      const Options& options) {
  if (options.out[0] == nullptr) throw TypeError(fmt::format("{}: takes the dtype of its result from out", row.name));
  if (row.family == TS_FAMILY_FILL)
    fill(*options.out[0], std::get<Scalar>(attributes[0]));
  else
    convert_into(*options.out[0], operands[0].tensor());
  Results results;
  results[0] = *options.out[0];
  return results;
}

// Polls where an index may have been out of range: most devices know at once, and the error then stands at its call.
void surface_index_errors(const OpRow& row, Device device) {
  if (row.family != TS_FAMILY_GATHER && row.family != TS_FAMILY_SCATTER) return;
  DeviceRow& at = device.row();
  ts_error error = make_error();
  ts_status status;
  {
    const std::lock_guard lock(at.queue);
    status = at.table().poll(at.instance(), at.index, 0, &error);
  }
  if (status != TS_OK) throw_status(*at.backend, status, error);
}

} // namespace

Results call(const OpRow& row, std::span<const Input> operands, std::span<const Attribute> attributes,
             const Options& options) {
  check_counts(row, operands, attributes);
  if (row.family == TS_FAMILY_FILL || row.family == TS_FAMILY_CONVERT)
    return call_movement(row, operands, attributes, options);
  const Device device = common_device(row, operands, options);
  if (std::optional<Results> compared = call_exact_comparison(row, operands, options)) return *compared;
  const Instance& instance = resolve(row, operands);
  Launch launched;
  launched.row = &TS_MUTATE("OR07", row, mutants::other_extreme(row, options));
  launched.output_count = row.output_count;
  bind_inputs(launched, instance, operands);
  const bool has_inout = row.inout >= 0;
  // An inout operand is the output: in place where the caller gave it as out, else a copy of it.
  Tensor inout;
  if (has_inout) {
    inout = operands[static_cast<size_t>(row.inout)].tensor();
    const DType wanted = instance.in[static_cast<size_t>(row.inout)];
    if (options.out[0] == nullptr)
      inout = inout.dtype() == wanted ? inout.clone() : inout.to(wanted);
    else if (inout.dtype() != wanted)
      require_castable(row, wanted, inout.dtype());
  }
  const int rank = has_inout ? inout.rank() : launched.input_count > 0 ? launched.inputs[0].layout.rank() : 0;
  bind_attributes(launched, instance, attributes, rank);
  require_apart(row, options);
  const Shapes shapes = apply_shape_rule(launched, has_inout ? &inout.layout() : nullptr, options.keepdims);

  Results results;
  std::array<Tensor, kOutputsMax> written;
  for (size_t i = 0; i < static_cast<size_t>(row.output_count); ++i) {
    const bool is_inout = has_inout && i == 0;
    if (options.out[i] == nullptr) {
      results[i] = is_inout ? inout : empty(shapes.result[i], instance.out[i], device);
      launched.outputs[i] = bound_output(results[i], shapes, i);
      continue;
    }
    results[i] = *options.out[i];
    require_writable(results[i], row.name);
    require_shape(row, results[i], shapes.result[i]);
    if (results[i].dtype() != instance.out[i]) require_castable(row, instance.out[i], results[i].dtype());
    launched.outputs[i] = bound_output(results[i], shapes, i);
    if (is_inout)
      copy_inputs_that_meet(launched, launched.outputs[i]);
    else if (results[i].dtype() != instance.out[i] || needs_temporary(launched, i, launched.outputs[i])) {
      written[i] = empty(shapes.result[i], instance.out[i], device);
      launched.outputs[i] = bound_output(written[i], shapes, i);
    }
    results[i].storage()->bump_version();
  }
  launch(device, launched);
  for (size_t i = 0; i < static_cast<size_t>(row.output_count); ++i)
    if (written[i].defined()) convert_into(results[i], written[i]);
  surface_index_errors(row, device);
  return results;
}

} // namespace ops

Results call(std::string_view op, std::initializer_list<Input> operands, std::initializer_list<Attribute> attributes,
             const ops::Options& options) {
  return ops::call(ops::row(op), {operands.begin(), operands.size()}, {attributes.begin(), attributes.size()}, options);
}

} // namespace ts
