// What a user chooses of an emulated device, and how it is written: `shuffle=7,profile=h100,check=race,bounds`.
#pragma once

#include "backends/emulator/checked/settings.h"
#include "backends/emulator/profile.h"
#include "backends/emulator/schedule.h"
#include "backends/kernels/families.h"
#include "backends/kernels/options.h"

#include <string_view>

namespace ts::emulator {

struct Settings {
  Schedule schedule;
  bool ordered = false; ///< an option chose the order
  const Profile* profile = find_profile("t4");
  uint64_t memory_bytes = 4ULL << 30; ///< of address space; pages come as they are touched
  int devices = 1;
  checked::CheckSettings check; ///< what an observer looks for; with none of it there is no observer
  /// The kernels that calls run, of a device that takes calls: compiled to be checked where there is something to check.
  const kernels::HostFamily* (*families)(int32_t family) = nullptr;
};

/// Takes an option; false where it does not know the name. Throws Refusal for a wrong value.
bool apply(const kernels::Option& option, Settings* settings);

/// The options that apply knows, for a message.
std::string known_options();

/// Throws Refusal where options exclude each other.
void check_settings(const Settings& settings);

/// Settings from text. Throws Refusal.
Settings parse_settings(std::string_view text);

} // namespace ts::emulator
