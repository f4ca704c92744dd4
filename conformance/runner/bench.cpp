#include "conformance/runner/bench.h"

#include "conformance/door/door.h"
#include "conformance/examples/examples.h"
#include "conformance/mutants/layer.h"
#include "conformance/runner/found.h"
#include "conformance/tensor/library.h"
#include "conformance/tensor/rules.h"
#include "conformance/tensor/tensor_case.h"
#include "conformance/tensor/tensor_select.h"
#include "runtime/backend/layers.h"
#include "runtime/errors.h"
#include "runtime/tensor/allocator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace ts::conformance {

namespace {

// What the library's allocator holds of a device for later: taken, and not lost. Only cases of the library change it.
int64_t cached(const std::string& name, const Device& device) {
  const bool uses_library = is_found(name) || is_tensor_case(name) || is_example(name) || is_rule(name);
  return uses_library ? static_cast<int64_t>(Allocator::of(library_device(device)).stats().cached_bytes) : 0;
}

} // namespace

void check_name(const std::string& name, const judge::Spec& spec) {
  const auto is_one_of = [&](const auto& names) { return std::find(names.begin(), names.end(), name) != names.end(); };
  const auto require = [&](bool known, const char* what) {
    if (!known) throw ValueError(fmt::format("case name '{}': there is no such {}", name, what));
  };
  if (is_found(name)) {
    check_name(found_named(name).name, spec);
  } else if (name.starts_with("door/")) {
    const auto& checks = door_checks();
    require(std::any_of(checks.begin(), checks.end(), [&](const DoorCheck& c) { return c.name == name; }),
            "check of the door");
  } else if (is_example(name)) {
    require(is_one_of(example_names(spec)), "example");
  } else if (is_rule(name)) {
    require(is_one_of(rule_names(spec)), "rule of the library");
  } else {
    parse_case(is_tensor_case(name) ? kernel_name(name) : name, spec);
  }
}

Bench::Bench(const Settings& settings, const std::function<void(const std::string&)>& opening) : seed_(settings.seed) {
  for (const std::string& backend : settings.backends) {
    if (opening) opening(backend);
    auto tally = std::make_unique<TallyLayer>(open_backend(backend));
    const TallyLayer* counter = tally.get();
    std::shared_ptr<Backend> open = make_layer(std::move(tally), "");
    for (const std::string& layer : settings.layers) {
      constexpr std::string_view kMutant = "mutant:";
      open = layer.starts_with(kMutant) ? mutants::add_mutant(std::move(open), layer.substr(kMutant.size()))
                                        : add_layers(std::move(open), {layer});
    }
    if (open->device_count() < 1)
      throw BackendError(fmt::format("[backend.7] {}: it has no device here: {}", backend, absence_of(*open)));
    places_.push_back({std::make_unique<Device>(std::move(open)), counter});
  }
}

const Prepared& Bench::prepared(const std::string& name) {
  if (last_ && last_name_ == name) return *last_;
  last_.reset();
  last_ = std::make_unique<Prepared>(prepare_named(name, judge::spec(), seed_));
  last_name_ = name;
  return *last_;
}

Outcome run_of_any_tier(const std::string& name, Device& device,
                        const std::function<const Prepared&(const std::string&)>& prepared, const Watcher& watch) {
  if (is_found(name)) {
    // The values come with the seed of the finding.
    const Found found = found_named(name);
    const auto seeded = [&](const std::string& wanted) -> const Prepared& {
      return prepared(found_name({found.seed, wanted}));
    };
    return run_of_any_tier(found.name, device, seeded, watch);
  }
  if (name.starts_with("door/")) return run_door_check(name, device);
  if (is_example(name)) return run_example(name, judge::spec(), device);
  if (is_rule(name)) return run_rule(name, judge::spec(), device);
  if (is_tensor_case(name)) return execute_tensor(prepared(kernel_name(name)), device);
  return execute(prepared(name), device, watch);
}

Outcome Bench::run(size_t backend, const std::string& name) { return run(backend, name, {}); }

Outcome Bench::run(size_t backend, const std::string& name, const Watcher& watch) {
  const auto begin = std::chrono::steady_clock::now();
  const Place& place = places_[backend];
  const Alive before = place.tally->alive();
  const int64_t cached_before = cached(name, *place.device);
  Outcome outcome;
  try {
    outcome = run_of_any_tier(
        name, *place.device, [&](const std::string& wanted) -> const Prepared& { return prepared(wanted); }, watch);
  } catch (const std::exception& problem) {
    outcome.verdict = Verdict::fail;
    outcome.check = "spec";
    outcome.message = problem.what();
  }
  const std::string lost = kept(before, place.tally->alive(), cached(name, *place.device) - cached_before);
  if (!lost.empty() && !is_bad(outcome.verdict)) {
    outcome.verdict = Verdict::fail;
    outcome.check = "heap";
    outcome.message = lost;
  }
  // A case that fails early leaves what it counted, and checks of the door count nothing.
  for (const auto& [route, launches] : place.device->take_census()) outcome.launches[route] += launches;
  outcome.name = name;
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome;
}

} // namespace ts::conformance
