// Attributes of a call by slot. Integers never pass through a double, so every int64 arrives as it was sent.
#pragma once

#include "backends/kernels/call.h"
#include "backends/kernels/numbers.h"

namespace ts::kernels {

/// The attribute slots of one call; the door has checked that each is there and of its row's kind.
class Attributes {
public:
  explicit Attributes(const Call& call) : slots_(call.attributes) {}

  int64_t integer(int slot) const { return slots_[slot].integer; }

  /// A real attribute, rounded once to the type arithmetic is done in.
  template <class C> C real(int slot) const { return static_cast<C>(slots_[slot].real); }

  /// A value of dtype D as it would be stored: sent as an integer where D is bool or an integer, else as a real.
  template <class D> D stored(int slot) const {
    const ts_attribute& attribute = slots_[slot];
    return attribute.kind == TS_ATTRIBUTE_INTEGER ? convert<D>(attribute.integer) : convert<D>(attribute.real);
  }

  /// The same, in the type arithmetic on D is done in.
  template <class D> Compute<D> value(int slot) const { return static_cast<Compute<D>>(stored<D>(slot)); }

private:
  const ts_attribute* slots_;
};

} // namespace ts::kernels
