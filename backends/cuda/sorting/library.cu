// Sorting by CUB: radix sorts, which are stable, of the keys of kernels/sort_keys.h. A line of up to 4096 elements is sorted
// by one block in its registers, a longer one by the whole device. A value is made of its key again, or where several values
// have one key, moved by the place that comes out, so that the bits are those of kernels/sort.h.
#include "backends/cuda/sorting/library.h"
#include "backends/kernels/sort.h"

#include <algorithm>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>

namespace ts::cuda {

namespace {

using kernels::Call;
using kernels::SortLines;
using kernels::SortPlan;

constexpr int kThreads = 256;
constexpr int64_t kGridMax = (int64_t{1} << 31) - 1;
constexpr int64_t kLineMin = kernels::kSortSegment + 1; // shorter ones are the shared kernels' own, several a block
constexpr int64_t kLineMax = 4096;
constexpr int64_t kWholeMin = 1 << 14; // of several lines, which go one after the other

/// Writes the element of this key, which came from `index`, to place `place` of a line.
template <class U>
__device__ __forceinline__ void put(const SortLines<U>& lines, const int64_t (&offset)[3], int64_t place, U key,
                                    int64_t index) {
  using K = kernels::KeyOf<U>;
  const kernels::KeyRule<K>& rule = lines.rule;
  // All NaN have one key, and both zeros.
  const bool shared = rule.body != 0 && (key == static_cast<U>(rule.nan) || key == static_cast<U>(rule.key(0)));
  if (shared || lines.values == nullptr) return lines.put_at(offset, place, index);
  *reinterpret_cast<int64_t*>(lines.indices + offset[2] + place * lines.stride[2]) = index;
  *reinterpret_cast<U*>(lines.values + offset[1] + place * lines.stride[1]) = static_cast<U>(rule.bits(key));
}

/// A line a block, two blocks a processor where registers allow. Keys past the end of a line are the largest there are, and stay
/// last: sorting is stable.
template <class U, int kItems>
__global__ void __launch_bounds__(kThreads, sizeof(U) <= 4 ? 2 : 1)
    sort_lines(int64_t count, const __grid_constant__ SortLines<U> lines) {
  using Exchange = cub::BlockExchange<U, kThreads, kItems>;
  using Sort = cub::BlockRadixSort<U, kThreads, kItems, uint16_t>;
  __shared__ union {
    typename Exchange::TempStorage exchange;
    typename Sort::TempStorage sort;
  } memory;
  const int thread = static_cast<int>(threadIdx.x);
  for (int64_t line = blockIdx.x; line < count; line += gridDim.x) {
    int64_t offset[3];
    lines.lines.at(line, offset);
    U key[kItems];
    uint16_t place[kItems];
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int index = i * kThreads + thread;
      key[i] = index < lines.length ? lines.key(offset[0], index) : static_cast<U>(~U{0});
    }
    Exchange(memory.exchange).StripedToBlocked(key, key);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kItems; ++i) place[i] = static_cast<uint16_t>(thread * kItems + i);
    Sort(memory.sort).SortBlockedToStriped(key, place);
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int rank = i * kThreads + thread;
      if (rank < lines.kept) put(lines, offset, rank, key[i], place[i]);
    }
    __syncthreads();
  }
}

/// The first `kept` of a line, at most kThreads: finds the last of their keys digit by digit, then sorts them alone.
template <class U, int kItems>
__global__ void __launch_bounds__(kThreads) top_lines(int64_t count, const __grid_constant__ SortLines<U> lines) {
  using Exchange = cub::BlockExchange<U, kThreads, kItems>;
  using Sum = cub::BlockScan<int, kThreads>;
  using Sort = cub::BlockRadixSort<U, kThreads, 1, uint16_t>;
  constexpr int kBits = static_cast<int>(sizeof(U)) * 8, kDigit = 8;
  static_assert(1 << kDigit == kThreads);
  __shared__ union {
    typename Exchange::TempStorage exchange;
    typename Sum::TempStorage sum;
    typename Sort::TempStorage sort;
  } memory;
  __shared__ int times[kThreads]; // that a digit occurs
  __shared__ struct { int digit, before; } found;
  __shared__ U top_key[kThreads];
  __shared__ uint16_t top_place[kThreads];
  const int thread = static_cast<int>(threadIdx.x), kept = static_cast<int>(lines.kept);
  for (int64_t line = blockIdx.x; line < count; line += gridDim.x) {
    int64_t offset[3];
    lines.lines.at(line, offset);
    U key[kItems];
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int index = i * kThreads + thread;
      key[i] = index < lines.length ? lines.key(offset[0], index) : static_cast<U>(~U{0});
    }
    Exchange(memory.exchange).StripedToBlocked(key, key);
    U last = 0; // of the keys that are kept: its digits so far
    int left = kept;
    for (int shift = kBits - kDigit; shift >= 0; shift -= kDigit) {
      times[thread] = 0;
      __syncthreads();
#pragma unroll
      for (int i = 0; i < kItems; ++i)
        if (shift == kBits - kDigit || key[i] >> (shift + kDigit) == last >> (shift + kDigit))
          atomicAdd(&times[key[i] >> shift & (kThreads - 1)], 1);
      __syncthreads();
      int before = 0;
      Sum(memory.sum).ExclusiveSum(times[thread], before);
      if (before < left && left <= before + times[thread]) found = {thread, before};
      __syncthreads();
      last = static_cast<U>(last | static_cast<U>(found.digit) << shift);
      left -= found.before;
    }
    // All smaller keys, and the first `left` of those that equal the last one, in the order of their places.
    constexpr int kOne = 1 << 16; // smaller ones are counted above, equal ones below
    int own = 0, before = 0;
#pragma unroll
    for (int i = 0; i < kItems; ++i) own += key[i] < last ? kOne : key[i] == last ? 1 : 0;
    Sum(memory.sum).ExclusiveSum(own, before);
    int smaller = before / kOne, equal = before % kOne;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      if (key[i] > last) continue;
      const int slot = key[i] < last ? smaller++ : kept - left + equal++;
      if (slot >= kept) continue;
      top_key[slot] = key[i];
      top_place[slot] = static_cast<uint16_t>(thread * kItems + i);
    }
    __syncthreads();
    U one_key[1] = {thread < kept ? top_key[thread] : static_cast<U>(~U{0})};
    uint16_t one_place[1] = {thread < kept ? top_place[thread] : uint16_t{0}};
    Sort(memory.sort).Sort(one_key, one_place);
    if (thread < kept) put(lines, offset, thread, one_key[0], one_place[0]);
    __syncthreads();
  }
}

/// The keys of one line, and their places.
template <class U>
__global__ void load_line(const __grid_constant__ SortLines<U> lines, int64_t line, U* key, uint32_t* place) {
  int64_t offset[3];
  lines.lines.at(line, offset);
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < lines.length; i += stride) {
    key[i] = lines.key(offset[0], i);
    place[i] = static_cast<uint32_t>(i);
  }
}

template <class U>
__global__ void store_line(const __grid_constant__ SortLines<U> lines, int64_t line, const U* key,
                           const uint32_t* place) {
  int64_t offset[3];
  lines.lines.at(line, offset);
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < lines.kept; i += stride)
    put(lines, offset, i, key[i], place[i]);
}

/// Takes pieces of a workspace.
class Pieces {
public:
  Pieces(std::byte* begin, uint64_t bytes) : next_(begin), end_(begin + bytes) {}
  template <class T> T* take(int64_t count) {
    T* piece = reinterpret_cast<T*>(next_);
    next_ += (static_cast<uint64_t>(count) * sizeof(T) + 255) / 256 * 256;
    return piece;
  }
  bool overdrawn() const { return next_ > end_; }
  void* rest() const { return next_; }
  size_t rest_bytes() const { return static_cast<size_t>(end_ - next_); }

private:
  std::byte *next_, *end_;
};

template <class U> bool sort_whole(const SortPlan& plan, const Call& call, cudaStream_t stream, cudaError_t* code) {
  if (plan.length > INT32_MAX) return false;
  const int length = static_cast<int>(plan.length);
  Pieces pieces(call.workspace, call.workspace_bytes);
  U* keys[2] = {pieces.take<U>(length), pieces.take<U>(length)};
  uint32_t* places[2] = {pieces.take<uint32_t>(length), pieces.take<uint32_t>(length)};
  if (pieces.overdrawn()) return false;
  cub::DoubleBuffer<U> key(keys[0], keys[1]);
  cub::DoubleBuffer<uint32_t> place(places[0], places[1]);
  constexpr int kBits = static_cast<int>(sizeof(U)) * 8;
  size_t bytes = 0;
  *code = cub::DeviceRadixSort::SortPairs(nullptr, bytes, key, place, length, 0, kBits, stream);
  if (*code != cudaSuccess) return true;
  if (bytes > pieces.rest_bytes()) return false;
  const SortLines<U> lines = kernels::detail::sort_lines<U>(call, plan);
  const auto blocks = static_cast<unsigned>(kernels::ceil_div(length, kThreads));
  for (int64_t line = 0; line < plan.count && *code == cudaSuccess; ++line) {
    key.selector = place.selector = 0;
    load_line<U><<<blocks, kThreads, 0, stream>>>(lines, line, key.Current(), place.Current());
    *code = cub::DeviceRadixSort::SortPairs(pieces.rest(), bytes, key, place, length, 0, kBits, stream);
    if (*code != cudaSuccess) break;
    store_line<U><<<blocks, kThreads, 0, stream>>>(lines, line, key.Current(), place.Current());
    *code = cudaGetLastError();
  }
  return true;
}

template <class U, int kItems>
void sort_in_blocks(const SortPlan& plan, const Call& call, cudaStream_t stream, cudaError_t* code) {
  const auto blocks = static_cast<unsigned>(std::min(plan.count, kGridMax));
  const SortLines<U> lines = kernels::detail::sort_lines<U>(call, plan);
  if (plan.kept <= kThreads)
    top_lines<U, kItems><<<blocks, kThreads, 0, stream>>>(plan.count, lines);
  else
    sort_lines<U, kItems><<<blocks, kThreads, 0, stream>>>(plan.count, lines);
  *code = cudaGetLastError();
}

template <class U> bool sort_keys(const SortPlan& plan, const Call& call, cudaStream_t stream, cudaError_t* code) {
  if (plan.length < kLineMin) return false;
  if (plan.length > kLineMax)
    return (plan.count == 1 || plan.length >= kWholeMin) && sort_whole<U>(plan, call, stream, code);
  if (plan.length <= kLineMax / 2)
    sort_in_blocks<U, kLineMax / 2 / kThreads>(plan, call, stream, code);
  else
    sort_in_blocks<U, kLineMax / kThreads>(plan, call, stream, code);
  return true;
}

bool run(const Call& call, cudaStream_t stream, cudaError_t* code) {
  const SortPlan plan = kernels::plan_sort(call);
  bool enqueued = false;
  *code = cudaSuccess;
  if (plan.count == 0 || plan.kept == 0) return false;
  kernels::with_bits(call.inputs[0].view.dtype,
                     [&](auto type) { enqueued = sort_keys<typename decltype(type)::type>(plan, call, stream, code); });
  return enqueued;
}

} // namespace

} // namespace ts::cuda

extern "C" __attribute__((visibility("default"))) const ts::cuda::SortingLibrary* ts_cuda_sorting() {
  static constexpr ts::cuda::SortingLibrary kLibrary{ts::cuda::run};
  return &kLibrary;
}
