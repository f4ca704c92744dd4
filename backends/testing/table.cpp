#include "backends/testing/table.h"

#include <dlfcn.h>

namespace ts::testing {

const ts_backend* load_table(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    ADD_FAILURE() << dlerror();
    return nullptr;
  }
  return reinterpret_cast<const ts_backend* (*)()>(dlsym(library, "ts_backend_table"))();
}

std::string built_backend(const std::string& name) { return std::string(TS_BACKENDS) + "/" + name + ".so"; }

ts_view view_of(ts_buffer buffer, int32_t dtype, const Shape& shape, const Shape& stride, int64_t offset) {
  ts_view view{};
  view.buffer = buffer;
  view.dtype = dtype;
  view.offset = offset;
  view.rank = static_cast<int32_t>(shape.size());
  for (size_t axis = 0; axis < shape.size() && axis < TS_RANK_MAX; ++axis) {
    view.shape[axis] = shape[axis];
    view.stride[axis] = stride[axis];
  }
  return view;
}

ts_view dense_view(ts_buffer buffer, int32_t dtype, const Shape& shape) {
  Shape stride(shape.size());
  int64_t pitch = 1;
  for (size_t axis = shape.size(); axis-- > 0; pitch *= shape[axis]) stride[axis] = pitch;
  return view_of(buffer, dtype, shape, stride);
}

CallBuilder::CallBuilder(int32_t op, uint64_t serial) {
  call_.size = sizeof call_;
  call_.op = op;
  call_.serial = serial;
}
CallBuilder& CallBuilder::out(const ts_view& view) {
  outputs_.push_back(view);
  return *this;
}
CallBuilder& CallBuilder::in(const ts_view& view) {
  inputs_.push_back({view, 0});
  return *this;
}
CallBuilder& CallBuilder::immediate(int32_t dtype, const Shape& shape, uint64_t bits) {
  inputs_.push_back({view_of(0, dtype, shape, Shape(shape.size(), 0)), bits});
  return *this;
}
CallBuilder& CallBuilder::integer(int64_t value) {
  attributes_.push_back({TS_ATTRIBUTE_INTEGER, 0, value, 0});
  return *this;
}
CallBuilder& CallBuilder::real(double value) {
  attributes_.push_back({TS_ATTRIBUTE_REAL, 0, 0, value});
  return *this;
}
CallBuilder& CallBuilder::queue(ts_queue queue) {
  call_.queue = queue;
  return *this;
}
CallBuilder& CallBuilder::workspace(ts_buffer buffer, uint64_t bytes) {
  call_.workspace = buffer;
  call_.workspace_bytes = bytes;
  return *this;
}
const ts_call* CallBuilder::get() {
  call_.outputs = outputs_.data();
  call_.inputs = inputs_.data();
  call_.attributes = attributes_.data();
  call_.output_count = static_cast<int32_t>(outputs_.size());
  call_.input_count = static_cast<int32_t>(inputs_.size());
  call_.attribute_count = static_cast<int32_t>(attributes_.size());
  return &call_;
}

Instance::Instance(const ts_backend* table, const std::string& options) : table_(table) {
  EXPECT_EQ(table->open(options.c_str(), &self_, &error), TS_OK) << error.message;
}
Instance::~Instance() { table_->close(self_); }

ts_buffer Instance::allocate(uint64_t bytes) {
  ts_buffer buffer = 0;
  EXPECT_EQ(table_->allocate(self_, 0, bytes, &buffer, &error), TS_OK) << error.message;
  return buffer;
}
ts_status Instance::copy_in(ts_buffer buffer, const void* data, uint64_t bytes, ts_queue queue) {
  return table_->copy_in(self_, queue, buffer, 0, data, bytes, &error);
}
ts_status Instance::synchronize(ts_queue queue) {
  error = fresh_error();
  return table_->synchronize(self_, 0, queue, &error);
}
ts_status Instance::call(int family, CallBuilder& builder) {
  error = fresh_error();
  return table_->kernels[family](self_, builder.get(), &error);
}
ts_answer Instance::query(CallBuilder& builder) {
  ts_answer answer{};
  answer.size = sizeof answer;
  table_->query(self_, builder.get(), &answer);
  return answer;
}
std::map<std::string, uint64_t> Instance::census(bool reset) {
  std::map<std::string, uint64_t> seen;
  table_->census(
      self_,
      [](void* context, const char* kernel, const char* route, uint64_t launches) {
        (*static_cast<std::map<std::string, uint64_t>*>(context))[std::string(kernel) + "/" + route] = launches;
      },
      &seen, reset ? 1 : 0);
  return seen;
}

} // namespace ts::testing
