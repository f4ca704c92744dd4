// The two operations that tensors themselves need: writing another tensor's values, and writing one value. They run
// through the dispatch of runtime/ops, which stands above.
#pragma once

#include "runtime/tensor/tensor.h"

namespace ts::ops {

/// Writes source to target, broadcast and converted, on their device. DeviceError where they are on two.
void convert_into(const Tensor& target, const Tensor& source);
/// Writes one number everywhere; ValueError where it does not fit the dtype.
void fill(const Tensor& target, const Scalar& value);
/// ValueError for a view in which two indices name one element, as an expanded one: a write would be lost.
void require_writable(const Tensor& target, const char* op);

} // namespace ts::ops
