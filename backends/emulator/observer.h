// What a detector may see of a device. The core calls an observer where there is one, and knows nothing of what it looks
// for. Addresses are those that kernels see.
#pragma once

#include "backends/kernels/call.h"
#include "backends/kernels/instrument.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ts::emulator {

/// How a call uses an operand. What is only named may be touched where a launch was told of it.
enum class Role { in, out, inout, workspace, named };

/// An operand of a call in device memory.
struct OperandFacts {
  std::string name; ///< as a person would say it: "input 1"
  Role role;
  kernels::View view; ///< the data of a workspace are its bytes, in one axis
  std::byte* buffer;  ///< where its allocation begins
};

/// A launch that begins.
struct LaunchFacts {
  const char* kernel;
  const char* route;
  const kernels::Instrumentation* instrumentation;
  const std::byte* task; ///< the copy that kernels read
  size_t task_bytes;
  const std::byte* shared; ///< of the running block, null for a flat launch
  size_t shared_bytes;
  const std::byte* locals; ///< of all threads of the running block
  size_t local_bytes;      ///< of one thread
  const void* frame;       ///< of the host's stack: what lies above was there before the launch
  int32_t threads = 0;     ///< of a block
};

class Observer {
public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  virtual void allocated(const std::byte* data, uint64_t bytes) = 0;
  virtual void released(const std::byte* data, uint64_t bytes) = 0;
  /// A copy from the host wrote bytes.
  virtual void written(const std::byte* data, uint64_t bytes) = 0;
  /// A copy wrote bytes with what `source` held.
  virtual void copied(const std::byte* data, const std::byte* source, uint64_t bytes) = 0;

  virtual void begin_call(const std::vector<OperandFacts>& operands) = 0;
  /// Not complete: an index error left the outputs unspecified.
  virtual void end_call(bool complete) = 0;
  virtual void begin_launch(const LaunchFacts& launch) = 0;
  virtual void begin_block(int64_t block) = 0;
  virtual void end_launch() = 0;

  /// What was found since the last time: "" or a sentence.
  virtual std::string take_finding() = 0;
};

} // namespace ts::emulator
