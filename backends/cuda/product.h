// Which products the vendor's library computes, and what it is asked.
#pragma once

#include "backends/cuda/vendor.h"
#include "backends/kernels/call.h"

#include <optional>

namespace ts::cuda {

/// The product that a matmul call asks for, where its dtype and layout suit a BLAS; nothing where our own kernel has to
/// compute it: integers, immediates, axes without stride 1, batches that do not merge into one axis.
std::optional<Product> vendor_product(const kernels::Call& call);

} // namespace ts::cuda
