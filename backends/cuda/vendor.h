// The seam to the vendor's library: products of floating matrices by cuBLAS. Found when it is first needed; where it is
// not there, or a layout does not suit it, our own kernels compute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>

namespace ts::cuda {

/// A matrix as a BLAS sees it: one of its axes has stride 1, the other `leading`, in elements.
struct Matrix {
  std::byte* data;
  int64_t leading;
  bool by_columns;      ///< the axis of rows has stride 1
  int64_t batch_stride; ///< elements
};

/// z = x y, for `batches` of them. x is rows x inner, y inner x columns, z rows x columns and by rows.
struct Product {
  int32_t dtype;
  int64_t rows, inner, columns, batches;
  Matrix z, x, y;
};

/// cuBLAS on one stream.
class Vendor {
public:
  explicit Vendor(cudaStream_t stream);
  Vendor(const Vendor&) = delete;
  Vendor& operator=(const Vendor&) = delete;
  ~Vendor();

  /// True where the library is there.
  bool present();
  /// Enqueues a product; throws CudaError where the library refuses.
  void multiply(const Product& product);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ts::cuda
