// How work is cut into pieces, pure and on host and device alike: a line into chunks, a matrix into tiles. Kernels and the
// executed examples of spec/execution.md and spec/ops/matmul.md call the same functions.
#pragma once

#include "backends/kernels/plan.h"

#include <cstdint>

namespace ts::kernels {

/// Chunks of a line of `length` elements, at least 1: the values of a level of a reduction tree. // execution.11
TS_HD constexpr int64_t chunk_count(int64_t length, int64_t chunk) {
  const int64_t chunks = ceil_div(length, chunk);
  return chunks < 1 ? 1 : chunks;
}

/// Elements of chunk `index`: all are whole but the last.
TS_HD constexpr int64_t chunk_length(int64_t length, int64_t chunk, int64_t index) {
  const int64_t left = length - index * chunk;
  return left < chunk ? left : chunk;
}

/// One tile of a matrix, clipped to it.
struct Tile {
  int64_t row, column; ///< of its first element
  int64_t rows, columns;
};

/// Tiles of a matrix: numbered along rows of tiles.
TS_HD constexpr int64_t tile_count(int64_t rows, int64_t columns, int64_t tile) {
  return ceil_div(rows, tile) * ceil_div(columns, tile);
}

/// Tile `index` of a matrix that has elements. // matmul.9
TS_HD constexpr Tile tile_at(int64_t rows, int64_t columns, int64_t tile, int64_t index) {
  const int64_t across = ceil_div(columns, tile), row = index / across * tile, column = index % across * tile;
  return {row, column, chunk_length(rows - row, tile, 0), chunk_length(columns - column, tile, 0)};
}

} // namespace ts::kernels
