// One planted error for every tool of compute-sanitizer: a tool that does not see its own is a tool that proves nothing.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

namespace {

__global__ void write_past_the_end(int* data, int count) { data[count + threadIdx.x] = 1; }

__global__ void race_in_shared_memory(int* data) {
  __shared__ int shared[64];
  shared[threadIdx.x] = static_cast<int>(threadIdx.x);
  data[threadIdx.x] = shared[63 - threadIdx.x]; // no barrier before
}

__global__ void read_what_nobody_wrote(const int* data, int* out) { out[threadIdx.x] = data[threadIdx.x] + 1; }

__global__ void barrier_for_some(int* data) {
  if (threadIdx.x < 16) __syncthreads();
  data[threadIdx.x] = 1;
}

} // namespace

int main(int argc, char** argv) {
  constexpr int kCount = 64;
  const char* tool = argc > 1 ? argv[1] : "";
  int *data = nullptr, *out = nullptr;
  if (cudaMalloc(&data, kCount * sizeof(int)) != cudaSuccess || cudaMalloc(&out, kCount * sizeof(int)) != cudaSuccess) {
    std::fprintf(stderr, "no device\n");
    return 2;
  }
  if (std::strcmp(tool, "memcheck") == 0)
    write_past_the_end<<<1, kCount>>>(data, kCount);
  else if (std::strcmp(tool, "racecheck") == 0)
    race_in_shared_memory<<<1, kCount>>>(data);
  else if (std::strcmp(tool, "initcheck") == 0)
    read_what_nobody_wrote<<<1, kCount>>>(data, out);
  else if (std::strcmp(tool, "synccheck") == 0)
    barrier_for_some<<<1, kCount>>>(data);
  cudaDeviceSynchronize();
  return 0;
}
