#include "runtime/backend/layers.h"

#include "runtime/backend/layers/census.h"
#include "runtime/backend/layers/delay.h"
#include "runtime/backend/layers/fault.h"
#include "runtime/backend/layers/hide.h"
#include "runtime/backend/layers/trace.h"
#include "runtime/backend/layers/validate.h"
#include "runtime/errors.h"
#include "runtime/mutate.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <utility>

namespace ts {

namespace detail {

ts_status refuse(ts_error* error, ts_status status, const std::string& message, int32_t op, uint64_t serial) {
  if (error != nullptr) {
    error->status = status;
    error->op = op;
    error->serial = serial;
    std::snprintf(error->message, sizeof error->message, "%s", message.c_str());
  }
  return status;
}

} // namespace detail

namespace {

// A layer's instance at the door is the Layer itself; the opaque type has no definition here.
Layer& as_layer(ts_instance* self) { return *reinterpret_cast<Layer*>(self); }

// No exception crosses the door.
template <class Body> ts_status guarded(ts_error* error, Body&& body) {
  try {
    return body();
  } catch (const std::exception& exception) {
    return detail::refuse(error, TS_DEVICE_ERROR, exception.what());
  }
}

// One thunk per method: the entry's parameters are the method's, with the instance in front.
template <auto kMethod> struct Thunk;
template <class... Parameters, ts_status (Layer::*kMethod)(Parameters...)> struct Thunk<kMethod> {
  static ts_status call(ts_instance* self, Parameters... parameters) {
    ts_error* error = std::get<sizeof...(Parameters) - 1>(std::tuple<Parameters...>(parameters...));
    return guarded(error, [&] { return (as_layer(self).*kMethod)(parameters...); });
  }
};

ts_status open_layer(const char*, ts_instance**, ts_error* error) {
  return detail::refuse(error, TS_UNSUPPORTED, "a layer is put in front of an open backend, see add_layers");
}

template <int kFamily> ts_status launch_family(ts_instance* self, const ts_call* call, ts_error* error) {
  return guarded(error, [&] { return as_layer(self).launch(kFamily, *call, error); });
}

template <int... kFamilies>
void fill_kernels(ts_backend& table, const Backend& inner, std::integer_sequence<int, kFamilies...>) {
  ((table.kernels[kFamilies] = inner.kernel(kFamilies) != nullptr ? launch_family<kFamilies> : nullptr), ...);
}

ts_backend layer_table(const Layer& layer) {
  const Backend& inner = layer.inner();
  ts_backend t{};
  t.size = sizeof t;
  t.abi_major = TS_ABI_MAJOR;
  t.abi_minor = TS_ABI_MINOR;
  t.kernel_count = TS_FAMILY_COUNT;
  t.name = inner.table().name;
  t.version = inner.table().version;
  t.open = open_layer;
  t.close = [](ts_instance* self) { delete &as_layer(self); };
  t.device_count = [](ts_instance* self) { return as_layer(self).inner().device_count(); };
  t.device_info = [](ts_instance* self, int32_t device, ts_device_info* info, ts_error* error) {
    const Backend& backend = as_layer(self).inner();
    return backend.table().device_info(backend.instance(), device, info, error);
  };
  t.allocate = Thunk<&Layer::allocate>::call;
  t.release = [](ts_instance* self, ts_buffer buffer, ts_queue queue) { as_layer(self).release(buffer, queue); };
  t.copy_in = Thunk<&Layer::copy_in>::call;
  t.copy_out = Thunk<&Layer::copy_out>::call;
  t.copy = Thunk<&Layer::copy>::call;
  t.queue_create = Thunk<&Layer::queue_create>::call;
  t.queue_destroy = [](ts_instance* self, int32_t device, ts_queue queue) {
    as_layer(self).queue_destroy(device, queue);
  };
  t.record = Thunk<&Layer::record>::call;
  t.wait = Thunk<&Layer::wait>::call;
  t.synchronize = Thunk<&Layer::synchronize>::call;
  t.poll = Thunk<&Layer::poll>::call;
  t.query = [](ts_instance* self, const ts_call* call, ts_answer* answer) { as_layer(self).query(*call, answer); };
  if (inner.table().map != nullptr) t.map = Thunk<&Layer::map>::call;
  if (inner.table().unmap != nullptr) t.unmap = [](ts_instance* self, ts_buffer b) { as_layer(self).unmap(b); };
  if (inner.table().import != nullptr) t.import = Thunk<&Layer::import>::call;
  if (inner.table().native_handle != nullptr) t.native_handle = Thunk<&Layer::native_handle>::call;
  if (layer.counts())
    t.census = [](ts_instance* self, ts_census_visitor visit, void* context, int32_t reset) {
      as_layer(self).census(visit, context, reset != 0);
    };
  fill_kernels(t, inner, std::make_integer_sequence<int, TS_FAMILY_COUNT>{});
  return t;
}

std::unique_ptr<Layer> make(std::shared_ptr<Backend> inner, std::string_view name, std::string_view options) {
  if (name == "trace") return std::make_unique<TraceLayer>(std::move(inner), options);
  if (name == "fault") return std::make_unique<FaultLayer>(std::move(inner), options);
  if (name == "hide") return std::make_unique<HideLayer>(std::move(inner), options);
#if defined(TS_MUTANTS)
  if (name == "library") return mutants::make_layer(std::move(inner), options);
#endif
  if (!options.empty()) throw ValueError(fmt::format("layer '{}' takes no options, got '{}'", name, options));
  if (name == "validate") return std::make_unique<ValidateLayer>(std::move(inner));
  if (name == "census") return std::make_unique<CensusLayer>(std::move(inner));
  if (name == "delay") return std::make_unique<DelayLayer>(std::move(inner));
  throw ValueError(fmt::format("unknown layer '{}'; there are trace, validate, census, fault, hide, delay", name));
}

} // namespace

namespace detail {
Layer* layer_of(const Backend& backend) {
  return backend.table().open == open_layer ? &as_layer(backend.instance()) : nullptr;
}
} // namespace detail

std::shared_ptr<Backend> make_layer(std::unique_ptr<Layer> layer, std::string_view name) {
  const auto table = std::make_shared<ts_backend>(layer_table(*layer));
  std::string shown = name.empty() ? layer->inner().name() : fmt::format("{}+{}", layer->inner().name(), name);
  auto* instance = reinterpret_cast<ts_instance*>(layer.release());
  return std::make_shared<Backend>(std::move(shown), table.get(), instance, table);
}

const Backend& innermost(const Backend& backend) {
  const Layer* layer = detail::layer_of(backend);
  return layer == nullptr ? backend : innermost(layer->inner());
}

std::shared_ptr<Backend> add_layers(std::shared_ptr<Backend> backend, const std::vector<std::string>& layers) {
  for (const std::string& text : layers) {
    const size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const std::string options = colon == std::string::npos ? "" : text.substr(colon + 1);
    backend = make_layer(make(std::move(backend), name, options), name);
  }
  return backend;
}

ts_status Layer::allocate(int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) {
  return table().allocate(instance(), device, bytes, buffer, error);
}
void Layer::release(ts_buffer buffer, ts_queue queue) { table().release(instance(), buffer, queue); }
ts_status Layer::copy_in(ts_queue queue, ts_buffer target, uint64_t byte, const void* source, uint64_t bytes,
                         ts_error* error) {
  return table().copy_in(instance(), queue, target, byte, source, bytes, error);
}
ts_status Layer::copy_out(ts_queue queue, void* target, ts_buffer source, uint64_t byte, uint64_t bytes,
                          ts_error* error) {
  return table().copy_out(instance(), queue, target, source, byte, bytes, error);
}
ts_status Layer::copy(ts_queue target_queue, ts_buffer target, uint64_t target_byte, ts_queue source_queue,
                      ts_buffer source, uint64_t source_byte, uint64_t bytes, ts_error* error) {
  return table().copy(instance(), target_queue, target, target_byte, source_queue, source, source_byte, bytes, error);
}
ts_status Layer::queue_create(int32_t device, ts_queue* queue, ts_error* error) {
  return table().queue_create(instance(), device, queue, error);
}
void Layer::queue_destroy(int32_t device, ts_queue queue) { table().queue_destroy(instance(), device, queue); }
ts_status Layer::record(int32_t device, ts_queue queue, ts_event* event, ts_error* error) {
  return table().record(instance(), device, queue, event, error);
}
ts_status Layer::wait(int32_t device, ts_queue queue, ts_event event, ts_error* error) {
  return table().wait(instance(), device, queue, event, error);
}
ts_status Layer::synchronize(int32_t device, ts_queue queue, ts_error* error) {
  return table().synchronize(instance(), device, queue, error);
}
ts_status Layer::poll(int32_t device, ts_queue queue, ts_error* error) {
  return table().poll(instance(), device, queue, error);
}
void Layer::query(const ts_call& call, ts_answer* answer) { table().query(instance(), &call, answer); }
ts_status Layer::map(ts_buffer buffer, void** address, ts_error* error) {
  return table().map(instance(), buffer, address, error);
}
void Layer::unmap(ts_buffer buffer) { table().unmap(instance(), buffer); }
ts_status Layer::import(int32_t device, void* native, uint64_t bytes, void (*deleter)(void*), void* context,
                        ts_buffer* buffer, ts_error* error) {
  return table().import(instance(), device, native, bytes, deleter, context, buffer, error);
}
ts_status Layer::native_handle(ts_buffer buffer, void** native, ts_error* error) {
  return table().native_handle(instance(), buffer, native, error);
}
void Layer::census(ts_census_visitor visit, void* context, bool reset) {
  if (table().census != nullptr) table().census(instance(), visit, context, reset ? 1 : 0);
}
ts_status Layer::launch(int32_t family, const ts_call& call, ts_error* error) {
  return inner().kernel(family)(instance(), &call, error);
}

} // namespace ts
