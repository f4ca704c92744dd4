#include "conformance/mutants/door.h"

#include "runtime/errors.h"

#include <algorithm>
#include <cstdio>

namespace ts::conformance::mutants {

CallCopy::CallCopy(const ts_call& call)
    : header(call), outputs(call.outputs, call.outputs + call.output_count),
      inputs(call.inputs, call.inputs + call.input_count),
      attributes(call.attributes, call.attributes + call.attribute_count) {}

ts_call CallCopy::call() const {
  ts_call call = header;
  call.outputs = outputs.data();
  call.inputs = inputs.data();
  call.attributes = attributes.data();
  return call;
}

Door::Door(const Backend& backend, const BufferSizes& sizes, int32_t family, const ts_call& call, ts_error* error)
    : backend_(backend), sizes_(sizes), family_(family), call_(call), error_(error) {}

Door::~Door() {
  for (const ts_buffer buffer : temporaries_) backend_.table().release(backend_.instance(), buffer, call_.queue);
}

ts_status Door::pass(const ts_call& call) { return backend_.kernel(family_)(backend_.instance(), &call, error_); }

std::optional<ts_status> Door::attempt(const ts_call& call) {
  const ts_status status = pass(call);
  if (status == TS_INVALID_ARGUMENT || status == TS_UNSUPPORTED) {
    if (error_ != nullptr) *error_ = make_error();
    return std::nullopt;
  }
  return status;
}

ts_status Door::refuse(ts_status status, const char* message) {
  if (error_ == nullptr) return status;
  error_->status = status;
  error_->op = call_.op;
  error_->serial = call_.serial;
  std::snprintf(error_->message, sizeof error_->message, "%s", message);
  return status;
}

ts_buffer Door::allocate(uint64_t bytes) {
  ts_buffer buffer = 0;
  ts_error error = make_error();
  const ts_status status =
      backend_.table().allocate(backend_.instance(), call_.device, std::max<uint64_t>(bytes, 1), &buffer, &error);
  if (status != TS_OK) throw_status(backend_, status, error);
  temporaries_.push_back(buffer);
  own_sizes_[buffer] = bytes;
  return buffer;
}

int64_t Door::elements_of(ts_buffer buffer, int32_t dtype) const {
  const auto own = own_sizes_.find(buffer);
  const auto given = sizes_.find(buffer);
  const uint64_t bytes = own != own_sizes_.end() ? own->second : given != sizes_.end() ? given->second : 0;
  return static_cast<int64_t>(bytes) / itemsize_of(dtype);
}

ts_view Door::temporary(const ts_view& like, int32_t dtype) {
  ts_view view = like;
  view.dtype = dtype;
  view.offset = 0;
  make_dense(view);
  view.buffer = allocate(static_cast<uint64_t>(count_of(view) * itemsize_of(dtype)));
  return view;
}

bool Door::move(const ts_view& from, const ts_view& to) {
  if (count_of(to) == 0) return true;
  ts_view target = to;
  ts_operand source{from, 0};
  // A copy of bools by their bytes: whatever they are, they stay so.
  if (from.dtype == TS_DTYPE_BOOL && to.dtype == TS_DTYPE_BOOL) source.view.dtype = target.dtype = TS_DTYPE_U8;
  ts_call call{};
  call.size = sizeof call;
  call.op = TS_OP_CONVERT;
  call.device = call_.device;
  call.queue = call_.queue;
  call.serial = call_.serial;
  call.outputs = &target;
  call.output_count = 1;
  call.inputs = &source;
  call.input_count = 1;
  ts_error error = make_error();
  return backend_.kernel(TS_FAMILY_CONVERT)(backend_.instance(), &call, &error) == TS_OK;
}

ts_view Door::saved(const ts_view& view) {
  const ts_view copy = temporary(view);
  move(view, copy);
  return copy;
}

bool Door::make_readable(ts_view& view) {
  const bool shared = std::any_of(call_.outputs, call_.outputs + call_.output_count,
                                  [&](const ts_view& output) { return output.buffer == view.buffer; });
  const int64_t elements = elements_of(view.buffer, view.dtype);
  const Reach reach = reach_of(view);
  if (!shared && reach.low >= 0 && reach.high < elements) return true;
  const int64_t lead = std::max<int64_t>(-reach.low, 0);
  const int64_t total = lead + std::max(elements, reach.high + 1);
  const int64_t item = itemsize_of(view.dtype);
  constexpr int64_t kBytesMax = int64_t{1} << 26;
  if (total > kBytesMax / item) return false;
  // What a misreading kernel finds beyond a buffer is nobody's value.
  std::vector<std::byte> bytes(static_cast<size_t>(total * item), std::byte{0x9d});
  const std::vector<std::byte> held = download(view.buffer);
  std::copy_n(held.begin(), elements * item, bytes.begin() + lead * item);
  view.buffer = allocate(bytes.size());
  view.offset += lead;
  upload(view.buffer, bytes);
  return true;
}

std::vector<std::byte> Door::download(ts_buffer buffer) {
  std::vector<std::byte> bytes(static_cast<size_t>(elements_of(buffer, TS_DTYPE_U8)));
  ts_error error = make_error();
  const ts_backend& table = backend_.table();
  ts_status status = table.copy_out(backend_.instance(), call_.queue, bytes.data(), buffer, 0, bytes.size(), &error);
  if (status == TS_OK) status = table.synchronize(backend_.instance(), call_.device, call_.queue, &error);
  if (status != TS_OK) throw_status(backend_, status, error);
  return bytes;
}

void Door::upload(ts_buffer buffer, const std::vector<std::byte>& bytes) {
  ts_error error = make_error();
  const ts_status status =
      backend_.table().copy_in(backend_.instance(), call_.queue, buffer, 0, bytes.data(), bytes.size(), &error);
  if (status != TS_OK) throw_status(backend_, status, error);
}

Alteration& Alteration::input(int k, const Change& change) {
  ts_view& view = altered_.inputs[static_cast<size_t>(k)].view;
  if (view.buffer == 0 || count_of(view) == 0) return *this;
  ts_view wrong = view;
  if (!change(wrong) || same_positions(view, wrong)) return *this;
  changed_ = true;
  possible_ = possible_ && door_.make_readable(wrong);
  view = wrong;
  return *this;
}

Alteration& Alteration::output(int k, const Change& change) {
  ts_view& view = altered_.outputs[static_cast<size_t>(k)];
  if (count_of(view) == 0) return *this;
  ts_view wrong = view;
  if (!change(wrong) || same_positions(view, wrong)) return *this;
  if (!shift_inside(wrong, door_.elements_of(wrong.buffer, wrong.dtype))) return *this;
  changed_ = true;
  landings_.push_back({door_.saved(view), wrong}); // an inout operand is read there too
  view = landings_.back().temporary;
  return *this;
}

std::optional<ts_status> Alteration::run() {
  if (!changed_ || !possible_) return std::nullopt;
  const std::optional<ts_status> status = door_.attempt(altered_.call());
  if (!status) return std::nullopt;
  for (const Landing& landing : landings_)
    if (!door_.move(landing.temporary, landing.target)) return std::nullopt;
  return status;
}

std::optional<ts_status> leave_unwritten(Door& door, const ts_call& call, const ts_view& part) {
  if (count_of(part) == 0) return std::nullopt;
  const ts_view before = door.saved(part);
  const std::optional<ts_status> status = door.attempt(call);
  if (status) door.move(before, part);
  return status;
}

} // namespace ts::conformance::mutants
