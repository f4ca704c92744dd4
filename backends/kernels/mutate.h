// Places where a known fault can be switched on, so that a suite can show that it notices.
//
// TS_MUTATE(id, right, wrong) is the expression `right`. In a build with TS_MUTANTS defined it is `wrong` while the
// mutant `id` is active, and counts that it was reached. The mutant is chosen when a backend opens: `cpu:mutant=ID`.
#pragma once

#include <cstdint>

#if defined(TS_MUTANTS) && !defined(__CUDA_ARCH__)

#include <atomic>
#include <type_traits>

namespace ts::kernels {

/// A mutant's number: FNV-1a of its id, so that a place in the code costs one comparison of integers.
constexpr uint64_t mutant_number(const char* id) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (; *id != '\0'; ++id) hash = (hash ^ static_cast<unsigned char>(*id)) * 0x100000001b3ULL;
  return hash;
}

/// The active mutant of this library, 0 for none, and how often its place was reached since it was chosen.
inline std::atomic<uint64_t> active_mutant{0};
inline std::atomic<uint64_t> mutant_reached{0};

inline bool mutant_strikes(uint64_t number) {
  if (active_mutant.load(std::memory_order_relaxed) != number) return false;
  mutant_reached.fetch_add(1, std::memory_order_relaxed);
  return true;
}

} // namespace ts::kernels

#define TS_MUTATE(id, right, wrong)                                                                                    \
  (::ts::kernels::mutant_strikes(std::integral_constant<uint64_t, ::ts::kernels::mutant_number(id)>::value) ? (wrong)  \
                                                                                                            : (right))
#else

#define TS_MUTATE(id, right, wrong) (right)

#endif
