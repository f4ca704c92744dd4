// The workbench of the emulator's planted faults on a GPU: the same launches and copies, with nothing watched, so that
// compute-sanitizer can. What the runtime says is the problem; it ends the process's device.
#pragma once

#include "backends/cuda/launch.cuh"
#include "backends/kernels/plan.h"

#include <algorithm>
#include <cuda_runtime.h>
#include <string>
#include <vector>

namespace ts::emulator {

class Workbench {
public:
  template <class T> T* allocate(int64_t count, const std::string&) {
    void* device = nullptr;
    note(cudaMalloc(&device, static_cast<size_t>(count) * sizeof(T)));
    return static_cast<T*>(device);
  }
  void release(void* device) { note(cudaFree(device)); }
  template <class T> void copy_in(T* device, const std::vector<T>& values) {
    note(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  template <class T> T* upload(const std::vector<T>& values, const std::string& name) {
    T* device = allocate<T>(static_cast<int64_t>(values.size()), name);
    copy_in(device, values);
    return device;
  }
  template <class T> void copy_out(std::vector<T>& values, const T* device) {
    note(cudaMemcpy(values.data(), device, values.size() * sizeof(T), cudaMemcpyDeviceToHost));
  }
  template <class Task> void flat(const char*, int64_t count, const Task& task) {
    const auto blocks = static_cast<unsigned>(kernels::flat_launch(count).blocks);
    cuda::run_flat<Task><<<blocks, kernels::kFlatThreads>>>(count, task);
    note(cudaGetLastError());
  }
  template <class Task> void blocks(const char*, int64_t count, const Task& task) {
    constexpr int kShared = static_cast<int>(sizeof(typename Task::Shared));
    note(cudaFuncSetAttribute(cuda::run_blocks<Task>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
    cuda::run_blocks<Task><<<static_cast<unsigned>(count), Task::kThreads, kShared>>>(count, task);
    note(cudaGetLastError());
  }
  /// "" or the first problem since the last time.
  std::string synchronize() {
    note(cudaDeviceSynchronize());
    return std::exchange(problem_, std::string());
  }

private:
  void note(cudaError_t status) {
    if (status != cudaSuccess && problem_.empty()) problem_ = cudaGetErrorString(status);
  }
  std::string problem_;
};

} // namespace ts::emulator
