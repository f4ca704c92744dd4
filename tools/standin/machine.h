// All that the stand-in runtime knows: devices, handles, kernels, the calling thread's device and last error; what is to fail
// and what is to be lost. One lock around every call.
#pragma once

#include "tools/standin/cuda_api.h"
#include "tools/standin/device.h"
#include "tools/standin/kernels.h"
#include "tools/standin/settings.h"
#include "tools/standin/trace.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace ts::standin {

/// Objects behind the runtime's opaque handles. A handle is the object's address; a dead one is noticed.
template <class Handle, class Object> class Handles {
public:
  Handle add(std::unique_ptr<Object> object) {
    const auto handle = reinterpret_cast<Handle>(object.get());
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  /// Null for a handle that was never given, or has ended.
  Object* find(Handle handle) const {
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second.get();
  }
  void end(Handle handle) { objects_.erase(handle); }
  size_t size() const { return objects_.size(); }
  const std::unordered_map<Handle, std::unique_ptr<Object>>& all() const { return objects_; }

private:
  std::unordered_map<Handle, std::unique_ptr<Object>> objects_;
};

/// Counts, and strikes once.
struct Strike {
  uint64_t count = 0; ///< of all that could be struck
  uint64_t at = 0;    ///< 0 for never
  std::string struck; ///< what it was

  void aim(uint64_t nth) {
    at = nth == 0 ? 0 : count + nth;
    struck.clear();
  }
  bool strikes(const std::string& what) {
    if (++count != at) return false;
    struck = what;
    return true;
  }
};

class Machine {
public:
  /// Made at the first call; never destroyed, as libraries unregister late.
  static Machine& get();

  std::mutex mutex;
  Settings settings;
  Kernels kernels;
  Trace trace;
  Handles<cudaStream_t, Stream> streams;
  Handles<cudaEvent_t, Event> events;
  Handles<cudaMemPool_t, Pool> pools;
  std::map<const std::byte*, Allocation> pinned;
  uint64_t vendor_handles = 0;
  Strike failure;
  cudaError_t failure_code = cudaSuccess;
  Strike drop;
  std::map<std::string, uint64_t> sites;

  int device_count() const { return static_cast<int>(devices_.size()); }
  bool has_device(int index) const { return index >= 0 && index < device_count(); }
  Device& device(int index) { return *devices_[static_cast<size_t>(index)]; }
  Device& current() { return device(current_index()); }
  static int& current_index();
  static cudaError_t& last_error();

  uint64_t next_id() { return ++ids_; }
  uint64_t next_stream() { return ++stream_ids_; }

  /// The stream of a handle for a new command: the default stream and those that join it have waited for each other. Null for
  /// a handle that is none.
  Stream* enqueue_on(cudaStream_t handle);
  /// The same without the waiting.
  Stream* find_stream(cudaStream_t handle);
  void drain_device(Device& device);
  void drain_all();

  /// The device in whose memory an address lies, null for none.
  Device* owner(const void* address);
  Pool* find_pool(cudaMemPool_t handle);

  /// Counts a launch, copy or memset made from a place; true where it is to be lost.
  bool drops(const std::string& site);
  /// The code that a call is to fail with, cudaSuccess where it is not.
  cudaError_t fails(const char* call);
  ts_standin_holdings held() const;

private:
  Machine();

  std::vector<std::unique_ptr<Device>> devices_;
  uint64_t ids_ = 0;
  uint64_t stream_ids_ = 0;
};

/// Whether a call that is made to fail does its work all the same, as one that frees may.
enum class Effect { none, always };

/// `cudaMemcpyAsync at cuda.so+0x1234`.
std::string site_of(const char* call, const void* caller);

/// Every code after which a device is lost.
bool is_sticky(cudaError_t code);

/// Runs the body of a runtime call: counted, made to fail, refused on a lost device. The body gets the machine, gives a code.
template <class Body> cudaError_t api(const char* name, Effect effect, Body&& body) {
  Machine& machine = Machine::get();
  const std::lock_guard<std::mutex> lock(machine.mutex);
  const auto finish = [](cudaError_t code) {
    if (code != cudaSuccess) Machine::last_error() = code;
    return code;
  };
  const cudaError_t forced = machine.fails(name);
  const bool on_device = machine.device_count() > 0;
  if (on_device && machine.current().lost() != cudaSuccess) return finish(machine.current().lost());
  if (forced != cudaSuccess) {
    if (effect == Effect::always) body(machine);
    if (on_device && is_sticky(forced)) machine.current().lose(forced, std::string(name) + " was made to fail");
    return finish(forced);
  }
  const cudaError_t code = body(machine);
  // What ran meanwhile may have met an error of its own.
  return finish(on_device && code == cudaSuccess ? machine.current().lost() : code);
}
template <class Body> cudaError_t api(const char* name, Body&& body) {
  return api(name, Effect::none, std::forward<Body>(body));
}

} // namespace ts::standin
