#include "runtime/tests/tiny_backend.h"

#include "backends/kernels/table.h"
#include "runtime/base/dtype.h"
#include "runtime/base/scalar.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <vector>

namespace {

struct Memory {
  int32_t device;
  std::vector<std::byte> bytes;
};

} // namespace

struct ts_instance {
  std::map<ts_buffer, Memory> buffers;
  uint64_t limit = 0;
  uint64_t held[2] = {0, 0};
};

namespace ts::tests {

namespace {

ts_status refuse(ts_error* error, ts_status status, const std::string& what) {
  if (error != nullptr) {
    error->status = status;
    std::snprintf(error->message, sizeof error->message, "%s", what.c_str());
  }
  return status;
}

std::byte* at(ts_instance* self, ts_buffer buffer, uint64_t byte) {
  return self->buffers.at(buffer).bytes.data() + byte;
}

ts_status open(const char* options, ts_instance** self, ts_error*) {
  *self = new ts_instance;
  (*self)->limit = std::strtoull(options, nullptr, 10);
  return TS_OK;
}
void close(ts_instance* self) { delete self; }
int32_t device_count(ts_instance*) { return 2; }
ts_status device_info(ts_instance*, int32_t, ts_device_info* info, ts_error*) {
  info->alignment = 16;
  info->flags = TS_DEVICE_DETERMINISTIC;
  std::snprintf(info->name, sizeof info->name, "tiny");
  return TS_OK;
}

ts_status allocate(ts_instance* self, int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) {
  if (self->limit != 0 && self->held[device] + bytes > self->limit)
    return refuse(error, TS_OUT_OF_MEMORY, "tiny is full");
  self->held[device] += bytes;
  // Handles are used again, and are no small numbers: nobody may take one for a count.
  *buffer = 0x1000;
  while (self->buffers.contains(*buffer)) *buffer += 0x40;
  self->buffers[*buffer] = {device, std::vector<std::byte>(bytes, std::byte{0xab})};
  return TS_OK;
}
void release(ts_instance* self, ts_buffer buffer, ts_queue) {
  const Memory& memory = self->buffers.at(buffer);
  self->held[memory.device] -= memory.bytes.size();
  self->buffers.erase(buffer);
}
ts_status copy_in(ts_instance* self, ts_queue, ts_buffer target, uint64_t byte, const void* source, uint64_t bytes,
                  ts_error*) {
  if (bytes > 0) std::memcpy(at(self, target, byte), source, bytes);
  return TS_OK;
}
ts_status copy_out(ts_instance* self, ts_queue, void* target, ts_buffer source, uint64_t byte, uint64_t bytes,
                   ts_error*) {
  if (bytes > 0) std::memcpy(target, at(self, source, byte), bytes);
  return TS_OK;
}
ts_status copy(ts_instance* self, ts_queue, ts_buffer target, uint64_t target_byte, ts_queue, ts_buffer source,
               uint64_t source_byte, uint64_t bytes, ts_error*) {
  if (bytes > 0) std::memmove(at(self, target, target_byte), at(self, source, source_byte), bytes);
  return TS_OK;
}
ts_status queue_create(ts_instance*, int32_t, ts_queue* queue, ts_error*) {
  *queue = 1;
  return TS_OK;
}
void queue_destroy(ts_instance*, int32_t, ts_queue) {}
ts_status record(ts_instance*, int32_t, ts_queue, ts_event* event, ts_error*) {
  *event = 1;
  return TS_OK;
}
ts_status wait(ts_instance*, int32_t, ts_queue, ts_event, ts_error*) { return TS_OK; }
ts_status synchronize(ts_instance*, int32_t, ts_queue, ts_error*) { return TS_OK; }

void query(ts_instance*, const ts_call* call, ts_answer* answer) {
  const bool known = call->op == TS_OP_FILL || call->op == TS_OP_CONVERT || call->op == TS_OP_ADD;
  answer->status = known ? TS_OK : TS_UNSUPPORTED;
  answer->workspace_bytes = 0;
  std::snprintf(answer->reason, sizeof answer->reason, "tiny has fill, convert and add");
}

int64_t position(const ts_view& view, const int64_t* index) {
  int64_t at = view.offset;
  for (int32_t axis = 0; axis < view.rank; ++axis) at += view.shape[axis] > 1 ? index[axis] * view.stride[axis] : 0;
  return at;
}

uint64_t load(ts_instance* self, const ts_operand& operand, const int64_t* index) {
  if (operand.view.buffer == 0) return operand.bits;
  const auto width = static_cast<size_t>(itemsize(static_cast<DType>(operand.view.dtype)));
  uint64_t bits = 0;
  std::memcpy(&bits, at(self, operand.view.buffer, static_cast<uint64_t>(position(operand.view, index)) * width),
              width);
  return bits;
}

template <class Element> ts_status for_each(ts_instance* self, const ts_call* call, Element&& element) {
  const ts_view& out = call->outputs[0];
  const auto width = static_cast<size_t>(itemsize(static_cast<DType>(out.dtype)));
  int64_t count = 1, index[TS_RANK_MAX] = {};
  for (int32_t axis = 0; axis < out.rank; ++axis) count *= out.shape[axis];
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = element(index);
    std::memcpy(at(self, out.buffer, static_cast<uint64_t>(position(out, index)) * width), &bits, width);
    for (int32_t axis = out.rank - 1; axis >= 0 && ++index[axis] == out.shape[axis]; --axis) index[axis] = 0;
  }
  return TS_OK;
}

ts_status fill(ts_instance* self, const ts_call* call, ts_error*) {
  const ts_attribute& value = call->attributes[0];
  const Scalar scalar = value.kind == TS_ATTRIBUTE_REAL ? Scalar(value.real) : Scalar(value.integer);
  const uint64_t bits = scalar.encode(static_cast<DType>(call->outputs[0].dtype));
  return for_each(self, call, [&](const int64_t*) { return bits; });
}

ts_status convert(ts_instance* self, const ts_call* call, ts_error*) {
  const auto from = static_cast<DType>(call->inputs[0].view.dtype), to = static_cast<DType>(call->outputs[0].dtype);
  return for_each(self, call, [&](const int64_t* index) {
    return Scalar::decode(from, load(self, call->inputs[0], index)).encode(to);
  });
}

ts_status elementwise(ts_instance* self, const ts_call* call, ts_error* error) {
  if (call->op != TS_OP_ADD) return refuse(error, TS_UNSUPPORTED, "tiny has no such operation");
  const auto dtype = static_cast<DType>(call->outputs[0].dtype);
  return for_each(self, call, [&](const int64_t* index) {
    const Scalar x = Scalar::decode(dtype, load(self, call->inputs[0], index));
    const Scalar y = Scalar::decode(dtype, load(self, call->inputs[1], index));
    if (x.is_real()) return Scalar(x.real() + y.real()).encode(dtype);
    const uint64_t sum = static_cast<uint64_t>(x.integer()) + static_cast<uint64_t>(y.integer());
    return Scalar(static_cast<int64_t>(sum)).encode(dtype);
  });
}

} // namespace

const ts_backend& tiny_table() {
  static const ts_backend table = [] {
    ts_backend t{};
    TS_REQUIRED_ENTRIES(t, "tiny", "1");
    t.poll = synchronize;
    t.kernels[TS_FAMILY_FILL] = fill;
    t.kernels[TS_FAMILY_CONVERT] = convert;
    t.kernels[TS_FAMILY_ELEMENTWISE] = elementwise;
    return t;
  }();
  return table;
}

std::shared_ptr<Backend> open_tiny(uint64_t limit) {
  ts_instance* instance = nullptr;
  tiny_table().open(std::to_string(limit).c_str(), &instance, nullptr);
  return std::make_shared<Backend>("tiny", &tiny_table(), instance);
}

} // namespace ts::tests
