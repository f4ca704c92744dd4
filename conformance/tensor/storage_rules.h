// What the library adds to the operations of the door where shapes and storages are concerned, each rule a case: reduced
// axes that leave the shape, and results that lie over what is still read.
#pragma once

#include "conformance/device.h"
#include "conformance/outcome.h"
#include "conformance/spec.h"

#include <string>
#include <string_view>
#include <vector>

namespace ts::conformance {

/// `tensor/keepdims/sum/f32/1x5/axes=0_1`, `tensor/overlap/add/i32/columns_right`.
std::vector<std::string> storage_rule_names(const judge::Spec& spec);
bool is_storage_rule(std::string_view name);

/// Throws ValueError for a name that none of them has.
Outcome run_storage_rule(const std::string& name, const judge::Spec& spec, Device& device);

} // namespace ts::conformance
