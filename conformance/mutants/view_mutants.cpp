#include "conformance/mutants/view_mutants.h"

#include "conformance/case.h"

#include <fmt/format.h>

#include <array>

namespace ts::conformance::mutants {

namespace {

struct General {
  const char* name;
  const char* clause;
  const char* title;
  bool (*change)(ts_view&);
};

constexpr std::array<General, 4> kChanges = {{
    {"magnitudes", "layout.1", "the sign of strides is lost", take_magnitudes},
    {"origin", "layout.1", "the offset is dropped", start_at_origin},
    {"dense", "layout.7", "taken for dense", make_dense},
    {"swapped", "layout.1", "the strides of the last two axes change places", swap_last_strides},
}};
constexpr std::string_view kUnwritten = "unwritten"; // of a result: its last element

// Place: `view:in:NUMBER:CHANGE` or `view:out:NUMBER:CHANGE`.
Mutant general(const judge::Op& op, const std::string& operand, bool result, size_t number, std::string_view change,
               const char* clause, const char* title) {
  Mutant mutant;
  mutant.id = fmt::format("{}.{}.{}", op.name, operand, change);
  mutant.kind = "VIEWS";
  mutant.title = fmt::format("{} {} of {}: {}", result ? "result" : "operand", operand, op.name, title);
  mutant.place = fmt::format("view:{}:{}:{}", result ? "out" : "in", number, change);
  mutant.ops = {op.family + "/" + op.name};
  mutant.clause = clause;
  return mutant;
}

class ViewFaultLayer : public MutantLayer {
public:
  ViewFaultLayer(std::shared_ptr<Backend> inner, std::set<int32_t> ops, bool result, int number,
                 bool (*change)(ts_view&))
      : MutantLayer(std::move(inner)), ops_(std::move(ops)), result_(result), number_(number), change_(change) {}

  ts_status launch(int32_t family, const ts_call& call, ts_error* error) override {
    const bool there = number_ < (result_ ? call.output_count : call.input_count);
    if (ops_.count(call.op) == 0 || !there) return Layer::launch(family, call, error);
    const BufferSizes live = sizes();
    Door door(inner(), live, family, call, error);
    const std::optional<ts_status> status = altered(door, call);
    if (!status) return door.pass(call);
    strike();
    return *status;
  }

private:
  std::optional<ts_status> altered(Door& door, const ts_call& call) const {
    if (change_ != nullptr) {
      Alteration alteration(door, call);
      return result_ ? alteration.output(number_, change_).run() : alteration.input(number_, change_).run();
    }
    ts_view last = call.outputs[number_];
    if (count_of(last) == 0) return std::nullopt;
    for (int axis = 0; axis < last.rank; ++axis) last = slice(last, axis, last.shape[axis] - 1, 1);
    return leave_unwritten(door, call, last);
  }

  std::set<int32_t> ops_;
  bool result_;
  int number_;
  bool (*change_)(ts_view&);
};

} // namespace

std::vector<Mutant> view_mutants(const judge::Spec& spec) {
  std::vector<Mutant> mutants;
  for (const judge::Op& op : spec.ops) {
    size_t input = 0;
    for (const judge::Operand& operand : op.operands) {
      if (operand.role == judge::Role::inout) continue;
      const bool is_list = operand.role == judge::Role::index && takes_index_list(op);
      for (const General& g : kChanges)
        if (!is_list || g.change != swap_last_strides) // one axis has nothing to change places with
          mutants.push_back(general(op, operand.name, false, input, g.name, g.clause, g.title));
      ++input;
    }
    for (size_t k = 0; k < op.outputs.size(); ++k) {
      for (const General& g : kChanges)
        mutants.push_back(general(op, op.outputs[k], true, k, g.name, g.clause, g.title));
      mutants.push_back(
          general(op, op.outputs[k], true, k, kUnwritten, "backend.28", "the last element is not written"));
    }
  }
  return mutants;
}

std::unique_ptr<MutantLayer> make_view_fault(const Mutant& mutant, std::shared_ptr<Backend> inner) {
  const std::string& place = mutant.place;
  if (!place.starts_with("view:")) return nullptr;
  const bool result = place.starts_with("view:out:");
  const size_t number_at = result ? 9 : 8, change_at = place.find(':', number_at) + 1;
  const int number = std::stoi(place.substr(number_at));
  bool (*change)(ts_view&) = nullptr;
  for (const General& g : kChanges)
    if (place.substr(change_at) == g.name) change = g.change;
  return std::make_unique<ViewFaultLayer>(std::move(inner), ops_of(mutant), result, number, change);
}

} // namespace ts::conformance::mutants
