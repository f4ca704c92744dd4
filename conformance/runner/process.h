// A worker as its parent sees it: a process with a socket to it and two pipes from it.
#pragma once

#include "conformance/runner/bench.h"

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ts::conformance {

class Process {
public:
  /// Executes `program worker ...` with GTEST_* unset: the program anew, never a fork of a process that has a plug-in
  /// loaded. Throws std::system_error.
  Process(const std::string& program, const Settings& settings);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  /// Kills what still runs.
  ~Process();

  /// Queues a line for the worker's standard input, and writes what fits.
  void send(const std::string& line);
  void close_input();

  /// Reads what is there. Complete lines of reports are appended to `lines`; false once the report pipe is closed.
  bool read_reports(std::vector<std::string>& lines);
  void read_noise();
  void write_pending();

  /// For poll(); -1 once closed.
  int report_descriptor() const { return report_; }
  int noise_descriptor() const { return noise_; }
  int input_descriptor() const { return pending_.empty() ? -1 : input_; }

  void kill_hard();
  /// Waits for the end, and says how it came: "exit status 3", "signal 11 (Segmentation fault)"; empty for status 0.
  std::string wait_end();

  /// The last 64 KiB of what it wrote to standard output and error.
  const std::string& noise() const { return noise_text_; }

private:
  pid_t pid_ = -1;
  int input_ = -1, report_ = -1, noise_ = -1;
  std::string pending_, partial_, noise_text_;
};

} // namespace ts::conformance
