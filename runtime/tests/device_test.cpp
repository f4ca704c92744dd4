// Devices by name, their errors, and the allocator of each.
#include "runtime/tensor/allocator.h"
#include "runtime/tests/support.h"

#include <fmt/format.h>

#include <cstdlib>

namespace ts::tests {

TEST(DeviceNames, IndexZeroIsTheDeviceItself) {
  // TS_CITES(backend.51)
  EXPECT_EQ(Device("cpu"), Device("cpu:0"));
  EXPECT_EQ(Device("cpu:0").name(), "cpu");
  EXPECT_EQ(Device("cpu"), host_device());
}

TEST(DeviceNames, UnknownNameSaysWhatThereIs) {
  // TS_CITES(backend.51)
  expect_error<DeviceError>([] { Device("nonesuch"); }, {"[backend.", "nonesuch", "cpu"});
}

TEST(DeviceNames, IndexPastTheEndIsAnError) {
  expect_error<DeviceError>([] { Device("cpu:7"); }, {"cpu:7", "out of range", "1 device"});
  EXPECT_THROW(Device::of(open_tiny(), 2), DeviceError);
}

TEST(DeviceNames, ABackendThatIsNotBuiltSaysHowToBuildIt) {
  // TS_CITES(backend.51)
  const char* listed = std::getenv("TOUCHSTONE_BACKENDS");
  const std::string before = listed == nullptr ? "" : listed;
  setenv("TOUCHSTONE_BACKENDS", "/nowhere", 1); // as if nothing had been built
  expect_error<BackendError>([] { open_backend("skeleton"); },
                             {"unknown backend 'skeleton'", "exists but was not built", "target backend_skeleton"});
  listed == nullptr ? unsetenv("TOUCHSTONE_BACKENDS") : setenv("TOUCHSTONE_BACKENDS", before.c_str(), 1);
}

TEST(DeviceNames, ABackendWithoutHardwareHasNoDevice) {
  // TS_CITES(backend.7)
  expect_error<DeviceError>([] { Device::of(open_backend("emulator:devices=0")); },
                            {"[backend.7]", "emulator", "no such device is present"});
}

TEST(DeviceNames, SeveralDevicesOfOneBackend) {
  const std::shared_ptr<Backend> backend = open_tiny();
  const Device first = Device::of(backend, 0), second = Device::of(backend, 1);
  EXPECT_EQ(second.name(), "tiny:1");
  EXPECT_FALSE(first == second);
  EXPECT_EQ(first, Device::of(backend, 0));
  const Tensor x = arange(4, DType::kI64, first);
  const uint64_t to_host = first.transfers().to_host_bytes;
  const Tensor moved = x.to(second);
  EXPECT_EQ(moved.device(), second);
  EXPECT_EQ(second.transfers().between_bytes, 32U);
  EXPECT_EQ(first.transfers().to_host_bytes, to_host);
  EXPECT_THAT(numbers(moved), testing::ElementsAre(0, 1, 2, 3));
  expect_error<DeviceError>([&] { add(x, moved); }, {"add", "tiny and tiny:1"});
}

TEST(DeviceNames, TheDefaultDeviceIsWhereFactoriesMake) {
  const Device before = default_device();
  EXPECT_EQ(before, host_device());
  set_default_device(device_named("tiny"));
  EXPECT_EQ(zeros({1}).device(), device_named("tiny"));
  set_default_device(before);
}

TEST(MixedDevices, AreRejectedByName) {
  const Tensor host = zeros({2}, DType::kF32, host_device()), tiny = zeros({2}, DType::kF32, device_named("tiny"));
  expect_error<DeviceError>([&] { add(host, tiny); }, {"add", "cpu and tiny"});
  expect_error<DeviceError>([&] { add_out(host, tiny, 1); }, {"tiny and cpu"});
}

class Allocation : public OnEveryDevice {
protected:
  void SetUp() override {
    allocator_.set_cap(Allocator::kCapBytes); // sanitizer builds start without caching
  }
  void TearDown() override {
#if defined(TS_SANITIZE)
    allocator_.set_cap(0);
#endif
  }
  Allocator& allocator_ = Allocator::of(device_);
};
TS_ON_EVERY_DEVICE(Allocation);

TEST_P(Allocation, BlocksAreReusedByClass) {
  allocator_.empty_cache();
  const AllocatorStats start = allocator_.stats();
  { const Tensor x = empty({1000}, DType::kF32, device_); }
  EXPECT_EQ(allocator_.stats().cached_bytes, Allocator::class_bytes(4000));
  { const Tensor x = empty({999}, DType::kF32, device_); }
  EXPECT_EQ(allocator_.stats().misses - start.misses, 1U);
  EXPECT_EQ(allocator_.stats().hits - start.hits, 1U);
  EXPECT_EQ(allocator_.stats().in_use_bytes, start.in_use_bytes);
  allocator_.empty_cache();
  EXPECT_EQ(allocator_.stats().cached_bytes, 0U);
}

TEST_P(Allocation, PeakAndUseAreCounted) {
  const AllocatorStats start = allocator_.stats();
  const Tensor x = empty({1 << 20}, DType::kF32, device_);
  EXPECT_EQ(allocator_.stats().in_use_bytes - start.in_use_bytes, uint64_t{4} << 20);
  EXPECT_GE(allocator_.stats().peak_bytes, start.in_use_bytes + (uint64_t{4} << 20));
  { const Tensor more = empty({1 << 20}, DType::kF32, device_); }
  const uint64_t peak = allocator_.stats().peak_bytes;
  static_cast<void>(empty({10}, DType::kF32, device_));
  EXPECT_EQ(allocator_.stats().peak_bytes, peak) << "what is given back later does not lower it";
}

TEST_P(Allocation, TheCapIsKept) {
  allocator_.set_cap(1 << 20);
  { const Tensor x = empty({1 << 20}, DType::kF32, device_); }
  EXPECT_LE(allocator_.stats().cached_bytes, uint64_t{1} << 20);
}

TEST_P(Allocation, WithoutCachingEveryAllocationLiesApart) {
  allocator_.set_cap(0);
  const AllocatorStats start = allocator_.stats();
  for (int i = 0; i < 3; ++i) const Tensor x = empty({100}, DType::kF32, device_);
  EXPECT_EQ(allocator_.stats().misses - start.misses, 3U);
  EXPECT_EQ(allocator_.stats().cached_bytes, 0U);
}

class CacheVariable : public testing::Test {
protected:
  void TearDown() override { unsetenv("TOUCHSTONE_CACHE_BYTES"); }
};

TEST_F(CacheVariable, SaysHowMuchIsKept) {
  setenv("TOUCHSTONE_CACHE_BYTES", "0", 1);
  const Device device = Device::of(open_tiny(4096));
  { const Tensor x = empty({100}, DType::kU8, device); }
  EXPECT_EQ(Allocator::of(device).stats().cached_bytes, 0U);
  EXPECT_EQ(Allocator::of(device).stats().peak_bytes, 100U) << "exact in size";
}

TEST_F(CacheVariable, ThatIsNoNumberIsRefused) {
  const Device device = Device::of(open_tiny(4096));
  for (const char* text : {"", "much", "1k", "-1", "99999999999999999999"}) {
    setenv("TOUCHSTONE_CACHE_BYTES", text, 1);
    expect_error<ValueError>([&] { Allocator::of(device); }, {"TOUCHSTONE_CACHE_BYTES", fmt::format("'{}'", text)});
  }
  unsetenv("TOUCHSTONE_CACHE_BYTES");
  EXPECT_EQ(empty({100}, DType::kU8, device).numel(), 100) << "the next call works";
}

TEST(AllocatorClasses, WasteAtMostAQuarter) {
  EXPECT_EQ(Allocator::class_bytes(0), 256U);
  EXPECT_EQ(Allocator::class_bytes(257), 320U);
  EXPECT_EQ(Allocator::class_bytes(320), 320U);
  EXPECT_EQ(Allocator::class_bytes(1025), 1280U);
  for (uint64_t bytes = 257; bytes < 1 << 20; bytes += 251) {
    ASSERT_GE(Allocator::class_bytes(bytes), bytes);
    ASSERT_LE(Allocator::class_bytes(bytes), bytes + bytes / 4 + 1);
  }
}

TEST(AllocatorPressure, GivesItsCacheBackBeforeItFails) {
  const Device device = Device::of(open_tiny(4096));
  Allocator::of(device).set_cap(Allocator::kCapBytes);
  { const Tensor x = empty({3000}, DType::kU8, device); }
  EXPECT_GT(Allocator::of(device).stats().cached_bytes, 0U);
  const Tensor y = empty({4000}, DType::kU8, device);
  EXPECT_EQ(Allocator::of(device).stats().cached_bytes, 0U);
  expect_error<OutOfMemoryError>([&] { empty({4000}, DType::kU8, device); }, {"tiny is full"});
  EXPECT_EQ(Allocator::of(device).stats().in_use_bytes, Allocator::class_bytes(4000));
}

// Released when the process ends, after the test framework's own statics: the allocator must still be there.
const Tensor kOutlivesMain = zeros({3}, DType::kF32, host_device());

TEST(AllocatorLifetime, OutlivesStaticTensors) { EXPECT_TRUE(kOutlivesMain.defined()); }

} // namespace ts::tests
