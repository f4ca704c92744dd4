// Runs tasks on the host. The order in which blocks, threads and items run is the caller's: the cpu backend runs them
// forward, the emulator as its schedule says. Phases and collectives follow task.h to the letter.
#pragma once

#include "backends/kernels/task.h"

#include <type_traits>

namespace ts::kernels::host {

// An Order visits [0, n) in some order: `template <class F> void operator()(int64_t n, F&& visit) const`. It may say how work is
// done that is a block's, and no thread's: `template <class F> void once(F&& work) const`.
struct Forward {
  template <class F> void operator()(int64_t n, F&& visit) const {
    for (int64_t i = 0; i < n; ++i) visit(i);
  }
};
struct Backward {
  template <class F> void operator()(int64_t n, F&& visit) const {
    for (int64_t i = n; i-- > 0;) visit(i);
  }
};

namespace detail {

template <class Task> using Shared = typename Task::Shared;
template <class Task> using Local = typename Task::Local;

template <class Task, class P>
using Value = decltype(std::declval<const Task&>().give(P{}, std::declval<const At&>(), std::declval<Shared<Task>&>(),
                                                        std::declval<Local<Task>&>()));

/// One block on its way through its phases. `repeat` is the step of the Repeat around a part.
template <class Task, class Order> struct Team {
  const Task& task;
  int64_t block;
  Shared<Task>& shared;
  Local<Task>* locals;
  const Order& order;

  template <class Visit> void each(int64_t step, Visit&& visit) const {
    order(Task::kThreads, [&](int64_t t) { visit(At{block, static_cast<int>(t), step}, locals[t]); });
  }
  template <class F> void once(F&& work) const {
    if constexpr (requires { order.once(work); })
      order.once(work);
    else
      work();
  }
  template <class P> int64_t count(P) const {
    int64_t steps = 0;
    once([&] { steps = task.count(P{}, block); });
    return steps;
  }
};

template <class Task, class Order, class P> void run_part(Once<P>, const Team<Task, Order>& team, int64_t repeat) {
  team.each(repeat, [&](const At& at, auto& local) { team.task(P{}, at, team.shared, local); });
}

template <class Task, class Order, class P> void run_part(Loop<P>, const Team<Task, Order>& team, int64_t) {
  const int64_t steps = team.count(P{});
  for (int64_t step = 0; step < steps; ++step)
    team.each(step, [&](const At& at, auto& local) { team.task(P{}, at, team.shared, local); });
}

template <class Task, class Order, class P> void run_part(LoopWhile<P>, const Team<Task, Order>& team, int64_t) {
  bool again = true;
  for (int64_t step = 0; again; ++step) {
    again = false;
    team.each(step, [&](const At& at, auto& local) {
      const bool vote = team.task(P{}, at, team.shared, local);
      again = again || vote;
    });
  }
}

template <class Task, class Order, class P> void run_part(Reduce<P>, const Team<Task, Order>& team, int64_t repeat) {
  constexpr int kWarps = Task::kThreads / kWarp;
  Value<Task, P> values[Task::kThreads];
  team.each(repeat,
            [&](const At& at, auto& local) { values[at.thread] = team.task.give(P{}, at, team.shared, local); });
  Value<Task, P> totals[kWarps];
  team.once([&] {
    for (int warp = 0; warp < kWarps; ++warp) {
      Value<Task, P>* lanes = values + warp * kWarp;
      for (int w = kWarp / 2; w > 0; w /= 2)
        for (int l = 0; l < w; ++l) lanes[l] = team.task.combine(P{}, lanes[l], lanes[l + w]);
    }
    for (int warp = 0; warp < kWarps; ++warp) totals[warp] = values[warp * kWarp];
    int live = kWarps;
    for (int w = tree_distance(kWarps); w > 0; w /= 2) {
      for (int l = 0; l + w < live; ++l) totals[l] = team.task.combine(P{}, totals[l], totals[l + w]);
      live = w;
    }
  });
  team.each(repeat, [&](const At& at, auto& local) { team.task.take(P{}, at, totals[0], team.shared, local); });
}

template <class Task, class Order, class P>
void run_part(ReduceTeams<P>, const Team<Task, Order>& team, int64_t repeat) {
  Value<Task, P> values[Task::kThreads];
  team.each(repeat,
            [&](const At& at, auto& local) { values[at.thread] = team.task.give(P{}, at, team.shared, local); });
  int width = 1;
  team.once([&] {
    width = 1 << team.task.team_log2(P{});
    const int lanes = width < kWarp ? width : kWarp;
    for (int w = lanes / 2; w > 0; w /= 2)
      for (int first = 0; first < Task::kThreads; first += lanes)
        for (int l = first; l < first + w; ++l) values[l] = team.task.combine(P{}, values[l], values[l + w]);
    for (int d = width / 2; d >= kWarp; d /= 2)
      for (int first = 0; first < Task::kThreads; first += width)
        for (int l = first; l < first + d; l += kWarp) values[l] = team.task.combine(P{}, values[l], values[l + d]);
  });
  team.each(repeat, [&](const At& at, auto& local) {
    if (at.thread % width == 0) team.task.take(P{}, at, values[at.thread], team.shared, local);
  });
}

template <class Task, class Order, class P> void run_part(Scan<P>, const Team<Task, Order>& team, int64_t repeat) {
  constexpr int kWarps = Task::kThreads / kWarp;
  Value<Task, P> values[Task::kThreads];
  team.each(repeat,
            [&](const At& at, auto& local) { values[at.thread] = team.task.give(P{}, at, team.shared, local); });
  Value<Task, P> before[kWarps + 1];
  team.once([&] {
    before[0] = team.task.identity(P{});
    for (int warp = 0; warp < kWarps; ++warp) {
      Value<Task, P>* lanes = values + warp * kWarp;
      for (int w = 1; w < kWarp; w *= 2)
        for (int l = kWarp - 1; l >= w; --l) lanes[l] = team.task.combine(P{}, lanes[l - w], lanes[l]);
      before[warp + 1] = warp == 0 ? lanes[kWarp - 1] : team.task.combine(P{}, before[warp], lanes[kWarp - 1]);
    }
  });
  team.each(repeat, [&](const At& at, auto& local) {
    const int warp = at.thread / kWarp, lane = at.thread % kWarp;
    Value<Task, P> prefix = before[warp];
    if (lane > 0)
      prefix = warp == 0 ? values[at.thread - 1] : team.task.combine(P{}, before[warp], values[at.thread - 1]);
    team.task.take(P{}, at, prefix, before[kWarps], team.shared, local);
  });
}

template <class Task, class Order, class P, class... Parts>
void run_part(Repeat<P, Parts...>, const Team<Task, Order>& team, int64_t) {
  const int64_t times = team.count(P{});
  for (int64_t step = 0; step < times; ++step) (run_part(Parts{}, team, step), ...);
}

template <class Task, class Order, class... Parts> void run_parts(Sequence<Parts...>, const Team<Task, Order>& team) {
  (run_part(Parts{}, team, 0), ...);
}

} // namespace detail

/// Runs one block: every phase over all threads, in the given order, before the next begins. `shared` is one Shared,
/// `locals` kThreads Locals, both uninitialised as on a device.
template <class Task, class Order>
void run_block(const Task& task, int64_t block, typename Task::Shared& shared, typename Task::Local* locals,
               const Order& order) {
  static_assert(Task::kThreads % kWarp == 0, "threads of a block come in whole warps");
  static_assert(std::is_trivial_v<typename Task::Shared> && std::is_trivial_v<typename Task::Local>,
                "Shared and Local are uninitialised at the start of a block");
  detail::run_parts(typename Task::Phases{}, detail::Team<Task, Order>{task, block, shared, locals, order});
}

} // namespace ts::kernels::host
