// A vector of trivially copyable elements that keeps up to N of them inside itself: shapes and strides are copied on
// every operation and must not cost an allocation.
#pragma once

#include "runtime/errors.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace ts {

template <class T, size_t N> class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  using value_type = T;

  SmallVector() = default;
  SmallVector(std::initializer_list<T> values) { assign(values.begin(), values.size()); }
  SmallVector(const std::vector<T>& values) { assign(values.data(), values.size()); }
  SmallVector(std::span<const T> values) { assign(values.data(), values.size()); }
  SmallVector(size_t count, T value) {
    resize(count);
    std::fill(begin(), end(), value);
  }
  SmallVector(const SmallVector& other) { assign(other.data(), other.size_); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) assign(other.data(), other.size_);
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~SmallVector() = default;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return heap_ ? heap_.get() : inline_; }
  const T* data() const { return heap_ ? heap_.get() : inline_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  /// New elements are uninitialised.
  void resize(size_t count) {
    reserve(count);
    size_ = count;
  }
  void push_back(T value) {
    resize(size_ + 1);
    back() = value;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void insert(size_t at, T value) {
    push_back(value);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }

  operator std::span<const T>() const { return {data(), size_}; }
  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

private:
  void reserve(size_t count) {
    if (count <= capacity_) return;
    const size_t grown = std::max(count, 2 * capacity_);
    auto heap = std::make_unique<T[]>(grown);
    std::copy(begin(), end(), heap.get());
    heap_ = std::move(heap);
    capacity_ = grown;
  }
  void assign(const T* values, size_t count) {
    resize(count);
    std::copy(values, values + count, data());
  }
  void take(SmallVector& other) noexcept {
    if (other.heap_) {
      heap_ = std::move(other.heap_);
      capacity_ = std::exchange(other.capacity_, N);
      size_ = std::exchange(other.size_, 0);
    } else { // fits: a vector that never grew holds at most N
      size_ = other.size_;
      std::copy(other.inline_, other.inline_ + size_, data());
    }
  }

  size_t size_ = 0;
  size_t capacity_ = N;
  std::unique_ptr<T[]> heap_;
  T inline_[N];
};

/// Extents, strides or indices, one per axis.
using Dims = SmallVector<int64_t, 8>;

} // namespace ts
