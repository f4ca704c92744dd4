// The table of families for the CUDA device: the shared kernels, and the vendor's library for the products that suit it.
#include "backends/cuda/launcher.h"
#include "backends/cuda/product.h"
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

} // namespace

const kernels::Family<Launcher>* family(int32_t id) {
  static constexpr kernels::Family<Launcher> kMatmul{matmul, kernels::host_matmul_workspace};
  return id == TS_FAMILY_MATMUL ? &kMatmul : kernels::find_family<Launcher>(id);
}

} // namespace ts::cuda
