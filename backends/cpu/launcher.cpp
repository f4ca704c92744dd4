#include "backends/cpu/launcher.h"

#include "backends/cpu/planted.h"

#include <memory>
#include <new>

namespace ts::cpu {

namespace {

struct AlignedDelete {
  void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{kernels::kHostAlignment}); }
};
using Scratch = std::unique_ptr<std::byte[], AlignedDelete>;

Scratch scratch(size_t bytes) {
  return Scratch(new (std::align_val_t{kernels::kHostAlignment}) std::byte[bytes > 0 ? bytes : 1]);
}

} // namespace

void Launcher::launch(const kernels::FlatKernel& kernel) {
  census_.count(kernel.kernel, kernel.route);
  constexpr int64_t kGrain = 4096; // items: below that, waking a thread costs more than it helps
  const int64_t count = kernel.count + (planted(PlantedFault::off_by_one) ? 1 : 0);
  pool_.run(count, kGrain, [&](int64_t begin, int64_t end) { kernel.forward(kernel.task, begin, end); });
}

void Launcher::launch(const kernels::BlockKernel& kernel) {
  census_.count(kernel.kernel, kernel.route);
  pool_.run(kernel.count, 1, [&](int64_t begin, int64_t end) {
    const Scratch shared = scratch(kernel.shared_bytes);
    const Scratch locals = scratch(kernel.local_bytes * static_cast<size_t>(kernel.threads));
    const kernels::ThreadOrder forward;
    for (int64_t block = begin; block < end; ++block)
      kernel.run(kernel.task, block, shared.get(), locals.get(), forward);
  });
}

} // namespace ts::cpu
