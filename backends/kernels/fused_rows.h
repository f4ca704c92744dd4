// The tasks of fused operations: rows that a block or a team of its threads holds in registers, read once and written once; and the
// last launch over rows whose facts a reduction found before.
#pragma once

#include "backends/kernels/fused_rules.h"

namespace ts::kernels {

/// The operands of a fused operation, x first, and its result. `kept` walks the rows, `along` the elements of a row, in bytes
/// of each operand and, last, of the result.
template <class T, int kOperands> struct FusedElements {
  using A = Accumulator<T>;
  const std::byte* data[kOperands]; ///< null for an immediate
  T immediate[kOperands];
  std::byte* z;
  Offsets<kOperands + 1> kept;
  Offsets<kOperands + 1> along;
  int64_t length;
  bool wide[kOperands + 1]; ///< elements of a row follow each other and every fourth is aligned for FourElements

  /// Byte offsets of a row's first elements.
  struct Row {
    int64_t base[kOperands + 1];
  };

  TS_HD Row row(int64_t number) const {
    Row found;
    kept.at(number, found.base);
    return found;
  }
  /// True where four elements of any operand, and of the result, are one access: nothing else has to be compiled.
  bool whole() const {
    bool all = length % kReduceLanes == 0;
    for (int k = 0; k <= kOperands; ++k) all = all && wide[k];
    return all;
  }
  /// Elements first .. first + 3 of operand k, `count` of them.
  template <bool kWhole>
  TS_HD void load_four(int k, const Row& row, int64_t first, int count, A (&value)[kReduceLanes]) const {
    if (kWhole || (wide[k] && count == kReduceLanes)) {
      if (kWhole && count == 0) return;
      const auto four = load_whole<FourElements<T>>(data[k] + row.base[k] + first * static_cast<int64_t>(sizeof(T)));
      TS_UNROLL
      for (int j = 0; j < kReduceLanes; ++j) value[j] = accumulate(four.value[j]);
      return;
    }
    TS_UNROLL
    for (int j = 0; j < kReduceLanes; ++j) {
      if (j >= count) break;
      const T element =
          data[k] == nullptr ? immediate[k] : *reinterpret_cast<const T*>(data[k] + place(k, row, first + j));
      value[j] = accumulate(element);
    }
  }
  /// Writes four results, or `count` of them.
  template <bool kWhole>
  TS_HD void store_four(const Row& row, int64_t first, int count, const A (&value)[kReduceLanes]) const {
    if (kWhole || (wide[kOperands] && count == kReduceLanes)) {
      FourElements<T> four = {};
      TS_UNROLL
      for (int j = 0; j < kReduceLanes; ++j) four.value[j] = convert<T>(value[j]);
      store_whole(four, z + row.base[kOperands] + first * static_cast<int64_t>(sizeof(T)));
      return;
    }
    TS_UNROLL
    for (int j = 0; j < kReduceLanes; ++j) {
      if (j >= count) break;
      *reinterpret_cast<T*>(z + place(kOperands, row, first + j)) = convert<T>(value[j]);
    }
  }

private:
  // Rare, and needed at many places of an unrolled row.
  TS_HD_APART int64_t place(int k, const Row& row, int64_t index) const {
    if (along.rank == 1) return row.base[k] + index * along.stride[k][0];
    int64_t offset[kOperands + 1];
    along.at(index, offset);
    int64_t found = 0;
    TS_UNROLL
    for (int i = 0; i <= kOperands; ++i) found = i == k ? offset[i] : found;
    return row.base[k] + found;
  }
};

/// How many of the four elements from `first` on lie below length.
TS_HD int four_count(int64_t first, int64_t length) {
  const int64_t left = length - first;
  return left <= 0 ? 0 : left < kReduceLanes ? static_cast<int>(left) : kReduceLanes;
}

/// Four results from their items and what the other operands hold there.
template <bool kWhole, class Rule, class T>
TS_HD void finish_four(const Rule& rule, const FusedElements<T, Rule::kOperands>& elements,
                       const typename FusedElements<T, Rule::kOperands>::Row& row, const typename Rule::Facts& facts,
                       int64_t first, int count, const Accumulator<T> (&item)[kReduceLanes]) {
  using A = Accumulator<T>;
  constexpr int kOperands = Rule::kOperands;
  A other[kOperands][kReduceLanes] = {};
  TS_UNROLL
  for (int k = 1; k < kOperands; ++k) elements.template load_four<kWhole>(k, row, first, count, other[k]);
  A value[kReduceLanes] = {};
  TS_UNROLL
  for (int j = 0; j < kReduceLanes; ++j) {
    if (!kWhole && j >= count) break;
    A operand[kOperands] = {};
    TS_UNROLL
    for (int k = 1; k < kOperands; ++k) operand[k] = other[k][j];
    operand[0] = item[j];
    value[j] = rule.result(item[j], facts, operand);
  }
  elements.template store_four<kWhole>(row, first, count, value);
}

inline constexpr int64_t kFusedChunk = kReduceChunk; ///< elements that a block holds a run of 16 each of

/// Rows of up to kRuns chunks, a team of 2^width_log2 threads each. kWhole: FusedElements::whole. // execution.34
template <class Rule, class T, int kRuns, bool kWhole> struct FusedRows {
  using A = Accumulator<T>;
  using Facts = typename Rule::Facts;
  using Elements = FusedElements<T, Rule::kOperands>;
  static constexpr int kThreads = kReduceThreads;
  static constexpr int kHeldBytes = kRuns * static_cast<int>(sizeof(A)); ///< by a thread, of each of its items
  static constexpr int kMinBlocks = kHeldBytes <= 4 ? 4 : kHeldBytes <= 8 && kWhole && sizeof(A) == 4 ? 3 : 2;
  struct First {};
  struct Second {};
  struct Write {};
  using Phases = std::conditional_t<Rule::kTwoPasses, Sequence<ReduceTeams<First>, ReduceTeams<Second>, Once<Write>>,
                                    Sequence<ReduceTeams<First>, Once<Write>>>;
  struct Shared {
    Facts facts[kThreads];
  }; // of each team
  struct Local {
    A item[kRuns][kReduceRun];
  };

  Rule rule;
  Elements elements;
  int64_t rows;
  int32_t width_log2;

  TS_HD int64_t blocks() const { return ceil_div(rows, kThreads >> width_log2); }
  TS_HD int team(const At& at) const { return at.thread >> width_log2; }
  TS_HD int64_t row(const At& at) const { return at.block * (kThreads >> width_log2) + team(at); }
  /// The first element of a thread's run in a chunk, and the distance of its parts.
  TS_HD int64_t first(const At& at, int run) const {
    return run * kFusedChunk + static_cast<int64_t>((at.thread & ((1 << width_log2) - 1)) * kReduceLanes);
  }
  TS_HD int pitch() const { return kReduceLanes << width_log2; }
  TS_HD int64_t length() const {
    return TS_MUTATE("FU05", elements.length, elements.length > 256 ? elements.length & ~int64_t{3} : elements.length);
  }

  TS_HD int32_t team_log2(First) const { return width_log2; }
  TS_HD int32_t team_log2(Second) const { return width_log2; }

  TS_HD typename Rule::First give(First, const At& at, Shared&, Local& local) const {
    typename Rule::First total = rule.first_identity();
    const int64_t number = row(at);
    if (number >= rows) return total;
    const auto from = elements.row(number);
    // All loads of a thread are on their way before the first value is looked at.
    TS_UNROLL
    for (int run = 0; run < kRuns; ++run) {
      TS_UNROLL
      for (int v = 0; v < kReduceRun / kReduceLanes; ++v) {
        const int64_t start = first(at, run) + v * pitch();
        A four[kReduceLanes] = {};
        const int count = four_count(start, elements.length);
        elements.template load_four<kWhole>(0, from, start, count, four);
        TS_UNROLL
        for (int j = 0; j < kReduceLanes; ++j)
          if (kWhole || j < count) local.item[run][v * kReduceLanes + j] = four[j];
      }
    }
    TS_UNROLL
    for (int run = 0; run < kRuns; ++run) {
      const int count = run_count(first(at, run), pitch(), length());
      const typename Rule::First value = rule.first_run(local.item[run], count);
      total = run == 0 ? value : rule.first_combine(total, value);
    }
    return total;
  }
  TS_HD typename Rule::First combine(First, const typename Rule::First& a, const typename Rule::First& b) const {
    return rule.first_combine(a, b);
  }
  TS_HD void take(First, const At& at, const typename Rule::First& total, Shared& shared, Local&) const {
    if (row(at) < rows) rule.first_settle(total, shared.facts[team(at)]);
  }

  TS_HD typename Rule::Second give(Second, const At& at, Shared& shared, Local& local) const {
    typename Rule::Second total = rule.second_identity();
    if (row(at) >= rows) return total;
    const Facts facts = shared.facts[team(at)];
    TS_UNROLL
    for (int run = 0; run < kRuns; ++run) {
      const int count = run_count(first(at, run), pitch(), length());
      const typename Rule::Second value = rule.second_run(local.item[run], count, facts);
      total = run == 0 ? value : rule.second_combine(total, value);
    }
    return total;
  }
  TS_HD typename Rule::Second combine(Second, const typename Rule::Second& a, const typename Rule::Second& b) const {
    return rule.second_combine(a, b);
  }
  TS_HD void take(Second, const At& at, const typename Rule::Second& total, Shared& shared, Local&) const {
    if (row(at) < rows) rule.second_settle(total, shared.facts[team(at)]);
  }

  TS_HD void operator()(Write, const At& at, Shared& shared, Local& local) const {
    const int64_t number = row(at);
    if (number >= rows) return;
    const auto from = elements.row(number);
    const Facts facts = shared.facts[team(at)];
    TS_UNROLL
    for (int run = 0; run < kRuns; ++run) {
      TS_UNROLL
      for (int v = 0; v < kReduceRun / kReduceLanes; ++v) {
        const int64_t start = first(at, run) + v * pitch();
        const int count = four_count(start, elements.length);
        if (count == 0) continue;
        A item[kReduceLanes] = {};
        TS_UNROLL
        for (int j = 0; j < kReduceLanes; ++j)
          if (kWhole || j < count) item[j] = local.item[run][v * kReduceLanes + j];
        finish_four<kWhole, Rule, T>(rule, elements, from, facts, start, count, item);
      }
    }
  }
};

/// The last launch over rows whose facts are known: a work item makes four results of one row.
template <class Rule, class T> struct FusedApply {
  using A = Accumulator<T>;
  using Facts = typename Rule::Facts;

  Rule rule;
  FusedElements<T, Rule::kOperands> elements;
  const Facts* facts; ///< of each row
  int64_t rows;
  int64_t fours; ///< work items of a row
  bool by_rows;  ///< neighbouring items are of one row, else of one place in neighbouring rows

  TS_HD void operator()(int64_t item) const {
    const int64_t minor = by_rows ? fours : rows, outer = item / minor, inner = item - outer * minor;
    const int64_t number = by_rows ? outer : inner, start = (by_rows ? inner : outer) * kReduceLanes;
    const auto from = elements.row(number);
    const Facts known = facts[number];
    const int count = four_count(start, elements.length);
    A value[kReduceLanes] = {};
    elements.template load_four<false>(0, from, start, count, value);
    TS_UNROLL
    for (int j = 0; j < kReduceLanes; ++j)
      if (j < count) value[j] = rule.prepared(value[j], known);
    finish_four<false, Rule, T>(rule, elements, from, known, start, count, value);
  }
};

} // namespace ts::kernels
