// A backend built with CUDA, on the real runtime, where there is no device or no driver: it loads, counts no devices, and says
// why.
#include "backends/testing/table.h"

#include <gmock/gmock.h>

namespace ts::standin {
namespace {

using ::testing::ContainsRegex;

TEST(CudaWithoutDevice, LoadsAndSaysWhatIsMissing) {
  const ts_backend* table = testing::load_table(testing::built_backend("cuda"));
  ASSERT_NE(table, nullptr);
  ts_instance* self = nullptr;
  ts_error error = testing::fresh_error();
  ASSERT_EQ(table->open("", &self, &error), TS_OK) << error.message;
  EXPECT_EQ(table->device_count(self), 0);
  ts_buffer buffer = 0;
  EXPECT_EQ(table->allocate(self, 0, 64, &buffer, &error), TS_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, ContainsRegex("device 0 does not exist: no (NVIDIA driver|CUDA device)"));
  table->close(self);
}

} // namespace
} // namespace ts::standin
