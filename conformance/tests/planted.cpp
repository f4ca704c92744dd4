// A backend that adds f32 and i32, naively, and that can be told to be wrong in one way: `planted.so:FAULT`. The tests of
// the harness hold that every fault is found, with the right verdict.
#include "backends/abi/backend.h"
#include "backends/kernels/table.h"

#include <cfenv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <string>
#include <thread>
#include <vector>

struct ts_instance {
  std::string fault;
  std::map<ts_buffer, std::vector<unsigned char>> buffers;
  ts_buffer next = 0x1000;
  uint64_t launches = 0, calls = 0;
  std::list<std::vector<unsigned char>> lost; ///< kept reachable, so that no leak detector ends the process
  bool has(const char* name) const { return fault == name; }
};

namespace {

ts_status refuse(ts_error* error, ts_status status, const char* message) {
  if (error != nullptr) {
    error->status = status;
    std::snprintf(error->message, sizeof error->message, "%s", message);
  }
  return status;
}

ts_status open(const char* options, ts_instance** self, ts_error* error) {
  if (std::string_view(options) == "refuses_to_open") return refuse(error, TS_INVALID_ARGUMENT, "told to refuse");
  if (std::string_view(options) == "opens_nothing") return *self = nullptr, TS_OK;
  *self = new ts_instance;
  (*self)->fault = options;
  return TS_OK;
}
void close(ts_instance* self) {
  if (self->has("dies_at_close")) std::abort();
  delete self;
}
int32_t device_count(ts_instance* self) { return self->has("counts_a_device_too_many") ? 2 : 1; }
ts_status device_info(ts_instance*, int32_t device, ts_device_info* info, ts_error* error) {
  if (device != 0) return refuse(error, TS_INVALID_ARGUMENT, "there is no such device");
  info->alignment = 16;
  return TS_OK;
}
ts_status allocate(ts_instance* self, int32_t, uint64_t bytes, ts_buffer* buffer, ts_error*) {
  *buffer = self->next++;
  self->buffers[*buffer].resize(bytes);
  return TS_OK;
}
void release(ts_instance* self, ts_buffer buffer, ts_queue) {
  if (!self->has("forgets_release")) self->buffers.erase(buffer);
}
ts_status copy_in(ts_instance* self, ts_queue, ts_buffer target, uint64_t at, const void* source, uint64_t bytes,
                  ts_error*) {
  if (bytes > 0) std::memcpy(self->buffers[target].data() + at, source, bytes);
  return TS_OK;
}
ts_status copy_out(ts_instance* self, ts_queue, void* target, ts_buffer source, uint64_t at, uint64_t bytes,
                   ts_error*) {
  if (bytes > 0) std::memcpy(target, self->buffers[source].data() + at, bytes);
  return TS_OK;
}
ts_status copy(ts_instance* self, ts_queue, ts_buffer target, uint64_t target_at, ts_queue, ts_buffer source,
               uint64_t source_at, uint64_t bytes, ts_error*) {
  if (bytes > 0) std::memcpy(self->buffers[target].data() + target_at, self->buffers[source].data() + source_at, bytes);
  return TS_OK;
}
ts_status queue_create(ts_instance*, int32_t, ts_queue* queue, ts_error*) { return *queue = 1, TS_OK; }
void queue_destroy(ts_instance*, int32_t, ts_queue) {}
ts_status record(ts_instance*, int32_t, ts_queue, ts_event*, ts_error*) { return TS_OK; }
ts_status wait(ts_instance*, int32_t, ts_queue, ts_event, ts_error*) { return TS_OK; }
ts_status synchronize(ts_instance* self, int32_t, ts_queue, ts_error* error) {
  return self->has("device_lost") && self->calls > 0 ? refuse(error, TS_DEVICE_ERROR, "the device is lost") : TS_OK;
}

bool supports(const ts_call* call) {
  if (call->op != TS_OP_ADD) return false;
  const int32_t dtype = call->outputs[0].dtype;
  return dtype == TS_DTYPE_F32 || dtype == TS_DTYPE_I32;
}

bool has_negative_stride(const ts_call* call) {
  for (int32_t k = 0; k < call->input_count; ++k)
    for (int32_t a = 0; a < call->inputs[k].view.rank; ++a)
      if (call->inputs[k].view.stride[a] < 0 && call->inputs[k].view.shape[a] > 1) return true;
  return false;
}

bool refuses(const ts_instance* self, const ts_call* call) {
  return !supports(call) || (self->has("refuses_reversed") && has_negative_stride(call));
}

void query(ts_instance* self, const ts_call* call, ts_answer* answer) {
  answer->status = refuses(self, call) ? TS_UNSUPPORTED : TS_OK;
  if (self->has("claims_too_much")) answer->status = TS_OK;
  if (self->has("claims_too_little")) answer->status = TS_UNSUPPORTED;
  answer->workspace_bytes = self->has("overruns_workspace") ? 24 : self->has("asks_for_everything") ? 1ULL << 62 : 0;
  if (self->has("query_rounds_up")) std::fesetround(FE_UPWARD);
}

// Byte address of element i of a view, in row-major order.
unsigned char* element(ts_instance* self, const ts_view& view, int64_t i) {
  int64_t position = view.offset;
  for (int32_t a = view.rank; a-- > 0;) {
    const int64_t stride = self->has("absolute_stride") ? std::abs(view.stride[a]) : view.stride[a];
    if (view.shape[a] > 1) position += i % view.shape[a] * stride;
    i /= view.shape[a];
  }
  // A fault reads and writes the wrong element, never another's memory: it must be the suite that notices.
  std::vector<unsigned char>& bytes = self->buffers[view.buffer];
  const auto count = static_cast<int64_t>(bytes.size() / 4);
  return bytes.data() + (count > 0 ? (position % count + count) % count : 0) * 4;
}

uint32_t read(ts_instance* self, const ts_operand& operand, int64_t i) {
  uint32_t bits = static_cast<uint32_t>(operand.bits);
  if (operand.view.buffer != 0) std::memcpy(&bits, element(self, operand.view, i), 4);
  return bits;
}

uint32_t sum(int32_t dtype, uint32_t a, uint32_t b) {
  if (dtype == TS_DTYPE_I32) return a + b;
  float x = 0, y = 0;
  std::memcpy(&x, &a, 4);
  std::memcpy(&y, &b, 4);
  x += y;
  std::memcpy(&a, &x, 4);
  return a;
}

void before_call(ts_instance* self) {
  if (self->has("crashes")) std::abort();
  if (self->has("crashes_on_the_40th") && self->calls == 40) std::abort();
  if (self->has("exits")) std::_Exit(0);
  if (self->has("hangs")) std::this_thread::sleep_for(std::chrono::hours(1));
  if (self->has("rounds_up")) std::fesetround(FE_UPWARD);
}

void after_call(ts_instance* self, const ts_call* call, int64_t count) {
  const ts_view& z = call->outputs[0];
  std::vector<unsigned char>& bytes = self->buffers[z.buffer];
  // An input that is immediate, or that the result lies on, has nothing that could be harmed.
  const ts_view& x = call->inputs[0].view;
  if (self->has("writes_gap") && z.rank > 0 && z.stride[z.rank - 1] == 2 && count > 1)
    bytes[static_cast<size_t>(z.offset + 1) * 4] ^= 1;
  if (self->has("writes_past_end") && !bytes.empty()) bytes.back() ^= 1;
  if (self->has("changes_input") && x.buffer != 0 && x.buffer != z.buffer && count > 0) *element(self, x, 0) ^= 1;
  if (self->has("leaks")) self->lost.push_back(std::vector<unsigned char>(64));
  if (self->has("overruns_workspace")) self->buffers[call->workspace][call->workspace_bytes] = 0;
}

ts_status elementwise(ts_instance* self, const ts_call* call, ts_error* error) {
  if (refuses(self, call) && !self->has("claims_too_little"))
    return refuse(error, TS_UNSUPPORTED, "only add of f32 and i32");
  if (!supports(call)) return refuse(error, TS_UNSUPPORTED, "only add of f32 and i32");
  ++self->calls;
  before_call(self);
  const ts_view& z = call->outputs[0];
  int64_t count = 1;
  for (int32_t a = 0; a < z.rank; ++a) count *= z.shape[a];
  for (int64_t i = 0; i < count; ++i) {
    if (self->has("forgets_last") && i + 1 == count && count > 1) continue;
    uint32_t bits = sum(z.dtype, read(self, call->inputs[0], i), read(self, call->inputs[1], i));
    if (self->has("off_by_one_ulp") && i == 17) ++bits;
    if (self->has("depends_on_layout") && i == 3 && z.rank > 1 && z.stride[z.rank - 1] != 1 && z.dtype == TS_DTYPE_F32)
      bits ^= 0x80000000U;
    if (self->has("writes_zero")) bits = 0;
    if (self->has("writes_ones")) bits = ~decltype(bits){0};
    if (self->has("keeps_what_is_no_ones") && *element(self, z, i) != 0xff) continue;
    std::memcpy(element(self, z, i), &bits, 4);
  }
  after_call(self, call, count);
  if (count > 0 && !self->has("computes_elsewhere")) ++self->launches;
  return TS_OK;
}

void census(ts_instance* self, ts_census_visitor visit, void* context, int32_t reset) {
  if (self->launches > 0) visit(context, "add", "naive", self->launches);
  if (reset != 0) self->launches = 0;
}

ts_backend make_table() {
  ts_backend table{};
  TS_REQUIRED_ENTRIES(table, "planted", "1");
  table.poll = synchronize;
  table.census = census;
  table.kernels[TS_FAMILY_ELEMENTWISE] = elementwise;
  return table;
}

} // namespace

extern "C" TS_EXPORT const ts_backend* ts_backend_table(void) {
  static const ts_backend table = make_table();
  return &table;
}
