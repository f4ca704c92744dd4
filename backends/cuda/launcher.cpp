#include "backends/cuda/launcher.h"

#include "backends/cuda/errors.h"
#include "backends/cuda/queue.h"

namespace ts::cuda {

kernels::IndexFault* Launcher::fault() {
  if (fault_ == nullptr) fault_ = queue_.faults().take(op_, serial_);
  return fault_;
}

namespace {

constexpr size_t kStaticSharedMax = size_t{48} << 10; // a kernel has to ask for more

void enqueue(const KernelLaunch& launch, cudaStream_t stream) {
  if (launch.shared_bytes > kStaticSharedMax)
    TS_CUDA(cudaFuncSetAttribute(launch.entry, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(launch.shared_bytes)));
  int64_t count = launch.count;
  void* arguments[] = {&count, const_cast<void*>(launch.task)};
  TS_CUDA(cudaLaunchKernel(launch.entry, dim3(static_cast<unsigned>(launch.blocks)),
                           dim3(static_cast<unsigned>(launch.threads)), arguments, launch.shared_bytes, stream));
}

} // namespace

void Launcher::launch(const KernelLaunch& launch) {
  try {
    enqueue(launch, queue_.stream());
  } catch (const CudaError&) {
    if (fault_ != nullptr) queue_.faults().withdraw(); // launches before this one may have written there
    throw;
  }
  launched(launch.kernel, launch.route);
}

Vendor* Launcher::vendor() { return settings_.vendor && queue_.vendor().present() ? &queue_.vendor() : nullptr; }

std::optional<cudaStream_t> Launcher::vendor_stream() const {
  return settings_.vendor ? std::optional(queue_.stream()) : std::nullopt;
}

void Launcher::launched(const char* kernel, const char* route) {
  census_.count(kernel, route);
  if (settings_.blocking) TS_CUDA(cudaStreamSynchronize(queue_.stream()));
}

} // namespace ts::cuda
