#include "backends/emulator/checked/library.h"

#include "backends/kernels/door.h"

#include <dlfcn.h>

namespace ts::emulator::checked {

namespace {

const InstrumentedKernels* load() {
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&instrumented_kernels), &self);
  const std::string path(self.dli_fname == nullptr ? "" : self.dli_fname);
  const std::string library = path.substr(0, path.rfind('/') + 1) + "checked/kernels.so";
  void* loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr)
    throw kernels::DoorError(TS_INVALID_ARGUMENT,
                             std::string("checked mode runs kernels that are not built here (target "
                                         "`checked`): ") +
                                 dlerror());
  const auto entry = reinterpret_cast<const InstrumentedKernels* (*)()>(dlsym(loaded, "ts_instrumented_kernels"));
  if (entry == nullptr) throw kernels::DoorError(TS_INVALID_ARGUMENT, library + " holds no checked kernels");
  return entry();
}

} // namespace

const InstrumentedKernels& instrumented_kernels() {
  static const InstrumentedKernels* kernels = load();
  return *kernels;
}

} // namespace ts::emulator::checked
