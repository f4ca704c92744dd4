// What the library adds to the operations of the door, each rule a case: promotion of dtypes, numbers without a dtype, and
// the errors of wrong calls. Expected values come from the judge and from the table of spec/numerics.md.
#pragma once

#include "conformance/device.h"
#include "conformance/outcome.h"
#include "conformance/spec.h"

#include <string>
#include <string_view>
#include <vector>

namespace ts::conformance {

/// `tensor/promotion/add/f16_i64`, `tensor/scalar/less/u8/300/left`, `tensor/error/gather/dtype_index`: for every op of the
/// spec that has operands for it.
std::vector<std::string> rule_names(const judge::Spec& spec);

/// Whether a name is that of a rule.
bool is_rule(std::string_view name);

/// Throws ValueError for a name that none of them has.
Outcome run_rule(const std::string& name, const judge::Spec& spec, Device& device);

} // namespace ts::conformance
