// What the checker remembers of one granule of device memory (4 bytes), or of one byte where smaller accesses split a
// granule: 64 bits that decide exactly whether an access conflicts with any access before it.
//
// Phases are numbered through: each phase of each block of each launch has a number of its own, and blocks run one after
// another. So one number tells three things: from this phase on, from this block on, from this launch on. A cell keeps the
// number of the last phase that touched it, and which kinds of access there were
//   now      in that phase,
//   earlier  in earlier phases of the same block,
//   others   in blocks of the same launch that ran before.
// Who accessed it now is one thread, or many. Many threads without a conflict did all the same: they read, or they were
// atomic. So a union of kinds loses nothing.
#pragma once

#include <cstdint>

namespace ts::emulator::checked {

using Cell = uint64_t;

enum Access : unsigned { kRead, kWrite, kAtomic };

//  63        29 28      19 18   17..15  14..12   11..9  8      7..4     3..0
//  phase        thread     many others  earlier  now    split  written  valid
inline constexpr Cell kValid = 0xF;    ///< per byte: part of a live allocation
inline constexpr Cell kWritten = 0xF0; ///< per byte: holds a value
inline constexpr Cell kSplit = 1 << 8; ///< the granule's four bytes have cells of their own
inline constexpr int kNowShift = 9, kEarlierShift = 12, kOthersShift = 15;
inline constexpr Cell kKinds = 7;
inline constexpr Cell kMany = 1 << 18;
inline constexpr int kThreadShift = 19, kPhaseShift = 29;
inline constexpr Cell kThread = Cell{0x3FF} << kThreadShift;
inline constexpr Cell kPhase = ~Cell{0} << kPhaseShift;
inline constexpr uint64_t kPhasesMax = 1ULL << 35;
inline constexpr int kThreadsMax = 1 << 10;

inline constexpr Cell kind_bit(Access access) { return Cell{1} << access; }
inline constexpr Cell kinds_now(Cell c) { return c >> kNowShift & kKinds; }
inline constexpr Cell kinds_earlier(Cell c) { return c >> kEarlierShift & kKinds; }
inline constexpr Cell kinds_others(Cell c) { return c >> kOthersShift & kKinds; }
inline constexpr Cell bytes_of(Cell c) { return c & (kValid | kWritten | kSplit); }
inline constexpr uint64_t phase_of(Cell c) { return c >> kPhaseShift; }
inline constexpr int thread_of(Cell c) { return static_cast<int>((c & kThread) >> kThreadShift); }
inline constexpr Cell place_of(uint64_t phase, int thread) {
  return phase << kPhaseShift | static_cast<Cell>(thread) << kThreadShift;
}

/// True where an access conflicts with one of `kinds` by another work item: unless all read, or all are atomic.
inline constexpr bool conflicts(Access access, Cell kinds) {
  return kinds != 0 && (access == kWrite || kinds != kind_bit(access));
}

/// The running work item, and the smallest cells that its phase, its block and its launch may have left.
struct Moment {
  Cell place; ///< phase and thread
  Cell phase, block, launch;
};

/// Which remembered access an access conflicts with.
enum class Clash : uint8_t {
  none,
  last,   ///< that of the cell's own phase and thread
  before, ///< that of the witness: what was remembered before the cell's last change of owner
};

struct Touch {
  Cell next;        ///< the cell as it is to be, unchanged after a conflict
  Clash clash;      ///
  bool new_site;    ///< the cell's access is now this one
  bool new_witness; ///< what the cell held is to be kept, for reports
};

/// One access to the bytes of a cell. `written` are its byte flags that become kWritten. A conflict leaves the cell as it
/// is, so that each later report is a pair of accesses that happened. Private memory is a block's own: what launches or
/// blocks before left there is nothing.
inline constexpr Touch touch(Cell c, Access access, const Moment& moment, bool is_private, Cell written) {
  const Cell bit = kind_bit(access), mark = bit << kNowShift;
  if (c >= moment.phase) {
    if ((c & (kThread | kMany)) == (moment.place & kThread)) {
      if ((c & mark) == 0 && conflicts(access, kinds_others(c))) return {c, Clash::before, false, false};
      return {c | mark | written, Clash::none, access != kRead && (c & mark) == 0, false};
    }
    if (access == kWrite || kinds_now(c) != bit) return {c, Clash::last, false, false};
    return {c | kMany | written, Clash::none, false, false};
  }
  const Cell fresh = bytes_of(c) | moment.place | mark | written;
  const Cell now = kinds_now(c), earlier = kinds_earlier(c), others = kinds_others(c);
  if (c >= moment.block) {
    if (conflicts(access, others)) return {c, Clash::before, false, false};
    return {fresh | (now | earlier) << kEarlierShift | others << kOthersShift, Clash::none, true,
            others == 0 && now != bit};
  }
  if (is_private) return {(fresh & ~kWritten) | written, Clash::none, true, false};
  if (c >= moment.launch) {
    if (conflicts(access, now)) return {c, Clash::last, false, false};
    if (conflicts(access, earlier | others)) return {c, Clash::before, false, false};
    return {fresh | (now | earlier | others) << kOthersShift, Clash::none, true, true};
  }
  return {fresh, Clash::none, true, false};
}

} // namespace ts::emulator::checked
