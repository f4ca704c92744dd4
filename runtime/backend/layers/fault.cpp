#include "runtime/backend/layers/fault.h"

#include "runtime/errors.h"

#include <fmt/format.h>

#include <charconv>

namespace ts {

FaultLayer::FaultLayer(std::shared_ptr<Backend> inner, std::string_view options) : Layer(std::move(inner)) {
  const std::string all(options);
  do {
    const size_t comma = options.find(',');
    const std::string_view option = options.substr(0, comma);
    const bool ends_early = comma != std::string_view::npos && comma + 1 == options.size();
    options.remove_prefix(comma == std::string_view::npos ? options.size() : comma + 1);
    const size_t equals = option.find('=');
    const std::string_view what = option.substr(0, equals);
    Countdown* countdown = what == "allocate" ? &allocate_
                           : what == "copy"   ? &copy_
                           : what == "launch" ? &launch_
                                              : nullptr;
    const std::string_view number = equals == std::string_view::npos ? std::string_view() : option.substr(equals + 1);
    const char* end = number.data() + number.size();
    if (countdown == nullptr || number.empty() || std::from_chars(number.data(), end, countdown->left).ptr != end ||
        countdown->left == 0 || ends_early) {
      throw ValueError(
          fmt::format("layer fault: options '{}'; they are allocate=N, copy=N, launch=N with N from 1", all));
    }
  } while (!options.empty());
}

bool FaultLayer::strikes(Countdown& countdown) {
  const std::lock_guard lock(mutex_);
  return countdown.strikes();
}

ts_status FaultLayer::allocate(int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) {
  if (strikes(allocate_)) return detail::refuse(error, TS_OUT_OF_MEMORY, "fault layer: this allocation fails");
  return Layer::allocate(device, bytes, buffer, error);
}

ts_status FaultLayer::copy_in(ts_queue queue, ts_buffer target, uint64_t byte, const void* source, uint64_t bytes,
                              ts_error* error) {
  if (strikes(copy_)) return detail::refuse(error, TS_DEVICE_ERROR, "fault layer: this copy_in fails");
  return Layer::copy_in(queue, target, byte, source, bytes, error);
}

ts_status FaultLayer::copy_out(ts_queue queue, void* target, ts_buffer source, uint64_t byte, uint64_t bytes,
                               ts_error* error) {
  if (strikes(copy_)) return detail::refuse(error, TS_DEVICE_ERROR, "fault layer: this copy_out fails");
  return Layer::copy_out(queue, target, source, byte, bytes, error);
}

ts_status FaultLayer::copy(ts_queue target_queue, ts_buffer target, uint64_t target_byte, ts_queue source_queue,
                           ts_buffer source, uint64_t source_byte, uint64_t bytes, ts_error* error) {
  if (strikes(copy_)) return detail::refuse(error, TS_DEVICE_ERROR, "fault layer: this copy fails");
  return Layer::copy(target_queue, target, target_byte, source_queue, source, source_byte, bytes, error);
}

ts_status FaultLayer::launch(int32_t family, const ts_call& call, ts_error* error) {
  if (strikes(launch_))
    return detail::refuse(error, TS_DEVICE_ERROR, "fault layer: this launch fails", call.op, call.serial);
  return Layer::launch(family, call, error);
}

} // namespace ts
