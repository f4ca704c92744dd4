#include "backends/emulator/checked/symbols.h"

#include <cstdio>
#include <dlfcn.h>
#include <map>
#include <mutex>

namespace ts::emulator::checked {

namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The lines of what addr2line prints, innermost function first: `path:line` or `path:line (discriminator 3)`. A compiler that
// makes one access of several gives it a file and no line: `path:?`.
std::string innermost_of(FILE* lines) {
  std::string found = "?", no_line = "?";
  char line[1024];
  while (fgets(line, sizeof line, lines) != nullptr) {
    std::string text(line);
    text = text.substr(0, text.find_first_of(" \n"));
    if (text.find("??") == 0) continue;
    const size_t colon = text.rfind(':');
    if (const std::string number = text.substr(colon + 1); number == "0" || number == "?") {
      if (no_line == "?") no_line = base_name(text.substr(0, colon)) + ":?";
      continue;
    }
    const bool system = text.rfind("/usr/", 0) == 0;
    if (found == "?" || !system) found = base_name(text);
    if (!system) break;
  }
  return found != "?" ? found : no_line;
}

std::string ask(uintptr_t code) {
  Dl_info library{};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): dladdr takes a pointer
  if (dladdr(reinterpret_cast<void*>(code), &library) == 0 || library.dli_fname == nullptr) return "?";
  const uintptr_t call = code - 1 - reinterpret_cast<uintptr_t>(library.dli_fbase); // inside the call, not after it
  char command[1200];
  std::snprintf(command, sizeof command, "addr2line -i -e '%s' 0x%zx 2>/dev/null", library.dli_fname,
                static_cast<size_t>(call));
  std::string found = "?";
  if (FILE* lines = popen(command, "r"); lines != nullptr) {
    found = innermost_of(lines);
    pclose(lines);
  }
  if (found != "?") return found;
  char place[64];
  std::snprintf(place, sizeof place, "+0x%zx", static_cast<size_t>(call));
  return base_name(library.dli_fname) + place;
}

} // namespace

std::string source_line(uintptr_t code) {
  static std::mutex mutex;
  static std::map<uintptr_t, std::string> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known.find(code);
  return found != known.end() ? found->second : known.emplace(code, ask(code)).first->second;
}

} // namespace ts::emulator::checked
