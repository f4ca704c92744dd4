// Tests run their body on every device there is: every backend beside the program, and the tiny one of the tests.
#pragma once

#include "runtime/errors.h"
#include "runtime/ops/ops.h"
#include "runtime/tensor/factories.h"
#include "runtime/tensor/view.h"
#include "runtime/tests/tiny_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace ts::tests {

/// Names of the devices to test on; `tiny` is the tests' own.
std::vector<std::string> device_names();
Device device_named(const std::string& name);

class OnEveryDevice : public testing::TestWithParam<std::string> {
protected:
  Device device_ = device_named(GetParam());

  /// 0, 1, 2, ... in a shape.
  Tensor counting(const Dims& shape, DType dtype = DType::kF32) const {
    return reshape(arange(element_count(shape), dtype, device_), shape);
  }
};

#define TS_ON_EVERY_DEVICE(suite)                                                                                      \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, testing::ValuesIn(::ts::tests::device_names()),                             \
                           [](const auto& name) { return name.param; })

/// The values of a tensor as numbers, whatever its dtype.
std::vector<double> numbers(const Tensor& x);

/// Expects an error of a type whose message holds every one of the parts.
template <class Error, class Body> void expect_error(Body&& body, const std::vector<std::string>& parts) {
  try {
    body();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    for (const std::string& part : parts) EXPECT_THAT(error.what(), testing::HasSubstr(part));
  }
}

} // namespace ts::tests
