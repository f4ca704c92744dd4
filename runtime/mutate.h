// Places in the library where a known fault can be switched on, so that a suite can show that it notices.
//
// TS_MUTATE(id, right, wrong) is the expression `right`. In the library of the target `mutants`, which has TS_MUTANTS
// defined, it is `wrong` while the mutant `id` is active: the layer `library:ID` of that library chooses it. The kernels
// have the same switch in backends/kernels/mutate.h; no source sees both.
#pragma once

#if defined(TS_MUTANTS)

#include "runtime/mutants.h"

#define TS_MUTATE(id, right, wrong) (::ts::mutants::strikes(id) ? (wrong) : (right))

#else

#define TS_MUTATE(id, right, wrong) (right)

#endif
