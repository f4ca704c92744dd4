#include "backends/emulator/workbench.h"

#include "backends/emulator/checked/checker.h"

#include <cstring>
#include <utility>

namespace ts::emulator {

using kernels::DoorError;

Workbench::Workbench(std::string_view options) : settings_(parse_settings(options)), memory_(settings_.memory_bytes) {
  if (!settings_.check.any()) return;
  checker_ = std::make_unique<checked::Checker>(settings_.check, memory_);
  memory_.observe(checker_.get());
}

Workbench::~Workbench() { commands_.clear(); }

void* Workbench::allocate_bytes(uint64_t bytes) {
  std::byte* device = memory_.allocate(bytes);
  if (device == nullptr)
    throw DoorError(TS_OUT_OF_MEMORY, "no room for " + std::to_string(bytes) + " bytes")
        .values(static_cast<int64_t>(bytes), static_cast<int64_t>(memory_.size()));
  live_[device] = bytes;
  return device;
}

void Workbench::release(void* device) {
  commands_.emplace_back([this, device]() -> std::string {
    const auto found = live_.find(device);
    if (found == live_.end()) return "release of memory that is not allocated, or was released before";
    std::string problem = memory_.guard_damage(static_cast<std::byte*>(device));
    live_.erase(found);
    memory_.release(static_cast<std::byte*>(device));
    return problem.empty() ? memory_.take_damage() : problem;
  });
}

void Workbench::copy_in_bytes(void* device, const void* values, uint64_t bytes) {
  const auto* first = static_cast<const std::byte*>(values);
  commands_.emplace_back([this, device, data = std::vector<std::byte>(first, first + bytes)]() -> std::string {
    std::byte* to = memory_.reach(static_cast<std::byte*>(device));
    if (!data.empty()) memcpy(to, data.data(), data.size());
    if (checker_ != nullptr) checker_->written(to, data.size());
    return "";
  });
}

void Workbench::copy_out_bytes(void* values, const void* device, uint64_t bytes) {
  commands_.emplace_back([this, values, device, bytes]() -> std::string {
    const std::byte* from = memory_.reach(static_cast<std::byte*>(const_cast<void*>(device)));
    if (bytes > 0) memcpy(values, from, bytes);
    return "";
  });
}

std::shared_ptr<Recorder> Workbench::begin() { return std::make_shared<Recorder>(*settings_.profile, memory_); }

void Workbench::push(std::shared_ptr<Recorder> program) {
  commands_.emplace_back([this, program = std::move(program)] { return run(*program); });
}

std::string Workbench::run(Recorder& program) {
  program.run(settings_.schedule, census_);
  if (checker_ != nullptr && !checker_->reports().empty()) return text_of(checker_->reports().front());
  if (!program.damage().empty()) return program.damage();
  for (const auto& [device, bytes] : live_) {
    std::string damage = memory_.guard_damage(static_cast<std::byte*>(const_cast<void*>(device)));
    if (!damage.empty()) return damage;
  }
  return "";
}

void Workbench::note(const std::string& problem) {
  if (problem_.empty()) problem_ = problem;
}

std::string Workbench::synchronize() {
  // What one command finds stops no other.
  for (const auto& command : std::exchange(commands_, {})) note(command());
  return std::exchange(problem_, std::string());
}

const std::vector<checked::Report>& Workbench::reports() const {
  static const std::vector<checked::Report> none;
  return checker_ == nullptr ? none : checker_->reports();
}

void Workbench::clear_reports() {
  if (checker_ != nullptr) checker_->clear();
}

} // namespace ts::emulator
