// The worked examples of the spec as cases: every fence is run through the library on a backend, statement by statement.
#pragma once

#include "conformance/device.h"
#include "conformance/outcome.h"
#include "conformance/spec.h"

#include <string>
#include <string_view>
#include <vector>

namespace ts::conformance {

/// `example/layout/7`, `example/add/2`: by the op, or else the chapter, and the ordinal among its examples.
std::vector<std::string> example_names(const judge::Spec& spec);

/// Runs one. Throws ValueError for a name that no example has.
Outcome run_example(const std::string& name, const judge::Spec& spec, Device& device);

/// Whether a name is that of an example.
inline bool is_example(std::string_view name) { return name.starts_with("example/"); }

} // namespace ts::conformance
