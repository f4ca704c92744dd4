#include "backends/kernels/elementwise.h"
#include "backends/kernels/family_test.h"

namespace ts::kernels::test {
namespace {

/// Numbered elements, some of them past both ends of what a call is given.
template <class T> struct Numbered {
  static constexpr int64_t kGuard = 64;
  std::vector<T> values;

  explicit Numbered(int64_t size, int64_t first = 0) : values(static_cast<size_t>(size + 2 * kGuard)) {
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(first + static_cast<int64_t>(i));
  }
  /// Aligned to 16 bytes at shift 0.
  View view(int32_t dtype, const Shape& shape, const Shape& stride, int64_t shift) {
    View view{reinterpret_cast<std::byte*>(values.data() + kGuard + shift),
              dtype,
              static_cast<int32_t>(shape.size()),
              {},
              {}};
    std::copy(shape.begin(), shape.end(), view.shape);
    std::copy(stride.begin(), stride.end(), view.stride);
    return view;
  }
};

template <class Out, class... In, class F>
std::string run_elementwise(const F& f, const View& z, const std::vector<Operand>& inputs, bool backward) {
  TestLauncher launcher(backward);
  HostLauncher& host = launcher;
  const Call call{
      TS_OP_ADD, TS_FAMILY_ELEMENTWISE, 1, static_cast<int32_t>(inputs.size()), 0, &z, inputs.data(), nullptr, nullptr,
      0};
  launch_elementwise<Out, In...>("test", f, call, host);
  return launcher.launches().empty() ? "" : launcher.launches()[0];
}

struct AddScaled {
  template <class T> TS_HD T operator()(T x, T y) const { return x + y * T{3}; }
};

template <class T, class U> void dense_of_every_count(int32_t first_dtype, int32_t second_dtype) {
  using Task = DenseTask<AddScaled, T, T, U>;
  std::vector<int64_t> counts{1, 2, 3, 15, 16, 17};
  for (const int64_t edge : {Task::kStrip, 2 * Task::kStrip, 5 * Task::kStrip})
    for (int64_t off = -2; off <= 2; ++off)
      counts.push_back(edge + off * (Task::kWidth - 1)), counts.push_back(edge + off);
  for (const int64_t count : counts)
    for (const int64_t shift : {0, 1})
      for (const bool backward : {false, true})
        for (const bool single : {false, true}) {
          Numbered<T> x(count + 1), z(count + 1, 7);
          Numbered<U> y(count + 1, 1000);
          const std::vector<T> before = z.values;
          const View out = z.view(first_dtype, {count}, {1}, shift);
          const std::string route = run_elementwise<T, T, U>(
              AddScaled{}, out,
              {{x.view(first_dtype, {count}, {1}, shift), 0, false},
               {y.view(second_dtype, {count}, {single ? 0 : 1}, single ? 5 : shift), 0, false}},
              backward);
          ASSERT_EQ(route, shift == 0 ? "test/vector" : "test/contiguous");
          for (size_t i = 0; i < z.values.size(); ++i) {
            const auto at = static_cast<int64_t>(i) - Numbered<T>::kGuard - shift;
            const size_t other = single ? static_cast<size_t>(Numbered<U>::kGuard + 5) : i;
            const T expected =
                at < 0 || at >= count ? before[i] : static_cast<T>(x.values[i] + T(y.values[other]) * T{3});
            ASSERT_EQ(z.values[i], expected) << "element " << at << " of " << count << " backward " << backward;
          }
        }
}

TEST(Elementwise, DenseOperandsOfEveryCount) {
  dense_of_every_count<int32_t, int32_t>(TS_DTYPE_I32, TS_DTYPE_I32);
  dense_of_every_count<int64_t, int64_t>(TS_DTYPE_I64, TS_DTYPE_I64);
  dense_of_every_count<uint8_t, uint8_t>(TS_DTYPE_U8, TS_DTYPE_U8);
}

// x lies across, z along, y one way or the other; lines have `spare` elements between them that are nobody's.
template <class T>
void squares_of(int32_t dtype, int64_t planes, int64_t rows, int64_t columns, int64_t spare, int64_t shift,
                bool across) {
  const int64_t x_line = rows + spare, z_line = columns + spare;
  const int64_t x_plane = x_line * columns, z_plane = z_line * rows;
  const int64_t y_row = across ? 1 : z_line, y_column = across ? x_line : 1, y_plane = across ? x_plane : z_plane;
  Numbered<T> x(planes * x_plane + 1), y(planes * std::max(x_plane, z_plane) + 1, 5), z(planes * z_plane + 1, 7);
  const Shape shape{planes, rows, columns};
  std::vector<T> expected = z.values;
  const auto at = [shift](int64_t place) { return static_cast<size_t>(Numbered<T>::kGuard + shift + place); };
  for (int64_t p = 0; p < planes; ++p)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        expected[at(p * z_plane + r * z_line + c)] = static_cast<T>(
            x.values[at(p * x_plane + r + c * x_line)] + y.values[at(p * y_plane + r * y_row + c * y_column)] * T{3});
  const std::string route =
      run_elementwise<T, T, T>(AddScaled{}, z.view(dtype, shape, {z_plane, z_line, 1}, shift),
                               {{x.view(dtype, shape, {x_plane, 1, x_line}, shift), 0, false},
                                {y.view(dtype, shape, {y_plane, y_row, y_column}, shift), 0, false}},
                               rows % 2 == 0);
  EXPECT_EQ(route, "test/squares");
  EXPECT_EQ(z.values, expected) << planes << " x " << rows << " x " << columns << ", spare " << spare << ", shift "
                                << shift << ", y across " << across;
}

TEST(Elementwise, SquaresOfOperandsThatLieAcross) {
  for (const auto& [planes, rows, columns] : {std::tuple<int64_t, int64_t, int64_t>{1, 16, 16},
                                              {2, 17, 31},
                                              {3, 64, 64},
                                              {1, 65, 130},
                                              {2, 70, 18},
                                              {1, 128, 40}})
    for (const int64_t spare : {0, 1, 2, 3, 4})
      for (const int64_t shift : {0, 1})
        for (const bool across : {false, true}) {
          squares_of<int32_t>(TS_DTYPE_I32, planes, rows, columns, spare, shift, across);
          squares_of<int64_t>(TS_DTYPE_I64, planes, rows, columns, spare, shift, across);
          squares_of<uint8_t>(TS_DTYPE_U8, planes, rows, columns, spare, shift, across);
        }
}

} // namespace
} // namespace ts::kernels::test
