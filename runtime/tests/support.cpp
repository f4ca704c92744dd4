#include "runtime/tests/support.h"

namespace ts::tests {

std::vector<std::string> device_names() {
  std::vector<std::string> names{"tiny"};
  for (const BackendFile& file : available_backends()) {
    try {
      static_cast<void>(Device(file.name));
      names.push_back(file.name);
    } catch (const DeviceError&) { // its hardware is absent
    }
  }
  return names;
}

Device device_named(const std::string& name) {
  static const Device tiny = Device::of(open_tiny());
  return name == "tiny" ? tiny : Device(name);
}

std::vector<double> numbers(const Tensor& x) { return x.to(DType::kF64).values<double>(); }

} // namespace ts::tests
