// The stand-in runtime against what CUDA promises and refuses: memory that the host cannot reach, work that waits for its turn,
// launches held against a device, errors that stay, calls that fail and works that are lost. Two devices of profile t4.
#include "tools/standin/control.h"
#include "tools/standin/host_module.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <vector>

TS_EXPORT_HOST_KERNELS

namespace ts::standin {
namespace {

using kernels::At;
using kernels::Once;
using kernels::Sequence;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Double {
  const int32_t* x;
  int32_t* z;
  void operator()(int64_t i) const { z[i] = 2 * x[i]; }
};

struct Fill {
  int32_t* z;
  int64_t past; ///< how far beside the place
  void operator()(int64_t i) const { z[i + past] = 7; }
};

/// Turns 64 numbers around in shared memory, of which it uses `count`.
struct Turn {
  static constexpr int kThreads = 64;
  struct Shared {
    int32_t value[64];
  };
  struct Local {};
  struct Load {};
  struct Store {};
  using Phases = Sequence<Once<Load>, Once<Store>>;
  const int32_t* x;
  int32_t* z;
  void operator()(Load, const At& at, Shared& s, Local&) const { s.value[at.thread] = x[at.thread]; }
  void operator()(Store, const At& at, Shared& s, Local&) const { z[at.thread] = s.value[63 - at.thread]; }
};

using DoubleEntry = FlatEntry<Double>;
using FillEntry = FlatEntry<Fill>;
using TurnEntry = BlockEntry<Turn, 1024>;
char unknown_entry = 0, bare_entry = 0;

constexpr int kCount = 64;
constexpr size_t kBytes = kCount * sizeof(int32_t);

template <class Task>
cudaError_t launch(const char* entry, int64_t count, const Task& task, dim3 grid, dim3 block, size_t shared = 0,
                   cudaStream_t stream = nullptr) {
  void* arguments[] = {&count, const_cast<Task*>(&task)};
  return cudaLaunchKernel(entry, grid, block, arguments, shared, stream);
}

std::vector<int32_t> numbers() {
  std::vector<int32_t> values(kCount);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

class Standin : public ::testing::Test {
protected:
  void SetUp() override {
    module_.add(DoubleEntry::entry(), "double_of")
        .add(FillEntry::entry(), "fill")
        .add(TurnEntry::entry(), "turn")
        .add(&bare_entry, "bare");
    cudaGetLastError();
    cudaSetDevice(0);
    x_ = make();
    z_ = make();
    ASSERT_EQ(cudaMemcpy(x_, numbers().data(), kBytes, cudaMemcpyHostToDevice), cudaSuccess);
  }
  void TearDown() override {
    ts_standin_fail(0, 0);
    ts_standin_drop(0);
    ts_standin_revive();
    for (int32_t* data : made_) cudaFree(data);
    ts_standin_revive();
  }

  int32_t* make() {
    void* data = nullptr;
    EXPECT_EQ(cudaMalloc(&data, kBytes), cudaSuccess);
    made_.push_back(static_cast<int32_t*>(data));
    return made_.back();
  }
  std::vector<int32_t> values(const int32_t* data) {
    std::vector<int32_t> found(kCount);
    EXPECT_EQ(cudaMemcpy(found.data(), data, kBytes, cudaMemcpyDeviceToHost), cudaSuccess);
    return found;
  }
  static std::vector<int32_t> doubled() {
    std::vector<int32_t> expected = numbers();
    for (int32_t& value : expected) value *= 2;
    return expected;
  }
  cudaError_t launch_double(cudaStream_t stream = nullptr) {
    return launch(DoubleEntry::entry(), kCount, Double{x_, z_}, dim3(1), dim3(256), 0, stream);
  }

  HostModule module_;
  int32_t* x_ = nullptr;
  int32_t* z_ = nullptr;
  std::vector<int32_t*> made_;
};

// Memory.

TEST_F(Standin, DeviceMemoryIsOutOfTheHostsReach) { EXPECT_DEATH(*static_cast<volatile int32_t*>(x_) = 1, ""); }

TEST_F(Standin, CopiesStayInAnAllocationAndGoTheirWay) {
  std::vector<int32_t> host(2 * kCount);
  EXPECT_EQ(cudaMemcpy(host.data(), x_, 2 * kBytes, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), x_ + 1, kBytes, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), x_, kBytes, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(z_, x_, kBytes, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(x_, x_ + 1, kBytes / 2, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue); // overlap
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Standin, CopiesRowsAndSets) {
  std::vector<int32_t> host(kCount, 0);
  EXPECT_EQ(cudaMemcpy2D(host.data(), 32, x_, 64, 16, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_THAT(std::vector<int32_t>(host.begin() + 8, host.begin() + 14), ElementsAre(17, 18, 19, 20, 0, 0));
  EXPECT_EQ(cudaMemset(x_, 1, kBytes), cudaSuccess);
  EXPECT_EQ(values(x_), std::vector<int32_t>(kCount, 0x01010101));
}

TEST_F(Standin, FreesOnceAndInTurn) {
  void* data = nullptr;
  EXPECT_EQ(cudaMallocAsync(&data, kBytes, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(data, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(data, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(data), cudaErrorInvalidValue);
}

// Order.

TEST_F(Standin, WorkWaitsUntilSomebodySynchronizes) {
  void* pinned = nullptr;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, kBytes), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  auto* seen = static_cast<int32_t*>(pinned);
  std::fill(seen, seen + kCount, 0);
  EXPECT_EQ(launch_double(stream), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(pinned, z_, kBytes, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(seen[3], 0);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady); // goes on by one
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(seen[3], 8);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
}

TEST_F(Standin, PinnedMemoryIsReadInTurnAndPageableAtTheCall) {
  void* memory = nullptr;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaMallocHost(&memory, kBytes), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  auto* pinned = static_cast<int32_t*>(memory);
  std::vector<int32_t> pageable(kCount, 1);
  std::fill(pinned, pinned + kCount, 1);
  EXPECT_EQ(cudaMemcpyAsync(x_, pinned, kBytes, cudaMemcpyHostToDevice, stream), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(z_, pageable.data(), kBytes, cudaMemcpyHostToDevice, stream), cudaSuccess);
  pinned[0] = pageable[0] = 2;
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(values(x_)[0], 2);
  EXPECT_EQ(values(z_)[0], 1);
  cudaStreamDestroy(stream);
  cudaFreeHost(memory);
}

TEST_F(Standin, EventsJoinStreams) {
  cudaStream_t first = nullptr, second = nullptr;
  cudaEvent_t done = nullptr;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  ASSERT_EQ(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(done), cudaSuccess); // never recorded
  EXPECT_EQ(launch_double(first), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(done, first), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(done), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamWaitEvent(second, done, 0), cudaSuccess);
  std::vector<int32_t> seen(kCount);
  EXPECT_EQ(cudaMemcpyAsync(seen.data(), z_, kBytes, cudaMemcpyDeviceToHost, second), cudaSuccess);
  EXPECT_EQ(seen, doubled());
  EXPECT_EQ(cudaEventQuery(done), cudaSuccess);
  cudaSetDevice(1);
  cudaEvent_t elsewhere = nullptr;
  cudaEventCreateWithFlags(&elsewhere, cudaEventDisableTiming);
  EXPECT_EQ(cudaEventRecord(elsewhere, first), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(launch_double(first), cudaErrorInvalidResourceHandle); // a stream of another device
  for (const cudaEvent_t event : {done, elsewhere}) cudaEventDestroy(event);
  EXPECT_EQ(cudaEventQuery(done), cudaErrorInvalidResourceHandle);
  for (const cudaStream_t stream : {first, second}) cudaStreamDestroy(stream);
}

TEST_F(Standin, DefaultStreamWaitsForStreamsThatJoinIt) {
  cudaStream_t joins = nullptr, apart = nullptr;
  cudaStreamCreate(&joins);
  cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
  EXPECT_EQ(launch_double(joins), cudaSuccess);
  EXPECT_EQ(values(z_), doubled()); // copied in the default stream
  EXPECT_EQ(cudaMemset(z_, 0, kBytes), cudaSuccess);
  EXPECT_EQ(launch_double(apart), cudaSuccess);
  EXPECT_EQ(values(z_), std::vector<int32_t>(kCount, 0));
  for (const cudaStream_t stream : {joins, apart}) cudaStreamDestroy(stream);
}

TEST_F(Standin, CopiesBetweenDevices) {
  cudaSetDevice(1);
  int32_t* other = make();
  EXPECT_EQ(cudaMemcpyPeer(other, 1, x_, 0, kBytes), cudaSuccess);
  EXPECT_EQ(values(other), numbers());
  EXPECT_EQ(cudaMemcpyPeer(other, 0, x_, 1, kBytes), cudaSuccess); // the plain call finds out by itself
  EXPECT_EQ(cudaMemcpyPeerAsync(other, 0, x_, 1, kBytes, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyPeer(other, 2, x_, 0, kBytes), cudaErrorInvalidDevice);
}

// Launches.

TEST_F(Standin, RunsFlatAndBlockTasks) {
  EXPECT_EQ(launch_double(), cudaSuccess);
  EXPECT_EQ(values(z_), doubled());
  EXPECT_EQ(launch(TurnEntry::entry(), 1, Turn{x_, z_}, dim3(1), dim3(64), sizeof(Turn::Shared)), cudaSuccess);
  std::vector<int32_t> turned = numbers();
  std::reverse(turned.begin(), turned.end());
  EXPECT_EQ(values(z_), turned);
}

TEST_F(Standin, RunsWhatTripleBracketsBecome) {
  int64_t count = kCount;
  Double task{x_, z_};
  void* arguments[] = {&count, &task};
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
  cudaKernel_t kernel = nullptr;
  __cudaPushCallConfiguration(dim3(1), dim3(128), 0, nullptr);
  EXPECT_EQ(__cudaGetKernel(&kernel, DoubleEntry::entry()), cudaSuccess);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, static_cast<void*>(&stream)), cudaSuccess);
  EXPECT_EQ(__cudaLaunchKernel(kernel, grid, block, arguments, shared, stream), cudaSuccess);
  EXPECT_EQ(values(z_), doubled());
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, static_cast<void*>(&stream)),
            cudaErrorMissingConfiguration);
}

TEST_F(Standin, RefusesLaunchesThatADeviceWouldRefuse) {
  const auto flat = [&](dim3 grid, dim3 block) {
    return launch(DoubleEntry::entry(), kCount, Double{x_, z_}, grid, block);
  };
  EXPECT_EQ(flat(dim3(0), dim3(64)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(flat(dim3(1), dim3(0)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(flat(dim3(1), dim3(1025)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(flat(dim3(1), dim3(32, 32, 2)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(flat(dim3(1, 65536), dim3(64)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(flat(dim3(1U << 31), dim3(64)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(flat(dim3(1), dim3(512)), cudaErrorLaunchOutOfResources); // its launch bounds
  EXPECT_EQ(flat(dim3(2, 2), dim3(64)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(&unknown_entry, 1, Double{x_, z_}, dim3(1), dim3(64)), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(launch(&bare_entry, 1, Double{x_, z_}, dim3(1), dim3(64)), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(launch(TurnEntry::entry(), 1, Turn{x_, z_}, dim3(1), dim3(32), 256), cudaErrorInvalidConfiguration);
}

// Static and dynamic together, more than 48 KiB only for who asked; a t4 has 64.
TEST_F(Standin, HoldsSharedMemoryAgainstTheDevice) {
  const auto turn = [&](size_t shared) {
    return launch(TurnEntry::entry(), 1, Turn{x_, z_}, dim3(1), dim3(64), shared);
  };
  const auto ask = [](int bytes) {
    return cudaFuncSetAttribute(TurnEntry::entry(), cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  };
  EXPECT_EQ(turn((48 << 10) - 1024), cudaSuccess);
  EXPECT_EQ(turn((48 << 10) - 1023), cudaErrorInvalidValue);
  EXPECT_EQ(ask((63 << 10) + 1), cudaErrorInvalidValue);
  EXPECT_EQ(ask(60 << 10), cudaSuccess);
  EXPECT_EQ(turn(60 << 10), cudaSuccess);
  EXPECT_EQ(turn((60 << 10) + 1), cudaErrorInvalidValue);
  cudaFuncAttributes attributes{};
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, TurnEntry::entry()), cudaSuccess);
  EXPECT_EQ(attributes.sharedSizeBytes, 1024U);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 60 << 10);
}

TEST_F(Standin, NoticesWritesBesideAnAllocationAndStays) {
  EXPECT_EQ(launch(FillEntry::entry(), kCount, Fill{z_, 1}, dim3(1), dim3(256)), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(launch_double(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaMemset(z_, 0, kBytes), cudaErrorIllegalAddress);
}

TEST_F(Standin, NoticesTooLittleSharedMemory) {
  EXPECT_EQ(launch(TurnEntry::entry(), 1, Turn{x_, z_}, dim3(1), dim3(64), sizeof(Turn::Shared) - 4), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

// Devices.

TEST_F(Standin, DescribesItsDevices) {
  int count = 0, value = 0, current = -1;
  cudaDeviceProp properties{};
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 1), cudaSuccess);
  EXPECT_STREQ(properties.name, "stand-in t4");
  EXPECT_EQ(properties.major * 10 + properties.minor, 75);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), cudaSuccess);
  EXPECT_EQ(value, 64 << 10);
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, 1);
  size_t free = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_EQ(free, total); // all of it lies on the other
}

// What a test asks for.

TEST_F(Standin, FailsTheCallThatIsAskedFor) {
  void* data = nullptr;
  ts_standin_fail(2, 0);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&data, 64), cudaErrorMemoryAllocation);
  EXPECT_STREQ(ts_standin_failed(), "cudaMalloc");
  EXPECT_EQ(cudaMalloc(&data, 64), cudaSuccess);
  const ts_standin_holdings before = ts_standin_held();
  ts_standin_fail(1, 0);
  EXPECT_EQ(cudaFree(data), cudaErrorUnknown);
  EXPECT_EQ(ts_standin_held().allocations, before.allocations - 1); // freed all the same
  ts_standin_fail(1, cudaErrorLaunchFailure);
  EXPECT_EQ(launch_double(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure); // sticky
}

TEST_F(Standin, LosesTheWorkThatIsAskedFor) {
  EXPECT_EQ(cudaMemset(z_, 0, kBytes), cudaSuccess);
  ts_standin_drop(1);
  EXPECT_EQ(launch_double(), cudaSuccess);
  EXPECT_STREQ(ts_standin_dropped(), "launch double_of");
  EXPECT_EQ(values(z_), std::vector<int32_t>(kCount, 0));
  EXPECT_EQ(launch_double(), cudaSuccess);
  EXPECT_EQ(values(z_), doubled());
  ts_standin_drop_site("launch double_of");
  EXPECT_EQ(cudaMemset(z_, 0, kBytes), cudaSuccess);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(launch_double(), cudaSuccess);
  EXPECT_EQ(values(z_), std::vector<int32_t>(kCount, 0));
  ts_standin_drop_site(nullptr);
}

TEST_F(Standin, TracesLaunchesAndCopies) {
  const char* path = getenv("TOUCHSTONE_STANDIN_TRACE");
  ASSERT_NE(path, nullptr);
  std::ifstream file(path);
  file.seekg(0, std::ios::end);
  EXPECT_EQ(launch(DoubleEntry::entry(), kCount - 4, Double{x_ + 4, z_}, dim3(1), dim3(256)), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(z_, x_ + 8, 16, cudaMemcpyDeviceToDevice), cudaSuccess);
  std::string first, second;
  std::getline(file, first);
  std::getline(file, second);
  EXPECT_THAT(first, ::testing::MatchesRegex("launch double_of grid 1,1,1 block 256,1,1 shared 0 stream 0 count 60 task"
                                             " [+]0=a[0-9]+[+]16 [+]8=a[0-9]+[+]0"));
  EXPECT_THAT(second, ::testing::MatchesRegex("copy device to device 16 bytes a[0-9]+[+]0 <- a[0-9]+[+]32 stream 0"));
}

TEST(StandinNames, AreWithoutReturnTypeAndParameters) {
  std::vector<std::string> seen;
  HostModule module;
  module.add(&unknown_entry, "_Z8run_taskI3AddEvlT_");
  ts_standin_kernels([](void* context, const char* name,
                        uint64_t) { static_cast<std::vector<std::string>*>(context)->emplace_back(name); },
                     &seen);
  EXPECT_THAT(seen, ::testing::Contains("run_task<Add>"));
}

} // namespace
} // namespace ts::standin
