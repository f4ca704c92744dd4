// The observer of checked mode: keeps the shadow in step with the device, and turns what hooks find into reports.
#pragma once

#include "backends/emulator/checked/report.h"
#include "backends/emulator/checked/settings.h"
#include "backends/emulator/checked/shadow.h"
#include "backends/emulator/memory.h"

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace ts::emulator::checked {

class Checker final : public Observer, private Findings {
public:
  Checker(const CheckSettings& settings, const Memory& memory);

  void allocated(const std::byte* data, uint64_t bytes) override;
  void released(const std::byte* data, uint64_t bytes) override;
  void written(const std::byte* data, uint64_t bytes) override;
  void copied(const std::byte* data, const std::byte* source, uint64_t bytes) override;
  void begin_call(const std::vector<OperandFacts>& operands) override;
  void end_call(bool complete) override;
  void begin_launch(const LaunchFacts& launch) override;
  void begin_block(int64_t block) override;
  void end_launch() override;
  std::string take_finding() override;

  /// What was found since the checker began or since clear, in order; each pair of places once.
  const std::vector<Report>& reports() const { return reports_; }
  void clear();

  /// Starts at another phase, so that a test need not run all of them.
  void skip_phases(uint64_t phases) { next_phase_ += phases; }

private:
  struct Allocation {
    uint64_t offset, bytes;
  };
  struct Unit {
    uint64_t phase;
    int64_t block;
  };
  using Pair = std::tuple<Kind, uintptr_t, uintptr_t, std::string>; ///< two sites, and the kernel
  // From the hooks.
  void unit(int64_t block, uint64_t phase) override;
  bool conflict(const Accessed& mine, Cell other, Cell kinds, uint32_t site) override;
  bool stray(const Accessed& mine, bool valid) override;
  bool unwritten(const Accessed& mine) override;
  bool outside(const Accessed& mine) override;
  bool waits(const Accessed& mine) override;

  void add_ranges();
  void add_all_but_private();
  Range locals_of_launch() const;
  void add_range_of(const std::byte* pointer);
  bool is_output_alone(const OperandFacts& operand) const;
  void check_outputs();
  WorkItem item_of(Cell place) const;
  bool is_counted(Kind kind, uint32_t site, uint32_t other_site = 0);
  Report describe(Kind kind, const Accessed& mine) const;
  void describe_place(const Accessed& mine, Report* report) const;
  void describe_operand(const OperandFacts& operand, uint64_t offset, Report* report) const;
  void describe_far(uintptr_t address, Report* report) const;
  uintptr_t code_of(uint32_t site) const;
  void add(Report report);
  std::optional<Allocation> allocation_at(uint64_t offset) const;
  std::optional<Allocation> nearest_allocation(uint64_t offset) const;
  std::optional<Allocation> released_at(uint64_t offset) const;

  CheckSettings settings_;
  const Memory& memory_;
  Shadow shadow_;
  std::map<uint64_t, uint64_t> allocations_; ///< what is live: bytes by offset
  std::vector<Allocation> released_;         ///< the last ones, in a ring
  size_t next_released_ = 0;
  std::vector<OperandFacts> operands_; ///< of the running call
  bool in_call_ = false;
  LaunchFacts launch_{};
  std::string kernel_;     ///< of the running launch, or the last of the call; with its route
  State* state_ = nullptr; ///< of the running launch
  std::vector<Range> ranges_;
  std::vector<Unit> units_; ///< of the running launch, in the order they ran
  uint64_t next_phase_ = 1;
  std::vector<Report> reports_;
  std::map<Pair, size_t, std::less<>> known_; ///< where in reports_
};

/// Who watches a device: a checker, or the transaction lint.
std::unique_ptr<Observer> make_observer(const CheckSettings& settings, const Memory& memory);

} // namespace ts::emulator::checked
