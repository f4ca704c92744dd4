#include "backends/kernels/partition.h"

#include <gtest/gtest.h>

#include <vector>

namespace ts::kernels {
namespace {

TEST(Partition, ChunksCoverEveryElementOnce) {
  for (const int64_t length : {1, 15, 4095, 4096, 4097, 20000, 1'000'003}) {
    int64_t covered = 0;
    for (int64_t i = 0; i < chunk_count(length, 4096); ++i) {
      EXPECT_GT(chunk_length(length, 4096, i), 0);
      covered += chunk_length(length, 4096, i);
    }
    EXPECT_EQ(covered, length);
  }
  EXPECT_EQ(chunk_count(0, 4096), 1) << "a level of nothing still has a value";
}

TEST(Partition, TilesCoverEveryElementOnce) { // matmul.9
  for (const int64_t rows : {1, 5, 8, 33}) {
    for (const int64_t columns : {1, 4, 9, 32}) {
      std::vector<int> hits(static_cast<size_t>(rows * columns));
      for (int64_t t = 0; t < tile_count(rows, columns, 4); ++t) {
        const Tile tile = tile_at(rows, columns, 4, t);
        for (int64_t i = 0; i < tile.rows; ++i)
          for (int64_t j = 0; j < tile.columns; ++j)
            ++hits[static_cast<size_t>((tile.row + i) * columns + tile.column + j)];
      }
      EXPECT_EQ(hits, std::vector<int>(hits.size(), 1)) << rows << " x " << columns;
    }
  }
}

} // namespace
} // namespace ts::kernels
