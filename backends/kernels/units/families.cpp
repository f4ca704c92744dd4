// The table of families.
#include "backends/kernels/families.h"

#include "backends/kernels/elementwise_parts.h"

#include <utility>

namespace ts::kernels {

// Defined in the units beside this one.
template <class Launcher> void fill(const Call&, Launcher&);
template <class Launcher> void convert(const Call&, Launcher&);
template <class Launcher> void reduce(const Call&, Launcher&);
uint64_t host_reduce_workspace(const Call&);
template <class Launcher> void arg_reduce(const Call&, Launcher&);
uint64_t host_arg_reduce_workspace(const Call&);
template <class Launcher> void scan(const Call&, Launcher&);
uint64_t host_scan_workspace(const Call&);
template <class Launcher> void matmul(const Call&, Launcher&);
uint64_t host_matmul_workspace(const Call&);
template <class Launcher> void gather(const Call&, Launcher&);
uint64_t host_gather_workspace(const Call&);
template <class Launcher> void scatter(const Call&, Launcher&);
uint64_t host_scatter_workspace(const Call&);
template <class Launcher> void sort(const Call&, Launcher&);
uint64_t host_sort_workspace(const Call&);

namespace {

uint64_t no_workspace(const Call&) { return 0; }

template <int... kPart>
void run_part_of(const Call& call, HostLauncher& launcher, std::integer_sequence<int, kPart...>) {
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
  static constexpr HostFamily kReduce{reduce<HostLauncher>, host_reduce_workspace};
  static constexpr HostFamily kArgReduce{arg_reduce<HostLauncher>, host_arg_reduce_workspace};
  static constexpr HostFamily kScan{scan<HostLauncher>, host_scan_workspace};
  static constexpr HostFamily kMatmul{matmul<HostLauncher>, host_matmul_workspace};
  static constexpr HostFamily kGather{gather<HostLauncher>, host_gather_workspace};
  static constexpr HostFamily kScatter{scatter<HostLauncher>, host_scatter_workspace};
  static constexpr HostFamily kSort{sort<HostLauncher>, host_sort_workspace};
  switch (family) {
    case TS_FAMILY_FILL: return &kFill;
    case TS_FAMILY_CONVERT: return &kConvert;
    case TS_FAMILY_ELEMENTWISE: return &kElementwise;
    case TS_FAMILY_REDUCE: return &kReduce;
    case TS_FAMILY_ARG_REDUCE: return &kArgReduce;
    case TS_FAMILY_SCAN: return &kScan;
    case TS_FAMILY_MATMUL: return &kMatmul;
    case TS_FAMILY_GATHER: return &kGather;
    case TS_FAMILY_SCATTER: return &kScatter;
    case TS_FAMILY_SORT: return &kSort;
    default: return nullptr;
  }
}

} // namespace ts::kernels
