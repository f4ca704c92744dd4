// What the hooks in instrumented code and the checker share: what this host thread is running, the shadow of the device's
// memory, and where findings go. Plain data, so that no code of one side is merged with the other's by the linker.
#pragma once

#include "backends/emulator/checked/cell.h"

#include <csetjmp>
#include <cstddef>
#include <cstdint>

namespace ts::emulator::checked {

/// What a report needs beside the last access: the one before it.
struct Witness {
  Cell cell;
  uint64_t site;
};

/// Cells with the sites of their last accesses; sites are addresses of code, from the start of its library.
struct Layer {
  Cell* cells;
  uint32_t* sites;
  Witness* witnesses;
};

/// The shadow of a device's memory.
struct ShadowMap {
  uintptr_t base; ///< of the memory that kernels see
  uint64_t bytes;
  Layer granules;     ///< one cell for 4 bytes
  Layer single_bytes; ///< one for each byte, in use where its granule is split
};

inline constexpr unsigned kGranule = 4;

/// A stretch of memory, [low, low + bytes) from the shadow's base.
struct Range {
  uint64_t low, bytes;
  bool holds(uint64_t offset) const { return offset - low < bytes; }
  bool holds(uint64_t offset, uint64_t length) const { return holds(offset) && offset - low + length <= bytes; }
};

/// An access as it is reported.
struct Accessed {
  uintptr_t address;
  uint64_t bytes;
  Access access;
  uint32_t site;
};

/// Receives what the hooks find. Each gives true where the work item must not go on.
class Findings {
public:
  /// A unit of work items begins: a block, or the items of a flat launch that run like one.
  virtual void unit(int64_t block, uint64_t phase) = 0;
  /// `other` is a cell whose phase and thread made the other access; 0 where nobody knows. `kinds` are those it had.
  virtual bool conflict(const Accessed& mine, Cell other, Cell kinds, uint32_t site) = 0;
  /// In the device's memory, and no part of a live allocation (`valid` false) or of an operand.
  virtual bool stray(const Accessed& mine, bool valid) = 0;
  virtual bool unwritten(const Accessed& mine) = 0;
  /// Neither the device's memory nor the work item's own stack.
  virtual bool outside(const Accessed& mine) = 0;
  /// Atomic operations change nothing, over and over; a fence has no place, and 0 bytes.
  virtual bool waits(const Accessed& mine) = 0;

protected:
  ~Findings() = default;
};

/// Receives every access while it is set; nothing is checked then.
class Tracer {
public:
  /// An item of a flat launch begins: thread `thread` of a unit of items that run like a block.
  virtual void item(int64_t unit, int64_t thread) = 0;
  /// A phase of a block begins, and a thread of it.
  virtual void phase() = 0;
  virtual void thread(int64_t thread) = 0;
  virtual void access(const Accessed& mine) = 0;

protected:
  ~Tracer() = default;
};

/// What one host thread runs. Nothing is checked while `window` is 0, as it is but for the time of a work item.
struct State {
  uint64_t window; ///< bytes of memory that is looked at: `armed` or 0
  uint64_t armed;  ///< bytes of the shadow's memory while a checked launch runs, else 0
  uintptr_t base;
  Moment moment;
  Layer granules;
  Layer single_bytes;
  Range own_locals;     ///< of the running thread, which alone may touch them
  uint64_t local_bytes; ///< of one thread
  Range shared, locals; ///< the running block's own: what launches and blocks before left there is nothing
  Range hit[8];         ///< of the last first touches, by where the code stands
  const Range* ranges;  ///< what else the launch may touch
  int range_count;
  Range stack;         ///< addresses of the work item's own frames, below that of the launch
  uintptr_t arguments; ///< the task's copy: read only
  uint64_t argument_bytes;
  Findings* findings;
  Tracer* tracer;       ///< of the running loop: armed_tracer or null
  Tracer* armed_tracer; ///< while it is set, `armed` is 0
  uint64_t next_phase;  ///< number of the next phase
  bool phase_open;      ///< the last phase has only begun
  int64_t block;        ///< of the running unit
  int64_t position;     ///< of the running loop over items or threads
  uint64_t idle;        ///< what passed in the running work item since it changed something atomically
  uint64_t idle_before; ///< the same, of the earlier rounds of a phase that its block repeats
  Cell idle_block;      ///< which block that is, and which phase
  void (*idle_phase)(void*, int64_t);
  bool polls;         ///< in the running phase an atomic operation changed nothing
  uint32_t wait_site; ///< where the last wait was found
  Cell wait_launch;   ///< and in which launch
  uint64_t jitter;    ///< seed, 0 for none
  jmp_buf resume;     ///< where a work item that must not go on ends
};

} // namespace ts::emulator::checked

namespace ts::kernels {

/// The hooks of one library or program.
struct Instrumentation {
  emulator::checked::State* (*state)(); ///< of this host thread
  uintptr_t (*image)();                 ///< where the library begins, for sites
};

} // namespace ts::kernels
