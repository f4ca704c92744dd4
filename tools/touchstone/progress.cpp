#include "tools/touchstone/progress.h"

#include "conformance/report/summary.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <unistd.h>

namespace ts::tool {

Progress::Progress(int64_t total) : total_(total), on_terminal_(isatty(STDERR_FILENO) != 0) {}
Progress::~Progress() { clear(); }

void Progress::step(bool bad) {
  ++done_;
  bad_ += bad ? 1 : 0;
  const auto now = std::chrono::steady_clock::now();
  if (!on_terminal_ || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  draw();
}

void Progress::draw() {
  constexpr int64_t kWidth = 24;
  const int64_t full = total_ == 0 ? kWidth : done_ * kWidth / total_;
  std::string bar;
  for (int64_t k = 0; k < kWidth; ++k) bar += k < full ? "█" : "░";
  fmt::print(stderr, "\r{}  {} of {}{}\x1b[K", bar, conformance::grouped(done_), conformance::grouped(total_),
             bad_ == 0 ? "" : fmt::format(" · {} bad", conformance::grouped(bad_)));
  std::fflush(stderr);
}

void Progress::clear() {
  if (!on_terminal_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

} // namespace ts::tool
