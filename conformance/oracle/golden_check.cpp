// Every committed golden value against the oracle: two evaluators, written apart, must say the same.
#include "conformance/golden.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

namespace ts::judge {
namespace {

constexpr double kFarBelow = 1e-30, kFarPast = 1e30; // in ulps

/// An unrounded value as an element, what rounding took away, and whether that overflowed.
struct Unrounded {
  double value, residual;
  bool overflowed;
};

/// Exponent of the last place that residuals count in.
int last_place_of(const Encoding& e, const Unrounded& u) {
  if (u.overflowed) return e.exponent_max - (e.precision - 1);
  const int exponent = u.value == 0 ? e.exponent_min : std::max(std::ilogb(u.value), static_cast<int>(e.exponent_min));
  return exponent - (e.precision - 1);
}

/// Whether two unrounded values agree to the 25 digits that the first is stored with.
bool agree(const Encoding& e, const Unrounded& stored, const Unrounded& found) {
  const double a = stored.value, b = found.value;
  if (std::isnan(a) && std::isnan(b)) return true;
  if (std::isnan(a) || std::isnan(b) || std::signbit(a) != std::signbit(b)) return false;
  // Far past the range, or far below it, a file says inf or 0: no digits, and none that any comparison could need.
  if (a == b && stored.residual == 0 && !stored.overflowed) {
    if (a == 0) return std::fabs(found.residual) < kFarBelow;
    if (std::isinf(a) && found.overflowed) return std::fabs(found.residual) > kFarPast;
  }
  const bool infinite = std::isinf(a) && !stored.overflowed;
  if (infinite || (std::isinf(b) && !found.overflowed)) return a == b && stored.overflowed == found.overflowed;
  if (stored.overflowed != found.overflowed) return false;
  const int last_place = last_place_of(e, stored);
  const auto in_ulps = [&](const Unrounded& u) {
    return u.overflowed ? std::copysign(std::ldexp(1.0, e.precision), u.value) : std::ldexp(u.value, -last_place);
  };
  const double distance = std::fabs(in_ulps(stored) - in_ulps(found) + (stored.residual - found.residual));
  const double magnitude = std::fabs(in_ulps(stored) + stored.residual);
  if (magnitude == 0) return distance == 0;
  const double place = last_place * std::log10(2.0);
  const double unit = std::pow(10, std::floor(std::log10(magnitude) + place + 1e-9) - 24 - place); // of the 25th digit
  return distance <= 1.01 * unit + 4e-16 * (1 + std::fabs(stored.residual));
}

class Checker {
public:
  Checker(GoldenReport& report, const std::string& file, const Op& op) : report_(report), file_(file), op_(op) {}

  void check(const GoldenCase& golden) {
    ++report_.cases;
    const std::string where = fmt::format("{}:{}: case {}", file_, golden.line, golden.key());
    try {
      const Expected expected = expect(call_of(golden, op_));
      if (!expected.error.empty()) {
        report_.problems.push_back(fmt::format("{}: the oracle says {}: {}", where, expected.error, expected.reason));
        return;
      }
      for (size_t output = 0; output < golden.outputs.size(); ++output) {
        check_output(where, golden.outputs[output], expected.outputs[output], expected.bounds[output]);
      }
    } catch (const InputError& error) {
      report_.problems.push_back(fmt::format("{}: {}", where, error.what()));
    }
  }

private:
  void check_output(const std::string& where, const GoldenOutput& stored, const Array& found, const Bounds& bounds) {
    if (stored.value.shape != found.shape) {
      report_.problems.push_back(fmt::format("{}: {} has shape {}, the oracle's {}", where, stored.name,
                                             text_of(stored.value.shape), text_of(found.shape)));
      return;
    }
    int64_t different = 0, first = -1;
    for (int64_t i = 0; i < found.count(); ++i) {
      ++report_.values;
      if (agrees(stored, found, bounds, i)) continue;
      if (different++ == 0) first = i;
    }
    if (different == 0) return;
    const std::string text = stored.exact ? stored.value.text(first) : stored.text[static_cast<size_t>(first)];
    const double residual = bounds.residual.empty() ? 0 : bounds.residual[static_cast<size_t>(first)];
    report_.problems.push_back(fmt::format("{}: {} element {}: stored {}, oracle {} {:+.6g} ulp ({} of {} differ)",
                                           where, stored.name, text_of(coordinates(found.shape, first)), text,
                                           found.text(first), residual, different, found.count()));
  }

  static bool agrees(const GoldenOutput& stored, const Array& found, const Bounds& bounds, int64_t i) {
    const auto at = static_cast<size_t>(i);
    if (!is_floating(found.dtype)) return stored.value.bits(i) == found.bits(i);
    if (stored.exact) {
      const bool both_nan = std::isnan(stored.value.real(i)) && std::isnan(found.real(i));
      return both_nan || stored.value.bits(i) == found.bits(i);
    }
    const auto unrounded = [&](const Array& value, const std::vector<double>& residual,
                               const std::vector<uint8_t>& over) {
      return Unrounded{value.real(i), residual.empty() ? 0 : residual[at], !over.empty() && over[at] != 0};
    };
    return agree(encoding(found.dtype), unrounded(stored.value, stored.residual, stored.overflowed),
                 unrounded(found, bounds.residual, bounds.overflowed));
  }

  GoldenReport& report_;
  const std::string& file_;
  const Op& op_;
};

} // namespace

GoldenReport check_goldens(const std::string& root, const Spec& spec, std::string_view filter) {
  GoldenReport report;
  Manifest manifest;
  try {
    manifest = load_manifest(root);
  } catch (const InputError& error) {
    report.problems.emplace_back(error.what());
    return report;
  }
  for (const Op& op : spec.ops) {
    if (op.name.find(filter) == std::string::npos) continue;
    const ManifestEntry* entry = manifest.find(op.name);
    if (entry == nullptr) {
      report.problems.push_back(fmt::format("{}:{}: {} has no golden file", op.file, op.line, op.name));
      continue;
    }
    try {
      const GoldenFile file = load_golden(manifest, *entry, spec);
      ++report.files;
      Checker checker(report, file.name, op);
      for (const GoldenCase& golden : file.cases) checker.check(golden);
      for (const Instance& instance : op.instances) {
        bool present = false;
        for (const GoldenCase& golden : file.cases)
          present = present || (golden.in == instance.in && golden.out == instance.out);
        if (!present) report.problems.push_back(fmt::format("{}: no case of {}", file.name, instance.text()));
      }
    } catch (const InputError& error) {
      report.problems.emplace_back(error.what());
    }
  }
  for (const ManifestEntry& entry : manifest.entries) {
    if (spec.find(entry.op) == nullptr)
      report.problems.push_back(fmt::format("{}: the spec has no op {}", entry.file, entry.op));
  }
  std::error_code ignored;
  for (const auto& item : std::filesystem::directory_iterator(manifest.folder + "/ops", ignored)) {
    const std::string file = "ops/" + item.path().filename().string();
    bool named = false;
    for (const ManifestEntry& entry : manifest.entries) named = named || entry.file == file;
    if (!named) report.problems.push_back(fmt::format("{}: the manifest does not name it", item.path().string()));
  }
  return report;
}

} // namespace ts::judge
