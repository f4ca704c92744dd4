// The names of an example and what they stand for, and its expressions: view operations and calls of the library.
#pragma once

#include "conformance/tensor/library.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace ts::conformance {

/// Thrown where an example does not hold: what was expected, what came.
using ExampleFault = DoorFault;

class Scene {
public:
  Scene(const judge::Spec& spec, ts::Device device) : spec_(spec), device_(device) {}

  ts::Device device() const { return device_; }

  /// Makes the tensor of a statement of kind `tensor` or `view`.
  void make(const nlohmann::json& statement);
  void assign(const std::string& name, Tensor tensor) { names_[name] = std::move(tensor); }
  bool has(const std::string& name) const { return names_.count(name) != 0; }
  const Tensor& named(const std::string& name) const;

  /// A name or a view operation as a tensor.
  Tensor tensor(const nlohmann::json& expression) const;
  /// The results of an op, or the one of a view operation.
  Results results(const nlohmann::json& expression) const;

private:
  Tensor view(const std::string& operation, const nlohmann::json& arguments) const;
  Input input(const nlohmann::json& expression) const;

  const judge::Spec& spec_;
  ts::Device device_;
  std::map<std::string, Tensor> names_;
};

/// Values as the spec's data writes them.
judge::Array array_of_texts(const std::string& dtype, const judge::Shape& shape, const nlohmann::json& values);

} // namespace ts::conformance
