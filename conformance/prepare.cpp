#include "conformance/prepare.h"

#include "conformance/compare.h"
#include "conformance/payload.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace ts::conformance {

judge::Expected expected_of(const Case& c, const std::vector<Array>& inputs) {
  judge::Call call;
  call.op = c.op;
  call.instance = c.instance;
  call.inputs = inputs;
  call.attributes = c.attributes;
  call.shape = c.shapes.front();
  return judge::expect(call);
}

namespace {

// The second input reads the first one's storage one element further on: values that neither wrote twice.
void share_storage(const Case& c, std::vector<Array>& inputs) {
  if (c.alias == Alias::same) inputs[1] = inputs[0];
  if (c.alias != Alias::shifted) return;
  const Placement x = place(c.operands[0], c.shapes[0], judge::bytes_of(inputs[0].dtype));
  std::vector<uint64_t> storage(static_cast<size_t>(x.storage) + 1, 0);
  for (size_t e = 0; e < x.position.size(); ++e)
    storage[static_cast<size_t>(x.position[e]) + 1] = inputs[1].bits(static_cast<int64_t>(e));
  for (size_t e = 0; e < x.position.size(); ++e)
    storage[static_cast<size_t>(x.position[e])] = inputs[0].bits(static_cast<int64_t>(e));
  for (size_t e = 0; e < x.position.size(); ++e)
    inputs[1].set_bits(static_cast<int64_t>(e), storage[static_cast<size_t>(x.position[e]) + 1]);
}

double magnitude(const Array& array) {
  double sum = 0;
  for (int64_t e = 0; e < array.count(); ++e) sum += std::abs(array.real(e));
  return sum;
}

double largest(const Array& array) {
  double most = 0;
  for (int64_t e = 0; e < array.count(); ++e) most = std::max(most, std::abs(array.real(e)));
  return most;
}

// Small integers leave nothing to round: where no partial result can pass the accumulator's precision, bits are compared.
bool exact_by_payload(const Prepared& p) {
  const Case& c = p.c;
  if (c.values.source != Source::integers && c.values.source != Source::ties) return false;
  const std::string& tolerance = c.instance->tolerance;
  const int32_t out = c.instance->out.front();
  if (!judge::is_floating(out)) return false;
  const bool scatters = c.op->family == "scatter";
  const int32_t accumulator = scatters || c.instance->acc == 0 ? out : c.instance->acc;
  const double limit = std::ldexp(1.0, judge::encoding(accumulator).precision);
  if (tolerance == "prod") return !scatters && c.values.source == Source::integers;
  if (tolerance == "sum") return magnitude(p.inputs[0]) <= limit;
  if (tolerance == "dot")
    return largest(p.inputs[0]) * largest(p.inputs[1]) * static_cast<double>(c.shapes[0].back()) <= limit;
  if (tolerance == "serial") return magnitude(p.inputs.front()) + magnitude(p.inputs.back()) <= limit;
  return false;
}

void judge_values(Prepared& p) {
  p.expected = expected_of(p.c, p.inputs);
  if (!exact_by_payload(p)) return;
  for (judge::Bounds& bounds : p.expected.bounds) {
    bounds.kind = judge::Bounds::Kind::absolute;
    bounds.absolute.assign(static_cast<size_t>(p.expected.outputs.front().count()), 0.0);
  }
}

bool is_trivial(const judge::Expected& expected) {
  if (!expected.error.empty()) return false;
  for (size_t k = 0; k < expected.outputs.size(); ++k)
    if (!judge::compare(expected.outputs[k], expected, k).trivial) return false;
  return true;
}

Promise promise_of(const Case& c) {
  const int64_t count = judge::count_of(result_shape(c, 0));
  // Nothing to read gives a constant, a sum of nothing among them.
  const auto nothing = [](const Shape& shape) { return judge::count_of(shape) == 0; };
  if (count == 0 || std::any_of(c.shapes.begin(), c.shapes.end(), nothing)) return Promise::empty;
  // Elements that share a place may make the result one value; so may x - x, and groups of one element.
  const bool shares = c.alias == Alias::same || !std::all_of(c.operands.begin(), c.operands.end(), is_injective);
  const bool alone = has_groups(*c.op) && grouping_of(c, 0).size <= 1;
  return count == 1 || shares || alone || c.operands.empty() ? Promise::single : Promise::telling;
}

// What the comparison can tell once its values are known: one value that is everywhere tells, unless it is what a result
// that nobody computed holds.
bool can_tell(const Prepared& p) {
  if (p.promise == Promise::given) return p.expected.outputs.empty() || p.expected.outputs.front().count() > 0;
  if (!p.trivial || p.promise != Promise::single || p.expected.outputs.empty()) return !p.trivial;
  const double value = p.expected.outputs.front().real(0);
  return value == value && value != 0;
}

} // namespace

Array with_ties(Layout layout, const Array& wanted) {
  if (is_injective(layout)) return wanted;
  Array array = wanted;
  if (layout == Layout::immediate) {
    for (int64_t e = 1; e < array.count(); ++e) array.set_bits(e, array.bits(0));
    return array;
  }
  const Placement placement = place(layout, wanted.shape, judge::bytes_of(wanted.dtype));
  std::vector<uint64_t> storage(static_cast<size_t>(placement.storage), 0);
  for (size_t e = 0; e < placement.position.size(); ++e)
    storage[static_cast<size_t>(placement.position[e])] = wanted.bits(static_cast<int64_t>(e));
  for (size_t e = 0; e < placement.position.size(); ++e)
    array.set_bits(static_cast<int64_t>(e), storage[static_cast<size_t>(placement.position[e])]);
  return array;
}

// Few elements may come out equal by chance; another draw does not. Where the case's own source gives one value however
// often it is drawn (thirty-three truth values are never all true), another source gives the values. Where every source
// does, the attributes alone decide (bounds that are equal, a group no larger than the correction): the case cannot tell.
static void draw_values(Prepared& p, uint64_t seed) {
  constexpr uint64_t kDraws = 8;
  const Case named = p.c;
  for (const Source source : {named.values.source, Source::ties, Source::specials, Source::domain, Source::integers}) {
    p.c.values.source = source;
    for (uint64_t draw = 0; draw < kDraws; ++draw) {
      p.inputs = generate(p.c, seed + draw);
      for (size_t k = 0; k < p.inputs.size(); ++k) p.inputs[k] = with_ties(p.c.operands[k], p.inputs[k]);
      share_storage(p.c, p.inputs);
      judge_values(p);
      p.trivial = is_trivial(p.expected);
      if (p.promise == Promise::empty || !p.trivial) {
        p.c = named;
        return;
      }
    }
    if (p.promise == Promise::single) break; // one value by construction, whatever the source
  }
  p.c = named;
  p.promise = Promise::single;
}

Prepared prepare(const Case& c, const judge::Spec& spec, uint64_t run_seed) {
  Prepared p;
  p.c = c;
  p.promise = promise_of(c);
  const uint64_t seed = mix(run_seed, 0, stable_hash(c.name()));
  if (c.values.source == Source::golden) {
    prepare_golden(p, spec);
    p.trivial = is_trivial(p.expected);
  } else if (c.values.source == Source::table) {
    prepare_table(p, spec, seed);
    p.trivial = is_trivial(p.expected);
  } else {
    draw_values(p, seed);
  }
  p.telling = can_tell(p);
  return p;
}

} // namespace ts::conformance
