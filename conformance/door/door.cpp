#include "conformance/door/door.h"

#include "conformance/compare.h"
#include "conformance/select/select.h"
#include "runtime/errors.h"

#include <fmt/format.h>

namespace ts::conformance {

const std::vector<DoorCheck>& door_checks() {
  static const std::vector<DoorCheck> all = [] {
    std::vector<DoorCheck> checks;
    for (auto group : {memory_checks(), heap_checks(), queue_checks(), call_checks(), error_checks()})
      checks.insert(checks.end(), group.begin(), group.end());
    return checks;
  }();
  return all;
}

Outcome run_door_check(const std::string& name, Device& device) {
  for (const DoorCheck& check : door_checks()) {
    if (check.name != name) continue;
    Outcome outcome;
    outcome.name = name;
    outcome.cites = check.cites;
    outcome.verdict = Verdict::pass;
    outcome.telling = true;
    outcome.elements = 1;
    try {
      check.run(device);
    } catch (const DoorFault& fault) {
      outcome.verdict = Verdict::fail;
      outcome.check = fault.check;
      outcome.message = fault.message;
      ts_error error = make_error();
      device.drain(error);
    } catch (const NotApplicable& reason) {
      outcome.verdict = Verdict::unsupported;
      outcome.message = reason.why;
      outcome.telling = false;
    }
    return outcome;
  }
  throw ValueError(fmt::format("no check of the door is named '{}'", name));
}

void hold(bool condition, const std::string& message) {
  if (!condition) throw DoorFault{"door", message};
}

void hold_status(ts_status got, ts_status want, const std::string& what) {
  hold(got == want, fmt::format("{}: expected {}, got {}", what, status_name(want), status_name(got)));
}

std::vector<std::byte> pattern(size_t bytes, unsigned salt) {
  std::vector<std::byte> made(bytes);
  for (size_t k = 0; k < bytes; ++k) made[k] = static_cast<std::byte>((k * 31 + size_t{salt} * 17 + 5) & 0xff);
  return made;
}

Prepared supported_case(Device& device, bool (*wanted)(const Case& c)) {
  const judge::Spec& spec = judge::spec();
  for (const judge::Op& op : spec.ops) {
    for (const judge::Instance& instance : op.instances) {
      const Case c = dense_case(op, instance, op.family == "matmul" ? Shape{5, 7} : Shape{35});
      if (!wanted(c)) continue;
      Prepared prepared = prepare(c, spec, 0);
      if (Run(prepared, arrangement_of(c), Poison::ones, device).query().status == TS_OK) return prepared;
    }
  }
  throw NotApplicable{"no supported op of the kind that this check needs"};
}

Prepared supported_case(Device& device) {
  try {
    return supported_case(device, [](const Case& c) { return !c.operands.empty() && index_operand(*c.op) < 0; });
  } catch (const NotApplicable&) {
    return supported_case(device, [](const Case&) { return true; });
  }
}

void hold_result(const Prepared& prepared, const Run& run) {
  for (size_t k = 0; k < prepared.expected.outputs.size(); ++k) {
    const judge::Comparison compared = judge::compare(run.memory().gather(k), prepared.expected, k);
    hold(compared.pass, fmt::format("{}: {}", prepared.c.name(), compared.why));
  }
}

} // namespace ts::conformance
