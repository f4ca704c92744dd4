#include "backends/emulator/schedule.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

namespace ts::emulator {

namespace {

// SplitMix64: a small generator whose every seed is a good one.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  int64_t below(int64_t bound) { return static_cast<int64_t>(next() % static_cast<uint64_t>(bound)); }

private:
  uint64_t state_;
};

template <class Number> std::vector<Number> shuffled(int64_t count, uint64_t seed) {
  std::vector<Number> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), Number{0});
  Random random(seed);
  for (int64_t k = count; k > 1; --k)
    std::swap(order[static_cast<size_t>(k - 1)], order[static_cast<size_t>(random.below(k))]);
  return order;
}

uint64_t mixed(uint64_t seed, int64_t unit) {
  return Random(seed ^ static_cast<uint64_t>(unit) * 0xd1342543de82ef95ULL).next();
}

} // namespace

void Schedule::for_each(int64_t count, const std::function<void(int64_t)>& visit) const {
  const std::vector<int64_t> permutation =
      order == Order::shuffled ? shuffled<int64_t>(count, seed) : std::vector<int64_t>();
  const auto unit = [&](int64_t k) {
    if (order == Order::shuffled) return permutation[static_cast<size_t>(k)];
    return order == Order::forward ? k : count - 1 - k;
  };
  if (threads <= 1 || count <= 1) {
    for (int64_t k = 0; k < count; ++k) visit(unit(k));
    return;
  }
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (int64_t k = next++; k < count; k = next++) visit(unit(k));
    } catch (...) {
      next = count;
      const std::lock_guard<std::mutex> lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (int k = 1; k < threads; ++k) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  if (failure != nullptr) std::rethrow_exception(failure);
}

void Schedule::run_items(const kernels::FlatKernel& kernel, int64_t begin, int64_t count) const {
  switch (order) {
    case Order::forward: kernel.walk(kernel.task, begin, count, 1); return;
    case Order::backward: kernel.walk(kernel.task, begin + count - 1, count, -1); return;
    case Order::shuffled:
      for (const int32_t item : shuffled<int32_t>(count, mixed(seed, begin)))
        kernel.walk(kernel.task, begin + item, 1, 1);
  }
}

kernels::ThreadOrder Schedule::thread_order(int threads_of_block, int64_t block,
                                            std::vector<int32_t>* permutation) const {
  switch (order) {
    case Order::forward: return {0, 1, nullptr};
    case Order::backward: return {threads_of_block - 1, -1, nullptr};
    case Order::shuffled: *permutation = shuffled<int32_t>(threads_of_block, mixed(seed, block)); break;
  }
  return {0, 1, permutation->data()};
}

} // namespace ts::emulator
