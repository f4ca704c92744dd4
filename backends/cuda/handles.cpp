#include "backends/cuda/handles.h"

#include "backends/cuda/errors.h"

namespace ts::cuda {

Stream::Stream() { TS_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }

Event::Event() { TS_CUDA(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }

bool Event::passed() const {
  const cudaError_t code = cudaEventQuery(event_);
  if (code != cudaErrorNotReady) check(code, "cudaEventQuery(event_)", __FILE__, __LINE__);
  return code == cudaSuccess;
}

PoolHandle::PoolHandle(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  TS_CUDA(cudaMemPoolCreate(&pool_, &properties));
}

} // namespace ts::cuda
