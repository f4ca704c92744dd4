// The list of mutants: known backend bugs, each planted in one place, with what it concerns and the clause it breaks.
#pragma once

#include "conformance/spec.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ts::conformance::mutants {

struct Mutant {
  enum class How : uint8_t {
    door,    ///< a layer in front of any backend
    kernel,  ///< a switch in the kernels: TS_MUTATE
    library, ///< a switch in the library
  };
  std::string id;
  std::string kind;    ///< STRIDE-IN, TAIL, ...
  std::string title;   ///< what goes wrong, in one line
  std::string project; ///< where it was reported; empty where the formula alone invites it
  std::string report;  ///< the public report: owner/repository#number, ! for a change request
  How how = How::door;
  std::string place;            ///< the fault's name at the door, or the switch's id; by default the id
  std::vector<std::string> ops; ///< globs over the first parts of names, such as `family/op`: whose cases should notice
  std::string clause;           ///< of the spec, that it breaks
  bool crashes = false;         ///< may end the process: it runs in a worker
  std::string on;               ///< the backend whose launcher takes the faulty path; empty: whichever the hunt is for
};

/// conformance/mutants/mutants.json. Throws InputError that names the mutant and what is wrong: a key that is missing or
/// unknown, an id given twice, an op or a clause that the spec has not.
std::vector<Mutant> parse_mutants(std::string_view text, const judge::Spec& spec);
const std::vector<Mutant>& all_mutants();

/// Those that follow from the rows of the spec; see view_mutants.h.
const std::vector<Mutant>& all_view_mutants();

/// ValueError where there is none.
const Mutant& find_mutant(std::string_view id);

/// The ops that a mutant is planted in; all of them where checks of the door should notice, whatever op they use.
std::set<int32_t> ops_of(const Mutant& mutant);
/// Whether a case is one that should notice.
bool concerns(const Mutant& mutant, std::string_view case_name);

/// The address of a report; empty where there is none.
std::string report_url(const Mutant& mutant);

} // namespace ts::conformance::mutants
