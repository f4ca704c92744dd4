// Lists and shapes of tables: nested brackets with repetition `V*N` and ramps `A..B`, every list of one depth of one shape.
#include "conformance/oracle/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ts::judge {
namespace {

constexpr int64_t kElementsMax = 1 << 24;
constexpr int kDepthMax = 16;

/// Reads nested lists: every list of one depth has the same shape.
class ListReader {
public:
  ListReader(std::string_view cell, int32_t dtype) : cell_(cell), dtype_(dtype) {}

  Shape read() {
    Shape shape;
    if (cell_.empty() || cell_[0] != '[') {
      tokens.emplace_back(cell_);
      return shape;
    }
    shape = list();
    skip();
    if (at_ != cell_.size()) fail();
    return shape;
  }

  std::vector<std::string> tokens;

private:
  [[noreturn]] void fail() const { throw InputError(fmt::format("`{}` is not a list of {}", cell_, name_of(dtype_))); }
  void skip() {
    while (at_ < cell_.size() && cell_[at_] == ' ') ++at_;
  }

  Shape list() {
    if (++depth_ > kDepthMax) fail();
    ++at_;
    int64_t count = 0;
    Shape inner;
    bool nested = false;
    for (skip(); at_ < cell_.size() && cell_[at_] != ']'; skip()) {
      if (cell_[at_] == '[') {
        const size_t first = tokens.size();
        const Shape shape = list();
        if (count > 0 && shape != inner) fail();
        inner = shape;
        nested = true;
        count += repeat(first);
      } else {
        if (nested) fail();
        count += item();
      }
    }
    if (at_ == cell_.size()) fail();
    ++at_;
    --depth_;
    Shape result{count};
    if (nested) result.insert(result.end(), inner.begin(), inner.end());
    return result;
  }

  /// What follows a list: `*N` repeats the tokens since `first`. The number of lists that stand there now.
  int64_t repeat(size_t first) {
    if (at_ == cell_.size() || cell_[at_] != '*') return 1;
    const size_t end = std::min(cell_.find_first_of(" ]", at_), cell_.size());
    const int64_t times = integer(cell_.substr(at_ + 1, end - at_ - 1));
    at_ = end;
    const std::vector<std::string> once(tokens.begin() + static_cast<std::ptrdiff_t>(first), tokens.end());
    if (times < 1 || times * static_cast<int64_t>(std::max<size_t>(once.size(), 1)) > kElementsMax) fail();
    for (int64_t k = 1; k < times; ++k) tokens.insert(tokens.end(), once.begin(), once.end());
    return times;
  }

  /// One token, V*N or A..B; the number of elements it stands for.
  int64_t item() {
    const size_t end = std::min(cell_.find_first_of(" ]", at_), cell_.size());
    const std::string token(cell_.substr(at_, end - at_));
    at_ = end;
    const size_t star = token.rfind('*');
    if (star != std::string::npos && token.find_first_not_of("0123456789", star + 1) == std::string::npos) {
      const int64_t times = integer(std::string_view(token).substr(star + 1));
      if (times < 0 || times > kElementsMax) fail();
      tokens.insert(tokens.end(), static_cast<size_t>(times), token.substr(0, star));
      return times;
    }
    if (const size_t dots = token.find(".."); dots != std::string::npos) {
      const int64_t from = integer(std::string_view(token).substr(0, dots));
      const int64_t to = integer(std::string_view(token).substr(dots + 2));
      if (to < from || to - from >= kElementsMax) fail();
      for (int64_t value = from; value <= to; ++value) tokens.push_back(std::to_string(value));
      return to - from + 1;
    }
    tokens.push_back(token);
    return 1;
  }

  int64_t integer(std::string_view text) const {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) fail();
    return value;
  }

  std::string_view cell_;
  int32_t dtype_;
  size_t at_ = 0;
  int depth_ = 0;
};

} // namespace

Array parse_list(std::string_view cell, int32_t dtype, std::vector<double>* residual) {
  ListReader reader(cell, dtype);
  const Shape shape = reader.read();
  Array array(dtype, shape);
  if (array.count() != static_cast<int64_t>(reader.tokens.size())) {
    throw InputError(fmt::format("`{}` is not a list of one shape", cell));
  }
  for (size_t i = 0; i < reader.tokens.size(); ++i) {
    if (i > 0 && reader.tokens[i] == reader.tokens[i - 1]) { // V*N
      array.set_bits(static_cast<int64_t>(i), array.bits(static_cast<int64_t>(i) - 1));
      if (residual != nullptr && !residual->empty()) (*residual)[i] = (*residual)[i - 1];
      continue;
    }
    const double rest = set_token(array, static_cast<int64_t>(i), reader.tokens[i]);
    if (residual == nullptr || rest == 0) continue;
    residual->resize(reader.tokens.size());
    (*residual)[i] = rest;
  }
  return array;
}

Shape parse_shape(std::string_view cell) {
  Shape shape;
  const auto fail = [&] { throw InputError(fmt::format("`{}` is not a shape", cell)); };
  if (cell.size() < 2 || cell.front() != '(' || cell.back() != ')') fail();
  std::string_view inside = cell.substr(1, cell.size() - 2);
  while (!inside.empty()) {
    while (!inside.empty() && (inside[0] == ' ' || inside[0] == ',')) inside.remove_prefix(1);
    if (inside.empty()) break;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), value);
    if (error != std::errc() || value < 0) fail();
    inside.remove_prefix(static_cast<size_t>(end - inside.data()));
    shape.push_back(value);
  }
  return shape;
}

} // namespace ts::judge
