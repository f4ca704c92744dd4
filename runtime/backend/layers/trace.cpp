#include "runtime/backend/layers/trace.h"

#include "runtime/base/row.h"
#include "runtime/errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <span>

namespace ts {

namespace {

TraceLayer::Sink open_sink(std::string_view options) {
  if (options.empty())
    return [](std::string_view line) { std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data()); };
  if (!options.starts_with("file="))
    throw ValueError(fmt::format("layer trace: option '{}'; it takes file=PATH", options));
  const std::string path(options.substr(5));
  const std::shared_ptr<std::FILE> file(std::fopen(path.c_str(), "w"), [](std::FILE* f) {
    if (f != nullptr) std::fclose(f);
  });
  if (!file) throw ValueError(fmt::format("layer trace: '{}' cannot be written", path));
  return [file](std::string_view line) {
    std::fprintf(file.get(), "%.*s\n", static_cast<int>(line.size()), line.data());
    std::fflush(file.get()); // what led to a crash is what a trace is for
  };
}

const char* status_name(ts_status status) {
  switch (status) {
    case TS_OK: return "ok";
    case TS_UNSUPPORTED: return "unsupported";
    case TS_INVALID_ARGUMENT: return "invalid_argument";
    case TS_INDEX_OUT_OF_RANGE: return "index_out_of_range";
    case TS_OUT_OF_MEMORY: return "out_of_memory";
    case TS_DEVICE_ERROR: return "device_error";
    default: return "unknown_status";
  }
}

std::string list(const int64_t* values, int32_t count) {
  const std::span<const int64_t> all(values, static_cast<size_t>(std::clamp(count, 0, TS_RANK_MAX)));
  return fmt::format("{}", fmt::join(all, ","));
}

std::string dtype_text(int32_t dtype) {
  const bool known = dtype > 0 && dtype < TS_DTYPE_COUNT;
  return known ? std::string(name(static_cast<DType>(dtype))) : fmt::format("dtype{}", dtype);
}

} // namespace

TraceLayer::TraceLayer(std::shared_ptr<Backend> inner, std::string_view options)
    : TraceLayer(std::move(inner), open_sink(options)) {}
TraceLayer::TraceLayer(std::shared_ptr<Backend> inner, Sink sink) : Layer(std::move(inner)), sink_(std::move(sink)) {}

void TraceLayer::set_sink(Sink sink) {
  const std::lock_guard lock(mutex_);
  sink_ = std::move(sink);
}

void TraceLayer::line(std::string text, ts_status status, const ts_error* error) {
  if (status != TS_OK) {
    text += fmt::format(" -> {}", status_name(status));
    if (error != nullptr) text += fmt::format(" \"{}\"", error->message);
  }
  const std::lock_guard lock(mutex_);
  sink_(text);
}

uint64_t TraceLayer::number(ts_buffer buffer) {
  const std::lock_guard lock(mutex_);
  const auto found = numbers_.find(buffer);
  return found == numbers_.end() ? 0 : found->second;
}

std::string TraceLayer::place(ts_buffer buffer, uint64_t byte) { return fmt::format("#{}+{}", number(buffer), byte); }

std::string TraceLayer::view_text(const ts_view& view) {
  const bool known = view.dtype > 0 && view.dtype < TS_DTYPE_COUNT;
  const int64_t width = known ? itemsize(static_cast<DType>(view.dtype)) : 1;
  return fmt::format("{}({})[{}]{}", dtype_text(view.dtype), list(view.shape, view.rank), list(view.stride, view.rank),
                     place(view.buffer, static_cast<uint64_t>(view.offset * width)));
}

ts_status TraceLayer::allocate(int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) {
  const ts_status status = Layer::allocate(device, bytes, buffer, error);
  uint64_t given = 0;
  if (status == TS_OK) {
    const std::lock_guard lock(mutex_);
    given = numbers_[*buffer] = ++allocations_;
  }
  line(fmt::format("allocate device {} bytes {} = #{}", device, bytes, given), status, error);
  return status;
}

void TraceLayer::release(ts_buffer buffer, ts_queue queue) {
  line(fmt::format("release #{} queue {}", number(buffer), queue), TS_OK, nullptr);
  {
    const std::lock_guard lock(mutex_);
    numbers_.erase(buffer);
  }
  Layer::release(buffer, queue);
}

ts_status TraceLayer::copy_in(ts_queue queue, ts_buffer target, uint64_t byte, const void* source, uint64_t bytes,
                              ts_error* error) {
  const ts_status status = Layer::copy_in(queue, target, byte, source, bytes, error);
  line(fmt::format("copy_in {} bytes {} queue {}", place(target, byte), bytes, queue), status, error);
  return status;
}

ts_status TraceLayer::copy_out(ts_queue queue, void* target, ts_buffer source, uint64_t byte, uint64_t bytes,
                               ts_error* error) {
  const ts_status status = Layer::copy_out(queue, target, source, byte, bytes, error);
  line(fmt::format("copy_out {} bytes {} queue {}", place(source, byte), bytes, queue), status, error);
  return status;
}

ts_status TraceLayer::copy(ts_queue target_queue, ts_buffer target, uint64_t target_byte, ts_queue source_queue,
                           ts_buffer source, uint64_t source_byte, uint64_t bytes, ts_error* error) {
  const ts_status status =
      Layer::copy(target_queue, target, target_byte, source_queue, source, source_byte, bytes, error);
  line(fmt::format("copy {} from {} bytes {} queues {} {}", place(target, target_byte), place(source, source_byte),
                   bytes, target_queue, source_queue),
       status, error);
  return status;
}

ts_status TraceLayer::record(int32_t device, ts_queue queue, ts_event* event, ts_error* error) {
  const ts_status status = Layer::record(device, queue, event, error);
  uint64_t given = 0;
  if (status == TS_OK) {
    const std::lock_guard lock(mutex_);
    given = events_.emplace(*event, events_.size() + 1).first->second;
  }
  line(fmt::format("record device {} queue {} = event {}", device, queue, given), status, error);
  return status;
}

ts_status TraceLayer::wait(int32_t device, ts_queue queue, ts_event event, ts_error* error) {
  const ts_status status = Layer::wait(device, queue, event, error);
  uint64_t known = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = events_.find(event); found != events_.end()) known = found->second;
  }
  line(fmt::format("wait device {} queue {} event {}", device, queue, known), status, error);
  return status;
}

ts_status TraceLayer::synchronize(int32_t device, ts_queue queue, ts_error* error) {
  const ts_status status = Layer::synchronize(device, queue, error);
  line(fmt::format("synchronize device {} queue {}", device, queue), status, error);
  return status;
}

ts_status TraceLayer::map(ts_buffer buffer, void** address, ts_error* error) {
  const ts_status status = Layer::map(buffer, address, error);
  line(fmt::format("map #{}", number(buffer)), status, error);
  return status;
}

ts_status TraceLayer::import(int32_t device, void* native, uint64_t bytes, void (*deleter)(void*), void* context,
                             ts_buffer* buffer, ts_error* error) {
  const ts_status status = Layer::import(device, native, bytes, deleter, context, buffer, error);
  uint64_t given = 0;
  if (status == TS_OK) {
    const std::lock_guard lock(mutex_);
    given = numbers_[*buffer] = ++allocations_;
  }
  line(fmt::format("import device {} bytes {} = #{}", device, bytes, given), status, error);
  return status;
}

ts_status TraceLayer::launch(int32_t family, const ts_call& call, ts_error* error) {
  std::string text = ops::row(call.op).name;
  for (int32_t i = 0; i < call.output_count; ++i) text += " out " + view_text(call.outputs[i]);
  for (int32_t i = 0; i < call.input_count; ++i) {
    const ts_operand& input = call.inputs[i];
    text += " in ";
    if (input.view.buffer != 0)
      text += view_text(input.view);
    else
      text += fmt::format("{} immediate {:#x}", dtype_text(input.view.dtype), input.bits);
  }
  for (int32_t i = 0; i < call.attribute_count; ++i) {
    const ts_attribute& attribute = call.attributes[i];
    if (attribute.kind == TS_ATTRIBUTE_REAL)
      text += fmt::format(" attribute {:a}", attribute.real);
    else
      text += fmt::format(" attribute {}", attribute.integer);
  }
  if (call.workspace_bytes > 0) text += fmt::format(" workspace {}", place(call.workspace, 0));
  text += fmt::format(" device {} queue {}", call.device, call.queue);
  const ts_status status = Layer::launch(family, call, error);
  line(std::move(text), status, error);
  return status;
}

} // namespace ts
