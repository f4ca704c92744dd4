// What a launch costs the host before anything of ours has run: the floor under the host time of a tiny operation.
// usage: cuda_launch_cost
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

namespace {

constexpr int kCalls = 256; // in a row, few enough that no queue fills up
constexpr int kRepetitions = 101;

template <int kBytes> struct Parameters { char bytes[kBytes]; };
template <int kBytes> __global__ void empty(const __grid_constant__ Parameters<kBytes> parameters) {}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "cuda_launch_cost: %s\n", cudaGetErrorString(status));
  exit(2);
}

template <int kBytes> double median_us(cudaStream_t stream) {
  Parameters<kBytes> parameters{};
  void* arguments[] = {&parameters};
  std::vector<double> times;
  for (int k = 0; k < kRepetitions; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) check(cudaLaunchKernel(empty<kBytes>, dim3(1), dim3(256), arguments, 0, stream));
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() /
                    kCalls);
    check(cudaStreamSynchronize(stream));
  }
  std::nth_element(times.begin(), times.begin() + kRepetitions / 2, times.end());
  return times[kRepetitions / 2];
}

} // namespace

int main() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  printf(
      "host time of cudaLaunchKernel alone: %.2f us with 8 bytes of parameters, %.2f us with 128, %.2f us with 512\n",
      median_us<8>(stream), median_us<128>(stream), median_us<512>(stream));
  return 0;
}
