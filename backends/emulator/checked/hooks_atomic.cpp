// Atomic operations of instrumented code arrive as calls, and are done here.
#include "backends/emulator/checked/observe.h"

using namespace ts::emulator::checked;

// NOLINTBEGIN(bugprone-reserved-identifier): compilers and the linker call hooks by these names.

#define TS_CHANGED(did, p, bits) (did) ? changed() : changed_nothing(p, bits / 8, TS_SITE)
#define TS_ATOMIC_UPDATE(bits, name, result)                                                                           \
  TS_HOOK uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t* p, uint##bits##_t value, int) {         \
    observe<kAtomic, bits / 8>(p, TS_SITE);                                                                            \
    const uint##bits##_t found = __atomic_##name(p, value, __ATOMIC_SEQ_CST);                                          \
    TS_CHANGED(static_cast<uint##bits##_t>(result) != found, p, bits);                                                 \
    return found;                                                                                                      \
  }
#define TS_ATOMIC_EXCHANGE_IF(bits, name)                                                                              \
  TS_HOOK int __tsan_atomic##bits##_compare_exchange_##name(volatile uint##bits##_t* p, uint##bits##_t* expected,      \
                                                            uint##bits##_t desired, int, int) {                        \
    observe<kRead, bits / 8>(expected, TS_SITE);                                                                       \
    observe<kAtomic, bits / 8>(p, TS_SITE);                                                                            \
    const uint##bits##_t wanted = *expected;                                                                           \
    uint##bits##_t found = wanted;                                                                                     \
    const bool done = __atomic_compare_exchange_n(p, &found, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
    TS_CHANGED(wanted != desired && done, p, bits);                                                                    \
    if (done) return 1;                                                                                                \
    observe<kWrite, bits / 8>(expected, TS_SITE);                                                                      \
    *expected = found;                                                                                                 \
    return 0;                                                                                                          \
  }
#define TS_ATOMIC_HOOKS(bits)                                                                                          \
  TS_HOOK uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t* p, int) {                           \
    observe<kAtomic, bits / 8>(p, TS_SITE);                                                                            \
    changed_nothing(p, bits / 8, TS_SITE);                                                                             \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                                       \
  }                                                                                                                    \
  TS_HOOK void __tsan_atomic##bits##_store(volatile uint##bits##_t* p, uint##bits##_t value, int) {                    \
    observe<kAtomic, bits / 8, Old::ignored>(p, TS_SITE);                                                              \
    TS_CHANGED(__atomic_exchange_n(p, value, __ATOMIC_SEQ_CST) != value, p, bits);                                     \
  }                                                                                                                    \
  TS_HOOK uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t* p, uint##bits##_t value, int) {       \
    observe<kAtomic, bits / 8>(p, TS_SITE);                                                                            \
    const uint##bits##_t found = __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                      \
    TS_CHANGED(found != value, p, bits);                                                                               \
    return found;                                                                                                      \
  }                                                                                                                    \
  TS_ATOMIC_UPDATE(bits, fetch_add, found + value)                                                                     \
  TS_ATOMIC_UPDATE(bits, fetch_sub, found - value)                                                                     \
  TS_ATOMIC_UPDATE(bits, fetch_and, (found & value))                                                                   \
  TS_ATOMIC_UPDATE(bits, fetch_or, found | value)                                                                      \
  TS_ATOMIC_UPDATE(bits, fetch_xor, found ^ value)                                                                     \
  TS_ATOMIC_UPDATE(bits, fetch_nand, ~(found & value))                                                                 \
  TS_ATOMIC_EXCHANGE_IF(bits, strong)                                                                                  \
  TS_ATOMIC_EXCHANGE_IF(bits, weak)                                                                                    \
  TS_HOOK uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                                   \
      volatile uint##bits##_t* p, uint##bits##_t expected, uint##bits##_t desired, int, int) {                         \
    observe<kAtomic, bits / 8>(p, TS_SITE);                                                                            \
    const bool done = __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
    TS_CHANGED(expected != desired && done, p, bits);                                                                  \
    return expected;                                                                                                   \
  }
TS_ATOMIC_HOOKS(8)
TS_ATOMIC_HOOKS(16)
TS_ATOMIC_HOOKS(32)
TS_ATOMIC_HOOKS(64)

TS_HOOK void __tsan_atomic_thread_fence(int) {
  changed_nothing(nullptr, 0, TS_SITE);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
TS_HOOK void __tsan_atomic_signal_fence(int) {}

// NOLINTEND(bugprone-reserved-identifier)
