#include "backends/emulator/workbench.h"

#include "backends/emulator/checked/checker.h"
#include "backends/kernels/numbers.h"

#include <cstring>
#include <utility>

namespace ts::emulator {

using kernels::DoorError;

namespace {

Settings settings_of(std::string_view options) {
  Settings settings = parse_settings(options);
  if (settings.devices != 1) throw DoorError(TS_INVALID_ARGUMENT, "option 'devices': a workbench is one device");
  if (settings.check.jitter != 0)
    throw DoorError(TS_INVALID_ARGUMENT,
                    "option 'jitter': it moves results of the library's own kernels, not of yours");
  return settings;
}

} // namespace

Workbench::Workbench(std::string_view options) : settings_(settings_of(options)), memory_(settings_.memory_bytes) {
  if (!settings_.check.any()) return;
  if (settings_.check.memory)
    observer_ = std::unique_ptr<Observer>(meter_ = new checked::TrafficMeter(memory_, settings_.check.page));
  else
    observer_ = std::unique_ptr<Observer>(checker_ = new checked::Checker(settings_.check, memory_));
  memory_.observe(observer_.get());
}

Workbench::~Workbench() { commands_.clear(); }

void* Workbench::allocate_elements(int64_t count, size_t element_bytes, const std::string& name) {
  if (count < 0)
    throw DoorError(TS_INVALID_ARGUMENT, "allocate: " + name + " of " + std::to_string(count) + " elements")
        .values(count, 0);
  uint64_t bytes = 0;
  const bool beyond = __builtin_mul_overflow(static_cast<uint64_t>(count), element_bytes, &bytes);
  std::byte* device = beyond ? nullptr : memory_.allocate(bytes);
  if (device == nullptr && bytes <= memory_.size() && !beyond) {
    run_all(); // releases may wait
    device = memory_.allocate(bytes);
  }
  if (device == nullptr)
    throw DoorError(TS_OUT_OF_MEMORY, "allocate: no room for " + name + " of " + std::to_string(count) +
                                          " elements of " + std::to_string(element_bytes) + " bytes")
        .values(count, static_cast<int64_t>(memory_.size()));
  live_[device] = {bytes, static_cast<int64_t>(element_bytes), name};
  return device;
}

// What reports call memory by. An element of a size that no number has is a row of words.
std::vector<OperandFacts> Workbench::named_arrays() const {
  std::vector<OperandFacts> arrays;
  for (const auto& [device, array] : live_) {
    const int64_t size = array.element_bytes;
    const int32_t dtype = size % 8 == 0   ? TS_DTYPE_F64
                          : size % 4 == 0 ? TS_DTYPE_F32
                          : size % 2 == 0 ? TS_DTYPE_F16
                                          : TS_DTYPE_U8;
    const int64_t words = size / ts::itemsize(dtype);
    std::byte* data = memory_.reach(device);
    kernels::View view{data, dtype, words == 1 ? 1 : 2, {}, {}};
    view.shape[0] = static_cast<int64_t>(array.bytes) / size;
    view.stride[0] = words;
    view.shape[1] = words;
    view.stride[1] = 1;
    arrays.push_back({array.name, Role::named, view, data});
  }
  return arrays;
}

void Workbench::release(void* device) {
  commands_.emplace_back([this, device]() -> std::string {
    auto* data = static_cast<std::byte*>(device);
    if (live_.erase(data) == 0) return "release of memory that is not allocated, or was released before";
    std::string problem = memory_.take_guard_damage(data);
    memory_.release(data);
    return problem.empty() ? memory_.take_damage() : problem;
  });
}

// "" where the bytes lie in one allocation.
std::string Workbench::out_of_place(const char* what, const void* device, uint64_t bytes) const {
  if (bytes == 0) return "";
  const auto* first = static_cast<const std::byte*>(device);
  auto after = live_.upper_bound(const_cast<std::byte*>(first));
  if (after == live_.begin()) return std::string(what) + ": memory that is not allocated";
  const auto& [begin, array] = *std::prev(after);
  const auto offset = static_cast<uint64_t>(first - begin);
  if (offset >= array.bytes) return std::string(what) + ": memory that is not allocated";
  if (bytes <= array.bytes - offset) return "";
  return std::string(what) + ": " + std::to_string(bytes) + " bytes at byte " + std::to_string(offset) + " of " +
         array.name + ", which has " + std::to_string(array.bytes);
}

void Workbench::copy_in_bytes(void* device, const void* values, uint64_t bytes) {
  const auto* first = static_cast<const std::byte*>(values);
  commands_.emplace_back([this, device, data = std::vector<std::byte>(first, first + bytes)]() -> std::string {
    std::string problem = out_of_place("copy_in", device, data.size());
    if (!problem.empty() || data.empty()) return problem;
    std::byte* to = memory_.reach(static_cast<std::byte*>(device));
    memcpy(to, data.data(), data.size());
    if (observer_ != nullptr) observer_->written(to, data.size());
    return "";
  });
}

void Workbench::copy_out_bytes(void* values, const void* device, uint64_t bytes) {
  commands_.emplace_back([this, values, device, bytes]() -> std::string {
    std::string problem = out_of_place("copy_out", device, bytes);
    if (!problem.empty() || bytes == 0) return problem;
    memcpy(values, memory_.reach(static_cast<std::byte*>(const_cast<void*>(device))), bytes);
    return "";
  });
}

const char* Workbench::name_of(const std::string& kernel) { return names_.insert(kernel).first->c_str(); }

std::shared_ptr<Recorder> Workbench::begin() { return std::make_shared<Recorder>(*settings_.profile, memory_); }

void Workbench::push(std::shared_ptr<Recorder> program, const std::string& kernel) {
  commands_.emplace_back([this, program = std::move(program), kernel] { return run(*program, kernel); });
}

namespace {

// The first of `reports` that was not known, or met less often, before.
std::string first_news(const std::vector<checked::Report>& reports, const std::vector<uint64_t>& times_before) {
  for (size_t k = 0; k < reports.size(); ++k)
    if (k >= times_before.size() || reports[k].times != times_before[k]) return text_of(reports[k]);
  return "";
}

} // namespace

std::string Workbench::run(Recorder& program, const std::string& kernel) {
  std::string problem;
  std::vector<uint64_t> times_before;
  for (const checked::Report& report : reports()) times_before.push_back(report.times);
  if (observer_ != nullptr) observer_->begin_call(named_arrays());
  try {
    program.run(settings_.schedule, census_);
  } catch (const kernels::Refusal& refusal) {
    problem = refusal.what();
  }
  if (observer_ != nullptr) observer_->end_call(problem.empty());
  if (problem.empty()) problem = first_news(reports(), times_before);
  if (problem.empty()) problem = program.damage();
  for (const auto& [device, array] : live_) {
    const std::string damage = memory_.take_guard_damage(device);
    if (damage.empty() || !problem.empty()) continue;
    problem = "kernel " + kernel;
    problem += ": " + array.name + ": " + damage;
  }
  return problem;
}

void Workbench::run_all() {
  for (const auto& command : std::exchange(commands_, {})) {
    const std::string problem = command();
    if (problem_.empty()) problem_ = problem;
  }
}

std::string Workbench::synchronize() {
  run_all();
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
