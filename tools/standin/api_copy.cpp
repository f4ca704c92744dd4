// Copies and memsets. What the host may touch is read or written when the call is made, where it is pageable; pinned memory
// when the stream gets there.
#include "tools/standin/machine.h"

#include <cstring>
#include <vector>

using ts::standin::api;
using ts::standin::Device;
using ts::standin::Machine;
using ts::standin::place_name;
using ts::standin::Stream;

namespace {

/// Rows of bytes, one after another at a pitch.
struct Rows {
  std::byte* data;
  size_t pitch;
};

struct Copy {
  const char* call;
  const void* caller;
  Rows to, from;
  size_t width, height;
  cudaMemcpyKind kind;
  cudaStream_t stream;
  bool waits; ///< the call gives what the host can see before it returns
};

enum class Host { no, pageable, pinned };

Host kind_of_host(Machine& machine, const void* address, const Device* owner) {
  if (owner != nullptr) return Host::no;
  return place_name(machine, address) == "host" ? Host::pageable : Host::pinned;
}

bool direction_fits(cudaMemcpyKind kind, const Device* to, const Device* from) {
  switch (kind) {
    case cudaMemcpyHostToHost: return to == nullptr && from == nullptr;
    case cudaMemcpyHostToDevice: return to != nullptr && from == nullptr;
    case cudaMemcpyDeviceToHost: return to == nullptr && from != nullptr;
    case cudaMemcpyDeviceToDevice: return to != nullptr && from != nullptr;
    default: return true;
  }
}

size_t span_of(const Rows& rows, size_t width, size_t height) { return (height - 1) * rows.pitch + width; }

void copy_rows(Rows to, Rows from, size_t width, size_t height) {
  for (size_t row = 0; row < height; ++row) memcpy(to.data + row * to.pitch, from.data + row * from.pitch, width);
}

std::string direction(const Device* to, const Device* from) {
  return std::string(from == nullptr ? "host" : "device") + " to " + (to == nullptr ? "host" : "device");
}

cudaError_t copy(Machine& machine, const Copy& c) {
  Stream* stream = machine.enqueue_on(c.stream);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (c.width == 0 || c.height == 0) return cudaSuccess;
  if (c.width > c.to.pitch || c.width > c.from.pitch) return cudaErrorInvalidPitchValue;
  Device *to = machine.owner(c.to.data), *from = machine.owner(c.from.data);
  const size_t written = span_of(c.to, c.width, c.height), read = span_of(c.from, c.width, c.height);
  if (!direction_fits(c.kind, to, from)) return cudaErrorInvalidValue;
  if (to != nullptr && !to->holds(c.to.data, written)) return cudaErrorInvalidValue;
  if (from != nullptr && !from->holds(c.from.data, read)) return cudaErrorInvalidValue;
  if (c.to.data < c.from.data + read && c.from.data < c.to.data + written) {
    fprintf(stderr, "stand-in CUDA runtime: %s copies between ranges that overlap\n", c.call);
    return cudaErrorInvalidValue;
  }
  if (machine.drops(ts::standin::site_of(c.call, c.caller))) return cudaSuccess;
  if (machine.trace.wanted())
    machine.trace.line("copy " + direction(to, from) + " " + std::to_string(c.width) +
                       (c.height > 1 ? "x" + std::to_string(c.height) : std::string()) + " bytes " +
                       place_name(machine, c.to.data) + " <- " + place_name(machine, c.from.data) + " stream " +
                       std::to_string(stream->id()));

  const Host to_host = kind_of_host(machine, c.to.data, to), from_host = kind_of_host(machine, c.from.data, from);
  Rows target = c.to, source = c.from;
  if (to != nullptr) target.data = to->memory().reach(target.data);
  if (from != nullptr) source.data = from->memory().reach(source.data);
  if (from_host == Host::pageable && to_host == Host::no && !c.waits) {
    std::vector<std::byte> bytes(c.width * c.height);
    copy_rows({bytes.data(), c.width}, source, c.width, c.height);
    stream->push(
        [target, c, bytes = std::move(bytes)]() mutable {
          copy_rows(target, {bytes.data(), c.width}, c.width, c.height);
        },
        c.width * c.height);
    return cudaSuccess;
  }
  stream->push([=] { copy_rows(target, source, c.width, c.height); }, c.width * c.height);
  const bool host_sees = to_host != Host::no || from_host != Host::no;
  if ((c.waits && host_sees) || to_host == Host::pageable) stream->drain();
  return stream->device().lost();
}

struct Set {
  const char* call;
  const void* caller;
  void* data;
  int value;
  size_t bytes;
  cudaStream_t stream;
};

cudaError_t set(Machine& machine, const Set& s) {
  Stream* stream = machine.enqueue_on(s.stream);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (s.bytes == 0) return cudaSuccess;
  Device* device = machine.owner(s.data);
  if (device == nullptr || !device->holds(s.data, s.bytes)) return cudaErrorInvalidValue;
  if (machine.drops(ts::standin::site_of(s.call, s.caller))) return cudaSuccess;
  if (machine.trace.wanted())
    machine.trace.line("set " + std::to_string(s.bytes) + " bytes " + place_name(machine, s.data) + " value " +
                       std::to_string(s.value & 0xFF) + " stream " + std::to_string(stream->id()));
  std::byte* target = device->memory().reach(static_cast<std::byte*>(s.data));
  stream->push([=] { memset(target, s.value, s.bytes); });
  return cudaSuccess;
}

Rows line(const void* data, size_t bytes) { return {static_cast<std::byte*>(const_cast<void*>(data)), bytes}; }

} // namespace

#define TS_CALLER __builtin_return_address(0)

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const Copy c{__func__, TS_CALLER, line(to, bytes), line(from, bytes), bytes, 1, kind, nullptr, true};
  return api(__func__, [&](Machine& machine) { return copy(machine, c); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const Copy c{__func__, TS_CALLER, line(to, bytes), line(from, bytes), bytes, 1, kind, stream, false};
  return api(__func__, [&](Machine& machine) { return copy(machine, c); });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  const Copy c{__func__, TS_CALLER, line(to, to_pitch), line(from, from_pitch), width, height, kind, nullptr, true};
  return api(__func__, [&](Machine& machine) { return copy(machine, c); });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  const Copy c{__func__, TS_CALLER, line(to, to_pitch), line(from, from_pitch), width, height, kind, stream, false};
  return api(__func__, [&](Machine& machine) { return copy(machine, c); });
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  const Copy c{__func__, TS_CALLER, line(to, bytes), line(from, bytes), bytes, 1, cudaMemcpyDeviceToDevice,
               nullptr,  true};
  return api(__func__, [&](Machine& machine) {
    return machine.has_device(to_device) && machine.has_device(from_device) ? copy(machine, c) : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream) {
  const Copy c{__func__, TS_CALLER, line(to, bytes), line(from, bytes), bytes, 1, cudaMemcpyDeviceToDevice,
               stream,   false};
  return api(__func__, [&](Machine& machine) {
    if (!machine.has_device(to_device) || !machine.has_device(from_device)) return cudaErrorInvalidDevice;
    // Each end lies on the device that the call names.
    if (machine.owner(to) != &machine.device(to_device) || machine.owner(from) != &machine.device(from_device))
      return cudaErrorInvalidValue;
    return copy(machine, c);
  });
}

cudaError_t cudaMemset(void* data, int value, size_t bytes) {
  const Set s{__func__, TS_CALLER, data, value, bytes, nullptr};
  return api(__func__, [&](Machine& machine) { return set(machine, s); });
}

cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes, cudaStream_t stream) {
  const Set s{__func__, TS_CALLER, data, value, bytes, stream};
  return api(__func__, [&](Machine& machine) { return set(machine, s); });
}
