// Checks of the door where a backend has what most runs lack: a second device; and the library behind a layer that holds it
// to its side of the contract.
#include "conformance/door/door.h"
#include "conformance/runner/bench.h"
#include "conformance/select/select.h"
#include "conformance/tensor/rules.h"
#include "conformance/tensor/tensor_select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ts::conformance {
namespace {

TEST(DoorChecks, HoldWithTwoDevices) {
  // TS_CITES(backend.15, backend.18, backend.30)
  Settings settings;
  settings.backends = {"emulator:devices=2"};
  Bench bench(settings);
  for (const DoorCheck& check : door_checks()) {
    const Outcome outcome = bench.run(0, check.name);
    // What a device without memory that the host can reach lacks.
    bool lacks = check.name == "door/memory/map" || check.name == "door/memory/import";
#if defined(TS_SANITIZE) // the sanitizer's own heap cannot be measured
    lacks = lacks || check.name == "door/heap/calls_leave_nothing";
#endif
    EXPECT_EQ(outcome.verdict, lacks ? Verdict::unsupported : Verdict::pass) << check.name << ": " << outcome.message;
  }
}

TEST(Library, MakesOnlyCallsThatKeepTheContract) {
  // TS_CITES(backend.53)
  Settings settings;
  settings.backends = {"cpu"};
  settings.layers = {"validate"};
  Bench bench(settings);
  int cases = 0;
  for (const std::string& name : select_cases(judge::spec(), "tensor").names) {
    // A call with a bad index keeps the contract as well, but is no result to wait for.
    if (is_rule(name) || ++cases % 4 != 0) continue;
    const Outcome outcome = bench.run(0, name);
    EXPECT_EQ(outcome.verdict, Verdict::pass) << name << ": " << outcome.message;
  }
  EXPECT_GT(cases, 3000);
}

} // namespace
} // namespace ts::conformance
