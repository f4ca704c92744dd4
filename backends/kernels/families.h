// The kernels of all families, compiled once for a kind of launcher.
#pragma once

#include "backends/kernels/call.h"

#include <cstdint>

namespace ts::kernels {

class HostLauncher;

template <class Launcher> struct Family {
  /// Plans a call and launches its program.
  void (*run)(const Call& call, Launcher& launcher);
  /// Bytes of workspace that a call needs; reads no data.
  uint64_t (*workspace)(const Call& call);
};
using HostFamily = Family<HostLauncher>;

/// The kernels of a family (TS_FAMILY_...) for backends on the host, null where there are none.
const HostFamily* host_family(int32_t family);

} // namespace ts::kernels
