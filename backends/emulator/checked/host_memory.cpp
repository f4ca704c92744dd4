#include "backends/emulator/checked/host_memory.h"

#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ts::emulator::checked {

namespace {

// Asked for once a thread: of the main thread, the answer is read from a file.
Range find_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {0, 0};
  void* low = nullptr;
  size_t bytes = 0;
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  return {reinterpret_cast<uintptr_t>(low), bytes};
}

} // namespace

Range stack_below(const void* frame) {
  constexpr uint64_t kFiberBytes = uint64_t{8} << 20;
  static thread_local const Range stack = find_stack();
  const auto top = reinterpret_cast<uintptr_t>(frame);
  // A fiber's stack has bounds that nobody tells.
  return stack.holds(top) ? Range{stack.low, top - stack.low} : Range{top - kFiberBytes, kFiberBytes};
}

bool is_constant(uintptr_t address) {
  const auto look = [](dl_phdr_info* info, size_t, void* context) {
    const uintptr_t wanted = *static_cast<const uintptr_t*>(context);
    for (int k = 0; k < info->dlpi_phnum; ++k) {
      const auto& segment = info->dlpi_phdr[k];
      const bool constant =
          (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0) || segment.p_type == PT_GNU_RELRO;
      if (constant && wanted - (info->dlpi_addr + segment.p_vaddr) < segment.p_memsz) return 1;
    }
    return 0;
  };
  return dl_iterate_phdr(look, &address) != 0;
}

bool is_mapped(uintptr_t address) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident = 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the system is asked, nothing follows it
  return mincore(reinterpret_cast<void*>(address / page * page), 1, &resident) == 0;
}

} // namespace ts::emulator::checked
