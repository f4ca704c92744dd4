// What checked mode looks for, and how its options are written.
#pragma once

#include <cstdint>
#include <string>

namespace ts::emulator::checked {

struct CheckSettings {
  bool race = false;   ///< conflicts between work items, and waiting for another
  bool bounds = false; ///< accesses outside operands and live allocations
  bool init = false;   ///< reads of what nothing wrote, outputs that nothing wrote
  bool host = false;   ///< accesses to the host's memory, writes to arguments
  uint64_t jitter = 0; ///< seed of errors added to transcendental functions, 0 for none

  bool memory = false; ///< how accesses become transactions; instead of checks
  std::string page;    ///< the file to which the rows of `memory` are added

  bool any_check() const { return race || bounds || init || host; }
  bool any() const { return any_check() || memory || jitter != 0; }

  /// Switches a check on by its name, or all; false for another word.
  bool enable(const std::string& name);
  static const char* names() { return "race|bounds|init|host|all|memory"; }
};

} // namespace ts::emulator::checked
