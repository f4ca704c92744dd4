// The host's memory and the host's haste: what a device cannot reach, and what is not there yet.
#include "backends/emulator/faults/fault.h"

namespace ts::emulator::faults {
namespace {

constexpr int64_t kItems = 40;

struct Scale {
  const float* factor;
  float* out;
  void operator()(int64_t i) const { out[i] = *factor; }
};
Outcome scale(Workbench& bench, const float* factor) {
  float* out = bench.allocate<float>(kItems, "out");
  bench.flat("scale", kItems, Scale{factor, out});
  return finish(bench, out, std::vector<float>(kItems, 2));
}
Outcome host_pointer(Workbench& bench, bool wrong) {
  const std::vector<float> factor(1, 2);
  return scale(bench, wrong ? factor.data() : bench.upload(factor, "factor"));
}
// A lambda that captures by reference holds addresses of the host's stack.
Outcome captured_by_reference(Workbench& bench, bool wrong) {
  float factor = 2;
  float* out = bench.allocate<float>(kItems, "out");
  if (wrong)
    bench.flat("capture", kItems, [&factor, out](int64_t i) { out[i] = factor; });
  else
    bench.flat("capture", kItems, [factor, out](int64_t i) { out[i] = factor; });
  return finish(bench, out, std::vector<float>(kItems, 2));
}
volatile float global_factor = 2; // so that the compiler does not see through the fault
struct ScaleByGlobal {
  float factor;
  float* out;
  bool global;
  void operator()(int64_t i) const { out[i] = global ? global_factor : factor; }
};
Outcome host_global(Workbench& bench, bool wrong) {
  float* out = bench.allocate<float>(kItems, "out");
  bench.flat("scale_by_global", kItems, ScaleByGlobal{global_factor, out, wrong});
  return finish(bench, out, std::vector<float>(kItems, 2));
}
struct CountOnHost {
  int* count;
  float* out;
  void operator()(int64_t i) const {
    out[i] = 2;
    if (count != nullptr) ++*count;
  }
};
Outcome host_counter(Workbench& bench, bool wrong) {
  static int count = 0;
  float* out = bench.allocate<float>(kItems, "out");
  bench.flat("count_on_host", kItems, CountOnHost{wrong ? &count : nullptr, out});
  return finish(bench, out, std::vector<float>(kItems, 2));
}
Outcome null_pointer(Workbench& bench, bool wrong) {
  return scale(bench, wrong ? nullptr : bench.upload(std::vector<float>{2}, "factor"));
}

struct WritesItsTask {
  float* out;
  float value;
  bool counts;
  mutable int64_t done;
  void operator()(int64_t i) const {
    out[i] = value;
    if (counts) ++done;
  }
};
Outcome state_in_the_task(Workbench& bench, bool wrong) {
  float* out = bench.allocate<float>(kItems, "out");
  bench.flat("writes_its_task", kItems, WritesItsTask{out, 2, wrong, 0});
  return finish(bench, out, std::vector<float>(kItems, 2));
}

Outcome host_reads_too_soon(Workbench& bench, bool wrong) {
  float* out = bench.upload(std::vector<float>(kItems, 0), "out");
  const float* factor = bench.upload(std::vector<float>{2}, "factor");
  bench.flat("scale", kItems, Scale{factor, out});
  std::vector<float> found(kItems, -1);
  bench.copy_out(found, out);
  Outcome outcome;
  if (!wrong) outcome.problem = bench.synchronize();
  outcome.right = found == std::vector<float>(kItems, 2);
  return outcome;
}
Outcome host_follows_device_pointer(Workbench& bench, bool wrong) {
  float* x = bench.upload(std::vector<float>{2}, "x");
  std::vector<float> found(1, 0);
  bench.copy_out(found, x);
  Outcome outcome;
  outcome.problem = bench.synchronize();
  const volatile float* address = x;
  outcome.right = (wrong ? *address : found[0]) == 2;
  return outcome;
}

} // namespace

std::vector<Fault> host_faults() {
  return {
      {"host_pointer", "a kernel is passed a pointer of the host",
       "access to host memory: scale: item 39 reads memory of the host", "at host.cpp", "shuffle", host_pointer},
      {"captured_by_reference", "a lambda captures a local of the host by reference",
       "access to host memory: capture: item 39 reads memory of the host", "at host.cpp", "shuffle",
       captured_by_reference},
      {"host_global", "a kernel reads a variable of the host",
       "access to host memory: scale_by_global: item 39 reads memory of the host", "at host.cpp", "shuffle",
       host_global},
      {"host_counter", "a kernel counts in a variable of the host",
       "access to host memory: count_on_host: item 39 reads memory of the host", "at host.cpp", "shuffle",
       host_counter},
      {"null_pointer", "a null pointer", "access near address 0: scale: item 39 reads address 0", "at host.cpp", "loop",
       null_pointer},
      {"state_in_the_task", "a task keeps state in itself, which every thread has a copy of",
       "write to the launch's arguments: writes_its_task: item 39 writes byte 16 of its task", "at host.cpp", "shuffle",
       state_in_the_task},
      {"read_back_too_soon", "the host reads a copy before it synchronizes", "", "", "loop", host_reads_too_soon},
      {"host_follows_device_pointer", "the host follows a device pointer", "", "", "loop", host_follows_device_pointer},
  };
}

std::vector<Fault> all_faults() {
  std::vector<Fault> all;
  for (const std::vector<Fault>& part : {item_faults(), place_faults(), block_faults(), host_faults()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

} // namespace ts::emulator::faults
