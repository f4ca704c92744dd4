// Cases beside the orthogonal array: what a level of it would waste, and what needs a shape of its own.
#include "conformance/select/factors.h"
#include "conformance/select/select.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace ts::conformance {

namespace {

// Walks the instances of an op, so that extra cases are spread over its dtypes.
class Rotation {
public:
  explicit Rotation(const judge::Op& op) : op_(op), next_(static_cast<size_t>(op.id)) {}
  const judge::Instance& next() { return op_.instances[next_++ % op_.instances.size()]; }
  /// One whose oracle needs no higher precision, where there is one.
  const judge::Instance& next_cheap() {
    for (size_t tried = 0; tried < op_.instances.size(); ++tried)
      if (const judge::Instance& instance = next(); instance.eval != judge::Eval::real) return instance;
    return next();
  }

private:
  const judge::Op& op_;
  size_t next_;
};

bool has_axis(const judge::Op& op) { return op.attribute("axis") != nullptr; }
bool has_axes(const judge::Op& op) { return op.attribute("axes") != nullptr; }

bool floating(const judge::Instance& i) { return !i.in.empty() && judge::is_floating(i.in.front()); }

// Attributes that are no axis leave their middle, each at another turn.
void turn_attributes(Case& c, uint64_t turn) {
  for (const judge::AttributeRow& row : c.op->attributes)
    if (row.kind != "axis" && row.kind != "axes")
      c.attributes[row.name] = attribute_value(c, row, static_cast<int>(turn++ % 3));
}

// Rows further apart than 2^16 elements, however few they are.
void add_pitched_case(const judge::Op& op, const judge::Instance& instance, std::vector<Case>& cases) {
  Case c = dense_case(op, instance, {3, 5}, static_cast<int64_t>(op.id % 2));
  for (size_t k = 0; k < c.operands.size(); ++k)
    c.operands[k] = exists_for(Layout::pitched, c.shapes[k]) ? Layout::pitched : Layout::offset_1;
  if (c.route == Route::in_place) {
    c.outputs.front() = c.operands[static_cast<size_t>(c.in_place)];
  } else {
    std::fill(c.outputs.begin(), c.outputs.end(), Layout::pitched);
    c.route = Route::into_view;
  }
  cases.push_back(c);
}

void add_large_products(const judge::Op& op, Rotation& dtypes, std::vector<Case>& cases) {
  uint64_t turn = 0;
  for (const auto& [x, y] : {std::pair<Shape, Shape>{{65537, 2}, {2, 1}},
                             {{1, 65537}, {65537, 2}},
                             {{2, 1}, {1, 65537}},
                             {{2, 3}, {3, 65537}},
                             {{65537, 1, 2}, {65537, 2, 1}}}) {
    Case c = dense_case(op, dtypes.next_cheap(), x);
    c.shapes = {x, y};
    if (++turn % 2 == 0) vary_layouts(c, 3 + 2 * turn);
    cases.push_back(c);
  }
  // Tiles of any usual side that lie wholly inside, several in each direction, over more than one step of their depth.
  for (const judge::Instance& instance : op.instances) {
    for (const auto& [x, y] :
         {std::pair<Shape, Shape>{{130, 17}, {17, 131}}, {{66, 33}, {33, 32}}, {{2, 65, 18}, {2, 18, 66}}}) {
      Case c = dense_case(op, instance, x);
      c.shapes = {x, y};
      if (x.size() > 2) vary_layouts(c, 3 + 2 * ++turn);
      cases.push_back(c);
    }
  }
}

// Rows of 768, which is no power of two, more of them than one worker takes at once; several squares of operands that are
// dense along different axes; and truth values by two broadcasts, past the end of a 16-bit counter.
void add_grid_cases(const judge::Op& op, Rotation& dtypes, std::vector<Case>& cases) {
  cases.push_back(dense_case(op, dtypes.next_cheap(), {6, 768}));
  cases.push_back(dense_case(op, dtypes.next_cheap(), {48, 32}));
  cases.back().operands.front() = Layout::transposed;
  // Squares cut off on both sides, in several planes, beside an operand that is one value along an axis.
  cases.push_back(dense_case(op, dtypes.next_cheap(), {3, 70, 18}));
  cases.back().operands.front() = Layout::transposed;
  cases.back().operands.back() = op.operands.size() > 1 ? Layout::broadcast_inner : Layout::transposed;
  const auto truth = [](const judge::Instance& instance) {
    return std::all_of(instance.in.begin(), instance.in.end(), [](int32_t dtype) { return dtype == TS_DTYPE_BOOL; });
  };
  const auto found = std::find_if(op.instances.begin(), op.instances.end(), truth);
  if (op.operands.size() != 2 || found == op.instances.end()) return;
  Case c = dense_case(op, *found, {129, 513});
  c.operands = {Layout::broadcast_inner, Layout::broadcast_outer};
  cases.push_back(c);
}

// Several lines whose parts have parts themselves: three levels where a level takes runs of 64.
void add_deep_cases(const judge::Op& op, Rotation& dtypes, std::vector<Case>& cases) {
  cases.push_back(dense_case(op, dtypes.next_cheap(), {4161, 3}, 0));
  Case c = dense_case(op, dtypes.next(), {2, 4161, 2}, 1);
  vary_layouts(c, static_cast<uint64_t>(op.id));
  cases.push_back(c);
}

// Rows around the sizes at which a block's way with them changes: a chunk, two, four; each dense, then in other layouts.
void add_row_cases(const judge::Op& op, std::vector<Case>& cases) {
  uint64_t turn = 0;
  for (const judge::Instance& instance : op.instances) {
    for (const int64_t length :
         {int64_t{4095}, int64_t{4096}, int64_t{8192}, int64_t{8193}, int64_t{16384}, int64_t{16385}}) {
      // Every length meets every dtype; wider rows in the one layout or the other.
      Case c = dense_case(op, instance, length % 2 == 0 ? Shape{2, length} : Shape{1, length}, 1);
      c.values.source = turn % 2 == 0 ? Source::domain : Source::integers;
      if (turn % 3 == 2) vary_layouts(c, turn);
      cases.push_back(c);
      ++turn;
    }
    // Several rows to a block, the last block not full; and rows of one, two and three elements.
    for (const Shape& shape : {Shape{257, 5}, Shape{33, 31}, Shape{300, 1}, Shape{513, 2}, Shape{65, 3}}) {
      Case c = dense_case(op, instance, shape, 1);
      c.values.source = Source::domain;
      if (turn % 3 == 1) vary_layouts(c, turn);
      cases.push_back(c);
      ++turn;
    }
  }
}

// Copies that turn rows into columns, around the sizes of tiles, and copies of whole lines of 16 bytes.
void add_transposition_cases(const judge::Op& op, const judge::Instance& instance, std::vector<Case>& cases) {
  for (const auto& [shape, from, to] : {std::tuple<Shape, Layout, Layout>{{33, 65}, Layout::transposed, Layout::dense},
                                        {{64, 32}, Layout::transposed, Layout::narrowed},
                                        {{2, 31, 47}, Layout::transposed, Layout::offset_1},
                                        {{17, 3, 40}, Layout::permuted, Layout::dense},
                                        {{40, 3, 16}, Layout::gap_free, Layout::reversed_outer},
                                        {{33, 65}, Layout::dense, Layout::transposed},
                                        {{70, 130}, Layout::transposed, Layout::dense}, // several tiles each way
                                        {{5, 16}, Layout::stepped_outer, Layout::dense},
                                        {{3, 5, 32}, Layout::reversed_outer, Layout::stepped_outer}}) {
    Case c = dense_case(op, instance, shape);
    c.operands[0] = from;
    c.outputs[0] = to;
    c.route = to == Layout::dense ? Route::fresh : Route::into_view;
    cases.push_back(c);
  }
}

} // namespace

void add_empty_cases(const judge::Op& op, std::vector<Case>& cases) {
  Rotation dtypes(op);
  const std::array<Shape, 4> shapes = {{{0}, {0, 3, 5}, {3, 0, 5}, {3, 5, 0}}};
  uint64_t turn = static_cast<uint64_t>(op.id);
  for (const Shape& shape : shapes) {
    if (op.family == "matmul" && shape.size() < 2) continue;
    const auto rank = static_cast<int64_t>(shape.size());
    // Along the empty axis and along another: a group that is empty, and no group at all.
    for (int64_t axis = 0; axis < (has_axis(op) || has_axes(op) ? rank : 1); ++axis) {
      Case c = dense_case(op, dtypes.next(), shape, has_axis(op) || has_axes(op) ? axis : -1);
      if (turn % 2 == 0) vary_layouts(c, turn);
      ++turn;
      cases.push_back(c);
    }
  }
  if (op.family != "matmul") return;
  for (const auto& [x, y] :
       {std::pair<Shape, Shape>{{3, 5}, {5, 0}}, {{2, 3, 0}, {2, 0, 5}}, {{1, 0}, {0, 4}}, {{4, 0}, {0, 1}}}) {
    Case c = dense_case(op, dtypes.next(), x);
    c.shapes = {x, y};
    vary_layouts(c, turn += 3);
    cases.push_back(c);
  }
}

// Several lines, each too long for a block of a sort that needs a total order of few keys.
void add_line_cases(const judge::Op& op, std::vector<Case>& cases) {
  auto turn = static_cast<uint64_t>(op.id);
  for (const judge::Instance& each : op.instances) {
    const int64_t axis = static_cast<int64_t>(turn / 2 % 2);
    cases.push_back(dense_case(op, each, axis == 0 ? Shape{2500, 3} : Shape{3, 2500}, axis));
    turn_attributes(cases.back(), turn++);
  }
  if (op.attribute("k") == nullptr) return;
  // Much of a long line is kept: around the sizes up to which what is kept is found before it is sorted, and all of it.
  for (const judge::Instance& each : op.instances) {
    for (const int64_t kept : {64, 255, 256, 257, 1300}) {
      cases.push_back(dense_case(op, each, {2, turn % 2 == 0 ? 1300 : 2500}, 1));
      cases.back().values.source = turn / 2 % 2 == 0 ? Source::domain : Source::integers;
      turn_attributes(cases.back(), turn++);
      cases.back().attributes["k"] = judge::integer_attribute(kept);
    }
  }
}

// Rows that whole runs fill to the last element, at every distance from an aligned four, the last of them three past one: nothing
// beside them may be read.
void add_narrowed_rows(const judge::Op& op, std::vector<Case>& cases) {
  uint64_t turn = 0;
  for (const judge::Instance& each : op.instances) {
    cases.push_back(dense_case(op, each, turn % 4 == 0 ? Shape{4, 4096} : Shape{4, 16}, 1));
    cases.back().operands[0] = Layout::narrowed;
    turn_attributes(cases.back(), turn++);
  }
}

void add_large_cases(const judge::Op& op, std::vector<Case>& cases) {
  Rotation dtypes(op);
  add_pitched_case(op, dtypes.next(), cases);
  if (op.family == "matmul") return add_large_products(op, dtypes, cases);
  const bool elementwise = op.family == "elementwise";
  if (elementwise) add_grid_cases(op, dtypes, cases);
  if (op.family == "reduce" || op.family == "arg_reduce" || op.family == "scan" || has_rows(op))
    add_deep_cases(op, dtypes, cases);
  if (has_rows(op)) add_row_cases(op, cases);
  if (op.family == "sort") add_line_cases(op, cases);
  if (op.family == "reduce" || op.family == "arg_reduce") add_narrowed_rows(op, cases);
  // Every tuple of dtypes has its own width of a vector, and here more than one block of them and a tail.
  auto turn = static_cast<uint64_t>(op.id);
  for (const judge::Instance& each : op.instances) {
    cases.push_back(dense_case(op, each, {4099}));
    turn_attributes(cases.back(), turn++);
  }
  const std::array<int64_t, 4> edge = {65537, 65536, 65535, 65534};
  const auto id = static_cast<uint64_t>(op.id);
  const judge::Instance& instance = dtypes.next_cheap();
  // One planner serves all elementwise ops: a quarter of them carry its long cases. A sum in higher precision costs a
  // microsecond a term, so where there is no other kind of instance it stays shorter.
  const bool reduces = op.family == "reduce" || op.family == "scan" || has_rows(op);
  const bool costly = reduces && instance.eval == judge::Eval::real;
  const bool carries = !elementwise || id % 4 == 0;
  cases.push_back(dense_case(op, instance, {costly || !carries ? 4097 : edge[(elementwise ? id / 4 + 1 : id) % 4]}));
  turn_attributes(cases.back(), turn);
  if (costly || (elementwise && id % 8 != 0)) return;
  Case c = dense_case(op, dtypes.next_cheap(), id % 2 == 0 ? Shape{2, 65537} : Shape{65537, 2},
                      static_cast<int64_t>(id / 2 % 2));
  for (size_t k = 0; k < c.operands.size(); ++k)
    c.operands[k] = c.shapes[k].size() < 2 ? Layout::offset_1 : k % 2 == 0 ? Layout::narrowed : Layout::transposed;
  if (c.route == Route::in_place) c.outputs.front() = c.operands[static_cast<size_t>(c.in_place)];
  turn_attributes(c, turn + 1);
  cases.push_back(c);
}

void add_alias_cases(const judge::Op& op, std::vector<Case>& cases) {
  if (op.operands.size() < 2 || index_operand(op) >= 0) return;
  Rotation dtypes(op);
  int made = 0;
  for (size_t tried = 0; tried < 2 * op.instances.size() && made < 8; ++tried) {
    const judge::Instance& instance = dtypes.next();
    if (instance.in[0] != instance.in[1]) continue;
    const Shape shape = made % 2 == 0 ? Shape{7, 7} : Shape{2, 33, 33};
    Case c = dense_case(op, instance, shape);
    const Layout layout = layout_in(made % kWritableGroups, shape, 0, false).value_or(Layout::dense);
    c.operands[0] = c.operands[1] = layout;
    c.alias = made % 2 == 0 ? Alias::shifted : Alias::same;
    if (made >= 4 && op.family == "elementwise" && c.alias == Alias::same &&
        judge::bytes_of(instance.in[0]) == judge::bytes_of(instance.out[0])) {
      c.route = Route::in_place;
      c.in_place = 0;
      c.outputs[0] = layout;
    }
    cases.push_back(c);
    ++made;
  }
}

void add_axes_cases(const judge::Op& op, std::vector<Case>& cases) {
  if (!has_axes(op)) return;
  Rotation dtypes(op);
  uint64_t turn = 0;
  for (const Shape& shape : {Shape{3, 2, 5, 4}, Shape{5, 3, 7}}) {
    for (int64_t mask = 0; mask < int64_t{1} << shape.size(); ++mask) {
      Case c = dense_case(op, dtypes.next(), shape);
      c.attributes["axes"] = judge::integer_attribute(mask);
      vary_layouts(c, turn += 5);
      cases.push_back(c);
    }
  }
}

void add_error_cases(const judge::Op& op, std::vector<Case>& cases) {
  Rotation dtypes(op);
  if (index_operand(op) >= 0) {
    for (const IndexKind kind : {IndexKind::past_end, IndexKind::negative, IndexKind::far}) {
      // The last one has lines that a kernel may move by wide loads, where one index stands for many of its work items.
      const Shape shapes[] = {{33}, {5, 7}, {5, 7}, {11, 16}};
      for (int k = 0; k < 4; ++k) {
        Case c = dense_case(op, dtypes.next(), shapes[k], k >= 2 ? 0 : -1);
        c.values.index = kind;
        if (k == 1) vary_layouts(c, 4);
        cases.push_back(c);
      }
    }
  }
  for (const judge::AttributeRow& row : op.attributes) {
    if (row.kind != "axis" && row.kind != "axes") continue;
    for (const int64_t past : {int64_t{2}, int64_t{7}}) {
      Case c = dense_case(op, dtypes.next(), {3, 5});
      c.attributes[row.name] = judge::integer_attribute(row.kind == "axis" ? past : (int64_t{1} << past) | 1);
      cases.push_back(c);
    }
    if (row.kind == "axis") {
      Case c = dense_case(op, dtypes.next(), {3, 5});
      c.attributes[row.name] = judge::integer_attribute(-1);
      cases.push_back(c);
    }
  }
}

void add_numeric_cases(const judge::Op& op, std::vector<Case>& cases) {
  if (op.family != "reduce" && op.family != "scan" && !has_rows(op)) return;
  for (const judge::Instance& instance : op.instances) {
    if (!floating(instance) || instance.tolerance == "exact") continue;
    Case c = dense_case(op, instance, {4097});
    c.values.source = Source::tenth;
    cases.push_back(c);
    c = dense_case(op, instance, {3, 1025}, 1);
    c.values.source = Source::domain;
    vary_layouts(c, 2);
    cases.push_back(c);
  }
}

void add_conversion_cases(const judge::Op& op, std::vector<Case>& cases) {
  if (op.family != "convert") return;
  uint64_t turn = 0;
  for (const judge::Instance& instance : op.instances) {
    if (instance.in == instance.out) add_transposition_cases(op, instance, cases);
    for (const Source source : {Source::specials, Source::domain}) {
      Case c = dense_case(op, instance, source == Source::specials ? Shape{8, 33} : Shape{3, 5, 37});
      c.values.source = source;
      cases.push_back(c);
      vary_layouts(c, turn += 5);
      cases.push_back(c);
    }
    Case c = dense_case(op, instance, {5, 7});
    c.values.source = Source::specials;
    c.operands[0] = turn % 2 == 0 ? Layout::broadcast_outer : Layout::broadcast_inner;
    cases.push_back(c);
  }
}

} // namespace ts::conformance
