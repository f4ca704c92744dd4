// One device of an open backend, as a case uses it: every status looked at, every buffer released.
#pragma once

#include "runtime/backend/registry.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ts::conformance {

/// A door function did not do what a correct caller may expect.
struct DoorFault {
  std::string check;
  std::string message;
};

class Device {
public:
  explicit Device(std::shared_ptr<Backend> backend, int32_t index = 0);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Backend& backend() const { return *backend_; }
  /// The same open backend, for another device object.
  std::shared_ptr<Backend> share() const { return backend_; }
  int32_t index() const { return index_; }
  /// What copies, calls and waits below take; 0 unless a check chose another.
  ts_queue queue() const { return queue_; }
  void use_queue(ts_queue queue) { queue_ = queue; }

  /// All throw DoorFault for a status that is not TS_OK.
  ts_buffer allocate(uint64_t bytes);
  void copy_in(ts_buffer target, const std::vector<std::byte>& bytes);
  void copy_out(std::vector<std::byte>& bytes, ts_buffer source);
  void synchronize();

  void release(ts_buffer buffer);

  /// The first error that waits in the queue.
  ts_status drain(ts_error& error);

  ts_answer query(const ts_call& call);
  ts_status call(int family, const ts_call& call, ts_error& error);

  bool counts() const { return backend_->table().census != nullptr; }
  /// "kernel/route" -> launches since the last call.
  std::map<std::string, uint64_t> take_census();

  uint64_t next_serial() { return ++serial_; }

private:
  [[noreturn]] void refuse(const char* entry, ts_status status, const ts_error& error) const;
  void check(const char* entry, ts_status status, const ts_error& error) const;
  template <class Call> auto unchanged(const char* entry, const Call& call) const;

  std::shared_ptr<Backend> backend_;
  int32_t index_;
  ts_queue queue_ = 0;
  uint64_t serial_ = 0;
};

/// The name of a status, as messages write it.
std::string status_name(ts_status status);

} // namespace ts::conformance
