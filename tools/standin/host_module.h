// Kernels of a program that no CUDA compiler compiled, registered as nvcc's would be: tasks that run under the stand-in alone.
#pragma once

#include "backends/kernels/host_kernel.h"
#include "backends/kernels/host_launcher.h"
#include "backends/kernels/plan.h"
#include "tools/standin/cuda_api.h"

namespace ts::standin {

/// A flat task's kernel. Its entry is an address that nothing else has.
template <class Task> struct FlatEntry {
  static inline char place = 0;
  static inline const kernels::HostKernelRecord record{kernels::HostKernel{
      &place, sizeof(Task), kernels::kFlatThreads, 0, 0, &kernels::detail::walk_items<Task>, nullptr, nullptr}};
  static const char* entry() { return static_cast<const char*>(record.kernel().entry); }
};

/// A block task's kernel, with so many bytes of shared memory of its own.
template <class Task, size_t kOwnShared = 0> struct BlockEntry {
  static inline char place = 0;
  static inline const kernels::HostKernelRecord record{
      kernels::HostKernel{&place, sizeof(Task), Task::kThreads, kOwnShared, sizeof(typename Task::Local), nullptr,
                          &kernels::detail::run_block_of<Task>, nullptr}};
  static const char* entry() { return static_cast<const char*>(record.kernel().entry); }
};

/// A library's or program's kernels, as long as it lives.
class HostModule {
public:
  HostModule() : module_(__cudaRegisterFatBinary(nullptr)) {}
  HostModule(const HostModule&) = delete;
  HostModule& operator=(const HostModule&) = delete;
  ~HostModule() { __cudaUnregisterFatBinary(module_); }

  HostModule& add(const char* entry, const char* name) {
    __cudaRegisterFunction(module_, entry, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    return *this;
  }

private:
  void** module_;
};

} // namespace ts::standin
