// The rows of the spec as the library reads them at run time: what an operation takes and gives. Generated; nothing here
// names an operation.
#pragma once

#include "runtime/tensor/dtype.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ts::ops {

inline constexpr int kOperandsMax = 4;
inline constexpr int kOutputsMax = 2;
inline constexpr int kAttributesMax = 4;

enum class Role : uint8_t { in, index, mask, inout };
enum class AttributeKind : uint8_t { integer, real, boolean, axis, axes, value };

struct OperandRow {
  const char* name;
  Role role;
};

struct AttributeRow {
  const char* name;
  AttributeKind kind;
  int of; ///< the operand whose dtype or axes it refers to, -1 for output 0
  std::optional<double> initial;
};

struct Instance {
  std::array<DType, kOperandsMax> in;
  std::array<DType, kOutputsMax> out;
};

struct OpRow {
  const char* name = nullptr;
  int32_t id = 0;
  int32_t family = 0;
  std::string_view shape; ///< token of the shape rule
  std::string_view empty; ///< token of the empty rule
  bool identical_alias = false; ///< an output may be identical to an input
  std::vector<OperandRow> operands;
  std::vector<const char*> outputs;
  std::vector<AttributeRow> attributes; ///< by slot
  std::vector<Instance> instances;
  /// Operands whose dtypes agree in every instance share a number: they are promoted together.
  std::array<int8_t, kOperandsMax> group{};
  /// Dtypes an operand may have, a bit each.
  std::array<uint32_t, kOperandsMax> dtypes{};

  int inout() const; ///< the operand that is output 0 as well, -1 for none
};

/// The row of an id or a name; ValueError for one there is not.
const OpRow& row(int32_t id);
const OpRow& row(std::string_view name);
/// Every row, by id.
std::span<const OpRow* const> rows();
/// `f16 bf16 f32 f64`.
std::string dtype_names(uint32_t set);

} // namespace ts::ops
