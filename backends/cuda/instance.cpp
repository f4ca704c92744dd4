#include "backends/cuda/instance.h"

#include "backends/cuda/errors.h"

#include <algorithm>
#include <utility>

namespace ts::cuda {

using kernels::BufferFacts;
using kernels::DoorError;

void Events::forget_passed() {
  while (!points_.empty() && points_.front().event.passed()) {
    spare_[points_.front().device].push_back(std::move(points_.front().event));
    points_.pop_front();
  }
}

ts_event Events::record(int32_t device, cudaStream_t stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  forget_passed();
  std::vector<Event>& spare = spare_[device];
  if (spare.empty()) spare.emplace_back();
  TS_CUDA(cudaEventRecord(spare.back().get(), stream));
  points_.push_back({next_, device, std::move(spare.back())});
  spare.pop_back();
  return next_++;
}

void Events::wait(cudaStream_t stream, ts_event event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (event == 0 || event >= next_)
    throw DoorError(TS_INVALID_ARGUMENT, "event " + std::to_string(event) + " does not exist");
  const auto found = std::lower_bound(points_.begin(), points_.end(), event,
                                      [](const Point& point, ts_event id) { return point.id < id; });
  if (found != points_.end() && found->id == event) TS_CUDA(cudaStreamWaitEvent(stream, found->event.get(), 0));
}

Instance::~Instance() {
  // Buffers that nobody released go with their device's work.
  for (const auto& [handle, facts] : buffers_) {
    try {
      devices_.at(facts.device)->release(facts.data, 0);
    } catch (const std::exception&) {
      continue; // the device is lost, and its memory with it
    }
  }
}

Device& Instance::device(int32_t index) {
  const Hardware& hardware = Hardware::get();
  if (index < 0 || index >= hardware.devices) {
    std::string what = "device " + std::to_string(index) + " does not exist";
    if (hardware.devices == 0) what += ": " + hardware.reason;
    throw DoorError(TS_INVALID_ARGUMENT, what).values(index, hardware.devices);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<Device>& found = devices_[index];
  if (found == nullptr) found = std::make_unique<Device>(index, index == 0 ? settings_.stream : std::nullopt);
  return *found;
}

ts_buffer Instance::allocate(int32_t index, uint64_t bytes) {
  std::byte* data = device(index).allocate(bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  buffers_.emplace(next_buffer_, BufferFacts{data, bytes, index});
  return next_buffer_++;
}

void Instance::release(ts_buffer buffer, ts_queue queue) {
  BufferFacts facts{};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = buffers_.find(buffer);
    if (found == buffers_.end()) return;
    facts = found->second;
    buffers_.erase(found);
  }
  device(facts.device).release(facts.data, queue);
}

bool Instance::find(ts_buffer buffer, BufferFacts* facts) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = buffers_.find(buffer);
  if (found == buffers_.end()) return false;
  *facts = found->second;
  return true;
}

BufferFacts Instance::get(ts_buffer buffer) const {
  BufferFacts facts{};
  if (!find(buffer, &facts))
    throw DoorError(TS_INVALID_ARGUMENT, "buffer " + std::to_string(buffer) + " does not exist");
  return facts;
}

} // namespace ts::cuda
