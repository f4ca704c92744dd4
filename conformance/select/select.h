// Which cases the kernel tier has. Everything follows from the rows, tables and goldens of the spec; no op is named here.
#pragma once

#include "conformance/select/pairs.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ts::conformance {

struct Selection {
  std::vector<std::string> names; ///< in order of ops, distinct
  Pairs pairs;                    ///< of levels, over all ops
  int64_t missing = 0;            ///< feasible pairs that no case of the tier has; must be 0
};

/// Every case of the kernel tier. Throws BackendError on a duplicate name: two cases that cannot be told apart.
Selection select_kernel_cases(const judge::Spec& spec);

/// The tiers, in the order of a run: `kernel`, `tensor`, `example`, `found`.
const std::vector<std::string>& tier_names();

/// ValueError for a text that is no tier; none at all means every one.
void check_tier(const std::string& tier);

/// Every case of a tier, or of all where the text is empty. ValueError for an unknown tier.
Selection select_cases(const judge::Spec& spec, const std::string& tier);

/// Cases beside the orthogonal array, each for one kind of fault.
void add_layout_cases(const judge::Op& op, std::vector<Case>& cases); ///< what the others lack: comes last
void add_empty_cases(const judge::Op& op, std::vector<Case>& cases);
void add_large_cases(const judge::Op& op, std::vector<Case>& cases);
void add_alias_cases(const judge::Op& op, std::vector<Case>& cases);
void add_axes_cases(const judge::Op& op, std::vector<Case>& cases);
void add_error_cases(const judge::Op& op, std::vector<Case>& cases);
void add_numeric_cases(const judge::Op& op, std::vector<Case>& cases);
void add_conversion_cases(const judge::Op& op, std::vector<Case>& cases);

/// Cases whose values the spec gives.
void add_table_cases(const judge::Spec& spec, const judge::Op& op, std::vector<Case>& cases);
void add_golden_cases(const judge::Spec& spec, const judge::Op& op, std::vector<Case>& cases);

/// A dense case of an instance: shapes as the first operand's, attributes at their middle, a new result.
Case dense_case(const judge::Op& op, const judge::Instance& instance, const Shape& first, int64_t axis = -1);

/// The same with other layouts: operands take them in turn, shifted by `turn`, where they exist for the shape. Only
/// layouts without ties, so that the values stay as given.
void vary_layouts(Case& c, uint64_t turn);

} // namespace ts::conformance
