// The corpus of findings: cases that once showed a fault, or are of the kind that does. Every run replays them with the
// seed that they were found with.
#pragma once

#include "conformance/prepare.h"
#include "conformance/spec.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ts::conformance {

/// A case and the seed of its values.
struct Found {
  uint64_t seed = 0;
  std::string name; ///< of a case of the kernel or the tensor tier
};

/// Lines `SEED NAME  # what it showed`; # alone begins a comment. Throws ValueError, with file and line, for another form, a
/// name that names no case, a line without a reason, and one that stands twice.
std::vector<Found> parse_found(std::string_view text, const std::string& file, const judge::Spec& spec);

/// The names `found/SEED/NAME` of the project's corpus, conformance/found/cases.txt. Throws ValueError.
std::vector<std::string> found_names(const judge::Spec& spec, const std::string& root);

/// Whether a name is that of a finding.
inline bool is_found(std::string_view name) { return name.starts_with("found/"); }

/// What `found/SEED/NAME` says, and the other way. Throws ValueError.
Found found_named(const std::string& name);
std::string found_name(const Found& found);

/// The values of a case of the kernel tier; those of a finding by its own seed, else by the run's.
Prepared prepare_named(const std::string& name, const judge::Spec& spec, uint64_t run_seed);

} // namespace ts::conformance
