// From a case to its values: what the operands hold, what the spec expects, which clauses that proves.
#pragma once

#include "conformance/case.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ts::conformance {

/// How much a comparison of the case can tell, said before it is made.
enum class Promise : uint8_t {
  telling, ///< it can tell right from wrong: a constant, empty or all-NaN expectation is a fault of the case
  single,  ///< one element, or values that may all be one by construction: 0 and NaN among them
  given,   ///< the spec wrote these values down, each for its reason
  empty,   ///< no element: it cannot
};

struct Prepared {
  Case c;
  std::vector<Array> inputs; ///< per operand in the row's order, in the shapes of the case
  judge::Expected expected;
  Promise promise = Promise::telling;
  bool trivial = false;           ///< the expectation is empty, constant or all NaN
  bool telling = false;           ///< a wrong result would show
  std::vector<std::string> cites; ///< labels of clauses that this case proves when it passes and is not trivial
};

/// Makes the values of a case from its name and the run's seed alone.
Prepared prepare(const Case& c, const judge::Spec& spec, uint64_t run_seed);

/// What the oracle gives for a case on inputs, which may be others than its own.
judge::Expected expected_of(const Case& c, const std::vector<Array>& inputs);

/// The values that a layout lets an operand have: elements that share a position share a value.
Array with_ties(Layout layout, const Array& wanted);

/// Values of cases that the spec gives; in prepare_given.cpp.
void prepare_golden(Prepared& prepared, const judge::Spec& spec);
void prepare_table(Prepared& prepared, const judge::Spec& spec, uint64_t seed);

} // namespace ts::conformance
