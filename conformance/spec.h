// spec/generated/spec.json as typed rows: what the judge, the cases and the reports know about operations.
#pragma once

#include "conformance/array.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ts::judge {

/// A node of an oracle expression (spec/README.md).
struct Tree {
  enum class Kind { name, number, call };
  Kind kind = Kind::number;
  std::string text; ///< the name, the number as written, or the primitive that is called
  std::vector<Tree> arguments;

  /// True for a call of this primitive.
  bool calls(std::string_view primitive) const { return kind == Kind::call && text == primitive; }
  /// True for this name, which is also how `move` and `sort` stand alone.
  bool names(std::string_view name) const { return kind == Kind::name && text == name; }
};

enum class Role { in, index, mask, inout };
enum class Eval { native_int, exact, real };

struct Operand {
  std::string name;
  Role role = Role::in;
};

struct AttributeRow {
  std::string name;
  int32_t slot = 0;
  std::string kind;                        ///< "int", "real", "bool", "axis", "axes" or "of x"
  std::string domain;                      ///< as written; empty where absent
  std::optional<std::string> default_text; ///< as written
};

/// One tuple of dtypes of a row.
struct Instance {
  std::vector<int32_t> in; ///< every operand in the row's order, inout ones included
  std::vector<int32_t> out;
  int32_t acc = 0; ///< accumulator dtype; the output's where the row names none
  Eval eval = Eval::exact;
  std::string tolerance; ///< "exact", "ulp(n)" or a class of numerics.md

  /// "f32 f32 -> f32", as golden files and case names write it.
  std::string text() const;
};

struct Exclusion {
  Tree when;
  std::string reason;
};

struct Op {
  std::string name;
  int32_t id = 0;
  std::string family;
  int32_t family_id = 0;
  std::string file;
  int line = 0;
  std::string meaning;
  std::vector<Operand> operands;
  std::vector<std::string> outputs;
  std::vector<AttributeRow> attributes;
  std::vector<Instance> instances;
  std::string shape, empty, alias;
  std::vector<std::pair<std::string, std::string>> domain; ///< operand or attribute -> "all" or "[a, b]"
  std::vector<std::string> hard;
  Tree oracle;
  std::string oracle_text;
  std::optional<Tree> condition; ///< beside ulp(n): its value times the accumulator's roundoff is allowed on top
  std::vector<Exclusion> exclude;
  std::string torch;
  std::vector<std::string> diverges;
  std::string bits; ///< "cross", "run" or "none"
  std::string hash;

  /// The attribute row of this name, or null.
  const AttributeRow* attribute(std::string_view attribute_name) const;
  /// Position of an operand, or -1.
  int operand(std::string_view operand_name) const;
  /// The instance that takes these operand dtypes, or null.
  const Instance* instance(const std::vector<int32_t>& in) const;
  /// The instance that takes and gives these dtypes, or null: convert and fill differ by output only.
  const Instance* instance(const std::vector<int32_t>& in, const std::vector<int32_t>& out) const;
  /// The domain of an operand or attribute as written, "all" where none is given.
  std::string domain_of(std::string_view operand_or_attribute) const;
};

struct Clause {
  std::string label, text;
  std::string op; ///< empty for a clause of no op
  bool reference = false;
  std::string file;
  int line = 0;
};

/// A table that is executed; conformance/oracle/tokens.h turns its rows into values.
struct Table {
  std::string name;
  std::string op; ///< empty for a table of no op
  std::vector<std::string> types;
  std::vector<size_t> instances; ///< of the op, in the order of its row: each is held to every row of the table
  std::vector<std::string> cites;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::string file;
  int line = 0;
};

struct Example {
  std::string op;
  std::vector<std::string> cites;
  std::string file;
  int line = 0;
  std::shared_ptr<const nlohmann::json> statements; ///< an array of objects with a `kind` (spec/README.md)
};

class Spec {
public:
  std::vector<Op> ops;
  std::vector<Clause> clauses;
  std::vector<Table> tables;
  std::vector<Example> examples;
  std::vector<std::pair<std::string, int32_t>> families;

  /// The op of this name or id, or null.
  const Op* find(std::string_view name) const;
  const Op* find(int32_t id) const;
  /// The op of this name; InputError that names it where there is none.
  const Op& op(std::string_view name) const;
  /// The family of this name's id, or -1.
  int32_t family(std::string_view name) const;
  bool has_clause(std::string_view label) const;

private:
  friend Spec parse_spec(std::string_view, std::string_view);
  void index();
  std::unordered_map<std::string, size_t> by_name_;
  std::unordered_map<int32_t, size_t> by_id_;
  std::unordered_map<std::string, size_t> by_label_;
};

/// Reads the text of a spec.json; InputError names `name`, the path in the document and what is wrong.
Spec parse_spec(std::string_view text, std::string_view name);
/// Reads the file.
Spec load_spec(const std::string& path);
/// The project's own spec: $TOUCHSTONE_ROOT or the source folder this was built from, spec/generated/spec.json. Loaded
/// once.
const Spec& spec();
/// The folder that spec/ and golden/ lie in.
std::string project_root();
/// The tree of its JSON form `["call", "add", ..]`.
Tree parse_tree(const nlohmann::json& json);

} // namespace ts::judge
