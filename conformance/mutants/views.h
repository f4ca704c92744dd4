// Views read wrongly: the small changes to strides, offsets and extents that faults at the door are made of.
#pragma once

#include "backends/abi/backend.h"

#include <cstdint>

namespace ts::conformance::mutants {

int64_t count_of(const ts_view& view);
int64_t itemsize_of(int32_t dtype);

/// Row-major without gaps. Strides of axes of extent 1 do not count.
bool is_dense(const ts_view& view);
/// Without gaps in some order of the axes.
bool is_gap_free(const ts_view& view);
/// Whether both name the same positions in the same order, the buffers apart.
bool same_positions(const ts_view& a, const ts_view& b);

/// Lowest and highest element position; high < low for a view of nothing.
struct Reach {
  int64_t low, high;
};
Reach reach_of(const ts_view& view);

/// Changes that say whether they changed anything.
bool make_dense(ts_view& view);
bool take_magnitudes(ts_view& view); ///< every stride as its absolute value
bool start_at_origin(ts_view& view); ///< offset 0
bool swap_last_strides(ts_view& view);
bool narrow_strides(ts_view& view); ///< kept in 16 bits

/// Moves the start of a view so that it lies in a buffer of `elements`; false where it cannot.
bool shift_inside(ts_view& view, int64_t elements);

/// Part of a view along one axis.
ts_view slice(const ts_view& view, int axis, int64_t begin, int64_t count);
/// One axis backwards.
ts_view flipped(const ts_view& view, int axis);

} // namespace ts::conformance::mutants
