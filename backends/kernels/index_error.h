// From a fault cell that a launch filled to the error that synchronize surfaces.
#pragma once

#include "backends/kernels/call.h"
#include "backends/kernels/row.h"

#include <cstdio>

namespace ts::kernels {

/// The error of a call whose index operand held an index outside its axis. // indexing.2
inline ts_error index_error(int32_t op, uint64_t serial, const IndexFault& fault) {
  ts_error error{};
  error.size = sizeof error;
  error.status = TS_INDEX_OUT_OF_RANGE;
  error.op = op;
  error.operand = static_cast<int32_t>(fault.operand);
  error.serial = serial;
  error.element = fault.element;
  error.value = fault.value;
  error.bound = fault.extent;
  const Row* row = find_row(op);
  snprintf(error.message, sizeof error.message,
           "%s: index %lld is out of range for an axis of extent %lld (element %lld of input %lld)",
           row == nullptr ? "?" : row->name.c_str(), static_cast<long long>(fault.value),
           static_cast<long long>(fault.extent), static_cast<long long>(fault.element),
           static_cast<long long>(fault.operand));
  return error;
}

} // namespace ts::kernels
