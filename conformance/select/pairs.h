// Which pairs of levels there are, and which case brings which together: what a run covers, counted from finished cases.
#pragma once

#include "conformance/select/factors.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ts::conformance {

/// Pairs of levels of any two factors of an op, and of a tuple of dtypes with a layout of an operand or result.
class Pairs {
public:
  /// Lists `count` pairs that some case can have unless excluded. Gives the first one's number.
  uint32_t list(size_t count);
  void exclude(uint32_t pair);

  /// The case has these pairs.
  void note(const std::string& name, std::vector<uint32_t> pairs);

  int64_t listed() const { return static_cast<int64_t>(possible_.size()); }
  int64_t infeasible() const { return infeasible_; } ///< of those listed, that no case can have

  /// How many feasible pairs at least one of these cases has.
  int64_t met(const std::vector<std::string>& names) const;

private:
  std::vector<bool> possible_;
  int64_t infeasible_ = 0;
  std::unordered_map<std::string, std::vector<uint32_t>> of_case_;
};

/// Lists the pairs of levels of an op's factors; `feasible` in the order of all_pairs.
void list_levels(const Factors& factors, const std::vector<bool>& feasible, const std::vector<Case>& cases,
                 Pairs& pairs);

/// Lists the pairs of a tuple of dtypes and a layout of an operand or result.
void list_layouts(const judge::Op& op, const std::vector<Case>& cases, Pairs& pairs);

/// Whether the case computes something: one without an element, or with an index or axis that is refused, does not.
bool computes(const Case& c);

} // namespace ts::conformance
