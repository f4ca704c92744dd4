// The order in which work items, blocks and threads run. A device promises none, so the one that no code expects is the
// default: last to first.
#pragma once

#include "backends/kernels/host_launcher.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ts::emulator {

enum class Order { backward, forward, shuffled };

struct Schedule {
  Order order = Order::backward;
  uint64_t seed = 0; ///< of shuffled
  int threads = 1;   ///< that run units at the same time, for a race detector

  /// Calls visit(unit) for every unit in [0, count). With several threads it is called from all of them. What it throws
  /// ends that, and comes out here.
  void for_each(int64_t count, const std::function<void(int64_t unit)>& visit) const;

  /// Runs the items [begin, begin + count) of a flat task.
  void run_items(const kernels::FlatKernel& kernel, int64_t begin, int64_t count) const;

  /// The order of a block's threads; `permutation` holds what it refers to.
  kernels::ThreadOrder thread_order(int threads_of_block, int64_t block, std::vector<int32_t>* permutation) const;
};

} // namespace ts::emulator
