#include "backends/cuda/staging.h"

#include "backends/cuda/errors.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ts::cuda {

namespace {

constexpr size_t kRing = size_t{32} << 20;
constexpr size_t kPiece = size_t{4} << 20; // of a long copy: the next is filled while this one travels
constexpr size_t kAlignment = 256;

} // namespace

Staging::~Staging() {
  for (const Piece& piece : pieces_) cudaEventSynchronize(piece.done.get());
  if (ring_ != nullptr) cudaFreeHost(ring_);
}

Event Staging::event() {
  if (spare_.empty()) return Event();
  Event event = std::move(spare_.back());
  spare_.pop_back();
  return event;
}

void Staging::retire_front(bool wait) {
  if (wait) TS_CUDA(cudaEventSynchronize(pieces_.front().done.get()));
  tail_ = pieces_.front().end;
  spare_.push_back(std::move(pieces_.front().done));
  pieces_.pop_front();
}

void Staging::copy_piece(cudaStream_t stream, std::byte* target, const std::byte* source, size_t bytes) {
  const size_t room = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  size_t begin = head_;
  if (begin % kRing + room > kRing) begin += kRing - begin % kRing; // a piece does not wrap
  while (!pieces_.empty() && pieces_.front().done.passed()) retire_front(false);
  while (!pieces_.empty() && begin + room - tail_ > kRing) retire_front(true);
  if (pieces_.empty()) tail_ = begin;
  std::byte* staged = ring_ + begin % kRing;
  memcpy(staged, source, bytes);
  Event done = event();
  TS_CUDA(cudaMemcpyAsync(target, staged, bytes, cudaMemcpyHostToDevice, stream));
  try {
    TS_CUDA(cudaEventRecord(done.get(), stream));
  } catch (const CudaError&) {
    cudaStreamSynchronize(stream); // nothing else tells when the piece has been read
    throw;
  }
  head_ = begin + room;
  pieces_.push_back({head_, std::move(done)});
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
