#include "backends/emulator/launch.h"

#include "backends/kernels/plan.h"

#include <cstring>
#include <mutex>
#include <new>

namespace ts::emulator {

using kernels::BlockKernel;
using kernels::DoorError;
using kernels::FlatKernel;
using kernels::IndexFault;
using kernels::kHostAlignment;

Scratch::Scratch(size_t bytes)
    : data_(static_cast<std::byte*>(::operator new (bytes > 0 ? bytes : 1, std::align_val_t{kHostAlignment}))) {}

void Scratch::Delete::operator()(std::byte* data) const { ::operator delete (data, std::align_val_t{kHostAlignment}); }

Recorder::~Recorder() {
  if (fault_ != nullptr) memory_.release(fault_);
}

void Recorder::launch(const FlatKernel& kernel) {
  check_launch(profile_, kernel);
  launches_.push_back({kernel, {}, Scratch(kernel.task_bytes)});
  memcpy(launches_.back().task.data(), kernel.task, kernel.task_bytes);
}

void Recorder::launch(const BlockKernel& kernel) {
  check_launch(profile_, kernel);
  launches_.push_back({{}, kernel, Scratch(kernel.task_bytes)});
  memcpy(launches_.back().task.data(), kernel.task, kernel.task_bytes);
}

IndexFault* Recorder::fault() {
  if (fault_ == nullptr) fault_ = memory_.allocate(sizeof(IndexFault));
  if (fault_ == nullptr) throw DoorError(TS_OUT_OF_MEMORY, "no room for a fault cell");
  return reinterpret_cast<IndexFault*>(fault_);
}

const IndexFault* Recorder::found_fault() const {
  return fault_ == nullptr ? nullptr : reinterpret_cast<const IndexFault*>(memory_.reach(fault_));
}

namespace {

// A task holds device addresses; for the launch they become addresses that work.
void translate(std::byte* task, size_t bytes, const Memory& memory) {
  for (size_t at = 0; at + sizeof(std::byte*) <= bytes; at += sizeof(std::byte*)) {
    std::byte* word = nullptr;
    memcpy(&word, task + at, sizeof word);
    if (!memory.is_device_address(word)) continue;
    word = memory.reach(word);
    memcpy(task + at, &word, sizeof word);
  }
}

} // namespace

void Recorder::run(const Schedule& schedule, kernels::Census& census) {
  if (fault_ != nullptr) {
    const IndexFault none{INT64_MAX, 0, 0, -1};
    memcpy(memory_.reach(fault_), &none, sizeof none);
  }
  for (const Launch& launch : launches_) {
    const bool flat = launch.flat.walk != nullptr;
    translate(launch.task.data(), flat ? launch.flat.task_bytes : launch.block.task_bytes, memory_);
    if (flat)
      run_flat(launch, schedule);
    else
      run_blocks(launch, schedule);
    census.count(flat ? launch.flat.kernel : launch.block.kernel, flat ? launch.flat.route : launch.block.route);
  }
}

void Recorder::run_flat(const Launch& launch, const Schedule& schedule) {
  FlatKernel kernel = launch.flat;
  kernel.task = launch.task.data();
  constexpr int64_t kUnit = kernels::kFlatThreads; // items that run together, as a device's block would
  schedule.for_each(kernels::ceil_div(kernel.count, kUnit), [&](int64_t unit) {
    const int64_t begin = unit * kUnit;
    schedule.run_items(kernel, begin, std::min(kUnit, kernel.count - begin));
  });
}

// Shared memory and locals are a block's own, hold nothing at its start, and end in a guard zone.
void Recorder::run_blocks(const Launch& launch, const Schedule& schedule) {
  const BlockKernel& kernel = launch.block;
  const size_t local_bytes = kernel.local_bytes * static_cast<size_t>(kernel.threads);
  std::mutex mutex;
  schedule.for_each(kernel.count, [&](int64_t block) {
    thread_local std::vector<int32_t> permutation;
    const Scratch shared(kernel.shared_bytes + kGuardBytes), locals(local_bytes);
    memset(shared.data(), kFreshByte, kernel.shared_bytes);
    memset(shared.data() + kernel.shared_bytes, kGuardByte, kGuardBytes);
    memset(locals.data(), kFreshByte, local_bytes);
    kernel.run(launch.task.data(), block, shared.data(), locals.data(),
               schedule.thread_order(kernel.threads, block, &permutation));
    for (uint64_t k = 0; k < kGuardBytes; ++k) {
      if (shared.data()[kernel.shared_bytes + k] == static_cast<std::byte>(kGuardByte)) continue;
      const std::lock_guard<std::mutex> lock(mutex);
      damage_ = std::string("kernel ") + kernel.kernel + ", block " + std::to_string(block) + ": byte " +
                std::to_string(kernel.shared_bytes + k) + " past " + std::to_string(kernel.shared_bytes) +
                " bytes of shared memory was written";
      return;
    }
  });
}

} // namespace ts::emulator
