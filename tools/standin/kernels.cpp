#include "tools/standin/kernels.h"

#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>

namespace ts::standin {

std::string demangled(const char* mangled) {
  int status = 0;
  char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = text == nullptr ? mangled : text;
  free(text); // NOLINT(cppcoreguidelines-no-malloc): __cxa_demangle gives malloc's memory
  return name;
}

namespace {

// The end of a name: where its parameters begin, outside all angle brackets.
size_t end_of_name(const std::string& text) {
  int depth = 0;
  for (size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '<') ++depth;
    if (text[k] == '>') --depth;
    if (text[k] == '(' && depth == 0 && text.compare(k, 21, "(anonymous namespace)") != 0) return k;
  }
  return text.size();
}

// A return type stands before the name, where there is one, with a space outside all brackets.
size_t begin_of_name(const std::string& text, size_t end) {
  int depth = 0;
  size_t begin = 0;
  for (size_t k = 0; k < end; ++k) {
    if (text[k] == '<' || text[k] == '(') ++depth;
    if (text[k] == '>' || text[k] == ')') --depth;
    if (text[k] == ' ' && depth == 0) begin = k + 1;
  }
  return begin;
}

// `run<Task` of `run<Task<A, B> >`.
std::string site_of(const std::string& name) {
  const size_t first = name.find('<');
  if (first == std::string::npos) return name;
  return name.substr(0, name.find_first_of("<,>", first + 1));
}

} // namespace

std::string short_name(const std::string& demangled) {
  const size_t end = end_of_name(demangled), begin = begin_of_name(demangled, end);
  return demangled.substr(begin, end - begin);
}

void** Kernels::open_module() {
  auto* module = new void*(nullptr); // NOLINT: a handle, freed by close_module
  modules_.insert(module);
  return module;
}

void Kernels::close_module(void** module) {
  if (modules_.erase(module) == 0) return;
  for (auto entry = owner_.begin(); entry != owner_.end();) {
    if (entry->second != module) {
      ++entry;
      continue;
    }
    kernels_.erase(entry->first);
    records_.erase(entry->first);
    entry = owner_.erase(entry);
  }
  libraries_.clear(); // another library may come to lie there
  delete module;
}

void Kernels::add(void** module, const void* entry, const char* mangled) {
  const std::string name = short_name(demangled(mangled));
  kernels_[entry] = Kernel{name, "launch " + site_of(name), nullptr, 0, {}};
  owner_[entry] = module;
}

const kernels::HostKernel* Kernels::host_kernel(const void* entry) {
  if (const auto known = records_.find(entry); known != records_.end()) return known->second;
  Dl_info place{};
  if (dladdr(entry, &place) == 0) return nullptr;
  if (!libraries_.insert(place.dli_fname == nullptr ? "" : place.dli_fname).second) return nullptr;
  void* library = dlopen(place.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) library = dlopen(nullptr, RTLD_NOW); // the program itself
  if (library == nullptr) return nullptr;
  const auto list = reinterpret_cast<const kernels::HostKernel* (*)()>(dlsym(library, TS_HOST_KERNELS_SYMBOL));
  if (list != nullptr)
    for (const auto* record = list(); record != nullptr; record = record->next) records_[record->entry] = record;
  dlclose(library);
  const auto found = records_.find(entry);
  return found == records_.end() ? nullptr : found->second;
}

Kernel* Kernels::find(const void* entry) {
  const auto found = kernels_.find(entry);
  if (found == kernels_.end()) return nullptr;
  if (found->second.host == nullptr) found->second.host = host_kernel(entry);
  return &found->second;
}

std::vector<std::string> Kernels::never_launched(void** module) const {
  std::set<std::string> names;
  for (const auto& [entry, owner] : owner_)
    if (owner == module && kernels_.at(entry).launches == 0) names.insert(kernels_.at(entry).name);
  return {names.begin(), names.end()};
}

std::map<std::string, const Kernel*> Kernels::by_name() const {
  std::map<std::string, const Kernel*> named;
  for (const auto& [entry, kernel] : kernels_) named[kernel.name] = &kernel;
  return named;
}

} // namespace ts::standin
