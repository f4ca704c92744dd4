// Checks of the door itself: memory, copies, queues, errors and refusals, whatever op a backend supports. Each is a case
// with a name `door/GROUP/RULE`, beside those that the ops have.
#pragma once

#include "conformance/device.h"
#include "conformance/outcome.h"
#include "conformance/prepare.h"
#include "conformance/run.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ts::conformance {

/// The check cannot be made on this backend: it has one device, no op with a workspace, and so on.
struct NotApplicable {
  std::string why;
};

struct DoorCheck {
  std::string name;
  std::vector<std::string> cites;
  void (*run)(Device& device); ///< throws DoorFault where the rule is broken, NotApplicable
};

/// All of them, in order.
const std::vector<DoorCheck>& door_checks();

/// Runs the check of a name. Throws ValueError for a name that is none.
Outcome run_door_check(const std::string& name, Device& device);

/// The groups, one file each.
std::vector<DoorCheck> memory_checks();
std::vector<DoorCheck> heap_checks();
std::vector<DoorCheck> queue_checks();
std::vector<DoorCheck> call_checks();
std::vector<DoorCheck> error_checks();

/// Throws DoorFault where the condition does not hold.
void hold(bool condition, const std::string& message);
/// Throws DoorFault where the status is another.
void hold_status(ts_status got, ts_status want, const std::string& what);

/// Bytes whose value tells where they belong.
std::vector<std::byte> pattern(size_t bytes, unsigned salt);

/// A small dense case of an op the device supports, one with an input where there is one. Throws NotApplicable.
Prepared supported_case(Device& device);
/// The same for an op whose row says so, NotApplicable where the device supports none.
Prepared supported_case(Device& device, bool (*wanted)(const Case& c));

/// Whether a finished run gave what its case expects.
void hold_result(const Prepared& prepared, const Run& run);

} // namespace ts::conformance
