/*
 * The smallest backend that is one: memory, copies, fill and convert, in C99 and from touchstone/backend.h alone.
 * Copy this folder to begin your own. Everything it lacks is NULL or answered with TS_UNSUPPORTED, which is honest.
 *
 *   cc -std=c99 -O2 -shared -fPIC -I<prefix>/include backend.c -o skeleton.so -lm
 *   touchstone run --backend ./skeleton.so
 *
 * The device is the host's memory, and work is done when it is called; so queues and events have nothing to do.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "touchstone/backend.h"

#include "elements.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  unsigned char* data;
  uint64_t bytes;
} Buffer;

struct ts_instance {
  Buffer** buffers; /* handle h is slot h - 1, NULL where free; a buffer stays where it is while the table grows */
  uint64_t count;
  uint64_t queues;
  uint64_t events;
};

/* Entries may be called from several threads at once, each with a queue of its own; they share the tables above. */
static pthread_mutex_t tables = PTHREAD_MUTEX_INITIALIZER;

static uint64_t next(uint64_t* counter) {
  uint64_t number;
  pthread_mutex_lock(&tables);
  number = ++*counter;
  pthread_mutex_unlock(&tables);
  return number;
}

/* Errors: say what happened in the caller's struct, give the status back. */

static ts_status fail(ts_error* error, const ts_call* call, ts_status status, const char* message) {
  ts_error found;
  if (error == NULL || error->size < sizeof found) return status;
  memset(&found, 0, sizeof found);
  found.size = error->size;
  found.status = status;
  found.op = call == NULL ? -1 : call->op;
  found.serial = call == NULL ? 0 : call->serial;
  found.operand = -1;
  found.element = -1;
  snprintf(found.message, sizeof found.message, "%s", message);
  memcpy(error, &found, sizeof found);
  return status;
}

static ts_status wrong(ts_error* error, const char* message) { return fail(error, NULL, TS_INVALID_ARGUMENT, message); }

/* Lifetime. */

static ts_status open_backend(const char* options, ts_instance** self, ts_error* error) {
  char message[TS_MESSAGE_BYTES];
  if (options != NULL && options[0] != '\0') {
    snprintf(message, sizeof message, "unknown option '%.200s': the skeleton takes none", options);
    return wrong(error, message);
  }
  *self = calloc(1, sizeof **self);
  return *self == NULL ? fail(error, NULL, TS_OUT_OF_MEMORY, "no memory for an instance") : TS_OK;
}

static void close_backend(ts_instance* self) {
  uint64_t k;
  for (k = 0; k < self->count; ++k) {
    if (self->buffers[k] == NULL) continue;
    free(self->buffers[k]->data);
    free(self->buffers[k]);
  }
  free(self->buffers);
  free(self);
}

/* Devices. */

static int32_t device_count(ts_instance* self) {
  (void)self;
  return 1;
}

static ts_status device_info(ts_instance* self, int32_t device, ts_device_info* info, ts_error* error) {
  ts_device_info found;
  (void)self;
  if (device != 0) return wrong(error, "there is only device 0");
  memset(&found, 0, sizeof found);
  found.size = info->size;
  found.alignment = 16; /* what malloc gives */
  found.flags = TS_DEVICE_DETERMINISTIC;
  snprintf(found.name, sizeof found.name, "host memory");
  memcpy(info, &found, info->size < sizeof found ? info->size : sizeof found);
  return TS_OK;
}

/* Memory. A handle is a number that the caller cannot mistake for an address. */

static Buffer* find(ts_instance* self, ts_buffer handle) {
  Buffer* buffer = NULL;
  pthread_mutex_lock(&tables);
  if (handle != 0 && handle <= self->count) buffer = self->buffers[handle - 1];
  pthread_mutex_unlock(&tables);
  return buffer;
}

/* Takes a slot for the buffer, a free one where there is one; 0 where the table cannot grow. */
static ts_buffer keep(ts_instance* self, Buffer* buffer) {
  Buffer** grown;
  ts_buffer handle = 0;
  uint64_t slot = 0;
  pthread_mutex_lock(&tables);
  while (slot < self->count && self->buffers[slot] != NULL) ++slot;
  if (slot == self->count) {
    grown = realloc(self->buffers, (size_t)(self->count + 1) * sizeof *grown);
    if (grown != NULL) {
      self->buffers = grown;
      ++self->count;
    }
  }
  if (slot < self->count) {
    self->buffers[slot] = buffer;
    handle = slot + 1;
  }
  pthread_mutex_unlock(&tables);
  return handle;
}

static ts_status allocate(ts_instance* self, int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) {
  Buffer* made;
  if (device != 0) return wrong(error, "there is only device 0");
  made = malloc(sizeof *made);
  if (made != NULL) {
    made->bytes = bytes;
    made->data = bytes > SIZE_MAX / 2 ? NULL : malloc(bytes > 0 ? (size_t)bytes : 1); /* 0 bytes are a buffer, too */
    *buffer = made->data == NULL ? 0 : keep(self, made);
    if (*buffer != 0) return TS_OK;
    free(made->data);
    free(made);
  }
  fail(error, NULL, TS_OUT_OF_MEMORY, "the host has no room for these bytes");
  if (error != NULL) error->value = bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
  return TS_OUT_OF_MEMORY;
}

static void release(ts_instance* self, ts_buffer handle, ts_queue queue) {
  Buffer* buffer = NULL;
  (void)queue;
  pthread_mutex_lock(&tables);
  if (handle != 0 && handle <= self->count) {
    buffer = self->buffers[handle - 1];
    self->buffers[handle - 1] = NULL;
  }
  pthread_mutex_unlock(&tables);
  if (buffer == NULL) return;
  free(buffer->data);
  free(buffer);
}

/* Copies. */

static int inside(const Buffer* buffer, uint64_t byte, uint64_t bytes) {
  return buffer != NULL && byte <= buffer->bytes && bytes <= buffer->bytes - byte;
}

static ts_status copy_in(ts_instance* self, ts_queue queue, ts_buffer target, uint64_t target_byte, const void* source,
                         uint64_t bytes, ts_error* error) {
  const Buffer* to = find(self, target);
  if (queue > self->queues || !inside(to, target_byte, bytes))
    return wrong(error, "copy_in: no such queue, buffer or bytes");
  if (bytes > 0) memcpy(to->data + target_byte, source, (size_t)bytes);
  return TS_OK;
}

static ts_status copy_out(ts_instance* self, ts_queue queue, void* target, ts_buffer source, uint64_t source_byte,
                          uint64_t bytes, ts_error* error) {
  const Buffer* from = find(self, source);
  if (queue > self->queues || !inside(from, source_byte, bytes))
    return wrong(error, "copy_out: no such queue, buffer or bytes");
  if (bytes > 0) memcpy(target, from->data + source_byte, (size_t)bytes);
  return TS_OK;
}

static ts_status copy(ts_instance* self, ts_queue target_queue, ts_buffer target, uint64_t target_byte,
                      ts_queue source_queue, ts_buffer source, uint64_t source_byte, uint64_t bytes, ts_error* error) {
  const Buffer *to = find(self, target), *from = find(self, source);
  if (target_queue > self->queues || source_queue > self->queues || !inside(to, target_byte, bytes) ||
      !inside(from, source_byte, bytes))
    return wrong(error, "copy: no such queue, buffer or bytes");
  if (bytes > 0) memmove(to->data + target_byte, from->data + source_byte, (size_t)bytes);
  return TS_OK;
}

/* Queues: everything is done when it is called, so a queue is only a number. */

static ts_status queue_create(ts_instance* self, int32_t device, ts_queue* queue, ts_error* error) {
  if (device != 0) return wrong(error, "there is only device 0");
  *queue = next(&self->queues);
  return TS_OK;
}

static void queue_destroy(ts_instance* self, int32_t device, ts_queue queue) {
  (void)self;
  (void)device;
  (void)queue;
}

static ts_status record(ts_instance* self, int32_t device, ts_queue queue, ts_event* event, ts_error* error) {
  if (device != 0 || queue > self->queues) return wrong(error, "record: no such device or queue");
  *event = next(&self->events);
  return TS_OK;
}

static ts_status wait(ts_instance* self, int32_t device, ts_queue queue, ts_event event, ts_error* error) {
  if (device != 0 || queue > self->queues || event == 0 || event > self->events)
    return wrong(error, "wait: no such device, queue or event");
  return TS_OK;
}

static ts_status synchronize(ts_instance* self, int32_t device, ts_queue queue, ts_error* error) {
  return device != 0 || queue > self->queues ? wrong(error, "synchronize: no such device or queue") : TS_OK;
}

/* Kernels: fill(; value) -> z and convert(x) -> z. */

static int is_empty(const ts_view* view) {
  int32_t axis;
  for (axis = 0; axis < view->rank; ++axis)
    if (view->shape[axis] == 0) return 1;
  return 0;
}

/* Says of a call, buffers aside, whether it can be made. */
static ts_status check(const ts_call* call, const char** reason) {
  const ts_view *z, *x;
  int64_t count = 1;
  int32_t axis;
  *reason = "the skeleton has only fill and convert";
  if (call->op != TS_OP_FILL && call->op != TS_OP_CONVERT) return TS_UNSUPPORTED;
  *reason = "wrong number of outputs, inputs or attributes, or a wrong device";
  if (call->device != 0 || call->output_count != 1 || call->input_count != (call->op == TS_OP_CONVERT ? 1 : 0) ||
      call->attribute_count != (call->op == TS_OP_FILL ? 1 : 0))
    return TS_INVALID_ARGUMENT;
  z = &call->outputs[0];
  x = call->op == TS_OP_CONVERT ? &call->inputs[0].view : z;
  *reason = "a dtype that is not known here";
  if (itemsize(z->dtype) == 0 || itemsize(x->dtype) == 0) return TS_UNSUPPORTED;
  *reason = "a rank or an extent out of range, or shapes that differ";
  if (z->rank < 0 || z->rank > TS_RANK_MAX || x->rank != z->rank) return TS_INVALID_ARGUMENT;
  for (axis = 0; axis < z->rank; ++axis)
    if (z->shape[axis] < 0 || z->shape[axis] != x->shape[axis]) return TS_INVALID_ARGUMENT;
  *reason = "the number of elements does not fit 64 bits";
  if (!is_empty(z)) {
    for (axis = 0; axis < z->rank; ++axis) {
      if (count > INT64_MAX / z->shape[axis]) return TS_INVALID_ARGUMENT;
      count *= z->shape[axis];
    }
  }
  *reason = "the value must travel as a real for a floating dtype, else as an integer";
  if (call->op == TS_OP_FILL &&
      call->attributes[0].kind != (is_floating(z->dtype) ? TS_ATTRIBUTE_REAL : TS_ATTRIBUTE_INTEGER))
    return TS_INVALID_ARGUMENT;
  *reason = "";
  return TS_OK;
}

static void query(ts_instance* self, const ts_call* call, ts_answer* answer) {
  ts_answer found;
  const char* reason;
  (void)self;
  memset(&found, 0, sizeof found);
  found.size = answer->size;
  found.status = check(call, &reason);
  snprintf(found.reason, sizeof found.reason, "%s", reason);
  memcpy(answer, &found, answer->size < sizeof found ? answer->size : sizeof found);
}

static int64_t count_of(const ts_view* view) {
  int64_t count = 1;
  int32_t axis;
  for (axis = 0; axis < view->rank; ++axis) count *= view->shape[axis];
  return count;
}

/* True where every element of the view lies in its buffer. A stride is held against the buffer before it is multiplied, so
   nothing overflows. */
static int reaches_inside(const ts_view* view, const Buffer* buffer) {
  int64_t low = view->offset, high = view->offset, last;
  int32_t axis;
  if (buffer == NULL) return 0;
  if (is_empty(view)) return 1;
  last = (int64_t)(buffer->bytes / (uint64_t)itemsize(view->dtype)) - 1;
  if (view->offset < 0 || view->offset > last) return 0;
  for (axis = 0; axis < view->rank; ++axis) {
    const int64_t steps = view->shape[axis] - 1, stride = view->stride[axis];
    if (steps == 0) continue;
    if (stride > last / steps || stride < -(last / steps)) return 0;
    if (stride < 0)
      low += steps * stride;
    else
      high += steps * stride;
  }
  return low >= 0 && high <= last;
}

/* The element with row-major index i lies at offset + sum(index on axis * stride of axis). */
static unsigned char* element(const ts_view* view, const Buffer* buffer, int64_t i) {
  int64_t position = view->offset;
  int32_t axis;
  for (axis = view->rank - 1; axis >= 0; --axis) {
    position += i % view->shape[axis] * view->stride[axis];
    i /= view->shape[axis];
  }
  return buffer->data + position * itemsize(view->dtype);
}

/* True where two elements of an output share a place: which of two values stays would be chance. Plain, and exact; a real
   backend decides it from shape and strides. */
static int overlaps_itself(const ts_view* view, const Buffer* buffer) {
  const int64_t size = itemsize(view->dtype), count = count_of(view);
  unsigned char* seen;
  int64_t i;
  int twice = 0;
  if (count < 2) return 0;
  seen = calloc((size_t)(buffer->bytes / (uint64_t)size), 1);
  if (seen == NULL) return 1;
  for (i = 0; i < count && !twice; ++i) {
    unsigned char* mark = seen + (element(view, buffer, i) - buffer->data) / size;
    twice = *mark;
    *mark = 1;
  }
  free(seen);
  return twice;
}

static ts_status fill(ts_instance* self, const ts_call* call, ts_error* error) {
  const char* reason;
  const ts_status status = check(call, &reason);
  const ts_view* z = call->outputs;
  const Buffer* to;
  Number value;
  int64_t i;
  if (status != TS_OK) return fail(error, call, status, reason);
  if (call->op != TS_OP_FILL) return fail(error, call, TS_INVALID_ARGUMENT, "this entry is fill");
  to = find(self, z->buffer);
  if (!reaches_inside(z, to)) return fail(error, call, TS_INVALID_ARGUMENT, "fill: z does not lie in a buffer");
  if (overlaps_itself(z, to)) return fail(error, call, TS_INVALID_ARGUMENT, "fill: elements of z share a place");
  value.is_integer = call->attributes[0].kind == TS_ATTRIBUTE_INTEGER;
  value.integer = call->attributes[0].integer;
  value.real = call->attributes[0].real;
  for (i = 0; i < count_of(z); ++i) store(value, z->dtype, element(z, to, i));
  return TS_OK;
}

static ts_status convert(ts_instance* self, const ts_call* call, ts_error* error) {
  const char* reason;
  const ts_status status = check(call, &reason);
  const ts_view *z = call->outputs, *x;
  const Buffer *to, *from;
  int64_t i;
  if (status != TS_OK) return fail(error, call, status, reason);
  if (call->op != TS_OP_CONVERT) return fail(error, call, TS_INVALID_ARGUMENT, "this entry is convert");
  x = &call->inputs[0].view;
  to = find(self, z->buffer);
  from = find(self, x->buffer);
  if (!reaches_inside(z, to) || (x->buffer != 0 && !reaches_inside(x, from)))
    return fail(error, call, TS_INVALID_ARGUMENT, "convert: an operand does not lie in a buffer");
  if (overlaps_itself(z, to)) return fail(error, call, TS_INVALID_ARGUMENT, "convert: elements of z share a place");
  for (i = 0; i < count_of(z); ++i) {
    /* An input without a buffer is an immediate: its value is in the low bytes of bits. */
    const unsigned char* source = x->buffer == 0 ? (const unsigned char*)&call->inputs[0].bits : element(x, from, i);
    unsigned char* target = element(z, to, i);
    if (x->dtype == z->dtype && x->dtype != TS_DTYPE_BOOL)
      memcpy(target, source, (size_t)itemsize(x->dtype));
    else
      store(load(x->dtype, source), z->dtype, target);
  }
  return TS_OK;
}

TS_EXPORT const ts_backend* ts_backend_table(void) {
  static ts_backend table; /* zero: entries that are not set are absent */
  table.size = sizeof table;
  table.abi_major = TS_ABI_MAJOR;
  table.abi_minor = TS_ABI_MINOR;
  table.kernel_count = TS_FAMILY_COUNT;
  table.name = "skeleton";
  table.version = "0.1.0";
  table.open = open_backend;
  table.close = close_backend;
  table.device_count = device_count;
  table.device_info = device_info;
  table.allocate = allocate;
  table.release = release;
  table.copy_in = copy_in;
  table.copy_out = copy_out;
  table.copy = copy;
  table.queue_create = queue_create;
  table.queue_destroy = queue_destroy;
  table.record = record;
  table.wait = wait;
  table.synchronize = synchronize;
  table.poll = synchronize;
  table.query = query;
  table.kernels[TS_FAMILY_FILL] = fill;
  table.kernels[TS_FAMILY_CONVERT] = convert;
  return &table;
}
