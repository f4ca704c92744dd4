#include "conformance/select/sizes.h"

#include <algorithm>
#include <array>

namespace ts::conformance {

namespace {

const std::array<std::vector<Shape>, kSizeLevels>& sizes() {
  static const std::array<std::vector<Shape>, kSizeLevels> levels = {{
      {{}},
      {{17}, {2}, {3}, {5}, {7}, {8}, {9}, {11}, {13}, {15}, {16}, {4}, {19}, {1}},
      {{33}, {255}, {768}, {31}, {257}, {63}, {513}, {65}, {127}, {32}, {129}, {256}, {511}, {64}, {1021}, {1025}},
      {{5, 7}, {7, 3}, {13, 9}, {3, 11}, {2, 5}, {11, 2}},
      {{3, 33}, {2, 257}, {63, 3}, {33, 17}, {5, 64}, {17, 31}, {257, 2}, {3, 255}},
      {{8, 8}, {5, 5}, {16, 16}, {3, 3}},
      {{3, 5, 7}, {2, 7, 5}, {4, 3, 9}, {5, 2, 33}, {7, 3, 2}},
      {{2, 3, 5, 4}, {3, 2, 4, 5}, {5, 3, 2, 7}},
      {{4, 1, 6}, {1, 5, 1}, {1, 1, 257}, {129, 1, 2}, {3, 7, 1}},
      {{2, 3, 2, 3, 2}, {3, 2, 1, 2, 4}, {2, 2, 3, 5, 2}},
      {{2, 2, 3, 2, 2, 1, 2, 2}, {1, 3, 2, 2, 2, 2, 2, 2}, {2, 3, 1, 2, 2, 2, 3, 2}},
  }};
  return levels;
}

// Batch extents, then M, K, N.
const std::array<std::vector<Shape>, kSizeLevels>& products() {
  static const std::array<std::vector<Shape>, kSizeLevels> levels = {{
      {{1, 1, 1}, {1, 7, 1}},
      {{3, 7, 5}, {5, 3, 9}, {7, 2, 3}},
      {{17, 33, 9}, {33, 9, 17}, {9, 17, 33}},
      {{65, 3, 2}, {129, 2, 1}, {2, 3, 65}},
      {{1, 33, 7}, {7, 65, 1}, {1, 129, 2}},
      {{8, 8, 8}, {16, 16, 16}, {5, 5, 5}},
      {{2, 3, 4, 5}, {3, 1, 5, 4}, {3, 5, 2, 7}, {5, 4, 3, 2}},
      {{2, 3, 4, 5, 2}, {3, 2, 5, 3, 4}},
      {{2, 257, 3}, {3, 255, 2}, {2, 513, 2}},
      {{7, 1, 5}, {33, 1, 3}, {5, 1, 31}},
      {{2, 1, 2, 3, 4, 5}, {1, 3, 2, 5, 3, 2}},
  }};
  return levels;
}

const Shape& pick(const std::vector<Shape>& variants, uint64_t variant) { return variants[variant % variants.size()]; }

} // namespace

Shape size_at(int level, uint64_t variant) { return pick(sizes()[static_cast<size_t>(level)], variant); }

bool is_size_at(int level, const Shape& shape) {
  const std::vector<Shape>& variants = sizes()[static_cast<size_t>(level)];
  return std::find(variants.begin(), variants.end(), shape) != variants.end();
}

int rank_at(int level) { return static_cast<int>(sizes()[static_cast<size_t>(level)].front().size()); }

std::vector<Shape> product_at(int level, uint64_t variant) {
  const Shape& dims = pick(products()[static_cast<size_t>(level)], variant);
  const int64_t n = dims.back();
  const Shape x(dims.begin(), dims.end() - 1);
  Shape y = x;
  y[y.size() - 2] = x.back();
  y.back() = n;
  return {x, y};
}

bool is_product_at(int level, const std::vector<Shape>& shapes) {
  const size_t variants = products()[static_cast<size_t>(level)].size();
  for (size_t k = 0; k < variants; ++k)
    if (product_at(level, k) == shapes) return true;
  return false;
}

std::vector<Shape> operand_shapes(const judge::Op& op, const Shape& first, int64_t axis, uint64_t variant) {
  std::vector<Shape> shapes(std::max<size_t>(op.operands.size(), 1), first);
  const int index = index_operand(op);
  if (index < 0) return shapes;

  const int64_t extent = first[static_cast<size_t>(axis)];
  const std::array<int64_t, 4> extents = {extent, extent + 3, std::max<int64_t>(extent / 2, 1), 2 * extent + 1};
  Shape along = first;
  along[static_cast<size_t>(axis)] = extents[variant % extents.size()];
  if (takes_index_list(op)) {
    shapes[static_cast<size_t>(index)] = {along[static_cast<size_t>(axis)]};
  } else {
    // On every other axis the index may be shorter than what it indexes.
    for (size_t k = 0; k < along.size(); ++k)
      if (static_cast<int64_t>(k) != axis && variant / 4 % 2 == 1) along[k] = std::max<int64_t>(along[k] - 1, 1);
    shapes[static_cast<size_t>(index)] = along;
  }
  for (size_t k = static_cast<size_t>(index) + 1; k < shapes.size(); ++k) shapes[k] = along;
  return shapes;
}

} // namespace ts::conformance
