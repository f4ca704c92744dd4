#include "backends/kernels/row.h"

#include <map>

namespace ts::kernels {

namespace {

// The names that TS_INSTANCE uses for dtypes.
namespace names {
enum : int32_t {
  BOOL = TS_DTYPE_BOOL,
  U8 = TS_DTYPE_U8,
  I32 = TS_DTYPE_I32,
  I64 = TS_DTYPE_I64,
  F16 = TS_DTYPE_F16,
  BF16 = TS_DTYPE_BF16,
  F32 = TS_DTYPE_F32,
  F64 = TS_DTYPE_F64
};
} // namespace names

std::map<std::string, Row> rows_by_name() {
  std::map<std::string, Row> rows;
#define TS_OP(name, Name, id, family, inputs, outputs, attributes)                                                     \
  rows[#name] = Row{id, 0, #name, outputs, inputs, ShapeRule::broadcast, EmptyRule::empty, 0, {}, {}};
#include "spec/generated/ops.inc"
#define TS_RULE(row, family_, shape_, empty_, alias_)                                                                  \
  rows[#row].family = family_;                                                                                         \
  rows[#row].shape = ShapeRule::shape_;                                                                                \
  rows[#row].empty = EmptyRule::empty_;                                                                                \
  rows[#row].alias = alias_;
#include "spec/generated/door.inc"
  enum Side { outputs, inputs };
#define TS_ATTRIBUTE(row, attribute, slot, kind, side, index)                                                          \
  rows[#row].attributes.push_back({#attribute, AttributeKind::kind, side == outputs, index});
#include "spec/generated/door.inc"
  using namespace names;
#define TS_INSTANCE(row, outputs, inputs, ...) rows[#row].instances.push_back({__VA_ARGS__});
#include "spec/generated/ops.inc"
  return rows;
}

std::vector<Row> make_rows() {
  std::vector<Row> rows(TS_OP_COUNT);
  for (auto& [name, row] : rows_by_name()) rows[static_cast<size_t>(row.op)] = row;
  return rows;
}

} // namespace

const Row* find_row(int32_t op) {
  static const std::vector<Row> rows = make_rows();
  if (op < 0 || op >= TS_OP_COUNT || rows[static_cast<size_t>(op)].name.empty()) return nullptr;
  return &rows[static_cast<size_t>(op)];
}

const char* dtype_name(int32_t dtype) {
  switch (dtype) {
    case TS_DTYPE_BOOL: return "bool";
    case TS_DTYPE_U8: return "u8";
    case TS_DTYPE_I32: return "i32";
    case TS_DTYPE_I64: return "i64";
    case TS_DTYPE_F16: return "f16";
    case TS_DTYPE_BF16: return "bf16";
    case TS_DTYPE_F32: return "f32";
    case TS_DTYPE_F64: return "f64";
    default: return "?";
  }
}

} // namespace ts::kernels
