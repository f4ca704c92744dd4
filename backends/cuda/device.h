// One CUDA device of one instance: its memory pool, its queues, and the pinned memory that copies go through.
#pragma once

#include "backends/cuda/handles.h"
#include "backends/cuda/queue.h"
#include "backends/cuda/staging.h"

#include <cuda_runtime_api.h>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace ts::cuda {

inline constexpr uint32_t kAlignment = 256;

/// How many devices there are, and where there are none, why: asked until it is known, then never again.
struct Hardware {
  int32_t devices;
  std::string reason;
  static const Hardware& get();
};

/// Makes a device current for the calling thread, and puts back what was.
class CurrentDevice {
public:
  explicit CurrentDevice(int32_t device);
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice();

private:
  int before_ = 0;
  bool changed_ = false;
};

/// Allocations in stream order, from a pool of the instance's own.
class MemoryPool {
public:
  /// On the current device.
  explicit MemoryPool(int32_t device);
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// Memory that any stream may use at once. Throws CudaError where there is none.
  std::byte* allocate(uint64_t bytes);
  /// Takes its turn in the stream. The memory is given back even where this throws CudaError.
  void release(std::byte* data, cudaStream_t stream);
  /// Gives unused memory back to the device.
  void trim();

private:
  PoolHandle pool_;
  Stream stream_; ///< of allocations: nothing else is ever in it
};

/// Device memory for the time of a few commands of one stream.
class Temporary {
public:
  Temporary(MemoryPool& pool, std::byte* data, cudaStream_t stream) : pool_(pool), data_(data), stream_(stream) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  /// Where release was not reached.
  ~Temporary();
  std::byte* data() const { return data_; }
  /// The memory is the caller's from now on.
  std::byte* keep() { return std::exchange(data_, nullptr); }
  /// Takes its turn in the stream.
  void release();

private:
  MemoryPool& pool_;
  std::byte* data_;
  cudaStream_t stream_;
};

class Device {
public:
  /// Queue 0 is the caller's stream, where one is given.
  Device(int32_t index, std::optional<cudaStream_t> callers);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  int32_t index() const { return index_; }
  const std::string& name() const { return name_; }
  uint64_t memory_bytes() const { return memory_bytes_; }
  Staging& staging() { return staging_; }
  MemoryPool& memory() { return *memory_; }

  /// Throws DoorError, TS_OUT_OF_MEMORY, where there is no room even after all queues have been waited for.
  std::byte* allocate(uint64_t bytes);
  /// Takes its turn in the queue, which tells what goes wrong when it is synchronized.
  void release(std::byte* data, ts_queue queue);

  ts_queue create_queue();
  /// Waits for its work. Queue 0 stays.
  void destroy_queue(ts_queue queue);
  /// Throws where the queue does not exist.
  Queue& queue(ts_queue queue);

private:
  void wait_for_all();

  int32_t index_;
  std::string name_;
  uint64_t memory_bytes_ = 0;
  std::mutex mutex_;
  std::unique_ptr<MemoryPool> memory_;
  Staging staging_;
  std::map<ts_queue, std::unique_ptr<Queue>> queues_;
  ts_queue next_queue_ = 1;
};

} // namespace ts::cuda
