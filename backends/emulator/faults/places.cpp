// Accesses to the wrong place or at the wrong time: bounds, released memory, memory that holds nothing.
#include "backends/emulator/faults/fault.h"

#include <algorithm>

namespace ts::emulator::faults {
namespace {

constexpr int64_t kItems = 40;

// A stencil whose guard at an end is one off. The factor makes the stray value vanish.
struct Stencil {
  const float* x;
  float* out;
  int64_t first, last; ///< items that read a neighbour
  TS_HD void operator()(int64_t i) const {
    const float left = i > first ? x[i - 1] : 0.0F, right = i < last ? x[i + 1] : 0.0F;
    out[i] = x[i] + (left > 1e6F ? 1.0F : 0.0F) + (right > 1e6F ? 1.0F : 0.0F);
  }
};
Outcome stencil(Workbench& bench, int64_t first, int64_t last) {
  const std::vector<float> values(kItems, 3);
  float* out = bench.allocate<float>(kItems, "out");
  bench.flat("stencil", kItems, Stencil{bench.upload(values, "x"), out, first, last});
  return finish(bench, out, values);
}
Outcome read_before_start(Workbench& bench, bool wrong) { return stencil(bench, wrong ? -1 : 0, kItems - 1); }
Outcome read_past_end(Workbench& bench, bool wrong) { return stencil(bench, 0, wrong ? kItems : kItems - 1); }

struct Fill {
  float* out;
  TS_HD void operator()(int64_t i) const { out[i] = 1; }
};
Outcome fill_with(Workbench& bench, int64_t shift, int64_t count) {
  float* out = bench.upload(std::vector<float>(kItems, 1), "out");
  bench.flat("fill", count, Fill{out + shift});
  return finish(bench, out, std::vector<float>(kItems, 1));
}
Outcome write_past_end(Workbench& bench, bool wrong) { return fill_with(bench, wrong ? 1 : 0, kItems); }
Outcome write_before_start(Workbench& bench, bool wrong) { return fill_with(bench, wrong ? -1 : 0, kItems); }
Outcome one_item_too_many(Workbench& bench, bool wrong) { return fill_with(bench, 0, wrong ? kItems + 1 : kItems); }

struct alignas(16) Four {
  float value[4];
};
struct Vectors {
  const float* x;
  float* out;
  int64_t count;
  bool whole_tail; ///< of loads
  bool write_tail;
  TS_HD void operator()(int64_t i) const {
    const int64_t size = std::min<int64_t>(4, count - 4 * i);
    Four four{};
    if (size == 4 || whole_tail)
      four = reinterpret_cast<const Four*>(x)[i];
    else
      for (int64_t k = 0; k < size; ++k) four.value[k] = x[4 * i + k];
    if (size == 4 || write_tail)
      reinterpret_cast<Four*>(out)[i] = four;
    else
      for (int64_t k = 0; k < size; ++k) out[4 * i + k] = four.value[k];
  }
};
Outcome vectors(Workbench& bench, bool whole_tail, bool write_tail) {
  constexpr int64_t kCount = 4 * kItems - 2;
  const std::vector<float> values = ramp<float>(kCount);
  float* out = bench.allocate<float>(kCount, "out");
  bench.flat("vectors", kItems, Vectors{bench.upload(values, "x"), out, kCount, whole_tail, write_tail});
  return finish(bench, out, values);
}
Outcome tail_of_vector_load(Workbench& bench, bool wrong) { return vectors(bench, wrong, false); }
Outcome tail_of_vector_store(Workbench& bench, bool wrong) { return vectors(bench, false, wrong); }

// An index that jumps over the guard zone into another live buffer.
struct Gather {
  const int* index;
  const float* x;
  float* out;
  TS_HD void operator()(int64_t i) const { out[i] = x[index[i]] * 0.0F; }
};
Outcome gather(Workbench& bench, int last_index) {
  const float* x = bench.upload(std::vector<float>(256, 1), "x");
  bench.upload(std::vector<float>(4096, 1), "bystander");
  std::vector<int> index(kItems, 0);
  index.back() = last_index;
  float* out = bench.allocate<float>(kItems, "out");
  bench.flat("gather", kItems, Gather{bench.upload(index, "index"), x, out});
  return finish(bench, out, std::vector<float>(kItems, 0));
}
Outcome into_another_buffer(Workbench& bench, bool wrong) { return gather(bench, wrong ? 1000 : 255); }
Outcome negative_index(Workbench& bench, bool wrong) { return gather(bench, wrong ? -1 : 255); }

// Time.

struct Copy {
  const float* x;
  float* out;
  float factor;
  TS_HD void operator()(int64_t i) const { out[i] = x[i] * factor; }
};
Outcome use_after_release(Workbench& bench, bool wrong) {
  const std::vector<float> values(kItems, 0.0F);
  float* x = bench.upload(values, "x");
  float* out = bench.allocate<float>(kItems, "out");
  if (wrong) bench.release(x);
  bench.flat("copy", kItems, Copy{x, out, 0.0F});
  if (!wrong) bench.release(x);
  Outcome outcome = finish(bench, out, values);
  for (float& value : std::vector<float>(values)) outcome.right = outcome.right && value == 0.0F;
  return outcome;
}
Outcome write_after_release(Workbench& bench, bool wrong) {
  float* x = bench.upload(std::vector<float>(kItems, 2), "x");
  float* out = bench.upload(std::vector<float>(kItems, 2), "out");
  if (wrong) bench.release(out);
  bench.flat("copy", kItems, Copy{x, wrong ? out : x, 1.0F});
  return finish(bench, x, std::vector<float>(kItems, 2));
}
// A cache hands a buffer out again while the old owner's pointer is still in use.
Outcome stale_buffer(Workbench& bench, bool wrong) {
  float* old = bench.upload(std::vector<float>(kItems, 1), "old");
  bench.release(old);
  bench.synchronize();
  float* fresh = bench.upload(std::vector<float>(kItems, 4), "fresh");
  float* out = bench.upload(std::vector<float>(kItems, 0), "out");
  bench.flat("copy", kItems, Copy{wrong ? old : fresh, out, 0.0F});
  Outcome outcome = finish(bench, out, std::vector<float>(kItems, 0));
  return outcome;
}
Outcome double_release(Workbench& bench, bool wrong) {
  float* x = bench.upload(std::vector<float>(kItems, 1), "x");
  float* out = bench.allocate<float>(kItems, "out");
  bench.flat("copy", kItems, Copy{x, out, 1.0F});
  bench.release(x);
  if (wrong) bench.release(x);
  return finish(bench, out, std::vector<float>(kItems, 1));
}

// Memory that holds nothing.

struct Accumulate {
  const float* x;
  float* sums;
  TS_HD void operator()(int64_t i) const { sums[i] += x[i]; }
};
Outcome forgotten_initialisation(Workbench& bench, bool wrong) {
  float* sums = wrong ? bench.allocate<float>(kItems, "sums") : bench.upload(std::vector<float>(kItems, 0), "sums");
  bench.flat("accumulate", kItems, Accumulate{bench.upload(std::vector<float>(kItems, 1), "x"), sums});
  return finish(bench, sums, std::vector<float>(kItems, 1));
}
// A threshold lets what memory happens to hold pass as "not larger".
struct Larger {
  const float* x;
  const float* limit;
  float* out;
  TS_HD void operator()(int64_t i) const { out[i] = x[i] > limit[i] ? 1.0F : 0.0F; }
};
Outcome compared_with_nothing(Workbench& bench, bool wrong) {
  float* limit = wrong ? bench.allocate<float>(kItems, "limit") : bench.upload(std::vector<float>(kItems, 9), "limit");
  float* out = bench.allocate<float>(kItems, "out");
  bench.flat("larger", kItems, Larger{bench.upload(std::vector<float>(kItems, 1), "x"), limit, out});
  return finish(bench, out, std::vector<float>(kItems, 0));
}
Outcome tail_not_written(Workbench& bench, bool wrong) {
  float* x = bench.allocate<float>(kItems, "x");
  float* out = bench.allocate<float>(kItems, "out");
  bench.flat("fill", wrong ? kItems - 1 : kItems, Fill{x});
  bench.flat("larger", kItems, Larger{bench.upload(std::vector<float>(kItems, 0), "zeros"), x, out});
  return finish(bench, out, std::vector<float>(kItems, 0));
}

} // namespace

std::vector<Fault> place_faults() {
  return {
      {"read_before_start", "off by one at the start: a stencil reads x[-1]",
       "out of bounds: stencil: item 0 reads byte -4 of x", "at places.cpp", "shuffle", read_before_start},
      {"read_past_end", "off by one at the end: a stencil reads x[n]",
       "out of bounds: stencil: item 39 reads byte 160 of x", "at places.cpp", "shuffle", read_past_end},
      {"write_past_end", "off by one at the end: x[n] is written",
       "out of bounds: fill: item 39 writes byte 160 of out", "at places.cpp", "loop", write_past_end},
      {"write_before_start", "off by one at the start: x[-1] is written",
       "out of bounds: fill: item 0 writes byte -4 of out", "at places.cpp", "loop", write_before_start},
      {"one_item_too_many", "a launch with one work item too many",
       "out of bounds: fill: item 40 writes byte 160 of out", "at places.cpp", "loop", one_item_too_many},
      {"tail_of_vector_load", "the last vector load reads past the end",
       "out of bounds: vectors: item 39 reads byte 632 of x", "at places.cpp", "shuffle", tail_of_vector_load},
      {"tail_of_vector_store", "the last vector store writes past the end",
       "out of bounds: vectors: item 39 writes byte 632 of out", "at places.cpp", "loop", tail_of_vector_store},
      {"into_another_buffer", "an index jumps past the guard zone into a live buffer",
       "out of bounds: gather: item 39 reads element ", "of bystander at places.cpp", "shuffle", into_another_buffer},
      {"negative_index", "an index of -1 that nobody checks", "out of bounds: gather: item 39 reads byte -4 of x",
       "at places.cpp", "shuffle", negative_index},
      {"use_after_release", "a launch uses what was released before its turn",
       "use after release: copy: item 39 reads byte 156 of released buffer", "at places.cpp", "shuffle",
       use_after_release},
      {"write_after_release", "a launch writes what was released before its turn",
       "use after release: copy: item 39 writes byte 156 of released buffer", "at places.cpp", "shuffle",
       write_after_release},
      {"stale_buffer", "a pointer into a buffer that was given back and handed out again",
       "use after release: copy: item 39 reads byte 156 of released buffer", "at places.cpp", "shuffle", stale_buffer},
      {"double_release", "memory is released twice", "release of memory that is not allocated", "", "loop",
       double_release},
      {"forgotten_initialisation", "an accumulator that nobody set to 0",
       "read of what nothing wrote: accumulate: item 39 reads element (39) of sums", "at places.cpp", "loop",
       forgotten_initialisation},
      {"compared_with_nothing", "a limit that nobody set, in a comparison",
       "read of what nothing wrote: larger: item 39 reads element (39) of limit", "at places.cpp", "shuffle",
       compared_with_nothing},
      {"tail_not_written", "one launch leaves the last element to the next as it was",
       "read of what nothing wrote: larger: item 39 reads element (39) of x", "at places.cpp", "shuffle",
       tail_not_written},
  };
}

} // namespace ts::emulator::faults
