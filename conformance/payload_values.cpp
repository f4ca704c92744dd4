// Special values of every dtype, intervals, and how elements fall into groups.
#include "conformance/payload.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

namespace ts::conformance {

namespace {

std::vector<uint64_t> floating_specials(int32_t dtype) {
  const judge::Encoding& code = judge::encoding(dtype);
  const double tiny = std::ldexp(1.0, code.exponent_min);
  const double sub = std::ldexp(1.0, code.exponent_min - (code.precision - 1));
  const double max = std::ldexp(2.0 - std::ldexp(1.0, 1 - code.precision), code.exponent_max);
  const double inf = std::numeric_limits<double>::infinity();
  const double ulp = std::ldexp(1.0, 1 - code.precision);
  std::vector<uint64_t> bits;
  for (const double value :
       {0.0,     -0.0, 1.0,   -1.0, 2.0,  -2.0, 0.5,  -0.5, 1.5,  2.5,
        1 + ulp, tiny, -tiny, sub,  -sub, max,  -max, inf,  -inf, std::numeric_limits<double>::quiet_NaN()})
    bits.push_back(judge::encode(dtype, value));
  return bits;
}

std::vector<uint64_t> integer_specials(int32_t dtype) {
  Array value(dtype, {1});
  std::vector<uint64_t> bits;
  const auto push = [&](int64_t x) {
    value.set_integer(0, x);
    bits.push_back(value.bits(0));
  };
  const int64_t width = judge::bytes_of(dtype) * 8;
  const int64_t min = judge::encoding(dtype).is_signed ? INT64_MIN >> (64 - width) : 0;
  const auto max = judge::encoding(dtype).is_signed ? ~min : (int64_t{1} << width) - 1;
  for (const int64_t x : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{2}, int64_t{-2}, int64_t{3}, int64_t{127},
                          int64_t{128}, min, min + 1, max, max - 1})
    push(x);
  if (width >= 32) push((1 << 24) + 1);
  if (width == 64) push((int64_t{1} << 53) + 1);
  return bits;
}

} // namespace

const std::vector<uint64_t>& special_bits(int32_t dtype) {
  static const std::map<int32_t, std::vector<uint64_t>> tables = [] {
    std::map<int32_t, std::vector<uint64_t>> made;
    for (const int32_t d : {TS_DTYPE_U8, TS_DTYPE_I32, TS_DTYPE_I64}) made[d] = integer_specials(d);
    for (const int32_t d : {TS_DTYPE_F16, TS_DTYPE_BF16, TS_DTYPE_F32, TS_DTYPE_F64}) made[d] = floating_specials(d);
    // Every byte but 0 is true.
    made[TS_DTYPE_BOOL] = {0, 1, 2, 4, 0x80, 0xff, 0, 0};
    return made;
  }();
  return tables.at(dtype);
}

Interval interval_of(const std::string& domain) {
  const double inf = std::numeric_limits<double>::infinity();
  const size_t comma = domain.find(',');
  if (comma == std::string::npos) return {-inf, inf, true};
  const double low = std::strtod(domain.c_str() + 1, nullptr);
  char* end = nullptr;
  const char* const text = domain.c_str() + comma + 1;
  double high = std::strtod(text, &end);
  if (end == text) high = inf; // a word such as max
  return {low, high, false};
}

Grouping grouping_of(const Case& c, size_t operand) {
  const Shape& shape = c.shapes[operand];
  const int64_t count = judge::count_of(shape);
  Grouping grouping;
  grouping.group.resize(static_cast<size_t>(count));
  grouping.position.resize(static_cast<size_t>(count), 0);

  int64_t mask = 0;
  const std::string& family = c.op->family;
  if (has_groups(*c.op) && c.op->attribute("axes") != nullptr)
    mask = c.attributes.at("axes").integer;
  else if (has_groups(*c.op))
    mask = int64_t{1} << (c.attributes.at("axis").integer & 31);
  else if (family == "matmul" && operand == 0)
    mask = int64_t{1} << (shape.size() - 1);

  for (size_t k = 0; k < shape.size(); ++k)
    if ((mask >> k & 1) != 0) grouping.size *= shape[k];
  Shape at(shape.size(), 0);
  for (int64_t e = 0; e < count; ++e) {
    int64_t group = 0, position = 0;
    for (size_t k = 0; k < shape.size(); ++k) {
      int64_t& index = (mask >> k & 1) != 0 ? position : group;
      index = index * shape[k] + at[k];
    }
    grouping.group[static_cast<size_t>(e)] = group;
    grouping.position[static_cast<size_t>(e)] = position;
    for (size_t k = shape.size(); k-- > 0;) {
      if (++at[k] < shape[k]) break;
      at[k] = 0;
    }
  }
  // The second operand of a product meets every row: its elements stay ordinary.
  if (family == "matmul" && operand == 1) grouping.size = 0;
  return grouping;
}

} // namespace ts::conformance
