// Golden files (spec/golden.md): values on which an exact evaluator and PyTorch agree, as readable text. The parser is
// total: any buffer gives cases or an InputError with file and line.
#pragma once

#include "conformance/oracle/oracle.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ts::judge {

struct GoldenOutput {
  std::string name;
  bool exact = true;               ///< stored as the dtype holds it; otherwise 25 digits, not rounded
  Array value;                     ///< rounded once
  std::vector<double> residual;    ///< as Bounds::residual
  std::vector<uint8_t> overflowed; ///< as Bounds::overflowed
  std::vector<std::string> text;   ///< as written
};

struct GoldenCase {
  std::string set;
  std::vector<int32_t> in, out; ///< dtypes
  Attributes attributes;
  std::vector<std::string> names; ///< of the inputs
  std::vector<Array> inputs;
  std::vector<GoldenOutput> outputs;
  int line = 0;

  /// "special f32 f32 -> f32": unique in a file.
  std::string key() const;
};

struct GoldenFile {
  std::string name; ///< of the file
  std::string op;
  std::string row_hash;
  std::vector<GoldenCase> cases;
};

/// Parses the text of a golden file; `name` is what errors call it. Knows no spec.
GoldenFile parse_golden(std::string_view text, std::string_view name);

struct ManifestEntry {
  std::string file, op, sha256, row_hash;
  int64_t cases = 0;
};
struct Manifest {
  std::string folder; ///< that file names are relative to
  std::vector<ManifestEntry> entries;
  const ManifestEntry* find(std::string_view op) const;
};

/// Reads golden/manifest.json of a project folder.
Manifest load_manifest(const std::string& root);
/// Reads one file, holding it against its SHA-256, its row's hash and its count of cases [golden.6]. InputError names
/// the file and both values.
GoldenFile load_golden(const Manifest& manifest, const ManifestEntry& entry, const Spec& spec);

/// The call of a golden case and what the file expects of it: values from the file, bounds from the oracle.
Call call_of(const GoldenCase& golden, const Op& op);
Expected expected_of(const GoldenCase& golden, const Op& op);

/// 64 hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

/// What `golden --check` prints.
struct GoldenReport {
  int64_t files = 0, cases = 0, values = 0;
  std::vector<std::string> problems; ///< one line each: file, line, case, output, element, stored, oracle
};
/// Recomputes every committed case through the oracle and compares: exact values are equal, real ones agree to the
/// stored digits; files, manifest and spec name each other completely. `filter` keeps the ops whose name contains it.
GoldenReport check_goldens(const std::string& root, const Spec& spec, std::string_view filter = "");

} // namespace ts::judge
