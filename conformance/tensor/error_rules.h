// Wrong calls of the library, each rule a case: the error has the right type, names op and clause, and changes nothing.
#pragma once

#include "conformance/tensor/rule.h"

#include <string>
#include <vector>

namespace ts::conformance {

/// `tensor/error/gather/dtype_index`: axes that are not there, operands of two devices, dtypes that no row takes.
std::vector<std::string> error_names(const judge::Spec& spec);
void judge_error(Rule& rule);

} // namespace ts::conformance
