// The table of families: what a backend's units define, in one place. Included by one unit of a library that has them all.
#pragma once

#include "backends/kernels/elementwise_parts.h"
#include "backends/kernels/families.h"

#include <utility>

namespace ts::kernels {

// Defined in the units: instantiated there for the library's launcher.
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
template <class Launcher> void softmax(const Call&, Launcher&);
uint64_t host_softmax_workspace(const Call&);
template <class Launcher> void normalize(const Call&, Launcher&);
uint64_t host_normalize_workspace(const Call&);

namespace detail {

inline uint64_t no_workspace(const Call&) { return 0; }

template <class Launcher, int... kPart>
void run_part_of(const Call& call, Launcher& launcher, std::integer_sequence<int, kPart...>) {
  if (!(elementwise_part<kPart>(call, launcher) || ...))
    throw Refusal(TS_UNSUPPORTED, "no elementwise kernel was built for these dtypes");
}

template <class Launcher> void elementwise(const Call& call, Launcher& launcher) {
  run_part_of(call, launcher, std::make_integer_sequence<int, kElementwiseParts>{});
}

} // namespace detail

/// The kernels of a family (TS_FAMILY_...), null where there are none.
template <class Launcher> const Family<Launcher>* find_family(int32_t family) {
  static constexpr Family<Launcher> kFill{fill<Launcher>, detail::no_workspace};
  static constexpr Family<Launcher> kConvert{convert<Launcher>, detail::no_workspace};
  static constexpr Family<Launcher> kElementwise{detail::elementwise<Launcher>, detail::no_workspace};
  static constexpr Family<Launcher> kReduce{reduce<Launcher>, host_reduce_workspace};
  static constexpr Family<Launcher> kArgReduce{arg_reduce<Launcher>, host_arg_reduce_workspace};
  static constexpr Family<Launcher> kScan{scan<Launcher>, host_scan_workspace};
  static constexpr Family<Launcher> kMatmul{matmul<Launcher>, host_matmul_workspace};
  static constexpr Family<Launcher> kGather{gather<Launcher>, host_gather_workspace};
  static constexpr Family<Launcher> kScatter{scatter<Launcher>, host_scatter_workspace};
  static constexpr Family<Launcher> kSort{sort<Launcher>, host_sort_workspace};
  static constexpr Family<Launcher> kSoftmax{softmax<Launcher>, host_softmax_workspace};
  static constexpr Family<Launcher> kNormalize{normalize<Launcher>, host_normalize_workspace};
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
    case TS_FAMILY_SOFTMAX: return &kSoftmax;
    case TS_FAMILY_NORMALIZE: return &kNormalize;
    default: return nullptr;
  }
}

} // namespace ts::kernels
