#include "conformance/examples/planners.h"

#include "backends/kernels/partition.h"
#include "backends/kernels/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <stdexcept>

namespace ts::conformance {

using nlohmann::json;
using Numbers = std::vector<int64_t>;

namespace {

struct Differs {
  std::string message;
};

void hold(const std::string& what, const Numbers& got, const Numbers& want) {
  if (got != want)
    throw Differs{fmt::format("{} is {}, the example says {}", what, fmt::join(got, " "), fmt::join(want, " "))};
}

template <class Body> std::string difference(Body&& body) {
  try {
    body();
  } catch (const Differs& differs) {
    return differs.message;
  }
  return {};
}

Numbers numbers_of(const json& value) {
  return value.is_array() ? value.get<Numbers>() : Numbers{value.get<int64_t>()};
}

kernels::Plan plan_of(const PlanOperands& operands) {
  kernels::Plan plan = kernels::begin_plan(static_cast<int>(operands.shape.size()), operands.shape.data());
  for (const Numbers& strides : operands.strides) kernels::add_operand(plan, strides.data(), operands.itemsize);
  kernels::merge_axes(plan);
  return plan;
}

Numbers strides_of(const kernels::Plan& plan, size_t operand) {
  return {plan.stride[operand], plan.stride[operand] + plan.rank};
}

size_t place_of(const json& operands, const std::string& name) {
  for (size_t k = 0; k < operands.size(); ++k)
    if (operands[k] == name) return k;
  throw std::invalid_argument(fmt::format("the plan has no operand {}", name));
}

Numbers chunks_of(int64_t length, int64_t chunk, const std::string& key) {
  const int64_t count = kernels::chunk_count(length, chunk);
  if (key == "count") return {count};
  Numbers numbers;
  if (key == "sizes") {
    for (int64_t k = 0; k < count; ++k) numbers.push_back(kernels::chunk_length(length, chunk, k));
  } else if (key == "levels") {
    for (int64_t values = length; numbers.empty() || values > 1;) {
      values = kernels::chunk_count(values, chunk);
      numbers.push_back(values);
    }
  } else {
    throw std::invalid_argument(fmt::format("chunks has no {}", key));
  }
  return numbers;
}

Numbers tiles_of(const Numbers& arguments, const std::string& key) {
  const int64_t rows = arguments.at(0), columns = arguments.at(1), tile = arguments.at(2);
  const int64_t count = kernels::tile_count(rows, columns, tile);
  if (key == "count") return {count};
  Numbers numbers;
  for (int64_t k = 0; k < count; ++k) {
    const kernels::Tile at = kernels::tile_at(rows, columns, tile, k);
    if (key == "first_row")
      numbers.push_back(at.row);
    else if (key == "first_column")
      numbers.push_back(at.column);
    else if (key == "rows")
      numbers.push_back(at.rows);
    else if (key == "columns")
      numbers.push_back(at.columns);
    else
      throw std::invalid_argument(fmt::format("tiles has no {}", key));
  }
  return numbers;
}

Numbers launch_of(int64_t count, const std::string& key) {
  const kernels::FlatLaunch launch = kernels::flat_launch(count);
  if (key == "blocks") return {launch.blocks};
  if (key == "threads") return {launch.threads};
  if (key == "idle") return {launch.idle};
  throw std::invalid_argument(fmt::format("launch has no {}", key));
}

} // namespace

std::string check_plan(const json& statement, const PlanOperands& operands) {
  return difference([&] {
    const kernels::Plan plan = plan_of(operands);
    if (statement.contains("dims")) hold("dims", {plan.rank}, numbers_of(statement.at("dims")));
    if (statement.contains("count")) hold("count", {plan.count}, numbers_of(statement.at("count")));
    if (statement.contains("shape"))
      hold("shape", {plan.shape, plan.shape + plan.rank}, numbers_of(statement.at("shape")));
    if (!statement.contains("byte_strides")) return;
    for (const auto& [name, strides] : statement.at("byte_strides").items())
      hold("byte strides of " + name, strides_of(plan, place_of(statement.at("operands"), name)), numbers_of(strides));
  });
}

std::string check_element(const json& statement, const PlanOperands& operands) {
  return difference([&] {
    const kernels::Plan plan = plan_of(operands);
    for (const auto& [name, bytes] : statement.at("bytes").items()) {
      const size_t operand = place_of(statement.at("operands"), name);
      auto left = statement.at("element").get<int64_t>();
      int64_t at = 0;
      for (int axis = plan.rank; axis-- > 0; left /= plan.shape[axis])
        at += left % plan.shape[axis] * plan.stride[operand][axis];
      hold("the byte of " + name, {at}, numbers_of(bytes));
    }
  });
}

std::string check_planner(const json& statement) {
  const auto planner = statement.at("planner").get<std::string>();
  const Numbers arguments = statement.at("arguments").get<Numbers>();
  return difference([&] {
    for (const auto& [key, want] : statement.at("has").items()) {
      Numbers got;
      if (planner == "launch")
        got = launch_of(arguments.at(0), key);
      else if (planner == "chunks")
        got = chunks_of(arguments.at(0), arguments.at(1), key);
      else if (planner == "tiles")
        got = tiles_of(arguments, key);
      else
        throw std::invalid_argument(fmt::format("there is no planner {}", planner));
      hold(fmt::format("{} of {}({})", key, planner, fmt::join(arguments, ", ")), got, numbers_of(want));
    }
  });
}

} // namespace ts::conformance
