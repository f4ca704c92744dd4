// The kernels of all families, compiled once for backends on the host.
#pragma once

#include "backends/kernels/host_launcher.h"

#include <cstdint>

namespace ts::kernels {

struct HostFamily {
  /// Plans a call and launches its program.
  void (*run)(const Call& call, HostLauncher& launcher);
  /// Bytes of workspace that a call needs; reads no data.
  uint64_t (*workspace)(const Call& call);
};

/// The kernels of a family (TS_FAMILY_...), null where there are none.
const HostFamily* host_family(int32_t family);

} // namespace ts::kernels
