#include "conformance/tensor/rules.h"

#include "conformance/tensor/error_rules.h"
#include "conformance/tensor/promotion_rules.h"
#include "conformance/tensor/storage_rules.h"

#include <algorithm>
#include <iterator>

namespace ts::conformance {

namespace {

struct Kind {
  std::string_view prefix;
  std::vector<std::string> (*names)(const judge::Spec&);
  void (*judge)(Rule&);
};
constexpr Kind kKinds[] = {{"tensor/promotion/", promotion_names, judge_promotion},
                           {"tensor/scalar/", number_names, judge_number},
                           {"tensor/error/", error_names, judge_error}};

const Kind* kind_of(std::string_view name) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const Kind& kind) { return name.starts_with(kind.prefix); });
  return found == std::end(kKinds) ? nullptr : found;
}

} // namespace

std::vector<std::string> rule_names(const judge::Spec& spec) {
  std::vector<std::string> names;
  const auto take = [&](std::vector<std::string> more) {
    std::move(more.begin(), more.end(), std::back_inserter(names));
  };
  for (const Kind& kind : kKinds) take(kind.names(spec));
  take(storage_rule_names(spec));
  return names;
}

bool is_rule(std::string_view name) { return is_storage_rule(name) || kind_of(name) != nullptr; }

Outcome run_rule(const std::string& name, const judge::Spec& spec, Device& device) {
  if (is_storage_rule(name)) return run_storage_rule(name, spec, device);
  return Rule(name, spec, device).judge(kind_of(name)->judge);
}

} // namespace ts::conformance
