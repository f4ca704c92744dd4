// Promotion, each rule a case: what two dtypes, or a dtype and a number without one, become (spec/numerics.md, "Promotion").
#pragma once

#include "conformance/tensor/rule.h"

#include <string>
#include <vector>

namespace ts::conformance {

/// `tensor/promotion/add/f16_i64` for every elementwise op of two operands that takes one dtype.
std::vector<std::string> promotion_names(const judge::Spec& spec);
void judge_promotion(Rule& rule);

/// `tensor/scalar/less/u8/300/left` for the same ops.
std::vector<std::string> number_names(const judge::Spec& spec);
void judge_number(Rule& rule);

/// What the table of the spec gives for two dtypes.
const char* promoted(const std::string& a, const std::string& b);

} // namespace ts::conformance
