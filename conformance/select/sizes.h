// The shapes that cases are made of: eleven levels, each with variants that rotate, so that sizes around blocks, vectors
// and tiles, primes, 3 * 2^k and extents of 1 all come up.
#pragma once

#include "conformance/case.h"

#include <cstdint>

namespace ts::conformance {

inline constexpr int kSizeLevels = 11;

/// Shape of the first operand (or of the result) at a level. Variants of one level have one rank.
Shape size_at(int level, uint64_t variant);

/// Whether the shape is a variant of the level.
bool is_size_at(int level, const Shape& shape);

/// Rank at a level, for an op whose operands are as size_at says.
int rank_at(int level);

/// Shapes of both operands of a matrix product at a level.
std::vector<Shape> product_at(int level, uint64_t variant);

/// Whether the shapes of both operands are a variant of the level.
bool is_product_at(int level, const std::vector<Shape>& shapes);

/// Shapes of all operands of an op whose first operand has this shape; a variant decides the extents of an index.
std::vector<Shape> operand_shapes(const judge::Op& op, const Shape& first, int64_t axis, uint64_t variant);

} // namespace ts::conformance
