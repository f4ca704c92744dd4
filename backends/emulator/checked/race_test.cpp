// The verdict on races, against brute force over all pairs of accesses, for random launches with blocks and phases. The
// hooks are called as instrumented code would. TS_RACE_LAUNCHES says how many launches; each report's pair must be real.
#include "backends/emulator/checked/checker.h"
#include "backends/kernels/host_launcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

// NOLINTBEGIN(bugprone-reserved-identifier): the hooks as compilers call them.
extern "C" {
void __tsan_read1(void*);
void __tsan_read2(void*);
void __tsan_read4(void*);
void __tsan_unaligned_read4(void*);
void __tsan_read8(void*);
void __tsan_read_range(void*, size_t);
void __tsan_write1(void*);
void __tsan_write2(void*);
void __tsan_write4(void*);
void __tsan_unaligned_write4(void*);
void __tsan_write8(void*);
void __tsan_write_range(void*, size_t);
uint8_t __tsan_atomic8_fetch_add(volatile uint8_t*, uint8_t, int);
uint16_t __tsan_atomic16_fetch_add(volatile uint16_t*, uint16_t, int);
uint32_t __tsan_atomic32_fetch_add(volatile uint32_t*, uint32_t, int);
uint64_t __tsan_atomic64_fetch_add(volatile uint64_t*, uint64_t, int);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace ts::kernels {
extern const Instrumentation kInstrumentation;
void run_instrumented_items(int64_t, int64_t, int64_t, void (*)(const void*, int64_t), const void*);
void run_instrumented_threads(const ThreadOrder&, int64_t, void (*)(void*, int64_t), void*);
void run_instrumented_once(void (*)(void*), void*);
} // namespace ts::kernels

namespace ts::emulator::checked {
namespace {

constexpr int kBytes = 32; // of memory that launches fight for, global and shared each

struct Random {
  uint64_t state;
  uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
  int below(int n) { return static_cast<int>((next() >> 20) % static_cast<uint64_t>(n)); }
};

struct Step {
  int64_t block;
  int phase, thread;
  Access access;
  bool shared;
  int byte, bytes;
  bool once; ///< for all threads, by thread 0, before they begin with the phase
};

void perform(const Step& step, std::byte* global, std::byte* shared) {
  std::byte* p = (step.shared ? shared : global) + step.byte;
  if (step.access == kAtomic) {
    switch (step.bytes) {
      case 1: __tsan_atomic8_fetch_add(reinterpret_cast<uint8_t*>(p), 1, 0); return;
      case 2: __tsan_atomic16_fetch_add(reinterpret_cast<uint16_t*>(p), 1, 0); return;
      case 4: __tsan_atomic32_fetch_add(reinterpret_cast<uint32_t*>(p), 1, 0); return;
      default: __tsan_atomic64_fetch_add(reinterpret_cast<uint64_t*>(p), 1, 0); return;
    }
  }
  const bool read = step.access == kRead;
  switch (step.bytes) {
    case 1: return read ? __tsan_read1(p) : __tsan_write1(p);
    case 2: return read ? __tsan_read2(p) : __tsan_write2(p);
    case 4:
      if (step.byte % 4 != 0) return read ? __tsan_unaligned_read4(p) : __tsan_unaligned_write4(p);
      return read ? __tsan_read4(p) : __tsan_write4(p);
    case 8: return read ? __tsan_read8(p) : __tsan_write8(p);
    default:
      return read ? __tsan_read_range(p, static_cast<size_t>(step.bytes))
                  : __tsan_write_range(p, static_cast<size_t>(step.bytes));
  }
}

// The rule itself. // execution.14
bool conflict(const Step& a, const Step& b) {
  if (a.shared != b.shared || a.byte >= b.byte + b.bytes || b.byte >= a.byte + a.bytes) return false;
  if (a.block == b.block && a.thread == b.thread) return false;
  if (a.block == b.block && a.phase != b.phase) return false;
  if (a.shared && a.block != b.block) return false;
  return !(a.access == kRead && b.access == kRead) && !(a.access == kAtomic && b.access == kAtomic);
}

class Launches {
public:
  explicit Launches(uint64_t seed) : random_{seed}, memory_(1 << 20), checker_(only_races(), memory_) {
    memory_.observe(&checker_);
    renew();
  }

  /// One random launch; "" or what is wrong with the verdict.
  std::string once() {
    if (random_.below(1000) == 0) renew();
    if (random_.below(1000) == 0) checker_.skip_phases(kPhasesMax / 8); // their numbers run out now and then
    flat_ = random_.below(4) == 0;
    flat_ ? invent_flat() : invent_blocks();
    LaunchFacts facts{"random", "", &kernels::kInstrumentation, nullptr, 0, nullptr, 0,
                      nullptr,  0,  __builtin_frame_address(0)};
    if (!flat_) {
      facts.shared = shared_;
      facts.shared_bytes = kBytes;
      facts.locals = locals_;
      facts.local_bytes = 1;
    }
    checker_.clear();
    checker_.begin_launch(facts);
    flat_ ? run_flat() : run_blocks();
    checker_.end_launch();
    return judge();
  }
  int64_t racy = 0;

private:
  static CheckSettings only_races() {
    CheckSettings settings;
    settings.race = true;
    return settings;
  }
  void renew() {
    for (std::byte* old : {device_[0], device_[1], device_[2]})
      if (old != nullptr) memory_.release(old);
    memory_.flush_quarantine();
    for (int k = 0; k < 3; ++k) device_[k] = memory_.allocate(kBytes);
    global_ = memory_.reach(device_[0]);
    shared_ = memory_.reach(device_[1]);
    locals_ = memory_.reach(device_[2]);
  }

  void add_steps(int64_t block, int phase, int thread, bool with_shared, bool once = false) {
    static constexpr int kSizes[] = {1, 2, 4, 4, 4, 8, 12, 5};
    for (int k = random_.below(4); k > 0; --k) {
      Step step{block, phase, thread, static_cast<Access>(random_.below(3)), with_shared && random_.below(2) == 0,
                0,     0,     once};
      step.bytes = kSizes[random_.below(step.access == kAtomic ? 6 : 8)];
      const bool unaligned = step.bytes == 5 || (step.bytes == 4 && step.access != kAtomic && random_.below(4) == 0);
      const int align = unaligned ? 1 : step.bytes == 12 ? 4 : step.bytes;
      step.byte = random_.below((kBytes - step.bytes) / align + 1) * align;
      steps_.push_back(step);
    }
  }
  void invent_flat() {
    steps_.clear();
    const int items = 2 + random_.below(4), near = random_.below(2) == 0 ? 300 : 8;
    std::vector<int> chosen;
    for (int k = 0; k < items; ++k) {
      const int item = random_.below(near);
      if (std::find(chosen.begin(), chosen.end(), item) != chosen.end()) continue;
      chosen.push_back(item);
      add_steps(item / 256, 0, item % 256, false);
    }
  }
  void invent_blocks() {
    steps_.clear();
    const int blocks = 1 + random_.below(3), phases = 1 + random_.below(3), threads = 1 + random_.below(3);
    const int64_t first_block = random_.below(2) == 0 ? 0 : 1LL << 33;
    int ids[3] = {random_.below(1024), 0, 0};
    for (int k = 1; k < 3; ++k) ids[k] = (ids[k - 1] + 1 + random_.below(300)) % 1024;
    std::vector<int64_t> order;
    for (int b = 0; b < blocks; ++b) order.insert(order.begin() + random_.below(b + 1), first_block + b);
    for (const int64_t block : order)
      for (int phase = 0; phase <= phases; ++phase) { // no thread goes on after the last
        if (random_.below(4) == 0) add_steps(block, phase, 0, true, true);
        for (int t = 0; phase < phases && t < threads; ++t) add_steps(block, phase, ids[t], true);
      }
    phases_ = phases;
    blocks_ = order;
  }

  // Steps [first, last) are those of one work item in one phase.
  size_t end_of(size_t first) const {
    size_t last = first;
    const auto same = [&](const Step& a, const Step& b) {
      return a.block == b.block && a.phase == b.phase && a.thread == b.thread && a.once == b.once;
    };
    while (last < steps_.size() && same(steps_[last], steps_[first])) ++last;
    return last;
  }
  struct Part {
    const Launches* self;
    size_t first;
  };
  void run_flat() {
    for (size_t first = 0; first < steps_.size(); first = end_of(first)) {
      const Part part{this, first};
      kernels::run_instrumented_items(
          steps_[first].block * 256 + steps_[first].thread, 1, 1,
          [](const void* context, int64_t) {
            const Part& p = *static_cast<const Part*>(context);
            for (size_t k = p.first; k < p.self->end_of(p.first); ++k)
              perform(p.self->steps_[k], p.self->global_, p.self->shared_);
          },
          &part);
    }
  }
  void run_blocks() {
    size_t next = 0;
    for (const int64_t block : blocks_) {
      checker_.begin_block(block);
      for (int phase = 0; phase <= phases_; ++phase) {
        if (next < steps_.size() && steps_[next].block == block && steps_[next].phase == phase && steps_[next].once) {
          Part part{this, next};
          kernels::run_instrumented_once([](void* context) { run_thread(context, 0); }, &part);
          next = part.first;
        }
        if (phase == phases_) break;
        int32_t threads[3] = {};
        int count = 0;
        Part part{this, next};
        while (next < steps_.size() && steps_[next].block == block && steps_[next].phase == phase) {
          threads[count++] = steps_[next].thread;
          next = end_of(next);
        }
        kernels::run_instrumented_threads(kernels::ThreadOrder{0, 1, threads}, count, run_thread, &part);
      }
    }
  }
  static void run_thread(void* context, int64_t) {
    Part& part = *static_cast<Part*>(context);
    const size_t last = part.self->end_of(part.first);
    for (; part.first < last; ++part.first)
      perform(part.self->steps_[part.first], part.self->global_, part.self->shared_);
  }

  bool is(const WorkItem& item, const Step& step) const {
    if (item.flat) return item.item == step.block * 256 + step.thread;
    return item.block == step.block && item.thread == step.thread && item.phase == step.phase;
  }
  std::string judge() {
    bool wanted = false;
    for (size_t a = 0; a < steps_.size() && !wanted; ++a)
      for (size_t b = a + 1; b < steps_.size() && !wanted; ++b) wanted = conflict(steps_[a], steps_[b]);
    racy += wanted ? 1 : 0;
    if (wanted != !checker_.reports().empty()) return wanted ? "a race was missed" : "a race was made up";
    for (const Report& report : checker_.reports()) {
      bool real = false;
      for (const Step& a : steps_)
        for (const Step& b : steps_)
          real = real || (is(report.mine, a) && (!report.other.known || is(report.other, b)) &&
                          a.access == report.access && b.access == report.other_access && conflict(a, b));
      if (!real) return "no such pair: " + text_of(report);
      if (!report.other.known) ++unknown_;
    }
    return "";
  }

public:
  int64_t unknown_ = 0; ///< reports that name one work item only

private:
  Random random_;
  Memory memory_;
  Checker checker_;
  std::byte* device_[3] = {};
  std::byte *global_ = nullptr, *shared_ = nullptr, *locals_ = nullptr;
  std::vector<Step> steps_;
  std::vector<int64_t> blocks_;
  int phases_ = 1;
  bool flat_ = false;
};

TEST(RaceVerdict, EqualsBruteForceOverAllPairs) {
  // TS_CITES(execution.27, execution.14)
  const char* chosen = std::getenv("TS_RACE_LAUNCHES");
  const int64_t count = chosen != nullptr ? std::atoll(chosen) : 100'000;
  Launches launches(0x9e3779b97f4a7c15ULL + static_cast<uint64_t>(count));
  int64_t mismatches = 0;
  for (int64_t k = 0; k < count && mismatches < 10; ++k) {
    const std::string wrong = launches.once();
    if (wrong.empty()) continue;
    ++mismatches;
    ADD_FAILURE() << "launch " << k << ": " << wrong;
  }
  std::printf("%lld launches, %lld racy, %lld mismatches, %lld reports that name one work item only\n",
              static_cast<long long>(count), static_cast<long long>(launches.racy), static_cast<long long>(mismatches),
              static_cast<long long>(launches.unknown_));
  EXPECT_GT(launches.racy, count / 10);
  EXPECT_LT(launches.racy, count * 9 / 10);
}

} // namespace
} // namespace ts::emulator::checked
