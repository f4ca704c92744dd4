#include "backends/emulator/workbench.h"

#include "backends/emulator/checked/checker.h"
#include "backends/kernels/numbers.h"

#include <cstring>
#include <utility>

namespace ts::emulator {

using kernels::DoorError;

Workbench::Workbench(std::string_view options) : settings_(parse_settings(options)), memory_(settings_.memory_bytes) {
  if (!settings_.check.any()) return;
  if (settings_.check.memory)
    observer_ = std::unique_ptr<Observer>(meter_ = new checked::TrafficMeter(memory_, settings_.check.page));
  else
    observer_ = std::unique_ptr<Observer>(checker_ = new checked::Checker(settings_.check, memory_));
  memory_.observe(observer_.get());
}

Workbench::~Workbench() { commands_.clear(); }

void* Workbench::allocate_elements(int64_t count, size_t element_bytes, const std::string& name) {
  const uint64_t bytes = static_cast<uint64_t>(count) * element_bytes;
  std::byte* device = memory_.allocate(bytes);
  if (device == nullptr)
    throw DoorError(TS_OUT_OF_MEMORY, "no room for " + std::to_string(bytes) + " bytes")
        .values(static_cast<int64_t>(bytes), static_cast<int64_t>(memory_.size()));
  const int32_t dtype = element_bytes == 1   ? TS_DTYPE_U8
                        : element_bytes == 2 ? TS_DTYPE_F16
                        : element_bytes == 4 ? TS_DTYPE_F32
                                             : TS_DTYPE_F64;
  live_[device] = {static_cast<int64_t>(bytes) / ts::itemsize(dtype), dtype, name};
  return device;
}

// What reports call memory by.
std::vector<OperandFacts> Workbench::named_arrays() const {
  std::vector<OperandFacts> arrays;
  for (const auto& [device, array] : live_) {
    std::byte* data = memory_.reach(device);
    kernels::View view{data, array.dtype, 1, {}, {}};
    view.shape[0] = array.count;
    view.stride[0] = 1;
    arrays.push_back({array.name, Role::named, view, data});
  }
  return arrays;
}

void Workbench::release(void* device) {
  commands_.emplace_back([this, device]() -> std::string {
    auto* data = static_cast<std::byte*>(device);
    if (live_.erase(data) == 0) return "release of memory that is not allocated, or was released before";
    std::string problem = memory_.guard_damage(data);
    memory_.release(data);
    return problem.empty() ? memory_.take_damage() : problem;
  });
}

void Workbench::copy_in_bytes(void* device, const void* values, uint64_t bytes) {
  const auto* first = static_cast<const std::byte*>(values);
  commands_.emplace_back([this, device, data = std::vector<std::byte>(first, first + bytes)]() -> std::string {
    std::byte* to = memory_.reach(static_cast<std::byte*>(device));
    if (!data.empty()) memcpy(to, data.data(), data.size());
    if (observer_ != nullptr) observer_->written(to, data.size());
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
  if (observer_ != nullptr) observer_->begin_call(named_arrays());
  program.run(settings_.schedule, census_);
  if (observer_ != nullptr) observer_->end_call(true);
  if (checker_ != nullptr && !checker_->reports().empty()) return text_of(checker_->reports().front());
  if (!program.damage().empty()) return program.damage();
  for (const auto& [device, array] : live_) {
    const std::string damage = memory_.guard_damage(device);
    if (!damage.empty()) return array.name + ": " + damage;
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

std::vector<checked::TrafficRow> Workbench::traffic() const {
  return meter_ == nullptr ? std::vector<checked::TrafficRow>() : meter_->rows();
}

void Workbench::clear_reports() {
  if (checker_ != nullptr) checker_->clear();
}

} // namespace ts::emulator
