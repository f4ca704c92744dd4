// The layers, each in front of every backend: what it sees, refuses, counts, breaks or delays.
#include "runtime/backend/layers/census.h"
#include "runtime/backend/layers/delay.h"
#include "runtime/backend/layers/trace.h"
#include "runtime/backend/layers/validate.h"
#include "runtime/tests/support.h"

#include <cstring>
#include <filesystem>
#include <fstream>

namespace ts::tests {

using testing::ElementsAre;
using testing::HasSubstr;

class Layers : public testing::TestWithParam<std::string> {
protected:
  std::shared_ptr<Backend> open() const { return GetParam() == "tiny" ? open_tiny() : open_backend(GetParam()); }
};
TS_ON_EVERY_DEVICE(Layers);

void work(Device device) {
  const Tensor x = reshape(arange(6, DType::kF32, device), {2, 3});
  const Tensor y = add(transpose(x, 0, 1), 1);
  EXPECT_THAT(numbers(y), ElementsAre(1, 4, 2, 5, 3, 6));
}

std::vector<std::string> trace_of(const std::shared_ptr<Backend>& backend) {
  std::vector<std::string> lines;
  auto traced = std::make_unique<TraceLayer>(backend, [&](std::string_view line) { lines.emplace_back(line); });
  const std::shared_ptr<Backend> layered = make_layer(std::move(traced), "trace");
  const Device device = Device::of(layered);
  Allocator::of(device).set_cap(0); // sizes and releases as in every build
  work(device);
  find_layer<TraceLayer>(*layered)->set_sink([](std::string_view) {});
  return lines;
}

TEST_P(Layers, TwoTracesAreEqualLineByLine) {
  const std::vector<std::string> first = trace_of(open());
  EXPECT_EQ(first, trace_of(open()));
  EXPECT_EQ(first[0], "allocate device 0 bytes 24 = #1");
  EXPECT_EQ(first[1], "copy_in #1+0 bytes 24 queue 0");
  // Where there is no kernel to add, the library reads the operand back instead.
  const bool adds = open()->kernel(TS_FAMILY_ELEMENTWISE) != nullptr;
  EXPECT_THAT(first, testing::Contains(
                         HasSubstr(adds ? "add out f32(3,2)[2,1]#2+0 in f32(3,2)[1,3]#1+0 in f32 immediate 0x3f800000"
                                        : "copy_out #1+0 bytes 24 queue 0")));
}

TEST_P(Layers, TraceNumbersAllocationsNotHandles) {
  std::vector<std::string> lines;
  const auto layered = make_layer(
      std::make_unique<TraceLayer>(open(), [&](std::string_view line) { lines.emplace_back(line); }), "trace");
  const ts_backend& table = layered->table();
  for (int i = 0; i < 2; ++i) {
    ts_buffer buffer = 0;
    ASSERT_EQ(table.allocate(layered->instance(), 0, 64, &buffer, nullptr), TS_OK);
    table.release(layered->instance(), buffer, 0);
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"allocate device 0 bytes 64 = #1", "release #1 queue 0",
                                             "allocate device 0 bytes 64 = #2", "release #2 queue 0"}));
}

TEST(LayerOptions, TraceGoesToAFile) {
  const std::string path = testing::TempDir() + "touchstone_trace_test.txt";
  {
    const auto layered = add_layers(open_tiny(), {"trace:file=" + path});
    ts_buffer buffer = 0;
    layered->table().allocate(layered->instance(), 1, 8, &buffer, nullptr);
  }
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "allocate device 1 bytes 8 = #1");
  std::filesystem::remove(path);
  EXPECT_THROW(add_layers(open_tiny(), {"trace:file=/nonesuch/trace.txt"}), ValueError);
}

TEST(LayerOptions, UnknownLayersAndOptionsAreErrors) {
  expect_error<ValueError>([] { add_layers(open_tiny(), {"tracer"}); }, {"tracer", "validate"});
  EXPECT_THROW(add_layers(open_tiny(), {"fault"}), ValueError);
  EXPECT_THROW(add_layers(open_tiny(), {"fault:launch=0"}), ValueError);
  EXPECT_THROW(add_layers(open_tiny(), {"fault:launch=x"}), ValueError);
  EXPECT_THROW(add_layers(open_tiny(), {"census:all"}), ValueError);
}

TEST(LayerOptions, LayersStackAndAreFound) {
  const auto layered = add_layers(open_tiny(), {"census", "validate"});
  EXPECT_EQ(layered->name(), "tiny+census+validate");
  EXPECT_NE(find_layer<CensusLayer>(*layered), nullptr);
  EXPECT_NE(find_layer<ValidateLayer>(*layered), nullptr);
  EXPECT_EQ(find_layer<TraceLayer>(*layered), nullptr);
  work(Device::of(layered));
}

TEST_P(Layers, CensusCountsCallsAndFallbacks) {
  const auto layered = add_layers(open(), {"census"});
  const Device device = Device::of(layered);
  const CensusLayer& census = *find_layer<CensusLayer>(*layered);
  work(device);
  const Tensor product = multiply(arange(3, DType::kF32, device), 2);
  EXPECT_THAT(numbers(product), ElementsAre(0, 2, 4));
  const auto counts = census.by_op();
  const auto count_of = [&](int32_t op) {
    const auto found = counts.find(op);
    return found == counts.end() ? CensusLayer::Count{} : found->second;
  };
  // Each call ran on the device, or was refused there and computed on the host; never both, never neither.
  for (const int32_t op : {TS_OP_ADD, TS_OP_MULTIPLY}) {
    const auto fallbacks = device.fallbacks();
    const uint64_t fell_back = fallbacks.contains(op) ? fallbacks.at(op) : 0;
    EXPECT_EQ(count_of(op).calls + fell_back, 1U) << op;
  }
}

TEST(LayerOptions, CensusDoesNotCountWhatFailed) {
  const auto layered = add_layers(open_tiny(), {"fault:launch=1", "census"});
  const Device device = Device::of(layered);
  const Tensor x = empty({2}, DType::kF32, device);
  EXPECT_THROW(x.fill_(1), DeviceError);
  EXPECT_TRUE(find_layer<CensusLayer>(*layered)->by_op().empty());
  x.fill_(1);
  EXPECT_EQ(find_layer<CensusLayer>(*layered)->by_family().at(TS_FAMILY_FILL).calls, 1U);
  std::map<std::string, uint64_t> routes;
  const auto visit = [](void* context, const char* kernel, const char* route, uint64_t launches) {
    (*static_cast<std::map<std::string, uint64_t>*>(context))[std::string(kernel) + "/" + route] = launches;
  };
  layered->table().census(layered->instance(), visit, &routes, 1);
  EXPECT_EQ(routes, (std::map<std::string, uint64_t>{{"fill/call", 1}}));
  EXPECT_TRUE(find_layer<CensusLayer>(*layered)->by_op().empty());
}

TEST_P(Layers, FaultFailsOneCallAndTheDeviceLives) {
  const struct {
    const char* option;
    const char* message;
  } kFaults[] = {{"allocate=2", "allocation fails"}, {"copy=2", "copy_out fails"}, {"launch=1", "launch fails"}};
  for (const auto& [option, message] : kFaults) {
    const Device device = Device::of(add_layers(open(), {std::string("fault:") + option}));
    const auto convert = [&] {
      const Tensor x = arange(3, DType::kF32, device);
      return numbers(x.to(DType::kF64));
    };
    bool kernels = device.backend()->kernel(TS_FAMILY_CONVERT) != nullptr;
    if (kernels || std::string(option) != "launch=1") expect_error<Error>(convert, {message});
    EXPECT_THAT(convert(), ElementsAre(0, 1, 2)) << option;
    EXPECT_EQ(Allocator::of(device).stats().in_use_bytes, 0U) << option;
  }
}

TEST_P(Layers, DelayHoldsCallsUntilSomethingSynchronizes) {
  const auto layered = add_layers(open(), {"validate", "delay"});
  const Device device = Device::of(layered);
  const DelayLayer& delay = *find_layer<DelayLayer>(*layered);
  {
    std::vector<float> source{1, 2, 3};
    const Tensor x = from_values(source, device);
    source.assign(3, -1); // read when copy_in returned, so nothing changes
    const Tensor y = add(x, 1);
    if (device.fallbacks().empty()) { // a fallback reads its operands back, which synchronizes
      EXPECT_EQ(delay.held(), 2U);
    }
    EXPECT_THAT(numbers(y), ElementsAre(2, 3, 4));
    device.synchronize(); // without a caching allocator, releases of what reading back needed are held too
    EXPECT_EQ(delay.held(), 0U);
  }
  work(device);
  EXPECT_EQ(find_layer<ValidateLayer>(*layered)->violations(), 0U);
}

TEST_P(Layers, DelayKeepsQueuesInOrderAcrossEvents) {
  const auto layered = add_layers(open(), {"delay"});
  const ts_backend& t = layered->table();
  ts_instance* self = layered->instance();
  ts_queue other = 0;
  ASSERT_EQ(t.queue_create(self, 0, &other, nullptr), TS_OK);
  ts_buffer a = 0, b = 0;
  t.allocate(self, 0, 4, &a, nullptr);
  t.allocate(self, 0, 4, &b, nullptr);
  const int32_t seven = 7;
  int32_t got = 0;
  t.copy_in(self, 0, a, 0, &seven, 4, nullptr);
  ts_event event = 0;
  t.record(self, 0, 0, &event, nullptr);
  t.wait(self, 0, other, event, nullptr);
  t.copy(self, other, b, 0, other, a, 0, 4, nullptr);
  t.copy_out(self, other, &got, b, 0, 4, nullptr);
  EXPECT_EQ(got, 0);
  ASSERT_EQ(t.synchronize(self, 0, other, nullptr), TS_OK); // pulls the other queue up to the event
  EXPECT_EQ(got, 7);
  t.release(self, a, 0);
  t.release(self, b, other);
  t.queue_destroy(self, 0, other);
  t.synchronize(self, 0, 0, nullptr);
}

// Calls at the door that break the caller's half of the contract, one at a time.
class Validation : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(table_.allocate(self_, 0, 64, &buffer_, nullptr), TS_OK);
    view_ = {buffer_, 0, 1, TS_DTYPE_F32, {4}, {1}};
    input_ = {view_, 0};
    input_.view.offset = 8;
    call_.size = sizeof call_;
    call_.op = TS_OP_CONVERT;
    call_.output_count = call_.input_count = 1;
    call_.outputs = &view_;
    call_.inputs = &input_;
  }
  void expect_refused(const std::string& reason) {
    const uint64_t before = validate_->violations();
    ts_error error = make_error();
    const int family = call_.op == TS_OP_CONVERT ? TS_FAMILY_CONVERT : TS_FAMILY_FILL;
    EXPECT_EQ(table_.kernels[family](self_, &call_, &error), TS_INVALID_ARGUMENT);
    EXPECT_THAT(std::string(error.message), HasSubstr(reason));
    EXPECT_EQ(validate_->violations(), before + 1);
  }

  std::shared_ptr<Backend> backend_ = add_layers(open_tiny(), {"validate"});
  const ts_backend& table_ = backend_->table();
  ts_instance* self_ = backend_->instance();
  ValidateLayer* validate_ = find_layer<ValidateLayer>(*backend_);
  ts_buffer buffer_ = 0;
  ts_view view_{};
  ts_operand input_{};
  ts_call call_{};
};

TEST_F(Validation, AcceptsWhatKeepsTheContract) {
  ts_error error = make_error();
  EXPECT_EQ(table_.kernels[TS_FAMILY_CONVERT](self_, &call_, &error), TS_OK) << error.message;
  EXPECT_EQ(validate_->violations(), 0U);
}
TEST_F(Validation, RefusesAViewThatLeavesItsBuffer) {
  view_.offset = 13;
  expect_refused("output 0 reaches positions 13 to 16 of a buffer of 16");
}
TEST_F(Validation, RefusesNegativeReach) {
  input_.view.stride[0] = -3;
  expect_refused("input 0 reaches positions -1 to 8");
}
TEST_F(Validation, RefusesOverlapOfOutputAndInput) {
  input_.view.offset = 3;
  expect_refused("output 0 and input 0 share memory");
}
TEST_F(Validation, RefusesAnIdenticalViewWhereTheRowForbidsIt) {
  input_.view.offset = 0;
  expect_refused("share memory");
}
TEST_F(Validation, RefusesAnOutputThatOverlapsItself) {
  view_.stride[0] = 0;
  expect_refused("two elements of output 0 share memory");
}
TEST_F(Validation, RefusesUseAfterRelease) {
  table_.release(self_, buffer_, 0);
  expect_refused("after its release");
}
TEST_F(Validation, RefusesUnknownBuffers) {
  view_.buffer = 999;
  expect_refused("never allocated");
}
TEST_F(Validation, RefusesAnotherDevice) {
  call_.device = 1;
  expect_refused("lives on device 0");
}
TEST_F(Validation, RefusesDtypesThatAreNoTupleOfTheRow) {
  view_.dtype = 77;
  expect_refused("dtype 77");
}
TEST_F(Validation, RefusesShapesBeyondInt64) {
  input_.view.shape[0] = std::numeric_limits<int64_t>::max();
  input_.view.stride[0] = 4;
  expect_refused("[layout.15]");
}
TEST_F(Validation, RefusesWrongNumbersOfOperands) {
  call_.input_count = 0;
  expect_refused("1 inputs");
}
TEST_F(Validation, RefusesAnAttributeOfTheWrongKind) {
  const ts_attribute real{TS_ATTRIBUTE_INTEGER, 0, 1, 0};
  call_.op = TS_OP_FILL;
  call_.input_count = 0;
  call_.attribute_count = 1;
  call_.attributes = &real;
  expect_refused("wrong kind");
}
TEST_F(Validation, RefusesImmediatesWithStrides) {
  input_.view.buffer = 0;
  expect_refused("immediate with a stride");
}
TEST_F(Validation, RefusesCopiesOutOfRange) {
  std::byte bytes[8];
  ts_error error = make_error();
  EXPECT_EQ(table_.copy_in(self_, 0, buffer_, 60, bytes, 8, &error), TS_INVALID_ARGUMENT);
  EXPECT_THAT(std::string(error.message), HasSubstr("bytes 60 to 68 of a buffer of 64"));
  EXPECT_EQ(table_.copy_out(self_, 0, bytes, buffer_, 65, 0, &error), TS_INVALID_ARGUMENT);
  EXPECT_EQ(table_.copy(self_, 0, buffer_, 0, 0, 999, 0, 4, &error), TS_INVALID_ARGUMENT);
  EXPECT_EQ(table_.copy_in(self_, 0, buffer_, 64, nullptr, 0, &error), TS_OK);
}
TEST_F(Validation, DoesNotPassADoubleReleaseOn) {
  table_.release(self_, buffer_, 0);
  table_.release(self_, buffer_, 0); // the tiny backend would throw here
  EXPECT_EQ(validate_->violations(), 1U);
}

} // namespace ts::tests
