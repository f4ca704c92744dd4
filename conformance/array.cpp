// The encodings of the eight dtypes, written for reading: a floating value is rounded by scaling it to an integer.
#include "conformance/array.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace ts::judge {
namespace {

constexpr std::array<Encoding, 8> kEncodings = {{
    {TS_DTYPE_BOOL, "bool", 1, DtypeClass::boolean, false, 0, 0, 0},
    {TS_DTYPE_U8, "u8", 1, DtypeClass::integer, false, 0, 0, 0},
    {TS_DTYPE_I32, "i32", 4, DtypeClass::integer, true, 0, 0, 0},
    {TS_DTYPE_I64, "i64", 8, DtypeClass::integer, true, 0, 0, 0},
    {TS_DTYPE_F16, "f16", 2, DtypeClass::floating, true, 11, 15, -14},
    {TS_DTYPE_BF16, "bf16", 2, DtypeClass::floating, true, 8, 127, -126},
    {TS_DTYPE_F32, "f32", 4, DtypeClass::floating, true, 24, 127, -126},
    {TS_DTYPE_F64, "f64", 8, DtypeClass::floating, true, 53, 1023, -1022},
}};

constexpr bool stand_at_their_number() {
  for (size_t i = 0; i < kEncodings.size(); ++i) {
    if (kEncodings[i].dtype != static_cast<int32_t>(i) + 1) return false;
  }
  return true;
}
static_assert(stand_at_their_number());

template <class To, class From> To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

} // namespace

const Encoding& encoding(int32_t dtype) {
  if (dtype < 1 || dtype > static_cast<int32_t>(kEncodings.size())) {
    throw InputError(fmt::format("{} is not the number of a dtype", dtype));
  }
  return kEncodings[static_cast<size_t>(dtype - 1)]; // numbers are append-only and without gaps
}

int32_t dtype_named(std::string_view name) {
  for (const Encoding& e : kEncodings) {
    if (e.name == name) return e.dtype;
  }
  return 0;
}

const char* class_name(int32_t dtype) {
  switch (encoding(dtype).cls) {
    case DtypeClass::boolean: return "bool";
    case DtypeClass::integer: return "int";
    case DtypeClass::floating: return "float";
  }
  return "";
}

int64_t count_of(const Shape& shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0) throw InputError("negative extent in shape " + text_of(shape));
    if (extent == 0) empty = true;
    if (extent > 0 && __builtin_mul_overflow(count, extent, &count)) {
      throw InputError("too many elements in shape " + text_of(shape));
    }
  }
  return empty ? 0 : count;
}

std::string text_of(const Shape& shape) { return fmt::format("({})", fmt::join(shape, ",")); }

Shape coordinates(const Shape& shape, int64_t index) {
  Shape result(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    result[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return result;
}

uint64_t encode(int32_t dtype, double value) {
  if (dtype == TS_DTYPE_F64) return bits_as<uint64_t>(value);
  if (dtype == TS_DTYPE_F32) return bits_as<uint32_t>(static_cast<float>(value));
  const Encoding& e = encoding(dtype);
  const int fraction_bits = e.precision - 1;
  const uint64_t sign = std::signbit(value) ? 1ULL << (8 * e.bytes - 1) : 0;
  const uint64_t infinity = static_cast<uint64_t>(2 * e.exponent_max + 1) << fraction_bits;
  if (std::isnan(value)) return sign | infinity | 1ULL << (fraction_bits - 1);
  if (std::isinf(value)) return sign | infinity;
  if (value == 0) return sign;
  const double magnitude = std::fabs(value);
  // The last place of the result as a power of two; below the normal range it stands still.
  const int last_place = std::max(std::ilogb(magnitude), static_cast<int>(e.exponent_min)) - fraction_bits;
  const double significand = std::nearbyint(std::ldexp(magnitude, -last_place)); // exact scaling, one rounding
  // Biased exponent and fraction are one integer: a significand that rounds up to 2^precision carries into the
  // exponent.
  const uint64_t base = static_cast<uint64_t>(last_place + fraction_bits - e.exponent_min) << fraction_bits;
  return sign | std::min(base + static_cast<uint64_t>(significand), infinity);
}

double decode(int32_t dtype, uint64_t bits) {
  if (dtype == TS_DTYPE_F64) return bits_as<double>(bits);
  if (dtype == TS_DTYPE_F32) return bits_as<float>(static_cast<uint32_t>(bits));
  const Encoding& e = encoding(dtype);
  const int fraction_bits = e.precision - 1;
  const bool negative = (bits >> (8 * e.bytes - 1) & 1) != 0;
  const int exponent = static_cast<int>(bits >> fraction_bits & static_cast<uint64_t>(2 * e.exponent_max + 1));
  const uint64_t fraction = bits & ((1ULL << fraction_bits) - 1);
  double magnitude = 0;
  if (exponent == 2 * e.exponent_max + 1) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(fraction), e.exponent_min - fraction_bits);
  } else {
    magnitude = std::ldexp(static_cast<double>(fraction | 1ULL << fraction_bits),
                           exponent - 1 + e.exponent_min - fraction_bits);
  }
  return std::copysign(magnitude, negative ? -1.0 : 1.0);
}

std::string shortest_text(int32_t dtype, double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (value == 0) return std::signbit(value) ? "-0" : "0";
  const uint64_t bits = encode(dtype, value);
  for (int digits = 1; digits < 17; ++digits) {
    std::string text = fmt::format("{:.{}g}", value, digits);
    if (encode(dtype, std::strtod(text.c_str(), nullptr)) == bits) return text;
  }
  return fmt::format("{:.17g}", value);
}

Array::Array(int32_t dtype_, Shape shape_)
    : dtype(dtype_), shape(std::move(shape_)), bytes(static_cast<size_t>(count_of(shape) * bytes_of(dtype_))) {}

Array Array::of(int32_t dtype, Shape shape, const std::vector<double>& values) {
  Array result(dtype, std::move(shape));
  if (result.count() != static_cast<int64_t>(values.size()))
    throw InputError("values do not fill " + text_of(result.shape));
  for (size_t i = 0; i < values.size(); ++i) {
    if (is_floating(dtype)) {
      result.set_real(static_cast<int64_t>(i), values[i]);
    } else {
      result.set_integer(static_cast<int64_t>(i), static_cast<int64_t>(values[i]));
    }
  }
  return result;
}

Array Array::of_integers(int32_t dtype, Shape shape, const std::vector<int64_t>& values) {
  Array result(dtype, std::move(shape));
  if (result.count() != static_cast<int64_t>(values.size()))
    throw InputError("values do not fill " + text_of(result.shape));
  for (size_t i = 0; i < values.size(); ++i) result.set_integer(static_cast<int64_t>(i), values[i]);
  return result;
}

uint64_t Array::bits(int64_t i) const {
  const auto width = static_cast<size_t>(bytes_of(dtype));
  uint64_t result = 0; // little endian, as every host of the suite is
  std::memcpy(&result, bytes.data() + static_cast<size_t>(i) * width, width);
  return result;
}

void Array::set_bits(int64_t i, uint64_t value) {
  const auto width = static_cast<size_t>(bytes_of(dtype));
  std::memcpy(bytes.data() + static_cast<size_t>(i) * width, &value, width);
}

int64_t Array::integer(int64_t i) const {
  const uint64_t value = bits(i);
  switch (dtype) {
    case TS_DTYPE_BOOL: return value != 0 ? 1 : 0;
    case TS_DTYPE_U8: return static_cast<int64_t>(value);
    case TS_DTYPE_I32: return static_cast<int32_t>(value);
    case TS_DTYPE_I64: return static_cast<int64_t>(value);
    default: throw InputError(fmt::format("an element of {} is not an integer", name_of(dtype)));
  }
}

void Array::set_integer(int64_t i, int64_t value) {
  if (dtype == TS_DTYPE_BOOL) return set_bits(i, value != 0 ? 1 : 0);
  if (is_floating(dtype)) return set_real(i, static_cast<double>(value));
  set_bits(i, static_cast<uint64_t>(value));
}

double Array::real(int64_t i) const {
  return is_floating(dtype) ? decode(dtype, bits(i)) : static_cast<double>(integer(i));
}

void Array::set_real(int64_t i, double value) { set_bits(i, encode(dtype, value)); }

std::string Array::text(int64_t i) const {
  if (dtype == TS_DTYPE_BOOL && bits(i) > 1) return fmt::format("{} (a byte that is neither 0 nor 1)", bits(i));
  if (!is_floating(dtype)) return std::to_string(integer(i));
  // Whole numbers as such: 10, where the shortest text is 1e+01.
  constexpr double kPlain = 1e7;
  const double value = real(i);
  const bool plain = value != 0 && std::fabs(value) < kPlain && value == std::trunc(value);
  return plain ? fmt::format("{:.0f}", value) : shortest_text(dtype, value);
}

std::string Array::hex(int64_t i) const { return fmt::format("0x{:0{}x}", bits(i), 2 * bytes_of(dtype)); }

} // namespace ts::judge
