// A worker process: reads case names on standard input, runs them, reports on a descriptor of its own.
//
// In:   `run BACKEND NAME`, BACKEND counted from 0 in the order of --backend.
// Out:  `hello` or `refused REASON`, then per case `begin` and `end OUTCOME`, OUTCOME one line of JSON.
#pragma once

#include "conformance/runner/bench.h"

namespace ts::conformance {

/// Runs until standard input ends. Returns the exit status of the process.
int work(const Settings& settings, int report_descriptor);

} // namespace ts::conformance
