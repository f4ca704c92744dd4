// After a death: the case is run alone, and where it then lives, whoever ran before it is searched for the culprit.
#include "conformance/runner/supervisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ts::conformance {

namespace {

// A process that a backend ended by exit(0) has an end without a fault.
std::string ending(const std::string& how) { return how.empty() ? "exit status 0" : how; }

// The beginning, where a sanitizer says what it is about, and the end, where a program says why it stopped.
std::string excerpt(const std::string& noise) {
  constexpr size_t kFirst = 3000, kLast = 1000;
  if (noise.empty()) return "it wrote nothing";
  if (noise.size() <= kFirst + kLast) return "it wrote: " + noise;
  return fmt::format("it wrote: {} ... {}", noise.substr(0, kFirst), noise.substr(noise.size() - kLast));
}

} // namespace

std::unique_ptr<Supervisor::Death> Supervisor::replay(const std::vector<Job>& jobs, Outcome* last) {
  SupervisorOptions options = options_;
  options.jobs = 1;
  options.on_outcome = nullptr;
  Supervisor alone(options, names_);
  alone.pending_.assign(jobs.begin(), jobs.end());
  std::vector<std::unique_ptr<Worker>> workers;
  workers.push_back(alone.start());
  // As in run(), but one worker, and its death ends it.
  while (true) {
    alone.wait(workers);
    if (!alone.serve(*workers.front())) break;
  }
  alone.bury(*workers.front());
  if (last != nullptr) *last = alone.result_.outcomes[jobs.back().backend][jobs.back().name];
  if (!alone.suspects_.empty()) return std::make_unique<Death>(alone.suspects_.front().death);
  if (!alone.result_.irregular.empty())
    return std::make_unique<Death>(Death{alone.result_.irregular.front(), "", false});
  return nullptr;
}

void Supervisor::look_into(const Suspect& suspect) {
  Outcome alone;
  if (const std::unique_ptr<Death> death = replay({suspect.job}, &alone)) {
    Outcome outcome;
    outcome.verdict = death->timed_out ? Verdict::timeout : Verdict::crash;
    outcome.check = "alive";
    outcome.message = fmt::format("the worker ended with {}, alone too; {}", ending(death->how), excerpt(death->noise));
    return settle(suspect.job, std::move(outcome));
  }
  charge(suspect, suspect.history, alone);
}

// Halves what ran before until one case is left that, run before the suspect, kills the worker again.
void Supervisor::charge(const Suspect& suspect, std::vector<Job> before, const Outcome& alone) {
  const auto kills = [&](std::vector<Job> jobs) {
    jobs.push_back(suspect.job);
    return !suspect.death.timed_out && replay(jobs, nullptr) != nullptr;
  };
  if (before.empty() || !kills(before)) {
    Outcome outcome = alone;
    outcome.verdict = Verdict::flaky;
    outcome.check = "alive";
    outcome.message =
        fmt::format("the worker ended with {} in this case, which lives alone and after the same cases; {}",
                    ending(suspect.death.how), excerpt(suspect.death.noise));
    return settle(suspect.job, std::move(outcome));
  }
  while (before.size() > 1) {
    const auto middle = before.begin() + static_cast<std::ptrdiff_t>(before.size() / 2);
    std::vector<Job> second(middle, before.end()), first(before.begin(), middle);
    if (kills(second))
      before = std::move(second);
    else if (kills(first))
      before = std::move(first);
    else
      break; // it takes two of them
  }
  Outcome culprit;
  culprit.verdict = Verdict::crash;
  culprit.check = "alive";
  culprit.message = fmt::format("after {} case{} beginning with this one, {} ended the worker with {}; {}",
                                before.size(), before.size() == 1 ? "" : "s", names_[suspect.job.name],
                                ending(suspect.death.how), excerpt(suspect.death.noise));
  settle(before.front(), std::move(culprit));
  settle(suspect.job, alone);
}

} // namespace ts::conformance
