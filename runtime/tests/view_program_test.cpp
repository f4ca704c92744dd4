// Random programs of views against a model that knows no strides: a view is a shape and the list of storage positions of
// its elements, permuted by coordinates.
#include "runtime/tests/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace ts::tests {

namespace {

// Values are positions, so that a tensor of 0, 1, 2, ... reads as its model.
struct Model {
  Dims shape;
  std::vector<int64_t> positions;

  int64_t at(const Dims& index) const {
    int64_t flat = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) flat = flat * shape[axis] + index[axis];
    return positions[static_cast<size_t>(flat)];
  }
};

// A model of a new shape whose element at an index is the old one's at source(index).
template <class Source> Model mapped(const Model& old, const Dims& shape, Source&& source) {
  Model next{shape, {}};
  const int64_t count = element_count(shape);
  Dims index(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    next.positions.push_back(old.at(source(index)));
    for (size_t axis = shape.size(); axis-- > 0 && ++index[axis] == shape[axis];) index[axis] = 0;
  }
  return next;
}

class Program {
public:
  Program(uint64_t seed, Device device) : random_(seed) {
    Dims shape;
    for (int64_t axis = below(4); axis >= 0; --axis) shape.push_back(below(4) + (below(8) == 0 ? 0 : 1));
    model_.shape = shape;
    model_.positions.resize(static_cast<size_t>(element_count(shape)));
    std::iota(model_.positions.begin(), model_.positions.end(), 0);
    tensor_ = reshape(arange(element_count(shape), DType::kI64, device), shape);
    text_ = shape_text(shape);
  }

  void step() {
    const int rank = static_cast<int>(model_.shape.size());
    const int64_t kind = below(9);
    if (rank == 0 && kind != 5 && kind != 6) return;
    const int axis = rank > 0 ? static_cast<int>(below(rank)) : 0;
    switch (kind) {
      case 0: return permute_step();
      case 1: return slice_step(axis);
      case 2: return select_step(axis);
      case 3: return flip_step(axis);
      case 4: return unfold_step(axis);
      case 5: return unsqueeze_step();
      case 6: return expand_step();
      case 7: return diagonal_step();
      default: return reshape_step();
    }
  }

  void check() const {
    ASSERT_EQ(tensor_.shape(), model_.shape) << text_;
    ASSERT_EQ(tensor_.values<int64_t>(), model_.positions) << text_;
  }

private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  void note(const std::string& what) { text_ += " | " + what; }

  void permute_step() {
    Dims axes(model_.shape.size(), 0), shape = model_.shape;
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), random_);
    for (size_t k = 0; k < axes.size(); ++k) shape[k] = model_.shape[static_cast<size_t>(axes[k])];
    note("permute " + shape_text(axes));
    model_ = mapped(model_, shape, [&](const Dims& index) {
      Dims source = index;
      for (size_t k = 0; k < axes.size(); ++k) source[static_cast<size_t>(axes[k])] = index[k];
      return source;
    });
    tensor_ = permute(tensor_, axes);
  }

  void slice_step(int axis) {
    const int64_t extent = model_.shape[static_cast<size_t>(axis)];
    const int64_t step = below(2) == 0 ? 1 + below(3) : -1 - below(3);
    const int64_t start = below(extent + 3) - 1, stop = below(extent + 3) - 1;
    // Written out, not computed: the indices that Python's range gives on bounds cut to the axis.
    std::vector<int64_t> chosen;
    const auto cut = [&](int64_t bound) {
      const int64_t from_front = bound < 0 ? bound + extent : bound;
      return step > 0 ? std::clamp<int64_t>(from_front, 0, extent) : std::clamp<int64_t>(from_front, -1, extent - 1);
    };
    for (int64_t i = cut(start); step > 0 ? i < cut(stop) : i > cut(stop); i += step) chosen.push_back(i);
    note(fmt::format("slice {} {}:{}:{}", axis, start, stop, step));
    Dims shape = model_.shape;
    shape[static_cast<size_t>(axis)] = static_cast<int64_t>(chosen.size());
    model_ = mapped(model_, shape, [&](Dims index) {
      index[static_cast<size_t>(axis)] = chosen[static_cast<size_t>(index[static_cast<size_t>(axis)])];
      return index;
    });
    tensor_ = slice(tensor_, axis, {start, stop, step});
  }

  void select_step(int axis) {
    const int64_t extent = model_.shape[static_cast<size_t>(axis)];
    if (extent == 0) return;
    const int64_t chosen = below(extent);
    note(fmt::format("select {} {}", axis, chosen));
    Dims shape = model_.shape;
    shape.erase(static_cast<size_t>(axis));
    model_ = mapped(model_, shape, [&](Dims index) {
      index.insert(static_cast<size_t>(axis), chosen);
      return index;
    });
    tensor_ = select(tensor_, axis, below(2) == 0 ? chosen : chosen - extent);
  }

  void flip_step(int axis) {
    note(fmt::format("flip {}", axis));
    model_ = mapped(model_, model_.shape, [&](Dims index) {
      index[static_cast<size_t>(axis)] = model_.shape[static_cast<size_t>(axis)] - 1 - index[static_cast<size_t>(axis)];
      return index;
    });
    tensor_ = flip(tensor_, {axis});
  }

  void unfold_step(int axis) {
    const int64_t extent = model_.shape[static_cast<size_t>(axis)], size = below(extent + 1), step = 1 + below(2);
    if (model_.shape.size() > 5) return;
    note(fmt::format("unfold {} {} {}", axis, size, step));
    Dims shape = model_.shape;
    shape[static_cast<size_t>(axis)] = (extent - size) / step + 1;
    shape.push_back(size);
    model_ = mapped(model_, shape, [&](Dims index) {
      index[static_cast<size_t>(axis)] = index[static_cast<size_t>(axis)] * step + index.back();
      index.pop_back();
      return index;
    });
    tensor_ = unfold(tensor_, axis, size, step);
  }

  void unsqueeze_step() {
    const auto axis = static_cast<size_t>(below(static_cast<int64_t>(model_.shape.size()) + 1));
    if (model_.shape.size() > 5) return;
    note(fmt::format("unsqueeze {}", axis));
    Dims shape = model_.shape;
    shape.insert(axis, 1);
    model_ = mapped(model_, shape, [&](Dims index) {
      index.erase(axis);
      return index;
    });
    tensor_ = unsqueeze(tensor_, static_cast<int64_t>(axis));
  }

  void expand_step() {
    Dims shape = model_.shape;
    for (int64_t& extent : shape)
      if (extent == 1) extent = below(4);
    if (below(2) == 0 && shape.size() < 5) shape.insert(0, 2);
    note("expand " + shape_text(shape));
    const size_t added = shape.size() - model_.shape.size();
    model_ = mapped(model_, shape, [&](const Dims& index) {
      Dims source;
      for (size_t axis = 0; axis < model_.shape.size(); ++axis)
        source.push_back(model_.shape[axis] == 1 ? 0 : index[axis + added]);
      return source;
    });
    tensor_ = expand(tensor_, shape);
  }

  void diagonal_step() {
    if (model_.shape.size() < 2) return;
    const int64_t offset = below(5) - 2;
    note(fmt::format("diagonal {}", offset));
    int64_t length = 0;
    const int64_t row = std::max<int64_t>(-offset, 0), column = std::max<int64_t>(offset, 0);
    while (row + length < model_.shape[0] && column + length < model_.shape[1]) ++length;
    Dims shape = model_.shape;
    shape.erase(0);
    shape.erase(0);
    shape.push_back(length);
    model_ = mapped(model_, shape, [&](Dims index) {
      const int64_t along = index.back();
      index.pop_back();
      index.insert(0, column + along);
      index.insert(0, row + along);
      return index;
    });
    tensor_ = diagonal(tensor_, offset);
  }

  // Merges or splits axes; where no view can have the shape, the copy holds the same values.
  void reshape_step() {
    Dims shape;
    int64_t left = element_count(model_.shape);
    if (left == 0) return;
    while (left > 1 && shape.size() < 3) {
      std::vector<int64_t> divisors;
      for (int64_t d = 1; d <= left; ++d)
        if (left % d == 0) divisors.push_back(d);
      shape.push_back(divisors[static_cast<size_t>(below(static_cast<int64_t>(divisors.size())))]);
      left /= shape.back();
    }
    shape.push_back(left);
    note("reshape " + shape_text(shape));
    model_.shape = shape;
    tensor_ = reshape(tensor_, shape);
  }

  std::mt19937_64 random_;
  Model model_;
  Tensor tensor_;
  std::string text_;
};

} // namespace

class ViewPrograms : public OnEveryDevice {};
TS_ON_EVERY_DEVICE(ViewPrograms);

TEST_P(ViewPrograms, AgreeWithAModelOfPositions) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    Program program(seed, device_);
    for (int i = 0; i < 6; ++i) program.step();
    program.check();
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

// The geometry that decides about temporaries and writes, against enumeration.
TEST(LayoutProperties, OverlapAgreesWithEnumeration) {
  std::mt19937_64 random(7);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  const auto some = [&] {
    Layout layout;
    for (int64_t axis = below(4); axis > 0; --axis) {
      layout.shape.push_back(below(4) + (below(9) == 0 ? 0 : 1));
      layout.strides.push_back(below(13) - 6);
    }
    layout.offset = below(8);
    return layout;
  };
  const auto bytes_of = [](const Layout& layout, int64_t itemsize) {
    std::vector<int64_t> bytes;
    Dims index(layout.shape.size(), 0);
    for (int64_t i = 0; i < element_count(layout.shape); ++i) {
      int64_t position = layout.offset;
      for (size_t axis = 0; axis < index.size(); ++axis) position += index[axis] * layout.strides[axis];
      for (int64_t byte = 0; byte < itemsize; ++byte) bytes.push_back(position * itemsize + byte);
      for (size_t axis = index.size(); axis-- > 0 && ++index[axis] == layout.shape[axis];) index[axis] = 0;
    }
    return bytes;
  };
  for (int i = 0; i < 20000; ++i) {
    const Layout a = some(), b = some();
    const int64_t width_a = int64_t{1} << below(3), width_b = below(2) == 0 ? width_a : int64_t{1} << below(3);
    std::vector<int64_t> x = bytes_of(a, width_a), y = bytes_of(b, width_b), both;
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both));
    ASSERT_EQ(overlap(a, width_a, b, width_b) != Overlap::kNone, !both.empty()) << i;
    ASSERT_EQ(self_overlaps(a), std::adjacent_find(x.begin(), x.end()) != x.end()) << i;
    if (!both.empty()) {
      ASSERT_NE(range_overlap(a, width_a, b, width_b), Overlap::kNone) << i;
    }
  }
}

} // namespace ts::tests
