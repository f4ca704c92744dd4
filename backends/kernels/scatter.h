// The scatter family: elements or slices of a source put into x along one axis, where an index says.
//
// scatter is the same on every backend though places may be named often: first every item bids for its place with its
// own number, the largest wins, then winners write. The others combine into x atomically, in any order.
#pragma once

#include "backends/kernels/indexing.h"
#include "backends/kernels/math.h"
#include "backends/kernels/sort_keys.h"
#include "backends/kernels/wrong.h"

namespace ts::kernels {

/// Walk, index and axis: what every scatter task sees.
struct ScatterWalk {
  IndexOperand index;
  IndexedAxis axis;
  Offsets<4> walk; ///< of index, x, source and places
  int64_t place_stride;

  struct Target {
    int64_t x, source, place;
    bool inside;
  };
  TS_HD Target target(int64_t item) const {
    int64_t offset[4];
    walk.at(item, offset);
    const int64_t position = index.at(offset[0]);
    if (!axis.holds(position, item)) return {0, 0, 0, false};
    return {offset[1] + position * axis.stride, offset[2], offset[3] + position * place_stride, true};
  }
};

/// Nobody has bid for a place yet.
struct ScatterReset {
  int64_t* winner;
  TS_HD void operator()(int64_t place) const { winner[place] = -1; }
};

/// The last item bids most.
TS_HD int64_t scatter_bid(int64_t item) { return TS_MUTATE("IX03", item, INT64_MAX - item); }

/// Item i bids for its place.
struct ScatterBid {
  ScatterWalk walk;
  int64_t* winner;
  TS_HD void operator()(int64_t item) const {
    const ScatterWalk::Target target = walk.target(item);
    if (target.inside) atomic_max(winner + target.place, scatter_bid(item));
  }
};

/// An element or an immediate.
template <class T> struct ScatterSource {
  const std::byte* data;
  T immediate;
  TS_HD T at(int64_t offset) const { return data == nullptr ? immediate : *reinterpret_cast<const T*>(data + offset); }
};

/// The winner of a place writes. // scatter.2
template <class U> struct ScatterWrite {
  ScatterWalk walk;
  const int64_t* winner;
  ScatterSource<U> source;
  std::byte* x;
  U limit; ///< 1 for bool, which is written as 0 or 1
  TS_HD void operator()(int64_t item) const {
    const ScatterWalk::Target target = walk.target(item);
    if (!target.inside || winner[target.place] != scatter_bid(item)) return;
    const U bits = source.at(target.source);
    *reinterpret_cast<U*>(x + target.x) = bits < limit ? bits : limit;
  }
};

/// How an update combines with what is there.
enum class Combine : int32_t { kAdd, kMultiply, kMax, kMin };

/// One update of one element, rounded to its dtype.
template <class T> TS_HD T combine_elements(Combine how, T a, T b) {
  if constexpr (is_bool<T>) {
    const bool both = how == Combine::kMultiply || how == Combine::kMin;
    return Bool::of(both ? static_cast<bool>(a) && static_cast<bool>(b) : static_cast<bool>(a) || static_cast<bool>(b));
  } else if constexpr (is_floating<T>) {
    using C = Compute<T>;
    const C x = a, y = b;
    if (how == Combine::kAdd) return convert<T>(x + y);
    if (how == Combine::kMultiply) return convert<T>(x * y);
    if (x != x || y != y) return x != x ? a : b;
    if (x == y) return math::sign_bit(x) == (how == Combine::kMin) ? a : b; // zeros of either sign
    return (x > y) == (how == Combine::kMax) ? a : b;
  } else {
    using W = math::Wrap<T>;
    if (how == Combine::kAdd) return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
    if (how == Combine::kMultiply) return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
    return (a > b) == (how == Combine::kMax) ? a : b;
  }
}

template <class T> struct ScatterUpdate {
  ScatterWalk walk;
  ScatterSource<T> source;
  std::byte* x;
  Combine how;
  TS_HD void operator()(int64_t item) const {
    const ScatterWalk::Target target = walk.target(item);
    if (!target.inside) return;
    const T value = source.at(target.source);
    T* element = reinterpret_cast<T*>(x + target.x);
    const Combine combine = how;
    if constexpr (has_atomic_add<T>) {
      if (combine == Combine::kAdd) return atomic_add(element, value);
    }
    atomic_update(element, [combine, value](T old) {
      return combine_elements(combine, TS_MUTATE("IX17", old, wrong::number_of_bits(old)), value);
    });
  }
};

namespace detail {

inline IndexingPlan plan_scatter(const Call& call) {
  const View& x = call.outputs[0];
  const int64_t axis = Attributes(call).integer(0);
  check_index(call.inputs[0], x, axis);
  if (call.inputs[1].view.dtype != x.dtype) throw Refusal(TS_UNSUPPORTED, "the source has the dtype of the operand");
  return plan_indexing(x, call.inputs[0].view, call.inputs[1].view, static_cast<int>(axis), call.op == TS_OP_INDEX_ADD);
}

template <class T> ScatterSource<T> scatter_source(const Operand& source) {
  ScatterSource<T> found{source.immediate ? nullptr : source.view.data, T{}};
  memcpy(&found.immediate, &source.bits, sizeof(T));
  return found;
}

inline uint64_t winner_bytes(const Call& call, const IndexingPlan& plan) {
  if (call.op != TS_OP_SCATTER || plan.walk.count == 0) return 0;
  return static_cast<uint64_t>(plan.region) * sizeof(int64_t);
}

template <class Launcher>
void scatter_last(const Call& call, const ScatterWalk& walk, const IndexingPlan& plan, Launcher& launcher) {
  auto* winner = reinterpret_cast<int64_t*>(call.workspace);
  launcher.flat("scatter", "reset", plan.region, ScatterReset{winner});
  launcher.flat("scatter", "bid", plan.walk.count, ScatterBid{walk, winner});
  const int32_t dtype = call.outputs[0].dtype;
  with_bits(dtype, [&](auto type) {
    using U = typename decltype(type)::type;
    const U limit = dtype == TS_DTYPE_BOOL ? U{1} : static_cast<U>(~U{0});
    launcher.flat("scatter", "write", plan.walk.count,
                  ScatterWrite<U>{walk, winner, scatter_source<U>(call.inputs[1]), call.outputs[0].data, limit});
  });
}

inline Combine scatter_combine(int32_t op) {
  switch (op) {
    case TS_OP_SCATTER_MUL: return Combine::kMultiply;
    case TS_OP_SCATTER_MAX: return Combine::kMax;
    case TS_OP_SCATTER_MIN: return Combine::kMin;
    default: return Combine::kAdd;
  }
}

} // namespace detail

/// Bytes of workspace that scatter() needs for this call; refuses as scatter() would.
inline uint64_t scatter_workspace(const Call& call) { return detail::winner_bytes(call, detail::plan_scatter(call)); }

/// scatter scatter_add scatter_mul scatter_max scatter_min index_add: source into x by index along the axis of slot 0.
template <class Launcher> void scatter(const Call& call, Launcher& launcher) {
  IndexingPlan plan = detail::plan_scatter(call);
  if (call.workspace_bytes < detail::winner_bytes(call, plan))
    throw Refusal(TS_INVALID_ARGUMENT, "the workspace is smaller than query asked for");
  if (plan.walk.count == 0) return;
  plan.axis.fault = launcher.fault();
  const ScatterWalk walk{detail::index_operand(call.inputs[0]), plan.axis, Offsets<4>::of(plan.walk),
                         plan.place_stride};
  if (call.op == TS_OP_SCATTER) {
    detail::scatter_last(call, walk, plan, launcher);
  } else {
    with_dtype(call.outputs[0].dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      launcher.flat("scatter", plan.axis.count == 0 ? "update_elements" : "update_slices", plan.walk.count,
                    ScatterUpdate<T>{walk, detail::scatter_source<T>(call.inputs[1]), call.outputs[0].data,
                                     detail::scatter_combine(call.op)});
    });
  }
  detail::launch_report(call.inputs[0], plan.axis, 0, launcher);
}

} // namespace ts::kernels
