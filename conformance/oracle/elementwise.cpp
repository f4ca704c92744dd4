// Element by element over operands of one shape; also fill, whose value comes from an attribute alone.
#include "conformance/oracle/families.h"

#include <array>
#include <cmath>
#include <unordered_map>

namespace ts::judge {
namespace {

/// Results in MPFR by operand bits, for one instance and one set of attributes: the erfc of a value costs as much as a
/// thousand sums, and layouts, routes and backends ask for the same values again.
class Memory {
public:
  using Key = std::array<uint64_t, 3>;

  /// The memory of this call's instance and attributes; lives until another is asked for.
  static Memory& of(const Call& call) {
    thread_local std::unordered_map<std::string, Memory> memories;
    thread_local size_t calls = 0;
    if (++calls % 4096 == 0) memories.clear(); // bounds what a long run keeps
    std::string name = call.op->name + " " + call.op->hash + " " + call.instance->text();
    for (const auto& [key, value] : call.attributes) {
      const Array real = Array::of(TS_DTYPE_F64, {}, {value.real});
      name += " " + key + std::to_string(value.kind) + std::to_string(value.integer) + real.hex(0);
    }
    return memories[name];
  }

  struct Entry {
    uint64_t bits;
    Rounded rounded;
  };
  const Entry* find(const Key& key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
  }
  void keep(const Key& key, const Entry& entry) {
    if (entries_.size() < kEntriesMax) entries_.emplace(key, entry);
  }

private:
  static constexpr size_t kEntriesMax = 1 << 17;
  struct Hash {
    size_t operator()(const Key& key) const {
      uint64_t h = 0;
      for (uint64_t word : key) h = (h ^ word) * 0x9e3779b97f4a7c15ULL ^ (h >> 29);
      return h;
    }
  };
  std::unordered_map<Key, Entry, Hash> entries_;
};

void evaluate_all(const Call& call, const std::vector<Broadcast>& places, Array& out, Bounds& bounds) {
  const int64_t count = out.count();
  int64_t i = 0;
  const Position position = [&](int64_t, int operand) { return places[static_cast<size_t>(operand)](i); };
  Evaluator evaluator(call, call.op->oracle, out.dtype);
  const bool remember = evaluator.is_slow() && !call.op->hash.empty() && call.inputs.size() <= 3;
  Memory* memory = remember ? &Memory::of(call) : nullptr;
  for (i = 0; i < count; ++i) {
    Memory::Key key{};
    if (memory != nullptr) {
      for (size_t k = 0; k < places.size(); ++k) key[k] = call.inputs[k].bits(places[k](i));
      if (const Memory::Entry* known = memory->find(key); known != nullptr) {
        out.set_bits(i, known->bits);
        record(bounds, i, count, known->rounded);
        continue;
      }
    }
    const Rounded rounded = evaluator.evaluate(0, position, out, i);
    record(bounds, i, count, rounded);
    if (memory != nullptr) memory->keep(key, {out.bits(i), rounded});
  }
}

/// What the row's condition allows on top of its ulps: how far the roundoff of intermediate results may carry. The
/// expression may name the outputs too, so they stand beside the operands here.
void allow_condition(const Call& call, const std::vector<Broadcast>& places, const Array& out, Bounds& bounds) {
  Op op = *call.op;
  op.operands.push_back({call.op->outputs[0], Role::in});
  Instance instance = *call.instance;
  instance.in.push_back(out.dtype);
  instance.out = {TS_DTYPE_F64};
  instance.eval = Eval::real;
  Call extended{&op, &instance, call.inputs, call.attributes, call.shape};
  extended.inputs.push_back(out);
  const double roundoff = std::ldexp(1.0, -encoding(call.instance->acc).precision);
  Array value(TS_DTYPE_F64, {});
  Evaluator condition(extended, *call.op->condition, TS_DTYPE_F64);
  bounds.absolute.assign(static_cast<size_t>(out.count()), 0);
  int64_t i = 0;
  const Position position = [&](int64_t, int operand) {
    return static_cast<size_t>(operand) < places.size() ? places[static_cast<size_t>(operand)](i) : i;
  };
  for (i = 0; i < out.count(); ++i) {
    if (!std::isfinite(out.real(i))) continue;
    condition.evaluate(0, position, value, 0);
    const double allowed = std::fabs(value.real(0)) * roundoff;
    if (std::isfinite(allowed)) bounds.absolute[static_cast<size_t>(i)] = allowed;
  }
}

} // namespace

void expect_elementwise(const Call& call, Expected& expected) {
  const Instance& instance = *call.instance;
  const Shape shape = call.inputs.empty() ? call.shape : broadcast_shape(call);
  Array out(instance.out[0], shape);
  const int64_t count = out.count();
  Bounds bounds = bounds_of(instance, 0, count);

  std::vector<Broadcast> places;
  for (const Array& input : call.inputs) places.emplace_back(shape, input.shape);
  evaluate_all(call, places, out, bounds);
  if (call.op->condition && bounds.kind == Bounds::Kind::ulp) allow_condition(call, places, out, bounds);

  int64_t i = 0;
  const Position position = [&](int64_t, int operand) { return places[static_cast<size_t>(operand)](i); };
  for (const Exclusion& exclusion : call.op->exclude) {
    Evaluator condition(call, exclusion.when, TS_DTYPE_BOOL);
    for (i = 0; i < count; ++i) {
      if (!condition.is_true(position)) continue;
      if (bounds.excluded.empty()) bounds.excluded.assign(static_cast<size_t>(count), 0);
      bounds.excluded[static_cast<size_t>(i)] = 1;
    }
  }
  expected.outputs.push_back(std::move(out));
  expected.bounds.push_back(std::move(bounds));
}

void expect_fill(const Call& call, Expected& expected) { expect_elementwise(call, expected); }

} // namespace ts::judge
