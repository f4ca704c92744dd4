// The other way: from a name to the case it names.
#include "conformance/case.h"
#include "runtime/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ts::conformance {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t at = 0;;) {
    const size_t next = text.find(separator, at);
    parts.push_back(text.substr(at, next - at));
    if (next == std::string_view::npos) return parts;
    at = next + 1;
  }
}

std::pair<std::string_view, std::string_view> key_value(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) throw ValueError(fmt::format("'{}' is not key=value", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

int64_t integer_named(std::string_view text) {
  std::string plain(text);
  if (plain.starts_with("neg")) plain = "-" + plain.substr(3);
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (problem != std::errc() || end != plain.data() + plain.size())
    throw ValueError(fmt::format("'{}' is not an integer", text));
  return value;
}

// A level by its name; every enum of a case ends with a known last one.
template <class Level> Level level_named(std::string_view text, Level last, const char* what) {
  for (int k = 0; k <= static_cast<int>(last); ++k)
    if (name_of(static_cast<Level>(k)) == text) return static_cast<Level>(k);
  throw ValueError(fmt::format("'{}' is not a {}", text, what));
}

const judge::Instance* instance_named(const judge::Op& op, std::string_view text) {
  std::vector<int32_t> in, out;
  bool after = false, has_arrow = false;
  for (const std::string_view part : split(text, '_')) {
    if (part == "to") {
      after = has_arrow = true;
      continue;
    }
    const int32_t dtype = judge::dtype_named(part);
    if (dtype == 0) throw ValueError(fmt::format("'{}' is not a dtype", part));
    (after ? out : in).push_back(dtype);
  }
  if (!has_arrow) {
    out.assign(op.outputs.size(), in.front());
    in.assign(op.operands.size(), out.front());
  }
  const judge::Instance* instance = op.instance(in, out);
  if (instance == nullptr) throw ValueError(fmt::format("{} takes no dtypes {}", op.name, text));
  return instance;
}

std::vector<Shape> shapes_named(const judge::Op& op, std::string_view text) {
  const size_t count = std::max<size_t>(op.operands.size(), 1);
  std::vector<Shape> shapes;
  for (const std::string_view part : split(text, '_')) shapes.push_back(shape_named(part));
  if (shapes.size() == 1) shapes.resize(count, shapes.front());
  if (shapes.size() != count)
    throw ValueError(fmt::format("'{}' has not one shape for each of {} operands", text, count));
  return shapes;
}

int64_t axes_named(std::string_view text) {
  int64_t mask = 0;
  if (text == "none") return mask;
  for (const std::string_view axis : split(text, '_')) {
    const int64_t k = integer_named(axis);
    if (k < 0 || k > 62) throw ValueError(fmt::format("'{}' is not an axis", axis));
    mask |= int64_t{1} << k;
  }
  return mask;
}

// The dtype that an attribute `of x` or `of z` follows.
int32_t followed_dtype(const Case& c, const std::string& name) {
  const int operand = c.op->operand(name);
  return operand >= 0 ? c.instance->in[static_cast<size_t>(operand)] : c.instance->out.front();
}

ts_attribute attribute_named(const Case& c, const judge::AttributeRow& row, std::string_view text) {
  if (row.kind == "axes") return judge::integer_attribute(axes_named(text));
  const bool real =
      row.kind == "real" || (row.kind.starts_with("of ") && judge::is_floating(followed_dtype(c, row.kind.substr(3))));
  return real ? judge::real_attribute(real_named(text)) : judge::integer_attribute(integer_named(text));
}

void read_attributes(Case& c, std::string_view text) {
  for (const std::string_view part : split(text, ',')) {
    const auto [key, value] = key_value(part);
    const judge::AttributeRow* row = c.op->attribute(key);
    if (row == nullptr) throw ValueError(fmt::format("{} has no attribute '{}'", c.op->name, key));
    c.attributes[std::string(key)] = attribute_named(c, *row, value);
  }
  for (const judge::AttributeRow& row : c.op->attributes)
    if (c.attributes.count(row.name) == 0) throw ValueError(fmt::format("attribute '{}' is missing", row.name));
}

void read_layouts(Case& c, std::string_view text) {
  std::vector<bool> seen(c.op->operands.size() + c.op->outputs.size(), false);
  c.operands.assign(c.op->operands.size(), Layout::dense);
  c.outputs.assign(c.op->outputs.size(), Layout::dense);
  for (const std::string_view part : split(text, ',')) {
    const auto [key, value] = key_value(part);
    const Layout layout = level_named<Layout>(value, Layout::immediate, "layout");
    const int operand = c.op->operand(key);
    const auto output = c.op->outputs.size() == 1 && key == "out"
                            ? c.op->outputs.begin()
                            : std::find(c.op->outputs.begin(), c.op->outputs.end(), key);
    if (operand < 0 && output == c.op->outputs.end())
      throw ValueError(fmt::format("{} has no operand or output '{}'", c.op->name, key));
    const auto k = static_cast<size_t>(operand >= 0 ? operand : output - c.op->outputs.begin());
    (operand >= 0 ? c.operands : c.outputs)[k] = layout;
    seen[operand >= 0 ? k : c.op->operands.size() + k] = true;
  }
  if (c.route == Route::in_place) {
    c.outputs.front() = c.operands[static_cast<size_t>(c.in_place)];
    seen[c.op->operands.size()] = true;
  }
  if (std::find(seen.begin(), seen.end(), false) != seen.end())
    throw ValueError(fmt::format("'{}' names not every operand and output of {}", text, c.op->name));
}

void read_route(Case& c, std::string_view text) {
  constexpr std::string_view kInPlace = "in_place_";
  if (text == "new")
    c.route = Route::fresh;
  else if (text == "into_view")
    c.route = Route::into_view;
  else if (text.starts_with(kInPlace)) {
    c.route = Route::in_place;
    c.in_place = c.op->operand(text.substr(kInPlace.size()));
    if (c.in_place < 0) throw ValueError(fmt::format("'{}' names no operand of {}", text, c.op->name));
  } else {
    throw ValueError(fmt::format("'{}' is not a route: new, into_view, in_place_OPERAND", text));
  }
}

void read_values(Case& c, std::string_view text) {
  for (const std::string_view part : split(text, ',')) {
    if (part.starts_with("golden=")) {
      c.values.source = Source::golden;
      c.values.set = key_value(part).second;
    } else if (part.starts_with("table=")) {
      c.values.source = Source::table;
      c.values.set = key_value(part).second;
    } else if (part.starts_with("group=")) {
      c.values.group = static_cast<int>(integer_named(key_value(part).second));
    } else if (part.starts_with("index=")) {
      c.values.index = level_named<IndexKind>(key_value(part).second, IndexKind::far, "kind of index");
    } else {
      c.values.source = level_named<Source>(part, Source::tenth, "source of values");
    }
  }
}

// Throws where a shape leaves int64, or what a case may hold. An extent of 0 makes no other one smaller: strides and
// buffers of its layouts are computed all the same.
void hold_shape(const Shape& shape, std::string_view what) {
  if (shape.size() > TS_RANK_MAX)
    throw ValueError(fmt::format("[layout.21] {} of shape {} has {} axes, a view at the door has at most {}", what,
                                 shape_name(shape), shape.size(), TS_RANK_MAX));
  int64_t count = 1;
  bool beyond = false;
  for (const int64_t extent : shape)
    beyond = __builtin_mul_overflow(count, std::max<int64_t>(extent, 1), &count) || beyond;
  if (beyond)
    throw ValueError(
        fmt::format("[layout.15] {} of shape {} has more elements than int64 counts", what, shape_name(shape)));
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  if (count > kCaseElementsMax)
    throw ValueError(fmt::format("{} of shape {} has {} elements{}, a case holds at most {}", what, shape_name(shape),
                                 count, empty ? " where an extent of 0 counts as 1" : "", kCaseElementsMax));
}

void hold_layout(Layout layout, const Shape& shape) {
  if (layout != Layout::immediate) buffer_elements(layout, shape, 1);
}

// What a name may say and no tensor can be: what is left is a call, right or wrong.
void hold_together(const Case& c) {
  for (size_t k = 0; k < c.shapes.size(); ++k)
    hold_shape(c.shapes[k], c.op->operands.empty() ? "the result" : c.op->operands[k].name);
  const std::string& family = c.op->family;
  if (family == "matmul" && (c.shapes[0].size() < 2 || c.shapes[1].size() != c.shapes[0].size()))
    throw ValueError("the operands of a product have one rank, of 2 or more");
  if (const int index = index_operand(*c.op); index >= 0) {
    const size_t rank = c.shapes[static_cast<size_t>(index)].size();
    if (takes_index_list(*c.op) ? rank != 1 : rank != c.shapes.front().size())
      throw ValueError(
          fmt::format("an index of rank {} does not go with an operand of rank {}", rank, c.shapes.front().size()));
  }
  const Shape result = result_shape(c, 0);
  hold_shape(result, "the result");
  for (size_t k = 0; k < c.operands.size(); ++k) hold_layout(c.operands[k], c.shapes[k]);
  for (size_t k = 0; k < c.outputs.size(); ++k) hold_layout(c.outputs[k], result_shape(c, k));
  const int inout = inout_operand(*c.op);
  if (inout >= 0 && (c.route != Route::in_place || c.in_place != inout))
    throw ValueError(
        fmt::format("{} writes over its operand {}", c.op->name, c.op->operands[static_cast<size_t>(inout)].name));
  if (c.route == Route::in_place) {
    const auto over = static_cast<size_t>(c.in_place);
    if (c.shapes[over] != result || judge::bytes_of(c.instance->in[over]) != judge::bytes_of(c.instance->out.front()))
      throw ValueError(fmt::format("the result does not lie on operand {}", c.op->operands[over].name));
  }
  for (const Layout layout : c.outputs)
    if (!is_injective(layout)) throw ValueError(fmt::format("[layout.19] a result cannot lie {}", name_of(layout)));
  if (c.alias == Alias::none || c.alias == Alias::one_buffer) return;
  const bool alike = c.shapes.size() > 1 && c.shapes[0] == c.shapes[1] && c.instance->in[0] == c.instance->in[1];
  if (!alike) throw ValueError("operands of two shapes or dtypes are not one view");
  if (c.operands[0] == Layout::immediate || c.operands[1] == Layout::immediate)
    throw ValueError("an immediate shares no storage");
}

} // namespace

Case parse_case(std::string_view name, const judge::Spec& spec) {
  const std::vector<std::string_view> parts = split(name, '/');
  try {
    if (parts.size() < 7) throw ValueError("a name has at least family/op/dtypes/shape/layouts/route/values");
    Case c;
    c.op = spec.find(parts[1]);
    if (c.op == nullptr || c.op->family != parts[0]) throw ValueError(fmt::format("no op '{}/{}'", parts[0], parts[1]));
    c.instance = instance_named(*c.op, parts[2]);
    c.shapes = shapes_named(*c.op, parts[3]);
    size_t at = 4;
    if (!c.op->attributes.empty()) read_attributes(c, parts[at++]);
    if (parts.size() < at + 3) throw ValueError("layouts, route or values are missing");
    read_route(c, parts[at + 1]);
    read_layouts(c, parts[at]);
    read_values(c, parts[at + 2]);
    if (parts.size() > at + 3) c.alias = level_named<Alias>(key_value(parts[at + 3]).second, Alias::shifted, "alias");
    hold_together(c);
    if (c.name() != name) throw ValueError(fmt::format("read back it is '{}'", c.name()));
    return c;
  } catch (const ValueError& problem) {
    throw ValueError(fmt::format("case name '{}': {}", name, problem.what()));
  }
}

Shape result_shape(const Case& c, size_t output) {
  (void)output; // every output of an op of today has the shape of the first
  const std::string& family = c.op->family;
  Shape shape = c.shapes.front();
  const auto attribute = [&](const char* name) { return c.attributes.at(name).integer; };
  // An axis that does not exist is a case too: the call is refused, whatever the shape of its result.
  int64_t nowhere = 0;
  const auto axis = [&]() -> int64_t& {
    const int64_t k = attribute("axis");
    return k >= 0 && k < static_cast<int64_t>(shape.size()) ? shape[static_cast<size_t>(k)] : nowhere;
  };
  if (family == "reduce") {
    for (size_t k = 0; k < shape.size(); ++k)
      if ((attribute("axes") >> k & 1) != 0) shape[k] = 1;
  } else if (family == "arg_reduce") {
    axis() = 1;
  } else if (family == "matmul" && !shape.empty()) {
    shape.back() = c.shapes[1].back();
  } else if (family == "gather") {
    const Shape& index = c.shapes[static_cast<size_t>(index_operand(*c.op))];
    if (!takes_index_list(*c.op)) return index;
    axis() = index.front();
  } else if (family == "sort" && c.op->attribute("k") != nullptr) {
    axis() = std::max<int64_t>(attribute("k"), 0);
  }
  return shape;
}

} // namespace ts::conformance
