// What follows the colon of `emulator:shuffle=7,threads=2`.
#pragma once

#include "backends/kernels/call.h"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ts::kernels {

struct Option {
  std::string name;
  std::string value; ///< empty where no `=` was written
};

/// The options between commas, in order.
inline std::vector<Option> parse_options(std::string_view text) {
  std::vector<Option> options;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const size_t equals = part.find('=');
    options.push_back({std::string(part.substr(0, equals)),
                       equals == std::string_view::npos ? std::string() : std::string(part.substr(equals + 1))});
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return options;
}

/// The value of an option as a whole number within bounds; refused otherwise.
inline int64_t whole_number(const Option& option, int64_t low, int64_t high) {
  int64_t value = 0;
  const char* end = option.value.data() + option.value.size();
  const auto [stop, error] = std::from_chars(option.value.data(), end, value);
  if (error != std::errc() || stop != end || value < low || value > high)
    throw Refusal(TS_INVALID_ARGUMENT, "option '" + option.name + "' takes a whole number from " + std::to_string(low) +
                                           " to " + std::to_string(high) + ", not '" + option.value + "'");
  return value;
}

[[noreturn]] inline void refuse_option(const Option& option, const std::string& known) {
  throw Refusal(TS_INVALID_ARGUMENT, "unknown option '" + option.name + "'; known: " + known);
}

} // namespace ts::kernels
