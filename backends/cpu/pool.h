// A few threads that share the work items of one launch.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ts::cpu {

class Pool {
public:
  /// `threads` in all, the caller's included.
  explicit Pool(int threads);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  /// Calls body(begin, end) over [0, count) in pieces of at least `grain`; returns when all are done. A caller that
  /// finds the pool busy does the work alone. The body does not throw.
  void run(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body);

private:
  struct Job {
    const std::function<void(int64_t, int64_t)>* body;
    int64_t count;
    int64_t piece;
    int64_t next;    ///< first item nobody has taken
    int64_t pending; ///< pieces not finished
  };
  void work();
  bool do_piece(std::unique_lock<std::mutex>& lock);

  std::vector<std::thread> threads_;
  std::mutex busy_; ///< held by the caller whose job it is
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  Job job_{};
  bool stop_ = false;
};

} // namespace ts::cpu
