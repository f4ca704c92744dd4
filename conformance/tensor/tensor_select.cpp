#include "conformance/tensor/tensor_select.h"

#include "conformance/case.h"
#include "conformance/payload.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ts::conformance {

namespace {

constexpr size_t kPerOp = 32;

// The first parts of a name.
std::string parts_of(const std::string& name, int parts) {
  size_t at = 0;
  for (int k = 0; k < parts && at != std::string::npos; ++k) at = name.find('/', at == 0 ? 0 : at + 1);
  return name.substr(0, at);
}

// Where a conversion lies on its own source and changes no dtype, there is nothing for the library to call.
bool is_idle(const std::string& name) {
  return name.starts_with("convert/") && name.find("/in_place") != std::string::npos &&
         parts_of(name, 3).find("_to_") == std::string::npos;
}

// Cases of an axis that the operand lacks: the door refuses it, the library counts from the end or raises IndexError.
bool is_of_the_door(const std::string& name) {
  if (name.find("/axis=") == std::string::npos) return false;
  const Case c = parse_case(name, judge::spec());
  const int64_t axis = c.attributes.at("axis").integer;
  return axis < 0 || axis >= static_cast<int64_t>(c.shapes.front().size());
}

} // namespace

std::vector<std::string> tensor_names(const std::vector<std::string>& kernel_names) {
  std::map<std::string, std::vector<std::pair<uint64_t, size_t>>> per_op;
  for (size_t k = 0; k < kernel_names.size(); ++k) {
    const std::string& name = kernel_names[k];
    if (is_of_the_door(name)) continue;
    if (!name.starts_with("door/") && !is_idle(name)) per_op[parts_of(name, 2)].emplace_back(stable_hash(name), k);
  }
  std::set<size_t> chosen;
  for (auto& [op, cases] : per_op) {
    std::sort(cases.begin(), cases.end());
    // In turn over the tuples of dtypes, so that none has one case where another has ten.
    std::map<std::string, uint64_t> turns;
    for (auto& [turn, place] : cases) turn = turns[parts_of(kernel_names[place], 3)]++;
    std::stable_sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const size_t count = std::min(std::max(kPerOp, turns.size()), cases.size());
    for (size_t k = 0; k < count; ++k) chosen.insert(cases[k].second);
  }
  std::vector<std::string> names;
  names.reserve(chosen.size());
  for (const size_t k : chosen) names.push_back("tensor/" + kernel_names[k]);
  return names;
}

} // namespace ts::conformance
