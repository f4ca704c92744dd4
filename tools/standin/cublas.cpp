// Stands in for the vendor's library under the stand-in runtime: the calls that programs of this project make, with products
// by a task of its own. Sums of 16-bit and 32-bit products are kept in f32, of f64 in f64, along k in order with fma.
#pragma GCC visibility push(default)
#include <cublas_v2.h>
#pragma GCC visibility pop

#include "backends/kernels/math.h"
#include "backends/kernels/numbers.h"
#include "tools/standin/cuda_api.h"
#include "tools/standin/host_module.h"

#include <algorithm>
#include <type_traits>

TS_EXPORT_HOST_KERNELS

struct cublasContext {
  cudaStream_t stream = nullptr;
};

namespace {

constexpr int kThreads = ts::kernels::kFlatThreads;

/// A column-major matrix: element (row, column) of matrix `batch`.
struct Matrix {
  const void* data;
  int64_t row, column, batch; ///< strides in elements
};

/// One element of c = a b, with alpha 1 and beta 0.
template <class T> struct Multiply {
  Matrix a, b, c;
  int64_t rows, columns, inner;

  void operator()(int64_t item) const {
    using Sum = std::conditional_t<sizeof(T) == 8, double, float>;
    const int64_t batch = item / (rows * columns), rest = item % (rows * columns);
    const int64_t row = rest % rows, column = rest / rows;
    const T* x = static_cast<const T*>(a.data) + batch * a.batch + row * a.row;
    const T* y = static_cast<const T*>(b.data) + batch * b.batch + column * b.column;
    Sum sum = 0;
    for (int64_t k = 0; k < inner; ++k)
      sum = ts::kernels::math::fma(ts::convert<Sum>(x[k * a.column]), ts::convert<Sum>(y[k * b.row]), sum);
    auto* z = static_cast<T*>(const_cast<void*>(c.data));
    z[batch * c.batch + row * c.row + column * c.column] = ts::convert<T>(sum);
  }
};

template <class T> using Entry = ts::standin::FlatEntry<Multiply<T>>;

const ts::standin::HostModule& module() {
  static ts::standin::HostModule module;
  [[maybe_unused]] static const auto& all = module.add(&Entry<ts::Half>::place, "cublas_multiply<f16>")
                                                .add(&Entry<ts::BFloat16>::place, "cublas_multiply<bf16>")
                                                .add(&Entry<float>::place, "cublas_multiply<f32>")
                                                .add(&Entry<double>::place, "cublas_multiply<f64>");
  return module;
}

cublasStatus_t status_of(int32_t code, cublasStatus_t failed) {
  return code == cudaSuccess ? CUBLAS_STATUS_SUCCESS : failed;
}

struct Product {
  Matrix a, b, c;
  int64_t rows, columns, inner, batches;
};

template <class T> cublasStatus_t enqueue(const Product& p, cudaStream_t stream) {
  const Multiply<T> task{p.a, p.b, p.c, p.rows, p.columns, p.inner};
  int64_t count = p.rows * p.columns * p.batches;
  if (count == 0) return CUBLAS_STATUS_SUCCESS;
  void* arguments[] = {&count, const_cast<Multiply<T>*>(&task)};
  const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
  return status_of(cudaLaunchKernel(Entry<T>::entry(), dim3(blocks), dim3(kThreads), arguments, 0, stream),
                   CUBLAS_STATUS_EXECUTION_FAILED);
}

Matrix matrix(const void* data, cublasOperation_t op, int64_t leading, int64_t batch) {
  return op == CUBLAS_OP_N ? Matrix{data, 1, leading, batch} : Matrix{data, leading, 1, batch};
}

template <class Scalar> bool is_one_and_zero(const void* alpha, const void* beta) {
  return *static_cast<const Scalar*>(alpha) == 1 && *static_cast<const Scalar*>(beta) == 0;
}

} // namespace

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (ts_standin_call(__func__) != cudaSuccess) return CUBLAS_STATUS_ALLOC_FAILED;
  module();
  *handle = new cublasContext; // NOLINT: cublasDestroy_v2 ends it
  ts_standin_handle(1);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  const int32_t code = ts_standin_call(__func__); // destroys all the same
  delete handle;
  ts_standin_handle(-1);
  return status_of(code, CUBLAS_STATUS_NOT_INITIALIZED);
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  if (ts_standin_call(__func__) != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) {
  return status_of(ts_standin_call(__func__), CUBLAS_STATUS_INVALID_VALUE);
}

const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS: return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED: return "the library was not initialized";
    case CUBLAS_STATUS_ALLOC_FAILED: return "the resource allocation failed";
    case CUBLAS_STATUS_INVALID_VALUE: return "an unsupported value or parameter was passed to the function";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "the functionality requested is not supported";
    default: return "the function failed to launch on the GPU";
  }
}

cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                                             int64_t m, int64_t n, int64_t k, const void* alpha, const void* a,
                                             cudaDataType type_a, int64_t lda, long long stride_a, const void* b,
                                             cudaDataType type_b, int64_t ldb, long long stride_b, const void* beta,
                                             void* c, cudaDataType type_c, int64_t ldc, long long stride_c,
                                             int64_t batches, cublasComputeType_t compute, cublasGemmAlgo_t) {
  if (ts_standin_call(__func__) != cudaSuccess) return CUBLAS_STATUS_EXECUTION_FAILED;
  const int64_t rows_a = op_a == CUBLAS_OP_N ? m : k, rows_b = op_b == CUBLAS_OP_N ? k : n;
  if (m < 0 || n < 0 || k < 0 || batches < 0 || lda < std::max<int64_t>(1, rows_a) ||
      ldb < std::max<int64_t>(1, rows_b) || ldc < std::max<int64_t>(1, m))
    return CUBLAS_STATUS_INVALID_VALUE;
  const bool wide = type_c == CUDA_R_64F;
  if (type_a != type_c || type_b != type_c || compute != (wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F) ||
      !(wide ? is_one_and_zero<double>(alpha, beta) : is_one_and_zero<float>(alpha, beta)))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const Product p{matrix(a, op_a, lda, stride_a),
                  matrix(b, op_b, ldb, stride_b),
                  matrix(c, CUBLAS_OP_N, ldc, stride_c),
                  m,
                  n,
                  k,
                  batches};
  switch (type_c) {
    case CUDA_R_16F: return enqueue<ts::Half>(p, handle->stream);
    case CUDA_R_16BF: return enqueue<ts::BFloat16>(p, handle->stream);
    case CUDA_R_32F: return enqueue<float>(p, handle->stream);
    case CUDA_R_64F: return enqueue<double>(p, handle->stream);
    default: return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}
