// The transaction lint: how a warp's accesses become transactions of the memory system. Counts for each place in the source
// how many sectors of 32 bytes its warps touch against the least that hold the bytes, and how often the banks of shared
// memory make a warp wait.
#pragma once

#include "backends/emulator/checked/state.h"
#include "backends/emulator/memory.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace ts::emulator::checked {

/// One access of one thread: a power of two of bytes up to 16, aligned to its size, as a device's instruction makes it.
struct Step {
  uint64_t offset; ///< of its first byte in the device's memory, or in the block's shared memory
  uint32_t site;
  uint32_t operand; ///< number of a name, for global memory
  uint16_t thread;  ///< of its block; of the 256 items that run like one in a flat launch
  uint8_t bytes;
  Access access;
  bool shared;
};

/// What became of the accesses of a place.
struct Traffic {
  uint64_t requests = 0;  ///< instructions of a warp
  uint64_t lanes = 0;     ///< accesses in them
  uint64_t sectors = 0;   ///< of 32 bytes, of global memory
  uint64_t least = 0;     ///< sectors that would hold the bytes touched
  uint64_t conflicts = 0; ///< turns more than one that the banks of shared memory took
  Traffic& operator+=(const Traffic& other);
  bool operator==(const Traffic&) const = default;
};

/// One instruction of one warp: its lanes' accesses to the same kind of memory.
Traffic count_request(const Step* lanes, size_t count);

/// A place of a kernel and what became of its accesses to one operand, or to shared memory.
struct TrafficRow {
  std::string kernel; ///< with its route
  std::string line;   ///< of source
  std::string memory; ///< "input 0", "shared memory", ..
  Access access;
  Traffic traffic;
  double ratio() const; ///< sectors against the least; 1 for shared memory
};

/// Rows of one kernel, line, memory and access become one; what wastes most comes first.
std::vector<TrafficRow> merged(std::vector<TrafficRow> rows);
/// A page to read.
std::string text_of(const std::vector<TrafficRow>& rows);
/// An object a line, for programs (`python3 -m tools.bench.traffic` prints the page of many).
std::string json_lines_of(const std::vector<TrafficRow>& rows);

/// The observer behind check=memory.
class TrafficMeter final : public Observer, private Tracer {
public:
  /// At its end it appends its rows to the file `page`, where that is not "". Throws where it cannot.
  TrafficMeter(const Memory& memory, const std::string& page);
  ~TrafficMeter() override;

  void allocated(const std::byte*, uint64_t) override {}
  void released(const std::byte*, uint64_t) override {}
  void written(const std::byte*, uint64_t) override {}
  void copied(const std::byte*, const std::byte*, uint64_t) override {}
  void begin_call(const std::vector<OperandFacts>& operands) override;
  void end_call(bool) override { operands_.clear(); }
  void begin_launch(const LaunchFacts& launch) override;
  void begin_block(int64_t block) override;
  void end_launch() override;
  std::string take_finding() override { return ""; }

  std::vector<TrafficRow> rows() const;

  /// From now on `each` is called with the steps of every phase of every block, before they are counted.
  void watch(void (*each)(void* context, int64_t block, const std::vector<Step>& steps), void* context) {
    each_ = each;
    context_ = context;
  }

private:
  using Place = std::tuple<std::string, uintptr_t, std::string, Access>; ///< kernel, code, memory

  void item(int64_t unit, int64_t thread) override;
  void phase() override;
  void thread(int64_t thread) override;
  void access(const Accessed& mine) override;
  uint32_t operand_of(const std::byte* address) const;
  std::string name_of(const Step& step) const;
  void count_steps();
  void count_site(const Step* first, const Step* last);

  const Memory& memory_;
  int page_ = -1; ///< the open file
  std::vector<OperandFacts> operands_;
  LaunchFacts launch_{};
  std::string kernel_;
  State* state_ = nullptr;
  int64_t block_ = -1;
  uint16_t thread_ = 0;
  std::vector<Step> steps_; ///< of the running phase
  std::map<Place, Traffic> places_;
  void (*each_)(void*, int64_t, const std::vector<Step>&) = nullptr;
  void* context_ = nullptr;
};

} // namespace ts::emulator::checked
