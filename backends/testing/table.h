// A backend behind its table, for tests: opens a shared library, moves values in and out, makes calls.
#pragma once

#include "backends/abi/backend.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ts::testing {

/// A library's table; fails the test where it does not load.
const ts_backend* load_table(const std::string& path);

/// Path of a backend that this build made: backends/NAME.so.
std::string built_backend(const std::string& name);

inline ts_error fresh_error() {
  ts_error error{};
  error.size = sizeof error;
  return error;
}

using Shape = std::vector<int64_t>;

ts_view view_of(ts_buffer buffer, int32_t dtype, const Shape& shape, const Shape& stride, int64_t offset = 0);
/// Row-major and dense.
ts_view dense_view(ts_buffer buffer, int32_t dtype, const Shape& shape);

/// A call and the arrays it points to.
class CallBuilder {
public:
  explicit CallBuilder(int32_t op, uint64_t serial = 1);
  CallBuilder& out(const ts_view& view);
  CallBuilder& in(const ts_view& view);
  CallBuilder& immediate(int32_t dtype, const Shape& shape, uint64_t bits);
  CallBuilder& integer(int64_t value);
  CallBuilder& real(double value);
  CallBuilder& queue(ts_queue queue);
  CallBuilder& workspace(ts_buffer buffer, uint64_t bytes);
  /// The descriptor; valid as long as this object lives and does not change.
  const ts_call* get();

private:
  ts_call call_{};
  std::vector<ts_view> outputs_;
  std::vector<ts_operand> inputs_;
  std::vector<ts_attribute> attributes_;
};

/// An open instance.
class Instance {
public:
  explicit Instance(const ts_backend* table, const std::string& options = "");
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  const ts_backend* table() const { return table_; }
  ts_instance* self() const { return self_; }
  ts_error error = fresh_error(); ///< of the last refusal

  ts_buffer allocate(uint64_t bytes);
  template <class T> ts_buffer upload(const std::vector<T>& values, ts_queue queue = 0) {
    const ts_buffer buffer = allocate(values.size() * sizeof(T));
    EXPECT_EQ(copy_in(buffer, values.data(), values.size() * sizeof(T), queue), TS_OK) << error.message;
    return buffer;
  }
  /// Waits for the queue.
  template <class T> std::vector<T> download(ts_buffer buffer, size_t count, ts_queue queue = 0) {
    std::vector<T> values(count);
    EXPECT_EQ(table_->copy_out(self_, queue, values.data(), buffer, 0, count * sizeof(T), &error), TS_OK)
        << error.message;
    EXPECT_EQ(synchronize(queue), TS_OK) << error.message;
    return values;
  }
  ts_status copy_in(ts_buffer buffer, const void* data, uint64_t bytes, ts_queue queue = 0);
  ts_status synchronize(ts_queue queue = 0);
  /// Makes a call through the entry of a family.
  ts_status call(int family, CallBuilder& builder);
  ts_answer query(CallBuilder& builder);
  std::map<std::string, uint64_t> census(bool reset = false);

private:
  const ts_backend* table_;
  ts_instance* self_ = nullptr;
};

} // namespace ts::testing
