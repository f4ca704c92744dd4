#include "conformance/case.h"

#include "runtime/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace ts::conformance {

namespace {

constexpr std::array<std::string_view, 7> kSources = {"integers", "ties",   "specials", "domain",
                                                      "tenth",    "golden", "table"};
constexpr std::array<std::string_view, 8> kIndexKinds = {"random",   "identity", "reversed", "equal",
                                                         "boundary", "past_end", "negative", "far"};
constexpr std::array<std::string_view, 4> kAliases = {"none", "one_buffer", "same", "shifted"};

std::string dtypes_name(const Case& c) {
  const std::vector<int32_t>& in = c.instance->in;
  const std::vector<int32_t>& out = c.instance->out;
  const auto is_first = [&](int32_t dtype) { return dtype == in.front(); };
  if (!in.empty() && std::all_of(in.begin(), in.end(), is_first) && std::all_of(out.begin(), out.end(), is_first))
    return judge::name_of(in.front());
  std::string text;
  for (const int32_t dtype : in) text += fmt::format("{}_", judge::name_of(dtype));
  text += "to";
  for (const int32_t dtype : out) text += fmt::format("_{}", judge::name_of(dtype));
  return text;
}

std::string shapes_name(const std::vector<Shape>& shapes) {
  if (std::all_of(shapes.begin(), shapes.end(), [&](const Shape& s) { return s == shapes.front(); }))
    return shape_name(shapes.front());
  std::string text;
  for (const Shape& shape : shapes) text += (text.empty() ? "" : "_") + shape_name(shape);
  return text;
}

std::string integer_name(int64_t value) {
  const std::string text = std::to_string(value);
  return value < 0 ? "neg" + text.substr(1) : text;
}

std::string axes_name(int64_t mask) {
  std::string text;
  for (int k = 0; k < 63; ++k)
    if ((mask >> k & 1) != 0) text += fmt::format("{}{}", text.empty() ? "" : "_", k);
  return text.empty() ? "none" : text;
}

std::string attributes_name(const Case& c) {
  std::string text;
  for (const judge::AttributeRow& row : c.op->attributes) {
    const ts_attribute& value = c.attributes.at(row.name);
    const std::string written = row.kind == "axes"                ? axes_name(value.integer)
                                : value.kind == TS_ATTRIBUTE_REAL ? real_name(value.real)
                                                                  : integer_name(value.integer);
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", row.name, written);
  }
  return text;
}

std::string layouts_name(const Case& c) {
  std::string text;
  for (size_t k = 0; k < c.operands.size(); ++k)
    text += fmt::format("{}={},", c.op->operands[k].name, name_of(c.operands[k]));
  const bool only_one = c.op->outputs.size() == 1;
  for (size_t k = 0; k < c.outputs.size(); ++k) {
    if (k == 0 && c.route == Route::in_place) continue;
    text += fmt::format("{}={},", only_one ? "out" : c.op->outputs[k], name_of(c.outputs[k]));
  }
  text.pop_back();
  return text;
}

std::string route_name(const Case& c) {
  if (c.route == Route::fresh) return "new";
  if (c.route == Route::into_view) return "into_view";
  return "in_place_" + c.op->operands[static_cast<size_t>(c.in_place)].name;
}

std::string values_name(const Case& c) {
  std::string text(name_of(c.values.source));
  if (c.values.source == Source::golden) text += "=" + c.values.set;
  if (c.values.source == Source::table) text += fmt::format("={},group={}", c.values.set, c.values.group);
  const bool generated = c.values.source != Source::golden && c.values.source != Source::table;
  if (generated && index_operand(*c.op) >= 0) text += fmt::format(",index={}", name_of(c.values.index));
  return text;
}

} // namespace

std::string_view name_of(Source source) { return kSources[static_cast<size_t>(source)]; }
std::string_view name_of(IndexKind kind) { return kIndexKinds[static_cast<size_t>(kind)]; }
std::string_view name_of(Alias alias) { return kAliases[static_cast<size_t>(alias)]; }

std::string shape_name(const Shape& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (const int64_t extent : shape) text += fmt::format("{}{}", text.empty() ? "" : "x", extent);
  return text;
}

Shape shape_named(std::string_view text) {
  Shape shape;
  if (text == "scalar") return shape;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    int64_t extent = -1;
    const auto [next, problem] = std::from_chars(at, end, extent);
    if (problem != std::errc() || extent < 0) break;
    shape.push_back(extent);
    if (next == end) return shape;
    if (*next != 'x') break;
    at = next + 1;
  }
  throw ValueError(fmt::format("'{}' is not a shape such as 3x5x7 or scalar", text));
}

std::string real_name(double value) {
  std::string text;
  for (const char letter : judge::shortest_text(TS_DTYPE_F64, value)) {
    if (letter == '-')
      text += "neg";
    else if (letter == '.')
      text += 'p';
    else if (letter != '+')
      text += letter;
  }
  return text;
}

double real_named(std::string_view text) {
  std::string plain;
  for (size_t k = 0; k < text.size(); ++k) {
    if (text.substr(k, 3) == "neg") {
      plain += '-';
      k += 2;
    } else {
      plain += text[k] == 'p' ? '.' : text[k];
    }
  }
  char* end = nullptr;
  const double value = std::strtod(plain.c_str(), &end);
  if (plain.empty() || *end != '\0') throw ValueError(fmt::format("'{}' is not a number", text));
  return value;
}

std::string Case::name() const {
  std::string text = fmt::format("{}/{}/{}/{}", op->family, op->name, dtypes_name(*this), shapes_name(shapes));
  if (!op->attributes.empty()) text += "/" + attributes_name(*this);
  text += fmt::format("/{}/{}/{}", layouts_name(*this), route_name(*this), values_name(*this));
  if (alias != Alias::none) text += fmt::format("/alias={}", name_of(alias));
  return text;
}

int inout_operand(const judge::Op& op) {
  for (size_t k = 0; k < op.operands.size(); ++k)
    if (op.operands[k].role == judge::Role::inout) return static_cast<int>(k);
  return -1;
}

int index_operand(const judge::Op& op) {
  for (size_t k = 0; k < op.operands.size(); ++k)
    if (op.operands[k].role == judge::Role::index) return static_cast<int>(k);
  return -1;
}

bool has_rows(const judge::Op& op) { return op.family == "softmax" || op.family == "normalize"; }

bool has_groups(const judge::Op& op) {
  return op.family == "reduce" || op.family == "arg_reduce" || op.family == "sort" || op.family == "scan" ||
         has_rows(op);
}

bool takes_index_list(const judge::Op& op) { return op.shape.find("rank(index) = 1") != std::string::npos; }

} // namespace ts::conformance
