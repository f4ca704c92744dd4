// touchstone replay: one case in this process, its values, the layout of every tensor as a picture, and the verdict.
#include "conformance/compare.h"
#include "conformance/memory.h"
#include "conformance/report/summary.h"
#include "conformance/runner/bench.h"
#include "conformance/runner/found.h"
#include "runtime/errors.h"
#include "tools/touchstone/commands.h"
#include "tools/touchstone/picture.h"

#include <fmt/format.h>

#include <optional>

namespace ts::tool {

using namespace conformance;

namespace {

void draw(const Prepared& prepared, const Memory& memory) {
  int64_t wrong = -1;
  std::string outputs;
  for (size_t k = 0; k < memory.outputs().size(); ++k) {
    const Array got = memory.gather(k);
    const judge::Comparison compared = judge::compare(got, prepared.expected, k);
    if (!compared.pass && wrong < 0) wrong = compared.first;
    outputs += picture_of_output(memory.outputs()[k], got, prepared.expected.outputs[k], compared.first);
    if (!compared.pass) outputs += fmt::format("  {}; /= is what was expected\n", compared.why);
  }
  for (size_t k = 0; k < memory.operands().size(); ++k) {
    // Where operand and result have one shape, the picture shows the element that came out wrong.
    const bool same_shape = wrong >= 0 && prepared.inputs[k].shape == prepared.expected.outputs.front().shape;
    fmt::print("{}", picture_of_operand(memory.operands()[k], prepared.inputs[k], same_shape ? wrong : -1));
  }
  fmt::print("{}", outputs);
}

} // namespace

int replay_command(const ReplayOptions& options) {
  for (const std::string& name : options.names) check_name(name, judge::spec());
  Bench bench(options.settings);
  int status = kPassed;
  for (const std::string& name : options.names) {
    // Only a call at the door has tensors to draw.
    Prepared prepared;
    const Found at_door = is_found(name) ? found_named(name) : Found{options.settings.seed, name};
    bool drawn = true;
    for (const char* other : {"door/", "tensor/", "example/"}) drawn = drawn && !at_door.name.starts_with(other);
    if (drawn) prepared = prepare(parse_case(at_door.name, judge::spec()), judge::spec(), at_door.seed);
    for (size_t b = 0; b < options.settings.backends.size(); ++b) {
      fmt::print("{} on {}\n", name, options.settings.backends[b]);
      if (!prepared.expected.error.empty())
        fmt::print("expected: {} ({})\n", prepared.expected.error, prepared.expected.reason);
      const Outcome outcome = bench.run(b, name, [&](const Memory& memory) { draw(prepared, memory); });
      fmt::print("{}{}{}\n", name_of(outcome.verdict), outcome.check.empty() ? "" : ": " + outcome.check,
                 outcome.message.empty() ? "" : ": " + outcome.message);
      for (const auto& [route, launches] : outcome.launches) fmt::print("  ran {} ({} launches)\n", route, launches);
      if (is_bad(outcome.verdict)) status = kFailed;
    }
  }
  return status;
}

} // namespace ts::tool
