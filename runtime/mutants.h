// The faults of the library that take more than an expression, and the layer that switches one on. Part of the target
// `mutants` only.
#pragma once

#include "runtime/backend/layers.h"
#include "runtime/ops/dispatch.h"

#include <memory>
#include <string_view>

namespace ts::mutants {

/// Whether the mutant of an id is the active one; counts that its place was reached.
bool strikes(std::string_view id);

/// The layer `library:ID`: makes a mutant the active one, and shows in the census how often it was reached.
std::unique_ptr<Layer> make_layer(std::shared_ptr<Backend> inner, std::string_view id);

/// AL01: rows copied one after another, each seeing what the rows before it wrote.
void copy_row_by_row(const Tensor& target, const Tensor& source);
/// AL02: a shift along the last axis is no overlap, because the rows start in the same places.
void copy_by_outer_extents(const Tensor& target, const Tensor& source);
/// AS03: what the host read once it takes for what the device holds.
void read_once(const Tensor& x, const Tensor& dense, void* target);
/// AS13: the workspace of the first call, whatever became of it.
ts_buffer first_workspace(ts_buffer now);
/// OR07: the other extreme where the result goes to a given tensor.
const ops::OpRow& other_extreme(const ops::OpRow& row, const ops::Options& options);

} // namespace ts::mutants
