#include "backends/cpu/pool.h"

#include <algorithm>

namespace ts::cpu {

Pool::Pool(int threads) {
  for (int k = 1; k < threads; ++k) threads_.emplace_back([this] { work(); });
}

Pool::~Pool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// Takes one piece of the job and does it without the lock; false where none is left.
bool Pool::do_piece(std::unique_lock<std::mutex>& lock) {
  if (job_.next >= job_.count) return false;
  const int64_t begin = job_.next, end = std::min(job_.count, begin + job_.piece);
  const auto* body = job_.body;
  job_.next = end;
  lock.unlock();
  (*body)(begin, end);
  lock.lock();
  if (--job_.pending == 0) done_.notify_one();
  return true;
}

void Pool::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || job_.next < job_.count; });
    if (stop_) return;
    while (do_piece(lock)) {}
  }
}

void Pool::run(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body) {
  const std::unique_lock<std::mutex> mine(busy_, std::try_to_lock);
  if (threads_.empty() || count <= grain || !mine.owns_lock()) {
    body(0, count);
    return;
  }
  const auto workers = static_cast<int64_t>(threads_.size()) + 1;
  constexpr int64_t kPiecesEach = 4; // so that a slow thread delays the others little
  std::unique_lock<std::mutex> lock(mutex_);
  const int64_t piece = std::max(grain, (count + workers * kPiecesEach - 1) / (workers * kPiecesEach));
  job_ = {&body, count, piece, 0, (count + piece - 1) / piece};
  wake_.notify_all();
  while (do_piece(lock)) {}
  done_.wait(lock, [this] { return job_.pending == 0; });
}

} // namespace ts::cpu
