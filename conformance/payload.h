// The logical values of generated cases: seeded, the same on every machine, and hard in the way that their source names.
#pragma once

#include "conformance/case.h"

#include <cstdint>
#include <vector>

namespace ts::conformance {

/// A counter-based generator: the value of (seed, stream, counter) depends on nothing else.
uint64_t mix(uint64_t seed, uint64_t stream, uint64_t counter);

/// FNV-1a, 64 bits: stable across machines, for seeds and shards.
uint64_t stable_hash(std::string_view text);

/// Values of every operand of a case whose source is none of golden and table. `value` attributes that follow an
/// operand are left alone.
std::vector<Array> generate(const Case& c, uint64_t seed);

/// The special values of a dtype, those that an implementation is most likely to get wrong.
const std::vector<uint64_t>& special_bits(int32_t dtype);

/// A closed interval of a domain as rows write it; `all` is the whole line.
struct Interval {
  double low, high;
  bool all;
};
Interval interval_of(const std::string& domain);

/// How the elements of an operand fall into groups that end up in one result: lines of a scan, groups of a reduction,
/// rows of a product. Elementwise ops have one group per element.
struct Grouping {
  std::vector<int64_t> group;    ///< of each element
  std::vector<int64_t> position; ///< of each element in its group
  int64_t size = 1;              ///< elements of a group; 0 where an element belongs to every group
};
Grouping grouping_of(const Case& c, size_t operand);

} // namespace ts::conformance
