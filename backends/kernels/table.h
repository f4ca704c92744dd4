// The entries that every table has, filled in one place for backends that are written in C++.
#pragma once

#include "backends/abi/backend.h"

/// Gives a ts_backend its head and, for each required entry but poll, the function of the entry's name that is in scope.
/// Left to the backend: poll, kernels, and what is optional.
#define TS_REQUIRED_ENTRIES(table, backend_name, backend_version)                                                      \
  ((table).size = sizeof(table), (table).abi_major = TS_ABI_MAJOR, (table).abi_minor = TS_ABI_MINOR,                   \
   (table).kernel_count = TS_FAMILY_COUNT, (table).name = (backend_name), (table).version = (backend_version),         \
   (table).open = open, (table).close = close, (table).device_count = device_count, (table).device_info = device_info, \
   (table).allocate = allocate, (table).release = release, (table).copy_in = copy_in, (table).copy_out = copy_out,     \
   (table).copy = copy, (table).queue_create = queue_create, (table).queue_destroy = queue_destroy,                    \
   (table).record = record, (table).wait = wait, (table).synchronize = synchronize, (table).query = query)
