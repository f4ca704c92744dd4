#include "tools/touchstone/picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

namespace ts::tool {

using namespace conformance;

namespace {

constexpr int64_t kShown = 48; // positions of a picture
constexpr size_t kPerLine = 8;

std::string header(const Memory::Tensor& tensor) {
  const Placement& p = tensor.placement;
  if (tensor.region < 0)
    return fmt::format("{}: {} ({}) immediate\n", tensor.name, judge::name_of(tensor.dtype), fmt::join(p.shape, ","));
  return fmt::format("{}: {} ({}) stride ({}) offset {}        buffer of {} elements, guards included\n", tensor.name,
                     judge::name_of(tensor.dtype), fmt::join(p.shape, ","), fmt::join(p.stride, ","), p.offset,
                     p.storage);
}

// One column per position: the lines of each, drawn one under the other.
struct Column {
  std::vector<std::string> lines;
};

std::string drawn(const std::vector<Column>& columns) {
  std::string text;
  for (size_t first = 0; first < columns.size(); first += kPerLine) {
    const size_t last = std::min(columns.size(), first + kPerLine);
    size_t width = 5, height = 0;
    for (size_t k = first; k < last; ++k) {
      height = std::max(height, columns[k].lines.size());
      for (const std::string& line : columns[k].lines) width = std::max(width, line.size() + 1);
    }
    for (size_t line = 0; line < height; ++line) {
      for (size_t k = first; k < last; ++k)
        text += fmt::format("{:>{}}", line < columns[k].lines.size() ? columns[k].lines[line] : "", width);
      text += '\n';
    }
  }
  return text;
}

// Elements by position; several where a stride is 0.
std::map<int64_t, std::vector<int64_t>> by_position(const Placement& placement) {
  std::map<int64_t, std::vector<int64_t>> elements;
  for (size_t e = 0; e < placement.position.size(); ++e)
    elements[placement.position[e]].push_back(static_cast<int64_t>(e));
  return elements;
}

template <class Lines> std::string picture(const Memory::Tensor& tensor, int64_t element, Lines&& lines_of) {
  std::string text = header(tensor);
  const auto elements = by_position(tensor.placement);
  if (elements.empty()) return text + "  no element\n";
  const int64_t centre =
      element < 0 ? elements.begin()->first : tensor.placement.position[static_cast<size_t>(element)];
  const int64_t first = std::max(elements.begin()->first, element < 0 ? centre : centre - kShown / 2);
  const int64_t last = std::min(elements.rbegin()->first, first + kShown - 1);
  std::vector<Column> columns;
  for (int64_t position = first; position <= last; ++position) {
    Column column{{std::to_string(position)}};
    if (const auto found = elements.find(position); found == elements.end()) {
      column.lines.emplace_back(".");
    } else {
      const int64_t e = found->second.front();
      column.lines.push_back(fmt::format("[{}]{}", fmt::join(judge::coordinates(tensor.placement.shape, e), ","),
                                         found->second.size() > 1 ? fmt::format("x{}", found->second.size()) : ""));
      for (std::string& line : lines_of(e)) column.lines.push_back(std::move(line));
    }
    columns.push_back(std::move(column));
  }
  text += drawn(columns);
  if (last < elements.rbegin()->first) text += fmt::format("  ... up to position {}\n", elements.rbegin()->first);
  return text;
}

} // namespace

std::string picture_of_operand(const Memory::Tensor& tensor, const Array& values, int64_t element) {
  if (tensor.region < 0)
    return header(tensor) + fmt::format("  every element is {}\n", values.count() > 0 ? values.text(0) : "none");
  return picture(tensor, element, [&](int64_t e) { return std::vector<std::string>{values.text(e)}; });
}

std::string picture_of_output(const Memory::Tensor& tensor, const Array& got, const Array& want, int64_t element) {
  return picture(tensor, element, [&](int64_t e) {
    std::vector<std::string> lines = {got.text(e)};
    if (got.bits(e) != want.bits(e)) lines.push_back("/=" + want.text(e));
    return lines;
  });
}

} // namespace ts::tool
