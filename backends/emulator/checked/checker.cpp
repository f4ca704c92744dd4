#include "backends/emulator/checked/checker.h"

#include "backends/emulator/checked/host_memory.h"
#include "backends/emulator/checked/traffic.h"
#include "backends/emulator/checked/views.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ts::emulator::checked {

namespace {

constexpr int64_t kUnitItems = 256; // of a flat launch; as the hooks have it
constexpr size_t kReportsMax = 1000;
constexpr size_t kReleasedMax = 1024;
constexpr uint64_t kNullBytes = 1 << 16;          // from address 0 on
constexpr uint64_t kFarBytes = uint64_t{1} << 40; // farther from an operand, it is no index that went wrong

} // namespace

std::unique_ptr<Observer> make_observer(const CheckSettings& settings, const Memory& memory) {
  if (settings.memory) return std::make_unique<TrafficMeter>(memory, settings.page);
  return std::make_unique<Checker>(settings, memory);
}

Checker::Checker(const CheckSettings& settings, const Memory& memory)
    : settings_(settings), memory_(memory),
      shadow_(memory.kernel_base(), settings.any_check() ? memory.size() : uint64_t{kGranule} * 1024),
      released_(kReleasedMax) {}

// Memory.

void Checker::allocated(const std::byte* data, uint64_t bytes) {
  if (!settings_.any_check()) return;
  const uint64_t offset = shadow_.offset(data);
  allocations_[offset] = bytes;
  shadow_.renew(offset, bytes, true);
}

void Checker::released(const std::byte* data, uint64_t bytes) {
  if (!settings_.any_check()) return;
  const uint64_t offset = shadow_.offset(data);
  allocations_.erase(offset);
  released_[next_released_++ % kReleasedMax] = {offset, bytes};
  shadow_.renew(offset, bytes, false);
}

void Checker::written(const std::byte* data, uint64_t bytes) {
  if (settings_.any_check()) shadow_.set_written(shadow_.offset(data), bytes, true);
}

void Checker::copied(const std::byte* data, const std::byte* source, uint64_t bytes) {
  if (settings_.any_check()) shadow_.copy_written(shadow_.offset(data), shadow_.offset(source), bytes);
}

// Calls.

bool Checker::is_output_alone(const OperandFacts& operand) const {
  if (operand.role != Role::out || view_count(operand.view) == 0) return false;
  return std::none_of(operands_.begin(), operands_.end(), [&](const OperandFacts& other) {
    return other.role != Role::out && overlap(reach_of_view(operand.view), reach_of_view(other.view));
  });
}

void Checker::begin_call(const std::vector<OperandFacts>& operands) {
  in_call_ = true;
  operands_ = operands;
  kernel_ = "the call";
  if (!settings_.init) return;
  // What outputs and the workspace hold before a call is nothing to rely on. // backend.29
  for (const OperandFacts& operand : operands_)
    if (operand.role == Role::workspace || is_output_alone(operand))
      for_each_run(operand.view, [&](const std::byte* data, uint64_t bytes) {
        shadow_.set_written(shadow_.offset(data), bytes, false);
        return true;
      });
}

// Every element of every output is written. // backend.28
void Checker::check_outputs() {
  for (const OperandFacts& operand : operands_) {
    if (!is_output_alone(operand)) continue;
    const std::byte* missing = nullptr;
    const auto itemsize = static_cast<uint64_t>(item_bytes(operand.view.dtype));
    for_each_run(operand.view, [&](const std::byte* data, uint64_t bytes) {
      if (shadow_.is_written(shadow_.offset(data), bytes)) return true;
      for (missing = data; shadow_.is_written(shadow_.offset(missing), itemsize);) missing += itemsize;
      return false;
    });
    if (missing == nullptr) continue;
    Report report;
    report.kind = Kind::output_unwritten;
    report.kernel = kernel_;
    describe_operand(operand, shadow_.offset(missing), &report);
    add(report);
  }
}

void Checker::end_call(bool complete) {
  if (settings_.init) {
    if (complete && reports_.empty()) check_outputs();
    for (const OperandFacts& operand : operands_)
      if (operand.role == Role::out)
        for_each_run(operand.view, [&](const std::byte* data, uint64_t bytes) {
          shadow_.set_written(shadow_.offset(data), bytes, true);
          return true;
        });
  }
  operands_.clear();
  in_call_ = false;
  launch_ = {};
}

// Launches.

void Checker::add_range_of(const std::byte* pointer) {
  const uint64_t offset = shadow_.offset(pointer);
  std::optional<Allocation> allocation = allocation_at(offset);
  if (!allocation) { // it may stand a little before the first element, or behind the last
    allocation = nearest_allocation(offset);
    if (!allocation || offset + kGuardBytes <= allocation->offset ||
        offset >= allocation->offset + allocation->bytes + kGuardBytes)
      return;
  }
  const uint64_t low = allocation->offset;
  const bool known = std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) { return range.low == low; });
  const bool operand = std::any_of(operands_.begin(), operands_.end(), [&](const OperandFacts& facts) {
    if (facts.role == Role::named) return false;
    return shadow_.offset(facts.buffer) == low || (shadow_.offset(facts.buffer) - low < allocation->bytes);
  });
  if (!known && !operand) ranges_.push_back({low, allocation->bytes});
}

// All memory, but what is its blocks' own.
void Checker::add_all_but_private() {
  std::vector<Range> own;
  if (launch_.shared_bytes > 0) own.push_back({shadow_.offset(launch_.shared), launch_.shared_bytes});
  if (launch_.locals != nullptr) own.push_back(locals_of_launch());
  std::sort(own.begin(), own.end(), [](const Range& a, const Range& b) { return a.low < b.low; });
  uint64_t from = 0;
  for (const Range& range : own) {
    ranges_.push_back({from, range.low - from});
    from = range.low + range.bytes;
  }
  ranges_.push_back({from, shadow_.map().bytes - from});
}

Range Checker::locals_of_launch() const {
  const uint64_t low = shadow_.offset(launch_.locals);
  return {low, allocation_at(low)->bytes};
}

// What the running launch may touch beside its blocks' own memory: the operands of its call, and other allocations it was
// told of.
void Checker::add_ranges() {
  ranges_.clear();
  if (!settings_.bounds) {
    add_all_but_private();
    return;
  }
  for (const OperandFacts& operand : operands_) {
    if (view_count(operand.view) == 0 || operand.role == Role::named) continue;
    const ByteReach reach = reach_of_view(operand.view);
    ranges_.push_back({shadow_.offset(reach.low), static_cast<uint64_t>(reach.high - reach.low)});
  }
  for (size_t at = 0; at + sizeof(std::byte*) <= launch_.task_bytes; at += sizeof(std::byte*)) {
    const std::byte* word = nullptr;
    memcpy(&word, launch_.task + at, sizeof word);
    if (shadow_.offset(word) < shadow_.map().bytes) add_range_of(word);
  }
}

void Checker::begin_launch(const LaunchFacts& launch) {
  launch_ = launch;
  kernel_ = launch.kernel;
  if (launch.route[0] != '\0') kernel_ += std::string("/") + launch.route;
  state_ = launch.instrumentation->state();
  State& state = *state_;
  state.stack = stack_below(launch.frame);
  state.arguments = reinterpret_cast<uintptr_t>(launch.task);
  state.argument_bytes = launch.task_bytes;
  state.jitter = settings_.jitter;
  if (!settings_.any_check()) return;
  if (next_phase_ > kPhasesMax - (kPhasesMax >> 2)) {
    for (const auto& [offset, bytes] : allocations_) shadow_.forget_accesses(offset, bytes);
    next_phase_ = 1;
  }
  add_ranges();
  units_.clear();
  state.base = shadow_.map().base;
  state.armed = shadow_.map().bytes;
  state.granules = shadow_.map().granules;
  state.single_bytes = shadow_.map().single_bytes;
  state.ranges = ranges_.data();
  state.range_count = static_cast<int>(ranges_.size());
  for (Range& hit : state.hit) hit = {};
  state.shared = state.locals = {};
  if (launch.shared_bytes > 0) state.shared = {shadow_.offset(launch.shared), launch.shared_bytes};
  if (launch.locals != nullptr) state.locals = locals_of_launch();
  state.local_bytes = launch.local_bytes;
  state.findings = this;
  state.next_phase = next_phase_;
  state.moment = {};
  state.moment.launch = next_phase_ << kPhaseShift;
  state.block = -1;
}

void Checker::begin_block(int64_t block) {
  if (!settings_.any_check()) return;
  state_->block = block;
  state_->moment.block = state_->next_phase << kPhaseShift;
  unit(block, state_->next_phase);
}

void Checker::end_launch() {
  if (settings_.any_check()) next_phase_ = state_->next_phase;
  state_->armed = state_->window = state_->jitter = 0;
  state_->findings = nullptr;
}

void Checker::unit(int64_t block, uint64_t phase) { units_.push_back({phase, block}); }

// Findings.

WorkItem Checker::item_of(Cell place) const {
  WorkItem item;
  const uint64_t phase = phase_of(place);
  auto unit = std::upper_bound(units_.begin(), units_.end(), phase,
                               [](uint64_t value, const Unit& at) { return value < at.phase; });
  if (place == 0 || unit == units_.begin()) return item;
  --unit;
  item.known = true;
  item.flat = launch_.locals == nullptr;
  item.block = unit->block;
  item.thread = thread_of(place);
  item.phase = static_cast<int64_t>(phase - unit->phase);
  item.item = unit->block * kUnitItems + item.thread;
  return item;
}

uintptr_t Checker::code_of(uint32_t site) const { return site == 0 ? 0 : launch_.instrumentation->image() + site; }

// Whether a pair of places was met before, or there are too many: it is counted, and nothing more of it is described.
bool Checker::is_counted(Kind kind, uint32_t site, uint32_t other_site) {
  const uintptr_t code = code_of(site), other_code = code_of(other_site);
  const auto known = known_.find(std::tie(kind, code, other_code, kernel_));
  if (known != known_.end()) ++reports_[known->second].times;
  return known != known_.end() || reports_.size() == kReportsMax;
}

Report Checker::describe(Kind kind, const Accessed& mine) const {
  Report report;
  report.kind = kind;
  report.kernel = kernel_;
  report.mine = item_of(state_->moment.place);
  report.access = mine.access;
  report.bytes = mine.bytes;
  report.site = code_of(mine.site);
  return report;
}

bool Checker::conflict(const Accessed& mine, Cell other, Cell kinds, uint32_t site) {
  if (!settings_.race) return false;
  // Of what the other work item did, that which conflicts.
  Access theirs = kRead;
  if ((kinds & kind_bit(kWrite)) != 0)
    theirs = kWrite;
  else if ((kinds & kind_bit(kAtomic)) != 0 && mine.access != kAtomic)
    theirs = kAtomic;
  Kind kind = Kind::read_write;
  if (mine.access == kAtomic || theirs == kAtomic) kind = Kind::mixed_atomic;
  if (mine.access == kWrite && theirs == kWrite) kind = Kind::write_write;
  if (is_counted(kind, mine.site, site)) return false;
  Report report = describe(kind, mine);
  describe_place(mine, &report);
  report.other = item_of(other);
  report.other_access = theirs;
  report.other_site = code_of(site);
  add(report);
  return false;
}

bool Checker::stray(const Accessed& mine, bool valid) {
  if (!settings_.bounds) return false;
  const bool released = !valid && released_at(mine.address - shadow_.map().base).has_value();
  const Kind kind = released ? Kind::after_release : Kind::out_of_bounds;
  if (is_counted(kind, mine.site)) return true;
  Report report = describe(kind, mine);
  describe_place(mine, &report);
  add(report);
  return true;
}

bool Checker::unwritten(const Accessed& mine) {
  if (!settings_.init || is_counted(Kind::unwritten, mine.site)) return false;
  Report report = describe(Kind::unwritten, mine);
  describe_place(mine, &report);
  add(report);
  return false;
}

// Where nothing is, and where arenas are, an index went out of bounds; whatever else is mapped is the host's.
bool Checker::outside(const Accessed& mine) {
  if (!settings_.host && !settings_.bounds) return false;
  if (mine.access == kRead && is_constant(mine.address)) return false;
  const bool arguments = mine.address - state_->arguments < state_->argument_bytes;
  const bool nothing = Memory::is_among_arenas(mine.address) || !is_mapped(mine.address);
  const Kind kind = arguments                   ? Kind::arguments_written
                    : mine.address < kNullBytes ? Kind::null_address
                    : nothing                   ? Kind::out_of_bounds
                                                : Kind::host_memory;
  if (!settings_.host && kind != Kind::out_of_bounds) return false;
  if (is_counted(kind, mine.site)) return true;
  Report report = describe(kind, mine);
  const bool device = memory_.is_device_address(shadow_.pointer(mine.address));
  if (kind == Kind::out_of_bounds)
    describe_far(mine.address, &report);
  else
    report.memory = arguments ? "byte " + std::to_string(mine.address - state_->arguments) + " of its task"
                    : mine.address < kNullBytes ? "address " + std::to_string(mine.address)
                    : device                    ? "a device address that did not arrive as an argument"
                                                : "memory of the host";
  add(report);
  return true;
}

bool Checker::waits(const Accessed& mine) {
  if (!settings_.race) return false;
  if (is_counted(Kind::waiting, mine.site)) return true;
  Report report = describe(Kind::waiting, mine);
  if (mine.bytes > 0)
    describe_place(mine, &report);
  else
    report.memory = "memory"; // a fence names no place
  add(report);
  return true;
}

std::optional<Checker::Allocation> Checker::allocation_at(uint64_t offset) const {
  const auto next = allocations_.upper_bound(offset);
  if (next == allocations_.begin()) return std::nullopt;
  const auto& [low, bytes] = *std::prev(next);
  return offset - low < bytes ? std::optional(Allocation{low, bytes}) : std::nullopt;
}

// Of a place between allocations: the one whose end or beginning lies nearer.
std::optional<Checker::Allocation> Checker::nearest_allocation(uint64_t offset) const {
  const auto next = allocations_.upper_bound(offset);
  std::optional<Allocation> nearest;
  if (next != allocations_.end()) nearest = {next->first, next->second};
  if (next == allocations_.begin()) return nearest;
  const auto& [low, bytes] = *std::prev(next);
  if (!nearest || offset - low - bytes < nearest->offset - offset) nearest = {low, bytes};
  return nearest;
}

// The last allocation that held a place and was given back.
std::optional<Checker::Allocation> Checker::released_at(uint64_t offset) const {
  for (size_t back = 1; back <= kReleasedMax; ++back) {
    const Allocation& one = released_[(next_released_ - back) % kReleasedMax];
    if (offset - one.offset < one.bytes) return one;
  }
  return std::nullopt;
}

void Checker::describe_operand(const OperandFacts& operand, uint64_t offset, Report* report) const {
  const auto* address = shadow_.pointer(shadow_.map().base + offset);
  report->memory = operand.name;
  report->place = element_text(operand.view, address);
  if (report->place.empty()) report->place = "byte " + std::to_string(address - operand.buffer);
}

// Whose memory it is: the block's own, an operand's, an allocation's, or how far from the nearest.
void Checker::describe_place(const Accessed& mine, Report* report) const {
  const uint64_t offset = mine.address - shadow_.map().base;
  const std::optional<Allocation> live = allocation_at(offset);
  const std::optional<Allocation> allocation = live ? live : released_at(offset);
  if (launch_.shared != nullptr && offset - shadow_.offset(launch_.shared) < launch_.shared_bytes) {
    report->memory = "shared memory";
    report->place = "byte " + std::to_string(offset - shadow_.offset(launch_.shared));
    return;
  }
  if (launch_.locals != nullptr && live && live->offset == shadow_.offset(launch_.locals)) {
    const uint64_t byte = offset - live->offset;
    report->memory = "the locals of thread " + std::to_string(byte / launch_.local_bytes);
    report->place = "byte " + std::to_string(byte % launch_.local_bytes);
    return;
  }
  const auto* address = shadow_.pointer(mine.address);
  for (const OperandFacts& operand : operands_) {
    if (view_count(operand.view) == 0 || !contains(reach_of_view(operand.view), address)) continue;
    return describe_operand(operand, offset, report);
  }
  if (allocation) {
    report->memory = std::string(live ? "" : "released ") + "buffer of " + std::to_string(allocation->bytes) + " bytes";
    for (const OperandFacts& operand : operands_)
      if (shadow_.offset(operand.buffer) - allocation->offset < allocation->bytes)
        report->memory = "the buffer of " + operand.name + ", outside its elements";
    report->place = "byte " + std::to_string(offset - allocation->offset);
    return;
  }
  // Between allocations: past the end of the one before, or before the next.
  const std::optional<Allocation> nearest = nearest_allocation(offset);
  if (!nearest) {
    report->memory = "memory that was never allocated";
    return;
  }
  report->place = offset >= nearest->offset ? "byte " + std::to_string(offset - nearest->offset)
                                            : "byte -" + std::to_string(nearest->offset - offset);
  report->memory = "a buffer of " + std::to_string(nearest->bytes) + " bytes";
  if (launch_.shared != nullptr && nearest->offset == shadow_.offset(launch_.shared))
    report->memory = "shared memory of " + std::to_string(launch_.shared_bytes) + " bytes";
  if (launch_.locals != nullptr && nearest->offset == shadow_.offset(launch_.locals))
    report->memory = "the locals of " + std::to_string(nearest->bytes / launch_.local_bytes) + " threads, " +
                     std::to_string(nearest->bytes) + " bytes";
  for (const OperandFacts& operand : operands_)
    if (shadow_.offset(operand.buffer) == nearest->offset)
      report->memory = operand.name + ", whose buffer has " + std::to_string(nearest->bytes) + " bytes";
}

// Far from all memory of the device: whose element it would be, counted from where its buffer begins.
void Checker::describe_far(uintptr_t address, Report* report) const {
  const OperandFacts* nearest = nullptr;
  int64_t distance = 0;
  for (const OperandFacts& operand : operands_) {
    const uint64_t first = shadow_.offset(operand.view.data);
    if (std::none_of(ranges_.begin(), ranges_.end(), [&](const Range& range) { return range.holds(first); })) continue;
    const auto apart = static_cast<int64_t>(address - shadow_.map().base - shadow_.offset(operand.buffer));
    if (nearest != nullptr && std::abs(apart) >= std::abs(distance)) continue;
    nearest = &operand;
    distance = apart;
  }
  const std::optional<Allocation> buffer =
      nearest == nullptr ? std::nullopt : allocation_at(shadow_.offset(nearest->buffer));
  if (!buffer || static_cast<uint64_t>(std::abs(distance)) >= kFarBytes) {
    char text[64];
    std::snprintf(text, sizeof text, "address 0x%zx, where no memory is", static_cast<size_t>(address));
    report->memory = text;
    return;
  }
  const int64_t itemsize = item_bytes(nearest->view.dtype);
  report->place =
      distance % itemsize == 0 ? "element " + std::to_string(distance / itemsize) : "byte " + std::to_string(distance);
  report->memory = nearest->name + ", whose buffer has " + std::to_string(buffer->bytes) + " bytes";
}

void Checker::add(Report report) {
  if (reports_.size() == kReportsMax) return;
  known_.emplace(Pair{report.kind, report.site, report.other_site, report.kernel}, reports_.size());
  reports_.push_back(std::move(report));
}

std::string Checker::take_finding() {
  if (reports_.empty()) return "";
  std::string text = text_of(reports_.front());
  if (reports_.size() > 1) text += " (and " + std::to_string(reports_.size() - 1) + " more)";
  clear();
  return text;
}

void Checker::clear() {
  reports_.clear();
  known_.clear();
}

} // namespace ts::emulator::checked
