// A case as a value: one call at the door, with everything that decides its outcome. Its name carries all of it, so that
// a name alone rebuilds the case on another machine.
#pragma once

#include "conformance/layouts.h"
#include "conformance/oracle/oracle.h"
#include "conformance/spec.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ts::conformance {

using judge::Array;
using judge::Shape;

/// Where a result goes: into a new dense tensor, into a view, or over one of the operands.
enum class Route : uint8_t { fresh, into_view, in_place };

/// Where the values of the operands come from.
enum class Source : uint8_t {
  integers, ///< small integers, on which sums and products are exact: bits are compared
  ties,     ///< few distinct values
  specials, ///< infinities, NaN, zeros of both signs, subnormals, limits among ordinary values
  domain,   ///< seeded samples of the row's domain
  tenth,    ///< the constant 0.1: a sum that rounds at every step; of a product 1.1 and its reciprocal in turn
  golden,   ///< a golden case: values from its file
  table,    ///< the rows of a table of the spec
};

/// What an index operand holds.
enum class IndexKind : uint8_t { random, identity, reversed, equal, boundary, past_end, negative, far };

/// How the storages of the operands relate.
enum class Alias : uint8_t {
  none,       ///< every operand has its own buffer
  one_buffer, ///< all lie in one buffer, disjoint
  same,       ///< the first two inputs are one and the same view
  shifted,    ///< the second input is the first, one element further on
};

struct Values {
  Source source = Source::integers;
  std::string set; ///< of a golden case or the name of a table
  int group = 0;   ///< which part of a table: its rows with equal attributes
  IndexKind index = IndexKind::random;
  bool operator==(const Values&) const = default;
};

struct Case {
  const judge::Op* op = nullptr;
  const judge::Instance* instance = nullptr;
  std::vector<Shape> shapes;    ///< per operand in the row's order; for an op without operands that of the result
  judge::Attributes attributes; ///< by name, every one of the row
  std::vector<Layout> operands; ///< per operand in the row's order
  std::vector<Layout> outputs;  ///< per output; of an inout or in-place output that of its operand
  Route route = Route::fresh;
  int in_place = -1; ///< operand that the first output overwrites
  Values values;
  Alias alias = Alias::none;

  /// `elementwise/add/f32/3x5x7/x=transposed,y=broadcast_outer,out=narrowed/into_view/integers`, of [a-z0-9_=,/] only.
  std::string name() const;
};

/// No tensor of a case has more elements.
inline constexpr int64_t kCaseElementsMax = int64_t{1} << 24;

/// The case of a name. Throws ValueError that says which part of the name is not understood, or what of it cannot be: a
/// shape that leaves int64, more than 8 axes, a result that does not fit where it is to lie.
Case parse_case(std::string_view name, const judge::Spec& spec);

/// The operand whose result output 0 is (role inout), or -1.
int inout_operand(const judge::Op& op);

/// The shape of an output, from the row's shape rule.
Shape result_shape(const Case& c, size_t output);

/// Whether each element of the result depends on a whole row of the first operand: softmax and the norms.
bool has_rows(const judge::Op& op);

/// Whether the op is one of groups: reductions, scans, sorts, and those of rows.
bool has_groups(const judge::Op& op);

/// Whether the index operand of the op has rank 1, whatever the rank of x.
bool takes_index_list(const judge::Op& op);

/// Position of the index operand, or -1.
int index_operand(const judge::Op& op);

/// Parts of names, each way. The readers throw ValueError.
std::string_view name_of(Source source);
std::string_view name_of(IndexKind kind);
std::string_view name_of(Alias alias);
std::string shape_name(const Shape& shape);
Shape shape_named(std::string_view text);
std::string real_name(double value);
double real_named(std::string_view text);

} // namespace ts::conformance
