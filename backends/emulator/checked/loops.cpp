// The loops of instrumented code over work items and the threads of a phase: each access is known by who makes it.
#include "backends/emulator/checked/observe.h"
#include "backends/kernels/host_launcher.h"

namespace ts::emulator::checked {

constinit thread_local State state{};

namespace {

void enter_unit(int64_t block) {
  state.block = block;
  const Cell first = state.next_phase++ << kPhaseShift;
  state.moment.block = state.moment.phase = first;
  tell([&](Findings& f) {
    f.unit(block, phase_of(first));
    return false;
  });
}

void enter_phase() {
  trace([](Tracer& t) { t.phase(); });
}

void enter_item(int64_t unit, int64_t thread) {
  trace([&](Tracer& t) { t.item(unit, thread); });
}

void enter_thread(int64_t thread) {
  if (state.tracer != nullptr) trace([&](Tracer& t) { t.thread(thread); });
  state.moment.place = state.moment.phase | static_cast<Cell>(thread) << kThreadShift;
  state.own_locals = {state.locals.low + static_cast<uint64_t>(thread) * state.local_bytes, state.local_bytes};
  state.idle = state.idle_before;
}

// What is done once for all threads belongs to the phase that follows: it leaves that open, for nothing lies between.
void begin_phase(bool open) {
  const bool begun = state.phase_open && state.moment.phase >= state.moment.block;
  if (!begun) state.moment.phase = state.next_phase++ << kPhaseShift;
  state.phase_open = open;
}

// A block may wait by repeating a phase, too: its threads count then, round by round.
void continue_to_wait(int64_t threads, void (*phase)(void*, int64_t)) {
  const bool again = state.polls && state.idle_phase == phase && state.idle_block == state.moment.block;
  state.idle_before = again ? state.idle_before + static_cast<uint64_t>(threads) : 0;
  state.idle_phase = phase;
  state.idle_block = state.moment.block;
  state.polls = false;
}

} // namespace
} // namespace ts::emulator::checked

namespace ts::kernels {

using emulator::checked::begin_phase;
using emulator::checked::continue_to_wait;
using emulator::checked::enter_item;
using emulator::checked::enter_phase;
using emulator::checked::enter_thread;
using emulator::checked::enter_unit;
using emulator::checked::state;

extern const Instrumentation kInstrumentation;
const Instrumentation kInstrumentation{[] { return &state; }, emulator::checked::image};

void run_instrumented_items(int64_t first, int64_t count, int64_t step, void (*body)(const void*, int64_t),
                            const void* task) {
  constexpr int64_t kUnit = 256; // items of a flat launch that run like a block
  state.window = state.armed;
  state.tracer = state.armed_tracer;
  state.position = 0;
  state.idle_before = 0;
  setjmp(state.resume); // where a work item that must not go on ends
  while (state.position < count) {
    const int64_t item = first + state.position++ * step;
    if (state.armed != 0) {
      if (state.block != item / kUnit) enter_unit(item / kUnit);
      enter_thread(item % kUnit);
    } else if (state.tracer != nullptr) {
      enter_item(item / kUnit, item % kUnit);
    }
    body(task, item);
  }
  state.window = 0;
  state.tracer = nullptr;
}

void run_instrumented_threads(const ThreadOrder& order, int64_t count, void (*body)(void*, int64_t), void* visit) {
  continue_to_wait(count, body);
  begin_phase(false);
  state.window = state.armed;
  state.tracer = state.armed_tracer;
  if (state.tracer != nullptr) enter_phase();
  state.position = 0;
  setjmp(state.resume);
  while (state.position < count) {
    const int64_t k = state.position++;
    const int64_t thread = order.permutation != nullptr ? order.permutation[k] : order.first + k * order.step;
    enter_thread(thread);
    body(visit, thread);
  }
  state.window = 0;
  state.tracer = nullptr;
}

void run_instrumented_once(void (*body)(void*), void* work) {
  begin_phase(true);
  state.window = state.armed;
  state.tracer = state.armed_tracer;
  state.idle_before = 0;
  enter_thread(0);
  if (setjmp(state.resume) == 0) body(work);
  state.window = 0;
  state.tracer = nullptr;
}

} // namespace ts::kernels
