// Backends by name. A backend is a shared library behind backend.h; the ones built here lie beside the program and are
// found by their file's name. Nothing lists them.
#pragma once

#include "backends/abi/backend.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ts {

/// An open backend: a table and the instance it made. Closed with the last handle; its library stays loaded.
class Backend {
public:
  /// A table that is already at hand, as a layer's is. `keep` lives as long as the backend.
  Backend(std::string name, const ts_backend* table, ts_instance* instance, std::shared_ptr<void> keep = nullptr);
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  ~Backend();

  /// As the user wrote it, options included: `emulator:shuffle=7`.
  const std::string& name() const { return name_; }
  const ts_backend& table() const { return *table_; }
  ts_instance* instance() const { return instance_; }
  int device_count() const { return table_->device_count(instance_); }

  /// The entry of a family, or null where the table has none.
  ts_kernel kernel(int family) const;

private:
  std::string name_;
  const ts_backend* table_;
  ts_instance* instance_;
  std::shared_ptr<void> keep_;
};

/// A backend that is not open yet: where its library is.
struct BackendFile {
  std::string name;
  std::string path;
};

/// The backends built beside this program (`<program>/backends/*.so`, or the folders of TOUCHSTONE_BACKENDS), by name.
std::vector<BackendFile> available_backends();

/// Opens `NAME`, `NAME:OPTIONS`, `PATH.so` or `PATH.so:OPTIONS`. The floating-point environment is saved around loading;
/// a library that changes it is refused. Throws BackendError: unknown name (with the names there are and how to build
/// the one asked for), library that does not load, no ts_backend_table, another ABI version, a missing required entry, or
/// options it refuses.
std::shared_ptr<Backend> open_backend(std::string_view spec);

/// Why a backend that counts no device has none: what device_info says of device 0, "" where it says nothing.
std::string absence_of(const Backend& backend);

/// A fresh ts_error, ready to be passed.
ts_error make_error();

/// Throws the typed error for a status that is not TS_OK.
[[noreturn]] void throw_status(const Backend& backend, ts_status status, const ts_error& error);

} // namespace ts
