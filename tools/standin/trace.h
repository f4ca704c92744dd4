// The log: one line per launch, copy, memset, allocation and release, the same in every run.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace ts::standin {

class Machine;

class Trace {
public:
  /// No trace where the path is empty. Lines are appended, so that several processes may share a file.
  explicit Trace(const std::string& path);
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  bool wanted() const { return file_ != nullptr; }
  void line(const std::string& text);

private:
  FILE* file_ = nullptr;
};

/// `a3+256` for an address of device memory, `p1+0` for pinned memory, `host` for any other.
std::string place_name(Machine& machine, const void* address);

/// ` +16=a3+256 +40=a1+0`: the addresses in the bytes of a kernel's argument. What else it holds is not told: a struct's padding
/// differs from run to run.
std::string argument_text(Machine& machine, const void* argument, size_t bytes);

} // namespace ts::standin
