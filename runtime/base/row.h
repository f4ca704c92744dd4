// The rows of the spec as the library reads them at run time: what an operation takes and gives. Made from
// spec/generated; nothing here names an operation.
#pragma once

#include "runtime/base/dtype.h"

#include <array>
#include <cstdint>
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
/// How the shapes of operands and outputs hang together.
enum class ShapeRule : uint8_t {
  broadcast,
  broadcast_to_x,
  same,
  one,
  reduce,
  arg_reduce,
  topk,
  matmul,
  gather,
  index_select,
  scatter,
  index_add
};
/// What no element gives.
enum class EmptyRule : uint8_t { empty, unchanged, identity, zeros, nan, error };

struct OperandRow {
  const char* name;
  Role role;
};

struct AttributeRow {
  const char* name = nullptr;
  AttributeKind kind = AttributeKind::integer;
  bool of_output = false; ///< a value takes the dtype of an output, else of a door input
  int of = 0;             ///< which one
};

/// One tuple of dtypes, operands in the row's order.
struct Instance {
  std::array<DType, kOperandsMax> in{};
  std::array<DType, kOutputsMax> out{};
};

struct OpRow {
  const char* name = nullptr;
  int32_t id = 0;
  int32_t family = 0;
  ShapeRule shape = ShapeRule::broadcast;
  EmptyRule empty = EmptyRule::empty;
  uint32_t identical_inputs = 0; ///< door inputs that output 0 may be identical to, a bit each
  int output_count = 1;
  std::vector<OperandRow> operands;
  std::vector<AttributeRow> attributes; ///< by slot
  std::vector<Instance> instances;
  /// Operands whose dtypes agree in every instance share a number: they are promoted together.
  std::array<uint8_t, kOperandsMax> group{};
  /// Dtypes an operand may have, a bit each.
  std::array<uint32_t, kOperandsMax> dtypes{};
  int inout = -1; ///< the operand that is output 0 as well, -1 for none

  /// The row's operand that is input i at the door.
  size_t operand_of_input(size_t i) const { return inout >= 0 && i >= static_cast<size_t>(inout) ? i + 1 : i; }
};

/// The row of an id or a name; ValueError for one there is not.
const OpRow& row(int32_t id);
const OpRow& row(std::string_view name);
/// Every row, by id.
std::span<const OpRow> rows();
/// `f16 bf16 f32 f64`.
std::string dtype_names(uint32_t set);

} // namespace ts::ops
