// What somebody would write by hand for the works of tools/bench/emulator.py: plain loops over 65536 elements, or a matrix of
// 256 x 256. Compiled at -O2 into a library of its own; each function takes its inputs in order, then its output.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace {
constexpr int64_t kSide = 256, kCount = kSide * kSide;
}

#define TS_LOOP extern "C" __attribute__((visibility("default"))) void

TS_LOOP loop_add(const float* x, const float* y, float* z) {
  for (int64_t i = 0; i < kCount; ++i) z[i] = x[i] + y[i];
}
TS_LOOP loop_exp(const float* x, float* z) {
  for (int64_t i = 0; i < kCount; ++i) z[i] = std::exp(x[i]);
}
TS_LOOP loop_add_transposed(const float* x, float* z) {
  for (int64_t i = 0; i < kSide; ++i)
    for (int64_t j = 0; j < kSide; ++j) z[i * kSide + j] = x[i * kSide + j] + x[j * kSide + i];
}
TS_LOOP loop_transpose(const float* x, float* z) {
  for (int64_t i = 0; i < kSide; ++i)
    for (int64_t j = 0; j < kSide; ++j) z[i * kSide + j] = x[j * kSide + i];
}
TS_LOOP loop_sum_rows(const float* x, float* z) {
  for (int64_t i = 0; i < kSide; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < kSide; ++j) sum += x[i * kSide + j];
    z[i] = sum;
  }
}
TS_LOOP loop_sum_columns(const float* x, float* z) {
  for (int64_t j = 0; j < kSide; ++j) z[j] = 0;
  for (int64_t i = 0; i < kSide; ++i)
    for (int64_t j = 0; j < kSide; ++j) z[j] += x[i * kSide + j];
}
TS_LOOP loop_argmax_rows(const float* x, int64_t* z) {
  for (int64_t i = 0; i < kSide; ++i) {
    int64_t best = 0;
    for (int64_t j = 1; j < kSide; ++j)
      if (x[i * kSide + j] > x[i * kSide + best]) best = j;
    z[i] = best;
  }
}
TS_LOOP loop_cumsum_rows(const float* x, float* z) {
  for (int64_t i = 0; i < kSide; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < kSide; ++j) z[i * kSide + j] = sum += x[i * kSide + j];
  }
}
TS_LOOP loop_cumsum_columns(const float* x, float* z) {
  for (int64_t j = 0; j < kSide; ++j) z[j] = x[j];
  for (int64_t i = 1; i < kSide; ++i)
    for (int64_t j = 0; j < kSide; ++j) z[i * kSide + j] = z[(i - 1) * kSide + j] + x[i * kSide + j];
}
TS_LOOP loop_matmul(const float* x, const float* y, float* z) {
  std::fill(z, z + kCount, 0.0F);
  for (int64_t i = 0; i < kSide; ++i)
    for (int64_t k = 0; k < kSide; ++k)
      for (int64_t j = 0; j < kSide; ++j) z[i * kSide + j] += x[i * kSide + k] * y[k * kSide + j];
}
TS_LOOP loop_gather_rows(const float* x, const int64_t* index, float* z) {
  for (int64_t i = 0; i < kSide; ++i)
    for (int64_t j = 0; j < kSide; ++j) z[i * kSide + j] = x[i * kSide + index[i * kSide + j]];
}
TS_LOOP loop_scatter_rows(const int64_t* index, const float* source, float* z) {
  for (int64_t i = 0; i < kSide; ++i)
    for (int64_t j = 0; j < kSide; ++j) z[i * kSide + index[i * kSide + j]] = source[i * kSide + j];
}
TS_LOOP loop_scatter_add_rows(const int64_t* index, const float* source, float* z) {
  for (int64_t i = 0; i < kSide; ++i)
    for (int64_t j = 0; j < kSide; ++j) z[i * kSide + index[i * kSide + j]] += source[i * kSide + j];
}
TS_LOOP loop_sort_rows(const float* x, float* z) {
  std::vector<int64_t> order(kSide);
  for (int64_t i = 0; i < kSide; ++i) {
    const float* row = x + i * kSide;
    std::iota(order.begin(), order.end(), int64_t{0});
    std::stable_sort(order.begin(), order.end(), [row](int64_t a, int64_t b) { return row[a] > row[b]; });
    for (int64_t j = 0; j < kSide; ++j) z[i * kSide + j] = row[order[static_cast<size_t>(j)]];
  }
}
