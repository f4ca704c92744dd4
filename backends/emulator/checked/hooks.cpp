// Our own runtime behind the compiler's race instrumentation (-fsanitize=thread): every load and store of instrumented
// code arrives here before it happens. Atomic operations have a unit of their own, hooks_atomic.cpp.
#include "backends/emulator/checked/observe.h"

#include <cstring>

using namespace ts::emulator::checked;

// NOLINTBEGIN(bugprone-reserved-identifier): compilers and the linker call hooks by these names.

TS_HOOK void __tsan_init() {}
TS_HOOK void __tsan_func_entry(void*) {}
TS_HOOK void __tsan_func_exit() {}
TS_HOOK void __tsan_vptr_update(void** p, void*) { observe<kWrite, 8>(p, TS_SITE); }
TS_HOOK void __tsan_vptr_read(void** p) { observe<kRead, 8>(p, TS_SITE); }

#define TS_ACCESS_HOOKS(bytes, prefix)                                                                                 \
  TS_HOOK void __tsan_##prefix##read##bytes(void* p) { observe<kRead, bytes>(p, TS_SITE); }                            \
  TS_HOOK void __tsan_##prefix##write##bytes(void* p) { observe<kWrite, bytes>(p, TS_SITE); }
#define TS_PLAIN_HOOKS(bytes)                                                                                          \
  TS_ACCESS_HOOKS(bytes, )                                                                                             \
  TS_ACCESS_HOOKS(bytes, unaligned_)                                                                                   \
  TS_ACCESS_HOOKS(bytes, unaligned_volatile_)                                                                          \
  TS_HOOK void __tsan_volatile_write##bytes(void* p) { observe<kWrite, bytes>(p, TS_SITE); }                           \
  TS_HOOK void __tsan_volatile_read##bytes(void* p) {                                                                  \
    observe<kRead, bytes>(p, TS_SITE);                                                                                 \
    changed_nothing(p, bytes, TS_SITE);                                                                                \
  }                                                                                                                    \
  TS_HOOK void __tsan_read_write##bytes(void* p) {                                                                     \
    observe<kRead, bytes>(p, TS_SITE);                                                                                 \
    observe<kWrite, bytes>(p, TS_SITE);                                                                                \
  }                                                                                                                    \
  TS_HOOK void __tsan_unaligned_read_write##bytes(void* p) {                                                           \
    observe<kRead, bytes>(p, TS_SITE);                                                                                 \
    observe<kWrite, bytes>(p, TS_SITE);                                                                                \
  }
TS_PLAIN_HOOKS(1)
TS_PLAIN_HOOKS(2)
TS_PLAIN_HOOKS(4)
TS_PLAIN_HOOKS(8)
TS_PLAIN_HOOKS(16)

TS_HOOK void __tsan_read_range(void* p, size_t bytes) { observe_range<kRead>(p, bytes, TS_SITE); }
TS_HOOK void __tsan_write_range(void* p, size_t bytes) { observe_range<kWrite>(p, bytes, TS_SITE); }

// Copies: g++ calls these by copies.h, clang from version 15 on by itself. Before that it calls what the linker's --wrap leads here.

#if defined(__clang__)
#define TS_COPY_HOOK(name, parameters, arguments, ...)                                                                 \
  extern "C" void* __real_##name parameters;                                                                           \
  TS_HOOK void* __tsan_##name parameters {                                                                             \
    __VA_ARGS__;                                                                                                       \
    return __real_##name arguments;                                                                                    \
  }                                                                                                                    \
  TS_HOOK void* __wrap_##name parameters {                                                                             \
    __VA_ARGS__;                                                                                                       \
    return __real_##name arguments;                                                                                    \
  }
#else
#define TS_COPY_HOOK(name, parameters, arguments, ...)                                                                 \
  TS_HOOK void* __tsan_##name parameters {                                                                             \
    __VA_ARGS__;                                                                                                       \
    return name arguments;                                                                                             \
  }
#endif
#define TS_MOVE_HOOK(name)                                                                                             \
  TS_COPY_HOOK(name, (void* to, const void* from, size_t bytes), (to, from, bytes),                                    \
               observe_range<kRead>(from, bytes, TS_SITE), observe_range<kWrite>(to, bytes, TS_SITE))
TS_MOVE_HOOK(memcpy)
TS_MOVE_HOOK(memmove)
TS_COPY_HOOK(memset, (void* to, int byte, size_t bytes), (to, byte, bytes), observe_range<kWrite>(to, bytes, TS_SITE))

// NOLINTEND(bugprone-reserved-identifier)
