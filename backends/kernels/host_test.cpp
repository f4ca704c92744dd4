// Phases and collectives of block tasks on the host, in every order of threads.
#include "backends/kernels/host.h"
#include "backends/kernels/host_launcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace ts::kernels {
namespace {

// A combination that is neither commutative nor associative, so that a result names its tree.
uint64_t mix(uint64_t left, uint64_t right) {
  return (left * 0x9e3779b97f4a7c15ULL) ^ (right + 0x7f4a7c15 + (left >> 7));
}

template <int N> struct Tree {
  static constexpr int kThreads = N;
  struct Total {};
  struct Prefix {};
  struct Shared {};
  struct Local {};
  using Phases = Sequence<Reduce<Total>, Scan<Prefix>>;
  const uint64_t* in;
  uint64_t *total, *before, *all;

  uint64_t give(Total, const At& at, Shared&, Local&) const { return in[at.thread]; }
  uint64_t combine(Total, uint64_t left, uint64_t right) const { return mix(left, right); }
  void take(Total, const At& at, uint64_t found, Shared&, Local&) const { total[at.thread] = found; }

  uint64_t give(Prefix, const At& at, Shared&, Local&) const { return in[at.thread]; }
  uint64_t combine(Prefix, uint64_t left, uint64_t right) const { return mix(left, right); }
  uint64_t identity(Prefix) const { return 42; }
  void take(Prefix, const At& at, uint64_t prefix, uint64_t everything, Shared&, Local&) const {
    before[at.thread] = prefix;
    all[at.thread] = everything;
  }
};

// The trees of task.h once more, in the words of that page: a lane reads what its partner held before the step.
uint64_t total_of(std::vector<uint64_t> values) {
  const size_t warps = values.size() / 32;
  std::vector<uint64_t> sums;
  for (size_t warp = 0; warp < warps; ++warp) {
    std::vector<uint64_t> lane(values.begin() + static_cast<int64_t>(warp) * 32,
                               values.begin() + static_cast<int64_t>(warp + 1) * 32);
    for (size_t w : {16, 8, 4, 2, 1})
      for (size_t l = 0; l < w; ++l) lane[l] = mix(lane[l], lane[l + w]);
    sums.push_back(lane[0]);
  }
  size_t w = 1;
  while (w * 2 < warps) w *= 2;
  for (; w > 0; w /= 2) {
    std::vector<uint64_t> next = sums;
    for (size_t l = 0; l < w; ++l)
      if (l + w < sums.size()) next[l] = mix(sums[l], sums[l + w]);
    next.resize(std::min(next.size(), w));
    sums = next;
  }
  return sums[0];
}

template <int N> void check_trees(const ThreadOrder& order) {
  std::vector<uint64_t> in(N), total(N), before(N), all(N);
  std::iota(in.begin(), in.end(), 1000);
  const Tree<N> task{in.data(), total.data(), before.data(), all.data()};
  typename Tree<N>::Shared shared;
  typename Tree<N>::Local locals[N];
  host::run_block(task, 0, shared, locals, order);

  const uint64_t wanted = total_of(in);
  uint64_t warps_before = 42;
  for (int t = 0; t < N; ++t) {
    EXPECT_EQ(total[static_cast<size_t>(t)], wanted);
    const auto warp = in.begin() + int64_t{t / 32} * 32;
    std::vector<uint64_t> lane(warp, warp + 32);
    for (size_t w : {1, 2, 4, 8, 16}) {
      std::vector<uint64_t> next = lane;
      for (size_t l = w; l < 32; ++l) next[l] = mix(lane[l - w], lane[l]);
      lane = next;
    }
    const size_t place = static_cast<size_t>(t % 32);
    const uint64_t prefix = place == 0 ? warps_before : (t < 32 ? lane[place - 1] : mix(warps_before, lane[place - 1]));
    EXPECT_EQ(before[static_cast<size_t>(t)], prefix) << t;
    if (place == 31) warps_before = t < 32 ? lane[31] : mix(warps_before, lane[31]);
  }
  EXPECT_EQ(all[0], warps_before);
  EXPECT_EQ(all[N - 1], warps_before);
}

TEST(Collectives, FollowTheTreeInEveryOrderOfThreads) {
  // TS_CITES(execution.8, execution.9)
  std::vector<int32_t> shuffled(256);
  std::iota(shuffled.begin(), shuffled.end(), 0);
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(5));
  for (const ThreadOrder& order : {ThreadOrder{}, ThreadOrder{255, -1, nullptr}, ThreadOrder{0, 1, shuffled.data()}})
    check_trees<256>(order);
  check_trees<32>({31, -1, nullptr});
  check_trees<96>({95, -1, nullptr}); // three warps: a partner is missing
  check_trees<1024>({});
}

// Teams of every width that 256 threads hold.
struct Teams {
  static constexpr int kThreads = 256;
  struct Total {};
  struct Shared {};
  struct Local {};
  using Phases = Sequence<ReduceTeams<Total>>;
  const uint64_t* in;
  uint64_t* out;
  int32_t log2;

  int32_t team_log2(Total) const { return log2; }
  uint64_t give(Total, const At& at, Shared&, Local&) const { return in[at.thread]; }
  uint64_t combine(Total, uint64_t left, uint64_t right) const { return mix(left, right); }
  void take(Total, const At& at, uint64_t total, Shared&, Local&) const { out[at.thread] = total; }
};

// Distances inside a warp first, then between warps, the largest first.
uint64_t team_total(std::vector<uint64_t> lane) {
  std::vector<size_t> distances;
  for (size_t d = std::min<size_t>(lane.size(), 32) / 2; d > 0; d /= 2) distances.push_back(d);
  for (size_t d = lane.size() / 2; d >= 32; d /= 2) distances.push_back(d);
  for (const size_t d : distances) {
    const std::vector<uint64_t> before = lane;
    for (size_t l = 0; l + d < lane.size(); ++l) lane[l] = mix(before[l], before[l + d]);
  }
  return lane[0];
}

TEST(Collectives, TeamsFollowTheirTree) {
  std::vector<uint64_t> in(256);
  std::iota(in.begin(), in.end(), 1000);
  for (int32_t log2 = 0; log2 <= 8; ++log2) {
    const int64_t width = int64_t{1} << log2;
    std::vector<uint64_t> out(256, 7);
    Teams::Shared shared;
    Teams::Local locals[256];
    host::run_block(Teams{in.data(), out.data(), log2}, 0, shared, locals, ThreadOrder{255, -1, nullptr});
    for (int64_t t = 0; t < 256; ++t) {
      const std::vector<uint64_t> team(in.begin() + t / width * width, in.begin() + (t / width + 1) * width);
      EXPECT_EQ(out[static_cast<size_t>(t)], t % width == 0 ? team_total(team) : 7) << log2 << ' ' << t;
    }
  }
}

// A Repeat runs its parts in turn and tells them the step.
struct Rounds {
  static constexpr int kThreads = 32;
  struct Times {};
  struct Give {};
  struct Sum {};
  struct Shared {
    int value[kThreads];
  };
  struct Local {};
  using Phases = Sequence<Repeat<Times, Once<Give>, Reduce<Sum>>>;
  int* out;
  int64_t count(Times, int64_t) const { return 3; }
  void operator()(Give, const At& at, Shared& shared, Local&) const {
    shared.value[at.thread] = static_cast<int>(at.step);
  }
  int give(Sum, const At& at, Shared& shared, Local&) const { return shared.value[31 - at.thread]; }
  int combine(Sum, int left, int right) const { return left + right; }
  void take(Sum, const At& at, int total, Shared&, Local&) const { out[at.step] = total; }
};

TEST(Phases, RepeatInTurn) {
  int out[3] = {-1, -1, -1};
  Rounds::Shared shared;
  Rounds::Local locals[32];
  host::run_block(Rounds{out}, 0, shared, locals, ThreadOrder{31, -1, nullptr});
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[1], 32);
  EXPECT_EQ(out[2], 64);
}

// Each phase sees all that the one before it wrote, whatever the order of threads.
struct Shift {
  static constexpr int kThreads = 64;
  struct Write {};
  struct Read {};
  struct Shared {
    int value[kThreads];
  };
  struct Local {
    int steps;
  };
  using Phases = Sequence<Once<Write>, Loop<Read>, LoopWhile<Shift>>;
  int* out;
  int64_t count(Read, int64_t) const { return 3; }
  void operator()(Write, const At& at, Shared& shared, Local& local) const {
    shared.value[at.thread] = at.thread;
    local.steps = 0;
  }
  void operator()(Read, const At& at, Shared& shared, Local&) const {
    if (at.step == 1) out[at.thread] = shared.value[(at.thread + 1) % kThreads];
  }
  // Every thread goes on as long as the longest of them wants.
  bool operator()(Shift, const At& at, Shared&, Local& local) const {
    ++local.steps;
    out[at.thread] += at.step == 0 ? 0 : 1000;
    return local.steps < (at.thread == 7 ? 4 : 1);
  }
};

// At every step a thread takes what its neighbour had at the step before.
struct Ripple {
  static constexpr int kThreads = 64;
  static constexpr int kSteps = 5;
  struct Start {};
  struct Pass {};
  struct Shared {
    int value[2][kThreads];
  };
  struct Local {};
  using Phases = Sequence<Once<Start>, Loop<Pass>>;
  int* out;
  int64_t count(Pass, int64_t) const { return kSteps; }
  void operator()(Start, const At& at, Shared& shared, Local&) const { shared.value[0][at.thread] = at.thread; }
  void operator()(Pass, const At& at, Shared& shared, Local&) const {
    const int taken = shared.value[at.step % 2][(at.thread + 1) % kThreads];
    out[at.thread] = shared.value[(at.step + 1) % 2][at.thread] = taken;
  }
};

TEST(Phases, EveryThreadEndsAStepBeforeAnyBeginsTheNext) {
  // TS_CITES(execution.4)
  for (const ThreadOrder& order : {ThreadOrder{}, ThreadOrder{63, -1, nullptr}}) {
    std::vector<int> out(64, -1);
    Ripple::Shared shared;
    Ripple::Local locals[64];
    host::run_block(Ripple{out.data()}, 0, shared, locals, order);
    for (int t = 0; t < 64; ++t) EXPECT_EQ(out[static_cast<size_t>(t)], (t + Ripple::kSteps) % 64);
  }
}

TEST(Phases, EndInABarrierAndVotesAreCombined) {
  // TS_CITES(execution.5, execution.15)
  for (const ThreadOrder& order : {ThreadOrder{}, ThreadOrder{63, -1, nullptr}}) {
    std::vector<int> out(64, -1);
    Shift::Shared shared;
    Shift::Local locals[64];
    host::run_block(Shift{out.data()}, 0, shared, locals, order);
    for (int t = 0; t < 64; ++t) EXPECT_EQ(out[static_cast<size_t>(t)], (t + 1) % 64 + 3000);
  }
}

} // namespace
} // namespace ts::kernels
