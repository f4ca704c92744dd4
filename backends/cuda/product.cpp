#include "backends/cuda/product.h"

#include "backends/kernels/matmul.h"

namespace ts::cuda {

namespace {

using kernels::Operand;
using kernels::ProductPlan;
using kernels::View;

constexpr int64_t kExtentMax = int64_t{1} << 31;

// A matrix of `rows` x `columns` with these strides; an axis of extent 1 takes whichever stride suits.
std::optional<Matrix> matrix_of(const View& view, int64_t rows, int64_t columns) {
  const int64_t row = view.stride[view.rank - 2], column = view.stride[view.rank - 1];
  if ((column == 1 || columns == 1) && (row >= columns || rows == 1))
    return Matrix{view.data, rows == 1 ? columns : row, false, 0};
  if ((row == 1 || rows == 1) && (column >= rows || columns == 1))
    return Matrix{view.data, columns == 1 ? rows : column, true, 0};
  return std::nullopt;
}

// z by columns is its transpose by rows: z' = y' x'.
Product transposed(const Product& p) {
  const auto turned = [](Matrix matrix) {
    matrix.by_columns = !matrix.by_columns;
    return matrix;
  };
  return {p.dtype, p.columns, p.inner, p.rows, p.batches, turned(p.z), turned(p.y), turned(p.x)};
}

} // namespace

std::optional<Product> vendor_product(const kernels::Call& call) {
  const View& z = call.outputs[0];
  const Operand &x = call.inputs[0], &y = call.inputs[1];
  switch (z.dtype) {
    case TS_DTYPE_F16:
    case TS_DTYPE_BF16:
    case TS_DTYPE_F32:
    case TS_DTYPE_F64: break;
    default: return std::nullopt;
  }
  if (x.immediate || y.immediate) return std::nullopt;
  const ProductPlan plan = kernels::plan_product(z, x.view, y.view);
  // A product along one term is no sum from +0 in cuBLAS: -0 would stay.
  const bool fits = plan.rows > 0 && plan.inner > 1 && plan.columns > 0 && plan.batches.count > 0 &&
                    plan.rows < kExtentMax && plan.inner < kExtentMax && plan.columns < kExtentMax;
  if (!fits || plan.batches.rank > 1) return std::nullopt;
  const auto of_z = matrix_of(z, plan.rows, plan.columns);
  const auto of_x = matrix_of(x.view, plan.rows, plan.inner), of_y = matrix_of(y.view, plan.inner, plan.columns);
  if (!of_z || !of_x || !of_y) return std::nullopt;
  Product product{z.dtype, plan.rows, plan.inner, plan.columns, plan.batches.count, *of_z, *of_x, *of_y};
  if (plan.batches.rank == 1) {
    Matrix* const matrices[] = {&product.z, &product.x, &product.y};
    for (int k = 0; k < 3; ++k) {
      if (plan.batches.stride[k][0] < 0) return std::nullopt;
      matrices[k]->batch_stride = plan.batches.stride[k][0] / ts::itemsize(z.dtype);
    }
  }
  return product.z.by_columns ? transposed(product) : product;
}

} // namespace ts::cuda
