// Transcendental functions with the errors that a device may have: each result is moved by a few units in the last place,
// at most as many as CUDA documents for the function, as a pure function of seed, function and arguments. So nothing can
// come to depend on the host's own library. The linker's --wrap leads the calls of instrumented code here.
//
// What a device gets right stays: zeros, infinities, NaN, subnormals, integers; and no result crosses an integer, so that
// signs and ranges stay, too.
#include "backends/emulator/checked/state.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ts::kernels {
extern const Instrumentation kInstrumentation;
}

namespace {

uint64_t mix(uint64_t x) { // the finalizer of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// -ulps .. ulps, by seed, function and the bits of its arguments.
int64_t draw(uint64_t seed, uint64_t function, uint64_t x, uint64_t y, int ulps) {
  const uint64_t hash = mix(mix(mix(seed + 0x9e3779b97f4a7c15ULL * function) ^ x) ^ y);
  return static_cast<int64_t>(hash % static_cast<uint64_t>(2 * ulps + 1)) - ulps;
}

template <class T> using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

template <class T> T jittered(T result, uint64_t function, T x, T y, int ulps) {
  const uint64_t seed = ts::kernels::kInstrumentation.state()->jitter;
  if (seed == 0) return result;
  const T whole = std::floor(result);
  if (!(std::fabs(result) >= std::numeric_limits<T>::min() * 64) || !std::isfinite(result) || whole == result)
    return result;
  const int64_t steps = draw(seed, function, std::bit_cast<Bits<T>>(x), std::bit_cast<Bits<T>>(y), ulps);
  const T moved = std::bit_cast<T>(static_cast<Bits<T>>(std::bit_cast<Bits<T>>(result) + static_cast<Bits<T>>(steps)));
  return std::floor(moved) == whole && moved != whole ? moved : result;
}

} // namespace

// Largest errors by the CUDA C++ Programming Guide, "Mathematical Functions", in units in the last place: f32, f64.
#define TS_JITTER_1(name, number, ulps_f32, ulps_f64)                                                                  \
  extern "C" float __real_##name##f(float);                                                                            \
  extern "C" double __real_##name(double);                                                                             \
  extern "C" __attribute__((visibility("hidden"))) float __wrap_##name##f(float x) {                                   \
    return jittered(__real_##name##f(x), number, x, 0.0F, ulps_f32);                                                   \
  }                                                                                                                    \
  extern "C" __attribute__((visibility("hidden"))) double __wrap_##name(double x) {                                    \
    return jittered(__real_##name(x), number, x, 0.0, ulps_f64);                                                       \
  }
#define TS_JITTER_2(name, number, ulps_f32, ulps_f64)                                                                  \
  extern "C" float __real_##name##f(float, float);                                                                     \
  extern "C" double __real_##name(double, double);                                                                     \
  extern "C" __attribute__((visibility("hidden"))) float __wrap_##name##f(float x, float y) {                          \
    return jittered(__real_##name##f(x, y), number, x, y, ulps_f32);                                                   \
  }                                                                                                                    \
  extern "C" __attribute__((visibility("hidden"))) double __wrap_##name(double x, double y) {                          \
    return jittered(__real_##name(x, y), number, x, y, ulps_f64);                                                      \
  }
// The names stand in the build file, too, where the linker is told of them.
TS_JITTER_1(exp, 1, 2, 1)
TS_JITTER_1(exp2, 2, 2, 1)
TS_JITTER_1(expm1, 3, 1, 1)
TS_JITTER_1(log, 4, 1, 1)
TS_JITTER_1(log1p, 5, 1, 1)
TS_JITTER_1(log2, 6, 1, 1)
TS_JITTER_1(log10, 7, 2, 1)
TS_JITTER_1(sin, 8, 2, 2)
TS_JITTER_1(cos, 9, 2, 2)
TS_JITTER_1(tan, 10, 4, 2)
TS_JITTER_1(asin, 11, 2, 2)
TS_JITTER_1(acos, 12, 2, 2)
TS_JITTER_1(atan, 13, 2, 2)
TS_JITTER_1(sinh, 14, 3, 2)
TS_JITTER_1(cosh, 15, 2, 1)
TS_JITTER_1(tanh, 16, 2, 1)
TS_JITTER_1(asinh, 17, 3, 3)
TS_JITTER_1(acosh, 18, 4, 3)
TS_JITTER_1(atanh, 19, 3, 2)
TS_JITTER_1(erf, 20, 2, 2)
TS_JITTER_1(erfc, 21, 4, 5)
TS_JITTER_2(pow, 22, 4, 2)
TS_JITTER_2(atan2, 23, 3, 2)
TS_JITTER_2(hypot, 24, 3, 2)
