// The tiers of a run put together.
#include "conformance/examples/examples.h"
#include "conformance/runner/found.h"
#include "conformance/select/select.h"
#include "conformance/tensor/rules.h"
#include "conformance/tensor/tensor_select.h"
#include "runtime/errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ts::conformance {

const std::vector<std::string>& tier_names() {
  static const std::vector<std::string> names = {"kernel", "tensor", "example", "found"};
  return names;
}

void check_tier(const std::string& tier) {
  const std::vector<std::string>& tiers = tier_names();
  if (!tier.empty() && std::find(tiers.begin(), tiers.end(), tier) == tiers.end())
    throw ValueError(fmt::format("unknown tier '{}'; there are {}", tier, fmt::join(tiers, ", ")));
}

Selection select_cases(const judge::Spec& spec, const std::string& tier) {
  check_tier(tier);
  const auto wanted = [&](const char* name) { return tier.empty() || tier == name; };
  Selection selection;
  const auto append = [&](std::vector<std::string> names) {
    selection.names.insert(selection.names.end(), std::make_move_iterator(names.begin()),
                           std::make_move_iterator(names.end()));
  };
  if (wanted("kernel") || wanted("tensor")) {
    Selection kernel = select_kernel_cases(spec);
    std::vector<std::string> tensor;
    if (wanted("tensor")) tensor = tensor_names(kernel.names);
    if (wanted("kernel")) selection = std::move(kernel);
    if (wanted("tensor")) append(std::move(tensor));
  }
  if (wanted("tensor")) append(rule_names(spec));
  if (wanted("example")) append(example_names(spec));
  if (wanted("found")) append(found_names(spec, judge::project_root()));
  return selection;
}

} // namespace ts::conformance
