// Mutants that follow from the rows alone: every operand and every result of every op, misread or miswritten in each of a
// few general ways.
#pragma once

#include "conformance/mutants/layer.h"

namespace ts::conformance::mutants {

/// `OP.OPERAND.CHANGE` for every op of the spec, kind VIEWS.
std::vector<Mutant> view_mutants(const judge::Spec& spec);

/// The layer of such a mutant; null for another place.
std::unique_ptr<MutantLayer> make_view_fault(const Mutant& mutant, std::shared_ptr<Backend> inner);

} // namespace ts::conformance::mutants
