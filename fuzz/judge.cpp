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

Judge::Judge(Effort effort)
    : spec_(judge::spec()), effort_(effort), backend_(setting("TOUCHSTONE_FUZZ_BACKEND", "cpu:threads=1")),
      mutant_(setting("TOUCHSTONE_FUZZ_MUTANT", "")) {
  std::shared_ptr<Backend> backend = open_backend(backend_);
  if (!mutant_.empty()) backend = conformance::mutants::add_mutant(std::move(backend), mutant_);
  device_ = std::make_unique<conformance::Device>(std::move(backend));
}

std::string Judge::complaint(const Decoded& decoded) {
  const conformance::Prepared prepared = conformance::prepare(decoded.c, spec_, decoded.seed);
  const bool pattern = (decoded.seed & 1) != 0;
  const conformance::Outcome outcome = effort_ == Effort::whole
                                           ? conformance::execute(prepared, *device_)
                                           : conformance::execute_once(prepared, *device_, pattern);
  // A comparison that cannot fail is a fault of a selected case; a decoded one may be as trivial as it likes.
  if (!conformance::is_bad(outcome.verdict) || outcome.verdict == conformance::Verdict::mistrusted) return "";
  return fmt::format("{}: {}: {}\nreplay: touchstone replay --backend {}{} --seed {} {}", decoded.c.name(),
                     outcome.check, outcome.message, backend_, mutant_.empty() ? "" : " --layer mutant:" + mutant_,
                     decoded.seed, decoded.c.name());
}

} // namespace ts::fuzz
