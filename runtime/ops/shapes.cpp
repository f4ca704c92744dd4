#include "runtime/ops/shapes.h"

#include "runtime/errors.h"
#include "runtime/mutate.h"

#include <fmt/format.h>

namespace ts::ops {

namespace {

int axis_of(const Launch& call) {
  return static_cast<int>(call.attributes[static_cast<size_t>(call.axis_slot)].integer);
}

[[noreturn]] void refuse(const Launch& call, const std::string& what) {
  throw ValueError(fmt::format("[{}] {}", call.row->name, what));
}

Shapes all(const Launch& call, const Dims& shape) {
  Shapes shapes;
  for (int i = 0; i < call.row->output_count; ++i) shapes.door[i] = shapes.result[i] = shape;
  return shapes;
}

void groups_alone(Launch& call, int rank, int axis) {
  call.groups = Dims(static_cast<size_t>(rank), 0);
  call.groups[axis] = kAlone;
  // Axes on the two sides of the one that stands alone never meet, so one group serves both.
}

Shapes broadcast_rule(Launch& call) {
  Dims shape;
  if (call.input_count > 0) shape = call.inputs[0].layout.shape;
  for (int i = 1; i < call.input_count; ++i)
    if (!call.inputs[i].immediate()) shape = broadcast_shapes(shape, call.inputs[i].layout.shape, call.row->name);
  for (int i = 0; i < call.input_count; ++i) {
    Layout& layout = call.inputs[i].layout;
    if (layout.shape != shape) layout = broadcast(layout, shape, call.row->name);
  }
  call.groups = Dims(shape.size(), 0);
  return all(call, shape);
}

// x keeps its shape, and the others take it. // layer_norm.4
Shapes broadcast_to_x_rule(Launch& call) {
  const Dims shape = call.inputs[0].layout.shape;
  for (int i = 1; i < call.input_count; ++i) {
    Layout& layout = call.inputs[i].layout;
    if (layout.shape != shape) layout = broadcast(layout, shape, call.row->name);
  }
  const auto mask = static_cast<uint64_t>(call.attributes[static_cast<size_t>(call.axes_slot)].integer);
  for (size_t axis = 0; axis < shape.size(); ++axis) call.groups.push_back((mask >> axis & 1) != 0 ? 1 : 0);
  return all(call, shape);
}

Shapes reduce_rule(Launch& call, uint64_t mask, bool keepdims) {
  const Dims& x = call.inputs[0].layout.shape;
  Shapes shapes;
  int64_t reduced = 1, kept = 1;
  call.groups = Dims(x.size(), 0);
  for (size_t axis = 0; axis < x.size(); ++axis) {
    const bool gone = (mask >> axis & 1) != 0;
    call.groups[axis] = gone ? 1 : 0;
    (gone ? reduced : kept) *= x[axis];
    shapes.door[0].push_back(gone ? 1 : x[axis]);
    const bool dropped = gone && !keepdims && TS_MUTATE("BC09", true, x[axis] != 1); // reduce.9
    if (dropped)
      shapes.hidden |= uint64_t{1} << axis;
    else
      shapes.result[0].push_back(gone ? 1 : x[axis]);
  }
  if (call.row->empty == EmptyRule::error && reduced == 0 && kept > 0)
    throw ValueError(
        fmt::format("[reduce.7] {}: shape {} has no element to choose from", call.row->name, shape_text(x)));
  return shapes;
}

Shapes matmul_rule(Launch& call) {
  Layout& x = call.inputs[0].layout;
  Layout& y = call.inputs[1].layout;
  if (x.rank() == 0 || y.rank() == 0) refuse(call, "an operand of rank 0 is no matrix");
  const bool row_vector = x.rank() == 1, column_vector = y.rank() == 1;
  const Dims x_shape = x.shape, y_shape = y.shape; // as the caller knows them
  if (row_vector) {
    x.shape.insert(0, 1);
    x.strides.insert(0, 0);
  }
  if (column_vector) {
    y.shape.push_back(1);
    y.strides.push_back(0);
  }
  if (x.shape.back() != y.shape[y.shape.size() - 2]) {
    refuse(call, fmt::format("shapes {} and {} do not multiply: {} columns meet {} rows", shape_text(x_shape),
                             shape_text(y_shape), x.shape.back(), y.shape[y.shape.size() - 2]));
  }
  const auto batch_of = [](const Layout& layout) {
    return std::span<const int64_t>(layout.shape.data(), layout.shape.size() - 2);
  };
  const Dims batch = broadcast_shapes(batch_of(x), batch_of(y), call.row->name);
  for (Layout* layout : {&x, &y}) {
    Dims wide = batch;
    wide.push_back(layout->shape[layout->shape.size() - 2]);
    wide.push_back(layout->shape.back());
    // The matrix axes are equal by construction, so only batch axes are stretched.
    *layout = broadcast(*layout, wide, call.row->name);
  }
  Shapes shapes;
  shapes.door[0] = shapes.result[0] = batch;
  shapes.door[0].push_back(x.shape[x.shape.size() - 2]);
  shapes.door[0].push_back(y.shape.back());
  if (row_vector) shapes.hidden |= uint64_t{1} << batch.size();
  if (column_vector) shapes.hidden |= uint64_t{1} << (batch.size() + 1);
  if (!row_vector) shapes.result[0].push_back(x.shape[x.shape.size() - 2]);
  if (!column_vector) shapes.result[0].push_back(y.shape.back());
  call.groups = Dims(batch.size(), 0);
  call.groups.push_back(kAlone);
  call.groups.push_back(kAlone);
  return shapes;
}

// index <= x on every axis but one: the door's rule; x is cut to it so that axes can merge.
void require_below(Launch& call, const Dims& index, Layout& x, int axis) {
  if (index.size() != x.shape.size()) {
    refuse(call, fmt::format("index of shape {} for x of shape {}: the ranks differ", shape_text(index),
                             shape_text(x.shape)));
  }
  for (int k = 0; k < x.rank(); ++k) {
    if (k == axis) continue;
    if (index[k] > x.shape[k]) {
      refuse(call, fmt::format("index of shape {} is larger than x of shape {} on axis {}", shape_text(index),
                               shape_text(x.shape), k));
    }
    if (x.rank() > TS_RANK_MAX) x.shape[k] = index[k];
  }
}

void require_index_vector(Launch& call, const Layout& index) {
  if (index.rank() != 1) refuse(call, fmt::format("index of shape {} has not one axis", shape_text(index.shape)));
}

Shapes index_rule(Launch& call) {
  Layout& x = call.inputs[0].layout;
  const Dims& index = call.inputs[1].layout.shape;
  const int axis = axis_of(call);
  groups_alone(call, x.rank(), axis);
  if (call.row->shape == ShapeRule::gather) {
    require_below(call, index, x, axis);
    return all(call, index);
  }
  require_index_vector(call, call.inputs[1].layout);
  Dims shape = x.shape;
  shape[axis] = index[0];
  return all(call, shape);
}

Shapes scatter_rule(Launch& call, const Layout& x) {
  const Layout& index = call.inputs[0].layout;
  const Layout& source = call.inputs[1].layout;
  const int axis = axis_of(call);
  groups_alone(call, x.rank(), axis);
  if (call.row->shape == ShapeRule::scatter) {
    Layout cut = x;
    if (source.shape != index.shape) {
      refuse(call, fmt::format("index of shape {} and source of shape {} differ", shape_text(index.shape),
                               shape_text(source.shape)));
    }
    require_below(call, index.shape, cut, axis);
    Shapes shapes = all(call, x.shape);
    shapes.door[0] = cut.shape; // cut as x is for gather
    return shapes;
  }
  require_index_vector(call, index);
  Dims expected = x.shape;
  expected[axis] = index.shape[0];
  if (source.shape != expected) {
    refuse(call, fmt::format("source of shape {} where x, index and axis ask for {}", shape_text(source.shape),
                             shape_text(expected)));
  }
  return all(call, x.shape);
}

} // namespace

Shapes apply_shape_rule(Launch& call, const Layout* inout, bool keepdims) {
  switch (call.row->shape) {
    case ShapeRule::reduce:
      return reduce_rule(call, static_cast<uint64_t>(call.attributes[static_cast<size_t>(call.axes_slot)].integer),
                         keepdims);
    case ShapeRule::arg_reduce: {
      Shapes shapes = reduce_rule(call, uint64_t{1} << axis_of(call), keepdims);
      groups_alone(call, call.inputs[0].layout.rank(), axis_of(call));
      return shapes;
    }
    case ShapeRule::matmul: return matmul_rule(call);
    case ShapeRule::gather:
    case ShapeRule::index_select: return index_rule(call);
    case ShapeRule::scatter:
    case ShapeRule::index_add: return scatter_rule(call, *inout);
    case ShapeRule::topk: {
      Dims shape = call.inputs[0].layout.shape;
      const int64_t k = call.attributes[1].integer;
      groups_alone(call, call.inputs[0].layout.rank(), axis_of(call));
      if (k < 0 || k > shape[axis_of(call)])
        throw ValueError(
            fmt::format("[topk.2] k {} is not within axis {} of extent {}", k, axis_of(call), shape[axis_of(call)]));
      shape[axis_of(call)] = k;
      return all(call, shape);
    }
    case ShapeRule::one: break; // fill is given its output
    case ShapeRule::broadcast: return broadcast_rule(call);
    case ShapeRule::broadcast_to_x: return broadcast_to_x_rule(call);
    case ShapeRule::same:
      if (call.axis_slot < 0) return broadcast_rule(call);
      groups_alone(call, call.inputs[0].layout.rank(), axis_of(call));
      return all(call, call.inputs[0].layout.shape);
  }
  TS_CHECK(false);
}

Layout door_layout(const Layout& result, const Dims& door, uint64_t hidden) {
  if (hidden == 0 && result.shape == door) return result;
  Layout layout;
  layout.offset = result.offset;
  layout.shape = door;
  size_t next = 0;
  for (size_t axis = 0; axis < door.size(); ++axis)
    layout.strides.push_back((hidden >> axis & 1) != 0 ? 0 : result.strides[next++]);
  return layout;
}

} // namespace ts::ops
