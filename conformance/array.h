// A logical array of the judge: dense, row-major values of one dtype, with no layout, no device and no library behind
// them. Inputs, expected values and what a backend gave are all compared in this form.
#pragma once

#include "backends/abi/backend.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ts::judge {

/// Input of the judge that it cannot read: a spec, a golden file, a token. The message names file and line where known.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Shape = std::vector<int64_t>;

enum class DtypeClass { boolean, integer, floating };

/// How the values of a dtype are written down in bits. The loaded spec is checked against these.
struct Encoding {
  int32_t dtype;
  const char* name;
  int32_t bytes;
  DtypeClass cls;
  bool is_signed;
  int32_t precision;    ///< bits of the significand of a floating dtype, the implicit one included; 0 otherwise
  int32_t exponent_max; ///< largest e such that 2^e is finite
  int32_t exponent_min; ///< smallest e such that 2^e is normal
};

/// The encoding of a TS_DTYPE_ number; InputError for any other number.
const Encoding& encoding(int32_t dtype);
/// The TS_DTYPE_ number of a name such as "f32"; 0 where there is none.
int32_t dtype_named(std::string_view name);
inline const char* name_of(int32_t dtype) { return encoding(dtype).name; }
inline int64_t bytes_of(int32_t dtype) { return encoding(dtype).bytes; }
inline bool is_floating(int32_t dtype) { return encoding(dtype).cls == DtypeClass::floating; }
/// "bool", "int" or "float", as rows and tables of the spec name classes.
const char* class_name(int32_t dtype);

/// Product of extents; 1 for rank 0. InputError for a negative extent or a product that does not fit.
int64_t count_of(const Shape& shape);
/// "(2,3)", "()" for rank 0.
std::string text_of(const Shape& shape);
/// Coordinates of a row-major logical index.
Shape coordinates(const Shape& shape, int64_t index);

/// A dense row-major array of logical values.
struct Array {
  int32_t dtype = 0;
  Shape shape;
  std::vector<std::byte> bytes;

  Array() = default;
  /// All bits zero.
  Array(int32_t dtype_, Shape shape_);
  /// Rounds or wraps each value to the dtype; for tests and tables.
  static Array of(int32_t dtype, Shape shape, const std::vector<double>& values);
  static Array of_integers(int32_t dtype, Shape shape, const std::vector<int64_t>& values);

  int64_t count() const { return count_of(shape); }

  /// The element's bits in the low bytes.
  uint64_t bits(int64_t i) const;
  void set_bits(int64_t i, uint64_t bits);
  /// An integer or bool element; any nonzero byte of bool reads as 1.
  int64_t integer(int64_t i) const;
  /// Wraps modulo 2^bits; for bool writes whether value is nonzero.
  void set_integer(int64_t i, int64_t value);
  /// The element as double: exact but for i64 beyond 2^53, which rounds to nearest.
  double real(int64_t i) const;
  /// A floating element, rounded once to nearest, ties to even.
  void set_real(int64_t i, double value);

  /// The element as one reads it: shortest decimal that reads back, nan, inf, -0, 0 or 1.
  std::string text(int64_t i) const;
  /// The element's bits as 0x and all digits of the dtype.
  std::string hex(int64_t i) const;

  /// Same dtype, shape and bytes.
  bool operator==(const Array& other) const = default;
};

/// Bits of a floating dtype for a double, rounded once to nearest, ties to even; a NaN keeps its sign.
uint64_t encode(int32_t dtype, double value);
/// The value of bits of a floating dtype, which double holds exactly.
double decode(int32_t dtype, uint64_t bits);
/// Shortest decimal that reads back to the same value of the floating dtype.
std::string shortest_text(int32_t dtype, double value);

} // namespace ts::judge
