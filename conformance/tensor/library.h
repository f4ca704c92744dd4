// The library as cases use it: logical arrays to tensors and back, attributes, and typed errors by name.
#pragma once

#include "conformance/device.h"
#include "conformance/oracle/oracle.h"
#include "conformance/outcome.h"
#include "runtime/ops/dispatch.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ts::conformance {

/// The library's device for an open backend, layers and all.
ts::Device library_device(const Device& device);

/// A dense tensor that holds the values.
Tensor tensor_of(const judge::Array& values, ts::Device device);
/// The logical values of a tensor, through the library's own read.
judge::Array array_of(const Tensor& tensor);
judge::Shape shape_of(const Dims& dims);
Dims dims_of(const judge::Shape& shape);

/// The attributes of a call by slot, as a caller of the library passes them.
std::vector<Attribute> library_attributes(const judge::Op& op, const judge::Attributes& attributes);

/// Runs an operation by its row in the library; reductions keep their axes. fill takes the dtype of `result`, convert too.
Results library_call(const judge::Op& op, const std::vector<Input>& operands, const std::vector<Attribute>& attributes,
                     const ops::Options& options);

/// What a body threw: the name of the typed error and its message; both empty where it threw nothing.
struct Thrown {
  std::string type, message;
};
/// Runs the body and waits for the device, so that deferred errors are met here.
Thrown caught(ts::Device device, const std::function<void()>& body);

/// The ops that were computed on the host since it was made.
class FallbackWatch {
public:
  explicit FallbackWatch(ts::Device device) : device_(device), before_(device.fallbacks()) {}
  /// Their names, or nothing; `only` asks for one op.
  std::string names(int32_t only = 0) const;

private:
  ts::Device device_;
  std::map<int32_t, uint64_t> before_;
};

} // namespace ts::conformance
