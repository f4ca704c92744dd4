// What a Tensor handle points to: a storage and the layout of a view on it.
#pragma once

#include "runtime/base/layout.h"
#include "runtime/tensor/storage.h"

#include <memory>

namespace ts {

struct TensorImpl {
  std::shared_ptr<Storage> storage;
  Layout layout;
  DType dtype;
};

} // namespace ts
