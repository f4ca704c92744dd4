// Rows for tests, made by hand, so that the oracle is tested without the spec.
#pragma once

#include "conformance/oracle/oracle.h"

#include <string>
#include <vector>

namespace ts::judge::test {

inline Tree name(const std::string& text) { return {Tree::Kind::name, text, {}}; }
inline Tree num(const std::string& text) { return {Tree::Kind::number, text, {}}; }
inline Tree call(const std::string& primitive, std::vector<Tree> arguments) {
  return {Tree::Kind::call, primitive, std::move(arguments)};
}

/// A row of one instance. Operands are named x, y, w in order, outputs z, indices.
inline Op row(const std::string& family, std::vector<int32_t> in, std::vector<int32_t> out, Tree oracle, Eval eval,
              const std::string& tolerance = "exact") {
  static const std::vector<std::string> kNames = {"x", "y", "w"};
  Op op;
  op.name = "tested";
  op.family = family;
  for (size_t i = 0; i < in.size(); ++i) op.operands.push_back({kNames.at(i), Role::in});
  op.outputs = {"z"};
  if (out.size() == 2) op.outputs.emplace_back("indices");
  Instance instance;
  instance.in = std::move(in);
  instance.out = std::move(out);
  instance.acc = instance.out[0] == TS_DTYPE_F16 || instance.out[0] == TS_DTYPE_BF16 ? TS_DTYPE_F32 : instance.out[0];
  instance.eval = eval;
  instance.tolerance = tolerance;
  op.instances = {instance};
  op.oracle = std::move(oracle);
  return op;
}

inline AttributeRow attribute(const std::string& name, const std::string& kind) { return {name, 0, kind, "", {}}; }

inline Call call_of(const Op& op, std::vector<Array> inputs, Attributes attributes = {}) {
  Call result;
  result.op = &op;
  result.instance = &op.instances[0];
  result.inputs = std::move(inputs);
  result.attributes = std::move(attributes);
  return result;
}

} // namespace ts::judge::test
