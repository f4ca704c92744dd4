// Every dtype to every dtype (convert.1 to convert.8).
#include "conformance/oracle/families.h"

namespace ts::judge {

void convert_element(Array& to, int64_t i, const Array& from, int64_t j) {
  if (to.dtype == from.dtype && to.dtype != TS_DTYPE_BOOL) return to.set_bits(i, from.bits(j)); // convert.1
  const bool floating = is_floating(from.dtype);
  if (to.dtype == TS_DTYPE_BOOL) { // NaN is true
    return to.set_bits(i, floating ? (from.real(j) == 0 ? 0 : 1) : (from.integer(j) == 0 ? 0 : 1));
  }
  const bool to_floating = is_floating(to.dtype);
  if (!floating && !to_floating) return to.set_integer(i, from.integer(j)); // wraps
  constexpr int64_t kExact = int64_t{1} << 53;
  if (to_floating &&
      (floating || (from.integer(j) <= kExact && from.integer(j) >= -kExact))) { // a double holds it: one rounding
    return to.set_real(i, from.real(j));
  }
  thread_local Number value(64); // holds every i64 and every double
  set_element(value, from, j);
  store(to, i, value); // rounds once, or truncates and saturates
}

void expect_convert(const Call& call, Expected& expected) {
  const Array& x = call.inputs[0];
  Array out(call.instance->out[0], x.shape);
  for (int64_t i = 0; i < x.count(); ++i) convert_element(out, i, x, i);
  Bounds bounds;
  bounds.payload = x.dtype == out.dtype;
  expected.outputs.push_back(std::move(out));
  expected.bounds.push_back(std::move(bounds));
}

} // namespace ts::judge
