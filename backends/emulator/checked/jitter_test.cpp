// The errors that jitter adds stay within what CUDA documents, are the same for the same arguments, and leave alone what a
// device gets right.
#include "backends/emulator/checked/state.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

namespace ts::emulator::checked {
namespace {

State* the_state() {
  static State state{};
  return &state;
}
uintptr_t no_image() { return 0; }

} // namespace
} // namespace ts::emulator::checked

namespace ts::kernels {
extern const Instrumentation kInstrumentation;
const Instrumentation kInstrumentation{emulator::checked::the_state, emulator::checked::no_image};
} // namespace ts::kernels

namespace ts::emulator::checked {
namespace {

int64_t order(float x) {
  const auto bits = std::bit_cast<int32_t>(x);
  return bits < 0 ? int64_t{INT32_MIN} - bits : bits;
}
int64_t order(double x) {
  const auto bits = std::bit_cast<int64_t>(x);
  return bits < 0 ? INT64_MIN - bits : bits;
}

// Called through pointers that the compiler cannot see through, or it would compute results itself.
template <class T> struct Function {
  const char* name;
  T (*volatile call)(T);
  int64_t ulps;
  double low, high;
};

template <class T> T with_seed(uint64_t seed, const Function<T>& f, T x) {
  the_state()->jitter = seed;
  const T result = f.call(x);
  the_state()->jitter = 0;
  return result;
}

template <class T> void check(const Function<T>& f) {
  std::mt19937_64 random(3);
  int moved = 0, seeds_differ = 0;
  for (int k = 0; k < 4000; ++k) {
    const T x = static_cast<T>(f.low + (f.high - f.low) * static_cast<double>(random() >> 11) * 0x1p-53);
    const T right = with_seed(0, f, x), one = with_seed(1, f, x), two = with_seed(2, f, x);
    ASSERT_LE(std::abs(order(one) - order(right)), f.ulps) << f.name << " of " << x;
    ASSERT_EQ(order(one), order(with_seed(1, f, x))) << f.name << " of " << x;
    ASSERT_EQ(std::floor(one), std::floor(right)) << f.name << " of " << x;
    moved += order(one) != order(right) ? 1 : 0;
    seeds_differ += order(one) != order(two) ? 1 : 0;
  }
  EXPECT_GT(moved, 1000) << f.name;
  EXPECT_GT(seeds_differ, 1000) << f.name;
}

TEST(Jitter, StaysWithinWhatIsDocumentedAndIsAFunctionOfSeedAndArguments) {
  // TS_CITES(execution.33)
  // Largest errors of the CUDA C++ Programming Guide, "Mathematical Functions".
  for (const auto& f : {Function<float>{"expf", expf, 2, -5, 5}, Function<float>{"logf", logf, 1, 2, 90},
                        Function<float>{"sinf", sinf, 2, -9, 9}, Function<float>{"tanf", tanf, 4, -9, 9},
                        Function<float>{"erff", erff, 2, 0.1, 2}, Function<float>{"tanhf", tanhf, 2, 0.1, 3}})
    check(f);
  for (const auto& f : {Function<double>{"exp", exp, 1, -5, 5}, Function<double>{"cos", cos, 2, -9, 9},
                        Function<double>{"erfc", erfc, 5, 0.1, 3}, Function<double>{"asinh", asinh, 3, 0.5, 9}})
    check(f);
}

TEST(Jitter, LeavesZerosInfinitiesNanAndIntegersAlone) {
  // TS_CITES(execution.33)
  const Function<float> exponential{"expf", expf, 2, 0, 0}, logarithm{"logf", logf, 1, 0, 0},
      sine{"sinf", sinf, 2, 0, 0};
  for (uint64_t seed = 1; seed < 200; ++seed) {
    EXPECT_EQ(with_seed(seed, exponential, 0.0F), 1.0F);
    EXPECT_EQ(with_seed(seed, exponential, -INFINITY), 0.0F);
    EXPECT_EQ(with_seed(seed, logarithm, 1.0F), 0.0F);
    EXPECT_EQ(with_seed(seed, logarithm, 0.0F), -INFINITY);
    EXPECT_TRUE(std::isnan(with_seed(seed, logarithm, -1.0F)));
    EXPECT_TRUE(std::signbit(with_seed(seed, sine, -0.0F)));
  }
}

} // namespace
} // namespace ts::emulator::checked
