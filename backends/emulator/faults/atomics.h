// The atomic operations of the planted faults, on host and device: macros, so that a report names the line that uses them.
#pragma once

#include "backends/kernels/task.h"

#if defined(__CUDA_ARCH__)
#define TS_FETCH_ADD(place, value) atomicAdd(place, value)
#define TS_LOAD(place) (*const_cast<const volatile std::remove_pointer_t<decltype(place)>*>(place))
#define TS_STORE(place, value) static_cast<void>(atomicExch(place, value))
#define TS_EXCHANGE_IF(place, expected, desired) ts::emulator::faults::exchange_if(place, expected, desired)

namespace ts::emulator::faults {
__device__ __forceinline__ bool exchange_if(int64_t* place, int64_t* expected, int64_t desired) {
  const auto seen = static_cast<unsigned long long>(*expected);
  const auto found =
      atomicCAS(reinterpret_cast<unsigned long long*>(place), seen, static_cast<unsigned long long>(desired));
  *expected = static_cast<int64_t>(found);
  return found == seen;
}
} // namespace ts::emulator::faults
#else
#define TS_FETCH_ADD(place, value) __atomic_fetch_add(place, value, __ATOMIC_SEQ_CST)
#define TS_LOAD(place) __atomic_load_n(place, __ATOMIC_ACQUIRE)
#define TS_STORE(place, value) __atomic_store_n(place, value, __ATOMIC_RELEASE)
#define TS_EXCHANGE_IF(place, expected, desired)                                                                       \
  __atomic_compare_exchange_n(place, expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#endif
