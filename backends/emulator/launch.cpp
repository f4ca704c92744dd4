#include "backends/emulator/launch.h"

#include "backends/kernels/plan.h"

#include <algorithm>
#include <cstring>
#include <exception>
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

namespace {

// An observer sees nothing of code that was not compiled for it, and must not pass it over.
void check_observed(const Memory& memory, const char* kernel, const kernels::Instrumentation* instrumentation) {
  if (memory.observer() == nullptr || instrumentation != nullptr) return;
  throw DoorError(TS_DEVICE_ERROR, std::string("kernel ") + kernel + " was not compiled to be checked");
}

} // namespace

void Recorder::launch(const FlatKernel& kernel) {
  check_launch(profile_, kernel);
  check_observed(memory_, kernel.kernel, kernel.instrumentation);
  launches_.push_back({kernel, {}, Scratch(kernel.task_bytes)});
  memcpy(launches_.back().task.data(), kernel.task, kernel.task_bytes);
}

void Recorder::launch(const BlockKernel& kernel) {
  check_launch(profile_, kernel);
  check_observed(memory_, kernel.kernel, kernel.instrumentation);
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

// A task holds device addresses; for the launch they become addresses that work. Padding may hold anything, the rest of an
// address among it, so Memory chooses addresses that numbers do not make up, and a step that leaves their lower half.
void translate(std::byte* task, size_t bytes, const Memory& memory) {
  for (size_t at = 0; at + sizeof(std::byte*) <= bytes; at += sizeof(std::byte*)) {
    std::byte* word = nullptr;
    memcpy(&word, task + at, sizeof word);
    if (!memory.is_allocated_address(word)) continue;
    word = memory.reach(word);
    memcpy(task + at, &word, sizeof word);
  }
}

} // namespace

void Recorder::run(const Schedule& schedule, kernels::Census& census) {
  if (fault_ != nullptr) {
    const IndexFault none{INT64_MAX, 0, 0, -1};
    memcpy(memory_.reach(fault_), &none, sizeof none);
    if (memory_.observer() != nullptr) memory_.observer()->written(memory_.reach(fault_), sizeof none);
  }
  for (const Launch& launch : launches_) {
    const bool flat = launch.flat.walk != nullptr;
    const char* kernel = flat ? launch.flat.kernel : launch.block.kernel;
    translate(launch.task.data(), flat ? launch.flat.task_bytes : launch.block.task_bytes, memory_);
    try {
      if (memory_.observer() != nullptr)
        run_observed(launch, schedule, __builtin_frame_address(0));
      else if (flat)
        run_flat(launch, schedule);
      else
        run_blocks(launch, schedule);
    } catch (const kernels::Refusal&) {
      throw;
    } catch (const std::exception& thrown) { // what device code cannot do
      throw DoorError(TS_DEVICE_ERROR, std::string("kernel ") + kernel + ": a work item threw: " + thrown.what());
    }
    census.count(kernel, flat ? launch.flat.route : launch.block.route);
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

namespace {

// Memory of one block: it holds nothing at first, and stands between guard zones.
class Fenced {
public:
  explicit Fenced(size_t bytes) : bytes_(bytes), memory_(kGuardBytes + bytes + kGuardBytes) {
    memset(memory_.data(), kGuardByte, kGuardBytes);
    memset(data(), kFreshByte, bytes);
    memset(data() + bytes, kGuardByte, kGuardBytes);
  }
  std::byte* data() const { return memory_.data() + kGuardBytes; }

  /// "" or a sentence about the first byte of a guard zone that was written.
  std::string damage(const char* what) const {
    const auto odd = [](const std::byte* zone) {
      return std::find_if(zone, zone + kGuardBytes, [](std::byte b) { return b != std::byte{kGuardByte}; }) - zone;
    };
    const auto length = static_cast<int64_t>(kGuardBytes), bytes = static_cast<int64_t>(bytes_);
    const int64_t before = odd(memory_.data()), past = odd(data() + bytes_);
    if (before == length && past == length) return "";
    return "byte " +
           (past < length ? std::to_string(bytes + past) + " past " : std::to_string(before - length) + " before ") +
           std::to_string(bytes) + " bytes of " + what + " was written";
  }

private:
  size_t bytes_;
  Scratch memory_;
};

} // namespace

void Recorder::run_blocks(const Launch& launch, const Schedule& schedule) {
  const BlockKernel& kernel = launch.block;
  std::mutex mutex;
  schedule.for_each(kernel.count, [&](int64_t block) {
    thread_local std::vector<int32_t> permutation;
    const Fenced shared(kernel.shared_bytes), locals(kernel.local_bytes * static_cast<size_t>(kernel.threads));
    kernel.run(launch.task.data(), block, shared.data(), locals.data(),
               schedule.thread_order(kernel.threads, block, &permutation));
    std::string damage = shared.damage("shared memory");
    if (damage.empty()) damage = locals.damage("local memory");
    if (damage.empty()) return;
    const std::lock_guard<std::mutex> lock(mutex);
    damage_ = std::string("kernel ") + kernel.kernel + ", block " + std::to_string(block) + ": " + damage;
  });
}

namespace {

// Device memory for the time of a launch, so that an observer sees a block's own memory as it sees any other.
class BlockMemory {
public:
  BlockMemory(Memory& memory, const char* kernel, size_t bytes) : memory_(memory) {
    if (bytes == 0) return;
    device_ = memory.allocate(bytes);
    if (device_ == nullptr)
      throw DoorError(TS_OUT_OF_MEMORY, std::string("no room for the blocks of kernel ") + kernel);
  }
  BlockMemory(const BlockMemory&) = delete;
  BlockMemory& operator=(const BlockMemory&) = delete;
  ~BlockMemory() {
    if (device_ != nullptr) memory_.release(device_);
  }
  std::byte* data() const { return device_ == nullptr ? nullptr : memory_.reach(device_); }

private:
  Memory& memory_;
  std::byte* device_ = nullptr;
};

} // namespace

namespace {

// The end of a launch that was begun, however it ends.
struct EndOfLaunch {
  Observer& observer;
  ~EndOfLaunch() { observer.end_launch(); }
};

} // namespace

// One block at a time: an observer sees what concurrency would do without it.
void Recorder::run_observed(const Launch& launch, const Schedule& schedule, const void* frame) {
  Observer& observer = *memory_.observer();
  if (launch.flat.walk != nullptr) {
    observer.begin_launch({launch.flat.kernel, launch.flat.route, launch.flat.instrumentation, launch.task.data(),
                           launch.flat.task_bytes, nullptr, 0, nullptr, 0, frame});
    const EndOfLaunch end{observer};
    run_flat(launch, schedule);
    return;
  }
  const BlockKernel& kernel = launch.block;
  const size_t local_bytes = kernel.local_bytes * static_cast<size_t>(kernel.threads);
  const BlockMemory shared(memory_, kernel.kernel, kernel.shared_bytes), locals(memory_, kernel.kernel, local_bytes);
  observer.begin_launch({kernel.kernel, kernel.route, kernel.instrumentation, launch.task.data(), kernel.task_bytes,
                         shared.data(), kernel.shared_bytes, locals.data(), kernel.local_bytes, frame, kernel.threads});
  const EndOfLaunch end{observer};
  std::vector<int32_t> permutation;
  schedule.for_each(kernel.count, [&](int64_t block) {
    if (kernel.shared_bytes > 0) memset(shared.data(), kFreshByte, kernel.shared_bytes);
    if (local_bytes > 0) memset(locals.data(), kFreshByte, local_bytes);
    observer.begin_block(block);
    kernel.run(launch.task.data(), block, shared.data(), locals.data(),
               schedule.thread_order(kernel.threads, block, &permutation));
  });
}

} // namespace ts::emulator
