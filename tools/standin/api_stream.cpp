// Streams and events.
#include "tools/standin/machine.h"

using ts::standin::api;
using ts::standin::Effect;
using ts::standin::Event;
using ts::standin::Machine;
using ts::standin::Stream;

namespace {

cudaError_t create_stream(Machine& machine, cudaStream_t* stream, unsigned flags) {
  if (stream == nullptr || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0) return cudaErrorInvalidValue;
  *stream = machine.streams.add(
      std::make_unique<Stream>(machine.current(), machine.next_stream(), (flags & cudaStreamNonBlocking) == 0));
  return cudaSuccess;
}

cudaError_t create_event(Machine& machine, cudaEvent_t* event, unsigned flags) {
  if (event == nullptr) return cudaErrorInvalidValue;
  *event = machine.events.add(
      std::make_unique<Event>(Event{&machine.current(), machine.next_id(), (flags & cudaEventDisableTiming) == 0, {}}));
  return cudaSuccess;
}

// Asked whether it has run, a stream goes on by one command.
cudaError_t progress(Stream& stream) {
  stream.step();
  return stream.idle() ? stream.device().lost() : cudaErrorNotReady;
}

} // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return api(__func__, [=](Machine& machine) { return create_stream(machine, stream, cudaStreamDefault); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return api(__func__, [=](Machine& machine) { return create_stream(machine, stream, flags); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return api(__func__, [=](Machine& machine) { return create_stream(machine, stream, flags); });
}

// Its work is done all the same.
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return api(__func__, Effect::always, [=](Machine& machine) {
    Stream* stream = machine.streams.find(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    stream->drain();
    machine.streams.end(handle);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return api(__func__, [=](Machine& machine) {
    Stream* stream = machine.enqueue_on(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    stream->drain();
    return stream->device().lost();
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return api(__func__, [=](Machine& machine) {
    Stream* stream = machine.find_stream(handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : progress(*stream);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  return api(__func__, [=](Machine& machine) {
    Stream* stream = machine.enqueue_on(handle);
    const Event* found = machine.events.find(event);
    if (stream == nullptr || found == nullptr) return cudaErrorInvalidResourceHandle;
    if (found->point == nullptr) return cudaSuccess;
    stream->push([point = found->point] { Event::reach(*point); });
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return api(__func__, [=](Machine& machine) {
    Stream* stream = machine.enqueue_on(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    stream->push([=] { function(data); });
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return api(__func__, [=](Machine& machine) { return create_event(machine, event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return api(__func__, [=](Machine& machine) { return create_event(machine, event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api(__func__, Effect::always, [=](Machine& machine) {
    if (machine.events.find(event) == nullptr) return cudaErrorInvalidResourceHandle;
    machine.events.end(event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  return api(__func__, [=](Machine& machine) {
    Stream* stream = machine.enqueue_on(handle);
    Event* found = machine.events.find(event);
    // An event belongs to the device it was made on.
    if (stream == nullptr || found == nullptr || found->device != &stream->device())
      return cudaErrorInvalidResourceHandle;
    found->record(*stream);
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api(__func__, [=](Machine& machine) {
    const Event* found = machine.events.find(event);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (found->point == nullptr || found->point->passed) return found->device->lost();
    found->point->stream->step();
    return found->point->passed ? found->device->lost() : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return api(__func__, [=](Machine& machine) {
    const Event* found = machine.events.find(event);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (found->point != nullptr) Event::reach(*found->point);
    return found->device->lost();
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return api(__func__, [=](Machine& machine) {
    const Event *first = machine.events.find(from), *last = machine.events.find(to);
    if (first == nullptr || last == nullptr || !first->timed || !last->timed || !first->point || !last->point)
      return cudaErrorInvalidResourceHandle;
    if (!first->point->passed || !last->point->passed) return cudaErrorNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(last->point->when - first->point->when).count();
    return cudaSuccess;
  });
}
