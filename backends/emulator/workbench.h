// An emulated device for tasks of your own: no tensors, no library, two headers (this one and backends/kernels/task.h).
//
//   Workbench bench("check=all");
//   float* x = bench.upload<float>({1, 2, 3}, "x");
//   float* z = bench.allocate<float>(3, "z");
//   bench.flat("double", 3, Double{x, z});
//   std::vector<float> result(3);
//   bench.copy_out(result, z);
//   std::string problem = bench.synchronize();   // only now does anything run; "" where nothing is wrong
//
// Pointers are device addresses: the host cannot follow them. They are found in a task at multiples of 8 bytes; one that
// arrives in another way, from device memory or packed, does not lead anywhere. Checks need the unit that launches compiled
// to be checked (touchstone_instrument in CMake).
#pragma once

#include "backends/emulator/checked/report.h"
#include "backends/emulator/checked/traffic.h"
#include "backends/emulator/launch.h"
#include "backends/emulator/settings.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ts::emulator {

namespace checked {
class Checker;
class TrafficMeter;
} // namespace checked

class Workbench {
public:
  /// Options as after `emulator:`, for one device and without jitter. Throws kernels::Refusal.
  explicit Workbench(std::string_view options = "");
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;
  ~Workbench();

  /// Memory that holds nothing; reports call it by its name. Throws kernels::Refusal where there is no room, once all that
  /// waits has run.
  template <class T> T* allocate(int64_t count, const std::string& name) {
    return static_cast<T*>(allocate_elements(count, sizeof(T), name));
  }
  /// Takes its turn in the queue; a second release of the same memory is a problem that synchronize tells.
  void release(void* device);

  /// The values are read now; the write takes its turn. What does not lie in one allocation is a problem that synchronize
  /// tells, and nothing is copied.
  template <class T> void copy_in(T* device, const std::vector<T>& values) {
    copy_in_bytes(device, values.data(), values.size() * sizeof(T));
  }
  template <class T> T* upload(const std::vector<T>& values, const std::string& name) {
    T* device = allocate<T>(static_cast<int64_t>(values.size()), name);
    copy_in(device, values);
    return device;
  }
  /// The values are there after synchronize.
  template <class T> void copy_out(std::vector<T>& values, const T* device) {
    copy_out_bytes(values.data(), device, values.size() * sizeof(T));
  }

  /// Throws kernels::Refusal for a launch that the device cannot take.
  template <class Task> void flat(const std::string& kernel, int64_t count, const Task& task) {
    std::shared_ptr<Recorder> program = begin();
    program->flat(name_of(kernel), "", count, task);
    push(std::move(program), kernel);
  }
  template <class Task> void blocks(const std::string& kernel, int64_t count, const Task& task) {
    std::shared_ptr<Recorder> program = begin();
    program->blocks(name_of(kernel), "", count, task);
    push(std::move(program), kernel);
  }

  /// Runs all that waits. "" or the first problem since the last time, in a sentence; what one command finds, or throws,
  /// stops no other.
  std::string synchronize();

  /// What checks found since clear_reports, each pair of places once.
  const std::vector<checked::Report>& reports() const;
  void clear_reports();

  /// With check=memory: what became of the accesses of all launches, what wastes most first (text_of makes a page).
  std::vector<checked::TrafficRow> traffic() const;

private:
  struct Array {
    uint64_t bytes;
    int64_t element_bytes;
    std::string name;
  };
  void* allocate_elements(int64_t count, size_t element_bytes, const std::string& name);
  void copy_in_bytes(void* device, const void* values, uint64_t bytes);
  void copy_out_bytes(void* values, const void* device, uint64_t bytes);
  std::string out_of_place(const char* what, const void* device, uint64_t bytes) const;
  const char* name_of(const std::string& kernel);
  std::shared_ptr<Recorder> begin();
  void push(std::shared_ptr<Recorder> program, const std::string& kernel);
  std::string run(Recorder& program, const std::string& kernel);
  void run_all();
  std::vector<OperandFacts> named_arrays() const;

  Settings settings_;
  kernels::Census census_;
  Memory memory_;
  std::unique_ptr<Observer> observer_;
  checked::Checker* checker_ = nullptr;                ///< what observer_ is
  checked::TrafficMeter* meter_ = nullptr;             ///< or this
  std::vector<std::function<std::string()>> commands_; ///< give a problem or ""
  std::map<std::byte*, Array> live_;                   ///< what is not released
  std::set<std::string> names_;                        ///< of kernels: launches keep pointers to them
  std::string problem_;
};

} // namespace ts::emulator
