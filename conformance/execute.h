// Runs one case on one backend, with every check that is always on.
#pragma once

#include "conformance/device.h"
#include "conformance/outcome.h"
#include "conformance/prepare.h"

#include <functional>

namespace ts::conformance {

/// The checks, in order: the query and its call agree; values against the expectation; guards, gaps and inputs unchanged;
/// a second run over another poison gives the same bits; the dense twin gives the same bits; a kernel ran. Never throws
/// for what a backend does; a fault of the spec or of a golden is a fail that says so.
Outcome execute(const Prepared& prepared, Device& device);

/// One run over one poison: values, guards, gaps and inputs. Where every value is compared by bits, other runs of the same
/// case can tell little more, and a fuzzer makes another case in their time.
Outcome execute_once(const Prepared& prepared, Device& device, bool pattern);

/// What `replay` looks at: the memory of the first run, before and after.
class Memory;
using Watcher = std::function<void(const Memory& memory)>;
Outcome execute(const Prepared& prepared, Device& device, const Watcher& watch);

} // namespace ts::conformance
