// The door of a backend that is written in C++: holds a call against its row and its buffers, and turns what goes wrong
// into the statuses and errors of backend.h. Shared by all backends of this house; a plug-in may use it or not.
#pragma once

#include "backends/kernels/call.h"
#include "backends/kernels/row.h"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <vector>

namespace ts::kernels {

/// Why a request is refused, with the fields of ts_error. Thrown below the door, answered at it.
struct DoorError : Refusal {
  DoorError(ts_status status_, const std::string& what) : Refusal(status_, what) {}
  DoorError& at(int32_t operand_) { return operand = operand_, *this; }
  DoorError& values(int64_t value_, int64_t bound_) { return value = value_, bound = bound_, *this; }
  int32_t operand = -1;
  int64_t element = -1;
  int64_t value = 0;
  int64_t bound = 0;
};

/// What a buffer handle stands for.
struct BufferFacts {
  std::byte* data; ///< device address of the first byte
  uint64_t bytes;
  int32_t device;
};

/// A call whose buffers were resolved. Owns the arrays that Call points to.
class ResolvedCall {
public:
  ResolvedCall() = default;
  ResolvedCall(const ResolvedCall&) = delete;
  ResolvedCall& operator=(const ResolvedCall&) = delete;
  const Row* row = nullptr;
  Call call{};
  std::vector<View> outputs;
  std::vector<Operand> inputs;
};

/// Everything about a call that needs no buffer: counts, dtypes, attributes, shapes, rank. Throws DoorError; gives the
/// row. What `query` answers, and the first half of what a kernel entry checks.
const Row& check_descriptor(const ts_call* call);

/// Fills `resolved` from the descriptor alone, data null: what a family's workspace function reads.
void describe_call(const ts_call& call, const Row& row, ResolvedCall* resolved);

/// The other half: buffers exist, hold every element, do not overlap against the rules, and the workspace suffices.
/// `find` gives the facts of a handle, or false.
using FindBuffer = std::function<bool(ts_buffer, BufferFacts*)>;
void resolve_call(const ts_call& call, const Row& row, uint64_t workspace_bytes, const FindBuffer& find,
                  ResolvedCall* resolved);

/// Throws where [byte, byte + bytes) does not lie in a buffer of `size` bytes.
void check_range(const char* what, uint64_t byte, uint64_t bytes, uint64_t size);

/// Fills the caller's error, where there is one.
void report(ts_error* error, ts_status status, const std::string& message);
void report(ts_error* error, const ts_error& found);

/// The error of a call from what was thrown.
ts_error error_of(const Refusal& refusal, const ts_call* call);

/// Runs the body of an entry: no exception crosses the door.
template <class Body> ts_status guarded(ts_error* error, const ts_call* call, Body&& body) {
  try {
    body();
    return TS_OK;
  } catch (const Refusal& refusal) {
    const ts_error found = error_of(refusal, call);
    report(error, found);
    return refusal.status;
  } catch (const std::bad_alloc&) {
    report(error, TS_OUT_OF_MEMORY, "the host has no memory left");
    return TS_OUT_OF_MEMORY;
  } catch (const std::exception& other) {
    report(error, TS_DEVICE_ERROR, other.what());
    return TS_DEVICE_ERROR;
  }
}
template <class Body> ts_status guarded(ts_error* error, Body&& body) {
  return guarded(error, nullptr, std::forward<Body>(body));
}

} // namespace ts::kernels
