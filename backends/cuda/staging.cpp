#include "backends/cuda/staging.h"

#include "backends/cuda/errors.h"

#include <algorithm>
#include <cstring>

namespace ts::cuda {

namespace {

constexpr size_t kRing = size_t{32} << 20;
constexpr size_t kPiece = size_t{4} << 20; // of a long copy: the next is filled while this one travels
constexpr size_t kAlignment = 256;

} // namespace

Staging::~Staging() {
  for (const Piece& piece : pieces_) {
    cudaEventSynchronize(piece.done);
    cudaEventDestroy(piece.done);
  }
  for (const cudaEvent_t spare : spare_) cudaEventDestroy(spare);
  if (ring_ != nullptr) cudaFreeHost(ring_);
}

cudaEvent_t Staging::event() {
  cudaEvent_t event = nullptr;
  if (spare_.empty()) {
    TS_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  } else {
    event = spare_.back();
    spare_.pop_back();
  }
  return event;
}

void Staging::retire_front(bool wait) {
  const Piece piece = pieces_.front();
  if (wait) TS_CUDA(cudaEventSynchronize(piece.done));
  tail_ = piece.end;
  spare_.push_back(piece.done);
  pieces_.pop_front();
}

void Staging::copy_piece(cudaStream_t stream, std::byte* target, const std::byte* source, size_t bytes) {
  const size_t room = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  size_t begin = head_;
  if (begin % kRing + room > kRing) begin += kRing - begin % kRing; // a piece does not wrap
  while (!pieces_.empty() && cudaEventQuery(pieces_.front().done) == cudaSuccess) retire_front(false);
  while (!pieces_.empty() && begin + room - tail_ > kRing) retire_front(true);
  if (pieces_.empty()) tail_ = begin;
  std::byte* staged = ring_ + begin % kRing;
  memcpy(staged, source, bytes);
  const cudaEvent_t done = event();
  TS_CUDA(cudaMemcpyAsync(target, staged, bytes, cudaMemcpyHostToDevice, stream));
  TS_CUDA(cudaEventRecord(done, stream));
  head_ = begin + room;
  pieces_.push_back({head_, done});
}

void Staging::copy_in(cudaStream_t stream, std::byte* target, const std::byte* source, uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (ring_ == nullptr) {
    void* memory = nullptr;
    TS_CUDA(cudaMallocHost(&memory, kRing));
    ring_ = static_cast<std::byte*>(memory);
  }
  for (uint64_t at = 0; at < bytes; at += kPiece)
    copy_piece(stream, target + at, source + at, static_cast<size_t>(std::min<uint64_t>(kPiece, bytes - at)));
}

} // namespace ts::cuda
