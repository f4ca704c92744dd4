// What a case of one op is made of: its factors, their levels, which levels go together, and the case that levels make.
#pragma once

#include "conformance/case.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ts::conformance {

/// One level per factor.
using Levels = std::vector<int>;

/// The factors of an op, from its row alone.
class Factors {
public:
  enum class Kind { size, dtype, second_dtype, operand, destination, output, source, index, alias, axis, attribute };

  struct Factor {
    Kind kind;
    std::string name;
    int levels;   ///< at most 11
    size_t which; ///< operand, output or attribute
  };

  explicit Factors(const judge::Op& op);

  const judge::Op& op() const { return op_; }
  const std::vector<Factor>& all() const { return factors_; }

  /// The level of a factor that a symbol of the orthogonal array stands for: common levels stand for more symbols.
  int level_of(size_t factor, int symbol) const;

  /// Moves levels that do not go together to the next that do, and leaves the pinned ones alone. Empty where the pinned
  /// ones do not go together.
  std::optional<Levels> settle(Levels levels, const std::vector<size_t>& pinned) const;

  /// The case that settled levels make; a variant chooses among shapes and layouts of one level.
  Case build(const Levels& levels, uint64_t variant) const;

private:
  struct Conflict {
    size_t move, or_else; ///< factors: the one to move, or where that is pinned the other
  };
  std::optional<Conflict> conflict(const Levels& levels) const;
  std::optional<Conflict> size_conflict(const Levels& levels) const;
  std::optional<Conflict> destination_conflict(const Levels& levels) const;
  void add(Kind kind, std::string name, int levels, size_t which = 0);
  void add_destination();
  int find(Kind kind, size_t which = 0) const;
  int level(const Levels& levels, Kind kind, size_t which = 0) const;
  const judge::Instance& instance(const Levels& levels) const;
  int size_level(const Levels& levels) const;
  int rank(const Levels& levels) const;
  int rank_of_operand(size_t operand, const Levels& levels) const;
  void build_attributes(Case& c, const Levels& levels) const;
  void build_layouts(Case& c, const Levels& levels, uint64_t variant) const;

  const judge::Op& op_;
  std::vector<Factor> factors_;
  int first_size_ = 0;
  std::vector<std::vector<const judge::Instance*>> instances_; ///< by first dtype
  std::vector<int> in_place_;                                  ///< operands a result may overwrite
};

/// Layouts that make one level of a factor; the writable ones come first.
inline constexpr int kWritableGroups = 9;
inline constexpr int kLayoutGroups = 11;
const std::vector<Layout>& layout_group(int group);

/// The first layout of a group, counted from a variant, that exists for the shape.
std::optional<Layout> layout_in(int group, const Shape& shape, uint64_t variant, bool immediate_allowed);

/// A value for an attribute that is no axis, from its row's domain; `level` 0 to 2. Integers stay below `extent`.
ts_attribute attribute_value(const Case& c, const judge::AttributeRow& row, int level, int64_t extent);

} // namespace ts::conformance
