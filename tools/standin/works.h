// A small suite of operations at the door of a backend, each with the values that must come out: what faults and lost launches
// are tried on.
#pragma once

#include "backends/testing/table.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace ts::standin {

/// A call of the door that failed.
struct Failed : std::runtime_error {
  Failed(ts_status status_, const std::string& what) : std::runtime_error(what), status(status_) {}
  ts_status status;
};

/// An open instance whose failures are exceptions.
class Session {
public:
  explicit Session(const ts_backend* table, const std::string& options = "");
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { table_->close(self_); }

  const ts_backend& table() const { return *table_; }
  ts_instance* self() const { return self_; }

  ts_buffer allocate(uint64_t bytes, int32_t device = 0);
  void release(ts_buffer buffer, ts_queue queue = 0) { table_->release(self_, buffer, queue); }
  void copy_in(ts_buffer target, const void* source, uint64_t bytes, ts_queue queue = 0);
  void copy(ts_buffer target, uint64_t target_byte, ts_queue target_queue, ts_buffer source, uint64_t source_byte,
            ts_queue source_queue, uint64_t bytes);
  void synchronize(ts_queue queue = 0, int32_t device = 0);
  ts_queue create_queue(int32_t device = 0);
  /// Makes a call of an op, with the workspace it asks for.
  void call(int32_t family, testing::CallBuilder& builder, ts_queue queue = 0);

  template <class T> ts_buffer upload(const std::vector<T>& values, ts_queue queue = 0, int32_t device = 0) {
    const ts_buffer buffer = allocate(values.size() * sizeof(T), device);
    copy_in(buffer, values.data(), values.size() * sizeof(T), queue);
    return buffer;
  }
  template <class T> std::vector<T> download(ts_buffer buffer, size_t count, ts_queue queue = 0, int32_t device = 0) {
    std::vector<T> values(count);
    copy_out(values.data(), buffer, count * sizeof(T), queue);
    synchronize(queue, device);
    return values;
  }

private:
  void copy_out(void* target, ts_buffer source, uint64_t bytes, ts_queue queue);
  void check(ts_status status, const ts_error& error) const;

  const ts_backend* table_;
  ts_instance* self_ = nullptr;
};

struct Work {
  const char* name;
  /// "" or what came out wrong; throws Failed.
  std::string (*run)(Session& session);
};

/// Needs two devices.
const std::vector<Work>& works();

} // namespace ts::standin
