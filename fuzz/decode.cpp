#include "fuzz/decode.h"

#include "conformance/select/factors.h"
#include "runtime/errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>

namespace ts::fuzz {

using conformance::Case;
using conformance::Factors;
using conformance::Levels;

namespace {

// Reads backwards; 0 past the start.
class Bytes {
public:
  Bytes(const uint8_t* data, size_t size) : data_(data), left_(size) {}

  uint64_t number(int bytes) {
    uint64_t value = 0;
    for (int k = 0; k < bytes; ++k) value = value << 8 | (left_ > 0 ? data_[--left_] : 0);
    return value;
  }
  size_t below(size_t limit) { return limit <= 1 ? 0 : static_cast<size_t>(number(limit > 256 ? 2 : 1) % limit); }

private:
  const uint8_t* data_;
  size_t left_;
};

const Factors& factors_of(const judge::Op& op) {
  static std::map<const judge::Op*, std::unique_ptr<Factors>> known;
  std::unique_ptr<Factors>& factors = known[&op];
  if (factors == nullptr) factors = std::make_unique<Factors>(op);
  return *factors;
}

int64_t elements(const conformance::Shape& shape) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  return count;
}

// Most faults of a layout show on a few elements, and many small cases find them sooner: one in eight may be larger.
constexpr int64_t kElementsUsual = 48, kElementsIndexed = 24; // an index, a source and a result have many more

bool is_small(const Case& c, int64_t most) {
  return std::all_of(c.shapes.begin(), c.shapes.end(), [&](const auto& shape) { return elements(shape) <= most; });
}

} // namespace

std::vector<const judge::Op*> ops_of(const judge::Spec& spec, const std::vector<std::string_view>& families) {
  std::vector<const judge::Op*> ops;
  for (const judge::Op& op : spec.ops)
    if (std::find(families.begin(), families.end(), op.family) != families.end()) ops.push_back(&op);
  if (ops.empty()) throw ValueError(fmt::format("no op is of the families {}", fmt::join(families, ", ")));
  return ops;
}

Decoded decode(const uint8_t* data, size_t size, const std::vector<const judge::Op*>& ops) {
  Bytes bytes(data, size);
  const Factors& factors = factors_of(*ops[bytes.below(ops.size())]);
  const auto variant = bytes.number(1);
  const bool indexed = conformance::index_operand(factors.op()) >= 0;
  int64_t most = bytes.number(1) % 8 == 7 ? kElementsMax : indexed ? kElementsIndexed : kElementsUsual;
  Levels levels;
  size_t size_factor = 0;
  for (const Factors::Factor& factor : factors.all()) {
    if (factor.kind == Factors::Kind::size) size_factor = levels.size();
    levels.push_back(static_cast<int>(bytes.below(static_cast<size_t>(factor.levels))));
  }
  Decoded decoded;
  // The size level moves on until every operand is small. Where no level is, some are below the larger bound, whatever the
  // other factors say.
  const int sizes = factors.all()[size_factor].levels;
  for (int turn = 0; turn < 2 * sizes; ++turn) {
    if (turn == sizes) most = kElementsMax;
    if (const auto settled = factors.settle(levels, {})) decoded.c = factors.build(*settled, variant);
    if (decoded.c.op != nullptr && is_small(decoded.c, most)) break;
    levels[size_factor] = (levels[size_factor] + 1) % sizes;
  }
  TS_CHECK(decoded.c.op != nullptr);
  decoded.c.values.source = conformance::Source::integers;
  decoded.seed = bytes.number(2);
  return decoded;
}

} // namespace ts::fuzz
