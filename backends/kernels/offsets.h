// From a linear index to byte offsets, on the device: a plan made small enough to travel with a task.
#pragma once

#include "backends/kernels/plan.h"
#include "backends/kernels/unroll.h"

namespace ts::kernels {

/// Division of numbers below 2^31 by a constant known at launch: a multiplication and a shift.
/// Granlund and Montgomery, "Division by invariant integers using multiplication", 1994.
struct Divider {
  uint32_t divisor;
  uint32_t magic;
  uint32_t shift;

  /// divisor lies in [1, 2^31).
  static Divider of(uint32_t divisor) {
    uint32_t shift = 0;
    while ((uint64_t{1} << shift) < divisor) ++shift;
    const uint64_t magic = ((uint64_t{1} << 32) * ((uint64_t{1} << shift) - divisor)) / divisor + 1;
    return {divisor, static_cast<uint32_t>(magic), shift};
  }
  TS_HD uint32_t divide(uint32_t n) const {
    const uint32_t high = static_cast<uint32_t>((static_cast<uint64_t>(n) * magic) >> 32);
    return (high + n) >> shift;
  }
};

/// Byte offsets of N operands as a function of the linear index over a plan.
template <int N> struct Offsets {
  int32_t rank;
  int32_t narrow; ///< 32-bit arithmetic with dividers, else 64-bit
  int64_t shape[TS_RANK_MAX];
  int64_t stride[N][TS_RANK_MAX];
  Divider divider[TS_RANK_MAX];

  static Offsets of(const Plan& plan) {
    Offsets offsets{};
    offsets.rank = plan.rank;
    offsets.narrow = index_is_narrow(plan) ? 1 : 0;
    for (int axis = 0; axis < plan.rank; ++axis) {
      offsets.shape[axis] = plan.shape[axis];
      for (int k = 0; k < N; ++k) offsets.stride[k][axis] = plan.stride[k][axis];
      if (offsets.narrow != 0 && plan.shape[axis] > 0)
        offsets.divider[axis] = Divider::of(static_cast<uint32_t>(plan.shape[axis]));
    }
    return offsets;
  }

  TS_HD void at(int64_t linear, int64_t (&offset)[N]) const {
    if (narrow != 0) {
      int32_t sum[N] = {};
      uint32_t rest = static_cast<uint32_t>(linear);
      TS_UNROLL_NOT
      for (int axis = rank - 1; axis > 0; --axis) {
        const uint32_t quotient = divider[axis].divide(rest);
        const int32_t index = static_cast<int32_t>(rest - quotient * divider[axis].divisor);
        TS_UNROLL
        for (int k = 0; k < N; ++k) sum[k] += index * static_cast<int32_t>(stride[k][axis]);
        rest = quotient;
      }
      TS_UNROLL
      for (int k = 0; k < N; ++k)
        offset[k] = rank == 0 ? 0 : sum[k] + static_cast<int32_t>(rest) * static_cast<int32_t>(stride[k][0]);
      return;
    }
    for (int k = 0; k < N; ++k) offset[k] = 0;
    int64_t rest = linear;
    TS_UNROLL_NOT
    for (int axis = rank - 1; axis >= 0; --axis) {
      // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): without elements there is no index
      const int64_t quotient = axis == 0 ? 0 : rest / shape[axis];
      const int64_t index = rest - quotient * shape[axis];
      TS_UNROLL
      for (int k = 0; k < N; ++k) offset[k] += index * stride[k][axis];
      rest = quotient;
    }
  }
};

} // namespace ts::kernels
