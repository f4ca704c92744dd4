// The table of families.
#include "backends/kernels/families.h"

#include "backends/kernels/elementwise_parts.h"

#include <utility>

namespace ts::kernels {

// Instantiated in the units beside this one.
template <class Launcher> void fill(const Call&, Launcher&);
template <class Launcher> void convert(const Call&, Launcher&);

namespace {

uint64_t no_workspace(const Call&) { return 0; }

template <int... kPart> void run_part_of(const Call& call, HostLauncher& launcher, std::integer_sequence<int, kPart...>) {
  if (!(elementwise_part<kPart>(call, launcher) || ...))
    throw Refusal(TS_UNSUPPORTED, "no elementwise kernel was built for these dtypes");
}

void elementwise(const Call& call, HostLauncher& launcher) {
  run_part_of(call, launcher, std::make_integer_sequence<int, kElementwiseParts>{});
}

} // namespace

const HostFamily* host_family(int32_t family) {
  static constexpr HostFamily kFill{fill<HostLauncher>, no_workspace};
  static constexpr HostFamily kConvert{convert<HostLauncher>, no_workspace};
  static constexpr HostFamily kElementwise{elementwise, no_workspace};
  switch (family) {
    case TS_FAMILY_FILL: return &kFill;
    case TS_FAMILY_CONVERT: return &kConvert;
    case TS_FAMILY_ELEMENTWISE: return &kElementwise;
    default: return nullptr;
  }
}

} // namespace ts::kernels
