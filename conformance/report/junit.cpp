// JUnit XML: a suite per backend, a case per case, as CI servers read them.
#include "conformance/report/summary.h"

#include <fmt/format.h>

namespace ts::conformance {

namespace {

// XML 1.0 has no way to write most control characters: they become question marks.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\n': result += "&#10;"; break;
      default: result += static_cast<unsigned char>(letter) < 0x20 && letter != '\t' ? '?' : letter;
    }
  }
  return result;
}

void add_case(std::string& xml, const std::string& backend, const Outcome& outcome) {
  const size_t slash = outcome.name.find('/', outcome.name.find('/') + 1);
  xml += fmt::format("    <testcase classname=\"{}.{}\" name=\"{}\" time=\"{:.6f}\"", escaped(backend),
                     escaped(outcome.name.substr(0, slash)), escaped(outcome.name), outcome.seconds);
  if (outcome.verdict == Verdict::pass) {
    xml += "/>\n";
    return;
  }
  const std::string message = escaped(outcome.check + (outcome.check.empty() ? "" : ": ") + outcome.message);
  const bool skipped = !is_bad(outcome.verdict);
  const bool error = outcome.verdict == Verdict::crash || outcome.verdict == Verdict::timeout;
  xml += fmt::format(">\n      <{} {}message=\"{}\"/>\n    </testcase>\n",
                     skipped ? "skipped"
                     : error ? "error"
                             : "failure",
                     skipped ? "" : fmt::format("type=\"{}\" ", name_of(outcome.verdict)), message);
}

} // namespace

std::string junit_xml(const RunReport& report) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"touchstone\">\n";
  for (const BackendReport& backend : report.backends) {
    const Ledger& ledger = backend.ledger;
    const int64_t errors = ledger.count(Verdict::crash) + ledger.count(Verdict::timeout);
    const int64_t skipped = ledger.count(Verdict::unsupported) + ledger.count(Verdict::known_failure);
    const auto total = static_cast<int64_t>(ledger.outcomes().size());
    const auto odd = static_cast<int64_t>(ledger.irregularities().size());
    xml += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
        escaped(ledger.backend()), total + odd, total - ledger.count(Verdict::pass) - errors - skipped + odd, errors,
        skipped, backend.seconds);
    for (const Outcome& outcome : ledger.outcomes()) add_case(xml, ledger.backend(), outcome);
    for (const Irregularity& i : ledger.irregularities())
      xml += fmt::format(
          "    <testcase classname=\"{}.ledger\" name=\"{}\">\n      <failure message=\"{}\"/>\n    </testcase>\n",
          escaped(ledger.backend()), escaped(i.kind), escaped(i.message));
    xml += "  </testsuite>\n";
  }
  return xml + "</testsuites>\n";
}

} // namespace ts::conformance
