// Atomic operations of instrumented code arrive as calls, and are done here.
#include "backends/emulator/checked/observe.h"

using namespace ts::emulator::checked;

// NOLINTBEGIN(bugprone-reserved-identifier): compilers and the linker call hooks by these names.

#define TS_ATOMIC_UPDATE(bits, name, builtin)                                                                          \
  TS_HOOK uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t* p, uint##bits##_t value, int) {         \
    observe<kAtomic, bits / 8>(p, TS_SITE);                                                                            \
    changed();                                                                                                         \
    return builtin(p, value, __ATOMIC_SEQ_CST);                                                                        \
  }
#define TS_ATOMIC_EXCHANGE_IF(bits, name)                                                                              \
  TS_HOOK int __tsan_atomic##bits##_compare_exchange_##name(volatile uint##bits##_t* p, uint##bits##_t* expected,      \
                                                            uint##bits##_t desired, int, int) {                        \
    observe<kAtomic, bits / 8>(p, TS_SITE);                                                                            \
    const bool done = __atomic_compare_exchange_n(p, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);    \
    done ? changed() : changed_nothing(p, bits / 8, TS_SITE);                                                          \
    return done;                                                                                                       \
  }
#define TS_ATOMIC_HOOKS(bits)                                                                                          \
  TS_HOOK uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t* p, int) {                           \
    observe<kAtomic, bits / 8>(p, TS_SITE);                                                                            \
    changed_nothing(p, bits / 8, TS_SITE);                                                                             \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                                       \
  }                                                                                                                    \
  TS_HOOK void __tsan_atomic##bits##_store(volatile uint##bits##_t* p, uint##bits##_t value, int) {                    \
    observe<kAtomic, bits / 8, Old::ignored>(p, TS_SITE);                                                              \
    changed();                                                                                                         \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                                      \
  }                                                                                                                    \
  TS_HOOK uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t* p, uint##bits##_t value, int) {       \
    observe<kAtomic, bits / 8>(p, TS_SITE);                                                                            \
    const uint##bits##_t found = __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                      \
    found != value ? changed() : changed_nothing(p, bits / 8, TS_SITE);                                                \
    return found;                                                                                                      \
  }                                                                                                                    \
  TS_ATOMIC_UPDATE(bits, fetch_add, __atomic_fetch_add)                                                                \
  TS_ATOMIC_UPDATE(bits, fetch_sub, __atomic_fetch_sub)                                                                \
  TS_ATOMIC_UPDATE(bits, fetch_and, __atomic_fetch_and)                                                                \
  TS_ATOMIC_UPDATE(bits, fetch_or, __atomic_fetch_or)                                                                  \
  TS_ATOMIC_UPDATE(bits, fetch_xor, __atomic_fetch_xor)                                                                \
  TS_ATOMIC_UPDATE(bits, fetch_nand, __atomic_fetch_nand)                                                              \
  TS_ATOMIC_EXCHANGE_IF(bits, strong)                                                                                  \
  TS_ATOMIC_EXCHANGE_IF(bits, weak)                                                                                    \
  TS_HOOK uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                                   \
      volatile uint##bits##_t* p, uint##bits##_t expected, uint##bits##_t desired, int, int) {                         \
    observe<kAtomic, bits / 8>(p, TS_SITE);                                                                            \
    const bool done = __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
    done ? changed() : changed_nothing(p, bits / 8, TS_SITE);                                                          \
    return expected;                                                                                                   \
  }
TS_ATOMIC_HOOKS(8)
TS_ATOMIC_HOOKS(16)
TS_ATOMIC_HOOKS(32)
TS_ATOMIC_HOOKS(64)

TS_HOOK void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
TS_HOOK void __tsan_atomic_signal_fence(int) {}

// NOLINTEND(bugprone-reserved-identifier)
