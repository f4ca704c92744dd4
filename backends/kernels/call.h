// What a kernel family sees of a call, and what it asks of a backend.
//
// A family is a function template over a Launcher, `template <class Launcher> void reduce(const Call&, Launcher&)`. It
// plans on the host, then makes one or more launches: the op's program. The backend resolves buffers to device addresses
// before, and knows nothing of what the tasks compute.
#pragma once

#include "backends/abi/backend.h"
#include "backends/kernels/task.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace ts::kernels {

/// A view whose buffer was resolved: data is the device address of element (0, 0, ...). Strides count elements.
struct View {
  std::byte* data;
  int32_t dtype;
  int32_t rank;
  int64_t shape[TS_RANK_MAX];
  int64_t stride[TS_RANK_MAX];
};

/// A view or, where view.data is null, an immediate: one value in the low bytes of bits, broadcast to view.shape.
struct Operand {
  View view;
  uint64_t bits;
  bool immediate;
};

/// A call in device addresses. Arrays live as long as the family function runs.
struct Call {
  int32_t op;
  int32_t family;
  int32_t output_count;
  int32_t input_count;
  int32_t attribute_count;
  const View* outputs;
  const Operand* inputs;
  const ts_attribute* attributes;
  std::byte* workspace;
  uint64_t workspace_bytes;
};

/// Where a kernel notes an index that lies outside its axis. One per call, in device memory, filled with `element` =
/// INT64_MAX. A work item calls note_index_fault and then touches nothing outside its operands.
struct IndexFault {
  int64_t element; ///< smallest row-major logical index into the index operand
  int64_t value;   ///< the index found there
  int64_t extent;  ///< of the axis it indexes
  int64_t operand; ///< input number
};

/// Refused by a family before its first launch: becomes TS_UNSUPPORTED or TS_INVALID_ARGUMENT at the door.
struct Refusal : std::runtime_error {
  Refusal(ts_status status_, const std::string& what) : std::runtime_error(what), status(status_) {}
  ts_status status;
};

// A Launcher, given by the backend:
//   void flat(const char* kernel, const char* route, int64_t count, const Task& task);    work items [0, count)
//   void blocks(const char* kernel, const char* route, int64_t count, const Task& task);  blocks [0, count)
//   IndexFault* fault();            this call's cell, in device memory
// Launches of one call run in order, each complete before the next begins. A count of 0 launches nothing. The kernel
// name and route are what the census reports; a route is one path through the planner ("contiguous", "strided", ...).

} // namespace ts::kernels
