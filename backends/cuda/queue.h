// A queue is a CUDA stream, the cells in which its calls note indices that are out of range, and the first error that
// waits to be asked for.
#pragma once

#include "backends/cuda/handles.h"
#include "backends/cuda/vendor.h"
#include "backends/kernels/call.h"

#include <cstdint>
#include <cuda_runtime_api.h>
#include <optional>
#include <vector>

namespace ts::cuda {

/// Cells of one queue, in device memory, made when the first call needs one. Nothing is copied back before somebody
/// synchronizes, and then all cells at once.
class FaultCells {
public:
  explicit FaultCells(cudaStream_t stream) : stream_(stream) {}
  FaultCells(const FaultCells&) = delete;
  FaultCells& operator=(const FaultCells&) = delete;
  ~FaultCells();

  /// A clean cell for a call. Waits for the stream where all cells are in use.
  kernels::IndexFault* take(int32_t op, uint64_t serial);
  /// The call that took the last cell failed, and was told so: what its cell holds is nobody's.
  void withdraw() { users_.back().withdrawn = true; }
  /// Copies the cells in use to the host, in the stream's turn.
  void fetch();
  /// After fetch and the end of the stream's work: cells become free, and the error of the smallest serial is given.
  std::optional<ts_error> collect();

private:
  struct User {
    int32_t op;
    uint64_t serial;
    bool withdrawn;
  };
  void make();

  cudaStream_t stream_;
  bool made_ = false;
  kernels::IndexFault* cells_ = nullptr;   ///< on the device
  kernels::IndexFault* fetched_ = nullptr; ///< on the host, pinned
  kernels::IndexFault* clean_ = nullptr;   ///< on the host, pinned: what a free cell holds
  std::vector<User> users_;                ///< of the cells in use, first to last
  std::optional<ts_error> early_;          ///< found, and not told yet
};

/// One in-order queue of one device. Used by one thread at a time.
class Queue {
public:
  /// On the current device.
  Queue() : Queue(std::nullopt) {}
  /// On a stream of the caller's, where there is one.
  explicit Queue(std::optional<cudaStream_t> callers)
      : stream_(callers ? Stream(*callers) : Stream()), faults_(stream_.get()), vendor_(stream_.get()) {}
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  ~Queue() { cudaStreamSynchronize(stream_.get()); }

  cudaStream_t stream() const { return stream_.get(); }
  FaultCells& faults() { return faults_; }
  Vendor& vendor() { return vendor_; }

  /// Keeps an error that had no caller to tell it to.
  void fail(const ts_error& error) {
    if (!failed_) failed_ = error;
  }

  /// Waits for all work; gives the first error of an index, or one that was kept.
  std::optional<ts_error> synchronize();
  /// The same where all work is done; nothing where it is not.
  std::optional<ts_error> poll();

private:
  Stream stream_; // outlives what works on it
  FaultCells faults_;
  Vendor vendor_;
  std::optional<ts_error> failed_;
};

} // namespace ts::cuda
