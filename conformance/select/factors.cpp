#include "conformance/select/factors.h"

#include "conformance/select/orthogonal.h"
#include "conformance/select/sizes.h"
#include "runtime/errors.h"

#include <algorithm>
#include <array>

namespace ts::conformance {

namespace {

// Lowest rank at which a group of layouts exists.
constexpr std::array<int, kLayoutGroups> kLowestRank = {0, 0, 2, 3, 1, 2, 1, 2, 2, 1, 2};

const std::vector<int>& symbols_of(Factors::Kind kind) {
  static const std::vector<int> source = {0, 0, 0, 0, 0, 0, 1, 2, 2, 3, 3};
  static const std::vector<int> alias = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1};
  static const std::vector<int> none;
  if (kind == Factors::Kind::source) return source;
  if (kind == Factors::Kind::alias) return alias;
  return none;
}

} // namespace

Factors::Factors(const judge::Op& op) : op_(op) {
  for (const judge::Instance& instance : op.instances) {
    const auto first = [](const judge::Instance& i) { return i.in.empty() ? i.out.front() : i.in.front(); };
    auto same = std::find_if(instances_.begin(), instances_.end(),
                             [&](const auto& group) { return first(*group.front()) == first(instance); });
    if (same == instances_.end()) same = instances_.emplace(same);
    same->push_back(&instance);
  }
  size_t most = 0;
  for (const auto& group : instances_) most = std::max(most, group.size());

  // A scalar has no axis.
  first_size_ = op.attribute("axis") != nullptr ? 1 : 0;
  add(Kind::size, "size", kSizeLevels - first_size_);
  add(Kind::dtype, "dtype", static_cast<int>(instances_.size()));
  if (most > 1) add(Kind::second_dtype, "second dtype", static_cast<int>(most));
  for (size_t k = 0; k < op.operands.size(); ++k) {
    const bool written = op.operands[k].role == judge::Role::inout;
    add(Kind::operand, op.operands[k].name, written ? kWritableGroups : kLayoutGroups, k);
  }
  if (inout_operand(op) < 0) {
    add_destination();
    for (size_t k = 1; k < op.outputs.size(); ++k) add(Kind::output, op.outputs[k], kWritableGroups, k);
  }
  add(Kind::source, "values", 4);
  if (index_operand(op) >= 0) add(Kind::index, "index", 5);
  add(Kind::alias, "alias", 2);
  for (size_t k = 0; k < op.attributes.size(); ++k) {
    const std::string& kind = op.attributes[k].kind;
    if (kind == "axis")
      add(Kind::axis, "axis", 3, k);
    else if (kind == "axes")
      add(Kind::axis, "axes", 6, k);
    else
      add(Kind::attribute, op.attributes[k].name, kind == "bool" ? 2 : 3, k);
  }
  TS_CHECK(factors_.size() <= kColumns);
}

void Factors::add(Kind kind, std::string name, int levels, size_t which) {
  TS_CHECK(levels <= kLevelsMax);
  factors_.push_back({kind, std::move(name), levels, which});
}

void Factors::add_destination() {
  if (op_.family == "elementwise") {
    for (size_t k = 0; k < op_.operands.size() && in_place_.size() < 2; ++k) {
      const auto fits = [&](const judge::Instance& i) {
        return judge::bytes_of(i.in[k]) == judge::bytes_of(i.out.front());
      };
      if (std::any_of(op_.instances.begin(), op_.instances.end(), fits)) in_place_.push_back(static_cast<int>(k));
    }
  }
  add(Kind::destination, "destination", kWritableGroups + static_cast<int>(in_place_.size()));
}

int Factors::level_of(size_t factor, int symbol) const {
  const Factor& f = factors_[factor];
  const std::vector<int>& symbols = symbols_of(f.kind);
  return symbols.empty() ? symbol % f.levels : symbols[static_cast<size_t>(symbol)];
}

int Factors::find(Kind kind, size_t which) const {
  for (size_t k = 0; k < factors_.size(); ++k)
    if (factors_[k].kind == kind && factors_[k].which == which) return static_cast<int>(k);
  return -1;
}

int Factors::level(const Levels& levels, Kind kind, size_t which) const {
  const int factor = find(kind, which);
  return factor < 0 ? 0 : levels[static_cast<size_t>(factor)];
}

const judge::Instance& Factors::instance(const Levels& levels) const {
  const auto& group = instances_[static_cast<size_t>(level(levels, Kind::dtype))];
  const auto second = static_cast<size_t>(level(levels, Kind::second_dtype));
  return *group[std::min(second, group.size() - 1)];
}

int Factors::size_level(const Levels& levels) const { return first_size_ + level(levels, Kind::size); }

int Factors::rank(const Levels& levels) const {
  const int size = size_level(levels);
  return op_.family == "matmul" ? static_cast<int>(product_at(size, 0).front().size()) : rank_at(size);
}

int Factors::rank_of_operand(size_t operand, const Levels& levels) const {
  const bool list = takes_index_list(op_) && static_cast<int>(operand) == index_operand(op_);
  return list ? 1 : rank(levels);
}

std::optional<Factors::Conflict> Factors::size_conflict(const Levels& levels) const {
  const auto size = static_cast<size_t>(find(Kind::size));
  for (size_t k = 0; k < factors_.size(); ++k) {
    const Factor& f = factors_[k];
    if (f.kind == Kind::operand) {
      const bool list = takes_index_list(op_) && static_cast<int>(f.which) == index_operand(op_);
      int lowest = kLowestRank[static_cast<size_t>(levels[k])];
      // An immediate is a broadcast that rank 0 has too.
      if (levels[k] == kWritableGroups && op_.family == "elementwise") lowest = 0;
      if (rank_of_operand(f.which, levels) < lowest) return Conflict{list ? k : size, k};
    } else if (f.kind == Kind::output || f.kind == Kind::destination) {
      if (levels[k] < kWritableGroups && rank(levels) < kLowestRank[static_cast<size_t>(levels[k])])
        return Conflict{size, k};
    } else if (f.kind == Kind::axis) {
      const bool mask = op_.attributes[f.which].kind == "axes";
      if (rank(levels) < lowest_rank(levels[k])) return mask ? Conflict{k, size} : Conflict{size, k};
    }
  }
  return std::nullopt;
}

std::optional<Factors::Conflict> Factors::destination_conflict(const Levels& levels) const {
  const int factor = find(Kind::destination);
  if (factor < 0) return std::nullopt;
  const auto destination = static_cast<size_t>(factor);
  const int chosen = levels[destination];
  if (chosen >= kWritableGroups) {
    const auto operand = static_cast<size_t>(in_place_[static_cast<size_t>(chosen - kWritableGroups)]);
    const auto layout = static_cast<size_t>(find(Kind::operand, operand));
    if (levels[layout] >= kWritableGroups) return Conflict{destination, layout};
    const judge::Instance& i = instance(levels);
    const int second = find(Kind::second_dtype);
    const auto dtype = static_cast<size_t>(second >= 0 ? second : find(Kind::dtype));
    if (judge::bytes_of(i.in[operand]) != judge::bytes_of(i.out.front())) return Conflict{destination, dtype};
  }
  // A new result is dense in every output.
  for (size_t k = 0; k < factors_.size(); ++k)
    if (factors_[k].kind == Kind::output && chosen == kFresh && levels[k] != 0) return Conflict{destination, k};
  return std::nullopt;
}

std::optional<Factors::Conflict> Factors::conflict(const Levels& levels) const {
  const int second = find(Kind::second_dtype);
  if (second >= 0) {
    const auto& group = instances_[static_cast<size_t>(level(levels, Kind::dtype))];
    if (levels[static_cast<size_t>(second)] >= static_cast<int>(group.size()))
      return Conflict{static_cast<size_t>(second), static_cast<size_t>(find(Kind::dtype))};
  }
  if (auto found = size_conflict(levels)) return found;
  return destination_conflict(levels);
}

std::optional<Levels> Factors::settle(Levels levels, const std::vector<size_t>& pinned) const {
  const auto is_pinned = [&](size_t k) { return std::find(pinned.begin(), pinned.end(), k) != pinned.end(); };
  // Every conflict is between two factors, and one of the two always has a level that suits all others.
  for (int moves = 0; moves < 120; ++moves) {
    const std::optional<Conflict> found = conflict(levels);
    if (!found) return levels;
    size_t move = found->move;
    // Where the first choice has been tried all round, or is pinned, the other one moves.
    if (is_pinned(move) || moves % 40 > 30) move = found->or_else;
    if (is_pinned(move)) move = found->move;
    if (is_pinned(move)) return std::nullopt;
    levels[move] = (levels[move] + 1) % factors_[move].levels;
  }
  return std::nullopt;
}

} // namespace ts::conformance
