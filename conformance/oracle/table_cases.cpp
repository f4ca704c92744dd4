// The rows of special-value tables as calls: inputs and attributes from their cells, expected values from the table itself.
#include "conformance/oracle/tokens.h"

#include <fmt/format.h>

namespace ts::judge {
namespace {

/// The dtype that the cells of a column are written in.
int32_t column_dtype(const Op& op, const Instance& instance, const std::string& column) {
  if (const int operand = op.operand(column); operand >= 0) return instance.in[static_cast<size_t>(operand)];
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (op.outputs[i] == column) return instance.out[i];
  }
  const AttributeRow* attribute = op.attribute(column);
  if (attribute == nullptr) throw InputError(fmt::format("{} has no column {}", op.name, column));
  if (attribute->kind.rfind("of ", 0) == 0) return column_dtype(op, instance, attribute->kind.substr(3));
  if (attribute->kind == "real") return TS_DTYPE_F64;
  return attribute->kind == "bool" ? TS_DTYPE_BOOL : TS_DTYPE_I64;
}

ts_attribute attribute_cell(const std::string& cell, int32_t dtype) {
  if (is_shape(cell)) { // axes, as a mask
    int64_t mask = 0;
    for (int64_t axis : parse_shape(cell)) mask |= int64_t{1} << axis;
    return integer_attribute(mask);
  }
  const Array value = parse_list(cell, dtype);
  return is_floating(dtype) ? real_attribute(value.real(0)) : integer_attribute(value.integer(0));
}

/// An operand of which only the shape matters: small integers.
Array any_values(int32_t dtype, const Shape& shape) {
  Array array(dtype, shape);
  for (int64_t i = 0; i < array.count(); ++i) array.set_integer(i, i % 5);
  return array;
}

class RowReader {
public:
  RowReader(const Table& table, size_t row, const Op& op, const Instance& instance)
      : table_(table), cells_(table.rows[row]), op_(op), instance_(instance) {
    result_.table = &table;
    result_.row = row;
    result_.call.op = &op;
    result_.call.instance = &instance;
    result_.text = fmt::format("{} row {} ({}): {}", table.name, row, instance.text(), fmt::join(cells_, " | "));
  }

  TableCase read() {
    result_.call.inputs.resize(op_.operands.size());
    for (size_t c = 0; c < cells_.size(); ++c) read_input(table_.columns[c], cells_[c]);
    std::string error;
    for (size_t output = 0; output < op_.outputs.size(); ++output) {
      const std::string& cell = output_cell(output).text;
      if (cell.rfind("error:", 0) == 0) error = cell.substr(6);
    }
    if (op_.operands.empty()) result_.call.shape = parse_list(output_cell(0).text, instance_.out[0]).shape;
    result_.expected = expect(result_.call);
    if (!error.empty()) {
      result_.expected = Expected{error, result_.text, {}, {}};
      return std::move(result_);
    }
    if (!result_.expected.error.empty()) {
      throw InputError(
          fmt::format("{}: the oracle says {}: {}", result_.text, result_.expected.error, result_.expected.reason));
    }
    for (size_t output = 0; output < op_.outputs.size(); ++output) read_output(output, output_cell(output));
    return std::move(result_);
  }

private:
  struct Cell {
    const std::string& text;
    bool shape_only; ///< the column is `z.shape`
  };

  Cell output_cell(size_t output) const {
    const std::string& name = op_.outputs[output];
    for (size_t column = 0; column < cells_.size(); ++column) {
      if (table_.columns[column] == name) return {cells_[column], false};
      if (table_.columns[column] == name + ".shape") return {cells_[column], true};
    }
    throw InputError(fmt::format("table {} has no column of output {}", table_.name, name));
  }

  void read_input(const std::string& column, const std::string& cell) {
    if (const size_t dot = column.find(".shape"); dot != std::string::npos) {
      const int operand = op_.operand(column.substr(0, dot));
      if (operand < 0) return; // of an output
      const auto at = static_cast<size_t>(operand);
      result_.call.inputs[at] = any_values(instance_.in[at], parse_shape(cell));
    } else if (const int operand = op_.operand(column); operand >= 0) {
      const auto at = static_cast<size_t>(operand);
      result_.call.inputs[at] = parse_list(cell, instance_.in[at]);
    } else if (op_.attribute(column) != nullptr) {
      result_.call.attributes[column] = attribute_cell(cell, column_dtype(op_, instance_, column));
    }
  }

  void read_output(size_t output, const Cell& column) {
    const std::string& cell = column.text;
    if (cell == "oracle") return;
    Array& want = result_.expected.outputs[output];
    Bounds& bounds = result_.expected.bounds[output];
    std::vector<double> residual;
    Array value;
    if (cell == "same") {
      value = result_.call.inputs[0];
    } else if (is_shape(cell)) {
      value = Array(instance_.out[output], parse_shape(cell));
      if (column.shape_only && value.shape == want.shape) return;
      if (value.count() != 0) throw InputError(result_.text + ": a shape stands for an empty result only");
    } else {
      value = parse_list(cell, instance_.out[output], &residual);
    }
    if (value.shape != want.shape) {
      throw InputError(fmt::format("{}: a result of shape {} where {} is due", result_.text, text_of(value.shape),
                                   text_of(want.shape)));
    }
    want = std::move(value);
    bounds.residual = std::move(residual);
    bounds.overflowed.clear();
  }

  const Table& table_;
  const std::vector<std::string>& cells_;
  const Op& op_;
  const Instance& instance_;
  TableCase result_;
};

} // namespace

std::vector<TableCase> table_cases(const Spec& spec, const Table& table) {
  std::vector<TableCase> cases;
  if (table.op.empty()) return cases;
  const Op& op = spec.op(table.op);
  for (size_t row = 0; row < table.rows.size(); ++row) {
    for (size_t number : table.instances) {
      const std::string where = fmt::format("{}:{}: table {} row {}", table.file, table.line, table.name, row);
      if (number >= op.instances.size()) throw InputError(where + ": no such instance");
      try {
        cases.push_back(RowReader(table, row, op, op.instances[number]).read());
      } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", where, error.what()));
      }
    }
  }
  return cases;
}

} // namespace ts::judge
