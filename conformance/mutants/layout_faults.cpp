// Faults of layout: operands read, and results written, as if strides, offsets or broadcasts were other than they are.
#include "conformance/mutants/layer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ts::conformance::mutants {

namespace {

using Done = std::optional<ts_status>;

const ts_view& x_of(const ts_call& call) { return call.inputs[0].view; }
int64_t magnitude(int64_t stride) { return stride < 0 ? -stride : stride; }
bool has_step(const ts_view& view) { return view.rank == 1 && view.shape[0] > 1 && view.stride[0] != 1; }
bool is_single(const ts_view& view) {
  for (int axis = 0; axis < view.rank; ++axis)
    if (view.shape[axis] > 1 && view.stride[axis] != 0) return false;
  return true;
}
bool same_strides(const ts_view& a, const ts_view& b) {
  return a.rank == b.rank && std::equal(a.stride, a.stride + a.rank, b.stride);
}

// The second operand of a product taken for dense because the first one is.
Done y_dense_like_x(Door& door, const ts_call& call) {
  if (!is_dense(x_of(call))) return std::nullopt;
  return Alteration(door, call).input(1, make_dense).run();
}

// Lines of results written at the strides of the operand.
Done results_at_input_strides(Door& door, const ts_call& call) {
  const ts_view& x = x_of(call);
  const auto axis = static_cast<int>(call.attributes[0].integer);
  Alteration altered(door, call);
  for (int k = 0; k < call.output_count; ++k) {
    altered.output(k, [&](ts_view& z) {
      for (int a = 0; a < z.rank; ++a)
        if (a != axis) z.stride[a] = x.stride[a];
      return true;
    });
  }
  return altered.run();
}

// Without gaps taken for row-major.
Done gap_free_as_dense(Door& door, const ts_call& call) {
  if (!is_gap_free(x_of(call))) return std::nullopt;
  return Alteration(door, call).input(0, make_dense).run();
}

// A line of rank 1 read with step 1.
Done line_without_step(Door& door, const ts_call& call) {
  if (!has_step(x_of(call))) return std::nullopt;
  return Alteration(door, call).input(0, make_dense).run();
}

// Blocks of rows: the start of each but the first is reached by an unsigned stride.
Done block_start_unsigned(Door& door, const ts_call& call) {
  constexpr int64_t kBlock = 4;
  const ts_view& x = x_of(call);
  if (x.buffer == 0 || x.rank == 0 || x.shape[0] <= kBlock || x.stride[0] >= 0) return std::nullopt;
  const int64_t rest = x.shape[0] - kBlock;
  CallCopy first(call), second(call);
  for (int k = 0; k < call.input_count; ++k) {
    first.inputs[static_cast<size_t>(k)].view = slice(call.inputs[k].view, 0, 0, kBlock);
    second.inputs[static_cast<size_t>(k)].view = slice(call.inputs[k].view, 0, kBlock, rest);
  }
  first.outputs[0] = slice(call.outputs[0], 0, 0, kBlock);
  second.outputs[0] = slice(call.outputs[0], 0, kBlock, rest);
  ts_view& wrong = second.inputs[0].view;
  wrong.offset = x.offset + magnitude(x.stride[0]) * kBlock;
  if (!door.make_readable(wrong) || !door.attempt(first.call())) return std::nullopt;
  return door.attempt(second.call());
}

// The one element of an axis of extent 1 looked for at a negative stride.
Done unit_axis_steps_back(Door& door, const ts_call& call) {
  return Alteration(door, call)
      .input(0,
             [](ts_view& x) {
               for (int axis = 0; axis < x.rank; ++axis)
                 if (x.shape[axis] == 1 && x.stride[axis] < 0 && x.stride[axis] > -64) {
                   x.offset += x.stride[axis];
                   return true;
                 }
               return false;
             })
      .run();
}

// Strided elements go through another routine: here, one of a wider dtype.
Done strided_by_wider(Door& door, const ts_call& call) {
  const ts_view& x = x_of(call);
  if (x.dtype != TS_DTYPE_F32 || x.buffer == 0 || is_dense(x) || count_of(x) == 0) return std::nullopt;
  CallCopy wide(call);
  wide.inputs[0].view = door.temporary(x, TS_DTYPE_F64);
  wide.outputs[0] = door.temporary(call.outputs[0], TS_DTYPE_F64);
  if (!door.move(x, wide.inputs[0].view)) return std::nullopt;
  const Done status = door.attempt(wide.call());
  if (!status || !door.move(wide.outputs[0], call.outputs[0])) return std::nullopt;
  return status;
}

// The third operand of a fused operation read by its shape.
Done third_dense(Door& door, const ts_call& call) {
  if (call.input_count < 3) return std::nullopt;
  return Alteration(door, call).input(2, make_dense).run();
}

// In place over a view: computed aside, and copied back densely.
Done in_place_written_dense(Door& door, const ts_call& call) {
  const ts_buffer target = call.outputs[0].buffer;
  const bool in_place = std::any_of(call.inputs, call.inputs + call.input_count,
                                    [&](const ts_operand& x) { return x.view.buffer == target; });
  if (!in_place) return std::nullopt;
  return Alteration(door, call).output(0, make_dense).run();
}

Done lines_written_dense(Door& door, const ts_call& call) {
  if (!has_step(call.outputs[0])) return std::nullopt;
  Alteration altered(door, call);
  for (int k = 0; k < call.output_count; ++k) altered.output(k, make_dense);
  return altered.run();
}

// By the flat counter, past a number of elements that is worth sharing out.
Done large_written_flat(Door& door, const ts_call& call) {
  constexpr int64_t kGrain = 32;
  if (count_of(call.outputs[0]) <= kGrain) return std::nullopt;
  return Alteration(door, call).output(0, make_dense).run();
}

// A result that inherited its operand's strides, stored densely.
Done inherited_written_dense(Door& door, const ts_call& call) {
  if (!same_strides(x_of(call), call.outputs[0])) return std::nullopt;
  return Alteration(door, call).output(0, make_dense).run();
}

// A permuted destination reached by products of extents.
Done permuted_written_dense(Door& door, const ts_call& call) {
  const ts_view& z = call.outputs[0];
  if (z.dtype != x_of(call).dtype || !std::any_of(z.stride, z.stride + z.rank, [&](int64_t stride) {
        return magnitude(stride) > magnitude(z.stride[0]);
      }))
    return std::nullopt;
  return Alteration(door, call).output(0, make_dense).run();
}

// Rows of a destination as far apart as they are long.
Done pitch_is_width(Door& door, const ts_call& call) {
  const ts_view& x = call.outputs[0];
  if (x.rank < 2 || x.stride[x.rank - 1] != 1 || x.shape[x.rank - 2] < 2) return std::nullopt;
  CallCopy altered(call);
  ts_view& wrong = altered.outputs[0];
  wrong.stride[x.rank - 2] = x.shape[x.rank - 1];
  if (same_positions(wrong, x) || !shift_inside(wrong, door.elements_of(x.buffer, x.dtype))) return std::nullopt;
  return door.attempt(altered.call());
}

// One value for all elements, read from the start of its buffer.
Done single_from_origin(Door& door, const ts_call& call) {
  Alteration altered(door, call);
  for (int k = 0; k < call.input_count; ++k)
    if (is_single(call.inputs[k].view)) altered.input(k, start_at_origin);
  return altered.run();
}

// The offset added once for every axis.
Done offset_per_axis(Door& door, const ts_call& call) {
  return Alteration(door, call)
      .input(0,
             [](ts_view& x) {
               x.offset *= std::max(x.rank, 1);
               return x.rank > 1;
             })
      .run();
}

Done whole_reduced_from_origin(Door& door, const ts_call& call) {
  if (count_of(call.outputs[0]) != 1) return std::nullopt;
  return Alteration(door, call).input(0, start_at_origin).run();
}

// A dense copy read at the offset of the view that it is a copy of.
Done copy_at_old_offset(Door& door, const ts_call& call) {
  return Alteration(door, call)
      .input(1,
             [&](ts_view& y) {
               if (is_dense(y) || y.offset == 0) return false;
               const int64_t offset = y.offset;
               y = door.saved(y);
               y.offset = offset;
               return true;
             })
      .run();
}

// A shared left matrix folded into one product that makes the first batch only.
Done shared_batch_once(Door& door, const ts_call& call) {
  const ts_view& x = x_of(call);
  const int axis = x.rank - 3;
  if (axis < 0 || x.buffer == 0 || x.shape[axis] < 2 || x.stride[axis] != 0) return std::nullopt;
  CallCopy once(call);
  once.outputs[0] = slice(call.outputs[0], axis, 0, 1);
  for (ts_operand& input : once.inputs) input.view = slice(input.view, axis, 0, 1);
  return door.attempt(once.call());
}

// A column repeated along the rows, taken for a row repeated down the columns.
Done column_as_row(Door& door, const ts_call& call) {
  const ts_view& x = x_of(call);
  if (x.rank != 2 || x.shape[0] != x.shape[1] || x.stride[1] != 0) return std::nullopt;
  return Alteration(door, call).input(0, swap_last_strides).run();
}

// One element repeated, read as a row of neighbours.
Done repeated_as_neighbours(Door& door, const ts_call& call) {
  Alteration altered(door, call);
  for (int k = 0; k < call.input_count; ++k) {
    const ts_view& x = call.inputs[k].view;
    if (x.rank == 1 && x.stride[0] == 0) altered.input(k, make_dense);
  }
  return altered.run();
}

// The leading dimension of a vector taken from the stride of its axis of extent 1.
Done leading_of_unit_axis(Door& door, const ts_call& call) {
  Alteration altered(door, call);
  for (int k = 0; k < 2; ++k) {
    altered.input(k, [](ts_view& x) {
      const int row = x.rank - 2, column = x.rank - 1;
      constexpr int64_t kFar = int64_t{1} << 20; // further on there is no memory to misread
      if (x.shape[column] == 1 && magnitude(x.stride[column]) < kFar)
        x.stride[row] = x.stride[column];
      else if (x.shape[row] == 1 && magnitude(x.stride[row]) < kFar)
        x.stride[column] = x.stride[row];
      return true;
    });
  }
  return altered.run();
}

// Batch axes by the stride of the innermost one.
Done batches_by_inner_stride(Door& door, const ts_call& call) {
  Alteration altered(door, call);
  for (int k = 0; k < 2; ++k) {
    altered.input(k, [](ts_view& x) {
      for (int axis = x.rank - 4; axis >= 0; --axis) x.stride[axis] = x.stride[axis + 1] * x.shape[axis + 1];
      return true;
    });
  }
  return altered.run();
}

Done inner_stride_one(Door& door, const ts_call& call) {
  return Alteration(door, call)
      .input(0,
             [](ts_view& x) {
               x.stride[x.rank - 1] = 1;
               return true;
             })
      .run();
}

Done batch_by_shape(Door& door, const ts_call& call) {
  Alteration altered(door, call);
  for (int k = 0; k < 2; ++k) {
    altered.input(k, [](ts_view& x) {
      if (x.rank < 3) return false;
      x.stride[x.rank - 3] = x.shape[x.rank - 2] * x.shape[x.rank - 1];
      return true;
    });
  }
  return altered.run();
}

// A batch of single rows read at the row stride.
Done batch_by_row_stride(Door& door, const ts_call& call) {
  return Alteration(door, call)
      .input(0,
             [](ts_view& x) {
               if (x.rank < 3 || x.shape[x.rank - 2] != 1 || magnitude(x.stride[x.rank - 2]) > (1 << 20)) return false;
               x.stride[x.rank - 3] = x.stride[x.rank - 2];
               return true;
             })
      .run();
}

Done x_strides_in_16_bits(Door& door, const ts_call& call) {
  return Alteration(door, call).input(0, narrow_strides).run();
}

// The row pitch of the right matrix kept in 16 bits.
Done y_pitch_in_16_bits(Door& door, const ts_call& call) {
  return Alteration(door, call)
      .input(1,
             [](ts_view& y) {
               y.stride[y.rank - 2] %= int64_t{1} << 16;
               return true;
             })
      .run();
}

// The extent before the last used as if it were the last one.
Done trailing_size_of_axis_before(Door& door, const ts_call& call) {
  const ts_view& x = x_of(call);
  if (x.rank < 2 || call.attributes[0].integer != int64_t{1} << (x.rank - 1)) return std::nullopt;
  return Alteration(door, call)
      .input(0,
             [](ts_view& view) {
               view.stride[view.rank - 2] = view.shape[view.rank - 2] * view.stride[view.rank - 1];
               return true;
             })
      .run();
}

// The index operand.
Done index_at_first_element(Door& door, const ts_call& call) {
  return Alteration(door, call)
      .input(0,
             [](ts_view& index) {
               std::fill(index.stride, index.stride + index.rank, 0);
               return true;
             })
      .run();
}

Done index_as_dense(Door& door, const ts_call& call) {
  if (x_of(call).rank != 2) return std::nullopt;
  return Alteration(door, call).input(0, make_dense).run();
}

// Indices written back to front, values as they should be.
Done indices_backwards(Door& door, const ts_call& call) {
  const auto axis = static_cast<int>(call.attributes[0].integer);
  if (x_of(call).dtype != TS_DTYPE_F32 || call.output_count < 2 || axis < 0 || axis >= call.outputs[1].rank)
    return std::nullopt;
  CallCopy altered(call);
  altered.outputs[1] = flipped(call.outputs[1], axis);
  if (same_positions(altered.outputs[1], call.outputs[1])) return std::nullopt;
  return door.attempt(altered.call());
}

// Overlap looked for by the identity of tensors: another view of the same buffer passes.
Done overlap_accepted(Door& door, const ts_call& call) {
  CallCopy altered(call);
  bool shared = false;
  for (ts_operand& input : altered.inputs) {
    if (input.view.buffer != call.outputs[0].buffer || same_positions(input.view, call.outputs[0])) continue;
    shared = true;
    if (!door.make_readable(input.view)) return std::nullopt;
  }
  return shared ? door.attempt(altered.call()) : std::nullopt;
}

constexpr std::array<std::pair<std::string_view, Fault>, 33> kFaults = {{
    {"y_dense_like_x", y_dense_like_x},
    {"results_at_input_strides", results_at_input_strides},
    {"gap_free_as_dense", gap_free_as_dense},
    {"line_without_step", line_without_step},
    {"block_start_unsigned", block_start_unsigned},
    {"unit_axis_steps_back", unit_axis_steps_back},
    {"strided_by_wider", strided_by_wider},
    {"third_dense", third_dense},
    {"in_place_written_dense", in_place_written_dense},
    {"lines_written_dense", lines_written_dense},
    {"large_written_flat", large_written_flat},
    {"inherited_written_dense", inherited_written_dense},
    {"permuted_written_dense", permuted_written_dense},
    {"pitch_is_width", pitch_is_width},
    {"single_from_origin", single_from_origin},
    {"offset_per_axis", offset_per_axis},
    {"whole_reduced_from_origin", whole_reduced_from_origin},
    {"copy_at_old_offset", copy_at_old_offset},
    {"shared_batch_once", shared_batch_once},
    {"column_as_row", column_as_row},
    {"repeated_as_neighbours", repeated_as_neighbours},
    {"leading_of_unit_axis", leading_of_unit_axis},
    {"batches_by_inner_stride", batches_by_inner_stride},
    {"inner_stride_one", inner_stride_one},
    {"batch_by_shape", batch_by_shape},
    {"batch_by_row_stride", batch_by_row_stride},
    {"x_strides_in_16_bits", x_strides_in_16_bits},
    {"y_pitch_in_16_bits", y_pitch_in_16_bits},
    {"trailing_size_of_axis_before", trailing_size_of_axis_before},
    {"index_at_first_element", index_at_first_element},
    {"index_as_dense", index_as_dense},
    {"indices_backwards", indices_backwards},
    {"overlap_accepted", overlap_accepted},
}};

} // namespace

Fault find_layout_fault(std::string_view place) {
  for (const auto& [name, fault] : kFaults)
    if (name == place) return fault;
  return nullptr;
}

} // namespace ts::conformance::mutants
