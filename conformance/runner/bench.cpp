#include "conformance/runner/bench.h"

#include "conformance/door/door.h"
#include "conformance/examples/examples.h"
#include "conformance/mutants/layer.h"
#include "conformance/tensor/rules.h"
#include "conformance/tensor/tensor_case.h"
#include "conformance/tensor/tensor_select.h"
#include "runtime/backend/layers.h"
#include "runtime/errors.h"

#include <fmt/format.h>

#include <chrono>

namespace ts::conformance {

Bench::Bench(const Settings& settings) : seed_(settings.seed) {
  for (const std::string& backend : settings.backends) {
    std::shared_ptr<Backend> open = open_backend(backend);
    for (const std::string& layer : settings.layers) {
      constexpr std::string_view kMutant = "mutant:";
      open = layer.starts_with(kMutant) ? mutants::add_mutant(std::move(open), layer.substr(kMutant.size()))
                                        : add_layers(std::move(open), {layer});
    }
    if (open->device_count() < 1)
      throw BackendError(fmt::format("[backend.7] {}: it has no device here: {}", backend, absence_of(*open)));
    devices_.push_back(std::make_unique<Device>(std::move(open)));
  }
}

const Prepared& Bench::prepared(const std::string& name) {
  if (last_ && last_name_ == name) return *last_;
  last_.reset();
  last_ = std::make_unique<Prepared>(prepare(parse_case(name, judge::spec()), judge::spec(), seed_));
  last_name_ = name;
  return *last_;
}

Outcome run_of_any_tier(const std::string& name, Device& device,
                        const std::function<const Prepared&(const std::string&)>& prepared, const Watcher& watch) {
  if (name.starts_with("door/")) return run_door_check(name, device);
  if (is_example(name)) return run_example(name, judge::spec(), device);
  if (is_rule(name)) return run_rule(name, judge::spec(), device);
  if (is_tensor_case(name)) return execute_tensor(prepared(kernel_name(name)), device);
  return execute(prepared(name), device, watch);
}

Outcome Bench::run(size_t backend, const std::string& name) { return run(backend, name, {}); }

Outcome Bench::run(size_t backend, const std::string& name, const Watcher& watch) {
  const auto begin = std::chrono::steady_clock::now();
  Outcome outcome;
  try {
    outcome = run_of_any_tier(
        name, *devices_[backend], [&](const std::string& wanted) -> const Prepared& { return prepared(wanted); },
        watch);
  } catch (const std::exception& problem) {
    outcome.verdict = Verdict::fail;
    outcome.check = "spec";
    outcome.message = problem.what();
  }
  // A case that fails early leaves what it counted, and checks of the door count nothing.
  for (const auto& [route, launches] : devices_[backend]->take_census()) outcome.launches[route] += launches;
  outcome.name = name;
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome;
}

} // namespace ts::conformance
