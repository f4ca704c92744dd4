// What the trees of spec/execution.md have in common, written a second time, in its words, for tests to hold kernels against.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace ts::kernels::test {

template <class T> using Values = std::vector<T>;

/// execution.10: a run of values, in four lanes.
template <class T, class Join = std::plus<>> T run_of(const Values<T>& v, const Join& join = {}) {
  T lane[4] = {0, 0, 0, 0};
  for (size_t i = 0; i < v.size(); ++i) lane[i % 4] = join(lane[i % 4], v[i]);
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

/// The run of lane g among `lanes`, of what begins at `first`: four times four neighbours.
template <class T> Values<T> run_at(const Values<T>& v, size_t first, size_t g, size_t lanes) {
  Values<T> run;
  for (size_t step = 0; step < 4; ++step)
    for (size_t j = 0; j < 4; ++j)
      if (const size_t i = first + 4 * g + j + 4 * lanes * step; i < v.size()) run.push_back(v[i]);
  return run;
}

/// execution.11: lanes join in halves, within 32 first.
template <class T> T joined(Values<T> lane) {
  const size_t lanes = lane.size();
  for (size_t w = std::min<size_t>(16, lanes / 2); w > 0; w /= 2)
    for (size_t first = 0; first < lanes; first += 32)
      for (size_t l = first; l < first + w; ++l) lane[l] += lane[l + w];
  for (size_t w = lanes / 2; w >= 32; w /= 2)
    for (size_t l = 0; l < w; ++l) lane[l] += lane[l + w];
  return lane[0];
}

} // namespace ts::kernels::test
