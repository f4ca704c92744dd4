#include "tools/standin/settings.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace ts::standin {

namespace {

[[noreturn]] void refuse(const char* variable, const std::string& why) {
  fprintf(stderr, "stand-in CUDA runtime: %s: %s\n", variable, why.c_str());
  _exit(2);
}

std::string variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? std::string() : value;
}

bool is_number(std::string_view text, uint64_t* number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && stop == text.data() + text.size() && !text.empty();
}

std::string with_process(std::string path) {
  const size_t mark = path.find("%p");
  if (mark != std::string::npos) path.replace(mark, 2, std::to_string(getpid()));
  return path;
}

} // namespace

Settings settings_of_environment() {
  Settings settings;
  try {
    settings.device = emulator::parse_settings(variable("TOUCHSTONE_STANDIN"));
  } catch (const kernels::Refusal& refusal) {
    refuse("TOUCHSTONE_STANDIN", refusal.what());
  }
  if (settings.device.check.any()) refuse("TOUCHSTONE_STANDIN", "nothing is checked here; emulator:check=... does");
  settings.trace = with_process(variable("TOUCHSTONE_STANDIN_TRACE"));
  if (const std::string fail = variable("TOUCHSTONE_STANDIN_FAIL"); !fail.empty()) {
    const size_t colon = fail.find(':');
    uint64_t code = 0;
    if (!is_number(std::string_view(fail).substr(0, colon), &settings.fail) ||
        (colon != std::string::npos && !is_number(std::string_view(fail).substr(colon + 1), &code)))
      refuse("TOUCHSTONE_STANDIN_FAIL", "is N or N:CODE, not '" + fail + "'");
    settings.code = static_cast<cudaError_t>(code);
  }
  if (const std::string drop = variable("TOUCHSTONE_STANDIN_DROP"); !is_number(drop, &settings.drop))
    settings.drop_site = drop;
  return settings;
}

} // namespace ts::standin
