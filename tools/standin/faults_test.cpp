// Every runtime call of the CUDA backend is made to fail, one at a time, while a small suite runs: the caller is told by a typed
// error which call it was and where, nothing stays behind, and the next operation works.
#include "tools/standin/control.h"
#include "tools/standin/works.h"

#include <gmock/gmock.h>

#include <cuda_runtime_api.h>
#include <map>
#include <regex>
#include <set>

namespace ts::standin {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

const ts_backend* cuda() {
  static const ts_backend* table = testing::load_table(testing::built_backend("cuda"));
  return table;
}

bool same(const ts_standin_holdings& a, const ts_standin_holdings& b) {
  return a.allocations == b.allocations && a.pinned == b.pinned && a.streams == b.streams && a.events == b.events &&
         a.pools == b.pools && a.handles == b.handles;
}

std::string text(const ts_standin_holdings& held) {
  return std::to_string(held.allocations) + " allocations, " + std::to_string(held.pinned) + " of pinned memory, " +
         std::to_string(held.streams) + " streams, " + std::to_string(held.events) + " events, " +
         std::to_string(held.pools) + " pools, " + std::to_string(held.handles) + " handles of cuBLAS";
}

// The call as a person would look for it: cublasCreate of cublasCreate_v2.
std::string name_of(const char* failed) { return std::regex_replace(failed, std::regex("_v2$"), ""); }

/// What one failed call led to.
struct Outcome {
  bool failed = false;  ///< a call was made to fail at all
  bool told = false;    ///< by an error
  bool closing = false; ///< only while the instance was closed
  std::string call;
};

void check_error(const Failed& error, const std::string& call) {
  EXPECT_TRUE(error.status == TS_DEVICE_ERROR || error.status == TS_OUT_OF_MEMORY) << error.what();
  const std::string what = error.what();
  // A launch inside the vendor's library fails as its product.
  const bool within_product = call == "cudaLaunchKernel" && what.find("cublas") != std::string::npos;
  EXPECT_THAT(what, HasSubstr(within_product ? "cublas" : call));
  EXPECT_THAT(what, ContainsRegex("backends/cuda/[a-z]+\\.[a-z]+:[0-9]+"));
}

// Runs a work while the nth call fails, then once more on the same instance.
Outcome run(const Work& work, uint64_t nth, const std::string& options) {
  Outcome outcome;
  {
    Session session(cuda(), options);
    ts_standin_fail(nth, 0);
    try {
      EXPECT_EQ(work.run(session), "");
    } catch (const Failed& error) {
      outcome.told = true;
      if (ts_standin_failed() != nullptr) check_error(error, name_of(ts_standin_failed()));
    }
    outcome.closing = ts_standin_failed() == nullptr;
    if (!outcome.closing) {
      outcome.call = name_of(ts_standin_failed());
      try {
        EXPECT_EQ(work.run(session), "") << "after " << outcome.call << " had failed";
      } catch (const Failed& error) {
        ADD_FAILURE() << "after " << outcome.call << " had failed: " << error.what();
      }
    }
  }
  outcome.failed = ts_standin_failed() != nullptr;
  if (outcome.failed) outcome.call = name_of(ts_standin_failed());
  ts_standin_fail(0, 0);
  return outcome;
}

// A work at a time, over every call until it passes without a failure. Errors of calls that end something, of the return to the
// caller's device, and of memory that is there at the second attempt, need not be told.
const std::set<std::string> kRecovered{
    "cudaMallocFromPoolAsync", "cudaSetDevice", "cudaStreamSynchronize", "cudaStreamDestroy",
    "cudaEventDestroy",        "cudaFree",      "cudaFreeHost",          "cudaGetDevice"};

class CudaFaults : public ::testing::TestWithParam<std::tuple<Work, const char*>> {};

TEST_P(CudaFaults, EveryCallThatFailsIsToldAndLeavesNothing) {
  const auto& [work, options] = GetParam();
  const ts_standin_holdings before = ts_standin_held();
  uint64_t nth = 0, told = 0, recovered = 0, closing = 0;
  for (Outcome outcome{true, false, false, ""}; outcome.failed;) {
    outcome = run(work, ++nth, options);
    const ts_standin_holdings after = ts_standin_held();
    EXPECT_TRUE(same(before, after)) << "call " << nth << ", " << outcome.call << " failed; left: " << text(after);
    if (!outcome.failed) {
      EXPECT_FALSE(outcome.told);
    } else if (outcome.closing) {
      ++closing;
    } else if (outcome.told) {
      ++told;
    } else {
      ++recovered;
      EXPECT_TRUE(kRecovered.count(outcome.call) != 0) << "nobody was told that " << outcome.call << " failed";
    }
    if (HasFailure()) break; // one is enough to look at
  }
  printf("%s: %llu calls failed: %llu told, %llu got over, %llu while closing\n", work.name,
         static_cast<unsigned long long>(nth - 1), static_cast<unsigned long long>(told),
         static_cast<unsigned long long>(recovered), static_cast<unsigned long long>(closing));
  EXPECT_GT(told, 5U);
}

std::string name_of_case(const ::testing::TestParamInfo<CudaFaults::ParamType>& info) {
  const auto& [work, options] = info.param;
  return std::string(work.name) + (*options == '\0' ? "" : "_blocking");
}

INSTANTIATE_TEST_SUITE_P(Works, CudaFaults, ::testing::Combine(::testing::ValuesIn(works()), ::testing::Values("")),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Blocking, CudaFaults,
                         ::testing::Combine(::testing::Values(works()[7]), ::testing::Values("blocking=on")),
                         name_of_case);

// An error after which CUDA refuses everything: it is told with its call, so is every later one, and each says that the device is
// lost.
TEST(CudaFaults, StickyErrorSaysThatTheDeviceIsLost) {
  for (uint64_t nth = 1;; ++nth) {
    std::string first, second;
    {
      Session session(cuda());
      ts_standin_fail(nth, cudaErrorIllegalAddress);
      for (std::string* told : {&first, &second}) {
        try {
          EXPECT_EQ(works()[7].run(session), "");
        } catch (const Failed& error) {
          *told = error.what();
        }
        if (ts_standin_failed() == nullptr) break;
      }
    }
    const bool failed = ts_standin_failed() != nullptr;
    ts_standin_fail(0, 0);
    ts_standin_revive();
    if (!failed || first.empty()) break; // from here on only closing fails
    EXPECT_LT(nth, 100U);
    for (const std::string& told : {first, second})
      EXPECT_THAT(told, ContainsRegex("backends/cuda/.*cudaErrorIllegalAddress.*the device is lost"));
  }
}

// The runtime's own reasons.
TEST(CudaFaults, MemoryThatIsNotThereIsOutOfMemory) {
  Session session(cuda());
  try {
    session.allocate(uint64_t{1} << 50);
    FAIL() << "there was room";
  } catch (const Failed& error) {
    EXPECT_EQ(error.status, TS_OUT_OF_MEMORY);
  }
  EXPECT_EQ(works()[7].run(session), "");
}

} // namespace
} // namespace ts::standin
