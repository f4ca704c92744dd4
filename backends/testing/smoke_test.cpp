// Every op with every tuple of dtypes that its row names runs on both host backends, in two layouts, and gives the same
// bytes: one runs forward at the call, the other backward at synchronize. Whether the bytes are right is for the suite.
#include "backends/kernels/numbers.h"
#include "backends/kernels/row.h"
#include "backends/testing/table.h"

#include <random>

namespace ts::testing {
namespace {

using kernels::AttributeKind;
using kernels::Row;
using kernels::ShapeRule;

constexpr int64_t kExtent = 37; // past a warp, no power of two

struct Shapes {
  std::vector<Shape> outputs, inputs;
};

Shapes shapes_of(const Row& row) {
  const Shape x{5, kExtent}, column{5, 1};
  std::vector<Shape> outputs(static_cast<size_t>(row.output_count), x), inputs(static_cast<size_t>(row.input_count), x);
  switch (row.shape) {
    case ShapeRule::reduce:
    case ShapeRule::arg_reduce: outputs = {column}; break;
    case ShapeRule::topk: outputs.assign(outputs.size(), {5, 3}); break;
    case ShapeRule::matmul: return {{{5, 6}}, {{5, kExtent}, {kExtent, 6}}};
    case ShapeRule::index_select: return {{{5, 7}}, {x, {7}}};
    case ShapeRule::index_add: return {{x}, {{7}, {5, 7}}};
    case ShapeRule::gather:
    case ShapeRule::scatter:
    case ShapeRule::broadcast:
    case ShapeRule::broadcast_to_x:
    case ShapeRule::same:
    case ShapeRule::one: break;
  }
  return {outputs, inputs};
}

int64_t size_of(const Shape& shape) {
  int64_t size = 1;
  for (const int64_t extent : shape) size *= extent;
  return size;
}

// Bytes of an operand: numbers of the dtype for data, places on an axis for an index.
std::vector<uint8_t> bytes_of(int32_t dtype, int64_t count, bool index, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint8_t> bytes(static_cast<size_t>(count * itemsize(dtype)));
  with_dtype(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    for (int64_t k = 0; k < count; ++k) {
      const int64_t number =
          index ? static_cast<int64_t>(random() % kExtent) : static_cast<int64_t>(random() % 41) - 20;
      T value = convert<T>(index ? static_cast<double>(number) : static_cast<double>(number) / 4);
      if constexpr (is_bool<T>) value = T{static_cast<uint8_t>(random() % 3)};
      memcpy(bytes.data() + k * itemsize(dtype), &value, sizeof value);
    }
  });
  return bytes;
}

bool is_index(const Row& row, int k) {
  switch (row.shape) {
    case ShapeRule::gather:
    case ShapeRule::index_select: return k == 1;
    case ShapeRule::scatter:
    case ShapeRule::index_add: return k == 0;
    default: return false;
  }
}

// A view of a buffer of twice the elements: dense, or stepped with its axes turned.
ts_view view_in(ts_buffer buffer, int32_t dtype, const Shape& shape, bool dense) {
  if (dense) return dense_view(buffer, dtype, shape);
  Shape stride(shape.size());
  int64_t pitch = 2;
  for (size_t axis = 0; axis < shape.size(); pitch *= shape[axis++]) stride[axis] = pitch;
  return view_of(buffer, dtype, shape, stride, 1);
}

void add_attributes(const Row& row, const std::vector<int32_t>& dtypes, CallBuilder& call) {
  for (const auto& attribute : row.attributes) {
    const int32_t dtype =
        dtypes[static_cast<size_t>(attribute.of_output ? attribute.index : row.output_count + attribute.index)];
    const bool floating = dtype >= TS_DTYPE_F16;
    switch (attribute.kind) {
      case AttributeKind::axis: call.integer(1); break;
      case AttributeKind::axes: call.integer(2); break;
      case AttributeKind::boolean: call.integer(1); break;
      case AttributeKind::integer: call.integer(3); break;
      case AttributeKind::real: call.real(1); break;
      case AttributeKind::value: floating ? call.real(0.5) : call.integer(1); break;
    }
  }
}

// The bytes of every output buffer after the call.
std::vector<std::vector<uint8_t>> run(Instance& backend, const Row& row, const std::vector<int32_t>& dtypes,
                                      bool dense) {
  const Shapes shapes = shapes_of(row);
  CallBuilder call(row.op);
  std::vector<std::pair<ts_buffer, size_t>> outputs;
  std::vector<ts_buffer> buffers;
  for (int k = 0; k < row.output_count + row.input_count; ++k) {
    const bool output = k < row.output_count;
    const Shape& shape =
        output ? shapes.outputs[static_cast<size_t>(k)] : shapes.inputs[static_cast<size_t>(k - row.output_count)];
    const int32_t dtype = dtypes[static_cast<size_t>(k)];
    const std::vector<uint8_t> bytes =
        bytes_of(dtype, 2 * size_of(shape), !output && is_index(row, k - row.output_count), static_cast<uint64_t>(k));
    const ts_buffer buffer = backend.upload(bytes);
    buffers.push_back(buffer);
    if (output) outputs.emplace_back(buffer, bytes.size());
    const ts_view view = view_in(buffer, dtype, shape, dense);
    output ? call.out(view) : call.in(view);
  }
  add_attributes(row, dtypes, call);
  const ts_answer answer = backend.query(call);
  EXPECT_EQ(answer.status, TS_OK) << row.name << ": " << answer.reason;
  if (answer.workspace_bytes > 0) {
    buffers.push_back(backend.allocate(answer.workspace_bytes));
    call.workspace(buffers.back(), answer.workspace_bytes);
  }
  EXPECT_EQ(backend.call(row.family, call), TS_OK) << row.name << ": " << backend.error.message;
  std::vector<std::vector<uint8_t>> found;
  found.reserve(outputs.size());
  for (const auto& [buffer, size] : outputs) found.push_back(backend.download<uint8_t>(buffer, size));
  for (const ts_buffer buffer : buffers) backend.table()->release(backend.self(), buffer, 0);
  return found;
}

// Additions of floats in no fixed order: the row says bits = "none".
bool in_any_order(const Row& row, const std::vector<int32_t>& dtypes) {
  return dtypes[0] >= TS_DTYPE_F16 && (row.shape == ShapeRule::index_add || row.shape == ShapeRule::scatter);
}

TEST(Smoke, EveryOpRunsOnBothBackendsAndGivesTheSameBytes) {
  // TS_CITES(execution.3, execution.17)
  Instance cpu(load_table(built_backend("cpu")));
  Instance backward(load_table(built_backend("emulator"))),
      shuffled(load_table(built_backend("emulator")), "shuffle=5,threads=2");
  int ops = 0, instances = 0;
  for (int32_t op = 0; op < TS_OP_COUNT; ++op) {
    const Row* row = kernels::find_row(op);
    if (row == nullptr) continue;
    ++ops;
    for (const std::vector<int32_t>& dtypes : row->instances) {
      ++instances;
      for (const bool dense : {true, false}) {
        SCOPED_TRACE(row->name + (dense ? " dense " : " strided ") + kernels::dtype_name(dtypes.back()));
        const auto wanted = run(cpu, *row, dtypes, dense), found = run(backward, *row, dtypes, dense);
        const auto other = run(shuffled, *row, dtypes, dense);
        if (in_any_order(*row, dtypes)) continue;
        ASSERT_EQ(found, wanted);
        ASSERT_EQ(other, wanted);
      }
    }
  }
  EXPECT_GT(ops, 100);
  RecordProperty("ops", ops);
  RecordProperty("instances", instances);
  printf("%d ops, %d instances\n", ops, instances);
}

} // namespace
} // namespace ts::testing
