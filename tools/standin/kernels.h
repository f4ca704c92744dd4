// The kernels that libraries and programs registered, and how a host runs them.
#pragma once

#include "backends/kernels/host_kernel.h"
#include "tools/standin/cuda_api.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace ts::standin {

struct Kernel {
  std::string name;                ///< without return type and parameters
  std::string site;                ///< the name up to its task's template arguments: one place of launch in a source
  const kernels::HostKernel* host; ///< null where its library exports none for it
  uint64_t launches = 0;
  std::map<int, int> dynamic_shared; ///< by device: what a launch may use, where it was asked for
};

/// `f<T>` of `void f<T>(long, T)`.
std::string short_name(const std::string& demangled);
std::string demangled(const char* mangled);

class Kernels {
public:
  void** open_module();
  void close_module(void** module);
  void add(void** module, const void* entry, const char* mangled);

  /// Null where nobody registered it.
  Kernel* find(const void* entry);
  std::map<std::string, const Kernel*> by_name() const;
  /// Names of a module's kernels, in order.
  std::vector<std::string> never_launched(void** module) const;
  bool module_is_open(void** module) const { return modules_.count(module) != 0; }

private:
  const kernels::HostKernel* host_kernel(const void* entry);

  std::unordered_map<const void*, Kernel> kernels_;
  std::unordered_map<const void*, void**> owner_;
  std::set<void**> modules_;
  std::unordered_map<const void*, const kernels::HostKernel*> records_;
  std::set<std::string> libraries_; ///< whose records are known
};

} // namespace ts::standin
