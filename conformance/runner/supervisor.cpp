#include "conformance/runner/supervisor.h"

#include "runtime/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <poll.h>
#include <utility>

namespace ts::conformance {

namespace {
constexpr size_t kBatch = 32;    // jobs sent at once: neighbours share an op and the values of a case
constexpr size_t kLow = 8;       // where the next batch is sent
constexpr double kGreeting = 60; // seconds to load a plug-in and the spec on a busy machine
constexpr std::string_view kOpening = "opening ";
using Clock = std::chrono::steady_clock;

BackendError not_open(const std::string& backend, const std::string& how, const std::string& noise) {
  return BackendError(fmt::format("{}: does not open: {}; it wrote: {}", backend.empty() ? "a worker" : backend,
                                  how.empty() ? "exit status 0" : how, noise.empty() ? "nothing" : noise));
}
} // namespace

Supervisor::Supervisor(SupervisorOptions options, const std::vector<std::string>& names)
    : options_(std::move(options)), names_(names) {
  result_.outcomes.resize(options_.settings.backends.size());
  for (auto& outcomes : result_.outcomes) {
    outcomes.resize(names.size());
    for (size_t k = 0; k < names.size(); ++k) outcomes[k].name = names[k];
  }
  for (size_t k = 0; k < names.size(); ++k)
    for (size_t b = 0; b < options_.settings.backends.size(); ++b) pending_.push_back({b, k});
}

void probe_backends(const std::string& program, const Settings& settings) {
  Process worker(program, settings);
  worker.close_input();
  const auto begun = Clock::now();
  std::vector<std::string> lines;
  std::string opening;
  bool open = true;
  while (open && lines.empty()) {
    const double left = kGreeting - std::chrono::duration<double>(Clock::now() - begun).count();
    if (left < 0) throw not_open(opening, fmt::format("no end within {} s", kGreeting), worker.noise());
    std::array<pollfd, 2> watched = {{{worker.report_descriptor(), POLLIN, 0}, {worker.noise_descriptor(), POLLIN, 0}}};
    poll(watched.data(), watched.size(), static_cast<int>(left * 1000) + 1);
    open = worker.read_reports(lines);
    worker.read_noise();
    for (; !lines.empty() && lines.front().starts_with(kOpening); lines.erase(lines.begin()))
      opening = lines.front().substr(kOpening.size());
  }
  if (!lines.empty() && lines.front() == "hello") return;
  if (!lines.empty() && lines.front().starts_with("refused ")) throw BackendError(lines.front().substr(8));
  const std::string how = worker.wait_end();
  worker.read_noise();
  throw not_open(opening, how, worker.noise());
}

std::unique_ptr<Supervisor::Worker> Supervisor::start() const {
  auto worker = std::make_unique<Worker>();
  worker->process = std::make_unique<Process>(options_.program, options_.settings);
  worker->begun = Clock::now();
  return worker;
}

void Supervisor::feed(Worker& worker) {
  if (!worker.greeted || worker.queued.size() + worker.running.size() > kLow) return;
  for (size_t k = 0; k < kBatch && !pending_.empty(); ++k) {
    const Job job = pending_.front();
    pending_.pop_front();
    worker.queued.push_back(job);
    worker.process->send(fmt::format("run {} {}", job.backend, names_[job.name]));
  }
  if (worker.queued.empty() && worker.running.empty()) worker.process->close_input();
}

void Supervisor::settle(const Job& job, Outcome outcome) {
  outcome.name = names_[job.name];
  if (options_.on_outcome) options_.on_outcome(job.backend, outcome);
  result_.outcomes[job.backend][job.name] = std::move(outcome);
}

void Supervisor::take(Worker& worker, const std::string& line) {
  if (line == "hello") {
    worker.greeted = true;
  } else if (line.starts_with(kOpening)) {
    worker.opening = line.substr(kOpening.size());
  } else if (line.starts_with("refused ")) {
    throw BackendError(line.substr(8));
  } else if (line == "begin" && !worker.queued.empty()) {
    worker.running.push_back(worker.queued.front());
    worker.queued.pop_front();
    worker.begun = Clock::now();
  } else if (line.starts_with("end ") && !worker.running.empty()) {
    settle(worker.running.back(), outcome_from_json(line.substr(4)));
    worker.history.push_back(worker.running.back());
    worker.running.clear();
  }
}

double Supervisor::patience(const Worker& worker) const {
  if (worker.greeted && worker.running.empty()) return options_.timeout_s;
  const double allowed = worker.greeted ? options_.timeout_s : std::max(options_.timeout_s, kGreeting);
  return allowed - std::chrono::duration<double>(Clock::now() - worker.begun).count();
}

// False once the worker has ended.
bool Supervisor::serve(Worker& worker) {
  std::vector<std::string> lines;
  const bool open = worker.process->read_reports(lines);
  worker.process->read_noise();
  worker.process->write_pending();
  for (const std::string& line : lines) take(worker, line);
  if (!open) return false;
  if (patience(worker) < 0) {
    worker.timed_out = true;
    worker.process->kill_hard();
    return false;
  }
  feed(worker);
  return true;
}

// What a worker left when it ended: its case is suspect, cases it had not begun go back.
void Supervisor::bury(Worker& worker) {
  Death death;
  death.how = worker.process->wait_end();
  worker.process->read_noise();
  death.noise = worker.process->noise();
  death.timed_out = worker.timed_out;
  if (worker.timed_out) death.how = fmt::format("no end within {} s", options_.timeout_s);
  if (!worker.greeted) throw not_open(worker.opening, death.how, death.noise);
  pending_.insert(pending_.begin(), worker.queued.begin(), worker.queued.end());
  if (!worker.running.empty()) {
    suspects_.push_back({worker.running.back(), std::move(worker.history), std::move(death)});
  } else if (!worker.queued.empty() && !worker.history.empty()) {
    // It died between two cases: the last one did something that showed late.
    const Job last = worker.history.back();
    worker.history.pop_back();
    suspects_.push_back({last, std::move(worker.history), std::move(death)});
  } else if (!death.how.empty()) {
    result_.irregular.push_back(
        fmt::format("a worker ended with {} after its last case; it wrote: {}", death.how, death.noise));
  }
}

void Supervisor::wait(std::vector<std::unique_ptr<Worker>>& workers) const {
  std::vector<pollfd> watched;
  double patient = 1;
  for (const auto& worker : workers) {
    watched.push_back({worker->process->report_descriptor(), POLLIN, 0});
    watched.push_back({worker->process->noise_descriptor(), POLLIN, 0});
    watched.push_back({worker->process->input_descriptor(), POLLOUT, 0});
    patient = std::clamp(patience(*worker), 0.0, patient);
  }
  poll(watched.data(), watched.size(), static_cast<int>(patient * 1000) + 1);
}

RunResult Supervisor::run() {
  std::vector<std::unique_ptr<Worker>> workers;
  const auto wanted = static_cast<size_t>(std::max(options_.jobs, 1));
  while (!pending_.empty() || !workers.empty()) {
    while (workers.size() < wanted && !pending_.empty() && pending_.size() > workers.size() * kBatch)
      workers.push_back(start());
    wait(workers);
    for (size_t k = 0; k < workers.size();) {
      if (serve(*workers[k])) {
        ++k;
        continue;
      }
      bury(*workers[k]);
      workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  for (const Suspect& suspect : suspects_) look_into(suspect);
  return std::move(result_);
}

} // namespace ts::conformance
