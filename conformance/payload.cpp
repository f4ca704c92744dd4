#include "conformance/payload.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace ts::conformance {

namespace {

// A real-valued oracle costs microseconds a value, so elementwise operands draw from this many distinct tuples.
constexpr uint64_t kTuplesReal = 61, kTuplesExact = 251;

bool multiplies(const judge::Tree& tree) {
  return tree.calls("prod") || std::any_of(tree.arguments.begin(), tree.arguments.end(), multiplies);
}

// Draws values of one operand.
class Draw {
public:
  Draw(const Case& c, size_t operand, uint64_t seed)
      : dtype_(c.instance->in[operand]), seed_(seed), stream_(operand + 1),
        interval_(interval_of(c.op->domain_of(c.op->operands[operand].name))), product_(multiplies(c.op->oracle)) {}

  uint64_t random(uint64_t i) const { return mix(seed_, stream_, i); }
  double unit(uint64_t i) const { return static_cast<double>(random(i) >> 11) * 0x1p-53; }

  void integer(Array& array, int64_t e, uint64_t i) const {
    const uint64_t r = random(i);
    if (judge::encoding(dtype_).cls == judge::DtypeClass::boolean)
      return array.set_integer(e, static_cast<int64_t>(r & 1));
    if (product_) return unit_factor(array, e, r);
    const bool is_unsigned = dtype_ == TS_DTYPE_U8;
    const double least = is_unsigned ? 0 : -15, most = is_unsigned ? 30 : 15;
    double low = std::max(least, interval_.low), high = std::min(most, interval_.high);
    if (high - low < 8 && interval_.low > most - 8) { // a domain far from zero
      low = interval_.low;
      high = std::min(interval_.high, low + 30);
    } else if (high - low < 8 && interval_.high < least + 8) {
      high = interval_.high;
      low = std::max(interval_.low, high - 30);
    }
    if (judge::is_floating(dtype_) && high - low < 8) // too few integers: sixteenths of the interval
      return array.set_real(e, low + (high - low) * static_cast<double>(r % 17) / 16);
    const auto first = static_cast<int64_t>(std::ceil(low)), last = static_cast<int64_t>(std::floor(high));
    const int64_t value =
        first + static_cast<int64_t>(r % static_cast<uint64_t>(std::max<int64_t>(last - first + 1, 1)));
    if (judge::is_floating(dtype_))
      array.set_real(e, static_cast<double>(value));
    else
      array.set_integer(e, value);
  }

  // Of a product a factor and its reciprocal in turn: it rounds at every step and stays near 1.
  double tenth(uint64_t i) const { return !product_ ? 0.1 : i % 2 == 0 ? 1.1 : 1 / 1.1; }

  void special(Array& array, int64_t e, uint64_t i) const {
    const std::vector<uint64_t>& bits = special_bits(dtype_);
    array.set_bits(e, bits[random(i) % bits.size()]);
  }

  void tie(Array& array, int64_t e, uint64_t i, int64_t group) const {
    if (!judge::is_floating(dtype_)) return array.set_integer(e, static_cast<int64_t>(random(i) % 3) + group % 3);
    constexpr std::array<double, 4> kValues = {-1.0, -0.0, 0.0, 1.0};
    const double value = kValues[random(i) % 4];
    array.set_real(e, group % 3 == 0 ? value : value + static_cast<double>(group % 3));
  }

  void domain(Array& array, int64_t e, uint64_t i) const {
    if (!judge::is_floating(dtype_)) return integer_domain(array, e, i);
    if (interval_.all) {
      // Three quarters around 1, where most formulas switch; the rest over the whole range of exponents.
      const judge::Encoding& code = judge::encoding(dtype_);
      const double range = random(i ^ 0x10000) % 4 != 0 ? 8 : code.exponent_max - 1;
      const double value = std::exp2(range * (2 * unit(i) - 1)) * (1 + unit(i + 0x20000));
      return array.set_real(e, (random(i + 0x30000) & 1) != 0 ? -value : value);
    }
    const double limit = std::ldexp(1.0, judge::encoding(dtype_).exponent_max);
    const double low = std::max(interval_.low, -limit), high = std::min(interval_.high, limit);
    const bool wide = low > 0 && high / low > 1e4;
    array.set_real(e, wide ? low * std::pow(high / low, unit(i)) : low + (high - low) * unit(i));
  }

private:
  // Powers of two of either sign, most of them 1: a product that is exact however long it is.
  void unit_factor(Array& array, int64_t e, uint64_t r) const {
    constexpr std::array<double, 8> kReal = {1, 2, 0.5, -1, 1, 2, 0.5, 1};
    constexpr std::array<int64_t, 8> kInteger = {1, 2, 1, -1, 3, 1, 1, 1};
    if (judge::is_floating(dtype_))
      array.set_real(e, kReal[r % 8]);
    else
      array.set_integer(e, dtype_ == TS_DTYPE_U8 ? std::abs(kInteger[r % 8]) : kInteger[r % 8]);
  }

  void integer_domain(Array& array, int64_t e, uint64_t i) const {
    if (dtype_ == TS_DTYPE_BOOL) return array.set_integer(e, static_cast<int64_t>(random(i) & 1));
    if (interval_.all) {
      const int64_t width = judge::bytes_of(dtype_) * 8;
      // Every magnitude is as likely as any other.
      const auto shift = static_cast<int>(random(i + 0x10000) % static_cast<uint64_t>(width));
      return array.set_integer(e, static_cast<int64_t>(random(i)) >> (64 - width) >> shift);
    }
    const auto low = static_cast<int64_t>(std::max(std::ceil(interval_.low), -0x1p62));
    const auto high = static_cast<int64_t>(std::min(std::floor(interval_.high), 0x1p62));
    const uint64_t width = static_cast<uint64_t>(std::max<int64_t>(high - low, 0)) + 1;
    int64_t value = low + static_cast<int64_t>(random(i) % width);
    if (dtype_ == TS_DTYPE_U8) value = std::clamp<int64_t>(value, 0, 255);
    array.set_integer(e, value);
  }

  int32_t dtype_;
  uint64_t seed_, stream_;
  Interval interval_;
  bool product_;
};

// Alone in every second group, so that a fault next to it shows; half of all where each element is its own group.
bool special_here(const Case& c, const Draw& draw, const Grouping& grouping, int64_t e, uint64_t i) {
  if (grouping.size == 0) return false;
  if (grouping.size == 1 || c.op->family == "sort") return (draw.random(i ^ 0x40000) & 1) != 0;
  const int64_t group = grouping.group[static_cast<size_t>(e)];
  const uint64_t chosen = draw.random(~static_cast<uint64_t>(group)) % static_cast<uint64_t>(grouping.size);
  return group % 2 == 1 && grouping.position[static_cast<size_t>(e)] == static_cast<int64_t>(chosen);
}

void fill_one(const Case& c, const Draw& draw, const Grouping& grouping, Array& array, int64_t e, uint64_t i) {
  const int64_t group = grouping.group[static_cast<size_t>(e)];
  // A truth value is as rare as what decides it: a quarter of the elements are those that do.
  const bool decides = c.instance->out.front() == TS_DTYPE_BOOL && grouping.size == 1;
  if (decides && draw.random(i ^ 0x50000) % 4 == 0)
    return (draw.random(i ^ 0x60000) & 1) != 0 ? array.set_bits(e, 0) : draw.special(array, e, i);
  switch (c.values.source) {
    case Source::ties: return draw.tie(array, e, i, grouping.size > 1 ? group : 0);
    case Source::domain: return draw.domain(array, e, i);
    case Source::tenth: return array.set_real(e, draw.tenth(i));
    case Source::specials: {
      const bool here = special_here(c, draw, grouping, e, i);
      return here ? draw.special(array, e, i) : draw.integer(array, e, i);
    }
    default: return draw.integer(array, e, i);
  }
}

// Truth values whose groups are all false, all true, true but one and false but one: any, all and count differ.
void shape_truth(const Grouping& grouping, Array& array, uint64_t seed) {
  for (int64_t e = 0; e < array.count(); ++e) {
    const int64_t group = grouping.group[static_cast<size_t>(e)], position = grouping.position[static_cast<size_t>(e)];
    const auto chosen =
        static_cast<int64_t>(mix(seed, 99, static_cast<uint64_t>(group)) % static_cast<uint64_t>(grouping.size));
    const bool one = position == chosen;
    const bool truth = group % 4 == 1 || (group % 4 == 2 && one) || (group % 4 == 3 && !one);
    if (!truth)
      array.set_bits(e, 0);
    else if (!judge::is_floating(array.dtype) && array.integer(e) == 0)
      array.set_integer(e, 1);
    else if (judge::is_floating(array.dtype) && array.real(e) == 0)
      array.set_real(e, 1);
  }
}

// What no index names keeps its bytes, and a result that is compared holds 0 or 1.
void keep_true_as_one(Array& array) {
  if (array.dtype != TS_DTYPE_BOOL) return;
  for (int64_t e = 0; e < array.count(); ++e) array.set_integer(e, array.integer(e));
}

// A comparison whose operands never agree would not see equality.
void repeat_some(const Array& first, Array& array, uint64_t seed) {
  if (first.dtype != array.dtype) return;
  for (int64_t e = 0; e < array.count(); ++e)
    if (mix(seed, 98, static_cast<uint64_t>(e)) % 4 == 0) array.set_bits(e, first.bits(e));
}

Array indices(const Case& c, size_t operand, uint64_t seed) {
  Array array(c.instance->in[operand], c.shapes[operand]);
  const Shape& shape = c.shapes[operand];
  const auto axis = static_cast<size_t>(c.attributes.at("axis").integer);
  const bool list = takes_index_list(*c.op);
  const int64_t extent = axis < c.shapes.front().size() ? c.shapes.front()[axis] : 1;
  const int64_t count = array.count();
  const size_t along_axis = list ? 0 : axis;
  int64_t inner = 1; // elements between neighbours along the axis
  for (size_t k = along_axis + 1; k < shape.size(); ++k) inner *= shape[k];
  const int64_t fault = count > 0 ? static_cast<int64_t>(mix(seed, 77, 0) % static_cast<uint64_t>(count)) : 0;
  for (int64_t e = 0; e < count; ++e) {
    const uint64_t r = mix(seed, operand + 1, static_cast<uint64_t>(e));
    // An axis past the last one is what the case is about; its index then counts nothing.
    const int64_t along = extent == 0 || along_axis >= shape.size() ? 0 : e / inner % shape[along_axis] % extent;
    int64_t value = extent == 0 ? 0 : static_cast<int64_t>(r % static_cast<uint64_t>(extent));
    switch (c.values.index) {
      case IndexKind::identity: value = along; break;
      case IndexKind::reversed: value = extent - 1 - along; break;
      case IndexKind::equal: value = extent / 2; break;
      case IndexKind::boundary: value = (r & 1) != 0 ? 0 : extent - 1; break;
      case IndexKind::past_end: value = e == fault ? extent : value; break;
      case IndexKind::negative: value = e == fault ? -1 : value; break;
      case IndexKind::far: value = e == fault ? (array.dtype == TS_DTYPE_I64 ? INT64_MIN : INT32_MAX) : value; break;
      case IndexKind::random: break;
    }
    array.set_integer(e, value);
  }
  return array;
}

} // namespace

uint64_t mix(uint64_t seed, uint64_t stream, uint64_t counter) {
  uint64_t z = seed + 0x9e3779b97f4a7c15ULL * (stream + 1) + 0xd1342543de82ef95ULL * (counter + 1);
  for (const int shift : {30, 27, 31}) {
    z = (z ^ z >> shift) * (shift == 30 ? 0xbf58476d1ce4e5b9ULL : 0x94d049bb133111ebULL);
  }
  return z ^ z >> 29;
}

uint64_t stable_hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  return hash;
}

std::vector<Array> generate(const Case& c, uint64_t seed) {
  std::vector<Array> arrays;
  const bool elementwise = c.op->family == "elementwise";
  const uint64_t tuples = c.instance->eval == judge::Eval::real ? kTuplesReal : kTuplesExact;
  for (size_t k = 0; k < c.op->operands.size(); ++k) {
    if (c.op->operands[k].role == judge::Role::index) {
      arrays.push_back(indices(c, k, seed));
      continue;
    }
    Array array(c.instance->in[k], c.shapes[k]);
    const Draw draw(c, k, seed);
    const Grouping grouping = grouping_of(c, k);
    const int64_t count = array.count();
    for (int64_t e = 0; e < count; ++e) {
      const auto i = static_cast<uint64_t>(e);
      fill_one(c, draw, grouping, array, e, elementwise ? mix(seed, 0, i) % tuples : i);
    }
    const bool truth = c.op->family == "reduce" && c.instance->out.front() == TS_DTYPE_BOOL;
    if (truth) shape_truth(grouping, array, seed);
    if (c.op->operands[k].role == judge::Role::inout) keep_true_as_one(array);
    if (k > 0 && elementwise && c.instance->out.front() == TS_DTYPE_BOOL) repeat_some(arrays.front(), array, seed);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

} // namespace ts::conformance
