// Drives worker processes over cases. A case that crashes or hangs a worker costs that case, not the run.
#pragma once

#include "conformance/runner/process.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ts::conformance {

/// One case on one backend.
struct Job {
  size_t backend = 0;
  size_t name = 0; ///< among the selected names
};

struct SupervisorOptions {
  std::string program; ///< that has the command `worker`
  Settings settings;
  int jobs = 1;
  double timeout_s = 60; ///< per case
  /// Called for every outcome as it comes, for progress; a crash that is looked into comes when that is done.
  std::function<void(size_t backend, const Outcome& outcome)> on_outcome;
};

struct RunResult {
  std::vector<std::vector<Outcome>> outcomes; ///< per backend, in the order of names
  std::vector<std::string> irregular;         ///< a worker that died outside every case
};

/// Opens the backends in a worker of its own and lets it go. Throws BackendError with the worker's reason, or with how it
/// died: a plug-in that ends its process when it is loaded ends nothing else.
void probe_backends(const std::string& program, const Settings& settings);

class Supervisor {
public:
  Supervisor(SupervisorOptions options, const std::vector<std::string>& names);

  /// Runs every case on every backend. Throws BackendError where the backends cannot be opened at all.
  RunResult run();

private:
  struct Worker {
    std::unique_ptr<Process> process;
    std::deque<Job> queued;   ///< sent, not begun
    std::vector<Job> history; ///< ended
    std::vector<Job> running; ///< begun: none or one
    std::chrono::steady_clock::time_point begun;
    std::string opening; ///< the backend that it opens
    bool greeted = false;
    bool timed_out = false;
  };
  struct Death {
    std::string how;   ///< "signal 11 (...)", "no end within 60 s"
    std::string noise; ///< the last of what it wrote
    bool timed_out = false;
  };
  struct Suspect {
    Job job;
    std::vector<Job> history;
    Death death;
  };

  std::unique_ptr<Worker> start() const;
  void feed(Worker& worker);
  void take(Worker& worker, const std::string& line);
  bool serve(Worker& worker);
  void bury(Worker& worker);
  void wait(std::vector<std::unique_ptr<Worker>>& workers) const;
  double patience(const Worker& worker) const;

  void look_into(const Suspect& suspect);
  /// Runs jobs in a worker of their own; the death it died, or none.
  std::unique_ptr<Death> replay(const std::vector<Job>& jobs, Outcome* last);
  void charge(const Suspect& suspect, std::vector<Job> before, const Outcome& alone);
  void settle(const Job& job, Outcome outcome);

  SupervisorOptions options_;
  const std::vector<std::string>& names_;
  std::deque<Job> pending_;
  std::vector<Suspect> suspects_;
  RunResult result_;
};

} // namespace ts::conformance
