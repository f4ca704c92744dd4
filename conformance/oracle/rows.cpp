// Results that depend on a whole row, one for each of its elements: softmax along an axis, norms along several.
#include "conformance/oracle/families.h"
#include "conformance/oracle/row_bounds.h"

#include <fmt/format.h>

#include <optional>

namespace ts::judge {
namespace {

/// The axes of a row as a mask; a Refusal where one does not exist.
uint64_t mask_of(const Call& call) {
  const size_t rank = call.inputs[0].shape.size();
  if (call.op->attribute("axes") == nullptr) return uint64_t{1} << axis_of(call, rank);
  const auto axes = static_cast<uint64_t>(integer_of(call, "axes"));
  if (axes >> rank != 0) throw Refusal{"ValueError", fmt::format("axes {:#x} name an axis past rank {}", axes, rank)};
  return axes;
}

double real_attribute_of(const Call& call, const std::string& name) {
  if (call.op->attribute(name) == nullptr) return 0;
  const ts_attribute attribute = attribute_of(call, name);
  return attribute.kind == TS_ATTRIBUTE_INTEGER ? static_cast<double>(attribute.integer) : attribute.real;
}

class Rows {
public:
  explicit Rows(const Call& call) : call_(call), kept_(call.inputs[0].shape) {
    const Shape& x = call.inputs[0].shape;
    const uint64_t mask = mask_of(call);
    for (size_t k = 0; k < x.size(); ++k)
      if ((mask >> k & 1) != 0) kept_[k] = 1;
    members_.resize(static_cast<size_t>(count_of(kept_)));
    if (count_of(x) == 0) return;
    const Broadcast row(x, kept_);
    for (int64_t i = 0; i < count_of(x); ++i) members_[static_cast<size_t>(row(i))].push_back(i);
    for (const Array& input : call.inputs) {
      if (input.shape.size() > x.size()) refuse(input);
      for (size_t k = 0; k < input.shape.size(); ++k) {
        const int64_t extent = input.shape[k];
        if (extent != 1 && extent != x[x.size() - input.shape.size() + k]) refuse(input);
      }
      places_.emplace_back(x, input.shape);
    }
  }

  const std::vector<std::vector<int64_t>>& members() const { return members_; }
  /// Where operand k has the element that meets element i of x.
  int64_t place(size_t k, int64_t i) const { return places_[k](i); }

private:
  [[noreturn]] void refuse(const Array& input) const {
    throw Refusal{"ValueError", fmt::format("shape {} does not broadcast to {}", text_of(input.shape),
                                            text_of(call_.inputs[0].shape))};
  }

  const Call& call_;
  Shape kept_;
  std::vector<std::vector<int64_t>> members_;
  std::vector<Broadcast> places_;
};

RowElement element_of(const Call& call, const Rows& rows, int64_t i) {
  RowElement element{call.inputs[0].real(i)};
  for (size_t k = 1; k < call.inputs.size(); ++k) {
    double& held = call.op->operands[k].name == "weight" ? element.weight : element.bias;
    held = call.inputs[k].real(rows.place(k, i));
  }
  return element;
}

} // namespace

void expect_rows(const Call& call, Expected& expected) {
  const Rows rows(call);
  const Array& x = call.inputs[0];
  Array out(call.instance->out[0], x.shape);
  const int64_t count = out.count();
  Bounds bounds = bounds_of(*call.instance, 0, count);
  std::vector<Rounded> rounded(static_cast<size_t>(count));
  Evaluator evaluator(call, call.op->oracle, out.dtype);
  const double eps = real_attribute_of(call, "eps");
  for (const std::vector<int64_t>& members : rows.members()) {
    const auto n = static_cast<int64_t>(members.size());
    if (n == 0) continue;
    const auto at = [&](int64_t j) { return members[static_cast<size_t>(j)]; };
    const Position position = [&](int64_t j, int operand) {
      return j < 0 ? -1 : rows.place(static_cast<size_t>(operand), at(j));
    };
    evaluator.members(n, position, at, out, rounded);
    if (bounds.kind != Bounds::Kind::absolute) continue;
    Terms terms;
    for (const int64_t i : members) terms.add(x.real(i));
    const RowBounds row(*call.instance, terms, eps);
    for (const int64_t i : members) row.judge(bounds, i, element_of(call, rows, i), out.real(i));
  }
  for (int64_t i = 0; i < count; ++i) record(bounds, i, count, rounded[static_cast<size_t>(i)]);
  expected.outputs.push_back(std::move(out));
  expected.bounds.push_back(std::move(bounds));
}

} // namespace ts::judge
