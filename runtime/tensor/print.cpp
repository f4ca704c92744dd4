#include "runtime/tensor/print.h"

#include "runtime/tensor/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace ts {

namespace {

bool summarized(const Tensor& x, const PrintOptions& options, int axis) {
  return x.numel() > options.summarize_above && x.shape()[axis] > 2 * options.edge;
}

// The ends of every long axis side by side in a small dense tensor on x's device: one block copy per corner.
Tensor edges(const Tensor& x, const PrintOptions& options) {
  std::vector<int> cut;
  Dims shape = x.shape();
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (!summarized(x, options, axis)) continue;
    cut.push_back(axis);
    shape[axis] = 2 * options.edge;
  }
  if (cut.empty()) return x;
  const Tensor small = empty(shape, x.dtype(), x.device());
  for (uint64_t corner = 0; corner < uint64_t{1} << cut.size(); ++corner) {
    Tensor from = x, into = small;
    for (size_t k = 0; k < cut.size(); ++k) {
      const int64_t edge = options.edge;
      const Slice end = (corner >> k & 1) == 0 ? Slice{0, edge, 1} : Slice{-edge, std::nullopt, 1};
      from = slice(from, cut[k], end);
      into = slice(into, cut[k], end);
    }
    into.copy_(from);
  }
  return small;
}

// One way of writing for the whole tensor, chosen from its values, so that columns line up.
class Formatter {
public:
  Formatter(const std::vector<Scalar>& values, const PrintOptions& options) : precision_(options.precision) {
    double low = 0, high = 0;
    for (const Scalar& value : values) {
      if (!value.is_real() || !std::isfinite(value.real())) continue;
      const double magnitude = std::fabs(value.real());
      integral_ = integral_ && magnitude == std::floor(magnitude);
      high = std::max(high, magnitude);
      if (magnitude != 0) low = low == 0 ? magnitude : std::min(low, magnitude);
    }
    scientific_ = high >= 1e8 || (low != 0 && (low < 1e-4 || high / low > 1e5)) ? !(integral_ && high < 1e8) : false;
    for (const Scalar& value : values) width_ = std::max(width_, text(value).size());
  }
  size_t width() const { return width_; }
  std::string padded(const Scalar& value) const { return fmt::format("{:>{}}", text(value), width_); }

private:
  std::string text(const Scalar& value) const {
    if (!value.is_real()) return value.str();
    const double x = value.real();
    if (!std::isfinite(x)) return fmt::format("{}", x);
    if (scientific_) return fmt::format("{:.{}e}", x, precision_);
    return integral_ ? fmt::format("{:.0f}.", x) : fmt::format("{:.{}f}", x, precision_);
  }

  int precision_;
  bool integral_ = true;
  bool scientific_ = false;
  size_t width_ = 0;
};

class Printer {
public:
  Printer(const Tensor& whole, const Tensor& shown, const PrintOptions& options)
      : whole_(whole), shown_(shown), options_(options), values_(read(shown)), formatter_(values_, options) {}

  std::string text() {
    write(0, 0);
    return std::move(out_);
  }

private:
  static std::vector<Scalar> read(const Tensor& x) {
    const auto width = static_cast<size_t>(itemsize(x.dtype())), count = static_cast<size_t>(x.numel());
    std::vector<std::byte> bytes(width * count);
    x.read(bytes.data());
    std::vector<Scalar> values;
    values.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, bytes.data() + i * width, width);
      values.push_back(Scalar::decode(x.dtype(), bits));
    }
    return values;
  }

  void write(int axis, int64_t first) {
    if (axis == shown_.rank()) {
      out_ += formatter_.padded(values_[static_cast<size_t>(first)]);
      return;
    }
    const int64_t extent = shown_.shape()[axis];
    const bool innermost = axis + 1 == shown_.rank();
    int64_t step = 1;
    for (int inner = axis + 1; inner < shown_.rank(); ++inner) step *= shown_.shape()[inner];
    const bool gap = summarized(whole_, options_, axis);
    const std::string indent(std::string_view("tensor(").size() + static_cast<size_t>(axis) + 1, ' ');
    const auto per_line = std::max<int64_t>(1, (options_.line_width - static_cast<int64_t>(indent.size())) /
                                                   static_cast<int64_t>(formatter_.width() + 2));
    const std::string separator =
        innermost ? ", " : "," + std::string(static_cast<size_t>(shown_.rank() - axis - 1), '\n') + indent;
    out_ += '[';
    for (int64_t i = 0; i < extent; ++i) {
      if (i > 0) out_ += innermost && i % per_line == 0 ? ",\n" + indent : separator;
      if (gap && i == options_.edge) out_ += "..." + separator;
      write(axis + 1, first + i * step);
    }
    out_ += ']';
  }

  const Tensor& whole_;
  const Tensor& shown_;
  const PrintOptions& options_;
  std::vector<Scalar> values_;
  Formatter formatter_;
  std::string out_;
};

} // namespace

std::string to_string(const Tensor& x, const PrintOptions& options) {
  if (!x.defined()) return "tensor()";
  const Tensor shown = edges(x, options);
  const std::string body = x.numel() == 0 ? "[]" : Printer(x, shown, options).text();
  return fmt::format("tensor({}, shape={}, dtype={}, device={})", body, shape_text(x.shape()), name(x.dtype()),
                     x.device().name());
}

} // namespace ts
