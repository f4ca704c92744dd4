#include "runtime/base/row.h"

#include "runtime/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ts::ops {

namespace {

class Table {
public:
  Table() {
    read_functions();
    read_instances();
    read_rules();
    for (OpRow& op : rows_) group_operands(op);
    for (size_t i = 0; i < rows_.size(); ++i) by_id_[static_cast<size_t>(rows_[i].id)] = static_cast<int16_t>(i);
  }

  const std::vector<OpRow>& all() const { return rows_; }
  const OpRow* find(int32_t id) const {
    const bool known = id >= 0 && id < TS_OP_COUNT && by_id_[static_cast<size_t>(id)] >= 0;
    return known ? &rows_[static_cast<size_t>(by_id_[static_cast<size_t>(id)])] : nullptr;
  }

private:
  void read_functions();
  void read_instances();
  void read_rules();

  OpRow& named(std::string_view name) {
    return *std::find_if(rows_.begin(), rows_.end(), [&](const OpRow& op) { return op.name == name; });
  }

  void add(const char* name, int32_t id, int32_t family, int outputs, std::vector<OperandRow> operands) {
    OpRow op;
    op.name = name;
    op.id = id;
    op.family = family;
    op.output_count = outputs;
    op.operands = std::move(operands);
    for (size_t i = 0; i < op.operands.size(); ++i)
      if (op.operands[i].role == Role::inout) op.inout = static_cast<int>(i);
    rows_.push_back(std::move(op));
  }

  // `F32, I64, F32`: outputs, then the inputs of the door.
  void add_instance(const char* name, int outputs, std::string_view dtypes) {
    std::vector<DType> parsed;
    while (!dtypes.empty()) {
      const size_t comma = dtypes.find(',');
      std::string word(dtypes.substr(0, comma));
      std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
      parsed.push_back(parse_dtype(word.substr(word.find_first_not_of(' '))));
      dtypes.remove_prefix(comma == std::string_view::npos ? dtypes.size() : comma + 1);
    }
    OpRow& op = named(name);
    Instance instance;
    std::copy(parsed.begin(), parsed.begin() + outputs, instance.out.begin());
    for (size_t i = static_cast<size_t>(outputs); i < parsed.size(); ++i)
      instance.in[op.operand_of_input(i - static_cast<size_t>(outputs))] = parsed[i];
    if (op.inout >= 0) instance.in[static_cast<size_t>(op.inout)] = parsed[0];
    op.instances.push_back(instance);
  }

  void add_attribute(const char* name, AttributeRow attribute, size_t slot) {
    OpRow& op = named(name);
    if (op.attributes.size() <= slot) op.attributes.resize(slot + 1);
    op.attributes[slot] = attribute;
  }

  static void group_operands(OpRow& op) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      size_t group = i;
      for (size_t j = 0; j < i && group == i; ++j) {
        const bool agree = std::all_of(op.instances.begin(), op.instances.end(),
                                       [&](const Instance& instance) { return instance.in[i] == instance.in[j]; });
        if (agree) group = j;
      }
      op.group[i] = static_cast<uint8_t>(group);
      for (const Instance& instance : op.instances) op.dtypes[i] |= 1U << static_cast<int>(instance.in[i]);
    }
  }

  std::vector<OpRow> rows_;
  std::array<int16_t, TS_OP_COUNT> by_id_ = [] {
    std::array<int16_t, TS_OP_COUNT> none;
    none.fill(-1);
    return none;
  }();
};

#define TS_LIST(...)                                                                                                   \
  { __VA_ARGS__ }
#define TS_PASS_IN(x)                                                                                                  \
  OperandRow { #x, Role::in }
#define TS_PASS_INDEX(x)                                                                                               \
  OperandRow { #x, Role::index }
#define TS_PASS_MASK(x)                                                                                                \
  OperandRow { #x, Role::mask }
#define TS_PASS_INOUT(x)                                                                                               \
  OperandRow { #x, Role::inout }
void Table::read_functions() {
#define TS_FUNCTION(name, Name, id, family, results, parameters, operands, slots)                                      \
  add(#name, id, family, results, TS_LIST operands);
#include "spec/generated/functions.inc"
}

void Table::read_instances() {
#define TS_INSTANCE(name, outputs, inputs, ...) add_instance(#name, outputs, #__VA_ARGS__);
#include "spec/generated/ops.inc"
}

void Table::read_rules() {
#define TS_RULE(name, family, shape_rule, empty_rule, alias)                                                           \
  {                                                                                                                    \
    OpRow& op = named(#name);                                                                                          \
    op.shape = ShapeRule::shape_rule;                                                                                  \
    op.empty = EmptyRule::empty_rule;                                                                                  \
    op.identical_inputs = alias;                                                                                       \
  }
#define TS_ATTRIBUTE(name, attribute, slot, kind, side, index)                                                         \
  add_attribute(#name, {#attribute, AttributeKind::kind, #side[0] == 'o', index}, slot);
#include "spec/generated/door.inc"
}

const Table& table() {
  static const Table all;
  return all;
}

} // namespace

const OpRow& row(int32_t id) {
  if (const OpRow* found = table().find(id)) return *found;
  throw ValueError(fmt::format("there is no operation with id {}", id));
}

const OpRow& row(std::string_view name) {
  for (const OpRow& op : rows())
    if (op.name == name) return op;
  throw ValueError(fmt::format("there is no operation '{}'", name));
}

std::span<const OpRow> rows() { return table().all(); }

std::string dtype_names(uint32_t set) {
  std::string names;
  for (int dtype = 1; dtype < TS_DTYPE_COUNT; ++dtype) {
    if ((set >> dtype & 1) == 0) continue;
    if (!names.empty()) names += ' ';
    names += ts::name(static_cast<DType>(dtype));
  }
  return names;
}

} // namespace ts::ops
