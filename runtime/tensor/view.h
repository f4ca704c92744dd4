// Views: tensors that share storage with another and differ in shape, strides or offset only. Every one is checked against
// the bounds of the storage; none copies, save reshape where no view can have the new shape.
#pragma once

#include "runtime/tensor/tensor.h"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace ts {

/// A range of an axis as Python has it: negative bounds count from the end, bounds beyond the axis are cut, absent ones
/// mean the whole axis in the direction of step. ValueError for step 0.
struct Slice {
  std::optional<int64_t> start;
  std::optional<int64_t> stop;
  int64_t step = 1;
};

/// One axis of extent 1, inserted.
struct NewAxis {};
/// As many whole axes as are left.
struct Ellipsis {};
/// One subscript: an index (drops its axis), a slice, a new axis, an ellipsis.
using Index = std::variant<int64_t, Slice, NewAxis, Ellipsis>;

/// The same elements in another shape; one extent may be -1. A view where strides allow, else a copy. ValueError where
/// the numbers of elements differ.
Tensor reshape(const Tensor& x, Dims shape);
/// The layout that reshape would view, or nothing where it has to copy.
std::optional<Layout> reshaped_layout(const Layout& layout, const Dims& shape);
/// Axis k of the result is axis axes[k] of x.
Tensor permute(const Tensor& x, const Dims& axes);
/// Two axes exchanged.
Tensor transpose(const Tensor& x, int64_t axis1, int64_t axis2);
/// The last two axes exchanged; ValueError below rank 2.
Tensor matrix_transpose(const Tensor& x);
/// Extent-1 axes repeated and new axes added in front, with stride 0; extent -1 keeps an axis as it is.
Tensor expand(const Tensor& x, Dims shape);
Tensor slice(const Tensor& x, int64_t axis, const Slice& range);
/// Extent `length` from `start`; IndexError where that leaves the axis.
Tensor narrow(const Tensor& x, int64_t axis, int64_t start, int64_t length);
/// One index of an axis, which is dropped. IndexError where out of range.
Tensor select(const Tensor& x, int64_t axis, int64_t index);
/// Axes run backwards.
Tensor flip(const Tensor& x, const Dims& axes);
/// Every axis of extent 1 dropped.
Tensor squeeze(const Tensor& x);
/// The named axes dropped; ValueError where one has another extent.
Tensor squeeze(const Tensor& x, const Dims& axes);
/// An axis of extent 1 inserted, so that it is axis `axis` of the result.
Tensor unsqueeze(const Tensor& x, int64_t axis);
/// The diagonal `offset` above the main one of two axes, as a new last axis.
Tensor diagonal(const Tensor& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
/// Windows of `size` along an axis, `step` apart, as a new last axis. Windows may share elements.
Tensor unfold(const Tensor& x, int64_t axis, int64_t size, int64_t step);
/// Any layout on x's storage; ValueError unless every element lies inside.
Tensor as_strided(const Tensor& x, const Dims& shape, const Dims& strides, int64_t offset = 0);

/// Subscripts from the first axis on; axes not named stay whole. IndexError for too many.
Tensor index(const Tensor& x, const std::vector<Index>& subscripts);
/// Assignment through a view: x[subscripts] = value, broadcast and converted; value may overlap x or live elsewhere.
void setitem(const Tensor& x, const std::vector<Index>& subscripts, const Tensor& value);
void setitem(const Tensor& x, const std::vector<Index>& subscripts, const Scalar& value);

} // namespace ts
