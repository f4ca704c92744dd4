// What the transaction lint found, as rows, as a page and as lines for programs.
#include "backends/emulator/checked/traffic.h"
#include "backends/kernels/door.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace ts::emulator::checked {

namespace {

const char* verb(Access access) { return access == kRead ? "read" : access == kWrite ? "write" : "atomic"; }

uint64_t waste(const TrafficRow& row) { return row.traffic.sectors - row.traffic.least + row.traffic.conflicts; }

template <class... Values> std::string formatted(const char* form, Values... values) {
  char line[1024];
  std::snprintf(line, sizeof line, form, values...);
  return line;
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

unsigned long long whole(uint64_t value) { return value; }

} // namespace

double TrafficRow::ratio() const {
  return traffic.least == 0 ? 1.0 : static_cast<double>(traffic.sectors) / static_cast<double>(traffic.least);
}

std::vector<TrafficRow> merged(std::vector<TrafficRow> rows) {
  const auto key = [](const TrafficRow& row) { return std::tie(row.kernel, row.line, row.memory, row.access); };
  std::sort(rows.begin(), rows.end(), [&](const TrafficRow& a, const TrafficRow& b) { return key(a) < key(b); });
  std::vector<TrafficRow> unique;
  for (TrafficRow& row : rows) {
    if (!unique.empty() && key(unique.back()) == key(row))
      unique.back().traffic += row.traffic;
    else
      unique.push_back(std::move(row));
  }
  std::stable_sort(unique.begin(), unique.end(),
                   [](const TrafficRow& a, const TrafficRow& b) { return waste(a) > waste(b); });
  return unique;
}

std::string text_of(const std::vector<TrafficRow>& rows) {
  std::string text = formatted("%-24s %-24s %-14s %-7s %9s %9s %9s %6s %9s\n", "kernel", "site", "memory", "access",
                               "requests", "sectors", "least", "ratio", "conflicts");
  for (const TrafficRow& row : rows) {
    const Traffic& t = row.traffic;
    text += formatted("%-24s %-24s %-14s %-7s %9llu ", row.kernel.c_str(), row.line.c_str(), row.memory.c_str(),
                      verb(row.access), whole(t.requests));
    text += t.least == 0 ? formatted("%9s %9s %6s %9llu\n", "-", "-", "-", whole(t.conflicts))
                         : formatted("%9llu %9llu %6.2f %9s\n", whole(t.sectors), whole(t.least), row.ratio(), "-");
  }
  return text;
}

std::string json_lines_of(const std::vector<TrafficRow>& rows) {
  std::string text;
  for (const TrafficRow& row : rows) {
    const Traffic& t = row.traffic;
    text += "{\"kernel\": " + quoted(row.kernel) + ", \"site\": " + quoted(row.line) +
            ", \"memory\": " + quoted(row.memory) + ", \"access\": \"" + verb(row.access) + "\", ";
    text +=
        formatted("\"requests\": %llu, \"lanes\": %llu, \"sectors\": %llu, \"least\": %llu, \"ratio\": %.3f, "
                  "\"conflicts\": %llu}\n",
                  whole(t.requests), whole(t.lanes), whole(t.sectors), whole(t.least), row.ratio(), whole(t.conflicts));
  }
  return text;
}

TrafficMeter::TrafficMeter(const Memory& memory, const std::string& page) : memory_(memory) {
  if (page.empty()) return;
  page_ = open(page.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (page_ < 0)
    throw kernels::DoorError(TS_INVALID_ARGUMENT, "option 'page' names a file that cannot be written: '" + page +
                                                      "': " + std::generic_category().message(errno));
}

// One write at the file's end: processes that share it do not tear each other's lines.
TrafficMeter::~TrafficMeter() {
  if (page_ < 0) return;
  const std::string text = json_lines_of(rows());
  if (write(page_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    std::fprintf(stderr, "emulator: cannot write what check=memory found\n");
  close(page_);
}

} // namespace ts::emulator::checked
