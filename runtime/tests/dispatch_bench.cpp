// What an operation costs the host besides its arithmetic: tiny tensors, through the whole library, on every device.
#include "runtime/ops/ops.h"
#include "runtime/tensor/factories.h"
#include "runtime/tensor/view.h"

#include <benchmark/benchmark.h>

namespace {

using ts::Tensor;

void synchronize_now_and_then(benchmark::State& state, const ts::Device& device, int64_t& calls) {
  if (++calls % 64 != 0) return; // an asynchronous device would hold back without end
  state.PauseTiming();
  device.synchronize();
  state.ResumeTiming();
}

void bench(const std::string& name, const ts::Device& device, const std::function<void()>& body) {
  benchmark::RegisterBenchmark((name + "/" + device.name()).c_str(), [=](benchmark::State& state) {
    int64_t calls = 0;
    for (auto _ : state) {
      body();
      synchronize_now_and_then(state, device, calls);
    }
    device.synchronize();
  });
}

} // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (const ts::BackendFile& file : ts::available_backends()) {
    if (ts::open_backend(file.name)->device_count() == 0) continue;
    const ts::Device device = file.name;
    const Tensor x = ts::ones({4}, ts::DType::kF32, device), out = ts::empty_like(x);
    bench("add", device, [=] { benchmark::DoNotOptimize(ts::add(x, x)); });
    bench("add_scalar", device, [=] { benchmark::DoNotOptimize(ts::add(x, 1.0)); });
    bench("add_in_place", device, [=] { ts::add_(out, x); });
    bench("add_out", device, [=] { ts::add_out(out, x, x); });
    bench("sum", device, [=] { benchmark::DoNotOptimize(ts::sum(x)); });
    bench("select", device, [=] { benchmark::DoNotOptimize(ts::select(x, 0, 1)); });
    bench("empty", device, [=] { benchmark::DoNotOptimize(ts::empty({4}, ts::DType::kF32, device)); });
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
