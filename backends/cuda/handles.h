// Streams, events and memory pools that end with their owner. What goes wrong as one ends is known to every later caller of
// the device, and nobody can be told.
#pragma once

#include <cuda_runtime_api.h>
#include <utility>

namespace ts::cuda {

/// A stream of the current device, which waits for no other where it is our own.
class Stream {
public:
  Stream();
  /// One of the caller's, who ends it.
  explicit Stream(cudaStream_t callers) : stream_(callers), own_(false) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (own_) cudaStreamDestroy(stream_);
  }
  cudaStream_t get() const { return stream_; }

private:
  cudaStream_t stream_ = nullptr;
  bool own_ = true;
};

/// An event of the current device, without a time. May be moved.
class Event {
public:
  Event();
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  cudaEvent_t get() const { return event_; }
  /// Whether the stream has got past it. Throws CudaError where it cannot be told.
  bool passed() const;

private:
  cudaEvent_t event_ = nullptr;
};

/// A memory pool of a device.
class PoolHandle {
public:
  explicit PoolHandle(int device);
  PoolHandle(const PoolHandle&) = delete;
  PoolHandle& operator=(const PoolHandle&) = delete;
  ~PoolHandle() { cudaMemPoolDestroy(pool_); }
  cudaMemPool_t get() const { return pool_; }

private:
  cudaMemPool_t pool_ = nullptr;
};

} // namespace ts::cuda
