// One self-contained page: per backend a matrix of ops and dtypes, then every case that went wrong.
#include "conformance/report/summary.h"
#include "conformance/runner/found.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace ts::conformance {

namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '&')
      result += "&amp;";
    else if (letter == '<')
      result += "&lt;";
    else if (letter == '>')
      result += "&gt;";
    else
      result += letter;
  }
  return result;
}

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Touchstone report</title><style>
body{font:14px/1.45 system-ui,sans-serif;margin:2rem;color:#222;background:#fdfdfb}
h1,h2{font-weight:600} table{border-collapse:collapse;margin:1rem 0} td,th{padding:.15rem .5rem;text-align:right;border:1px solid #ddd}
td:first-child,th:first-child{text-align:left} .ok{background:#e3f3e3}.bad{background:#f6d5d0}.none{color:#aaa}
pre{background:#f3f1ea;padding:.6rem;overflow-x:auto;white-space:pre-wrap} details{margin:.3rem 0}
</style></head><body><h1>Touchstone report</h1>
)";

struct Cell {
  int64_t passed = 0, bad = 0, unsupported = 0;
};

// "elementwise/add" and "f32" of a name.
std::pair<std::string, std::string> place_of(const std::string& full) {
  const std::string name = is_found(full) ? found_named(full).name : full;
  const size_t op = name.find('/', name.find('/') + 1);
  const size_t dtype = name.find('/', op + 1);
  const std::string dtypes = name.substr(op + 1, dtype - op - 1);
  // The first dtype: enough to see a column, where an op with two has many tuples.
  std::string first = dtypes.substr(0, dtypes.find('_'));
  if (first == "to") first = dtypes.substr(3);
  return {name.substr(0, op), first};
}

std::string matrix(const Ledger& ledger) {
  std::map<std::string, std::map<std::string, Cell>> rows;
  std::set<std::string> columns;
  for (const Outcome& outcome : ledger.outcomes()) {
    const auto [op, dtype] = place_of(outcome.name);
    columns.insert(dtype);
    Cell& cell = rows[op][dtype];
    if (outcome.verdict == Verdict::unsupported)
      ++cell.unsupported;
    else if (is_bad(outcome.verdict))
      ++cell.bad;
    else
      ++cell.passed;
  }
  std::string html = "<table><tr><th>op</th>";
  for (const std::string& column : columns) html += "<th>" + escaped(column) + "</th>";
  html += "</tr>\n";
  for (const auto& [op, cells] : rows) {
    html += "<tr><td>" + escaped(op) + "</td>";
    for (const std::string& column : columns) {
      const auto found = cells.find(column);
      if (found == cells.end())
        html += "<td></td>";
      else if (found->second.bad > 0)
        html += fmt::format("<td class=bad>{} / {}</td>", found->second.bad, found->second.bad + found->second.passed);
      else if (found->second.passed > 0)
        html += fmt::format("<td class=ok>{}</td>", found->second.passed);
      else
        html += "<td class=none>unsupported</td>";
    }
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

} // namespace

std::string html_page(const RunReport& report) {
  std::string html = kHead;
  html += fmt::format("<p>{} cases selected, {} pairs of levels, {} missing; seed {}; {:.1f} s.</p>\n",
                      grouped(static_cast<int64_t>(report.selection.names.size())), grouped(report.pairs),
                      report.selection.missing, report.seed, report.wall_seconds);
  for (const BackendReport& backend : report.backends) {
    const Ledger& ledger = backend.ledger;
    html += fmt::format("<h2>{}</h2><p>{}</p>\n", escaped(ledger.backend()), escaped(report.summary_line(backend)));
    for (const Irregularity& i : ledger.irregularities())
      html += fmt::format("<p class=bad>{}: {}</p>\n", escaped(i.kind), escaped(i.message));
    for (const Outcome& outcome : ledger.outcomes()) {
      if (!is_bad(outcome.verdict)) continue;
      html += fmt::format("<details><summary>{} {}</summary><pre>{}</pre></details>\n", name_of(outcome.verdict),
                          escaped(outcome.name), escaped(failure_text(ledger.backend(), outcome, report.seed)));
    }
    html += matrix(ledger);
  }
  return html + "</body></html>\n";
}

} // namespace ts::conformance
