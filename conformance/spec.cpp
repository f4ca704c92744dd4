// Reading spec.json. Every fault names the document, the path in it and what was expected there.
#include "conformance/spec.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace ts::judge {
namespace {

using nlohmann::json;

/// A place in the document: what is read there, and how to name it in an error.
class Place {
public:
  Place(const json& value, std::string path) : value_(value), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& what) const { throw InputError(fmt::format("{}: {}", path_, what)); }

  bool has(const char* key) const { return value_.is_object() && value_.contains(key) && !value_[key].is_null(); }
  Place at(const char* key) const {
    if (!value_.is_object()) fail("expected an object");
    if (!value_.contains(key)) fail(fmt::format("key \"{}\" is missing", key));
    return {value_[key], path_ + "/" + key};
  }
  std::string text() const {
    if (!value_.is_string()) fail("expected a string");
    return value_.get<std::string>();
  }
  std::string text(const char* key) const { return at(key).text(); }
  std::string text_or(const char* key, const std::string& otherwise) const { return has(key) ? text(key) : otherwise; }
  /// A scalar as it was written.
  std::string scalar() const {
    if (value_.is_string()) return value_.get<std::string>();
    if (!value_.is_primitive()) fail("expected a number, string or bool");
    return value_.dump();
  }
  int64_t integer(const char* key) const {
    const Place place = at(key);
    if (!place.value_.is_number_integer()) place.fail("expected an integer");
    return place.value_.get<int64_t>();
  }
  size_t position() const {
    if (!value_.is_number_unsigned()) fail("expected a position from 0");
    return value_.get<size_t>();
  }
  int line() const { return has("line") ? static_cast<int>(integer("line")) : 0; }
  std::vector<Place> items() const {
    if (!value_.is_array()) fail("expected a list");
    std::vector<Place> result;
    for (size_t i = 0; i < value_.size(); ++i) result.emplace_back(value_[i], fmt::format("{}/{}", path_, i));
    return result;
  }
  std::vector<Place> items(const char* key) const { return has(key) ? at(key).items() : std::vector<Place>{}; }
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> result;
    for (const Place& item : items(key)) result.push_back(item.scalar());
    return result;
  }
  std::vector<std::pair<std::string, Place>> entries() const {
    if (!value_.is_object()) fail("expected an object");
    std::vector<std::pair<std::string, Place>> result;
    for (const auto& [key, value] : value_.items()) result.emplace_back(key, Place(value, path_ + "/" + key));
    return result;
  }
  int32_t dtype() const {
    const int32_t result = dtype_named(text());
    if (result == 0) fail(fmt::format("\"{}\" is not a dtype", text()));
    return result;
  }
  const json& value() const { return value_; }

private:
  const json& value_;
  std::string path_;
};

Tree read_tree(const Place& place) {
  const std::vector<Place> items = place.items();
  if (items.size() < 2) place.fail("expected an expression [kind, text, ..]");
  Tree tree;
  const std::string kind = items[0].text();
  tree.text = items[1].scalar();
  if (kind == "name") {
    tree.kind = Tree::Kind::name;
  } else if (kind == "number") {
    tree.kind = Tree::Kind::number;
  } else if (kind == "call") {
    tree.kind = Tree::Kind::call;
    for (size_t i = 2; i < items.size(); ++i) tree.arguments.push_back(read_tree(items[i]));
  } else {
    items[0].fail(fmt::format("\"{}\" is not name, number or call", kind));
  }
  if (tree.kind != Tree::Kind::call && items.size() != 2) place.fail("a name or number has no arguments");
  return tree;
}

Role read_role(const Place& place) {
  const std::string role = place.text_or("role", "in");
  if (role == "in") return Role::in;
  if (role == "index") return Role::index;
  if (role == "mask") return Role::mask;
  if (role == "inout") return Role::inout;
  place.fail(fmt::format("\"{}\" is not a role", role));
}

Eval read_eval(const Place& place) {
  const std::string eval = place.text();
  if (eval == "native_int") return Eval::native_int;
  if (eval == "exact") return Eval::exact;
  if (eval == "real") return Eval::real;
  place.fail(fmt::format("\"{}\" is not native_int, exact or real", eval));
}

Instance read_instance(const Place& place) {
  Instance result;
  for (const Place& item : place.items("in")) result.in.push_back(item.dtype());
  for (const Place& item : place.items("out")) result.out.push_back(item.dtype());
  if (result.out.empty()) place.fail("an instance gives at least one output");
  result.acc = place.has("acc") ? place.at("acc").dtype() : result.out[0];
  result.eval = read_eval(place.at("eval"));
  result.tolerance = place.text("tolerance");
  return result;
}

Op read_op(const Place& place) {
  Op op;
  op.name = place.text("name");
  op.id = static_cast<int32_t>(place.integer("id"));
  op.family = place.text("family");
  op.file = place.text_or("file", "");
  op.line = place.line();
  op.meaning = place.text_or("meaning", "");
  for (const Place& item : place.items("operands")) op.operands.push_back({item.text("name"), read_role(item)});
  for (const Place& item : place.items("outputs")) op.outputs.push_back(item.text("name"));
  for (const Place& item : place.items("attributes")) {
    AttributeRow row;
    row.name = item.text("name");
    row.slot = static_cast<int32_t>(item.integer("slot"));
    row.kind = item.text("kind");
    if (item.has("domain")) row.domain = item.at("domain").scalar();
    if (item.has("default")) row.default_text = item.at("default").scalar();
    op.attributes.push_back(std::move(row));
  }
  for (const Place& item : place.items("instances")) {
    op.instances.push_back(read_instance(item));
    if (op.instances.back().in.size() != op.operands.size()) item.fail("an instance names a dtype per operand");
  }
  op.shape = place.text_or("shape", "");
  op.empty = place.text_or("empty", "");
  op.alias = place.text_or("alias", "");
  if (place.has("domain")) {
    for (const auto& [key, value] : place.at("domain").entries()) op.domain.emplace_back(key, value.scalar());
  }
  op.hard = place.texts("hard");
  op.oracle = read_tree(place.at("oracle"));
  op.oracle_text = place.text_or("oracle_text", "");
  if (place.has("condition")) op.condition = read_tree(place.at("condition"));
  for (const Place& item : place.items("exclude")) {
    op.exclude.push_back({read_tree(item.at("when")), item.text_or("reason", "")});
  }
  op.torch = place.text_or("torch", "");
  op.diverges = place.texts("diverges");
  op.bits = place.text_or("bits", "");
  op.hash = place.text_or("hash", "");
  return op;
}

Table read_table(const Place& place) {
  Table table;
  table.name = place.text("name");
  table.op = place.text_or("op", "");
  table.types = place.texts("types");
  for (const Place& item : place.items("instances")) table.instances.push_back(item.position());
  table.cites = place.texts("cites");
  table.columns = place.texts("columns");
  for (const Place& item : place.items("rows")) {
    std::vector<std::string> row;
    for (const Place& cell : item.items()) row.push_back(cell.scalar());
    if (row.size() != table.columns.size()) item.fail("a row has a cell per column");
    table.rows.push_back(std::move(row));
  }
  table.file = place.text_or("file", "");
  table.line = place.line();
  return table;
}

void check_dtypes(const Place& place) {
  for (const Place& item : place.items("dtypes")) {
    const Encoding& known = encoding(item.at("name").dtype());
    if (known.dtype != item.integer("id")) item.fail("the id is not the one of backend.h");
    if (known.bytes != item.integer("bytes")) item.fail("the size is not the one the judge knows");
    if (class_name(known.dtype) != item.text("class")) item.fail("the class is not the one the judge knows");
  }
}

} // namespace

Tree parse_tree(const json& value) { return read_tree(Place(value, "expression")); }

Spec parse_spec(std::string_view text, std::string_view name) {
  json document;
  try {
    document = json::parse(text);
  } catch (const json::exception& error) {
    throw InputError(fmt::format("{}: not JSON: {}", name, error.what()));
  }
  const Place root(document, std::string(name));
  Spec spec;
  check_dtypes(root);
  for (const Place& item : root.items("families")) {
    spec.families.emplace_back(item.text("name"), static_cast<int32_t>(item.integer("id")));
  }
  for (const Place& item : root.at("ops").items()) {
    Op op = read_op(item);
    op.family_id = spec.family(op.family);
    if (op.family_id < 0) item.fail(fmt::format("\"{}\" is not a family", op.family));
    spec.ops.push_back(std::move(op));
  }
  for (const Place& item : root.items("clauses")) {
    const bool reference = item.has("reference") && item.at("reference").value() == json(true);
    spec.clauses.push_back({item.text("label"), item.text_or("text", ""), item.text_or("op", ""), reference,
                            item.text_or("file", ""), item.line()});
  }
  for (const Place& item : root.items("tables")) spec.tables.push_back(read_table(item));
  for (const Place& item : root.items("examples")) {
    spec.examples.push_back({item.text_or("op", ""), item.texts("cites"), item.text_or("file", ""), item.line(),
                             std::make_shared<const json>(item.at("statements").value())});
  }
  spec.index();
  return spec;
}

Spec load_spec(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw InputError(fmt::format("{}: cannot be read", path));
  return parse_spec(text.str(), path);
}

std::string project_root() {
  const char* root = std::getenv("TOUCHSTONE_ROOT");
  return root != nullptr && *root != 0 ? root : TS_SOURCE_ROOT;
}

const Spec& spec() {
  static const Spec loaded = load_spec(project_root() + "/spec/generated/spec.json");
  return loaded;
}

std::string Instance::text() const {
  std::string result;
  for (int32_t dtype : in) result += std::string(name_of(dtype)) + " ";
  result += "->";
  for (int32_t dtype : out) result += std::string(" ") + name_of(dtype);
  return result;
}

const AttributeRow* Op::attribute(std::string_view attribute_name) const {
  for (const AttributeRow& row : attributes) {
    if (row.name == attribute_name) return &row;
  }
  return nullptr;
}

int Op::operand(std::string_view operand_name) const {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].name == operand_name) return static_cast<int>(i);
  }
  return -1;
}

const Instance* Op::instance(const std::vector<int32_t>& in) const {
  for (const Instance& candidate : instances) {
    if (candidate.in == in) return &candidate;
  }
  return nullptr;
}

const Instance* Op::instance(const std::vector<int32_t>& in, const std::vector<int32_t>& out) const {
  for (const Instance& candidate : instances) {
    if (candidate.in == in && candidate.out == out) return &candidate;
  }
  return nullptr;
}

std::string Op::domain_of(std::string_view operand_or_attribute) const {
  for (const auto& [key, text] : domain) {
    if (key == operand_or_attribute) return text;
  }
  const AttributeRow* row = attribute(operand_or_attribute);
  return row != nullptr && !row->domain.empty() ? row->domain : "all";
}

const Op* Spec::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? nullptr : &ops[found->second];
}

const Op* Spec::find(int32_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &ops[found->second];
}

const Op& Spec::op(std::string_view name) const {
  const Op* found = find(name);
  if (found == nullptr) throw InputError(fmt::format("the spec has no op named \"{}\"", name));
  return *found;
}

int32_t Spec::family(std::string_view name) const {
  for (const auto& [family_name, id] : families) {
    if (family_name == name) return id;
  }
  return -1;
}

bool Spec::has_clause(std::string_view label) const { return by_label_.count(std::string(label)) != 0; }

void Spec::index() {
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!by_name_.emplace(ops[i].name, i).second) throw InputError("op " + ops[i].name + " stands twice in the spec");
    if (!by_id_.emplace(ops[i].id, i).second) {
      throw InputError(fmt::format("id {} of op {} stands twice in the spec", ops[i].id, ops[i].name));
    }
  }
  for (size_t i = 0; i < clauses.size(); ++i) by_label_.emplace(clauses[i].label, i);
}

} // namespace ts::judge
