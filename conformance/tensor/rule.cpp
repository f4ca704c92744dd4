#include "conformance/tensor/rule.h"

#include "conformance/case.h"
#include "conformance/compare.h"
#include "runtime/errors.h"

#include <fmt/format.h>

namespace ts::conformance {

namespace {

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    parts.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

} // namespace

Rule::Rule(const std::string& name, const judge::Spec& spec, Device& door)
    : name_(name), parts_(parts_of(name)), op_(spec.op(parts_.at(2))), door_(door), device_(library_device(door)) {}

Outcome Rule::judge(void (*body)(Rule&)) {
  outcome_.name = name_;
  outcome_.verdict = Verdict::pass;
  outcome_.elements = 1;
  outcome_.telling = true;
  door_.take_census();
  const FallbackWatch watch(device_);
  try {
    body(*this);
  } catch (const DoorFault& fault) {
    outcome_.verdict = Verdict::fail;
    outcome_.check = fault.check;
    outcome_.message = fault.message;
  }
  outcome_.launches = door_.take_census();
  if (const std::string fallen = watch.names(); !fallen.empty() && outcome_.verdict == Verdict::pass)
    judge_fallback(fallen);
  return std::move(outcome_);
}

void Rule::unknown() const { throw ValueError(fmt::format("there is no case '{}'", name_)); }

// A backend may lack the instance, or the conversion that promotion needs; then the host did it.
void Rule::judge_fallback(const std::string& fallen) {
  outcome_.verdict = Verdict::unsupported;
  outcome_.message = fmt::format("computed on the host: {}", fallen);
  outcome_.telling = false;
}

void Rule::expect_error(const std::string& type, const std::vector<Input>& operands,
                        const std::vector<Attribute>& attributes, const ops::Options& options) {
  const Thrown thrown = caught(device_, [&] { library_call(op_, operands, attributes, options); });
  if (thrown.type != type)
    throw DoorFault{"error", fmt::format("expected {}, got {}: {}", type,
                                         thrown.type.empty() ? "a result" : thrown.type, thrown.message)};
  if (thrown.message.find(op_.name) == std::string::npos)
    throw DoorFault{"error", fmt::format("the message does not name the op: {}", thrown.message)};
  if (!thrown.message.starts_with(fmt::format("[{}]", outcome_.cites.front())))
    throw DoorFault{"error", fmt::format("the message does not begin with [{}], the clause that was broken: {}",
                                         outcome_.cites.front(), thrown.message)};
}

void Rule::expect_values(const std::vector<Input>& operands, const judge::Expected& expected) {
  Array got;
  const Thrown thrown = caught(device_, [&] { got = array_of(library_call(op_, operands, {}, {})[0]); });
  if (!thrown.type.empty())
    throw DoorFault{"error", fmt::format("the library threw {}: {}", thrown.type, thrown.message)};
  const judge::Comparison compared = judge::compare(got, expected);
  outcome_.elements = compared.count;
  if (!compared.pass) throw DoorFault{"values", compared.why};
}

} // namespace ts::conformance
