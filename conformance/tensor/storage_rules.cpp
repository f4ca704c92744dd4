#include "conformance/tensor/storage_rules.h"

#include "conformance/compare.h"
#include "conformance/prepare.h"
#include "conformance/select/select.h"
#include "conformance/tensor/library.h"
#include "runtime/errors.h"
#include "runtime/tensor/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

namespace ts::conformance {

namespace {

constexpr std::string_view kKeepdims = "tensor/keepdims/", kOverlap = "tensor/overlap/";

/// A rule of one op on one instance.
struct StorageRule {
  std::string name;
  const judge::Op* op;
  const judge::Instance* instance;
  size_t variant; ///< among kReductions or kOverlaps
};

/// A reduction whose result loses axes; axes of extent 1 among them, and others that stay.
struct Reduction {
  const char* name;
  Shape shape;
  int64_t axes;
  Shape result;
};
const std::vector<Reduction>& reductions() {
  static const std::vector<Reduction> all = {{"1x5/axes=0_1", {1, 5}, 3, {}},
                                             {"3x1x4/axes=1", {3, 1, 4}, 2, {3, 4}},
                                             {"3x1x4/axes=2", {3, 1, 4}, 4, {3, 1}},
                                             {"2x3x1/axes=0_2", {2, 3, 1}, 5, {3}},
                                             {"7/axes=0", {7}, 1, {}}};
  return all;
}

struct Positions {
  Shape strides;
  int64_t offset;
};

/// A target and a source of one shape in one storage.
struct Meeting {
  const char* name;
  int64_t storage; ///< elements
  Shape shape;
  Positions target, source;
};
const std::vector<Meeting>& meetings() {
  static const std::vector<Meeting> all = {
      {"rows_down", 63, {6, 9}, {{9, 1}, 9}, {{9, 1}, 0}},     {"rows_up", 63, {6, 9}, {{9, 1}, 0}, {{9, 1}, 9}},
      {"columns_right", 63, {7, 8}, {{9, 1}, 1}, {{9, 1}, 0}}, {"columns_left", 63, {7, 8}, {{9, 1}, 0}, {{9, 1}, 1}},
      {"reversed", 63, {7, 9}, {{9, 1}, 0}, {{-9, 1}, 54}},    {"transposed", 36, {6, 6}, {{6, 1}, 0}, {{1, 6}, 0}},
      {"last_row", 63, {7, 9}, {{9, 1}, 0}, {{0, 1}, 54}},     {"interleaved", 64, {32}, {{2}, 0}, {{2}, 1}},
      {"long_down", 70001, {70000}, {{1}, 1}, {{1}, 0}},       {"long_up", 70001, {70000}, {{1}, 0}, {{1}, 1}},
  };
  return all;
}

int64_t position(const Positions& p, const Shape& shape, int64_t element) {
  const Shape at = judge::coordinates(shape, element);
  int64_t position = p.offset;
  for (size_t axis = 0; axis < at.size(); ++axis) position += at[axis] * p.strides[axis];
  return position;
}

Array gather(const Array& storage, const Meeting& m, const Positions& p) {
  Array array(storage.dtype, m.shape);
  for (int64_t e = 0; e < array.count(); ++e) array.set_bits(e, storage.bits(position(p, m.shape, e)));
  return array;
}

Tensor view(const Tensor& storage, const Meeting& m, const Positions& p) {
  return as_strided(storage, dims_of(m.shape), dims_of(p.strides), p.offset);
}

// Elementwise ops of one or two operands of one dtype, and of a result that has it too.
const judge::Instance* overlapping_instance(const judge::Op& op) {
  if (op.family != "elementwise" || op.operands.size() > 2) return nullptr;
  for (size_t k = 0; k < op.instances.size(); ++k) {
    const judge::Instance& i = op.instances[(k + static_cast<size_t>(op.id)) % op.instances.size()];
    if (std::all_of(i.in.begin(), i.in.end(), [&](int32_t dtype) { return dtype == i.out.front(); })) return &i;
  }
  return nullptr;
}

std::vector<StorageRule> storage_rules(const judge::Spec& spec) {
  std::vector<StorageRule> rules;
  const auto add_overlap = [&](const judge::Op& op, const judge::Instance& instance, bool is_long) {
    for (size_t k = 0; k < meetings().size(); ++k)
      if (is_long || meetings()[k].storage < 100)
        rules.push_back(
            {fmt::format("{}{}/{}/{}", kOverlap, op.name, judge::name_of(instance.out.front()), meetings()[k].name),
             &op, &instance, k});
  };
  for (const judge::Op& op : spec.ops) {
    if (op.family == "convert") {
      for (const judge::Instance& instance : op.instances)
        if (instance.in == instance.out) add_overlap(op, instance, judge::bytes_of(instance.in[0]) == 4);
    } else if (const judge::Instance* instance = overlapping_instance(op)) {
      add_overlap(op, *instance, false);
    }
    if (op.family != "reduce" && op.family != "arg_reduce") continue;
    for (size_t k = 0; k < reductions().size(); ++k) {
      if (op.family == "arg_reduce" && std::popcount(static_cast<uint64_t>(reductions()[k].axes)) != 1) continue;
      const judge::Instance& instance = op.instances[(k + static_cast<size_t>(op.id)) % op.instances.size()];
      rules.push_back(
          {fmt::format("{}{}/{}/{}", kKeepdims, op.name, judge::name_of(instance.in.front()), reductions()[k].name),
           &op, &instance, k});
    }
  }
  return rules;
}

class StorageRun {
public:
  StorageRun(const StorageRule& rule, const judge::Spec& spec, Device& door)
      : rule_(rule), spec_(spec), device_(library_device(door)) {}

  Outcome operator()() {
    const FallbackWatch watch(device_);
    outcome_.verdict = Verdict::pass;
    try {
      rule_.name.starts_with(kKeepdims) ? run_keepdims() : run_overlap();
    } catch (const DoorFault& fault) {
      outcome_.verdict = Verdict::fail;
      outcome_.check = fault.check;
      outcome_.message = fault.message;
    }
    // A backend may lack the instance; then the host did it.
    if (const std::string fallen = watch.names(); !fallen.empty() && outcome_.verdict == Verdict::pass) {
      outcome_.verdict = Verdict::unsupported;
      outcome_.message = fmt::format("computed on the host: {}", fallen);
      outcome_.telling = false;
    }
    return std::move(outcome_);
  }

private:
  void run_keepdims();
  void run_overlap();
  void hold(const char* what, const Array& got, const judge::Expected& expected) {
    const judge::Comparison compared = judge::compare(got, expected);
    if (!compared.pass) throw DoorFault{"values", fmt::format("{}: {}", what, compared.why)};
    outcome_.elements += compared.count;
    outcome_.telling = outcome_.telling || !compared.trivial;
  }
  void call(const std::function<void()>& body) {
    const Thrown thrown = caught(device_, body);
    if (!thrown.type.empty())
      throw DoorFault{"error", fmt::format("the library threw {}: {}", thrown.type, thrown.message)};
  }

  const StorageRule& rule_;
  const judge::Spec& spec_;
  ts::Device device_;
  Outcome outcome_;
};

void StorageRun::run_keepdims() {
  outcome_.cites = {"reduce.9"};
  const Reduction& reduction = reductions()[rule_.variant];
  const auto axis = static_cast<int64_t>(std::countr_zero(static_cast<uint64_t>(reduction.axes)));
  Case c = dense_case(*rule_.op, *rule_.instance, reduction.shape, axis);
  if (rule_.op->family == "reduce") c.attributes["axes"] = judge::integer_attribute(reduction.axes);
  Prepared prepared = prepare(c, spec_, 0);
  prepared.expected.outputs.front().shape = reduction.result;
  Array got;
  call([&] {
    const Tensor x = tensor_of(prepared.inputs[0], device_);
    got = array_of(
        ops::call(ops::row(rule_.op->name), std::vector<Input>{x}, library_attributes(*rule_.op, c.attributes), {})[0]);
  });
  hold("z", got, prepared.expected);
}

void StorageRun::run_overlap() {
  outcome_.cites = {"layout.16"};
  const Meeting& m = meetings()[rule_.variant];
  const Array before = prepare(dense_case(*rule_.op, *rule_.instance, {m.storage}), spec_, 0).inputs[0];
  Case c = dense_case(*rule_.op, *rule_.instance, m.shape);
  judge::Call meant;
  meant.op = rule_.op;
  meant.instance = rule_.instance;
  meant.inputs = prepare(c, spec_, 1).inputs;
  meant.inputs[0] = gather(before, m, m.source);
  meant.attributes = c.attributes;
  const judge::Expected expected = judge::expect(meant);
  Array after;
  call([&] {
    const Tensor storage = tensor_of(before, device_);
    const Tensor target = view(storage, m, m.target);
    std::vector<Input> operands = {view(storage, m, m.source)};
    for (size_t k = 1; k < meant.inputs.size(); ++k) operands.emplace_back(tensor_of(meant.inputs[k], device_));
    ops::Options options;
    options.out[0] = &target;
    library_call(*rule_.op, operands, library_attributes(*rule_.op, c.attributes), options);
    after = array_of(storage);
  });
  hold("z", gather(after, m, m.target), expected);
  std::vector<bool> written(static_cast<size_t>(m.storage), false);
  for (int64_t e = 0; e < judge::count_of(m.shape); ++e)
    written[static_cast<size_t>(position(m.target, m.shape, e))] = true;
  for (int64_t e = 0; e < m.storage; ++e)
    if (!written[static_cast<size_t>(e)] && after.bits(e) != before.bits(e))
      throw DoorFault{
          "gaps", fmt::format("element {} beside the result changed from {} to {}", e, before.text(e), after.text(e))};
}

} // namespace

std::vector<std::string> storage_rule_names(const judge::Spec& spec) {
  std::vector<std::string> names;
  for (StorageRule& rule : storage_rules(spec)) names.push_back(std::move(rule.name));
  return names;
}

bool is_storage_rule(std::string_view name) { return name.starts_with(kKeepdims) || name.starts_with(kOverlap); }

Outcome run_storage_rule(const std::string& name, const judge::Spec& spec, Device& device) {
  static const std::vector<StorageRule> rules = storage_rules(spec);
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const StorageRule& r) { return r.name == name; });
  if (found == rules.end()) throw ValueError(fmt::format("there is no case '{}'", name));
  return StorageRun(*found, spec, device)();
}

} // namespace ts::conformance
