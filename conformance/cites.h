// How a unit test says which clauses of the spec it proves.
#pragma once

/// `TS_CITES(layout.3, layout.4);` in the body of a test. `touchstone spec coverage` finds it by reading the sources whose
/// path has `test` in it; a comment `TS_CITES(label)` counts too, so that tests in other languages can cite. It compiles
/// to nothing: labels are held against the spec by that command.
#define TS_CITES(...) static_assert(true)
