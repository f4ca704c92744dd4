// Tensors as text. What crosses to the host is what the text shows: the view's own elements, made dense on its device
// first, and of a big tensor only the edges.
#pragma once

#include "runtime/tensor/tensor.h"

#include <string>

namespace ts {

struct PrintOptions {
  int precision = 4;              ///< digits after the point
  int64_t summarize_above = 1000; ///< elements; a bigger tensor shows only the ends of each axis
  int64_t edge = 3;               ///< elements shown at each end then
  int line_width = 80;            ///< characters, where rows are broken
};

/// `tensor([[0, 1, 2],\n        [3, 4, 5]], shape=(2, 3), dtype=i64, device=cpu)`.
std::string to_string(const Tensor& x, const PrintOptions& options = {});

} // namespace ts
