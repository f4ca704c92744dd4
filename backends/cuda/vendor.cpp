#include "backends/cuda/vendor.h"

#include "backends/cuda/errors.h"

#include <cublas_v2.h>
#include <dlfcn.h>
#include <string>

namespace ts::cuda {

namespace {

#define TS_TEXT_OF(x) #x
#define TS_TEXT(x) TS_TEXT_OF(x)

// The library by the name its headers were made for, beside the CUDA runtime or on the library path. Not linked: a program
// that multiplies no matrix does not pay for loading it, and one without it works.
void* open_library() {
  constexpr const char* kName = "libcublas.so." TS_TEXT(CUBLAS_VER_MAJOR);
  if (void* library = dlopen(kName, RTLD_NOW | RTLD_LOCAL)) return library;
  return dlopen((std::string(TS_CUDA_LIBRARIES) + "/" + kName).c_str(), RTLD_NOW | RTLD_LOCAL);
}

struct Library {
  decltype(&cublasCreate_v2) create = nullptr;
  decltype(&cublasDestroy_v2) destroy = nullptr;
  decltype(&cublasSetStream_v2) set_stream = nullptr;
  decltype(&cublasSetMathMode) set_math_mode = nullptr;
  decltype(&cublasGemmStridedBatchedEx_64) multiply = nullptr;
  decltype(&cublasGetStatusString) text = nullptr;
  bool whole = false;

  Library() {
    void* library = open_library();
    if (library == nullptr) return;
    whole = find(library, "cublasCreate_v2", create) && find(library, "cublasDestroy_v2", destroy) &&
            find(library, "cublasSetStream_v2", set_stream) && find(library, "cublasSetMathMode", set_math_mode) &&
            find(library, "cublasGemmStridedBatchedEx_64", multiply) && find(library, "cublasGetStatusString", text);
  }

  /// Whole or not.
  static const Library& found() {
    static const Library library;
    return library;
  }
  /// Throws where it is not whole.
  static const Library& get() {
    if (!found().whole) throw CudaError(TS_UNSUPPORTED, "cuBLAS is not on the library path", cudaErrorUnknown);
    return found();
  }

private:
  template <class Entry> static bool find(void* library, const char* name, Entry& entry) {
    entry = reinterpret_cast<Entry>(dlsym(library, name));
    return entry != nullptr;
  }
};

void check_vendor(cublasStatus_t status, const char* call, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw CudaError(status == CUBLAS_STATUS_ALLOC_FAILED ? TS_OUT_OF_MEMORY : TS_DEVICE_ERROR,
                  std::string(call) + " at backends/cuda/vendor.cpp:" + std::to_string(line) +
                      " failed: " + Library::get().text(status),
                  cudaErrorUnknown);
}

#define TS_CUBLAS(entry, name, ...) check_vendor(Library::get().entry(__VA_ARGS__), name, __LINE__)

struct Types {
  cudaDataType_t element;
  cublasComputeType_t compute;
};

Types types_of(int32_t dtype) {
  switch (dtype) {
    case TS_DTYPE_F16: return {CUDA_R_16F, CUBLAS_COMPUTE_32F};
    case TS_DTYPE_BF16: return {CUDA_R_16BF, CUBLAS_COMPUTE_32F};
    case TS_DTYPE_F32: return {CUDA_R_32F, CUBLAS_COMPUTE_32F};
    default: return {CUDA_R_64F, CUBLAS_COMPUTE_64F};
  }
}

cublasHandle_t make_handle(cudaStream_t stream) {
  cublasHandle_t made = nullptr;
  TS_CUBLAS(create, "cublasCreate", &made);
  try {
    TS_CUBLAS(set_stream, "cublasSetStream", made, stream);
    // f32 stays f32, and sums of 16-bit products are kept in f32 throughout.
    TS_CUBLAS(set_math_mode, "cublasSetMathMode", made,
              static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
  } catch (const CudaError&) {
    Library::get().destroy(made);
    throw;
  }
  return made;
}

} // namespace

struct Vendor::State {
  cudaStream_t stream;
  cublasHandle_t handle = nullptr; ///< made for the first product

  explicit State(cudaStream_t on) : stream(on) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (handle != nullptr && Library::found().whole) Library::found().destroy(handle);
  }
};

Vendor::Vendor(cudaStream_t stream) : state_(std::make_unique<State>(stream)) {}
Vendor::~Vendor() = default;

bool Vendor::present() { return Library::found().whole; }

void Vendor::multiply(const Product& p) {
  if (state_->handle == nullptr) state_->handle = make_handle(state_->stream);
  const auto [element, compute] = types_of(p.dtype);
  const float one_float = 1, zero_float = 0;
  const double one_double = 1, zero_double = 0;
  const bool wide = p.dtype == TS_DTYPE_F64;
  const void* one = wide ? static_cast<const void*>(&one_double) : &one_float;
  const void* zero = wide ? static_cast<const void*>(&zero_double) : &zero_float;
  // BLAS counts by columns: what it sees in our rows is the transposed product, z' = y' x'.
  TS_CUBLAS(multiply, "cublasGemmStridedBatchedEx_64", state_->handle, p.y.by_columns ? CUBLAS_OP_T : CUBLAS_OP_N,
            p.x.by_columns ? CUBLAS_OP_T : CUBLAS_OP_N, p.columns, p.rows, p.inner, one, p.y.data, element, p.y.leading,
            p.y.batch_stride, p.x.data, element, p.x.leading, p.x.batch_stride, zero, p.z.data, element, p.z.leading,
            p.z.batch_stride, p.batches, compute, CUBLAS_GEMM_DEFAULT);
}

} // namespace ts::cuda
