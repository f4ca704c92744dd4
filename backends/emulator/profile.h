// Limits of real devices, so that a launch that would fail on one fails here.
#pragma once

#include "backends/kernels/host_launcher.h"

#include <string>

namespace ts::emulator {

struct Profile {
  const char* name;
  int32_t threads_max;     ///< of a block
  uint64_t shared_max;     ///< bytes of a block, with the opt-in that dynamic shared memory has
  int64_t blocks_max;      ///< of a grid along x
  uint64_t local_max;      ///< bytes of a thread
  uint64_t parameters_max; ///< bytes of a kernel's arguments
  int32_t capability;      ///< compute capability, 75 for 7.5
  int32_t processors;
};

/// T4, A100 and H100 by the tables of the CUDA C++ Programming Guide ("Compute Capabilities"); null for another name.
const Profile* find_profile(const std::string& name);
std::string profile_names();

/// Throws TS_DEVICE_ERROR where a launch passes a limit.
void check_launch(const Profile& profile, const kernels::FlatKernel& kernel);
void check_launch(const Profile& profile, const kernels::BlockKernel& kernel);

} // namespace ts::emulator
