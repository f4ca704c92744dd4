// What a hook does with an access: one compare with the expected value of its cell, and all that follows where they differ.
// For the units of hooks alone: not instrumented, and free of inline functions of the standard library, whose instrumented
// twins the linker might choose.
#pragma once

#include "backends/emulator/checked/state.h"

#define TS_HOT __attribute__((always_inline)) inline
#define TS_COLD __attribute__((cold, noinline))
#define TS_HOOK extern "C" __attribute__((visibility("hidden")))
#define TS_SITE reinterpret_cast<uintptr_t>(__builtin_return_address(0))

// NOLINTNEXTLINE(bugprone-reserved-identifier): the linker's name for our image
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start;

namespace ts::emulator::checked {

/// What this host thread runs.
extern constinit thread_local State state __attribute__((tls_model("initial-exec"), visibility("hidden")));

inline uintptr_t image() { return reinterpret_cast<uintptr_t>(&__ehdr_start); }
inline uint32_t site_of(uintptr_t code) { return static_cast<uint32_t>(code - image()); }

// Nothing is checked while a finding is handed over: what runs there may be instrumented too.
template <class Tell> TS_COLD void tell(Tell&& finding) {
  if (state.findings == nullptr) return;
  const uint64_t window = state.window;
  Findings* findings = state.findings;
  state.window = 0;
  state.findings = nullptr;
  const bool abandon = finding(*findings);
  state.window = window;
  state.findings = findings;
  if (abandon) longjmp(state.resume, 1);
}

TS_COLD inline void tell_conflict(const Accessed& mine, Cell c, Clash clash, uint32_t site, const Witness& witness) {
  if (clash == Clash::last) {
    // A cell of many names the first, which may be this one: it came back after what is done once for all threads.
    const bool named = (c & (kPhase | kThread)) != state.moment.place;
    return tell([&](Findings& f) { return f.conflict(mine, named ? c : 0, kinds_now(c), named ? site : 0); });
  }
  const bool known = witness.cell >= state.moment.launch && conflicts(mine.access, kinds_now(witness.cell));
  tell([&](Findings& f) {
    return f.conflict(mine, known ? witness.cell : 0,
                      known ? kinds_now(witness.cell) : kinds_others(c) | kinds_earlier(c),
                      known ? static_cast<uint32_t>(witness.site) : 0);
  });
}

TS_COLD inline void tell_outside(uintptr_t address, uint64_t bytes, Access access, uintptr_t code) {
  tell([&](Findings& f) { return f.outside({address, bytes, access, site_of(code)}); });
}

// As tell, to whoever traces.
template <class Tell> __attribute__((noinline)) void trace(Tell&& step) {
  Tracer* tracer = state.tracer;
  state.tracer = nullptr;
  step(*tracer);
  state.tracer = tracer;
}

// Outside the device's memory: a work item's own stack and its arguments are fine.
TS_HOT void outside(uintptr_t address, uint64_t bytes, Access access, uintptr_t code) {
  if (state.stack.holds(address)) return;
  if (access == kRead && address - state.arguments < state.argument_bytes) return;
  if (state.window != 0) tell_outside(address, bytes, access, code);
  if (state.tracer != nullptr) trace([&](Tracer& t) { t.access({address, bytes, access, site_of(code)}); });
}

// A thread's locals are registers to others.
TS_HOT bool is_foreign(uint64_t offset, uint64_t bytes) {
  return state.locals.holds(offset) && !state.own_locals.holds(offset, bytes);
}

TS_HOT bool is_private(uint64_t offset) { return state.locals.holds(offset) || state.shared.holds(offset); }

// Whether the launch may touch the bytes, which are no block's own.
__attribute__((noinline)) inline bool find_range(uint64_t offset, uint64_t bytes, Range* hit) {
  for (int k = 0; k < state.range_count; ++k) {
    if (!state.ranges[k].holds(offset, bytes)) continue;
    *hit = state.ranges[k];
    return true;
  }
  return false;
}

// The operands of a kernel are met by turns, each by code of its own.
TS_HOT Range* hit_of(uintptr_t code) { return state.hit + (code >> 2 & 7); }

// How an access uses what was there before.
enum class Old : bool { ignored, used };

inline bool is_written(uint64_t byte, bool own) {
  const Cell whole = state.granules.cells[byte / kGranule];
  const bool split = (whole & kSplit) != 0;
  const Cell c = split ? state.single_bytes.cells[byte] : whole;
  if (own && c < state.moment.block) return false;
  return (c >> (split ? 4 : 4 + byte % kGranule) & 1) != 0;
}

// Padding is copied with its struct and was never written. It shares a word with a member: 8 bytes, or 16 where what is read
// has the size and the place of a struct with that alignment. So words count, as far as the access covers them, in which
// nothing was written.
TS_COLD inline void check_written(uint64_t offset, bool own, const Accessed& mine) {
  const uint64_t start = mine.address - state.base;
  const uint64_t word_bytes = (start | mine.bytes) % 16 == 0 ? 16 : 8, word = offset / word_bytes * word_bytes;
  const uint64_t first = start > word ? start : word;
  const uint64_t last = start + mine.bytes < word + word_bytes ? start + mine.bytes : word + word_bytes;
  for (uint64_t byte = first; byte < last; ++byte)
    if (is_written(byte, own)) return;
  Accessed here = mine;
  here.address = state.base + first;
  tell([&](Findings& f) { return f.unwritten(here); });
}

// One cell of which an access covers the bytes `lanes`, whatever may be wrong with it.
template <Access access, Old old>
TS_COLD void visit_slowly(const Layer& layer, uint64_t index, Cell lanes, uint64_t offset, const Accessed& mine) {
  const Cell c = layer.cells[index];
  Accessed here = mine; // from the cell's first byte on
  if (state.base + offset > mine.address) here.address = state.base + offset;
  if ((c & lanes) != lanes) return tell([&](Findings& f) { return f.stray(here, false); });
  const bool own = is_private(offset);
  if (is_foreign(offset, 1)) return tell([&](Findings& f) { return f.stray(here, true); });
  if (c < state.moment.launch && !own && !find_range(offset, 1, hit_of(mine.site)))
    return tell([&](Findings& f) { return f.stray(here, true); });
  const Cell written = own && c < state.moment.block ? 0 : c;
  if (old == Old::used && (written & lanes << 4) != lanes << 4) check_written(offset, own, mine);
  const Touch touched = touch(c, access, state.moment, own, access == kRead ? 0 : lanes << 4);
  if (touched.clash != Clash::none) {
    layer.cells[index] = access == kRead ? c : c | lanes << 4; // the value is there all the same
    return tell_conflict(here, c, touched.clash, layer.sites[index], layer.witnesses[index]);
  }
  if (touched.new_witness) layer.witnesses[index] = {c, layer.sites[index]};
  if (touched.new_site) layer.sites[index] = mine.site;
  layer.cells[index] = touched.next;
}

// The same for what is common and right; false, and nothing changed, for all else. race_test holds the two together.
template <Access access, Old old>
TS_HOT bool visit_quickly(const Layer& layer, uint64_t index, Cell lanes, uint64_t offset, uintptr_t code) {
  constexpr Cell bit = kind_bit(access), mark = bit << kNowShift;
  const Moment& moment = state.moment;
  const Cell c = layer.cells[index], value = access == kRead ? 0 : lanes << 4;
  const unsigned bytes = lanes == kValid ? kGranule : 1;
  const bool holds_value = old == Old::ignored || (c & lanes << 4) == lanes << 4;
  if ((c & (lanes | kSplit)) != lanes || is_foreign(offset, bytes)) return false;
  if (c >= moment.phase) {
    if (!holds_value) return false;
    if ((c & (kThread | kMany)) == (moment.place & kThread)) {
      if ((c & mark) == 0 && kinds_others(c) != 0) return false;
      if (access != kRead && (c & mark) == 0) layer.sites[index] = site_of(code);
      layer.cells[index] = c | mark | value;
      return true;
    }
    if (access == kWrite || kinds_now(c) != bit) return false;
    layer.cells[index] = c | kMany | value;
    return true;
  }
  Cell next = moment.place | mark | value | (c & kValid);
  const bool own = is_private(offset);
  if (own && c < moment.block) {
    if (old == Old::used) return false;
  } else {
    if (!holds_value) return false;
    next |= c & kWritten;
    const Cell others = kinds_others(c), mine = kinds_now(c) | kinds_earlier(c);
    if (c >= moment.block) {
      if (others != 0) return false;
      next |= mine << kEarlierShift;
      if (!own && kinds_now(c) != bit) layer.witnesses[index] = {c, layer.sites[index]};
    } else if (c >= moment.launch) {
      if (access == kWrite || (others | mine) != bit) return false;
      next |= bit << kOthersShift;
      layer.witnesses[index] = {c, layer.sites[index]};
    } else if (!hit_of(code)->holds(offset, bytes) && !find_range(offset, bytes, hit_of(code))) {
      return false;
    }
  }
  layer.sites[index] = site_of(code);
  layer.cells[index] = next;
  return true;
}

// A granule's bytes get cells of their own.
TS_COLD inline void split(uint64_t granule) {
  Cell& whole = state.granules.cells[granule];
  for (unsigned lane = 0; lane < kGranule; ++lane) {
    const uint64_t byte = granule * kGranule + lane;
    const Cell bits = (whole >> lane & 1) | (whole >> (4 + lane) & 1) << 4;
    state.single_bytes.cells[byte] = (whole & ~(kValid | kWritten)) | bits;
    state.single_bytes.sites[byte] = state.granules.sites[granule];
    state.single_bytes.witnesses[byte] = state.granules.witnesses[granule];
  }
  whole = kSplit;
}

template <Access access, Old old>
void visit_bytes(uint64_t offset, uint64_t bytes, uintptr_t address, uint64_t of_bytes, uintptr_t code) {
  for (uint64_t byte = offset; byte < offset + bytes; ++byte) {
    if ((state.granules.cells[byte / kGranule] & kSplit) == 0) split(byte / kGranule);
    if (!visit_quickly<access, old>(state.single_bytes, byte, 1, byte, code))
      visit_slowly<access, old>(state.single_bytes, byte, 1, byte, {address, of_bytes, access, site_of(code)});
  }
}

// Whether what holds for a granule's first byte holds for all: allocations, locals and operands may end within it.
TS_COLD inline bool is_whole(uint64_t granule, uintptr_t code) {
  const uint64_t offset = granule * kGranule;
  const Cell c = state.granules.cells[granule];
  if ((c & (kValid | kSplit)) != kValid) return false;
  if (state.locals.holds(offset))
    return state.own_locals.holds(offset) == state.own_locals.holds(offset + kGranule - 1);
  return c >= state.moment.launch || state.shared.holds(offset) || find_range(offset, kGranule, hit_of(code));
}

template <Access access, Old old>
TS_COLD void visit_granule_slowly(uint64_t granule, uintptr_t address, uint64_t of_bytes, uintptr_t code) {
  if (!is_whole(granule, code)) return visit_bytes<access, old>(granule * kGranule, kGranule, address, of_bytes, code);
  visit_slowly<access, old>(state.granules, granule, kValid, granule * kGranule,
                            {address, of_bytes, access, site_of(code)});
}

template <Access access, Old old>
TS_HOT void visit_granule(uint64_t granule, uintptr_t address, uint64_t of_bytes, uintptr_t code) {
  if (!visit_quickly<access, old>(state.granules, granule, kValid, granule * kGranule, code))
    visit_granule_slowly<access, old>(granule, address, of_bytes, code);
}

template <Access access, Old old> void visit_range(uintptr_t address, uint64_t bytes, uintptr_t code) {
  const uint64_t offset = address - state.base, end = offset + bytes;
  for (uint64_t at = offset; at < end;) {
    if (at % kGranule == 0 && end - at >= kGranule) {
      visit_granule<access, old>(at / kGranule, address, bytes, code);
      at += kGranule;
    } else {
      visit_bytes<access, old>(at, 1, address, bytes, code);
      ++at;
    }
  }
}

// What a cell holds after this work item did the same before, and after many threads of this phase did.
inline constexpr Cell kOwnMask = kPhase | kThread | kMany | kSplit | kValid | kWritten;
inline constexpr Cell kManyMask = kPhase | kMany | kSplit | kValid | kWritten | kKinds << kNowShift;

// The parts that are seldom, or once per cell, are functions of their own: so the hooks save no registers.
template <Access access, unsigned bytes, Old old>
__attribute__((noinline)) void observe_bytes(uintptr_t address, uintptr_t code) {
  const uint64_t offset = address - state.base;
  if (bytes < kGranule && (state.granules.cells[offset / kGranule] & kSplit) != 0) {
    constexpr Cell mark = kind_bit(access) << kNowShift, own = kPhase | kThread | kMany | Cell{0x11} | mark;
    bool same = true;
    for (unsigned k = 0; k < bytes; ++k)
      same = same && (state.single_bytes.cells[offset + k] & own) == (state.moment.place | 0x11 | mark);
    if (same) return;
  }
  visit_range<access, old>(address, bytes, code);
}

// A thread's own locals: nobody else's accesses are to be held against these, so what they hold is all there is to know.
template <unsigned bytes, Old old> TS_HOT bool visit_own_locals(uint64_t offset) {
  if (!state.own_locals.holds(offset, bytes)) return false;
  constexpr Cell kDone = kValid | kWritten, kBoth = (kind_bit(kRead) | kind_bit(kWrite)) << kNowShift;
  Cell* cells = state.granules.cells + offset / kGranule;
  for (unsigned k = 0; k < bytes / kGranule; ++k) {
    if ((cells[k] & kSplit) != 0) return false;
    if (old == Old::used && (cells[k] < state.moment.block || (cells[k] & kDone) != kDone)) return false;
  }
  for (unsigned k = 0; k < bytes / kGranule; ++k) cells[k] = state.moment.place | kBoth | kDone;
  return true;
}

// What no work item of this launch touched, and the launch may: no block's own memory is among that. All cells or none.
template <Access access, unsigned bytes, Old old> TS_HOT bool visit_untouched(uint64_t offset, uintptr_t code) {
  constexpr Cell flags = old == Old::used ? kValid | kWritten : kValid;
  Cell* cells = state.granules.cells + offset / kGranule;
  bool untouched = true;
  for (unsigned k = 0; k < bytes / kGranule; ++k)
    untouched = untouched && cells[k] < state.moment.launch && (cells[k] & (flags | kSplit)) == flags;
  if (!untouched) return false;
  Range* hit = hit_of(code);
  if (!hit->holds(offset, bytes) && !find_range(offset, bytes, hit)) return false;
  const Cell next = state.moment.place | kind_bit(access) << kNowShift | kValid | kWritten;
  uint32_t* sites = state.granules.sites + offset / kGranule;
  for (unsigned k = 0; k < bytes / kGranule; ++k) {
    cells[k] = next;
    sites[k] = site_of(code);
  }
  return true;
}

template <Access access, unsigned bytes, Old old>
__attribute__((noinline)) void observe_granules(uintptr_t address, uintptr_t code) {
  const uint64_t offset = address - state.base, first = offset / kGranule;
  if (visit_own_locals<bytes, old>(offset) || visit_untouched<access, bytes, old>(offset, code)) return;
  for (uint64_t k = 0; k < bytes / kGranule; ++k) visit_granule<access, old>(first + k, address, bytes, code);
}

// Whether this work item did the same before, or many threads of this phase did.
template <Access access, unsigned bytes> TS_HOT bool is_known(uint64_t offset) {
  constexpr Cell mark = kind_bit(access) << kNowShift;
  const Cell own = state.moment.place | kValid | kWritten | mark;
  const Cell many = state.moment.phase | kMany | kValid | kWritten | mark;
  const Cell* cells = state.granules.cells + offset / kGranule;
  for (unsigned k = 0; k < bytes / kGranule; ++k) {
    const bool same = (cells[k] & (kOwnMask | mark)) == own || (access != kWrite && (cells[k] & kManyMask) == many);
    if (!same) return false;
  }
  return true;
}

template <Access access, unsigned bytes, Old old = access == kWrite ? Old::ignored : Old::used>
TS_HOT void observe(const volatile void* pointer, uintptr_t code) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const uint64_t offset = address - state.base;
  if (__builtin_expect(offset >= state.window, 0)) return outside(address, bytes, access, code);
  if (bytes < kGranule || __builtin_expect(offset % kGranule != 0, 0))
    return observe_bytes<access, bytes, old>(address, code);
  if (!is_known<access, bytes>(offset)) observe_granules<access, bytes, old>(address, code);
}

template <Access access> void observe_range(const void* pointer, uint64_t bytes, uintptr_t code) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  constexpr Old old = access == kWrite ? Old::ignored : Old::used;
  constexpr uint64_t kPiece = 16; // what wide loads and stores are, and copies of arrays are made of
  if (bytes == kPiece) return observe<access, kPiece>(pointer, code);
  if (bytes == 0) return;
  if (address - state.base >= state.window) return outside(address, bytes, access, code);
  uint64_t done = 0;
  if ((address - state.base) % kGranule == 0)
    for (; bytes - done >= kPiece; done += kPiece)
      if (!is_known<access, kPiece>(address + done - state.base))
        observe_granules<access, kPiece, old>(address + done, code);
  if (done < bytes) visit_range<access, old>(address + done, bytes - done, code);
}

// A work item whose atomic operations change nothing, over and over, waits for somebody: when there were so many that only a
// hang reaches them, which takes seconds, or fewer where this launch was found waiting before.
inline constexpr uint64_t kPatience = 1 << 26, kPatienceAgain = 1 << 20;

TS_COLD inline void waits(const volatile void* pointer, unsigned bytes, uintptr_t code) {
  const uint32_t site = site_of(code);
  const bool again = state.wait_launch == state.moment.launch && state.wait_site == site;
  if (!again && state.idle < kPatience) return;
  state.wait_launch = state.moment.launch;
  state.wait_site = site;
  tell([&](Findings& f) {
    return f.waits({reinterpret_cast<uintptr_t>(pointer), bytes, bytes == 0 ? kRead : kAtomic, site});
  });
  state.idle = state.idle_before = 0; // nobody minds
}

inline void changed_nothing(const volatile void* pointer, unsigned bytes, uintptr_t code) {
  if (state.window == 0) return;
  state.polls = true;
  if (++state.idle >= kPatienceAgain) waits(pointer, bytes, code);
}

inline void changed() {
  state.idle = state.idle_before = 0;
  state.polls = false;
}

} // namespace ts::emulator::checked
