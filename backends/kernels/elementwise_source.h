// What elementwise tasks have in common: where they find an input, and how one element is computed.
#pragma once

#include "backends/kernels/numbers.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ts::kernels {

/// Where a task finds an input: a device address, or bits that travelled with the call where data is null.
struct Source {
  const std::byte* data;
  uint64_t bits;
  int32_t dense; ///< elements follow each other; else data is one element for all

  template <class T> TS_HD T single() const {
    if (data != nullptr) return *reinterpret_cast<const T*>(data);
    if constexpr (sizeof(T) <= sizeof bits) {
      return ts::detail::bit_cast<T>(static_cast<BitsOf<T>>(bits));
    } else {
      struct Words {
        uint64_t word[sizeof(T) / sizeof(uint64_t)];
      };
      return ts::detail::bit_cast<T>(Words{{bits}});
    }
  }
  template <class T> TS_HD T at(int64_t element) const {
    return dense != 0 ? reinterpret_cast<const T*>(data)[element] : single<T>();
  }
};

template <class F, class = void> inline constexpr bool works_on_storage = false;
template <class F> inline constexpr bool works_on_storage<F, std::enable_if_t<F::kOnStorage>> = true;

/// One element: widens the operands to the type arithmetic is done in, calls, and rounds once into Out.
template <class Out, class F, class... In> TS_HD Out apply(const F& f, In... x) {
  if constexpr (works_on_storage<F>)
    return convert<Out>(f(x...));
  else
    return convert<Out>(f(static_cast<Compute<In>>(x)...));
}

} // namespace ts::kernels
