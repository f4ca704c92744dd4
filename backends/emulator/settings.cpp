#include "backends/emulator/settings.h"

#include "backends/kernels/door.h"

#include <utility>

namespace ts::emulator {

using kernels::DoorError;
using kernels::whole_number;

namespace {

DoorError wrong(const kernels::Option& option, const std::string& known) {
  return DoorError(TS_INVALID_ARGUMENT,
                   "option '" + option.name + "' is one of " + known + ", not '" + option.value + "'");
}

bool apply_schedule(const kernels::Option& option, Settings* settings) {
  Schedule* schedule = &settings->schedule;
  if (option.name == "schedule" || option.name == "shuffle") {
    if (std::exchange(settings->ordered, true))
      throw DoorError(TS_INVALID_ARGUMENT,
                      "option '" + option.name + "': the order was chosen before it, once is enough");
  }
  if (option.name == "schedule") {
    if (option.value != "forward" && option.value != "backward") throw wrong(option, "forward|backward");
    schedule->order = option.value == "forward" ? Order::forward : Order::backward;
  } else if (option.name == "shuffle") {
    schedule->order = Order::shuffled;
    schedule->seed = static_cast<uint64_t>(whole_number(option, 0, INT64_MAX));
  } else if (option.name == "threads") {
    schedule->threads = static_cast<int>(whole_number(option, 1, 64));
  } else {
    return false;
  }
  return true;
}

// check=race, and what follows it without a name: check=race,bounds.
bool apply_check(const kernels::Option& option, checked::CheckSettings* check) {
  if (option.name == "check") {
    if (!check->enable(option.value)) throw wrong(option, checked::CheckSettings::names());
  } else if (option.name == "jitter") {
    check->jitter = static_cast<uint64_t>(whole_number(option, 1, INT64_MAX));
  } else if (option.name == "page") {
    check->page = option.value;
  } else {
    return option.value.empty() && (check->any_check() || check->memory) && check->enable(option.name);
  }
  return true;
}

} // namespace

bool apply(const kernels::Option& option, Settings* settings) {
  if (option.name == "profile") {
    settings->profile = find_profile(option.value);
    if (settings->profile == nullptr) throw wrong(option, profile_names());
  } else if (option.name == "memory" && !(option.value.empty() && settings->check.any_check())) { // check=race,memory
    settings->memory_bytes = static_cast<uint64_t>(whole_number(option, 1, 1 << 20)) << 20;
  } else if (option.name == "devices") {
    settings->devices = static_cast<int>(whole_number(option, 0, 16));
  } else {
    return apply_schedule(option, settings) || apply_check(option, &settings->check);
  }
  return true;
}

std::string known_options() {
  return "schedule=forward|backward, shuffle=SEED, threads=N, profile=" + profile_names() +
         ", memory=MIB, devices=N, check=" + checked::CheckSettings::names() + ", page=FILE, jitter=SEED";
}

void check_settings(const Settings& settings) {
  if (settings.check.any() && settings.schedule.threads > 1)
    throw DoorError(TS_INVALID_ARGUMENT,
                    std::string("options '") +
                        (settings.check.any_check() || settings.check.memory ? "check" : "jitter") +
                        "' and 'threads' exclude each other: whoever watches a launch sees work items "
                        "that run one after another");
  if (settings.check.memory && (settings.check.any_check() || settings.check.jitter != 0))
    throw DoorError(TS_INVALID_ARGUMENT, "option 'check=memory' stands alone: it watches accesses instead of checking");
  if (!settings.check.memory && !settings.check.page.empty())
    throw DoorError(TS_INVALID_ARGUMENT, "option 'page' names the file for what 'check=memory' finds");
}

Settings parse_settings(std::string_view text) {
  Settings settings;
  for (const kernels::Option& option : kernels::parse_options(text))
    if (!apply(option, &settings)) kernels::refuse_option(option, known_options());
  check_settings(settings);
  return settings;
}

} // namespace ts::emulator
