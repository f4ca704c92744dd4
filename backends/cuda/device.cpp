#include "backends/cuda/device.h"

#include "backends/cuda/errors.h"

#include <atomic>

namespace ts::cuda {

using kernels::DoorError;

const Hardware& Hardware::get() {
  static std::atomic<const Hardware*> known{nullptr}; // every call asks
  if (const Hardware* found = known.load(std::memory_order_acquire)) return *found;
  static std::mutex mutex;
  static Hardware answer;
  thread_local Hardware unknown;
  const std::lock_guard<std::mutex> lock(mutex);
  if (const Hardware* found = known.load(std::memory_order_acquire)) return *found;
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  cudaGetLastError();
  switch (code) {
    case cudaSuccess: answer = {count, count == 0 ? "no CUDA device is visible" : ""}; break;
    case cudaErrorNoDevice: answer = {0, "no CUDA device is visible"}; break;
    case cudaErrorInsufficientDriver: answer = {0, "no NVIDIA driver that this CUDA runtime can use"}; break;
    default: // it may pass
      unknown = {0, describe(code, "cudaGetDeviceCount(&count)", __FILE__, __LINE__)};
      return unknown;
  }
  known.store(&answer, std::memory_order_release);
  return answer;
}

CurrentDevice::CurrentDevice(int32_t device) {
  TS_CUDA(cudaGetDevice(&before_));
  if (before_ == device) return;
  TS_CUDA(cudaSetDevice(device));
  changed_ = true;
}

CurrentDevice::~CurrentDevice() {
  if (changed_) cudaSetDevice(before_);
}

MemoryPool::MemoryPool(int32_t device) : pool_(device) {
  uint64_t keep = UINT64_MAX; // memory given back stays in the pool until trim()
  TS_CUDA(cudaMemPoolSetAttribute(pool_.get(), cudaMemPoolAttrReleaseThreshold, &keep));
  int never = 0; // an allocation that waited for another stream would make allocate() wait
  TS_CUDA(cudaMemPoolSetAttribute(pool_.get(), cudaMemPoolReuseAllowInternalDependencies, &never));
}

std::byte* MemoryPool::allocate(uint64_t bytes) {
  void* data = nullptr;
  TS_CUDA(cudaMallocFromPoolAsync(&data, bytes, pool_.get(), stream_.get()));
  Temporary kept(*this, static_cast<std::byte*>(data), stream_.get());
  TS_CUDA(cudaStreamSynchronize(stream_.get()));
  return kept.keep();
}

void MemoryPool::release(std::byte* data, cudaStream_t stream) {
  const cudaError_t code = cudaFreeAsync(data, stream);
  if (code == cudaSuccess) return;
  cudaFree(data); // waits for the device instead
  check(code, "cudaFreeAsync(data, stream)", __FILE__, __LINE__);
}

void MemoryPool::trim() { TS_CUDA(cudaMemPoolTrimTo(pool_.get(), 0)); }

Temporary::~Temporary() {
  if (data_ == nullptr) return;
  try {
    release();
  } catch (const CudaError&) {
    return; // an earlier error is on its way
  }
}

void Temporary::release() { pool_.release(keep(), stream_); }

Device::Device(int32_t index, std::optional<cudaStream_t> callers) : index_(index) {
  cudaDeviceProp properties{};
  TS_CUDA(cudaGetDeviceProperties(&properties, index));
  name_ = properties.name;
  memory_bytes_ = properties.totalGlobalMem;
  const CurrentDevice current(index);
  memory_ = std::make_unique<MemoryPool>(index);
  queues_.emplace(0, std::make_unique<Queue>(callers));
}

Device::~Device() {
  // What goes wrong here is known to every later caller of the device, and no one can be told.
  int before = 0;
  cudaGetDevice(&before);
  cudaSetDevice(index_);
  queues_.clear();
  memory_.reset();
  cudaGetLastError();
  cudaSetDevice(before);
}

std::byte* Device::allocate(uint64_t bytes) {
  const auto refuse = [&] {
    return DoorError(TS_OUT_OF_MEMORY, "no room for " + std::to_string(bytes) + " bytes on " + name_)
        .values(static_cast<int64_t>(bytes), static_cast<int64_t>(memory_bytes_));
  };
  if (bytes > memory_bytes_) throw refuse();
  const CurrentDevice current(index_);
  // Words of 4 bytes are the narrowest that a device exchanges.
  const uint64_t rounded = bytes == 0 ? 4 : (bytes + 3) / 4 * 4;
  try {
    return memory_->allocate(rounded);
  } catch (const CudaError& error) {
    if (error.code != cudaErrorMemoryAllocation) throw;
  }
  wait_for_all(); // releases may wait in queues
  memory_->trim();
  try {
    return memory_->allocate(rounded);
  } catch (const CudaError& error) {
    if (error.code != cudaErrorMemoryAllocation) throw;
    throw refuse();
  }
}

void Device::release(std::byte* data, ts_queue queue_id) {
  Queue& turn = queue(queue_id);
  try {
    memory_->release(data, turn.stream());
  } catch (const CudaError& error) {
    turn.fail(kernels::error_of(error, nullptr));
  }
}

void Device::wait_for_all() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [id, queue] : queues_) TS_CUDA(cudaStreamSynchronize(queue->stream()));
}

ts_queue Device::create_queue() {
  const CurrentDevice current(index_);
  auto made = std::make_unique<Queue>();
  const std::lock_guard<std::mutex> lock(mutex_);
  queues_.emplace(next_queue_, std::move(made));
  return next_queue_++;
}

void Device::destroy_queue(ts_queue queue) {
  if (queue == 0) return;
  const CurrentDevice current(index_);
  std::unique_ptr<Queue> ended;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end()) return;
  ended = std::move(found->second);
  queues_.erase(found);
}

Queue& Device::queue(ts_queue queue) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end())
    throw DoorError(TS_INVALID_ARGUMENT, "queue " + std::to_string(queue) + " does not exist");
  return *found->second;
}

} // namespace ts::cuda
