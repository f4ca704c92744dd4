// One emulated device: its memory, its queues, and the commands that calls become.
#pragma once

#include "backends/emulator/launch.h"
#include "backends/emulator/memory.h"
#include "backends/emulator/queue.h"
#include "backends/emulator/settings.h"

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ts::emulator {

/// A device of one instance. Not synchronized: the instance locks.
class Device {
public:
  Device(int32_t index, const Settings& settings, kernels::Census& census);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Memory& memory() const { return memory_; }
  Queues& queues() { return queues_; }

  /// Runs the queues and ends quarantines where there is no room otherwise.
  void allocate(ts_buffer handle, uint64_t bytes);
  bool find(ts_buffer handle, kernels::BufferFacts* facts) const;
  kernels::BufferFacts get(ts_buffer handle) const;

  /// The handle is dead at once, its memory when the queue gets there.
  void release(ts_buffer handle, ts_queue queue);
  void copy_in(ts_queue queue, ts_buffer target, uint64_t target_byte, const void* source, uint64_t bytes);
  void copy_out(ts_queue queue, void* target, ts_buffer source, uint64_t source_byte, uint64_t bytes);
  /// Runs the call when its queue gets there.
  void run(const ts_call& call, const kernels::Row& row);

  /// Bytes of a buffer that is still there when a command runs; nothing for one that is gone.
  std::byte* reach(ts_buffer handle) const;
  ts_error gone(ts_buffer handle, const char* what) const;
  /// A copy from `from` wrote bytes here.
  void note_copy(const Device& from, const std::byte* data, const std::byte* source, uint64_t bytes);

private:
  struct Buffer {
    std::byte* data;
    uint64_t bytes;
    bool released; ///< by a command that still waits
  };
  std::optional<ts_error> run_program(const ts_call& named, const std::vector<ts_buffer>& buffers, Recorder& program,
                                      std::vector<OperandFacts> operands);
  std::optional<ts_error> damage(const ts_call& call, const std::vector<ts_buffer>& buffers, const Recorder& program);
  std::optional<ts_error> finding(const ts_call& call);
  std::vector<OperandFacts> operands_of(const ts_call& call, const kernels::ResolvedCall& resolved,
                                        const kernels::Row& row) const;
  std::optional<ts_error> end(ts_buffer handle);

  int32_t index_;
  const Settings& settings_;
  kernels::Census& census_;
  Memory memory_; // outlives the commands in the queues
  std::unique_ptr<Observer> observer_;
  std::unordered_map<ts_buffer, Buffer> buffers_;
  Queues queues_;
};

/// Copies between two devices, or within one, in the turn of both queues.
void copy_between(Device& to, ts_queue target_queue, ts_buffer target, uint64_t target_byte, Device& from,
                  ts_queue source_queue, ts_buffer source, uint64_t source_byte, uint64_t bytes);

} // namespace ts::emulator
