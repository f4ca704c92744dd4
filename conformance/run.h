// One call of a case: uploaded, asked, enqueued, downloaded, released.
#pragma once

#include "conformance/device.h"
#include "conformance/memory.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ts::conformance {

class Run {
public:
  Run(const Prepared& prepared, const Arrangement& arrangement, Poison poison, Device& device);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run();

  Memory& memory() { return memory_; }
  const Memory& memory() const { return memory_; }
  uint64_t serial() const { return call_.serial; }

  /// The descriptor, for checks that break it on purpose or move it to another queue.
  ts_call& call() { return call_; }
  std::vector<ts_view>& outputs() { return outputs_; }
  std::vector<ts_operand>& inputs() { return inputs_; }
  std::vector<ts_attribute>& attributes() { return attributes_; }

  /// Before upload() the descriptor has null buffers, as a query may.
  ts_answer query() { return device_.query(call_); }

  /// Allocates and fills every buffer, and a workspace with a guard behind it.
  void upload(uint64_t workspace_bytes);

  ts_status enqueue(ts_error& error);

  /// Brings every buffer back, and waits.
  void download();

  /// As Memory::damage, and writes past the workspace.
  std::string damage(bool frozen = false) const;

  /// Gives every buffer back now; its turn in the queue comes after what was enqueued.
  void release();

private:
  void describe();

  const Prepared& prepared_;
  Device& device_;
  Memory memory_;
  Poison poison_;
  ts_call call_{};
  std::vector<ts_view> outputs_;
  std::vector<ts_operand> inputs_;
  std::vector<ts_attribute> attributes_;
  std::vector<std::byte> workspace_before_, workspace_after_;
  ts_buffer workspace_ = 0;
};

} // namespace ts::conformance
