#include "conformance/ledger.h"

#include "conformance/filter.h"
#include "conformance/runner/found.h"
#include "runtime/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ts::conformance {

namespace {

// No single tuple of dtypes is what these are about.
bool is_apart(const std::string& name) {
  for (const char* prefix : {"door/", "example/", "tensor/promotion/", "tensor/scalar/", "tensor/error/",
                             "tensor/keepdims/", "tensor/overlap/"})
    if (name.starts_with(prefix)) return true;
  return false;
}

std::string first_parts(const std::string& name, int parts) {
  size_t at = 0;
  for (int slashes = 0; slashes < parts && at != std::string::npos; ++slashes)
    at = name.find('/', at == 0 ? 0 : at + 1);
  return name.substr(0, at);
}

// `elementwise/add/f32`: what a backend supports or not as a whole.
std::string instance_of(const std::string& full) {
  const std::string name = is_found(full) ? found_named(full).name : full;
  return first_parts(name, name.starts_with("tensor/") ? 4 : 3); // the tier, and then as in the kernel tier
}

} // namespace

Ledger::Ledger(std::string backend, std::vector<std::string> selected, std::vector<Expectation> expectations)
    : backend_(std::move(backend)), expectations_(std::move(expectations)), used_(expectations_.size(), false) {
  for (std::string& name : selected) {
    if (!place_.emplace(name, outcomes_.size()).second)
      throw BackendError(fmt::format("the case '{}' was selected twice", name));
    outcomes_.emplace_back();
    outcomes_.back().name = std::move(name);
  }
}

void Ledger::record(Outcome outcome) {
  const auto found = place_.find(outcome.name);
  if (found == place_.end())
    throw BackendError(fmt::format("an outcome of '{}', which was not selected", outcome.name));
  Outcome& place = outcomes_[found->second];
  if (place.verdict != Verdict::missing) throw BackendError(fmt::format("a second outcome of '{}'", outcome.name));
  for (size_t k = 0; k < expectations_.size(); ++k) {
    if (!glob_matches(expectations_[k].glob, outcome.name)) continue;
    used_[k] = true;
    if (outcome.verdict == Verdict::pass)
      outcome.verdict = Verdict::unexpected_pass;
    else if (is_bad(outcome.verdict))
      outcome.verdict = Verdict::known_failure;
    outcome.message = fmt::format("{} says: {}{}{}", expectations_[k].place, expectations_[k].reason,
                                  outcome.message.empty() ? "" : "; ", outcome.message);
    break;
  }
  place = std::move(outcome);
}

void Ledger::close(bool whole, const std::vector<std::string>& routes) {
  counts_.fill(0);
  for (Outcome& outcome : outcomes_) {
    if (outcome.verdict == Verdict::missing && outcome.message.empty())
      outcome.message = "selected, and no worker gave an outcome";
    ++counts_[static_cast<size_t>(outcome.verdict)];
  }
  check_support();
  if (!whole) return;
  check_telling();
  check_expectations();
  check_routes(routes);
}

// A claimed tuple of dtypes covers every layout, rank and shape: what ran once may not be unsupported elsewhere.
void Ledger::check_support() {
  struct Support {
    const std::string *ran = nullptr, *refused = nullptr;
    int64_t refusals = 0;
  };
  std::map<std::string, Support> instances;
  for (const Outcome& outcome : outcomes_) {
    if (is_apart(outcome.name)) continue;
    Support& support = instances[instance_of(outcome.name)];
    if (outcome.verdict == Verdict::unsupported) {
      if (support.refused == nullptr) support.refused = &outcome.name;
      ++support.refusals;
    } else if (outcome.verdict == Verdict::pass && outcome.check.empty() && support.ran == nullptr) {
      support.ran = &outcome.name;
    }
  }
  for (const auto& [instance, support] : instances) {
    if (support.ran == nullptr || support.refused == nullptr) continue;
    irregularities_.push_back(
        {"support", fmt::format("{} is claimed ({} ran) and refused {} times ({}): a claimed tuple of "
                                "dtypes covers all layouts, ranks and shapes",
                                instance, *support.ran, support.refusals, *support.refused)});
  }
}

// Most cases of an op have to be able to fail by their values, else its values are poor, whatever else is checked.
void Ledger::check_telling() {
  constexpr int64_t kPercent = 60, kCasesMin = 20; // a share of fewer says nothing
  for (const auto& [op, share] : telling_by_op()) {
    if (share.passed < kCasesMin || share.telling * 100 >= share.passed * kPercent) continue;
    irregularities_.push_back({"telling", fmt::format("{}: of {} cases that passed only {} could have failed by their "
                                                      "values",
                                                      op, share.passed, share.telling)});
  }
}

void Ledger::check_expectations() {
  for (size_t k = 0; k < expectations_.size(); ++k) {
    if (!used_[k])
      irregularities_.push_back(
          {"expectation", fmt::format("{}: '{}' matches no case", expectations_[k].place, expectations_[k].glob)});
  }
}

void Ledger::check_routes(const std::vector<std::string>& owed) {
  if (owed.empty()) return;
  std::vector<bool> used(owed.size(), false);
  for (const auto& [route, launches] : routes()) {
    bool listed = false;
    for (size_t k = 0; k < owed.size(); ++k) {
      if (!glob_matches(owed[k], route)) continue;
      used[k] = listed = true;
    }
    if (!listed) irregularities_.push_back({"route", fmt::format("{} ran, and no list of routes names it", route)});
  }
  for (size_t k = 0; k < owed.size(); ++k)
    if (!used[k]) irregularities_.push_back({"route", fmt::format("no case took the route {}", owed[k])});
}

std::vector<std::string> Ledger::ran() const {
  std::vector<std::string> names;
  for (const Outcome& outcome : outcomes_)
    if (outcome.verdict != Verdict::unsupported && outcome.verdict != Verdict::missing) names.push_back(outcome.name);
  return names;
}

int64_t Ledger::telling() const {
  return std::count_if(outcomes_.begin(), outcomes_.end(),
                       [](const Outcome& o) { return o.verdict == Verdict::pass && o.telling; });
}

std::map<std::string, Ledger::Share> Ledger::telling_by_op() const {
  std::map<std::string, Share> shares;
  for (const Outcome& outcome : outcomes_) {
    if (outcome.verdict != Verdict::pass || is_apart(outcome.name) || outcome.name.starts_with("tensor/") ||
        is_found(outcome.name))
      continue;
    Share& share = shares[first_parts(outcome.name, 2)];
    ++share.passed;
    share.telling += outcome.telling ? 1 : 0;
  }
  return shares;
}

std::map<std::string, uint64_t> Ledger::routes() const {
  std::map<std::string, uint64_t> routes;
  for (const Outcome& outcome : outcomes_)
    for (const auto& [route, launches] : outcome.launches) routes[route] += launches;
  return routes;
}

std::set<std::string> Ledger::cited() const {
  std::set<std::string> cited;
  for (const Outcome& outcome : outcomes_)
    if (outcome.verdict == Verdict::pass && outcome.telling) cited.insert(outcome.cites.begin(), outcome.cites.end());
  return cited;
}

bool Ledger::green() const {
  return irregularities_.empty() &&
         std::none_of(outcomes_.begin(), outcomes_.end(), [](const Outcome& o) { return is_bad(o.verdict); });
}

} // namespace ts::conformance
