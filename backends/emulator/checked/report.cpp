#include "backends/emulator/checked/report.h"

#include "backends/emulator/checked/settings.h"
#include "backends/emulator/checked/symbols.h"

namespace ts::emulator::checked {

namespace {

const char* verb(Access access) { return access == kRead ? "reads" : access == kWrite ? "writes" : "updates"; }

std::string at_line(uintptr_t site) { return site == 0 ? "" : " at " + source_line(site); }

// A conflict's other side, without the block where it is the same one.
std::string other_text(const Report& report) {
  const WorkItem &mine = report.mine, &other = report.other;
  if (!other.known) return "another work item";
  if (other.flat || other.block != mine.block) return text_of(other);
  std::string text = "thread " + std::to_string(other.thread);
  if (other.phase != mine.phase) text += " in phase " + std::to_string(other.phase);
  return text;
}

} // namespace

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::write_write: return "write/write conflict";
    case Kind::read_write: return "read/write conflict";
    case Kind::mixed_atomic: return "conflict of an atomic with a plain access";
    case Kind::out_of_bounds: return "out of bounds";
    case Kind::after_release: return "use after release";
    case Kind::unwritten: return "read of what nothing wrote";
    case Kind::output_unwritten: return "output not written";
    case Kind::host_memory: return "access to host memory";
    case Kind::null_address: return "access near address 0";
    case Kind::arguments_written: return "write to the launch's arguments";
    case Kind::waiting: return "waits for another work item";
  }
  return "?";
}

std::string text_of(const WorkItem& item) {
  if (!item.known) return "a work item";
  if (item.flat) return "item " + std::to_string(item.item);
  return "block " + std::to_string(item.block) + ", thread " + std::to_string(item.thread) + ", phase " +
         std::to_string(item.phase);
}

std::string text_of(const Report& report) {
  std::string text = std::string(name_of(report.kind)) + ": " + report.kernel;
  const std::string where = report.place.empty() ? report.memory : report.place + " of " + report.memory;
  if (report.kind == Kind::output_unwritten) return text + " leaves " + where + " as it was";
  text += ": " + text_of(report.mine) + " " + verb(report.access) + " " + where + at_line(report.site);
  const bool conflict =
      report.kind == Kind::write_write || report.kind == Kind::read_write || report.kind == Kind::mixed_atomic;
  if (conflict)
    text += "; " + other_text(report) + " " + verb(report.other_access) + " it" + at_line(report.other_site);
  if (report.times > 1) text += ", " + std::to_string(report.times) + " times";
  return text;
}

bool CheckSettings::enable(const std::string& name) {
  if (name == "all")
    race = bounds = init = host = true;
  else if (name == "race")
    race = true;
  else if (name == "bounds")
    bounds = true;
  else if (name == "init")
    init = true;
  else if (name == "host")
    host = true;
  else if (name == "memory")
    memory = true;
  else
    return false;
  return true;
}

} // namespace ts::emulator::checked
