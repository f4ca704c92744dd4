// From any bytes to a case: the one decoder that libFuzzer's targets and RapidCheck's properties share. It is total: every
// input is a case, so that no execution is spent on rejects.
#pragma once

#include "conformance/case.h"
#include "conformance/spec.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ts::fuzz {

/// No operand of a decoded case has more elements.
inline constexpr int64_t kElementsMax = 256;

/// The ops of some families, in the spec's order. Throws ValueError where a family has none.
std::vector<const judge::Op*> ops_of(const judge::Spec& spec, const std::vector<std::string_view>& families);

struct Decoded {
  conformance::Case c;
  uint64_t seed = 0; ///< of the values
};

/// Structure is read from the end, as libFuzzer grows and splices inputs there; bytes past the start read as 0. Values are
/// integers on which every op is exact, so that results are compared by bits.
Decoded decode(const uint8_t* data, size_t size, const std::vector<const judge::Op*>& ops);

} // namespace ts::fuzz
