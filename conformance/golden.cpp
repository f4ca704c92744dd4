// Golden files on disk: manifest, checksums, and what a case expects of an operation.
#include "conformance/golden.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>

#include <cmath>
#include <fstream>
#include <sstream>

namespace ts::judge {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw InputError(fmt::format("{}: cannot be read", path));
  return text.str();
}

/// Puts stored values in the place of computed ones. Where a file says inf or 0 for a number far past the range or below it,
/// the oracle still knows that this is rounding and not the mathematics.
void take_values(const GoldenOutput& stored, Array& value, Bounds& bounds) {
  std::vector<double> residual = stored.residual;
  std::vector<uint8_t> overflowed = stored.overflowed;
  const auto count = static_cast<size_t>(value.count());
  for (size_t i = 0; i < count && !stored.exact; ++i) {
    const double v = stored.value.real(static_cast<int64_t>(i));
    const bool special = (v == 0 || std::isinf(v)) && (residual.empty() || residual[i] == 0);
    if (!special || value.bits(static_cast<int64_t>(i)) != stored.value.bits(static_cast<int64_t>(i))) continue;
    if (!bounds.residual.empty() && bounds.residual[i] != 0) {
      residual.resize(count);
      residual[i] = bounds.residual[i];
    }
    if (!bounds.overflowed.empty() && bounds.overflowed[i] != 0) {
      overflowed.resize(count);
      overflowed[i] = 1;
    }
  }
  value = stored.value;
  bounds.residual = std::move(residual);
  bounds.overflowed = std::move(overflowed);
}

} // namespace

std::string sha256_hex(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &length, EVP_sha256(), nullptr) != 1) {
    throw InputError("SHA-256 is not available");
  }
  std::string text;
  for (unsigned int i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

const ManifestEntry* Manifest::find(std::string_view op) const {
  for (const ManifestEntry& entry : entries) {
    if (entry.op == op) return &entry;
  }
  return nullptr;
}

Manifest load_manifest(const std::string& root) {
  Manifest manifest;
  manifest.folder = root + "/golden";
  const std::string path = manifest.folder + "/manifest.json";
  const std::string text = read_file(path);
  try {
    const nlohmann::json document = nlohmann::json::parse(text);
    if (document.at("format") != 1) throw InputError(fmt::format("{}: format is not 1", path));
    for (const nlohmann::json& item : document.at("files")) {
      ManifestEntry entry;
      item.at("file").get_to(entry.file);
      item.at("op").get_to(entry.op);
      item.at("sha256").get_to(entry.sha256);
      item.at("row_hash").get_to(entry.row_hash);
      item.at("cases").get_to(entry.cases);
      if (manifest.find(entry.op) != nullptr) throw InputError(fmt::format("{}: {} stands twice", path, entry.op));
      manifest.entries.push_back(std::move(entry));
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  return manifest;
}

GoldenFile load_golden(const Manifest& manifest, const ManifestEntry& entry, const Spec& spec) {
  const std::string path = manifest.folder + "/" + entry.file;
  const std::string text = read_file(path);
  GoldenFile file = parse_golden(text, path); // first, so that a truncated file is refused with its line
  if (const std::string sha = sha256_hex(text); sha != entry.sha256) {
    throw InputError(fmt::format("{}: SHA-256 is {}, the manifest says {} [golden.6]", path, sha, entry.sha256));
  }
  if (file.op != entry.op) throw InputError(fmt::format("{}: op {}, the manifest says {}", path, file.op, entry.op));
  if (file.row_hash != entry.row_hash) {
    throw InputError(fmt::format("{}: row {}, the manifest says {} [golden.6]", path, file.row_hash, entry.row_hash));
  }
  const Op& op = spec.op(entry.op);
  if (op.hash != file.row_hash) {
    throw InputError(
        fmt::format("{}: made from row {}, the spec's row of {} is {} [golden.6]; tools/golden makes it anew", path,
                    file.row_hash, op.name, op.hash));
  }
  if (static_cast<int64_t>(file.cases.size()) != entry.cases) {
    throw InputError(fmt::format("{}: {} cases, the manifest says {}", path, file.cases.size(), entry.cases));
  }
  return file;
}

Call call_of(const GoldenCase& golden, const Op& op) {
  Call call;
  call.op = &op;
  call.instance = op.instance(golden.in, golden.out);
  const std::string where = fmt::format("golden case {} of {} (line {})", golden.key(), op.name, golden.line);
  if (call.instance == nullptr) throw InputError(fmt::format("{}: the row has no such instance", where));
  for (size_t i = 0; i < golden.names.size(); ++i) {
    if (golden.names[i] != op.operands[i].name) {
      throw InputError(fmt::format("{}: operand {} where the row has {}", where, golden.names[i], op.operands[i].name));
    }
  }
  for (size_t i = 0; i < golden.outputs.size(); ++i) {
    if (golden.outputs[i].name != op.outputs[i]) {
      throw InputError(fmt::format("{}: output {} where the row has {}", where, golden.outputs[i].name, op.outputs[i]));
    }
  }
  for (const auto& [name, value] : golden.attributes) {
    if (op.attribute(name) == nullptr) throw InputError(fmt::format("{}: the row has no attribute {}", where, name));
  }
  call.inputs = golden.inputs;
  call.attributes = golden.attributes;
  if (op.operands.empty()) call.shape = golden.outputs[0].value.shape;
  return call;
}

Expected expected_of(const GoldenCase& golden, const Op& op) {
  Expected expected = expect(call_of(golden, op));
  if (!expected.error.empty()) {
    throw InputError(fmt::format("golden case {} of {} (line {}) has values where the oracle says {}: {}", golden.key(),
                                 op.name, golden.line, expected.error, expected.reason));
  }
  for (size_t i = 0; i < golden.outputs.size(); ++i)
    take_values(golden.outputs[i], expected.outputs[i], expected.bounds[i]);
  return expected;
}

} // namespace ts::judge
