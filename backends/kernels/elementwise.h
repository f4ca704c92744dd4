// Elementwise operations: one output, up to three inputs, every element by itself. Three tasks serve every layout: DenseTask
// where all operands are dense or one value (in wide pieces where aligned), SquareTask where they are dense along different
// axes, StridedTask for the rest.
#pragma once

#include "backends/kernels/attributes.h"
#include "backends/kernels/elementwise_parts.h"
#include "backends/kernels/elementwise_source.h"
#include "backends/kernels/functors.h"
#include "backends/kernels/offsets.h"
#include "backends/kernels/squares.h"
#include "backends/kernels/whole.h"

#include <algorithm>
#include <utility>

#if defined(__clang__)
#define TS_VECTORIZE _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__) && !defined(__CUDACC__)
#define TS_VECTORIZE _Pragma("GCC ivdep")
#else
#define TS_VECTORIZE
#endif

namespace ts::kernels {

template <class F, class = void> inline constexpr bool is_heavy = false;
template <class F> inline constexpr bool is_heavy<F, std::enable_if_t<F::kHeavy>> = true;

/// All operands dense or single. A work item does kPacks packs of kWidth elements, 16 bytes of the widest operand each, and asks
/// for all before it computes. The items of a group, a block of a device, share kPacks strips of memory, so that neighbours in a
/// group are neighbours in a strip.
template <class F, class Out, class... In> struct DenseTask {
  static constexpr int kInputs = sizeof...(In);
  static constexpr size_t kWidest = std::max({sizeof(Out), sizeof(In)...});
  static constexpr int kWidth = static_cast<int>(16 / kWidest);
  /// Two, where 16 bytes an item would leave memory waiting: much to compute, or too few items on a processor at once. Elsewhere a
  /// device was seen to be faster by one.
  static constexpr int kPacks = kWidest == 4 && !is_heavy<F> ? 1 : 2;
  static constexpr int64_t kGroup = kFlatThreads;
  static constexpr int64_t kStrip = kGroup * kWidth; ///< elements
  template <class T> struct alignas(sizeof(T) * kWidth) Pack { T value[kWidth]; };

  F f;
  Out* out;
  int64_t count;
  int32_t wide; ///< every dense operand is aligned for Pack
  Source in[kInputs > 0 ? kInputs : 1];

  static int64_t items(int64_t count) {
    const int64_t packs = ceil_div(count, kWidth), rest = packs % (kPacks * kGroup);
    return (packs - rest) / kPacks + std::min(rest, kGroup);
  }

  TS_HD void operator()(int64_t item) const {
    const int64_t lane = item & (kGroup - 1),
                  begin = (item - lane) * static_cast<int64_t>(kPacks * kWidth) + lane * kWidth;
    const int packs = wide == 0 || begin + kWidth > count ? 0 : kPacks == 1 || begin + kStrip + kWidth > count ? 1 : 2;
    if (packs > 0) loaded(begin, packs, std::make_index_sequence<kInputs>{});
    TS_UNROLL_NOT
    for (int k = packs; k < kPacks; ++k) {
      const int64_t first = begin + k * kStrip;
      single(first, first + kWidth < count ? first + kWidth : count, std::make_index_sequence<kInputs>{});
    }
  }

#if !defined(__CUDACC__) // nvcc's host pass loses the template arguments of Stretch
  /// As many elements as the items [begin, end) do, in order, for a host: plain loops over short stretches, which a compiler
  /// vectorizes. Ranges of items that are all items together do every element once.
  void span(int64_t begin, int64_t end) const {
    constexpr int64_t kEach = int64_t{kPacks} * kWidth;
    const int64_t last = std::min(end * kEach, TS_MUTATE("TL05", count, count / kWidth * kWidth));
    stretches(begin * kEach, std::min(last, TS_MUTATE("IW12", count, std::min<int64_t>(count, 1 << 16))),
              std::make_index_sequence<kInputs>{});
  }
#endif

private:
  static constexpr int kStretch = 256;

  // A pack stays in the words it came in until it is used: taking it apart would wait for it.
  template <class T> using Words = RawWords<sizeof(Pack<T>)>;

  template <class T> TS_HD static Words<T> load(const Source& source, int64_t begin) {
    if (source.dense != 0) return load_whole<Words<T>>(source.data + begin * static_cast<int64_t>(sizeof(T)));
    Pack<T> pack;
    const T value = source.template single<T>();
    for (int j = 0; j < kWidth; ++j) pack.value[j] = value;
    return ts::detail::bit_cast<Words<T>>(pack);
  }
  template <size_t... k> TS_HD void loaded(int64_t begin, int packs, std::index_sequence<k...>) const {
    if constexpr (kPacks == 1) {
      compute(begin, load<In>(in[k], begin)...);
    } else {
      [[maybe_unused]] const int64_t second = packs == 2 ? begin + kStrip : begin;
      compute_both(begin, packs, load<In>(in[k], begin)..., load<In>(in[k], second)...);
    }
  }
  TS_HD void compute(int64_t begin, const Words<In>&... pack) const {
    Pack<Out> result;
    apply_all(result, ts::detail::bit_cast<Pack<In>>(pack)...);
    store_whole(ts::detail::bit_cast<Words<Out>>(result), reinterpret_cast<std::byte*>(out + begin));
  }
  TS_HD void compute_both(int64_t begin, int packs, Words<In>... now, Words<In>... next) const {
    TS_UNROLL_NOT
    for (int k = 0; k < packs; ++k, begin += kStrip) {
      compute(begin, now...);
      ((now = next), ...);
    }
  }
  TS_HD void apply_all(Pack<Out>& result, const Pack<In>&... pack) const {
    for (int j = 0; j < kWidth; ++j) result.value[j] = apply<Out>(f, pack.value[j]...);
  }

  template <size_t... k> TS_HD void single(int64_t begin, int64_t end, std::index_sequence<k...>) const {
    TS_UNROLL_NOT
    for (int64_t i = begin; i < end; ++i) out[i] = apply<Out>(f, in[k].template at<In>(i)...);
  }

#if !defined(__CUDACC__)
  // A single input fills a stretch once, so that one loop serves every mixture of dense and single inputs.
  template <class T> struct Stretch {
    T value[kStretch];
    const T* data;
    bool dense;

    Stretch(const Source& source, int64_t begin, int64_t size) : dense(source.dense != 0) {
      data = dense ? reinterpret_cast<const T*>(source.data) + begin : value;
      if (dense) return;
      const T one = source.template single<T>();
      for (int64_t j = 0; j < std::min<int64_t>(size, kStretch); ++j) value[j] = one;
    }
    const T* next() {
      const T* current = data;
      if (dense) data += kStretch;
      return current;
    }
  };

  template <size_t... k> void stretches(int64_t begin, int64_t end, std::index_sequence<k...>) const {
    run(begin, end, Stretch<In>(in[k], begin, end - begin)...);
  }
  void run(int64_t begin, int64_t end, Stretch<In>... x) const {
    for (int64_t at = begin; at < end; at += kStretch)
      loop(out + at, std::min<int64_t>(kStretch, end - at), x.next()...);
  }
  void loop(Out* z, int64_t size, const In*... x) const {
    const F g = f;
    // z may be one of the inputs, never a shifted part of one.
    TS_VECTORIZE
    for (int64_t j = 0; j < size; ++j) z[j] = apply<Out>(g, x[j]...);
  }
#endif
};

/// Any layout: one element per work item, found by dividing its linear index.
template <class F, class Out, class... In> struct StridedTask {
  static constexpr int kInputs = sizeof...(In);

  F f;
  std::byte* out;
  Source in[kInputs > 0 ? kInputs : 1];
  Offsets<1 + kInputs> offsets;

  TS_HD void operator()(int64_t item) const { element(item, std::make_index_sequence<kInputs>{}); }

  /// The items [begin, end) at once, for a host: it divides once, then counts up, line by line of the last axis.
  void span(int64_t begin, int64_t end) const {
    int64_t index[TS_RANK_MAX] = {}, offset[1 + kInputs];
    int64_t rest = begin;
    for (int axis = offsets.rank - 1; axis >= 0; --axis) {
      index[axis] = rest % offsets.shape[axis];
      rest /= offsets.shape[axis];
    }
    const int last = offsets.rank - 1;
    for (int64_t item = begin; item < end;) {
      for (int k = 0; k <= kInputs; ++k) {
        offset[k] = 0;
        for (int axis = 0; axis < offsets.rank; ++axis) offset[k] += index[axis] * offsets.stride[k][axis];
      }
      const int64_t size = last < 0 ? 1 : std::min(end - item, offsets.shape[last] - index[last]);
      line(offset, size, last, std::make_index_sequence<kInputs>{});
      item += size;
      if (last < 0) return;
      index[last] += size;
      for (int axis = last; axis > 0 && index[axis] == offsets.shape[axis]; --axis) {
        index[axis] = 0;
        ++index[axis - 1];
      }
    }
  }

private:
  template <class T> struct Walk {
    T immediate;
    const std::byte* data; ///< null for an immediate
    int64_t step;

    T at(int64_t j) const { return data == nullptr ? immediate : *reinterpret_cast<const T*>(data + j * step); }
  };
  template <class T> static Walk<T> walk(const Source& source, int64_t offset, int64_t step) {
    if (source.data == nullptr) return {source.single<T>(), nullptr, 0};
    return {T{}, source.data + offset, step};
  }
  int64_t step_of(int k, int last) const { return last < 0 ? 0 : offsets.stride[k][last]; }

  template <size_t... k>
  void line(const int64_t (&offset)[1 + kInputs], int64_t size, int last, std::index_sequence<k...>) const {
    run(out + offset[0], size, step_of(0, last),
        walk<In>(in[k], offset[1 + k], step_of(1 + static_cast<int>(k), last))...);
  }
  void run(std::byte* z, int64_t size, int64_t step, Walk<In>... x) const {
    const F g = f;
    for (int64_t j = 0; j < size; ++j) *reinterpret_cast<Out*>(z + j * step) = apply<Out>(g, x.at(j)...);
  }

  template <class T> TS_HD static T load(const Source& source, int64_t offset) {
    return source.data == nullptr ? source.single<T>() : *reinterpret_cast<const T*>(source.data + offset);
  }
  template <size_t... k> TS_HD void element(int64_t item, std::index_sequence<k...>) const {
    int64_t offset[1 + kInputs];
    offsets.at(TS_MUTATE("IW16", item, item & 0xffff), offset);
    *reinterpret_cast<Out*>(out + offset[0]) = apply<Out>(f, load<In>(in[k], offset[1 + k])...);
  }
};

/// The plan of a call whose elements do not depend on order: output first, inputs after it.
inline Plan elementwise_plan(const Call& call) {
  Plan plan = begin_plan(call.outputs[0].rank, call.outputs[0].shape);
  add_operand(plan, call.outputs[0].stride, itemsize(call.outputs[0].dtype));
  for (int k = 0; k < call.input_count; ++k)
    add_operand(plan, call.inputs[k].view.stride, itemsize(call.inputs[k].view.dtype));
  drop_unit_axes(plan);
  sort_axes(plan);
  merge_axes(plan);
  return plan;
}

/// Launches one functor over the operands of a call.
template <class Out, class... In, class F, class Launcher>
void launch_elementwise(const char* kernel, const F& f, const Call& call, Launcher& launcher) {
  using Dense = DenseTask<F, Out, In...>;
  const Plan plan = elementwise_plan(call);
  if (plan.count == 0) return;
  constexpr int kInputs = sizeof...(In);
  constexpr int kSizes[] = {static_cast<int>(sizeof(Out)), static_cast<int>(sizeof(In))...};
  std::byte* const out = call.outputs[0].data;

  Source sources[kInputs > 0 ? kInputs : 1] = {};
  bool all_dense = is_dense(plan, 0, kSizes[0]);
  bool wide = is_aligned(out, kSizes[0] * Dense::kWidth);
  for (int k = 0; k < kInputs; ++k) {
    const Operand& operand = call.inputs[k];
    const bool single = operand.immediate || is_single(plan, k + 1);
    sources[k] = {operand.immediate ? nullptr : operand.view.data, operand.bits, single ? 0 : 1};
    if (single) continue;
    all_dense = all_dense && is_dense(plan, k + 1, kSizes[k + 1]);
    wide = wide && is_aligned(operand.view.data, kSizes[k + 1] * Dense::kWidth);
  }
  if (all_dense) {
    Dense task{f, reinterpret_cast<Out*>(out), plan.count, wide ? 1 : 0, {}};
    std::copy(std::begin(sources), std::end(sources), task.in);
    launcher.flat(kernel, wide ? "vector" : "contiguous", Dense::items(plan.count), task);
    return;
  }
  if constexpr (kInputs > 0) {
    using Squares = SquareTask<F, Out, In...>;
    if (const int across = square_axis(plan); across >= 0) {
      const Squares task = Squares::of(f, out, sources, plan, across);
      launcher.flat(kernel, "squares", task.items(), task);
      return;
    }
  }
  StridedTask<F, Out, In...> task{f, out, {}, Offsets<1 + kInputs>::of(plan)};
  std::copy(std::begin(sources), std::end(sources), task.in);
  launcher.flat(kernel, "strided", plan.count, task);
}

/// A functor of a row, with its attributes bound where it has some; D is the element type of the first input.
template <class F, class D> auto bound_functor(const Call& call) {
  if constexpr (requires { F::template bind<D>(Attributes(call)); })
    return F::template bind<D>(Attributes(call));
  else
    return F{};
}

/// True for a call of these dtypes, output first.
template <class... Dtype> bool has_dtypes(const Call& call, int32_t out, Dtype... in) {
  int k = 0;
  return call.outputs[0].dtype == out && ((call.inputs[k++].view.dtype == in) && ...);
}

template <int kPart, class Launcher> bool elementwise_part(const Call& call, Launcher& launcher) {
#define TS_RUN(name, Name, id, First, dtypes, ...)                                                                     \
  if constexpr (id % kElementwiseParts == kPart) {                                                                     \
    if (call.op == id && has_dtypes dtypes) {                                                                          \
      launch_elementwise<__VA_ARGS__>(#name, bound_functor<Name, First>(call), call, launcher);                        \
      return true;                                                                                                     \
    }                                                                                                                  \
  }
#define TS_ELEMENTWISE_1(name, Name, id, attributes, Out, A, out, a) TS_RUN(name, Name, id, A, (call, out, a), Out, A)
#define TS_ELEMENTWISE_2(name, Name, id, attributes, Out, A, B, out, a, b)                                             \
  TS_RUN(name, Name, id, A, (call, out, a, b), Out, A, B)
#define TS_ELEMENTWISE_3(name, Name, id, attributes, Out, A, B, C, out, a, b, c)                                       \
  TS_RUN(name, Name, id, A, (call, out, a, b, c), Out, A, B, C)
#include "spec/generated/elementwise.inc"
#undef TS_RUN
  return false;
}

} // namespace ts::kernels
