// What checked mode finds in calls: it is the error of the call, at synchronize, and the device goes on.
#include "backends/emulator/checked/call_tasks.h"
#include "backends/emulator/device.h"
#include "backends/kernels/host_door.h"
#include "backends/testing/table.h"

#include <gmock/gmock.h>

#include <cstring>

namespace ts::emulator::checked {
namespace {

using testing::CallBuilder;
using testing::dense_view;
using ::testing::HasSubstr;

constexpr int64_t kCount = 6;

class Calls : public ::testing::Test {
protected:
  Calls() : settings_(parse_settings("check=all,memory=16")) {
    settings_.families = copying_family;
    device_ = std::make_unique<Device>(0, settings_, census_);
    device_->allocate(1, 8 * sizeof(float)); // longer than what calls see of it
    device_->allocate(2, 8 * sizeof(float));
    const std::vector<float> values(8, 3);
    for (const ts_buffer buffer : {1, 2}) device_->copy_in(0, buffer, 0, values.data(), 8 * sizeof(float));
  }

  // The error of one call, status TS_OK for none.
  ts_error call(Wrong wrong) {
    choose(wrong);
    CallBuilder builder(TS_OP_NEGATIVE, ++serial_);
    builder.out(dense_view(2, TS_DTYPE_F32, {kCount})).in(dense_view(1, TS_DTYPE_F32, {kCount}));
    device_->run(*builder.get(), kernels::check_call(builder.get(), TS_FAMILY_ELEMENTWISE, 1));
    device_->queues().drain(0);
    return device_->queues().get(0).take_error().value_or(ts_error{});
  }

  Settings settings_;
  kernels::Census census_;
  std::unique_ptr<Device> device_;
  uint64_t serial_ = 10;
};

TEST_F(Calls, WhatIsFoundIsTheErrorOfTheCallAndTheDeviceGoesOn) {
  // TS_CITES(execution.32)
  EXPECT_EQ(call(Wrong::nothing).status, TS_OK);
  const ts_error error = call(Wrong::neighbours);
  EXPECT_EQ(error.status, TS_DEVICE_ERROR);
  EXPECT_EQ(error.op, TS_OP_NEGATIVE);
  EXPECT_EQ(error.serial, 12U);
  EXPECT_THAT(error.message, HasSubstr("negative: write/write conflict: copy_twice/wrong: item 4 writes element (5) of "
                                       "output 0 at call_tasks.cpp"));
  EXPECT_EQ(call(Wrong::nothing).status, TS_OK);
}

TEST_F(Calls, BoundsAreThoseOfTheOperandNotOfItsBuffer) {
  // TS_CITES(execution.28)
  EXPECT_THAT(
      call(Wrong::past_the_end).message,
      HasSubstr("out of bounds: ones/wrong: item 6 writes byte 24 of the buffer of output 0, outside its elements"));
  std::vector<float> after(8);
  device_->copy_out(0, after.data(), 2, 0, 8 * sizeof(float));
  device_->queues().drain(0);
  EXPECT_EQ(after, (std::vector<float>{1, 1, 1, 1, 1, 1, 3, 3})); // the access was not carried out, the others were
}

TEST_F(Calls, OutputsHoldNothingUntilTheCallWritesThem) {
  // TS_CITES(execution.29, execution.16)
  EXPECT_THAT(call(Wrong::adds_to_output).message,
              HasSubstr("read of what nothing wrote: add/wrong: item 5 reads element (5) of output 0"));
  EXPECT_THAT(call(Wrong::leaves_element).message,
              HasSubstr("output not written: copy/wrong leaves element (5) of output 0 as it was"));
  EXPECT_EQ(call(Wrong::nothing).status, TS_OK);
}

TEST(CheckSettings, RefuseCodeThatWasNotCompiledToBeChecked) {
  Settings settings = parse_settings("check=race,memory=16");
  kernels::Census census;
  settings.families = kernels::host_family; // the plain kernels
  Device device(0, settings, census);
  device.allocate(1, 64);
  device.allocate(2, 64);
  CallBuilder builder(TS_OP_NEGATIVE, 1);
  builder.out(dense_view(2, TS_DTYPE_F32, {4})).in(dense_view(1, TS_DTYPE_F32, {4}));
  const kernels::Row& row = kernels::check_call(builder.get(), TS_FAMILY_ELEMENTWISE, 1);
  EXPECT_THROW(device.run(*builder.get(), row), kernels::Refusal);
}

TEST(CheckSettings, AreWrittenAfterTheColon) {
  EXPECT_TRUE(parse_settings("check=race,bounds").check.bounds);
  EXPECT_FALSE(parse_settings("check=race,bounds").check.init);
  EXPECT_TRUE(parse_settings("check=all").check.host);
  EXPECT_EQ(parse_settings("jitter=3").check.jitter, 3U);
  EXPECT_THROW(parse_settings("check=luck"), kernels::Refusal);
  EXPECT_THROW(parse_settings("bounds"), kernels::Refusal);
  EXPECT_THROW(parse_settings("check=all,threads=2"), kernels::Refusal);
}

} // namespace
} // namespace ts::emulator::checked
