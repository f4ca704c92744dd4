// The families of operations, one function and one file each. A family fills `outputs` and `bounds` of what is
// expected, or throws a Refusal where the call is an error by its row.
#pragma once

#include "conformance/oracle/bounds.h"
#include "conformance/oracle/evaluator.h"
#include "conformance/oracle/oracle.h"

namespace ts::judge {

/// The call is an error that the caller of the operation must be told.
struct Refusal {
  std::string error; ///< "IndexError", "ValueError" or "TypeError"
  std::string reason;
};

void expect_fill(const Call& call, Expected& expected);
void expect_convert(const Call& call, Expected& expected);
void expect_elementwise(const Call& call, Expected& expected);
void expect_reduce(const Call& call, Expected& expected);
void expect_arg_reduce(const Call& call, Expected& expected);
void expect_scan(const Call& call, Expected& expected);
void expect_matmul(const Call& call, Expected& expected);
void expect_gather(const Call& call, Expected& expected);
void expect_scatter(const Call& call, Expected& expected);
void expect_sort(const Call& call, Expected& expected);
void expect_rows(const Call& call, Expected& expected);

/// Moves coordinates on to the next element in row-major order.
inline void advance(const Shape& shape, Shape& at) {
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (++at[axis] < shape[axis]) return;
    at[axis] = 0;
  }
}

/// A shape cut at one axis: element j of line (outer, inner) is at (outer * extent + j) * inner_count + inner.
struct Lines {
  int64_t outer_count = 1, extent = 1, inner_count = 1;
  Lines(const Shape& shape, int64_t axis);
  int64_t at(int64_t outer, int64_t inner, int64_t j) const { return (outer * extent + j) * inner_count + inner; }
};

/// The attribute `axis`; a Refusal where it is outside [0, rank).
int64_t axis_of(const Call& call, size_t rank);
/// Value of an integer or bool attribute.
int64_t integer_of(const Call& call, const std::string& name);

/// Reads the index operand at i, whose axis in `operand` has this extent; a Refusal where the index lies outside it.
int64_t index_at(const Call& call, const Array& index, int64_t i, int64_t extent, int64_t axis);

/// Converts element j of `from` into element i of `to` as the op convert does.
void convert_element(Array& to, int64_t i, const Array& from, int64_t j);

/// Row-major index of the element of `small`, broadcast to `shape`, that stands at this index of `shape`.
class Broadcast {
public:
  Broadcast(const Shape& shape, const Shape& small);
  int64_t operator()(int64_t index) const;
  bool same() const { return same_; }

private:
  Shape shape_, strides_;
  bool same_;
};
/// The shape that all inputs broadcast to; a Refusal where they do not.
Shape broadcast_shape(const Call& call);

} // namespace ts::judge
