// The table of families for the CUDA device: the shared kernels, and the vendor's libraries for the products and sorts that
// suit them.
#include "backends/cuda/launcher.h"
#include "backends/cuda/product.h"
#include "backends/cuda/sorting.h"
#include "backends/kernels/family_table.h"

namespace ts::cuda {

namespace {

void matmul(const kernels::Call& call, Launcher& launcher) {
  Vendor* vendor = launcher.vendor();
  const std::optional<Product> product = vendor == nullptr ? std::nullopt : vendor_product(call);
  if (!product) return kernels::matmul(call, launcher);
  vendor->multiply(*product);
  launcher.launched("matmul", "vendor");
}

void sort(const kernels::Call& call, Launcher& launcher) {
  const std::optional<cudaStream_t> stream = launcher.vendor_stream();
  if (!stream || !vendor_sort(call, *stream)) return kernels::sort(call, launcher);
  launcher.launched("sort", "vendor");
}

} // namespace

const kernels::Family<Launcher>* family(int32_t id) {
  static constexpr kernels::Family<Launcher> kMatmul{matmul, kernels::host_matmul_workspace};
  static constexpr kernels::Family<Launcher> kSort{sort, kernels::host_sort_workspace};
  switch (id) {
    case TS_FAMILY_MATMUL: return &kMatmul;
    case TS_FAMILY_SORT: return &kSort;
    default: return kernels::find_family<Launcher>(id);
  }
}

} // namespace ts::cuda
