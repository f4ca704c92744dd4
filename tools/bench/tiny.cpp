// Host time of one tiny operation through the tensor library: how long a caller is kept, not how long the device works.
// usage: bench_tiny DEVICE
#include "runtime/ops/ops.h"
#include "runtime/tensor/factories.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <vector>

namespace {

constexpr int kCalls = 256; // in a row, few enough that no queue fills up
constexpr int kRepetitions = 101;

template <class Call> double median_us(const ts::Tensor& probe, Call call) {
  std::vector<double> times;
  for (int k = 0; k < kRepetitions; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() /
                    kCalls);
    static_cast<void>(probe.cpu()); // waits
  }
  std::nth_element(times.begin(), times.begin() + kRepetitions / 2, times.end());
  return times[kRepetitions / 2];
}

} // namespace

int main(int argc, char** argv) {
  try {
    const ts::Device device(argc > 1 ? argv[1] : "cpu");
    const ts::Tensor x = ts::full({4, 4}, 1.5, ts::DType::kF32, device),
                     y = ts::full({4, 4}, 2.5, ts::DType::kF32, device);
    const ts::Tensor z = ts::empty_like(x);
    fmt::print("host time of a tiny op on {}: add {:.2f} us, add_out {:.2f} us, sum {:.2f} us\n",
               argc > 1 ? argv[1] : "cpu", median_us(x, [&] { static_cast<void>(ts::add(x, y)); }),
               median_us(x, [&] { ts::add_out(z, x, y); }), median_us(x, [&] { static_cast<void>(ts::sum(x)); }));
  } catch (const std::exception& problem) {
    fmt::print(stderr, "bench_tiny: {}\n", problem.what());
    return 2;
  }
  return 0;
}
