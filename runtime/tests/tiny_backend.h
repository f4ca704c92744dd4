// A backend of plain loops for tests: two devices with memory of their own that the host cannot reach, and only three
// operations (fill, convert, add), so that everything else shows how the library lives without support.
#pragma once

#include "runtime/backend/device.h"

#include <memory>
#include <string>

namespace ts::tests {

const ts_backend& tiny_table();
/// A fresh instance of it. `limit` bounds the bytes of each device, 0 for none.
std::shared_ptr<Backend> open_tiny(uint64_t limit = 0);

} // namespace ts::tests
