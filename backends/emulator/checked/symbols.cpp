#include "backends/emulator/checked/symbols.h"

#include <cstdio>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <link.h>
#include <map>
#include <mutex>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace ts::emulator::checked {

namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The file that is mapped at an address. The system keeps whole paths; the names that programs and libraries were started by
// may be relative to another folder, or to PATH.
std::string file_of(uintptr_t code) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long long first = 0, end = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx", &first, &end) != 2 || code < first || code >= end) continue;
    const size_t path = line.find('/');
    return path == std::string::npos ? "" : line.substr(path);
  }
  return "";
}

// What a program prints; "" where there is no such program.
std::string output_of(const char* const* arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  // It takes them as they are, and does not write there.
  const int failed = posix_spawnp(&child, arguments[0], &files, nullptr, const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  std::string text;
  char piece[4096];
  for (ssize_t got = 0; failed == 0 && (got = read(ends[0], piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<size_t>(got));
  close(ends[0]);
  if (failed == 0) waitpid(child, nullptr, 0);
  return text;
}

std::string ask(uintptr_t code) {
  const uintptr_t call = code - 1; // inside the call, not after it
  Dl_info library{};
  link_map* loaded = nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): dladdr takes a pointer
  if (dladdr1(reinterpret_cast<void*>(call), &library, reinterpret_cast<void**>(&loaded), RTLD_DL_LINKMAP) == 0)
    return "?";
  char place[32];
  std::snprintf(place, sizeof place, "0x%zx", static_cast<size_t>(call - loaded->l_addr));
  const std::string file = file_of(call);
  const char* const arguments[] = {"addr2line", "-i", "-e", file.c_str(), place, nullptr};
  const std::string found = innermost_line(output_of(arguments));
  return found != "?" ? found : base_name(file) + "+" + place;
}

} // namespace

// `path:line` or `path:line (discriminator 3)`. A compiler that makes one access of several gives it a file and no line:
// `path:?`.
std::string innermost_line(const std::string& lines) {
  std::string found = "?", no_line = "?";
  std::istringstream stream(lines);
  for (std::string text; std::getline(stream, text);) {
    text = text.substr(0, text.rfind(" (discriminator "));
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

std::string source_line(uintptr_t code) {
  static std::mutex mutex;
  static std::map<uintptr_t, std::string> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known.find(code);
  return found != known.end() ? found->second : known.emplace(code, ask(code)).first->second;
}

} // namespace ts::emulator::checked
