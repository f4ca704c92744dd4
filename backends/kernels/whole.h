// Values of several elements that move whole: up to 16 bytes a request, as a device has them.
#pragma once

#include "backends/kernels/task.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ts::kernels {

#if defined(TS_INSTRUMENTED)

// An optimiser that knows the elements would load one by one, and a checker would see requests that a device does not make.
namespace detail {

template <size_t kBytes> struct Request;
template <> struct Request<1> { using Type __attribute__((may_alias)) = uint8_t; };
template <> struct Request<2> { using Type __attribute__((may_alias)) = uint16_t; };
template <> struct Request<4> { using Type __attribute__((may_alias)) = uint32_t; };
template <> struct Request<8> { using Type __attribute__((may_alias)) = uint64_t; };
template <> struct Request<16> { using Type __attribute__((vector_size(16), may_alias)) = uint32_t; };

template <class Value> struct Requests {
  using Type = typename Request<std::min<size_t>(sizeof(Value), 16)>::Type;
  static constexpr size_t kCount = sizeof(Value) / sizeof(Type);
  Type request[kCount];
};

} // namespace detail

template <class Value> Value load_whole(const std::byte* data) {
  using Requests = detail::Requests<Value>;
  Requests whole;
  for (size_t k = 0; k < Requests::kCount; ++k)
    whole.request[k] = reinterpret_cast<const volatile typename Requests::Type*>(data)[k];
  return __builtin_bit_cast(Value, whole);
}

template <class Value> void store_whole(const Value& value, std::byte* data) {
  using Requests = detail::Requests<Value>;
  const auto whole = __builtin_bit_cast(Requests, value);
  for (size_t k = 0; k < Requests::kCount; ++k)
    reinterpret_cast<volatile typename Requests::Type*>(data)[k] = whole.request[k];
}

#else

/// The Value at data, which is aligned for it.
template <class Value> TS_HD Value load_whole(const std::byte* data) { return *reinterpret_cast<const Value*>(data); }
template <class Value> TS_HD void store_whole(const Value& value, std::byte* data) {
  *reinterpret_cast<Value*>(data) = value;
}

#endif

/// Some bytes as the words that they move in, whatever they mean; a power of two from 2 on.
template <size_t kBytes> struct __attribute__((may_alias, aligned(kBytes))) RawWords {
  std::conditional_t<kBytes == 2, uint16_t, uint32_t> word[kBytes == 2 ? 1 : kBytes / 4];
};

} // namespace ts::kernels
