#include "backends/emulator/profile.h"

#include "backends/kernels/door.h"
#include "backends/kernels/plan.h"

namespace ts::emulator {

using kernels::DoorError;

namespace {

constexpr int64_t kGrid = 2147483647;
constexpr uint64_t kLocal = 512 << 10;
constexpr uint64_t kParameters = 4096; // of every toolkit; newer ones allow more on newer devices
constexpr Profile kProfiles[] = {{"t4", 1024, 64 << 10, kGrid, kLocal, kParameters, 75, 40},
                                 {"a100", 1024, 163 << 10, kGrid, kLocal, kParameters, 80, 108},
                                 {"h100", 1024, 227 << 10, kGrid, kLocal, kParameters, 90, 132}};

void check_count(const char* kernel, const char* what, int64_t count) {
  if (count >= 0) return;
  throw DoorError(TS_INVALID_ARGUMENT,
                  std::string("kernel ") + kernel + " is launched with " + std::to_string(count) + what)
      .values(count, 0);
}

template <class Number>
void limit(const Profile& profile, const char* kernel, const char* what, Number value, Number most) {
  if (value <= most) return;
  throw DoorError(TS_DEVICE_ERROR, std::string("kernel ") + kernel + " needs " + std::to_string(value) + " " + what +
                                       ", device " + profile.name + " has " + std::to_string(most))
      .values(static_cast<int64_t>(value), static_cast<int64_t>(most));
}

} // namespace

const Profile* find_profile(const std::string& name) {
  for (const Profile& profile : kProfiles)
    if (name == profile.name) return &profile;
  return nullptr;
}

std::string profile_names() {
  std::string names;
  for (const Profile& profile : kProfiles) names += (names.empty() ? "" : "|") + std::string(profile.name);
  return names;
}

void check_launch(const Profile& profile, const kernels::FlatKernel& kernel) {
  check_count(kernel.kernel, " items", kernel.count);
  limit<uint64_t>(profile, kernel.kernel, "bytes of arguments", kernel.task_bytes, profile.parameters_max);
  limit<int64_t>(profile, kernel.kernel, "blocks", kernels::flat_launch(kernel.count).blocks, profile.blocks_max);
}

void check_launch(const Profile& profile, const kernels::BlockKernel& kernel) {
  check_count(kernel.kernel, " blocks", kernel.count);
  limit<uint64_t>(profile, kernel.kernel, "bytes of arguments", kernel.task_bytes, profile.parameters_max);
  limit<int32_t>(profile, kernel.kernel, "threads a block", kernel.threads, profile.threads_max);
  limit<uint64_t>(profile, kernel.kernel, "bytes of shared memory a block", kernel.shared_bytes, profile.shared_max);
  limit<uint64_t>(profile, kernel.kernel, "bytes of local memory a thread", kernel.local_bytes, profile.local_max);
  limit<int64_t>(profile, kernel.kernel, "blocks", kernel.count, profile.blocks_max);
}

} // namespace ts::emulator
