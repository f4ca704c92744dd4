// The total parser of golden files. It trusts nothing: an extent is believed only after the values that fill it are
// there.
#include "conformance/golden.h"
#include "conformance/oracle/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

namespace ts::judge {
namespace {

constexpr int64_t kValuesMax = 8; // on a line [golden.3]

using Words = std::vector<std::string_view>;

Words split(std::string_view line) {
  Words words;
  size_t at = 0;
  while (at < line.size()) {
    const size_t end = std::min(line.find(' ', at), line.size());
    if (end > at) words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

template <class T> bool read_integer(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool is_decimal(std::string_view text) {
  size_t digits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool sign = (c == '-' || c == '+') && (i == 0 || text[i - 1] == 'e');
    if (c >= '0' && c <= '9') {
      ++digits;
    } else if (!sign && c != '.' && !(c == 'e' && digits > 0)) {
      return false;
    }
  }
  return digits > 0 && text[0] != '+' && text.size() < 64;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

class Parser {
public:
  Parser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  GoldenFile parse() {
    GoldenFile file;
    file.name = name_;
    if (next() != "touchstone golden 1") fail("the first line is not `touchstone golden 1` [golden.1]");
    const Words head = split(next());
    if (head.size() != 4 || head[0] != "op" || head[2] != "row") fail("expected `op NAME row HASH`");
    file.op = head[1];
    file.row_hash = head[3];
    std::set<std::string> keys;
    while (peek().substr(0, 5) == "case ") {
      file.cases.push_back(parse_case());
      if (!keys.insert(file.cases.back().key()).second) {
        fail(fmt::format("case {} stands twice [golden.2]", file.cases.back().key()));
      }
    }
    const std::string last = fmt::format("end of file, {} cases", file.cases.size());
    if (next() != last) fail(fmt::format("expected `{}` or a case [golden.1]", last));
    if (at_ != text_.size()) fail("text after the last line [golden.1]");
    return file;
  }

private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", name_, line_, what));
  }

  std::string_view peek() const {
    const size_t end = text_.find('\n', at_);
    return end == std::string_view::npos ? std::string_view{} : text_.substr(at_, end - at_);
  }
  std::string_view next() {
    ++line_;
    const size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) fail("the file ends here, before its last line [golden.1]");
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    return line;
  }

  int32_t dtype(std::string_view word) const {
    const int32_t result = dtype_named(word);
    if (result == 0) fail(fmt::format("`{}` is not a dtype", word));
    return result;
  }

  GoldenCase parse_case() {
    GoldenCase result;
    const Words words = split(next());
    result.line = line_;
    if (words.size() < 4 || !is_name(words[1])) fail("expected `case SET DTYPES -> DTYPES` [golden.2]");
    result.set = words[1];
    size_t i = 2;
    for (; i < words.size() && words[i] != "->"; ++i) result.in.push_back(dtype(words[i]));
    if (i == words.size()) fail("no `->` in a case line [golden.2]");
    for (++i; i < words.size(); ++i) result.out.push_back(dtype(words[i]));
    while (peek().substr(0, 10) == "attribute ") parse_attribute(result);
    for (int32_t in : result.in) {
      GoldenOutput tensor = parse_tensor(in, false);
      result.names.push_back(tensor.name);
      result.inputs.push_back(std::move(tensor.value));
    }
    for (int32_t out : result.out) result.outputs.push_back(parse_tensor(out, true));
    if (next() != "end") fail(fmt::format("expected `end` of the case of line {}", result.line));
    return result;
  }

  void parse_attribute(GoldenCase& result) {
    const Words words = split(next());
    if (words.size() != 4 || !is_name(words[1])) fail("expected `attribute NAME int|real VALUE`");
    ts_attribute attribute = integer_attribute(0);
    if (words[2] == "int") {
      if (!read_integer(words[3], attribute.integer)) fail(fmt::format("`{}` is not an integer", words[3]));
    } else if (words[2] == "real") {
      Array value(TS_DTYPE_F64, {});
      read_exact(words[3], value, 0);
      attribute = real_attribute(value.real(0));
    } else {
      fail(fmt::format("`{}` is not int or real", words[2]));
    }
    if (!result.attributes.emplace(words[1], attribute).second) {
      fail(fmt::format("attribute {} stands twice", words[1]));
    }
  }

  Shape parse_shape(std::string_view word) const {
    Shape shape;
    if (word.size() < 2 || word.front() != '(' || word.back() != ')') fail(fmt::format("`{}` is not a shape", word));
    std::string_view inside = word.substr(1, word.size() - 2);
    while (!inside.empty()) {
      const size_t comma = std::min(inside.find(','), inside.size());
      int64_t extent = 0;
      if (!read_integer(inside.substr(0, comma), extent) || extent < 0 || inside[0] == '-' ||
          comma + 1 == inside.size()) {
        fail(fmt::format("`{}` is not a shape [golden.3]", word));
      }
      shape.push_back(extent);
      inside.remove_prefix(std::min(comma + 1, inside.size()));
    }
    return shape;
  }

  GoldenOutput parse_tensor(int32_t wanted, bool output) {
    GoldenOutput result;
    const Words words = split(next());
    if (words.size() != (output ? 4U : 3U) || !is_name(words[0])) {
      fail(output ? "expected `NAME DTYPE SHAPE exact|real` [golden.3]" : "expected `NAME DTYPE SHAPE` [golden.3]");
    }
    result.name = words[0];
    if (dtype(words[1]) != wanted) {
      fail(fmt::format("{} is {} where the case names {}", words[0], words[1], name_of(wanted)));
    }
    const Shape shape = parse_shape(words[2]);
    if (output) {
      result.exact = words[3] == "exact";
      if (!result.exact && words[3] != "real") fail(fmt::format("`{}` is not exact or real", words[3]));
      if (!result.exact && !is_floating(wanted)) fail(fmt::format("a real value of {}", words[1]));
    }
    int64_t count = 0;
    try {
      count = count_of(shape);
    } catch (const InputError& error) {
      fail(error.what());
    }
    // Two characters a value at least: what is left of the text bounds what may be allocated.
    if (count > static_cast<int64_t>(text_.size() - at_) / 2 + 1) {
      fail(fmt::format("the file ends before {} values of shape {}", count, words[2]));
    }
    result.value = Array(wanted, shape);
    parse_values(result, count);
    return result;
  }

  void parse_values(GoldenOutput& tensor, int64_t count) {
    const int header = line_;
    int64_t i = 0;
    while (peek().substr(0, 2) == "  ") {
      const Words words = split(next());
      if (words.empty() || static_cast<int64_t>(words.size()) > kValuesMax)
        fail("1 to 8 values stand on a line [golden.3]");
      for (std::string_view word : words) {
        if (i == count) fail(fmt::format("{} has more than the {} values of its shape", tensor.name, count));
        if (tensor.exact) {
          read_exact(word, tensor.value, i);
        } else {
          read_real(word, tensor, i);
        }
        ++i;
      }
    }
    if (i != count) {
      fail(fmt::format("{} of line {} has {} values where its shape has {} [golden.3]", tensor.name, header, i, count));
    }
  }

  bool read_special(std::string_view word, Array& value, int64_t i) const {
    if (word == "nan") {
      value.set_real(i, std::numeric_limits<double>::quiet_NaN());
    } else if (word == "inf" || word == "-inf") {
      value.set_real(i, word[0] == '-' ? -std::numeric_limits<double>::infinity()
                                       : std::numeric_limits<double>::infinity());
    } else if (word == "-0" || word == "0") {
      value.set_real(i, word[0] == '-' ? -0.0 : 0.0);
    } else {
      if (!is_decimal(word)) fail(fmt::format("`{}` is not a number", word));
      return false;
    }
    return true;
  }

  void read_exact(std::string_view word, Array& value, int64_t i) const {
    if (!is_floating(value.dtype)) {
      int64_t integer = 0;
      if (!read_integer(word, integer)) fail(fmt::format("`{}` is not an integer of 64 bits", word));
      value.set_integer(i, integer);
      const bool in_bool = value.dtype != TS_DTYPE_BOOL || integer == 0 || integer == 1;
      if (value.integer(i) != integer || !in_bool) {
        fail(fmt::format("{} is not a value of {}", word, name_of(value.dtype)));
      }
      return;
    }
    if (read_special(word, value, i)) return;
    // A shortest decimal lies far from the halfway points of its dtype: rounding by way of a double is safe here.
    const std::string text(word);
    char* end = nullptr;
    const double number = value.dtype == TS_DTYPE_F32 ? static_cast<double>(std::strtof(text.c_str(), &end))
                                                      : std::strtod(text.c_str(), &end);
    if (*end != 0) fail(fmt::format("`{}` is not a number", word));
    value.set_real(i, number);
    if (!std::isfinite(value.real(i))) fail(fmt::format("{} is past the range of {}", word, name_of(value.dtype)));
  }

  void read_real(std::string_view word, GoldenOutput& tensor, int64_t i) const {
    tensor.text.emplace_back(word);
    if (read_special(word, tensor.value, i)) return;
    thread_local Number number(192);
    if (mpfr_set_str(number.get(), tensor.text.back().c_str(), 10, MPFR_RNDN) != 0) {
      fail(fmt::format("`{}` is not a number", word));
    }
    const Rounded rounded = round_to(tensor.value.dtype, number);
    tensor.value.set_bits(i, rounded.bits);
    const auto count = static_cast<size_t>(tensor.value.count());
    if (rounded.residual != 0) {
      tensor.residual.resize(count);
      tensor.residual[static_cast<size_t>(i)] = rounded.residual;
    }
    if (rounded.overflowed) {
      tensor.overflowed.resize(count);
      tensor.overflowed[static_cast<size_t>(i)] = 1;
    }
  }

  std::string_view text_;
  std::string name_;
  size_t at_ = 0;
  int line_ = 0;
};

} // namespace

std::string GoldenCase::key() const {
  std::string result = set;
  for (int32_t dtype : in) result += std::string(" ") + name_of(dtype);
  result += " ->";
  for (int32_t dtype : out) result += std::string(" ") + name_of(dtype);
  return result;
}

GoldenFile parse_golden(std::string_view text, std::string_view name) { return Parser(text, name).parse(); }

} // namespace ts::judge
