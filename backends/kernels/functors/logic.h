// Comparisons, logic, classification and selection. Results are truth values; any nonzero operand, NaN included, is true.
#pragma once

#include "backends/kernels/attributes.h"
#include "backends/kernels/math.h"
#include "backends/kernels/wrong.h"

namespace ts::kernels {

#define TS_BINARY(Name, expression)                                                                                    \
  struct Name {                                                                                                        \
    template <class T> TS_HD bool operator()(T x, T y) const { return expression; }                                    \
  };
#define TS_UNARY(Name, expression)                                                                                     \
  struct Name {                                                                                                        \
    template <class T> TS_HD bool operator()(T x) const { return expression; }                                         \
  };

TS_BINARY(Equal, TS_MUTATE("ZS04", x == y, wrong::flushed(x) == wrong::flushed(y)))
TS_BINARY(NotEqual, x != y)
TS_BINARY(Less, x < y)
TS_BINARY(LessEqual, x <= y)
TS_BINARY(Greater, x > y)
TS_BINARY(GreaterEqual, x >= y)
TS_BINARY(LogicalAnd, x != T{0} && y != T{0})
TS_BINARY(LogicalOr, x != T{0} || y != T{0})
TS_BINARY(LogicalXor, (x != T{0}) != (y != T{0}))
TS_UNARY(LogicalNot, x == T{0})

#undef TS_BINARY
#undef TS_UNARY

struct Isnan {
  template <class T> TS_HD bool operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return math::is_nan(x);
    else
      return (void)x, false;
  }
};
struct Isinf {
  template <class T> TS_HD bool operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return math::fabs(x) == math::infinity<T>();
    else
      return (void)x, false;
  }
};
struct Isfinite {
  template <class T> TS_HD bool operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return math::fabs(x) < math::infinity<T>();
    else
      return (void)x, true;
  }
};
struct Signbit {
  template <class T> TS_HD bool operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return math::sign_bit(x);
    else
      return x < T{0};
  }
};

/// Elements move as they are stored, whatever their bits.
struct Where {
  static constexpr bool kOnStorage = true;
  template <class T> TS_HD T operator()(Bool condition, T x, T y) const { return condition ? x : y; }
};

/// Elements that the mask selects become the value, the others move as they are stored.
struct MaskedFill {
  template <class D> struct Bound {
    static constexpr bool kOnStorage = true;
    D value;
    TS_HD D operator()(D x, Bool mask) const { return mask ? value : x; }
  };
  template <class D> static Bound<D> bind(const Attributes& attributes) { return {attributes.stored<D>(0)}; }
};

} // namespace ts::kernels
