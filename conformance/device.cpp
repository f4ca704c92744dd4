#include "conformance/device.h"

#include <fmt/format.h>

#include <array>
#include <cfenv>
#include <cstdio>
#include <utility>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace ts::conformance {

namespace {

// Rounding, flush to zero, denormals are zero: what a call must leave as it was.
unsigned float_controls() {
  auto controls = static_cast<unsigned>(std::fegetround());
#if defined(__SSE__)
  controls |= _mm_getcsr() & 0xffc0U;
#endif
  return controls;
}

} // namespace

// Calls an entry, which leaves the floating-point environment as it was.
template <class Call> auto Device::unchanged(const char* entry, const Call& call) const {
  const unsigned before = float_controls();
  std::fenv_t environment{};
  std::fegetenv(&environment);
  const auto result = call();
  if (const unsigned after = float_controls(); after != before) {
    std::fesetenv(&environment);
    throw DoorFault{"floating-point environment",
                    fmt::format("{} changed the floating-point controls from 0x{:x} to 0x{:x}", entry, before, after)};
  }
  return result;
}

Device::Device(std::shared_ptr<Backend> backend, int32_t index) : backend_(std::move(backend)), index_(index) {}

Device::~Device() {
  ts_error error = make_error();
  drain(error);
}

void Device::refuse(const char* entry, ts_status status, const ts_error& error) const {
  throw DoorFault{entry, fmt::format("{} returned {}: {}", entry, status_name(status), error.message)};
}

void Device::check(const char* entry, ts_status status, const ts_error& error) const {
  if (status != TS_OK) refuse(entry, status, error);
}

ts_buffer Device::allocate(uint64_t bytes) {
  ts_error error = make_error();
  ts_buffer buffer = 0;
  const auto call = [&] { return backend_->table().allocate(backend_->instance(), index_, bytes, &buffer, &error); };
  check("allocate", unchanged("allocate", call), error);
  if (buffer == 0) throw DoorFault{"allocate", "allocate returned TS_OK and buffer 0"};
  return buffer;
}

void Device::release(ts_buffer buffer) { backend_->table().release(backend_->instance(), buffer, queue_); }

void Device::copy_in(ts_buffer target, const std::vector<std::byte>& bytes) {
  ts_error error = make_error();
  const auto call = [&] {
    return backend_->table().copy_in(backend_->instance(), queue_, target, 0, bytes.data(), bytes.size(), &error);
  };
  check("copy_in", unchanged("copy_in", call), error);
}

void Device::copy_out(std::vector<std::byte>& bytes, ts_buffer source) {
  ts_error error = make_error();
  const auto call = [&] {
    return backend_->table().copy_out(backend_->instance(), queue_, bytes.data(), source, 0, bytes.size(), &error);
  };
  check("copy_out", unchanged("copy_out", call), error);
}

void Device::synchronize() {
  ts_error error = make_error();
  check("synchronize", unchanged("synchronize", [&] { return drain(error); }), error);
}

ts_status Device::drain(ts_error& error) {
  return backend_->table().synchronize(backend_->instance(), index_, queue_, &error);
}

ts_answer Device::query(const ts_call& call) {
  ts_answer answer{};
  answer.size = sizeof answer;
  answer.status = -1;
  unchanged("query", [&] { return backend_->table().query(backend_->instance(), &call, &answer), 0; });
  answer.reason[TS_MESSAGE_BYTES - 1] = '\0';
  if (answer.status < 0) throw DoorFault{"query", "query gave no status"};
  return answer;
}

ts_status Device::call(int family, const ts_call& call, ts_error& error) {
  const ts_kernel kernel = backend_->kernel(family);
  if (kernel == nullptr) {
    std::snprintf(error.message, sizeof error.message, "kernels[%d] is NULL or past kernel_count", family);
    return TS_UNSUPPORTED;
  }
  const ts_status status = unchanged("the call", [&] { return kernel(backend_->instance(), &call, &error); });
  error.message[TS_MESSAGE_BYTES - 1] = '\0';
  return status;
}

std::map<std::string, uint64_t> Device::take_census() {
  std::map<std::string, uint64_t> launches;
  if (!counts()) return launches;
  const auto visit = [](void* context, const char* kernel, const char* route, uint64_t count) {
    auto& into = *static_cast<std::map<std::string, uint64_t>*>(context);
    into[fmt::format("{}/{}", kernel, route)] += count;
  };
  backend_->table().census(backend_->instance(), visit, &launches, 1);
  return launches;
}

std::string status_name(ts_status status) {
  constexpr std::array<const char*, 6> kNames = {
      "TS_OK", "TS_UNSUPPORTED", "TS_INVALID_ARGUMENT", "TS_INDEX_OUT_OF_RANGE", "TS_OUT_OF_MEMORY", "TS_DEVICE_ERROR"};
  const bool known = status >= 0 && status < static_cast<ts_status>(kNames.size());
  return known ? kNames[static_cast<size_t>(status)] : fmt::format("the unknown status {}", status);
}

} // namespace ts::conformance
