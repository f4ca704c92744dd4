// Launches that wait: recorded when a call is made, run when its queue is.
#pragma once

#include "backends/emulator/memory.h"
#include "backends/emulator/profile.h"
#include "backends/emulator/schedule.h"
#include "backends/kernels/census.h"
#include "backends/kernels/host_launcher.h"

#include <memory>
#include <vector>

namespace ts::emulator {

/// Memory aligned for tasks, shared memory and locals.
class Scratch {
public:
  explicit Scratch(size_t bytes);
  std::byte* data() const { return data_.get(); }

private:
  struct Delete {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Delete> data_;
};

/// A launch with a copy of its task.
struct Launch {
  kernels::FlatKernel flat;   ///< forward is null for a block launch
  kernels::BlockKernel block; ///< run is null for a flat launch
  Scratch task;
};

/// The Launcher a call is planned with: checks each launch against the device's limits and keeps it.
class Recorder final : public kernels::HostLauncher {
public:
  Recorder(const Profile& profile, Memory& memory) : profile_(profile), memory_(memory) {}
  ~Recorder() override;

  void launch(const kernels::FlatKernel& kernel) override;
  void launch(const kernels::BlockKernel& kernel) override;
  kernels::IndexFault* fault() override;

  /// Runs everything that was recorded, in order.
  void run(const Schedule& schedule, kernels::Census& census);

  /// After run: the fault cell, null where the call has none.
  const kernels::IndexFault* found_fault() const;
  /// After run: a sentence about a block that wrote past its shared memory, "" for none.
  const std::string& damage() const { return damage_; }

private:
  void run_flat(const Launch& launch, const Schedule& schedule);
  void run_blocks(const Launch& launch, const Schedule& schedule);
  void run_observed(const Launch& launch, const Schedule& schedule, const void* frame);

  const Profile& profile_;
  Memory& memory_;
  std::byte* fault_ = nullptr;
  std::vector<Launch> launches_;
  std::string damage_;
};

} // namespace ts::emulator
