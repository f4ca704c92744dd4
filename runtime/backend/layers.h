// Layers: tables that stand in front of any backend at the door and see, check, count, break or delay its calls, as Vulkan's
// do. A layered backend is a backend; layers stack.
//
//   trace[:file=PATH]        one line per call; buffers as allocation number + byte, so that two runs compare with diff
//   validate                 refuses calls that break the caller's half of the contract, with the reason
//   census                   counts calls per op and queries that were answered `unsupported`
//   fault:allocate=N | copy=N | launch=N   fails the n-th such call, once
//   hide:OP[,OP...]          answers `unsupported` for operations, as a backend that lacks them; hide:composed for all that the
//                            library can compose of others
//   delay                    holds every call back until something synchronizes
#pragma once

#include "runtime/backend/registry.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ts {

/// Base of all layers: passes every call on. Methods mirror the entries of ts_backend.
class Layer {
public:
  explicit Layer(std::shared_ptr<Backend> inner) : inner_(std::move(inner)) {}
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;
  virtual ~Layer() = default;

  virtual ts_status allocate(int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error);
  virtual void release(ts_buffer buffer, ts_queue queue);
  virtual ts_status copy_in(ts_queue queue, ts_buffer target, uint64_t byte, const void* source, uint64_t bytes,
                            ts_error* error);
  virtual ts_status copy_out(ts_queue queue, void* target, ts_buffer source, uint64_t byte, uint64_t bytes,
                             ts_error* error);
  virtual ts_status copy(ts_queue target_queue, ts_buffer target, uint64_t target_byte, ts_queue source_queue,
                         ts_buffer source, uint64_t source_byte, uint64_t bytes, ts_error* error);
  virtual ts_status queue_create(int32_t device, ts_queue* queue, ts_error* error);
  virtual void queue_destroy(int32_t device, ts_queue queue);
  virtual ts_status record(int32_t device, ts_queue queue, ts_event* event, ts_error* error);
  virtual ts_status wait(int32_t device, ts_queue queue, ts_event event, ts_error* error);
  virtual ts_status synchronize(int32_t device, ts_queue queue, ts_error* error);
  virtual ts_status poll(int32_t device, ts_queue queue, ts_error* error);
  virtual void query(const ts_call& call, ts_answer* answer);
  virtual ts_status map(ts_buffer buffer, void** address, ts_error* error);
  virtual void unmap(ts_buffer buffer);
  virtual ts_status import(int32_t device, void* native, uint64_t bytes, void (*deleter)(void*), void* context,
                           ts_buffer* buffer, ts_error* error);
  virtual ts_status native_handle(ts_buffer buffer, void** native, ts_error* error);
  virtual void census(ts_census_visitor visit, void* context, bool reset);
  virtual ts_status launch(int32_t family, const ts_call& call, ts_error* error);

  /// Whether census tells anything: a layer that counts by itself says so.
  virtual bool counts() const { return inner_->table().census != nullptr; }

  const Backend& inner() const { return *inner_; }

protected:
  const ts_backend& table() const { return inner_->table(); }
  ts_instance* instance() const { return inner_->instance(); }

private:
  std::shared_ptr<Backend> inner_;
};

/// The backend behind the layers, the first one nearest to it. ValueError for an unknown layer or option, with those there
/// are.
std::shared_ptr<Backend> add_layers(std::shared_ptr<Backend> backend, const std::vector<std::string>& layers);

/// A backend that is this layer. `name` is shown as the layer's, as `cpu+trace`; an empty one is not shown.
std::shared_ptr<Backend> make_layer(std::unique_ptr<Layer> layer, std::string_view name);

/// The backend behind all layers.
const Backend& innermost(const Backend& backend);

/// The outermost layer of a class in front of a backend, null where there is none.
template <class Kind> Kind* find_layer(const Backend& backend);

namespace detail {
Layer* layer_of(const Backend& backend);
/// Writes a refusal and gives its status.
ts_status refuse(ts_error* error, ts_status status, const std::string& message, int32_t op = -1, uint64_t serial = 0);
} // namespace detail

template <class Kind> Kind* find_layer(const Backend& backend) {
  for (Layer* layer = detail::layer_of(backend); layer != nullptr; layer = detail::layer_of(layer->inner()))
    if (auto* found = dynamic_cast<Kind*>(layer)) return found;
  return nullptr;
}

} // namespace ts
