// A line of progress, redrawn on a terminal and silent elsewhere.
#pragma once

#include <chrono>
#include <cstdint>

namespace ts::tool {

class Progress {
public:
  explicit Progress(int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(bool bad);
  /// Wipes the line, so that something else can be printed.
  void clear();

private:
  void draw();

  int64_t total_, done_ = 0, bad_ = 0;
  bool on_terminal_;
  std::chrono::steady_clock::time_point drawn_{};
};

} // namespace ts::tool
