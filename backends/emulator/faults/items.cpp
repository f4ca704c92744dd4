// Work items that meet: they write what others write or read.
#include "backends/emulator/faults/atomics.h"
#include "backends/emulator/faults/fault.h"

#include <algorithm>

namespace ts::emulator::faults {
namespace {

constexpr int64_t kItems = 40;

struct PrefixSum {
  const int* x;
  const int* source; ///< of the neighbour: the sums themselves, or those that were there before
  int* sums;
  TS_HD void operator()(int64_t i) const { sums[i] = x[i] + (i == 0 ? 0 : source[i - 1]); }
};
Outcome prefix_sum(Workbench& bench, bool wrong) {
  const int* x = bench.upload(std::vector<int>(kItems, 1), "x");
  int* sums = bench.upload(std::vector<int>(kItems, 0), "sums");
  const int* before = bench.upload(std::vector<int>(kItems, 0), "before");
  bench.flat("prefix_sum", kItems, PrefixSum{x, wrong ? sums : before, sums});
  std::vector<int> wanted(kItems, 1);
  if (wrong) wanted = ramp<int>(kItems, 1); // what its author sees when items run one after another
  return finish(bench, sums, wanted);
}

struct Scatter {
  const int* index;
  int* sums;
  bool atomic;
  TS_HD void operator()(int64_t i) const {
    if (atomic)
      TS_FETCH_ADD(sums + index[i], 1);
    else
      sums[index[i]] += 1;
  }
};
Outcome scatter(Workbench& bench, bool wrong) {
  std::vector<int> index(kItems);
  for (size_t i = 0; i < index.size(); ++i) index[i] = static_cast<int>(i % 4);
  int* sums = bench.upload(std::vector<int>(4, 0), "sums");
  bench.flat("scatter", kItems, Scatter{bench.upload(index, "index"), sums, !wrong});
  return finish(bench, sums, std::vector<int>(4, kItems / 4));
}

struct SameValue {
  const int* x;
  int* any;
  bool atomic;
  TS_HD void operator()(int64_t i) const {
    if (x[i] == 0) return;
    if (atomic)
      TS_STORE(any, 1);
    else
      *any = 1;
  }
};
Outcome same_value(Workbench& bench, bool wrong) {
  int* any = bench.upload(std::vector<int>{0}, "any");
  bench.flat("same_value", kItems, SameValue{bench.upload(std::vector<int>(kItems, 1), "x"), any, !wrong});
  return finish(bench, any, std::vector<int>{1});
}

// The place of the largest value. With equal values the order decides which place it is.
struct Maximum {
  const int* x;
  int64_t* best; ///< value * 1000 + 999 - place, so that one number holds both
  bool atomic;
  TS_HD void operator()(int64_t i) const {
    const int64_t mine = x[i] * int64_t{1000} + 999 - i;
    if (!atomic) {
      if (mine / 1000 > *best / 1000) *best = mine;
      return;
    }
    int64_t seen = TS_LOAD(best);
    while (seen < mine && !TS_EXCHANGE_IF(best, &seen, mine)) {}
  }
};
Outcome maximum(Workbench& bench, bool wrong) {
  int64_t* best = bench.upload(std::vector<int64_t>{0}, "best");
  bench.flat("maximum", kItems, Maximum{bench.upload(std::vector<int>(kItems, 7), "x"), best, !wrong});
  return finish(bench, best, std::vector<int64_t>{7999});
}

struct LastWriter {
  const int* index;
  int* out;
  int64_t stride;
  TS_HD void operator()(int64_t i) const { out[index[i] + i * stride] = static_cast<int>(i); }
};
Outcome last_writer(Workbench& bench, bool wrong) {
  int* out = bench.upload(std::vector<int>(kItems, -1), "out");
  const int64_t stride = wrong ? 0 : 1;
  bench.flat("last_writer", kItems, LastWriter{bench.upload(std::vector<int>(kItems, 0), "index"), out, stride});
  std::vector<int> wanted = ramp<int>(kItems);
  if (wrong) {
    std::fill(wanted.begin(), wanted.end(), -1);
    wanted[0] = kItems - 1;
  }
  return finish(bench, out, wanted);
}

struct Shift {
  const int* x;
  int* out;
  TS_HD void operator()(int64_t i) const { out[i] = x[i + 1]; }
};
Outcome shift_in_place(Workbench& bench, bool wrong) {
  int* x = bench.upload(ramp<int>(kItems + 1), "x");
  int* out = wrong ? x : bench.allocate<int>(kItems, "out");
  bench.flat("shift", kItems, Shift{x, out});
  return finish(bench, out, ramp<int>(kItems, 1));
}

// Two flags in one byte, or a byte each.
struct Flags {
  uint8_t* flags;
  int64_t items_per_byte;
  TS_HD void operator()(int64_t i) const {
    flags[i / items_per_byte] = static_cast<uint8_t>(flags[i / items_per_byte] | 1U << i % items_per_byte);
  }
};
Outcome packed_flags(Workbench& bench, bool wrong) {
  uint8_t* flags = bench.upload(std::vector<uint8_t>(kItems, 0), "flags");
  bench.flat("flags", kItems, Flags{flags, wrong ? 2 : 1});
  std::vector<uint8_t> wanted(kItems, wrong ? 3 : 1);
  if (wrong) std::fill(wanted.begin() + kItems / 2, wanted.end(), uint8_t{0});
  return finish(bench, flags, wanted);
}

struct ResetAndCount {
  int* count;
  bool reset;
  TS_HD void operator()(int64_t i) const {
    if (reset && i == 0) *count = 0;
    TS_FETCH_ADD(count, 1);
  }
};
Outcome reset_while_counting(Workbench& bench, bool wrong) {
  int* count = bench.upload(std::vector<int>{0}, "count");
  bench.flat("count", kItems, ResetAndCount{count, wrong});
  return finish(bench, count, std::vector<int>{kItems});
}

struct CountAndLook {
  int* count;
  int* seen;
  TS_HD void operator()(int64_t i) const {
    const int before = TS_FETCH_ADD(count, 1);
    seen[i] = seen == count ? 0 : before >= 0 ? 1 : 0;
  }
};
struct CountAndRead {
  int* count;
  int* seen;
  TS_HD void operator()(int64_t i) const {
    TS_FETCH_ADD(count, 1);
    seen[i] = *count > 0 ? 1 : 0;
  }
};
Outcome plain_read_of_counter(Workbench& bench, bool wrong) {
  int* count = bench.upload(std::vector<int>{0}, "count");
  int* seen = bench.allocate<int>(kItems, "seen");
  if (wrong)
    bench.flat("count_and_read", kItems, CountAndRead{count, seen});
  else
    bench.flat("count_and_read", kItems, CountAndLook{count, seen});
  return finish(bench, seen, std::vector<int>(kItems, 1));
}

// Each item owns a row; a stride one too small lets rows overlap by one element.
struct Rows {
  int* out;
  int64_t stride;
  TS_HD void operator()(int64_t i) const {
    for (int64_t k = 0; k < 4; ++k) out[i * stride + k] = 5;
  }
};
Outcome overlapping_rows(Workbench& bench, bool wrong) {
  int* out = bench.upload(std::vector<int>(4 * kItems, 5), "out");
  bench.flat("rows", kItems, Rows{out, wrong ? 3 : 4});
  return finish(bench, out, std::vector<int>(4 * kItems, 5));
}

struct Pair {
  float left, right;
};
struct SwapNeighbours {
  Pair* pairs;
  int64_t step;
  TS_HD void operator()(int64_t i) const {
    const Pair one = pairs[i * step];
    pairs[i * step] = pairs[i * step + 1];
    pairs[i * step + 1] = one;
  }
};
Outcome swap_neighbours(Workbench& bench, bool wrong) {
  std::vector<float> values(4 * kItems + 4, 2);
  float* pairs = bench.upload(values, "pairs");
  bench.flat("swap", kItems, SwapNeighbours{reinterpret_cast<Pair*>(pairs), wrong ? 1 : 2});
  return finish(bench, pairs, values);
}

} // namespace

std::vector<Fault> item_faults() {
  return {
      {"prefix_sum", "a prefix sum reads what its neighbour writes", "read/write conflict: prefix_sum: item 38 ",
       "item 39 reads it at items.cpp", "forward", prefix_sum},
      {"scatter_without_atomics", "duplicate indices add without atomics",
       "read/write conflict: scatter: item 35 reads element (3) of sums", "item 39 writes it at items.cpp", "shuffle",
       scatter},
      {"same_value_write", "every item writes the same 1",
       "write/write conflict: same_value: item 38 writes element (0) of any", "item 39 writes it at items.cpp",
       "shuffle", same_value},
      {"order_dependent_maximum", "equal maxima: the first that comes stays",
       "read/write conflict: maximum: item 38 reads element (0) of best", "item 39 writes it at items.cpp", "forward",
       maximum},
      {"last_writer_wins", "items write one place and count on their order",
       "write/write conflict: last_writer: item 38 writes element (0) of out", "item 39 writes it at items.cpp",
       "forward", last_writer},
      {"shift_in_place", "an in-place shift reads its neighbour", "read/write conflict: shift: item 38 ",
       "item 39 writes it at items.cpp", "forward", shift_in_place},
      {"packed_flags", "two items set bits of one byte",
       "read/write conflict: flags: item 38 reads element (19) of flags", "item 39 writes it at items.cpp", "shuffle",
       packed_flags},
      {"reset_while_counting", "one item resets what others count atomically",
       "conflict of an atomic with a plain access: count: item 0 writes element (0) of count",
       "updates it at items.cpp", "forward", reset_while_counting},
      {"plain_read_of_counter", "a counter is added atomically and read plainly",
       "conflict of an atomic with a plain access: count_and_read: item 38 updates element (0) of count",
       "item 39 reads it at items.cpp", "shuffle", plain_read_of_counter},
      {"overlapping_rows", "rows of items overlap by one element, with equal values",
       "write/write conflict: rows: item 38 writes element (117) of out", "item 39 writes it at items.cpp", "shuffle",
       overlapping_rows},
      {"swap_neighbours", "structs are swapped with a neighbour's", "read/write conflict: swap: item 38 ",
       "item 39 writes it at items.cpp", "shuffle", swap_neighbours},
  };
}

} // namespace ts::emulator::faults
