#include "fuzz/judge.h"

#include "conformance/execute.h"
#include "conformance/mutants/layer.h"
#include "conformance/prepare.h"

#include <fmt/format.h>

#include <cstdlib>

namespace ts::fuzz {

namespace {

std::string setting(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

} // namespace

Judge::Judge() : spec_(judge::spec()), backend_(setting("TOUCHSTONE_FUZZ_BACKEND", "cpu")) {
  std::shared_ptr<Backend> backend = open_backend(backend_);
  if (const std::string mutant = setting("TOUCHSTONE_FUZZ_MUTANT", ""); !mutant.empty())
    backend = conformance::mutants::add_mutant(std::move(backend), mutant);
  device_ = std::make_unique<conformance::Device>(std::move(backend));
}

std::string Judge::complaint(const Decoded& decoded) {
  const conformance::Outcome outcome =
      conformance::execute(conformance::prepare(decoded.c, spec_, decoded.seed), *device_);
  // A comparison that cannot fail is a fault of a selected case; a decoded one may be as trivial as it likes.
  if (!conformance::is_bad(outcome.verdict) || outcome.verdict == conformance::Verdict::mistrusted) return "";
  return fmt::format("{}: {}: {}\nreplay: touchstone replay --backend {} --seed {} {}", decoded.c.name(), outcome.check,
                     outcome.message, backend_, decoded.seed, decoded.c.name());
}

} // namespace ts::fuzz
