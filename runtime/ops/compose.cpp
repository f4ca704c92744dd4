// Operations that a backend does not support and whose row says `composed`: computed on the device itself by the operations
// that the primitives of the row's oracle are. Each of those may be unsupported in turn, and is then computed on the host.

#include "runtime/errors.h"
#include "runtime/ops/dispatch.h"
#include "runtime/ops/launch.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

namespace ts::ops {

namespace {

/// Where an argument of a step comes from.
enum Kind { operand, attribute, size, number, step };
struct Argument {
  Kind kind;
  double value;
};

struct Step {
  int32_t op;
  std::vector<Argument> arguments;
};

struct Composition {
  std::vector<Step> steps;
  std::map<DType, DType> works_in; // by the dtype of the operands
};

const std::map<std::string_view, Composition>& compositions() {
  static const std::map<std::string_view, Composition> all = [] {
    std::map<std::string_view, Composition> made;
#define TS_WORKS_IN(name, from, to) made[#name].works_in[static_cast<DType>(from)] = static_cast<DType>(to);
#define TS_STEP(name, op, ...) made[#name].steps.push_back({op, {__VA_ARGS__}});
#include "spec/generated/compositions.inc"
    return made;
  }();
  return all;
}

// One call on its way through its steps.
class Composed {
public:
  Composed(Device device, const Launch& call, const Composition& composition)
      : device_(device), call_(call), dtype_(composition.works_in.at(call.inputs[0].dtype)),
        lead_(leading_tensor(call)) {
    const int64_t named = call.attributes[static_cast<size_t>(std::max(call.axis_slot, call.axes_slot))].integer;
    for (int axis = 0; axis < lead_.rank(); ++axis)
      if (call.axis_slot >= 0 ? axis == named : (named >> axis & 1) != 0) axes_.push_back(axis);
    for (const int64_t axis : axes_) elements_ *= static_cast<double>(lead_.size(axis));
  }

  void run(const std::vector<Step>& steps) {
    const Bound& output = call_.outputs[0];
    const Tensor z(output.tensor.storage(), output.layout, output.dtype);
    for (const Step& each : steps) {
      const OpRow& primitive = row(each.op);
      std::vector<Input> operands;
      for (const Argument& argument : each.arguments) operands.push_back(value_of(argument));
      Options options;
      options.keepdims = true;
      // The last step writes the result itself where it has its dtype.
      const bool last = &each == &steps.back() && z.dtype() == dtype_;
      if (last) options.out[0] = &z;
      std::vector<Attribute> attributes;
      if (!primitive.attributes.empty()) attributes.emplace_back(Axes(axes_));
      values_.push_back(ops::call(primitive, operands, attributes, options)[0]);
    }
    if (z.dtype() != dtype_) convert_into(z, values_.back());
  }

private:
  // An operand that every element of the result meets: of x, what the axes are counted on.
  Tensor leading_tensor(const Launch& call) const {
    const Bound& x = call.inputs[0];
    if (x.immediate()) return full_of(x);
    return Tensor(x.tensor.storage(), x.layout, x.dtype).to(dtype_);
  }
  Tensor full_of(const Bound& bound) const {
    const Tensor one = empty({}, dtype_, device_);
    fill(one, Scalar::decode(bound.dtype, bound.bits));
    return Tensor(one.storage(), Layout{bound.layout.shape, Dims(bound.layout.shape.size(), 0), 0}, dtype_);
  }
  Input value_of(const Argument& argument) {
    const auto index = static_cast<size_t>(argument.value);
    switch (argument.kind) {
      case operand: {
        const Bound& bound = call_.inputs[index];
        if (index == 0) return lead_;
        if (bound.immediate()) return full_of(bound);
        return Tensor(bound.tensor.storage(), bound.layout, bound.dtype).to(dtype_);
      }
      case attribute: return Scalar(call_.attributes[index].real);
      case size: return Scalar(elements_);
      case number: return Scalar(argument.value);
      case step: return values_.at(index);
    }
    TS_CHECK(false);
  }
  Device device_;
  const Launch& call_;
  DType dtype_;
  Tensor lead_;
  Dims axes_;
  double elements_ = 1;
  std::vector<Tensor> values_;
};

} // namespace

bool compose(Device device, Launch& call) {
  const auto found = compositions().find(call.row->name);
  if (found == compositions().end()) return false;
  if (element_count(call.outputs[0].layout.shape) > 0) Composed(device, call, found->second).run(found->second.steps);
  device.row().count_composition(call.row->id);
  return true;
}

} // namespace ts::ops
