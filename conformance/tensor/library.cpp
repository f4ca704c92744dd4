#include "conformance/tensor/library.h"

#include "runtime/errors.h"
#include "runtime/tensor/factories.h"

#include <algorithm>

namespace ts::conformance {

ts::Device library_device(const Device& device) { return ts::Device::of(device.share(), device.index()); }

judge::Shape shape_of(const Dims& dims) { return {dims.begin(), dims.end()}; }

Dims dims_of(const judge::Shape& shape) { return Dims(shape); }

Tensor tensor_of(const judge::Array& values, ts::Device device) {
  return from_host(values.bytes.data(), dims_of(values.shape), static_cast<DType>(values.dtype), device);
}

judge::Array array_of(const Tensor& tensor) {
  judge::Array array(static_cast<int32_t>(tensor.dtype()), shape_of(tensor.shape()));
  if (!array.bytes.empty()) tensor.read(array.bytes.data());
  return array;
}

std::vector<Attribute> library_attributes(const judge::Op& op, const judge::Attributes& attributes) {
  std::vector<Attribute> slots(op.attributes.size());
  for (const judge::AttributeRow& row : op.attributes) {
    const ts_attribute& value = attributes.at(row.name);
    Attribute& slot = slots[static_cast<size_t>(row.slot)];
    if (row.kind == "axes") {
      Dims axes;
      for (int64_t axis = 0; axis < 63; ++axis)
        if ((value.integer >> axis & 1) != 0) axes.push_back(axis);
      slot = Axes(axes);
    } else if (value.kind == TS_ATTRIBUTE_REAL) {
      slot = Scalar(value.real);
    } else {
      slot = row.kind == "bool" ? Scalar(value.integer != 0) : Scalar(value.integer);
    }
  }
  return slots;
}

Results library_call(const judge::Op& op, const std::vector<Input>& operands, const std::vector<Attribute>& attributes,
                     const ops::Options& options) {
  ops::Options kept = options;
  kept.keepdims = op.shape == "reduce" || op.family == "reduce" || op.family == "arg_reduce";
  return ops::call(ops::row(op.name), operands, attributes, kept);
}

Thrown caught(ts::Device device, const std::function<void()>& body) {
  try {
    body();
    device.synchronize();
  } catch (const IndexError& error) {
    return {"IndexError", error.what()};
  } catch (const TypeError& error) {
    return {"TypeError", error.what()};
  } catch (const ValueError& error) {
    return {"ValueError", error.what()};
  } catch (const DeviceError& error) {
    return {"DeviceError", error.what()};
  } catch (const std::exception& error) {
    return {"another error", error.what()};
  }
  return {};
}

std::string FallbackWatch::names(int32_t only) const {
  std::string names;
  for (const auto& [op, count] : device_.fallbacks()) {
    if (only != 0 && op != only) continue;
    const auto seen = before_.find(op);
    if (seen == before_.end() || seen->second != count)
      names += (names.empty() ? "" : ", ") + std::string(ops::row(op).name);
  }
  return names;
}

} // namespace ts::conformance
