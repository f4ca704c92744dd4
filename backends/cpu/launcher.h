// Runs launches at once: flat items forward and vectorized, blocks one after another, both shared among threads.
#pragma once

#include "backends/cpu/pool.h"
#include "backends/kernels/census.h"
#include "backends/kernels/host_launcher.h"

namespace ts::cpu {

class Launcher final : public kernels::HostLauncher {
public:
  Launcher(Pool& pool, kernels::Census& census) : pool_(pool), census_(census) {}

  void launch(const kernels::FlatKernel& kernel) override;
  void launch(const kernels::BlockKernel& kernel) override;
  kernels::IndexFault* fault() override { return &fault_; }

private:
  Pool& pool_;
  kernels::Census& census_;
  kernels::IndexFault fault_{INT64_MAX, 0, 0, -1};
};

} // namespace ts::cpu
