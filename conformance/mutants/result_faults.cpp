// Faults of results: parts that are never written, calls that are skipped, values that are changed on the way.
#include "conformance/mutants/layer.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace ts::conformance::mutants {

namespace {

using Done = std::optional<ts_status>;

const ts_view& x_of(const ts_call& call) { return call.inputs[0].view; }
int64_t inner_extent(const ts_call& call) { return x_of(call).shape[x_of(call).rank - 1]; }
bool is_product_of_nothing(const ts_call& call) {
  return x_of(call).rank > 0 && inner_extent(call) == 0 && count_of(call.outputs[0]) > 0;
}

// Zero elements past 2^16, where a narrow counter ends.
Done zero_past_16_bits(Door& door, const ts_call& call) {
  constexpr int64_t kEnd = int64_t{1} << 16;
  const int64_t count = count_of(call.outputs[0]);
  if (count <= kEnd) return std::nullopt;
  const ts_view whole = door.temporary(call.outputs[0]);
  CallCopy altered(call);
  altered.outputs[0] = whole;
  const Done status = door.attempt(altered.call());
  if (!status) return std::nullopt;
  std::vector<std::byte> bytes = door.download(whole.buffer);
  std::fill(bytes.begin() + kEnd * itemsize_of(whole.dtype), bytes.end(), std::byte{0});
  door.upload(whole.buffer, bytes);
  if (!door.move(whole, call.outputs[0])) return std::nullopt;
  return status;
}

// The number of elements rounded up to whole blocks wraps to nothing.
Done nothing_where_rounding_wraps(Door&, const ts_call& call) {
  constexpr int64_t kBlock = 256;
  const int64_t count = count_of(call.outputs[0]);
  if (count >= int64_t{1} << 16 || (count + kBlock - 1) / kBlock * kBlock < int64_t{1} << 16) return std::nullopt;
  return TS_OK;
}

// At most 65,535 lines: the rest is never begun.
Done lines_in_16_bits(Door& door, const ts_call& call) {
  constexpr int64_t kLines = 65535;
  const ts_view& x = x_of(call);
  const int64_t axis = call.attribute_count > 0 ? call.attributes[0].integer : -1;
  if (x.rank < 2 || axis == 0 || x.shape[0] <= kLines) return std::nullopt;
  CallCopy altered(call);
  for (ts_view& output : altered.outputs) output = slice(output, 0, 0, kLines);
  for (ts_operand& input : altered.inputs) input.view = slice(input.view, 0, 0, kLines);
  return door.attempt(altered.call());
}

// Columns past 256 forgotten, at one width only.
Done columns_unwritten_at_768(Door& door, const ts_call& call) {
  const ts_view& z = call.outputs[0];
  if (z.rank == 0 || z.shape[z.rank - 1] != 768) return std::nullopt;
  return leave_unwritten(door, call, slice(z, z.rank - 1, 257, 768 - 257));
}

// The last element of a line lost where it alone fills a group of 32.
Done lone_lane_lost(Door& door, const ts_call& call) {
  const ts_view& x = x_of(call);
  const int last = x.rank - 1;
  if (x.rank == 0 || x.shape[last] < 33 || x.shape[last] % 32 != 1 || (call.attributes[0].integer >> last & 1) == 0)
    return std::nullopt;
  CallCopy altered(call);
  altered.inputs[0].view = slice(x, last, 0, x.shape[last] - 1);
  return door.attempt(altered.call());
}

Done product_of_nothing_skipped(Door&, const ts_call& call) {
  return is_product_of_nothing(call) ? Done(TS_OK) : std::nullopt;
}

Done vector_product_of_nothing_skipped(Door&, const ts_call& call) {
  const ts_view& z = call.outputs[0];
  return is_product_of_nothing(call) && z.shape[z.rank - 2] == 1 ? Done(TS_OK) : std::nullopt;
}

Done zero_extent_refused(Door& door, const ts_call& call) {
  if (count_of(x_of(call)) != 0 && count_of(call.outputs[0]) != 0) return std::nullopt;
  return door.refuse(TS_INVALID_ARGUMENT, "an extent is 0");
}

Done empty_batch_aborts(Door&, const ts_call& call) {
  if (count_of(call.outputs[0]) == 0) std::abort();
  return std::nullopt;
}

Done reduction_of_nothing_skipped(Door&, const ts_call& call) {
  return count_of(x_of(call)) == 0 && count_of(call.outputs[0]) > 0 ? Done(TS_OK) : std::nullopt;
}

// Row 32 added to what row 0 left in a tile.
Done tile_of_32_rows_reused(Door& door, const ts_call& call) {
  const ts_view& z = call.outputs[0];
  if (z.rank < 2 || z.shape[0] <= 32 || z.dtype == TS_DTYPE_BOOL) return std::nullopt;
  const Done status = door.attempt(call);
  if (!status) return std::nullopt;
  const ts_view target = slice(z, 0, 32, 1);
  const std::array<ts_operand, 2> rows = {{{target, 0}, {door.saved(slice(z, 0, 0, 1)), 0}}};
  Door adder(door.backend(), door.sizes(), TS_FAMILY_ELEMENTWISE, call, nullptr);
  CallCopy add(call);
  add.header.op = TS_OP_ADD;
  add.header.attribute_count = 0;
  add.header.input_count = 2;
  add.inputs.assign(rows.begin(), rows.end());
  add.outputs[0] = target;
  adder.attempt(add.call());
  return status;
}

// The accumulator as wide as the elements: a wide result that went through their dtype.
Done accumulated_in_input_dtype(Door& door, const ts_call& call) {
  const ts_view& z = call.outputs[0];
  if (z.dtype != TS_DTYPE_I64 || (x_of(call).dtype != TS_DTYPE_I32 && x_of(call).dtype != TS_DTYPE_U8))
    return std::nullopt;
  const Done status = door.attempt(call);
  if (!status || count_of(z) == 0) return status;
  const ts_view narrow = door.temporary(z, x_of(call).dtype);
  door.move(z, narrow);
  door.move(narrow, z);
  return status;
}

// A scalar operand cut to 32 bits.
Done scalar_in_32_bits(Door& door, const ts_call& call) {
  if (x_of(call).dtype != TS_DTYPE_I64) return std::nullopt;
  CallCopy altered(call);
  bool changed = false;
  for (ts_operand& input : altered.inputs) {
    if (input.view.buffer != 0) continue;
    const auto cut = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(input.bits)));
    changed = changed || cut != input.bits;
    input.bits = cut;
  }
  return changed ? door.attempt(altered.call()) : std::nullopt;
}

// Floating to u8 wraps for one element and saturates for several.
Done one_element_wraps(Door& door, const ts_call& call) {
  const ts_view &x = x_of(call), &z = call.outputs[0];
  const bool floating = x.dtype >= TS_DTYPE_F16;
  if (!floating || z.dtype != TS_DTYPE_U8 || count_of(z) != 1 || x.buffer == 0) return std::nullopt;
  const ts_view wide = door.temporary(z, TS_DTYPE_I64);
  if (!door.move(x, wide) || !door.move(wide, z)) return std::nullopt;
  return TS_OK;
}

Done pair_skipped(Door&, const ts_call& call) {
  const bool pair = x_of(call).dtype == TS_DTYPE_I32 && call.outputs[0].dtype == TS_DTYPE_F64;
  return pair ? Done(TS_OK) : std::nullopt;
}

// A narrower result staged over the operand.
Done staged_over_source(Door& door, const ts_call& call) {
  const ts_view &x = x_of(call), &z = call.outputs[0];
  if (x.buffer == 0 || x.buffer == z.buffer || count_of(z) == 0 || itemsize_of(z.dtype) >= itemsize_of(x.dtype))
    return std::nullopt;
  const Done status = door.attempt(call);
  if (!status) return std::nullopt;
  const std::vector<std::byte> result = door.download(door.saved(z).buffer);
  std::vector<std::byte> source = door.download(x.buffer);
  std::copy_n(result.begin(), count_of(z) * itemsize_of(z.dtype),
              source.begin() + reach_of(x).low * itemsize_of(x.dtype));
  door.upload(x.buffer, source);
  return status;
}

// Two workers read the same old elements; what both write, the second one keeps.
Done updates_lost(Door& door, const ts_call& call) {
  const auto axis = static_cast<int>(call.attributes[0].integer);
  const ts_view &index = x_of(call), &source = call.inputs[1].view;
  const ts_view& x = call.outputs[0];
  const int index_axis = index.rank == x.rank ? axis : 0;
  if (axis < 0 || axis >= x.rank || index.shape[index_axis] < 2) return std::nullopt;
  const int64_t half = index.shape[index_axis] / 2, rest = index.shape[index_axis] - half;
  const std::vector<std::byte> before = door.download(x.buffer);
  std::array<std::vector<std::byte>, 2> after;
  Done status;
  for (int worker = 0; worker < 2; ++worker) {
    CallCopy part(call);
    const int64_t begin = worker == 0 ? 0 : half, count = worker == 0 ? half : rest;
    part.inputs[0].view = slice(index, index_axis, begin, count);
    part.inputs[1].view = slice(source, axis, begin, count);
    door.upload(x.buffer, before);
    status = door.attempt(part.call());
    if (!status || *status != TS_OK) {
      door.upload(x.buffer, before);
      return std::nullopt;
    }
    after[static_cast<size_t>(worker)] = door.download(x.buffer);
  }
  const auto item = static_cast<size_t>(itemsize_of(x.dtype));
  std::vector<std::byte> merged = after[0];
  for (size_t at = 0; at + item <= merged.size(); at += item)
    if (std::memcmp(after[1].data() + at, before.data() + at, item) != 0)
      std::copy_n(after[1].begin() + static_cast<std::ptrdiff_t>(at), item,
                  merged.begin() + static_cast<std::ptrdiff_t>(at));
  door.upload(x.buffer, merged);
  return status;
}

// Every second call takes its updates in the opposite order.
Done order_changes_by_call(Door& door, const ts_call& call) {
  if (call.serial % 2 == 0) return std::nullopt;
  const auto axis = static_cast<int>(call.attributes[0].integer);
  const ts_view& index = x_of(call);
  if (axis < 0 || axis >= index.rank || index.shape[axis] < 2 || index.rank != call.outputs[0].rank)
    return std::nullopt;
  CallCopy altered(call);
  for (ts_operand& input : altered.inputs) input.view = flipped(input.view, axis);
  return door.attempt(altered.call());
}

Done scalar_source_refused(Door& door, const ts_call& call) {
  const ts_view& source = call.inputs[1].view;
  const bool repeated = std::all_of(source.stride, source.stride + source.rank, [](int64_t s) { return s == 0; });
  if (!repeated || count_of(source) < 2) return std::nullopt;
  return door.refuse(TS_DEVICE_ERROR, "a scalar does not go with several indices");
}

// The last item of a batch takes its index from the batch that a faster worker already fetches.
Done index_prefetched(Door& door, const ts_call& call) {
  constexpr int64_t kBatch = 32;
  const ts_view& index = call.inputs[1].view;
  const int64_t count = count_of(index), item = itemsize_of(index.dtype);
  if (index.buffer == 0 || count <= kBatch) return std::nullopt;
  CallCopy altered(call);
  ts_view& fetched = altered.inputs[1].view;
  fetched = door.saved(index);
  std::vector<std::byte> bytes = door.download(fetched.buffer);
  for (int64_t next = kBatch; next < count; next += kBatch)
    std::copy_n(bytes.begin() + next * item, item, bytes.begin() + (next - 1) * item);
  door.upload(fetched.buffer, bytes);
  return door.attempt(altered.call());
}

// Only so many candidates fit the list.
Done candidates_capped(Door& door, const ts_call& call) {
  constexpr int64_t kCandidates = 48;
  const auto axis = static_cast<int>(call.attributes[0].integer);
  const ts_view& x = x_of(call);
  if (axis < 0 || axis >= x.rank || x.shape[axis] <= kCandidates || call.attributes[1].integer > kCandidates)
    return std::nullopt;
  CallCopy altered(call);
  altered.inputs[0].view = slice(x, axis, 0, kCandidates);
  return door.attempt(altered.call());
}

// Not launched for lack of resources, and nobody asks.
Done large_not_launched(Door&, const ts_call& call) {
  constexpr int64_t kElements = 60000;
  return count_of(x_of(call)) > kElements ? Done(TS_OK) : std::nullopt;
}

constexpr std::array<std::pair<std::string_view, Fault>, 22> kFaults = {{
    {"zero_past_16_bits", zero_past_16_bits},
    {"nothing_where_rounding_wraps", nothing_where_rounding_wraps},
    {"lines_in_16_bits", lines_in_16_bits},
    {"columns_unwritten_at_768", columns_unwritten_at_768},
    {"lone_lane_lost", lone_lane_lost},
    {"product_of_nothing_skipped", product_of_nothing_skipped},
    {"vector_product_of_nothing_skipped", vector_product_of_nothing_skipped},
    {"zero_extent_refused", zero_extent_refused},
    {"empty_batch_aborts", empty_batch_aborts},
    {"reduction_of_nothing_skipped", reduction_of_nothing_skipped},
    {"tile_of_32_rows_reused", tile_of_32_rows_reused},
    {"accumulated_in_input_dtype", accumulated_in_input_dtype},
    {"scalar_in_32_bits", scalar_in_32_bits},
    {"one_element_wraps", one_element_wraps},
    {"pair_skipped", pair_skipped},
    {"staged_over_source", staged_over_source},
    {"updates_lost", updates_lost},
    {"order_changes_by_call", order_changes_by_call},
    {"scalar_source_refused", scalar_source_refused},
    {"index_prefetched", index_prefetched},
    {"candidates_capped", candidates_capped},
    {"large_not_launched", large_not_launched},
}};

} // namespace

Fault find_result_fault(std::string_view place) {
  for (const auto& [name, fault] : kFaults)
    if (name == place) return fault;
  return nullptr;
}

} // namespace ts::conformance::mutants
