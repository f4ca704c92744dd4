// What the spec's rows say about a call, as data: made from spec/generated, looked up by op.
#pragma once

#include "backends/abi/backend.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ts::kernels {

/// How the shapes of a call's operands hang together; the words of tools/spec.
enum class ShapeRule {
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

/// What a group of no element gives. Only `error` is a matter of the door.
enum class EmptyRule { empty, unchanged, identity, zeros, nan, error };

enum class AttributeKind { integer, real, boolean, axis, axes, value };

struct AttributeFacts {
  std::string name;
  AttributeKind kind;
  bool of_output; ///< a value's dtype is that of outputs[index], else of inputs[index]
  int index;
};

struct Row {
  int32_t op;
  int32_t family;
  std::string name;
  int output_count;
  int input_count;
  ShapeRule shape;
  EmptyRule empty;
  uint32_t alias; ///< bit k: output 0 may be identical to input k
  std::vector<AttributeFacts> attributes;
  std::vector<std::vector<int32_t>> instances; ///< dtypes, outputs first
};

/// The row of an op, null where there is none.
const Row* find_row(int32_t op);

/// `f32` for TS_DTYPE_F32; "?" for a dtype that the spec does not have.
const char* dtype_name(int32_t dtype);

} // namespace ts::kernels
