// What a case of one op is made of: its factors, their levels, which levels go together, and the case that levels make.
#pragma once

#include "conformance/case.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ts::conformance {

/// One level per factor.
using Levels = std::vector<int>;

inline constexpr int kLevelsMax = 11;

/// The levels of one factor that a case has: two where they come to the same.
using LevelSet = std::bitset<kLevelsMax>;

/// The factors of an op, from its row alone.
class Factors {
public:
  enum class Kind { size, dtype, second_dtype, operand, destination, output, source, index, alias, axis, attribute };

  struct Factor {
    Kind kind;
    std::string name;
    int levels;   ///< at most kLevelsMax
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

  /// The levels that a case has of every factor, from what stands in it alone.
  std::vector<LevelSet> levels_of(const Case& c) const;

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
  LevelSet sizes_of(const Case& c) const;
  LevelSet dtypes_of(const Case& c, Kind kind) const;
  LevelSet destinations_of(const Case& c) const;
  LevelSet attributes_of(const Case& c, const Factor& factor) const;
  void build_attributes(Case& c, const Levels& levels) const;
  void build_layouts(Case& c, const Levels& levels, uint64_t variant) const;

  const judge::Op& op_;
  std::vector<Factor> factors_;
  int first_size_ = 0;
  std::vector<std::vector<const judge::Instance*>> instances_; ///< by first dtype
  std::vector<int> in_place_;                                  ///< operands a result may overwrite
};

/// What levels of a factor stand for, in order.
inline constexpr std::array<Source, 4> kSources = {Source::integers, Source::ties, Source::specials, Source::domain};
inline constexpr std::array<Alias, 2> kAliases = {Alias::none, Alias::one_buffer};

/// Level of a destination that is a new tensor.
inline constexpr int kFresh = 0;

/// Levels of an axis: the last, the first, a middle one; of a mask of axes also all, both ends, none. Lowest rank at which
/// a level is none of those before it, and the attribute's value there.
int lowest_rank(int axis_level);
int64_t axis_value(const judge::AttributeRow& row, int level, int64_t rank);

/// Layouts that make one level of a factor; the writable ones come first.
inline constexpr int kWritableGroups = 9;
inline constexpr int kLayoutGroups = 11;
const std::vector<Layout>& layout_group(int group);

/// The first layout of a group, counted from a variant, that exists for the shape.
std::optional<Layout> layout_in(int group, const Shape& shape, uint64_t variant, bool immediate_allowed);

/// A value for an attribute that is no axis, from its row's domain; `level` 0 to 2. Where the case has an axis already,
/// integers stay within its extent.
ts_attribute attribute_value(const Case& c, const judge::AttributeRow& row, int level);

} // namespace ts::conformance
