// The workbench of the planted faults without an emulator: the host's memory, and a loop forward that runs at once. A fault
// that shows here needs nobody to look for it.
#pragma once

#include "backends/emulator/checked/report.h"
#include "backends/kernels/host_launcher.h"

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace ts::emulator {

class Workbench {
public:
  explicit Workbench(std::string_view) {}

  template <class T> T* allocate(int64_t count, const std::string&) {
    constexpr size_t kApart = 256;
    std::byte* place = memory_ + used_;
    used_ += (static_cast<size_t>(count) * sizeof(T) / kApart + 2) * kApart;
    return reinterpret_cast<T*>(place);
  }
  void release(void*) {}
  template <class T> void copy_in(T* to, const std::vector<T>& values) {
    memcpy(to, values.data(), values.size() * sizeof(T));
  }
  template <class T> T* upload(const std::vector<T>& values, const std::string& name) {
    T* place = allocate<T>(static_cast<int64_t>(values.size()), name);
    copy_in(place, values);
    return place;
  }
  template <class T> void copy_out(std::vector<T>& values, const T* from) {
    memcpy(values.data(), from, values.size() * sizeof(T));
  }
  template <class Task> void flat(const char*, int64_t count, const Task& task) {
    kernels::detail::walk_items<Task>(&task, 0, count, 1);
  }
  template <class Task> void blocks(const char*, int64_t count, const Task& task) {
    for (int64_t block = 0; block < count; ++block)
      kernels::detail::run_block_of<Task>(&task, block, shared_, locals_, {});
  }
  std::string synchronize() { return ""; }
  const std::vector<checked::Report>& reports() const { return reports_; }

private:
  static constexpr size_t kBytes = 1 << 20;
  alignas(kernels::kHostAlignment) inline static std::byte memory_[kBytes], shared_[kBytes], locals_[kBytes];
  size_t used_ = 256;
  std::vector<checked::Report> reports_;
};

} // namespace ts::emulator
