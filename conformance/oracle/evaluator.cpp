// The choice of arithmetic and of precision. A result is taken when it is exact, or when everything within its error
// rounds to the same element; otherwise the next precision decides.
#include "conformance/oracle/evaluator.h"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>
#include <numeric>

namespace ts::judge {
namespace {

constexpr long kPrecisions[] = {128, 256, 512, 1024, 2304, 4608}; // the last holds any sum of products of doubles
constexpr size_t kLevels = sizeof kPrecisions / sizeof kPrecisions[0];
constexpr long kLostBits = 40; // that a chain of operations may lose without a cancellation that is noticed

void set_value(int64_t& r, const Array& a, int64_t i) { r = a.integer(i); }
void set_value(double& r, const Array& a, int64_t i) { r = a.real(i); }
void set_value(Number& r, const Array& a, int64_t i) { set_element(r, a, i); }

/// An attribute as a number; of the kind "of x" it is first rounded to that operand's dtype.
double real_of(const ts_attribute& attribute, int32_t of) {
  const double value = attribute.kind == TS_ATTRIBUTE_INTEGER ? static_cast<double>(attribute.integer) : attribute.real;
  return of != 0 && is_floating(of) ? decode(of, encode(of, value)) : value;
}

} // namespace

/// The dtype that an attribute of kind "of NAME" is a value of; 0 for any other kind.
static int32_t value_dtype(const Call& call, const AttributeRow& row) {
  if (row.kind.rfind("of ", 0) != 0) return 0;
  const std::string name = row.kind.substr(3);
  const int operand = call.op->operand(name);
  if (operand >= 0) return call.instance->in[static_cast<size_t>(operand)];
  for (size_t i = 0; i < call.op->outputs.size(); ++i) {
    if (call.op->outputs[i] == name) return call.instance->out[i];
  }
  throw InputError(fmt::format("attribute {} of {} is of no operand", row.name, call.op->name));
}

Evaluator::Evaluator(const Call& call, const Tree& tree, int32_t out_dtype)
    : call_(call), expression_(compile(tree, *call.op)) {
  bool any_floating = is_floating(out_dtype);
  for (int32_t dtype : call.instance->in) any_floating = any_floating || is_floating(dtype);
  // nextafter and the rounding of doubles work in the dtype of the values: the result's, or the operands' for a bool.
  working_dtype_ = out_dtype;
  if (!is_floating(out_dtype)) {
    for (size_t i = call.instance->in.size(); i-- > 0;) {
      if (is_floating(call.instance->in[i]) == any_floating) working_dtype_ = call.instance->in[i];
    }
  }
  if (call.instance->eval == Eval::native_int || !any_floating) {
    arithmetic_ = Arithmetic::integers;
    const int32_t first = call.instance->in.empty() ? out_dtype : call.instance->in[0];
    integers_ = std::make_unique<Machine<Integers>>(expression_, Integers{first});
  } else if ((call.instance->eval == Eval::exact || !is_floating(out_dtype)) &&
             is_exact_in_double(tree, *call.op, out_dtype, call.instance->in)) {
    arithmetic_ = Arithmetic::doubles;
    doubles_ = std::make_unique<Machine<Doubles>>(expression_, Doubles{out_dtype});
  }
  reals_.resize(kLevels);
}

void Evaluator::load_constants(Machine<Integers>& machine, int64_t size) const {
  for (const Leaf& leaf : expression_.leaves) {
    if (leaf.kind == Leaf::Kind::size) machine.at(leaf.result) = size;
    if (leaf.kind == Leaf::Kind::attribute) {
      const ts_attribute attribute = attribute_of(call_, leaf.text);
      if (attribute.kind != TS_ATTRIBUTE_INTEGER) {
        throw InputError(fmt::format("attribute {} of {} is not an integer", leaf.text, call_.op->name));
      }
      machine.at(leaf.result) = attribute.integer;
    }
    if (leaf.kind == Leaf::Kind::number) {
      char* end = nullptr;
      machine.at(leaf.result) = std::strtoll(leaf.text.c_str(), &end, 10);
      if (*end != 0) throw InputError(fmt::format("oracle of {}: {} is not an integer", call_.op->name, leaf.text));
    }
    if (leaf.kind == Leaf::Kind::pi)
      throw InputError(fmt::format("oracle of {}: pi is not an integer", call_.op->name));
  }
}

void Evaluator::load_constants(Machine<Doubles>& machine, int64_t size) const {
  for (const Leaf& leaf : expression_.leaves) {
    if (leaf.kind == Leaf::Kind::size) machine.at(leaf.result) = static_cast<double>(size);
    if (leaf.kind == Leaf::Kind::number) machine.at(leaf.result) = std::strtod(leaf.text.c_str(), nullptr);
    if (leaf.kind == Leaf::Kind::attribute) {
      const AttributeRow& row = *call_.op->attribute(leaf.text);
      machine.at(leaf.result) = real_of(attribute_of(call_, leaf.text), value_dtype(call_, row));
    }
  }
}

void Evaluator::load_constants(Machine<Reals>& machine, int64_t size) const {
  machine.arithmetic.negative_zero_sum = negative_zero_sum_;
  for (const Leaf& leaf : expression_.leaves) {
    Number& r = machine.at(leaf.result);
    switch (leaf.kind) {
      case Leaf::Kind::operand: break;
      case Leaf::Kind::size: mpfr_set_si(r.get(), size, MPFR_RNDN); break;
      case Leaf::Kind::pi:
        mpfr_const_pi(r.get(), MPFR_RNDN);
        r.inexact = true;
        break;
      case Leaf::Kind::number: r.inexact = mpfr_strtofr(r.get(), leaf.text.c_str(), nullptr, 10, MPFR_RNDN) != 0; break;
      case Leaf::Kind::attribute: {
        const ts_attribute attribute = attribute_of(call_, leaf.text);
        const int32_t of = value_dtype(call_, *call_.op->attribute(leaf.text));
        if (attribute.kind == TS_ATTRIBUTE_INTEGER) {
          mpfr_set_si(r.get(), attribute.integer, MPFR_RNDN);
          if (of != 0 && is_floating(of)) set_double(r, decode(of, round_to(of, r).bits));
        } else {
          set_double(r, real_of(attribute, of));
        }
        break;
      }
    }
  }
}

template <class M> void Evaluator::load(M& machine, const Position& position, int64_t j) const {
  for (const Leaf& leaf : expression_.leaves) {
    if (leaf.kind != Leaf::Kind::operand) continue;
    const int64_t i = position(j, leaf.operand);
    if (i >= 0) set_value(machine.at(leaf.result), call_.inputs[static_cast<size_t>(leaf.operand)], i);
  }
}

template <class M> void Evaluator::prepare(M& machine, int64_t size) const {
  if (machine.constants_for == size) return;
  load_constants(machine, size);
  machine.constants_for = size;
}

template <class M> void Evaluator::run(M& machine, int64_t size, const Position& position) const {
  prepare(machine, size);
  if (!expression_.groups.empty()) load(machine, position, -1); // a body may name what stands outside its group
  machine.run_groups(
      size, [&](int64_t j) { load(machine, position, j); }, [&] { load(machine, position, -1); });
}

Machine<Reals>& Evaluator::reals(size_t level) {
  if (reals_[level] == nullptr) {
    reals_[level] = std::make_unique<Machine<Reals>>(expression_, Reals{working_dtype_, kPrecisions[level]});
  }
  return *reals_[level];
}

Rounded Evaluator::evaluate(int64_t size, const Position& position, Array& out, int64_t at) {
  if (arithmetic_ == Arithmetic::integers) {
    run(*integers_, size, position);
    out.set_integer(at, integers_->result());
    return {};
  }
  if (arithmetic_ == Arithmetic::doubles) {
    run(*doubles_, size, position);
    if (is_floating(out.dtype)) {
      out.set_real(at, doubles_->result());
    } else {
      out.set_integer(at, doubles_->result() != 0 ? static_cast<int64_t>(doubles_->result()) : 0);
    }
    return {};
  }
  for (size_t level = 0;; ++level) {
    Machine<Reals>& machine = reals(level);
    machine.arithmetic.cancelled = false;
    run(machine, size, position);
    const Reals& a = machine.arithmetic;
    const bool settled = !a.cancelled && (!machine.result().inexact ||
                                          rounds_safely(out.dtype, machine.result(), a.precision - kLostBits));
    if (settled || level + 1 == kLevels) return store(out, at, machine.result());
  }
}

void Evaluator::prefixes(int64_t size, const Position& position, const std::function<int64_t(int64_t)>& at, Array& out,
                         std::vector<Rounded>& rounded) {
  if (!expression_.is_one_fold()) {
    throw InputError(fmt::format("oracle of {}: a scan is one fold over its prefix", call_.op->name));
  }
  const Group& group = expression_.groups[0];
  const auto walk = [&](auto& machine, auto&& take) {
    prepare(machine, size);
    machine.start(group);
    for (int64_t j = 0; j < size; ++j) {
      load(machine, position, j);
      machine.step(group);
      machine.settle(group);
      if (!take(j)) return false;
    }
    return true;
  };
  if (arithmetic_ == Arithmetic::integers) {
    walk(*integers_, [&](int64_t j) { return out.set_integer(at(j), integers_->result()), true; });
    return;
  }
  if (arithmetic_ == Arithmetic::doubles) {
    walk(*doubles_, [&](int64_t j) {
      const double value = doubles_->result();
      return is_floating(out.dtype) ? out.set_real(at(j), value) : out.set_integer(at(j), static_cast<int64_t>(value)),
             true;
    });
    return;
  }
  for (size_t level = 0; level < kLevels; ++level) {
    Machine<Reals>& machine = reals(level);
    machine.arithmetic.cancelled = false;
    const Reals& a = machine.arithmetic;
    const bool last = level + 1 == kLevels;
    const bool settled = walk(machine, [&](int64_t j) {
      if (!last && (a.cancelled || (machine.result().inexact &&
                                    !rounds_safely(out.dtype, machine.result(), a.precision - kLostBits)))) {
        return false;
      }
      rounded[static_cast<size_t>(at(j))] = store(out, at(j), machine.result());
      return true;
    });
    if (settled) return;
  }
}

void Evaluator::members(int64_t size, const Position& position, const std::function<int64_t(int64_t)>& at, Array& out,
                        std::vector<Rounded>& rounded) {
  if (arithmetic_ != Arithmetic::reals)
    throw InputError(fmt::format("oracle of {}: a result of a row is `real`", call_.op->name));
  std::vector<int64_t> open(static_cast<size_t>(size));
  std::iota(open.begin(), open.end(), 0);
  for (size_t level = 0; level < kLevels && !open.empty(); ++level) {
    Machine<Reals>& machine = reals(level);
    Reals& a = machine.arithmetic;
    const bool last = level + 1 == kLevels;
    a.cancelled = false;
    prepare(machine, size);
    machine.run_folds(size, [&](int64_t j) { load(machine, position, j); });
    if (a.cancelled && !last) continue;
    std::vector<int64_t> again;
    for (const int64_t j : open) {
      a.cancelled = false;
      load(machine, position, j);
      machine.run();
      const bool settled = !a.cancelled && (!machine.result().inexact ||
                                            rounds_safely(out.dtype, machine.result(), a.precision - kLostBits));
      if (settled || last)
        rounded[static_cast<size_t>(at(j))] = store(out, at(j), machine.result());
      else
        again.push_back(j);
    }
    open = std::move(again);
  }
}

bool Evaluator::is_true(const Position& position) {
  Array truth(TS_DTYPE_BOOL, {1});
  evaluate(0, position, truth, 0);
  return truth.bits(0) != 0;
}

} // namespace ts::judge
