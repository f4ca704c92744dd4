// Pinned host memory through which copies to a device go, so that the caller's source has been read when copy_in returns
// and the queue's work need not be waited for.
#pragma once

#include "backends/cuda/handles.h"

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <deque>
#include <mutex>
#include <vector>

namespace ts::cuda {

/// A ring of pinned memory of one device. Pieces are given back in the order they were taken, each when the stream that
/// reads it has got past it.
class Staging {
public:
  Staging() = default;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();

  /// Copies host bytes to device memory in the stream's turn. Has read them when it returns; waits only for room.
  void copy_in(cudaStream_t stream, std::byte* target, const std::byte* source, uint64_t bytes);

private:
  struct Piece {
    size_t end; ///< of the ring's bytes, counted on and on
    Event done;
  };
  void copy_piece(cudaStream_t stream, std::byte* target, const std::byte* source, size_t bytes);
  void retire_front(bool wait);
  Event event();

  std::mutex mutex_;
  std::byte* ring_ = nullptr;
  size_t head_ = 0; ///< bytes ever taken; a piece lies at head_ % size
  size_t tail_ = 0; ///< bytes ever given back
  std::deque<Piece> pieces_;
  std::vector<Event> spare_;
};

} // namespace ts::cuda
