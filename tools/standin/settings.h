// What the environment asks of the stand-in.
#pragma once

#include "backends/emulator/settings.h"
#include "tools/standin/cuda_api.h"

#include <cstdint>
#include <string>

namespace ts::standin {

struct Settings {
  emulator::Settings device; ///< TOUCHSTONE_STANDIN: schedule, profile, memory, devices, as after `emulator:`
  std::string trace;         ///< TOUCHSTONE_STANDIN_TRACE: a file, %p is the process
  uint64_t fail = 0;         ///< TOUCHSTONE_STANDIN_FAIL: N or N:CODE
  cudaError_t code = cudaSuccess;
  uint64_t drop = 0;     ///< TOUCHSTONE_STANDIN_DROP: a number,
  std::string drop_site; ///< or a site
};

/// Ends the process with a sentence where the environment asks for what is not known.
Settings settings_of_environment();

} // namespace ts::standin
