// Statements of examples about plans: the planners of the shared kernels, called as the backends call them. It takes plain
// numbers, for the headers of kernels and of the library cannot meet in one source.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ts::conformance {

/// Operands of a plan, broadcast to one shape.
struct PlanOperands {
  std::vector<int64_t> shape;
  std::vector<std::vector<int64_t>> strides; ///< per operand, in elements
  int itemsize = 0;
};

/// Statements of kind `plan`, `element` and `planner`: empty where they hold, else what is and what is said.
std::string check_plan(const nlohmann::json& statement, const PlanOperands& operands);
std::string check_element(const nlohmann::json& statement, const PlanOperands& operands);
std::string check_planner(const nlohmann::json& statement);

} // namespace ts::conformance
