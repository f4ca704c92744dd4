#include "conformance/outcome.h"

#include "runtime/errors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace ts::conformance {

namespace {
constexpr std::array<std::string_view, kVerdictCount> kNames = {
    "pass",    "fail",  "crash",     "timeout", "unsupported", "known_failure", "unexpected_pass",
    "missing", "flaky", "mistrusted"};
}

std::string_view name_of(Verdict verdict) { return kNames[static_cast<size_t>(verdict)]; }

Verdict verdict_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  return found == kNames.end() ? Verdict::missing : static_cast<Verdict>(found - kNames.begin());
}

bool is_bad(Verdict verdict) {
  return verdict != Verdict::pass && verdict != Verdict::unsupported && verdict != Verdict::known_failure;
}

std::string to_json(const Outcome& o) {
  nlohmann::json json = {{"name", o.name},
                         {"verdict", name_of(o.verdict)},
                         {"elements", o.elements},
                         {"telling", o.telling},
                         {"seconds", o.seconds}};
  if (!o.check.empty()) json["check"] = o.check;
  if (!o.message.empty()) json["message"] = o.message;
  if (o.worst_ulp != 0) json["worst_ulp"] = o.worst_ulp;
  if (o.bits != 0) json["bits"] = o.bits;
  if (!o.cites.empty()) json["cites"] = o.cites;
  if (!o.launches.empty()) json["launches"] = o.launches;
  // Messages quote what a backend said: bytes that are no UTF-8 must not stop a run.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Outcome outcome_from_json(std::string_view text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    Outcome o;
    o.name = json.at("name");
    const std::string verdict = json.at("verdict");
    o.verdict = verdict_named(verdict);
    if (name_of(o.verdict) != verdict) throw ValueError("not an outcome: verdict '" + verdict + "' is none");
    o.elements = json.at("elements");
    o.telling = json.at("telling");
    o.seconds = json.at("seconds");
    o.check = json.value("check", "");
    o.message = json.value("message", "");
    // A number that is not finite is written as null.
    if (json.contains("worst_ulp") && json["worst_ulp"].is_number()) o.worst_ulp = json["worst_ulp"];
    o.bits = json.value("bits", uint64_t{0});
    o.cites = json.value("cites", std::vector<std::string>());
    o.launches = json.value("launches", std::map<std::string, uint64_t>());
    return o;
  } catch (const nlohmann::json::exception& problem) {
    throw ValueError(std::string("not an outcome: ") + problem.what());
  }
}

} // namespace ts::conformance
