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

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <unistd.h>

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

// Ends the process where the case does not.
class Watchdog {
public:
  explicit Watchdog(double seconds)
      : thread_([this, seconds] {
          std::unique_lock lock(mutex_);
          if (ended_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return done_; })) return;
          fmt::print("timeout: no end within {} s\n", seconds);
          std::fflush(stdout);
          _exit(kFailed);
        }) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    ended_.notify_one();
    thread_.join();
  }

private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

Outcome run(Bench& bench, size_t backend, const std::string& name, double seconds, const Watcher& watch) {
  const Watchdog watchdog(seconds);
  return bench.run(backend, name, watch);
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
      const Outcome outcome =
          run(bench, b, name, options.timeout_s, [&](const Memory& memory) { draw(prepared, memory); });
      fmt::print("{}{}{}\n", name_of(outcome.verdict), outcome.check.empty() ? "" : ": " + outcome.check,
                 outcome.message.empty() ? "" : ": " + outcome.message);
      for (const auto& [route, launches] : outcome.launches) fmt::print("  ran {} ({} launches)\n", route, launches);
      if (is_bad(outcome.verdict)) status = kFailed;
    }
  }
  return status;
}

} // namespace ts::tool
