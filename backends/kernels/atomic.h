// Atomic updates of elements of every width, on host and device: relaxed, since launches order everything else.
#pragma once

#include "backends/kernels/call.h"
#include "backends/kernels/numbers.h"

#include <cstdint>

namespace ts::kernels {

#if defined(__CUDA_ARCH__)

namespace detail {

/// CUDA compares and exchanges words of 2, 4 and 8 bytes. A byte is exchanged inside its aligned word, whose other bytes are
/// put back as they were found; an allocation is a multiple of 4 bytes long.
template <class U> __device__ __forceinline__ U exchange_if(U* address, U expected, U desired) {
  if constexpr (sizeof(U) == 8) {
    return atomicCAS(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(expected),
                     static_cast<unsigned long long>(desired));
  } else if constexpr (sizeof(U) == 4) {
    return atomicCAS(address, expected, desired);
  } else if constexpr (sizeof(U) == 2) {
    return atomicCAS(reinterpret_cast<unsigned short*>(address), static_cast<unsigned short>(expected),
                     static_cast<unsigned short>(desired));
  } else {
    const uintptr_t place = reinterpret_cast<uintptr_t>(address);
    unsigned* word = reinterpret_cast<unsigned*>(place & ~uintptr_t{3});
    const int shift = static_cast<int>(place & 3) * 8;
    const unsigned mask = ((1U << (sizeof(U) * 8)) - 1) << shift;
    unsigned found = *reinterpret_cast<volatile unsigned*>(word);
    while (static_cast<U>((found & mask) >> shift) == expected) {
      const unsigned before = atomicCAS(word, found, (found & ~mask) | static_cast<unsigned>(desired) << shift);
      if (before == found) return expected;
      found = before; // a neighbour may have changed, or this element
    }
    return static_cast<U>((found & mask) >> shift);
  }
}

} // namespace detail

/// Replaces *address by update(*address) without losing what other work items do to it.
template <class T, class Update> __device__ __forceinline__ void atomic_update(T* address, const Update& update) {
  using U = BitsOf<T>;
  U* bits = reinterpret_cast<U*>(address);
  U expected = *reinterpret_cast<volatile U*>(bits);
  for (;;) {
    const U found =
        detail::exchange_if(bits, expected, ts::detail::bit_cast<U>(update(ts::detail::bit_cast<T>(expected))));
    if (found == expected) return;
    expected = found;
  }
}

/// Adds modulo 2^bits, or rounded once.
template <class T>
inline constexpr bool has_atomic_add =
    std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t> || std::is_same_v<T, double> || std::is_same_v<T, float>;
__device__ __forceinline__ void atomic_add(int32_t* address, int32_t value) { atomicAdd(address, value); }
__device__ __forceinline__ void atomic_add(int64_t* address, int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value));
}
__device__ __forceinline__ void atomic_add(double* address, double value) { atomicAdd(address, value); }
/// The device's own addition of floats in memory takes subnormals for zeros. A value of 2^-100 or more swallows a subnormal
/// whole, and its sum with a normal number is 0 or normal, so there it is right; elsewhere a word is exchanged.
__device__ __forceinline__ void atomic_add(float* address, float value) {
  if (!(fabsf(value) < 0x1p-100F)) {
    // A warp that adds to one place adds up first: its lanes would wait for each other there.
    int one_place = 0;
    if (__activemask() == 0xffffffffU)
      __match_all_sync(0xffffffffU, reinterpret_cast<unsigned long long>(address), &one_place);
    if (one_place == 0) {
      atomicAdd(address, value);
      return;
    }
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffU, value, distance);
    if ((threadIdx.x & 31U) != 0) return;
    if (!(fabsf(value) < 0x1p-100F)) {
      atomicAdd(address, value);
      return;
    }
  }
  if (ts::detail::bit_cast<uint32_t>(value) == 0x80000000U) return; // x + -0 is x
  atomic_update(address, [value](float x) { return x + value; });
}

__device__ __forceinline__ void atomic_max(int64_t* address, int64_t value) {
  atomicMax(reinterpret_cast<long long*>(address), static_cast<long long>(value));
}
__device__ __forceinline__ void atomic_min(int64_t* address, int64_t value) {
  atomicMin(reinterpret_cast<long long*>(address), static_cast<long long>(value));
}

#else

template <class T, class Update> TS_HD void atomic_update(T* address, const Update& update) {
  using U = BitsOf<T>;
  U* bits = reinterpret_cast<U*>(address);
  U expected = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    const U desired = ts::detail::bit_cast<U>(update(ts::detail::bit_cast<T>(expected)));
    if (__atomic_compare_exchange_n(bits, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
  }
}

template <class T> inline constexpr bool has_atomic_add = std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>;
template <class T> TS_HD void atomic_add(T* address, T value) { __atomic_fetch_add(address, value, __ATOMIC_RELAXED); }

TS_HD void atomic_max(int64_t* address, int64_t value) {
  atomic_update(address, [value](int64_t x) { return x < value ? value : x; });
}
TS_HD void atomic_min(int64_t* address, int64_t value) {
  atomic_update(address, [value](int64_t x) { return value < x ? value : x; });
}

#endif

/// Notes that element `element` of the index operand lies outside its axis; the smallest element is kept. The family's
/// last launch fills in the rest of the cell.
TS_HD void note_index_fault(IndexFault* fault, int64_t element) { atomic_min(&fault->element, element); }

} // namespace ts::kernels
