// Runs decoded cases on a backend, and says what a person needs to replay one that fails.
#pragma once

#include "conformance/device.h"
#include "fuzz/decode.h"

#include <memory>
#include <string>

namespace ts::fuzz {

/// The backend under test, chosen by TOUCHSTONE_FUZZ_BACKEND (default cpu:threads=1). TOUCHSTONE_FUZZ_MUTANT plants one fault of
/// conformance/mutants/ at its door: the canary that shows that a target finds what it is for.
class Judge {
public:
  /// How much of what is always on a case gets: one run over one poison, or all runs.
  enum class Effort { once, whole };
  explicit Judge(Effort effort);

  /// Empty where the case passes or is honestly unsupported; else the message, with the line that replays it.
  std::string complaint(const Decoded& decoded);

private:
  const judge::Spec& spec_;
  Effort effort_;
  std::string backend_, mutant_;
  std::unique_ptr<conformance::Device> device_;
};

} // namespace ts::fuzz
