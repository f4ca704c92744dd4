#include "runtime/tensor/view.h"

#include "runtime/errors.h"
#include "runtime/mutate.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace ts {

namespace {

Tensor view(const Tensor& x, Layout layout) { return Tensor(x.storage(), std::move(layout), x.dtype()); }

// As many strides as axes, given once, in ascending or any order.
std::vector<int> normalize_axes(const Dims& axes, int rank, const char* op) {
  std::vector<int> normal;
  for (const int64_t axis : axes) {
    normal.push_back(normalize_axis(axis, rank, op));
    if (std::count(normal.begin(), normal.end(), normal.back()) > 1)
      throw ValueError(fmt::format("[layout.24] {}: axis {} is named twice", op, axis));
  }
  return normal;
}

Dims infer_extent(const Tensor& x, Dims shape) {
  const auto unknown = std::count(shape.begin(), shape.end(), -1);
  if (unknown > 1) throw ValueError("[layout.11] reshape: only one extent may be -1");
  const int64_t count = x.numel();
  if (unknown == 1) {
    const auto at = std::find(shape.begin(), shape.end(), -1);
    *at = 1;
    const int64_t known = element_count(shape);
    if (known == 0 || count % known != 0) {
      throw ValueError(fmt::format("[layout.11] reshape: shape {} has {} elements, no extent for -1 makes that of {}",
                                   shape_text(x.shape()), count, shape_text(shape)));
    }
    *at = count / known;
  }
  if (element_count(shape) != count) {
    throw ValueError(fmt::format("[layout.11] reshape: shape {} has {} elements, {} has {}", shape_text(x.shape()),
                                 count, shape_text(shape), element_count(shape)));
  }
  return shape;
}

} // namespace

// Both shapes are cut into runs of equal element count; a run of old axes that advance together can be split anew.
std::optional<Layout> reshaped_layout(const Layout& layout, const Dims& shape) {
  Layout viewed{shape, Dims(shape.size(), 1), layout.offset};
  if (element_count(shape) == 0) {
    viewed.strides = row_major(shape);
    return viewed;
  }
  Layout old = layout;
  Dims groups(layout.shape.size(), 0);
  merge_axes({&old, 1}, groups);
  size_t axis = shape.size();
  for (size_t run = old.shape.size(); run-- > 0;) {
    int64_t left = old.shape[run], stride = old.strides[run];
    while (left > 1) {
      if (axis == 0) return std::nullopt;
      --axis;
      if (left % shape[axis] != 0) return std::nullopt;
      viewed.strides[axis] = stride;
      left /= shape[axis];
      if (left > 1) stride *= shape[axis];
    }
  }
  return viewed; // what is left of the new axes has extent 1
}

Tensor reshape(const Tensor& x, Dims shape) {
  shape = infer_extent(x, std::move(shape));
  if (std::optional<Layout> viewed = reshaped_layout(x.layout(), shape)) return view(x, std::move(*viewed));
  return view(x.clone(), Layout{shape, row_major(shape), 0});
}

Tensor permute(const Tensor& x, const Dims& axes) {
  const std::vector<int> order = normalize_axes(axes, x.rank(), "permute");
  if (static_cast<int>(order.size()) != x.rank()) {
    throw ValueError(fmt::format("[permute] {} axes are named, the tensor has {}", order.size(), x.rank()));
  }
  Layout layout = x.layout();
  for (size_t k = 0; k < order.size(); ++k) {
    layout.shape[k] = x.shape()[order[k]];
    layout.strides[k] = x.strides()[order[k]];
  }
  return view(x, std::move(layout));
}

Tensor transpose(const Tensor& x, int64_t axis1, int64_t axis2) {
  const int a = normalize_axis(axis1, x.rank(), "transpose"), b = normalize_axis(axis2, x.rank(), "transpose");
  Layout layout = x.layout();
  std::swap(layout.shape[a], layout.shape[b]);
  std::swap(layout.strides[a], layout.strides[b]);
  return view(x, std::move(layout));
}

Tensor matrix_transpose(const Tensor& x) {
  if (x.rank() < 2) throw ValueError(fmt::format("[matrix_transpose] shape {} is no matrix", shape_text(x.shape())));
  return transpose(x, -1, -2);
}

Tensor expand(const Tensor& x, Dims shape) {
  if (shape.size() < x.shape().size()) {
    throw ValueError(
        fmt::format("[layout.4] expand: shape {} has fewer axes than {}", shape_text(shape), shape_text(x.shape())));
  }
  const size_t added = shape.size() - x.shape().size();
  for (size_t axis = added; axis < shape.size(); ++axis)
    if (shape[axis] == -1) shape[axis] = x.shape()[axis - added];
  static_cast<void>(element_count(shape));
  return view(x, broadcast(x.layout(), shape, "expand"));
}

Tensor slice(const Tensor& x, int64_t axis_, const Slice& range) {
  const int axis = normalize_axis(axis_, x.rank(), "slice");
  const int64_t extent = x.shape()[axis], step = range.step;
  if (step == 0) throw ValueError("[layout.12] slice: step is 0");
  // The positions before the first and after the last element that a bound may name.
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
  const auto bound = [&](std::optional<int64_t> given, int64_t absent) {
    if (!given) return absent;
    return std::clamp(*given < 0 ? *given + extent : *given, low, high);
  };
  const int64_t start = bound(range.start, step > 0 ? low : high), stop = bound(range.stop, step > 0 ? high : low);
  if (TS_MUTATE("EM11", false, step > 0 && start == extent)) throw IndexError("slice: start is not below the extent");
  const uint64_t distance = step > 0 ? (stop > start ? static_cast<uint64_t>(stop - start) : 0)
                                     : (start > stop ? static_cast<uint64_t>(start - stop) : 0);
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  Layout layout = x.layout();
  layout.shape[axis] = distance == 0 ? 0 : static_cast<int64_t>((distance - 1) / stride) + 1;
  if (distance > 0) layout.offset += start * layout.strides[axis];
  // A single element has no stride to overflow.
  if (layout.shape[axis] > 1) layout.strides[axis] *= step;
  return view(x, std::move(layout));
}

Tensor narrow(const Tensor& x, int64_t axis_, int64_t start, int64_t length) {
  const int axis = normalize_axis(axis_, x.rank(), "narrow");
  const int64_t extent = x.shape()[axis];
  if (start < 0 || length < 0 || start > extent || length > extent - start) {
    throw IndexError(
        fmt::format("[narrow] {} elements from {} leave axis {} of extent {}", length, start, axis, extent));
  }
  return slice(x, axis, {start, start + length, 1});
}

Tensor select(const Tensor& x, int64_t axis_, int64_t index) {
  const int axis = normalize_axis(axis_, x.rank(), "select");
  const int64_t extent = x.shape()[axis];
  if (index < -extent || index >= extent) {
    throw IndexError(fmt::format("[layout.12] index {} is out of range for axis {} of extent {}", index, axis, extent));
  }
  Layout layout = x.layout();
  layout.offset += (index < 0 ? index + extent : index) * layout.strides[axis];
  layout.shape.erase(static_cast<size_t>(axis));
  layout.strides.erase(static_cast<size_t>(axis));
  return view(x, std::move(layout));
}

Tensor flip(const Tensor& x, const Dims& axes) {
  Layout layout = x.layout();
  for (const int axis : normalize_axes(axes, x.rank(), "flip")) {
    if (layout.shape[axis] < 2) continue;
    layout.offset += (layout.shape[axis] - 1) * layout.strides[axis];
    layout.strides[axis] = -layout.strides[axis];
  }
  return view(x, std::move(layout));
}

Tensor squeeze(const Tensor& x) {
  Dims axes;
  for (int axis = 0; axis < x.rank(); ++axis)
    if (x.shape()[axis] == 1) axes.push_back(axis);
  return squeeze(x, axes);
}

Tensor squeeze(const Tensor& x, const Dims& axes) {
  std::vector<int> dropped = normalize_axes(axes, x.rank(), "squeeze");
  std::sort(dropped.rbegin(), dropped.rend());
  Layout layout = x.layout();
  for (const int axis : dropped) {
    if (layout.shape[axis] != 1) {
      throw ValueError(fmt::format("[squeeze] axis {} has extent {}, not 1", axis, layout.shape[axis]));
    }
    layout.shape.erase(static_cast<size_t>(axis));
    layout.strides.erase(static_cast<size_t>(axis));
  }
  return view(x, std::move(layout));
}

Tensor unsqueeze(const Tensor& x, int64_t axis) {
  const auto at = static_cast<size_t>(normalize_axis(axis, x.rank() + 1, "unsqueeze"));
  Layout layout = x.layout();
  layout.shape.insert(at, 1);
  layout.strides.insert(at, at < x.shape().size() ? x.shape()[at] * x.strides()[at] : 1);
  return view(x, std::move(layout));
}

Tensor diagonal(const Tensor& x, int64_t offset, int64_t axis1, int64_t axis2) {
  const int a = normalize_axis(axis1, x.rank(), "diagonal"), b = normalize_axis(axis2, x.rank(), "diagonal");
  if (a == b) throw ValueError(fmt::format("[layout.24] diagonal: axis {} is named twice", axis1));
  const int64_t rows = x.shape()[a], columns = x.shape()[b];
  const int64_t length = offset >= 0 ? std::min(rows, offset >= columns ? 0 : columns - offset)
                                     : std::min(columns, offset <= -rows ? 0 : rows + offset);
  Layout layout = x.layout();
  if (length > 0) layout.offset += offset >= 0 ? offset * layout.strides[b] : -offset * layout.strides[a];
  const int64_t step = length > 1 ? layout.strides[a] + layout.strides[b] : 1;
  for (const int axis : {std::max(a, b), std::min(a, b)}) {
    layout.shape.erase(static_cast<size_t>(axis));
    layout.strides.erase(static_cast<size_t>(axis));
  }
  layout.shape.push_back(length);
  layout.strides.push_back(step);
  return view(x, std::move(layout));
}

Tensor unfold(const Tensor& x, int64_t axis_, int64_t size, int64_t step) {
  const int axis = normalize_axis(axis_, x.rank(), "unfold");
  const int64_t extent = x.shape()[axis];
  if (size < 0 || size > extent || step < 1) {
    throw ValueError(
        fmt::format("[unfold] no windows of {} elements, {} apart, on axis {} of extent {}", size, step, axis, extent));
  }
  Layout layout = x.layout();
  layout.shape.push_back(size);
  layout.strides.push_back(layout.strides[axis]);
  layout.shape[axis] = (extent - size) / step + 1;
  if (layout.shape[axis] > 1) layout.strides[axis] *= step;
  return view(x, std::move(layout));
}

Tensor as_strided(const Tensor& x, const Dims& shape, const Dims& strides, int64_t offset) {
  if (shape.size() != strides.size()) {
    throw ValueError(fmt::format("[as_strided] {} extents, {} strides", shape.size(), strides.size()));
  }
  // Where no element is, strides mean nothing, and views of it must not overflow them.
  if (element_count(shape) == 0) return view(x, Layout{shape, row_major(shape), 0});
  return view(x, Layout{shape, strides, offset});
}

Tensor index(const Tensor& x, const std::vector<Index>& subscripts) {
  const auto takes_axis = [](const Index& i) { return i.index() < 2; };
  const auto named = std::count_if(subscripts.begin(), subscripts.end(), takes_axis);
  const auto ellipses =
      std::count_if(subscripts.begin(), subscripts.end(), [](const Index& i) { return i.index() == 3; });
  if (named > x.rank() || ellipses > 1) {
    throw IndexError(
        fmt::format("[index] {} subscripts and {} ellipses for a tensor of {} axes", named, ellipses, x.rank()));
  }
  Tensor viewed = x;
  int64_t axis = 0;
  for (const Index& subscript : subscripts) {
    if (const auto* at = std::get_if<int64_t>(&subscript))
      viewed = select(viewed, axis, *at);
    else if (const auto* range = std::get_if<Slice>(&subscript))
      viewed = slice(viewed, axis++, *range);
    else if (std::holds_alternative<NewAxis>(subscript))
      viewed = unsqueeze(viewed, axis++);
    else
      axis += x.rank() - named;
  }
  return viewed;
}

void setitem(const Tensor& x, const std::vector<Index>& subscripts, const Tensor& value) {
  index(x, subscripts).copy_(value);
}

void setitem(const Tensor& x, const std::vector<Index>& subscripts, const Scalar& value) {
  index(x, subscripts).fill_(value);
}

} // namespace ts
