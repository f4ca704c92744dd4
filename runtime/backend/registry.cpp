#include "runtime/backend/registry.h"

#include "runtime/base/row.h"
#include "runtime/errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cfenv>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace ts {

namespace fs = std::filesystem;

Backend::Backend(std::string name, const ts_backend* table, ts_instance* instance, std::shared_ptr<void> keep)
    : name_(std::move(name)), table_(table), instance_(instance), keep_(std::move(keep)) {}

Backend::~Backend() { table_->close(instance_); }

ts_kernel Backend::kernel(int family) const {
  const bool present = family >= 0 && static_cast<uint32_t>(family) < table_->kernel_count;
  return present ? table_->kernels[family] : nullptr;
}

namespace {

// The control bits of the floating-point environment: rounding, flush to zero, denormals are zero.
unsigned float_controls() {
  unsigned controls = static_cast<unsigned>(std::fegetround());
#if defined(__SSE__)
  controls |= _mm_getcsr() & 0xffc0U;
#endif
  return controls;
}

// Saves the floating-point environment and puts it back.
class FloatEnvironment {
public:
  FloatEnvironment() : controls_(float_controls()) { std::fegetenv(&environment_); }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;
  ~FloatEnvironment() { std::fesetenv(&environment_); }
  bool changed() const { return float_controls() != controls_; }

private:
  std::fenv_t environment_{};
  unsigned controls_;
};

std::vector<fs::path> backend_folders() {
  std::vector<fs::path> folders;
  if (const char* listed = std::getenv("TOUCHSTONE_BACKENDS")) {
    std::stringstream stream(listed);
    for (std::string folder; std::getline(stream, folder, ':');)
      if (!folder.empty()) folders.emplace_back(folder);
    return folders;
  }
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  // Beside the program, or one up for the programs in tests/.
  for (const fs::path& base : {program.parent_path(), program.parent_path().parent_path()})
    if (fs::is_directory(base / "backends", ignored)) folders.push_back(base / "backends");
  return folders;
}

void require(bool present, const std::string& path, const char* entry) {
  if (!present)
    throw BackendError(fmt::format("[backend.2] {}: the table has no entry '{}', which is required", path, entry));
}

void check_table(const ts_backend* table, const std::string& path) {
  if (table == nullptr) throw BackendError(fmt::format("[backend.1] {}: ts_backend_table() returned NULL", path));
  if (table->abi_major != TS_ABI_MAJOR) {
    throw BackendError(fmt::format("[backend.1] {}: built for ABI {}.{}, this program speaks {}.{}", path,
                                   table->abi_major, table->abi_minor, TS_ABI_MAJOR, TS_ABI_MINOR));
  }
  const uint64_t needed = offsetof(ts_backend, kernels) + uint64_t{table->kernel_count} * sizeof(ts_kernel);
  if (table->size < needed || table->size < offsetof(ts_backend, kernels)) {
    throw BackendError(fmt::format("[backend.1] {}: the table says {} bytes, its {} kernel entries need {}", path,
                                   table->size, table->kernel_count, needed));
  }
  require(table->name != nullptr && table->name[0] != '\0', path, "name");
#define TS_REQUIRE(entry) require(table->entry != nullptr, path, #entry)
  TS_REQUIRE(open);
  TS_REQUIRE(close);
  TS_REQUIRE(device_count);
  TS_REQUIRE(device_info);
  TS_REQUIRE(allocate);
  TS_REQUIRE(release);
  TS_REQUIRE(copy_in);
  TS_REQUIRE(copy_out);
  TS_REQUIRE(copy);
  TS_REQUIRE(queue_create);
  TS_REQUIRE(queue_destroy);
  TS_REQUIRE(record);
  TS_REQUIRE(wait);
  TS_REQUIRE(synchronize);
  TS_REQUIRE(poll);
  TS_REQUIRE(query);
#undef TS_REQUIRE
}

// Libraries stay loaded: code of a backend may run until the process ends (threads, exit handlers).
const ts_backend* load_table(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, const ts_backend*> loaded;
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto found = loaded.find(path); found != loaded.end()) return found->second;

  const FloatEnvironment environment;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw BackendError(fmt::format("[backend.1] {}: cannot be loaded: {}", path, dlerror()));
  using Entry = const ts_backend* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "ts_backend_table"));
  if (entry == nullptr) throw BackendError(fmt::format("[backend.1] {}: exports no ts_backend_table", path));
  const ts_backend* table = entry();
  check_table(table, path);
  if (environment.changed()) {
    throw BackendError(fmt::format("[backend.3] {}: loading it changed the floating-point environment of the process "
                                   "(built with -ffast-math?)",
                                   path));
  }
  loaded.emplace(path, table);
  return table;
}

// Where options begin: after `PATH.so`, or after the name. What follows may hold colons and slashes of its own.
size_t options_colon(std::string_view spec) {
  constexpr std::string_view kLibrary = ".so:";
  if (const size_t at = spec.find(kLibrary); at != std::string_view::npos) return at + kLibrary.size() - 1;
  const size_t colon = spec.find(':');
  return spec.find('/') < colon ? spec.find(':', spec.find_last_of('/')) : colon;
}

std::string path_of(const std::string& name, std::string_view spec) {
  // A name without a slash is a file here: the system's folders of libraries hold no backends.
  if (name.ends_with(".so") && name.find('/') == std::string::npos) return "./" + name;
  if (name.find('/') != std::string::npos) return name;
  std::vector<std::string> names;
  for (const BackendFile& file : available_backends()) {
    if (file.name == name) return file.path;
    names.push_back(file.name);
  }
  const bool ours = fs::is_directory(fs::path(TS_SOURCE_ROOT) / "backends" / name);
  throw BackendError(fmt::format("unknown backend '{}'; available: {}{}", spec,
                                 names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", ")),
                                 ours ? fmt::format("; '{0}' exists but was not built: build the target backend_{0} "
                                                    "(see backends/{0}/README.md)",
                                                    name)
                                      : std::string("; a plug-in is named by its path, ./lib" + name + ".so")));
}

} // namespace

std::vector<BackendFile> available_backends() {
  std::vector<BackendFile> files;
  for (const fs::path& folder : backend_folders()) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == ".so") files.push_back({entry.path().stem().string(), entry.path().string()});
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

std::shared_ptr<Backend> open_backend(std::string_view spec) {
  const size_t colon = options_colon(spec);
  const std::string name(spec.substr(0, colon));
  const std::string options(colon == std::string_view::npos ? std::string_view() : spec.substr(colon + 1));
  if (name.empty()) throw BackendError("a backend needs a name");
  const ts_backend* table = load_table(path_of(name, spec));
  ts_instance* instance = nullptr;
  ts_error error = make_error();
  const ts_status status = table->open(options.c_str(), &instance, &error);
  if (status != TS_OK) {
    throw BackendError(
        fmt::format("[backend.4] {}: does not open with options '{}': {}", name, options, error.message));
  }
  if (instance == nullptr)
    throw BackendError(fmt::format("[backend.4] {}: open said TS_OK and gave no instance", name));
  return std::make_shared<Backend>(std::string(spec), table, instance);
}

std::string absence_of(const Backend& backend) {
  ts_device_info info{};
  info.size = sizeof info;
  ts_error error = make_error();
  const ts_status status = backend.table().device_info(backend.instance(), 0, &info, &error);
  return status == TS_OK ? std::string() : std::string(error.message);
}

ts_error make_error() {
  ts_error error{};
  error.size = sizeof error;
  error.op = error.operand = -1;
  error.element = -1;
  return error;
}

void throw_status(const Backend& backend, ts_status status, const ts_error& error) {
  // A message that does not begin with a clause gets the op in its place.
  const std::string_view message = error.message;
  const bool labelled = message.starts_with('[') || error.op < 0 || error.op >= TS_OP_COUNT;
  const std::string what =
      fmt::format("{}{} (device {})", labelled ? std::string() : fmt::format("[{}] ", ops::row(error.op).name), message,
                  backend.name());
  switch (status) {
    case TS_UNSUPPORTED: throw TypeError(what);
    case TS_INVALID_ARGUMENT: throw ValueError(what);
    case TS_INDEX_OUT_OF_RANGE: throw IndexError(what);
    case TS_OUT_OF_MEMORY: throw OutOfMemoryError(what);
    case TS_DEVICE_ERROR: throw DeviceError(what);
    default: throw BackendError(fmt::format("{} (unknown status {})", what, status));
  }
}

} // namespace ts
