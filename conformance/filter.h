// Which cases a user asks for: globs over names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ts::conformance {

/// `*` stands for any text, `?` for any one letter; everything else for itself.
bool glob_matches(std::string_view glob, std::string_view name);

/// `elementwise/add/*,*/out=narrowed/*`: a name passes when a glob matches it. Globs are separated by commas; a comma
/// inside a name is matched by `?` or by writing the glob whole, as a full name is its own filter.
class Filter {
public:
  /// An empty text lets every name pass. Throws ValueError for a letter that no name and no glob has.
  explicit Filter(std::string_view text);

  bool passes(std::string_view name) const;

  /// Those that pass, in order. Throws ValueError where one of the globs matches nothing: a typo must not look green.
  std::vector<std::string> apply(const std::vector<std::string>& names) const;

private:
  std::string text_;
  std::vector<std::string> globs_;
};

/// `I/N`: part I of N, counted from 0, of names by a hash that never changes.
struct Shard {
  int index = 0;
  int total = 1;
  /// Throws ValueError for anything but 0 <= I < N.
  static Shard parse(std::string_view text);
  bool holds(std::string_view name) const;
};

} // namespace ts::conformance
