// Rounding to integers. An integer is itself; round takes ties to even.
#pragma once

#include "backends/kernels/math.h"
#include "backends/kernels/mutate.h"

namespace ts::kernels {

struct Ceil {
  template <class T> TS_HD T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return math::ceil(x);
    else
      return x;
  }
};
struct Floor {
  template <class T> TS_HD T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return math::floor(x);
    else
      return x;
  }
};
struct Trunc {
  template <class T> TS_HD T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return math::trunc(x);
    else
      return x;
  }
};
struct Round {
  template <class T> TS_HD T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return TS_MUTATE("round.half_up", math::rint(x), math::floor(x + T{0.5}));
    else
      return x;
  }
};

} // namespace ts::kernels
