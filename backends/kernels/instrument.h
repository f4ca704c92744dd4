// Code that is compiled to be checked (TS_INSTRUMENTED, and the compiler's race instrumentation): its loops over work items
// and threads are handed to whoever watches, so that each access is known by the work item that made it. Elsewhere nothing
// of this exists.
//
// One task is launched from units compiled one way: its functions are the same to the linker in both.
#pragma once

#include <cstdint>

namespace ts::kernels {

struct ThreadOrder;

/// What a checker needs of the code that it watches; defined by the checker.
struct Instrumentation;

#if defined(TS_INSTRUMENTED)

/// The checker's side of this library or program.
extern const Instrumentation kInstrumentation;
#define TS_INSTRUMENTATION (&::ts::kernels::kInstrumentation)

/// Calls body(task, item) for `count` items first, first + step, ... A work item that must not go on does not return.
void run_instrumented_items(int64_t first, int64_t count, int64_t step, void (*body)(const void* task, int64_t item),
                            const void* task);

/// One phase: calls body(visit, thread) for the threads [0, count) in the given order.
void run_instrumented_threads(const ThreadOrder& order, int64_t count, void (*body)(void* visit, int64_t thread),
                              void* visit);

/// What is done once for all threads of a block, between phases: calls body(work) as thread 0 of the phase that follows.
void run_instrumented_once(void (*body)(void* work), void* work);

#else

#define TS_INSTRUMENTATION nullptr

#endif

} // namespace ts::kernels
