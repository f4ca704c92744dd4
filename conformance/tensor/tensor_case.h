// A case of the kernel tier once more, through the library: tensors with the case's layouts, a new result or one that
// exists, and the same expectation.
#pragma once

#include "conformance/device.h"
#include "conformance/outcome.h"
#include "conformance/prepare.h"

namespace ts::conformance {

/// The checks: operands read through their views before, results in given tensors after; values against the expectation; inputs, gaps and guards unchanged; the same bits over another poison and in
/// the dense form with a new result; the backend computed it, not the host; an error is of its type and names the op.
Outcome execute_tensor(const Prepared& prepared, Device& device);

} // namespace ts::conformance
