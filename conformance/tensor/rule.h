// What every rule of the library has: its name taken apart, the device under test, and an outcome that fills as it is judged.
#pragma once

#include "conformance/device.h"
#include "conformance/outcome.h"
#include "conformance/spec.h"
#include "conformance/tensor/library.h"

#include <string>
#include <vector>

namespace ts::conformance {

/// One rule while it runs; it is judged on one op.
class Rule {
public:
  /// A name is `tensor/KIND/OP/...`. Throws ValueError where the spec has no such op.
  Rule(const std::string& name, const judge::Spec& spec, Device& door);

  /// Calls the body, which throws DoorFault where the library is wrong.
  Outcome judge(void (*body)(Rule&));

  const std::vector<std::string>& parts() const { return parts_; }
  const judge::Op& op() const { return op_; }
  ts::Device device() const { return device_; }
  /// The clauses that the rule shows; an error has to name the first.
  void cite(std::vector<std::string> clauses) { outcome_.cites = std::move(clauses); }

  void expect_error(const std::string& type, const std::vector<Input>& operands,
                    const std::vector<Attribute>& attributes = {}, const ops::Options& options = {});
  void expect_values(const std::vector<Input>& operands, const judge::Expected& expected);
  /// Throws ValueError: no rule has this name.
  [[noreturn]] void unknown() const;

private:
  void judge_fallback(const std::string& fallen);

  std::string name_;
  std::vector<std::string> parts_;
  const judge::Op& op_;
  Device& door_;
  ts::Device device_;
  Outcome outcome_;
};

} // namespace ts::conformance
