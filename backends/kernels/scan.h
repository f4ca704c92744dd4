// The scan family: running sums, products and extremes along one axis, as reduce, scan, apply. No block waits for
// another: a line longer than one part takes more launches, never a look back.
//
// A scan is lines x length. The tree depends on length and on whether the axis is the last one longer than 1; on nothing
// else. (spec/execution.md)
//
// Block tree, where the axis is last and length > 64. A line is cut into chunks of 2048; thread t of 256 folds its 8
// consecutive elements from first to last (the local values), the threads' totals are combined by the Scan collective
// of task.h, and element i of a thread is combine(before, local value i), before being what all threads before give.
// In a chunk after the first, before = combine(carry, before of the collective).
//
// Run tree, anywhere else. A line is cut into runs of 64. A run is folded from first to last starting at the identity,
// and element i is combine(carry, local value i).
//
// A line of at most 8 chunks is one block's, chunk after chunk; what lies before a chunk is what its totals would have given.
//
// In both, the totals of the parts of a line are a line that is scanned in the same way; the carry of a part is the
// scanned total of the part before it, the identity for the first.
#pragma once

#include "backends/kernels/attributes.h"
#include "backends/kernels/reduce.h"
#include "backends/kernels/whole.h"

namespace ts::kernels {

inline constexpr int kScanThreads = 256;
inline constexpr int kScanRun = 8;
inline constexpr int64_t kScanChunk = int64_t{kScanThreads} * kScanRun;
inline constexpr int64_t kScanColumnRun = 64;
inline constexpr int64_t kScanLineChunks =
    kScanRun; ///< of a line that one block scans: their totals are one thread's run

/// The elements of one thread's run in one piece, where they are aligned for it.
template <class T> struct alignas(sizeof(T) < 4 ? sizeof(T) * kScanRun : 16) RunElements { T value[kScanRun]; };

/// The elements of x and where results go. Lines are walked by `lines`: byte offsets of x and of the outputs.
template <class T> struct ScanElements {
  const std::byte* data; ///< null for an immediate
  T immediate;
  std::byte* out[2]; ///< z and, for cummax and cummin, indices
  Offsets<3> lines;
  int64_t stride[3]; ///< bytes along the axis: x, z, indices
  int64_t length;
  bool wide_in, wide_out; ///< runs of x, and of z, are whole aligned RunElements

  struct Line {
    int64_t offset[3];
  };
  TS_HD Line line(int64_t number) const {
    Line found;
    lines.at(number, found.offset);
    return found;
  }
  TS_HD T at(const Line& line, int64_t index) const {
    if (data == nullptr) return immediate;
    return *reinterpret_cast<const T*>(data + line.offset[0] + index * stride[0]);
  }
  template <class Scanner>
  TS_HD typename Scanner::Acc get(const Scanner& scanner, const Line& line, int64_t index) const {
    return scanner.lift(at(line, index), index);
  }
  /// A whole run at once, from `index` on.
  template <class Scanner>
  TS_HD void get_run(const Scanner& scanner, const Line& line, int64_t index,
                     typename Scanner::Acc (&value)[kScanRun]) const {
    if (!wide_in) {
      TS_UNROLL_ON_DEVICE
      for (int i = 0; i < kScanRun; ++i) value[i] = get(scanner, line, index + i);
      return;
    }
    const auto run = load_whole<RunElements<T>>(data + line.offset[0] + index * stride[0]);
    TS_UNROLL_ON_DEVICE
    for (int i = 0; i < kScanRun; ++i) value[i] = scanner.lift(run.value[i], index + i);
  }
  template <class Scanner>
  TS_HD void put_run(const Scanner& scanner, const Line& line, int64_t index,
                     const typename Scanner::Acc (&value)[kScanRun]) const {
    if constexpr (!Scanner::kIndexed) {
      if (wide_out) return scanner.store_run(value, out[0] + line.offset[1] + index * stride[1]);
    }
    TS_UNROLL_ON_DEVICE
    for (int i = 0; i < kScanRun; ++i) put(scanner, line, index + i, value[i]);
  }
  template <class Scanner>
  TS_HD void put(const Scanner& scanner, const Line& line, int64_t index, const typename Scanner::Acc& value) const {
    std::byte* z = out[0] + line.offset[1] + index * stride[1];
    if constexpr (Scanner::kIndexed) {
      *reinterpret_cast<T*>(z) = scanner.moved(at(line, value.index));
      *reinterpret_cast<int64_t*>(out[1] + line.offset[2] + index * stride[2]) = value.index;
    } else {
      scanner.store(value, z);
    }
  }
};

/// Totals of parts, scanned in place: element i of line l is data[l outer + i inner].
template <class Acc> struct ScanTotals {
  Acc* data;
  int64_t outer;
  int64_t inner;
  int64_t length;

  using Line = int64_t;
  TS_HD int64_t line(int64_t number) const { return number * outer; }
  template <class Scanner> TS_HD Acc get(const Scanner&, int64_t line, int64_t index) const {
    return data[line + index * inner];
  }
  template <class Scanner> TS_HD void put(const Scanner&, int64_t line, int64_t index, const Acc& value) const {
    data[line + index * inner] = value;
  }
  template <class Scanner>
  TS_HD void get_run(const Scanner&, int64_t line, int64_t index, Acc (&value)[kScanRun]) const {
    TS_UNROLL_ON_DEVICE
    for (int i = 0; i < kScanRun; ++i) value[i] = data[line + (index + i) * inner];
  }
  template <class Scanner>
  TS_HD void put_run(const Scanner&, int64_t line, int64_t index, const Acc (&value)[kScanRun]) const {
    TS_UNROLL_ON_DEVICE
    for (int i = 0; i < kScanRun; ++i) data[line + (index + i) * inner] = value[i];
  }
};

/// Folds one thread's run of a line from first to last: value[i] becomes what its elements up to i give. Its total.
template <class Scanner, class Elements, class Line>
TS_HD typename Scanner::Acc fold_run(const Scanner& scanner, const Elements& elements, const Line& line, int64_t start,
                                     typename Scanner::Acc (&value)[kScanRun]) {
  using Acc = typename Scanner::Acc;
  if (start + kScanRun <= elements.length) {
    elements.get_run(scanner, line, start, value);
    TS_UNROLL_ON_DEVICE
    for (int i = 1; i < kScanRun; ++i) value[i] = scanner.combine(value[i - 1], value[i]);
    return value[kScanRun - 1];
  }
  Acc total = scanner.identity();
  TS_UNROLL_ON_DEVICE
  for (int i = 0; i < kScanRun; ++i) {
    if (start + i >= elements.length) break;
    const Acc element = elements.get(scanner, line, start + i);
    total = i == 0 ? element : scanner.combine(total, element);
    value[i] = total;
  }
  return total;
}

/// Writes a run: what lies before it, then its own fold. ahead(i) is what element i takes on its left.
template <class Scanner, class Elements, class Line, class Ahead>
TS_HD void put_fold(const Scanner& scanner, const Elements& elements, const Line& line, int64_t start,
                    typename Scanner::Acc (&value)[kScanRun], const Ahead& ahead) {
  if (start + kScanRun <= elements.length) {
    TS_UNROLL_ON_DEVICE
    for (int i = 0; i < kScanRun; ++i) value[i] = scanner.combine(ahead(i), value[i]);
    elements.put_run(scanner, line, start, value);
    return;
  }
  TS_UNROLL_ON_DEVICE
  for (int i = 0; i < kScanRun; ++i) {
    if (start + i >= elements.length) break;
    elements.put(scanner, line, start + i, scanner.combine(ahead(i), value[i]));
  }
}

/// Which of the passes over a level this launch is.
struct ScanPass {
  bool apply;   ///< write results, else the totals of parts
  bool carries; ///< apply adds what lies before a part
};

/// One level of the block tree. Results are written from the last chunk to the first: what the pass before read last may still lie
/// in a cache.
template <class Scanner, class Elements> struct ScanChunks {
  using Acc = typename Scanner::Acc;
  static constexpr int kThreads = kScanThreads;
  static constexpr int kMinBlocks = sizeof(Acc) == 4 ? 6 : 1;
  struct Prefix {};
  using Phases = Sequence<Scan<Prefix>>;
  struct Shared {};
  struct Local {
    Acc value[kScanRun];
    Acc carry; ///< what the parts of the line before this one give
    Acc whole; ///< what they and this one give: of the last thread
  };

  Scanner scanner;
  Elements elements;
  Acc* totals; ///< [line][chunk]
  int64_t chunks;
  int64_t parts; ///< of all lines
  Quotient by_chunks;
  ScanPass pass;

  struct Part {
    int64_t number, line, chunk;
  };
  TS_HD Part part(const At& at) const {
    const int64_t number = pass.apply ? parts - 1 - at.block : at.block, line = by_chunks(number);
    return {number, line, number - line * chunks};
  }
  TS_HD static int64_t first(const Part& part, const At& at) {
    return part.chunk * kScanChunk + int64_t{at.thread} * kScanRun;
  }

  TS_HD Acc give(Prefix, const At& at, Shared&, Local& local) const {
    const Part mine = part(at);
    if (pass.carries && mine.chunk > 0) local.carry = carry(mine.number - 1); // on its way while the chunk is scanned
    if (pass.carries && at.thread == kScanThreads - 1) local.whole = carry(mine.number);
    return fold_run(scanner, elements, elements.line(mine.line), first(mine, at), local.value);
  }
  TS_HD Acc identity(Prefix) const { return scanner.identity(); }
  TS_HD Acc combine(Prefix, const Acc& left, const Acc& right) const { return scanner.combine(left, right); }
  TS_HD void take(Prefix, const At& at, Acc before, const Acc& total, Shared&, Local& local) const {
    const Part mine = part(at);
    if (!pass.apply) {
      if (at.thread == 0) totals[mine.number] = total;
      return;
    }
    const int64_t start = first(mine, at);
    [[maybe_unused]] const Acc inside = before;
    if (pass.carries && mine.chunk > 0) before = scanner.combine(local.carry, before);
    put_fold(scanner, elements, elements.line(mine.line), start, local.value, [&](int i) {
      [[maybe_unused]] const bool last = pass.carries && (start + i + 1) % kScanChunk == 0;
      return TS_MUTATE("TL10", before, last ? scanner.combine(local.whole, inside) : before);
    });
  }

private:
  /// What the parts of a line up to this one give.
  TS_HD Acc carry(int64_t part) const {
    if constexpr (Scanner::kIndexed)
      return totals[part];
    else
      return TS_MUTATE("ST16", totals[part], wrong::rounded_to(scanner.dtype, totals[part]));
  }
};

/// Whole lines of a few chunks, a block each: it reads them once.
template <class Scanner, class Elements> struct ScanLines {
  using Acc = typename Scanner::Acc;
  static constexpr int kThreads = kScanThreads;
  struct Chunks {};
  struct Prefix {};
  using Phases = Sequence<Repeat<Chunks, Scan<Prefix>>>;
  struct Shared {};
  struct Local {
    Acc value[kScanRun];
    Acc passed; ///< what the chunks before this one give
  };

  Scanner scanner;
  Elements elements;

  TS_HD int64_t count(Chunks, int64_t) const { return ceil_div(elements.length, kScanChunk); }
  TS_HD int64_t first(const At& at) const { return at.step * kScanChunk + int64_t{at.thread} * kScanRun; }

  TS_HD Acc give(Prefix, const At& at, Shared&, Local& local) const {
    return fold_run(scanner, elements, elements.line(at.block), first(at), local.value);
  }
  TS_HD Acc identity(Prefix) const { return scanner.identity(); }
  TS_HD Acc combine(Prefix, const Acc& left, const Acc& right) const { return scanner.combine(left, right); }
  TS_HD void take(Prefix, const At& at, Acc before, const Acc& total, Shared&, Local& local) const {
    [[maybe_unused]] const Acc inside = before;
    const Acc passed = at.step == 0 ? total : scanner.combine(local.passed, total);
    if (at.step > 0) before = scanner.combine(carry(local.passed), before);
    const int64_t start = first(at);
    put_fold(scanner, elements, elements.line(at.block), start, local.value, [&](int i) {
      [[maybe_unused]] const bool last = elements.length > kScanChunk && (start + i + 1) % kScanChunk == 0;
      return TS_MUTATE("TL10", before, last ? scanner.combine(carry(passed), inside) : before);
    });
    local.passed = passed;
  }

private:
  /// As the scanned total of the chunks before: their fold after the identity. // execution.24
  TS_HD Acc carry(const Acc& passed) const {
    const Acc scanned = scanner.combine(scanner.identity(), passed);
    if constexpr (Scanner::kIndexed)
      return scanned;
    else
      return TS_MUTATE("ST16", scanned, wrong::rounded_to(scanner.dtype, scanned));
  }
};

/// One level of the run tree: a work item takes one run of one line.
template <class Scanner, class Elements> struct ScanRuns {
  using Acc = typename Scanner::Acc;

  Scanner scanner;
  Elements elements;
  Acc* totals; ///< [run][line]
  int64_t lines;
  ScanPass pass;

  TS_HD void operator()(int64_t number_of_item) const {
    const int64_t item = TS_MUTATE("IW11", number_of_item, number_of_item & 0xffff);
    const int64_t run = item / lines, number = item - run * lines;
    const auto line = elements.line(number);
    const int64_t begin = run * kScanColumnRun;
    const int64_t end = begin + kScanColumnRun < elements.length ? begin + kScanColumnRun : elements.length;
    const Acc carry = pass.carries && run > 0 ? totals[item - lines] : scanner.identity();
    Acc value = scanner.identity();
    int64_t i = begin;
    for (; i + kScanRun <= end; i += kScanRun) { // several loads on their way at once
      Acc element[kScanRun];
      TS_UNROLL_ON_DEVICE
      for (int k = 0; k < kScanRun; ++k) element[k] = elements.get(scanner, line, i + k);
      TS_UNROLL_ON_DEVICE
      for (int k = 0; k < kScanRun; ++k) {
        value = scanner.combine(value, element[k]);
        if (pass.apply) elements.put(scanner, line, i + k, scanner.combine(carry, value));
      }
    }
    for (; i < end; ++i) {
      value = scanner.combine(value, elements.get(scanner, line, i));
      if (pass.apply) elements.put(scanner, line, i, scanner.combine(carry, value));
    }
    if (!pass.apply) totals[item] = value;
  }
};

/// cumsum and cumprod scan with the reducers of sum and prod.
template <class Reducer> struct PlainScanner : Reducer {
  static constexpr bool kIndexed = false;
  using Acc = typename Reducer::Acc;

  /// A whole run of results that follow each other, to where it is aligned for RunElements.
  TS_HD void store_run(const Acc (&value)[kScanRun], std::byte* z) const {
    if constexpr (is_integer<Acc>) {
      store_as<int64_t>(value, z);
    } else if constexpr (std::is_same_v<Acc, float>) {
      switch (this->dtype) {
        case TS_DTYPE_F16: return store_as<Half>(value, z);
        case TS_DTYPE_BF16: return store_as<BFloat16>(value, z);
        default: return store_as<float>(value, z);
      }
    } else {
      store_as<double>(value, z);
    }
  }

private:
  template <class T> TS_HD static void store_as(const Acc (&value)[kScanRun], std::byte* z) {
    RunElements<T> run;
    TS_UNROLL_ON_DEVICE
    for (int i = 0; i < kScanRun; ++i) run.value[i] = convert<T>(value[i]);
    store_whole(run, z);
  }
};

/// cummax and cummin: the last of the largest keys so far. Zeros are equal, NaN wins.
template <class K> struct ExtremeScanner {
  static constexpr bool kIndexed = true;
  using Acc = KeyedIndex<K>;
  KeyRule<K> rule;

  template <class U> TS_HD Acc lift(U bits, int64_t index) const { return {rule.key(bits), index}; }
  TS_HD Acc identity() const { return {0, -1}; } // any element is after it
  TS_HD Acc combine(const Acc& a, const Acc& b) const {
    return a.key > b.key || (a.key == b.key && a.index > b.index) ? a : b;
  }
  /// An element as it is written: unchanged, but a bool as 0 or 1.
  template <class U> TS_HD U moved(U bits) const { return static_cast<U>(bits < rule.limit ? bits : rule.limit); }
};

/// A scan, pure: lines, their length and the tree.
struct ScanPlan {
  int64_t length;
  int64_t count; ///< of lines
  bool by_chunks;
  Plan lines;        ///< of x, z and indices
  int64_t stride[3]; ///< bytes along the axis
};

inline ScanPlan plan_scan(const Call& call) {
  const View& x = call.inputs[0].view;
  const int64_t axis = Attributes(call).integer(0);
  if (axis < 0 || axis >= x.rank) throw Refusal(TS_INVALID_ARGUMENT, "axis lies outside the operand");
  const View* views[3] = {&x, &call.outputs[0], &call.outputs[call.output_count - 1]};
  int64_t shape[TS_RANK_MAX] = {};
  int rank = 0;
  ScanPlan plan{};
  bool last = true;
  for (int a = 0; a < x.rank; ++a) {
    for (const View* view : views)
      if (view->rank != x.rank || view->shape[a] != x.shape[a])
        throw Refusal(TS_INVALID_ARGUMENT, "a result does not have the shape of the operand");
    if (a == axis) continue;
    if (a > axis && x.shape[a] != 1) last = false;
    shape[rank++] = x.shape[a];
  }
  plan.length = x.shape[axis];
  plan.by_chunks = last && plan.length > kScanColumnRun;
  plan.lines = begin_plan(rank, shape);
  plan.count = plan.lines.count;
  for (int k = 0; k < 3; ++k) {
    int64_t stride[TS_RANK_MAX] = {};
    int kept = 0;
    for (int a = 0; a < x.rank; ++a)
      if (a != axis) stride[kept++] = views[k]->stride[a];
    const int bytes = itemsize(views[k]->dtype);
    add_operand(plan.lines, stride, bytes);
    plan.stride[k] = plan.length == 1 ? 0 : views[k]->stride[axis] * bytes;
  }
  merge_axes(plan.lines);
  return plan;
}

/// Parts of a line of `length`.
inline int64_t scan_parts(const ScanPlan& plan, int64_t length) {
  return ceil_div(length, plan.by_chunks ? kScanChunk : kScanColumnRun);
}

/// Bytes of the totals of all levels.
inline uint64_t scan_workspace_of(const ScanPlan& plan, size_t accumulator_bytes) {
  uint64_t elements = 0;
  const int64_t whole = plan.by_chunks ? kScanLineChunks : 1; // parts of a line that needs no totals
  for (int64_t parts = scan_parts(plan, plan.length); parts > whole; parts = scan_parts(plan, parts))
    elements += static_cast<uint64_t>(plan.count) * static_cast<uint64_t>(parts);
  return elements * accumulator_bytes;
}

namespace detail {

template <class Scanner, class Elements, class Launcher>
void launch_scan(const ScanPlan& plan, const char* route, const Scanner& scanner, const Elements& elements,
                 typename Scanner::Acc* totals, ScanPass pass, Launcher& launcher) {
  const int64_t parts = scan_parts(plan, elements.length);
  if (plan.by_chunks) {
    const int64_t all = plan.count * parts;
    launcher.blocks(
        "scan_chunks", route, all,
        ScanChunks<Scanner, Elements>{scanner, elements, totals, parts, all, Quotient::of(parts, all), pass});
  } else {
    launcher.flat("scan_runs", route, plan.count * parts,
                  ScanRuns<Scanner, Elements>{scanner, elements, totals, plan.count, pass});
  }
}

/// True where every run of operand k (x or z) is whole aligned RunElements of `bytes` each.
inline bool runs_are_wide(const ScanPlan& plan, const std::byte* data, int k, int bytes) {
  const int run = bytes < 4 ? bytes * kScanRun : 16;
  bool wide = data != nullptr && plan.by_chunks && plan.stride[k] == bytes && is_aligned(data, run);
  for (int axis = 0; axis < plan.lines.rank; ++axis) wide = wide && plan.lines.stride[k][axis] % run == 0;
  return wide;
}

/// Scans a level: totals of its parts, the scan of those, then the level itself with their carries.
template <class Scanner, class Elements, class Launcher>
void scan_level(const ScanPlan& plan, const char* route, const char* total_route, const Scanner& scanner,
                const Elements& elements, typename Scanner::Acc* totals, Launcher& launcher) {
  using Acc = typename Scanner::Acc;
  const int64_t parts = scan_parts(plan, elements.length);
  if (plan.by_chunks && parts > 1 && parts <= kScanLineChunks) {
    launcher.blocks("scan_lines", route, plan.count, ScanLines<Scanner, Elements>{scanner, elements});
    return;
  }
  if (parts > 1) {
    launch_scan(plan, total_route, scanner, elements, totals, ScanPass{false, false}, launcher);
    const int64_t pitch = TS_MUTATE("TL11", plan.count, parts > kScanColumnRun ? 1 : plan.count);
    const ScanTotals<Acc> level{totals, plan.by_chunks ? parts : 1, plan.by_chunks ? 1 : pitch, parts};
    if (TS_MUTATE("AS12", true, false)) // else carries are read before they are published
      scan_level(plan, "carries", "carry_totals", scanner, level, totals + plan.count * parts, launcher);
  }
  launch_scan(plan, route, scanner, elements, totals, ScanPass{true, parts > 1}, launcher);
}

/// Calls visit(scanner, Type<element>{}) for the call's op and dtype, or refuses.
template <class Visit> void with_scanner(const Call& call, Visit&& visit) {
  const int32_t dtype = call.inputs[0].view.dtype;
  const int32_t result = call.outputs[0].dtype;
  switch (call.op) {
    case TS_OP_CUMSUM:
      with_dtype(dtype, [&](auto type) {
        using A = Accumulator<typename decltype(type)::type>;
        visit(PlainScanner<SumReducer<A>>{{result, 1, false}}, type);
      });
      return;
    case TS_OP_CUMPROD:
      with_dtype(dtype, [&](auto type) {
        using A = Accumulator<typename decltype(type)::type>;
        visit(PlainScanner<ProductReducer<A>>{{result}}, type);
      });
      return;
    case TS_OP_CUMMAX:
    case TS_OP_CUMMIN:
      with_bits(dtype, [&](auto type) {
        using K = KeyOf<typename decltype(type)::type>;
        const bool reverse = call.op == TS_OP_CUMMIN;
        visit(ExtremeScanner<K>{key_rule<K>(dtype, reverse, NanPlace::kWins)}, type);
      });
      return;
    default: throw Refusal(TS_UNSUPPORTED, "op " + std::to_string(call.op) + " is no scan");
  }
}

} // namespace detail

/// Bytes of workspace that scan() needs for this call; refuses as scan() would.
inline uint64_t scan_workspace(const Call& call) {
  const ScanPlan plan = plan_scan(call);
  uint64_t bytes = 0;
  detail::with_scanner(
      call, [&](auto scanner, auto) { bytes = scan_workspace_of(plan, sizeof(typename decltype(scanner)::Acc)); });
  return bytes;
}

/// cumsum cumprod cummax cummin: x along the axis of slot 0.
template <class Launcher> void scan(const Call& call, Launcher& launcher) {
  const ScanPlan plan = plan_scan(call);
  detail::with_scanner(call, [&](auto scanner, auto type) {
    using T = typename decltype(type)::type;
    using Acc = typename decltype(scanner)::Acc;
    if (call.workspace_bytes < scan_workspace_of(plan, sizeof(Acc)))
      throw Refusal(TS_INVALID_ARGUMENT, "the workspace is smaller than query asked for");
    if (plan.length == 0 || plan.count == 0) return;
    ScanElements<T> elements{};
    const Operand& x = call.inputs[0];
    elements.data = x.immediate ? nullptr : x.view.data;
    memcpy(&elements.immediate, &x.bits, sizeof(T));
    elements.out[0] = call.outputs[0].data;
    elements.out[1] = call.outputs[call.output_count - 1].data;
    elements.lines = Offsets<3>::of(plan.lines);
    for (int k = 0; k < 3; ++k) elements.stride[k] = plan.stride[k];
    elements.length = plan.length;
    elements.wide_in = detail::runs_are_wide(plan, elements.data, 0, itemsize(x.view.dtype));
    elements.wide_out = detail::runs_are_wide(plan, elements.out[0], 1, itemsize(call.outputs[0].dtype));
    detail::scan_level(plan, "elements", "totals", scanner, elements, reinterpret_cast<Acc*>(call.workspace), launcher);
  });
}

} // namespace ts::kernels
