// Runs tasks on the host. The order in which blocks, threads and items run is the caller's: the cpu backend runs them
// forward, the emulator as its schedule says. Phases and collectives follow task.h to the letter.
#pragma once

#include "backends/kernels/task.h"

#include <type_traits>

namespace ts::kernels::host {

// An Order visits [0, n) in some order: `template <class F> void operator()(int64_t n, F&& visit) const`.
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

template <class Task, class Order, class P>
void run_part(Once<P>, const Task& task, int64_t block, Shared<Task>& shared, Local<Task>* locals, const Order& order) {
  order(Task::kThreads, [&](int64_t t) { task(P{}, At{block, static_cast<int>(t), 0}, shared, locals[t]); });
}

template <class Task, class Order, class P>
void run_part(Loop<P>, const Task& task, int64_t block, Shared<Task>& shared, Local<Task>* locals, const Order& order) {
  const int64_t steps = task.count(P{}, block);
  for (int64_t step = 0; step < steps; ++step)
    order(Task::kThreads, [&](int64_t t) { task(P{}, At{block, static_cast<int>(t), step}, shared, locals[t]); });
}

template <class Task, class Order, class P>
void run_part(LoopWhile<P>, const Task& task, int64_t block, Shared<Task>& shared, Local<Task>* locals,
              const Order& order) {
  bool again = true;
  for (int64_t step = 0; again; ++step) {
    again = false;
    order(Task::kThreads, [&](int64_t t) {
      const bool vote = task(P{}, At{block, static_cast<int>(t), step}, shared, locals[t]);
      again = again || vote;
    });
  }
}

template <class Task, class Order, class P>
void run_part(Reduce<P>, const Task& task, int64_t block, Shared<Task>& shared, Local<Task>* locals,
              const Order& order) {
  constexpr int kWarps = Task::kThreads / kWarp;
  Value<Task, P> values[Task::kThreads];
  order(Task::kThreads, [&](int64_t t) {
    values[t] = task.give(P{}, At{block, static_cast<int>(t), 0}, shared, locals[t]);
  });
  for (int warp = 0; warp < kWarps; ++warp) {
    Value<Task, P>* lanes = values + warp * kWarp;
    for (int w = kWarp / 2; w > 0; w /= 2)
      for (int l = 0; l < w; ++l) lanes[l] = task.combine(P{}, lanes[l], lanes[l + w]);
  }
  Value<Task, P> totals[kWarps];
  for (int warp = 0; warp < kWarps; ++warp) totals[warp] = values[warp * kWarp];
  int live = kWarps;
  for (int w = tree_distance(kWarps); w > 0; w /= 2) {
    for (int l = 0; l + w < live; ++l) totals[l] = task.combine(P{}, totals[l], totals[l + w]);
    live = w;
  }
  order(Task::kThreads, [&](int64_t t) {
    task.take(P{}, At{block, static_cast<int>(t), 0}, totals[0], shared, locals[t]);
  });
}

template <class Task, class Order, class P>
void run_part(Scan<P>, const Task& task, int64_t block, Shared<Task>& shared, Local<Task>* locals, const Order& order) {
  constexpr int kWarps = Task::kThreads / kWarp;
  Value<Task, P> values[Task::kThreads];
  order(Task::kThreads, [&](int64_t t) {
    values[t] = task.give(P{}, At{block, static_cast<int>(t), 0}, shared, locals[t]);
  });
  Value<Task, P> before[kWarps + 1];
  before[0] = task.identity(P{});
  for (int warp = 0; warp < kWarps; ++warp) {
    Value<Task, P>* lanes = values + warp * kWarp;
    for (int w = 1; w < kWarp; w *= 2)
      for (int l = kWarp - 1; l >= w; --l) lanes[l] = task.combine(P{}, lanes[l - w], lanes[l]);
    before[warp + 1] = warp == 0 ? lanes[kWarp - 1] : task.combine(P{}, before[warp], lanes[kWarp - 1]);
  }
  order(Task::kThreads, [&](int64_t t) {
    const int warp = static_cast<int>(t) / kWarp, lane = static_cast<int>(t) % kWarp;
    Value<Task, P> prefix = before[warp];
    if (lane > 0) prefix = warp == 0 ? values[t - 1] : task.combine(P{}, before[warp], values[t - 1]);
    task.take(P{}, At{block, static_cast<int>(t), 0}, prefix, before[kWarps], shared, locals[t]);
  });
}

template <class Task, class Order, class... Parts>
void run_parts(Sequence<Parts...>, const Task& task, int64_t block, Shared<Task>& shared, Local<Task>* locals,
               const Order& order) {
  (run_part(Parts{}, task, block, shared, locals, order), ...);
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
  detail::run_parts(typename Task::Phases{}, task, block, shared, locals, order);
}

} // namespace ts::kernels::host
