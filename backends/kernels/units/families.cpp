// The table of families.
#include "backends/kernels/families.h"

#include "backends/kernels/arg_reduce.h"
#include "backends/kernels/elementwise_parts.h"
#include "backends/kernels/gather.h"
#include "backends/kernels/matmul.h"
#include "backends/kernels/reduce.h"
#include "backends/kernels/scan.h"
#include "backends/kernels/scatter.h"
#include "backends/kernels/sort.h"

#include <utility>

namespace ts::kernels {

// Defined in the units beside this one, but for the workspaces.
template <class Launcher> void fill(const Call&, Launcher&);
template <class Launcher> void convert(const Call&, Launcher&);
extern template void reduce<HostLauncher>(const Call&, HostLauncher&);
extern template void arg_reduce<HostLauncher>(const Call&, HostLauncher&);
extern template void scan<HostLauncher>(const Call&, HostLauncher&);
extern template void matmul<HostLauncher>(const Call&, HostLauncher&);
extern template void gather<HostLauncher>(const Call&, HostLauncher&);
extern template void scatter<HostLauncher>(const Call&, HostLauncher&);
extern template void sort<HostLauncher>(const Call&, HostLauncher&);

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
  static constexpr HostFamily kReduce{reduce<HostLauncher>, reduce_workspace};
  static constexpr HostFamily kArgReduce{arg_reduce<HostLauncher>, arg_reduce_workspace};
  static constexpr HostFamily kScan{scan<HostLauncher>, scan_workspace};
  static constexpr HostFamily kMatmul{matmul<HostLauncher>, matmul_workspace};
  static constexpr HostFamily kGather{gather<HostLauncher>, gather_workspace};
  static constexpr HostFamily kScatter{scatter<HostLauncher>, scatter_workspace};
  static constexpr HostFamily kSort{sort<HostLauncher>, sort_workspace};
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
