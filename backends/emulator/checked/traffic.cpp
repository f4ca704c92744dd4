#include "backends/emulator/checked/traffic.h"

#include "backends/emulator/checked/host_memory.h"
#include "backends/emulator/checked/symbols.h"
#include "backends/emulator/checked/views.h"
#include "backends/kernels/task.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ts::emulator::checked {

namespace {

constexpr uint64_t kSectorBytes = 32, kBankBytes = 4, kBanks = 32, kWidest = 16;
constexpr uint32_t kNoOperand = UINT32_MAX;

int warp_of(const Step& step) { return step.thread / kernels::kWarp; }

// Distinct values of up to a few hundred.
template <class Values> uint64_t distinct(Values& values) {
  std::sort(values.begin(), values.end());
  return static_cast<uint64_t>(std::unique(values.begin(), values.end()) - values.begin());
}

uint64_t bytes_touched(const Step* lanes, size_t count) {
  std::vector<std::pair<uint64_t, uint64_t>> stretches;
  for (size_t k = 0; k < count; ++k) stretches.emplace_back(lanes[k].offset, lanes[k].offset + lanes[k].bytes);
  std::sort(stretches.begin(), stretches.end());
  uint64_t bytes = 0, end = 0;
  for (const auto& [first, last] : stretches) {
    if (last <= end) continue;
    bytes += last - std::max(first, end);
    end = last;
  }
  return bytes;
}

// The lanes that shared memory serves together: 32 of up to 4 bytes, 16 of 8, 8 of 16. A bank gives one word a turn, to
// whoever asks for it.
uint64_t turns_of(const Step* lanes, size_t count) {
  std::vector<uint64_t> words;
  for (size_t k = 0; k < count; ++k)
    for (uint64_t word = lanes[k].offset / kBankBytes; word * kBankBytes < lanes[k].offset + lanes[k].bytes; ++word)
      words.push_back(word);
  words.resize(distinct(words));
  std::array<uint64_t, kBanks> of_bank{};
  for (const uint64_t word : words) ++of_bank[word % kBanks];
  return *std::max_element(of_bank.begin(), of_bank.end());
}

} // namespace

Traffic& Traffic::operator+=(const Traffic& other) {
  requests += other.requests;
  lanes += other.lanes;
  sectors += other.sectors;
  least += other.least;
  conflicts += other.conflicts;
  return *this;
}

Traffic count_request(const Step* lanes, size_t count) {
  Traffic traffic;
  traffic.requests = 1;
  traffic.lanes = count;
  if (!lanes->shared) {
    std::vector<uint64_t> sectors;
    for (size_t k = 0; k < count; ++k) sectors.push_back(lanes[k].offset / kSectorBytes);
    traffic.sectors = distinct(sectors);
    traffic.least = (bytes_touched(lanes, count) + kSectorBytes - 1) / kSectorBytes;
    return traffic;
  }
  uint64_t widest = kBankBytes;
  for (size_t k = 0; k < count; ++k) widest = std::max<uint64_t>(widest, lanes[k].bytes);
  const int together = static_cast<int>(kBanks * kBankBytes / widest);
  for (size_t first = 0, last = 0; first < count; first = last) {
    while (last < count && lanes[last].thread / together == lanes[first].thread / together) ++last;
    traffic.conflicts += turns_of(lanes + first, last - first) - 1;
  }
  return traffic;
}

void TrafficMeter::begin_call(const std::vector<OperandFacts>& operands) { operands_ = operands; }

void TrafficMeter::begin_launch(const LaunchFacts& launch) {
  launch_ = launch;
  kernel_ = launch.kernel;
  if (launch.route[0] != '\0') kernel_ += std::string("/") + launch.route;
  block_ = -1;
  steps_.clear();
  state_ = launch.instrumentation->state();
  state_->stack = stack_below(launch.frame);
  state_->arguments = reinterpret_cast<uintptr_t>(launch.task);
  state_->argument_bytes = launch.task_bytes;
  state_->armed_tracer = this;
}

void TrafficMeter::begin_block(int64_t block) {
  count_steps();
  block_ = block;
}

void TrafficMeter::end_launch() {
  state_->armed_tracer = state_->tracer = nullptr;
  state_->argument_bytes = 0;
  count_steps();
}

void TrafficMeter::item(int64_t unit, int64_t thread) {
  if (unit != block_) count_steps();
  block_ = unit;
  thread_ = static_cast<uint16_t>(thread);
}

void TrafficMeter::phase() { count_steps(); }

void TrafficMeter::thread(int64_t thread) { thread_ = static_cast<uint16_t>(thread); }

uint32_t TrafficMeter::operand_of(const std::byte* address) const {
  for (size_t k = 0; k < operands_.size(); ++k)
    if (view_count(operands_[k].view) > 0 && contains(reach_of_view(operands_[k].view), address))
      return static_cast<uint32_t>(k);
  return kNoOperand;
}

void TrafficMeter::access(const Accessed& mine) {
  const auto base = reinterpret_cast<uintptr_t>(memory_.kernel_base());
  if (mine.address - base >= memory_.size()) return; // constants, the host's
  const std::byte* address = memory_.kernel_base() + (mine.address - base);
  if (launch_.locals != nullptr && address >= launch_.locals &&
      address < launch_.locals + launch_.local_bytes * static_cast<uint64_t>(launch_.threads))
    return; // registers
  Step step{};
  step.site = mine.site;
  step.thread = thread_;
  step.access = mine.access;
  step.shared =
      launch_.shared != nullptr && address >= launch_.shared && address < launch_.shared + launch_.shared_bytes;
  step.operand = step.shared ? kNoOperand : operand_of(address);
  const uint64_t start = static_cast<uint64_t>(address - (step.shared ? launch_.shared : memory_.kernel_base()));
  // In pieces as instructions have them: powers of two, aligned.
  for (uint64_t done = 0; done < mine.bytes; done += step.bytes) {
    step.offset = start + done;
    uint64_t bytes = kWidest;
    while (bytes > mine.bytes - done || step.offset % bytes != 0) bytes /= 2;
    step.bytes = static_cast<uint8_t>(bytes);
    steps_.push_back(step);
  }
}

std::string TrafficMeter::name_of(const Step& step) const {
  if (step.shared) return "shared memory";
  return step.operand == kNoOperand ? "other memory" : operands_[step.operand].name;
}

// The n-th time that the lanes of a warp come to a place in a phase is one instruction.
void TrafficMeter::count_steps() {
  if (steps_.empty()) return;
  if (each_ != nullptr) each_(context_, block_, steps_);
  std::stable_sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) {
    return std::tuple(warp_of(a), a.site, a.thread) < std::tuple(warp_of(b), b.site, b.thread);
  });
  const Step* end = steps_.data() + steps_.size();
  for (const Step *first = steps_.data(), *last = first; first != end; first = last) {
    while (last != end && warp_of(*last) == warp_of(*first) && last->site == first->site) ++last;
    count_site(first, last);
  }
  steps_.clear();
}

void TrafficMeter::count_site(const Step* first, const Step* last) {
  std::vector<std::pair<const Step*, const Step*>> lanes; // of each thread, what is not counted yet
  for (const Step *begin = first, *end = first; begin != last; begin = end) {
    while (end != last && end->thread == begin->thread) ++end;
    lanes.emplace_back(begin, end);
  }
  std::map<std::string, Traffic> by_name;
  std::vector<Step> request[2]; // of global and of shared memory
  for (bool more = true; more;) {
    more = false;
    for (auto& [next, end] : lanes) {
      if (next == end) continue;
      more = true;
      request[next->shared ? 1 : 0].push_back(*next);
      ++next;
    }
    for (std::vector<Step>& one : request) {
      if (one.empty()) continue;
      by_name[name_of(one.front())] += count_request(one.data(), one.size());
      one.clear();
    }
  }
  const uintptr_t code = launch_.instrumentation->image() + first->site;
  for (const auto& [name, traffic] : by_name) places_[{kernel_, code, name, first->access}] += traffic;
}

std::vector<TrafficRow> TrafficMeter::rows() const {
  std::vector<TrafficRow> rows;
  for (const auto& [place, traffic] : places_) {
    const auto& [kernel, code, memory, access] = place;
    rows.push_back({kernel, source_line(code), memory, access, traffic});
  }
  return merged(std::move(rows));
}

} // namespace ts::emulator::checked
