#include "backends/cuda/queue.h"

#include "backends/cuda/errors.h"
#include "backends/kernels/index_error.h"

#include <algorithm>
#include <utility>

namespace ts::cuda {

namespace {

constexpr size_t kCells = 1024;
constexpr kernels::IndexFault kClean{INT64_MAX, 0, 0, -1};

} // namespace

FaultCells::~FaultCells() {
  if (cells_ != nullptr) cudaFree(cells_);
  if (fetched_ != nullptr) cudaFreeHost(fetched_);
}

void FaultCells::make() {
  constexpr size_t kBytes = kCells * sizeof(kernels::IndexFault);
  void* memory = nullptr;
  if (fetched_ == nullptr) {
    TS_CUDA(cudaMallocHost(&memory, 2 * kBytes));
    fetched_ = static_cast<kernels::IndexFault*>(memory);
    clean_ = fetched_ + kCells;
    std::fill(clean_, clean_ + kCells, kClean);
  }
  if (cells_ == nullptr) {
    TS_CUDA(cudaMalloc(&memory, kBytes));
    cells_ = static_cast<kernels::IndexFault*>(memory);
  }
  TS_CUDA(cudaMemcpyAsync(cells_, clean_, kBytes, cudaMemcpyHostToDevice, stream_));
  made_ = true;
}

kernels::IndexFault* FaultCells::take(int32_t op, uint64_t serial) {
  if (!made_) make();
  if (users_.size() == kCells) {
    fetch();
    TS_CUDA(cudaStreamSynchronize(stream_));
    early_ = collect();
  }
  users_.push_back({op, serial, false});
  return cells_ + (users_.size() - 1);
}

void FaultCells::fetch() {
  if (users_.empty()) return;
  TS_CUDA(
      cudaMemcpyAsync(fetched_, cells_, users_.size() * sizeof(kernels::IndexFault), cudaMemcpyDeviceToHost, stream_));
}

std::optional<ts_error> FaultCells::collect() {
  const std::vector<User> users = std::exchange(users_, {});
  std::vector<size_t> dirty;
  for (size_t k = 0; k < users.size(); ++k) {
    if (fetched_[k].element == INT64_MAX) continue;
    dirty.push_back(k);
    if (users[k].withdrawn) continue;
    if (!early_ || users[k].serial < early_->serial)
      early_ = kernels::index_error(users[k].op, users[k].serial, fetched_[k]);
  }
  made_ = dirty.empty() && made_; // until they are clean; where that fails, the next user cleans all
  for (const size_t k : dirty)
    TS_CUDA(cudaMemcpyAsync(cells_ + k, clean_, sizeof(kernels::IndexFault), cudaMemcpyHostToDevice, stream_));
  made_ = made_ || !dirty.empty();
  return std::exchange(early_, std::nullopt);
}

std::optional<ts_error> Queue::synchronize() {
  faults_.fetch();
  TS_CUDA(cudaStreamSynchronize(stream_.get()));
  const std::optional<ts_error> found = faults_.collect();
  return found ? found : std::exchange(failed_, std::nullopt);
}

std::optional<ts_error> Queue::poll() {
  const cudaError_t state = cudaStreamQuery(stream_.get());
  if (state == cudaErrorNotReady) return std::nullopt;
  check(state, "cudaStreamQuery(stream_.get())", __FILE__, __LINE__);
  return synchronize();
}

} // namespace ts::cuda
