#include "tools/standin/works.h"

#include <algorithm>
#include <numeric>

namespace ts::standin {

using testing::CallBuilder;
using testing::dense_view;
using testing::fresh_error;
using testing::Shape;
using testing::view_of;

Session::Session(const ts_backend* table, const std::string& options) : table_(table) {
  ts_error error = fresh_error();
  check(table_->open(options.c_str(), &self_, &error), error);
}

void Session::check(ts_status status, const ts_error& error) const {
  if (status != TS_OK) throw Failed(status, error.message);
}

ts_buffer Session::allocate(uint64_t bytes, int32_t device) {
  ts_buffer buffer = 0;
  ts_error error = fresh_error();
  check(table_->allocate(self_, device, bytes, &buffer, &error), error);
  return buffer;
}

void Session::copy_in(ts_buffer target, const void* source, uint64_t bytes, ts_queue queue) {
  ts_error error = fresh_error();
  check(table_->copy_in(self_, queue, target, 0, source, bytes, &error), error);
}

void Session::copy_out(void* target, ts_buffer source, uint64_t bytes, ts_queue queue) {
  ts_error error = fresh_error();
  check(table_->copy_out(self_, queue, target, source, 0, bytes, &error), error);
}

void Session::copy(ts_buffer target, uint64_t target_byte, ts_queue target_queue, ts_buffer source,
                   uint64_t source_byte, ts_queue source_queue, uint64_t bytes) {
  ts_error error = fresh_error();
  check(table_->copy(self_, target_queue, target, target_byte, source_queue, source, source_byte, bytes, &error),
        error);
}

void Session::synchronize(ts_queue queue, int32_t device) {
  ts_error error = fresh_error();
  check(table_->synchronize(self_, device, queue, &error), error);
}

ts_queue Session::create_queue(int32_t device) {
  ts_queue queue = 0;
  ts_error error = fresh_error();
  check(table_->queue_create(self_, device, &queue, &error), error);
  return queue;
}

void Session::call(int32_t family, CallBuilder& builder, ts_queue queue) {
  builder.queue(queue);
  ts_answer answer{};
  answer.size = sizeof answer;
  table_->query(self_, builder.get(), &answer);
  if (answer.status != TS_OK) throw Failed(answer.status, answer.reason);
  ts_buffer workspace = 0;
  // A workspace holds what somebody left there.
  if (answer.workspace_bytes > 0) workspace = upload(std::vector<uint8_t>(answer.workspace_bytes, 0x5A), queue);
  builder.workspace(workspace, answer.workspace_bytes);
  ts_error error = fresh_error();
  check(table_->kernels[family](self_, builder.get(), &error), error);
  if (workspace != 0) release(workspace, queue);
}

namespace {

using Integers = std::vector<int64_t>;
using Floats = std::vector<float>;

Integers counting(int64_t count, int64_t first = 0, int64_t step = 1) {
  Integers values(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k) values[static_cast<size_t>(k)] = first + k * step;
  return values;
}

// Some order of 0 ... count - 1; count has no factor 7.
Integers mixed(int64_t count) {
  Integers values(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k) values[static_cast<size_t>(k)] = k * 7 % count;
  return values;
}

template <class T> std::string difference(const std::vector<T>& got, const std::vector<T>& expected) {
  const auto [g, e] = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
  if (g == got.end() && e == expected.end()) return "";
  if (g == got.end() || e == expected.end()) return "another number of elements";
  return "element " + std::to_string(g - got.begin()) + " is " + std::to_string(*g) + ", not " + std::to_string(*e);
}

ts_view i64(ts_buffer buffer, const Shape& shape) { return dense_view(buffer, TS_DTYPE_I64, shape); }
ts_view f32(ts_buffer buffer, const Shape& shape) { return dense_view(buffer, TS_DTYPE_F32, shape); }

std::string copies(Session& s) {
  const Integers values = counting(1000);
  const ts_buffer x = s.upload(values), y = s.allocate(8000);
  s.copy(y, 0, 0, x, 0, 0, 8000);
  return difference(s.download<int64_t>(y, 1000), values);
}

std::string copies_that_overlap(Session& s) {
  const ts_buffer x = s.upload(counting(100));
  s.copy(x, 80, 0, x, 0, 0, 720);
  Integers expected = counting(100);
  std::copy_backward(expected.begin(), expected.begin() + 90, expected.end());
  return difference(s.download<int64_t>(x, 100), expected);
}

std::string copies_between_queues(Session& s) {
  const ts_queue other = s.create_queue();
  const Integers values = counting(500, 7);
  const ts_buffer x = s.upload(values), y = s.allocate(4000);
  s.copy(y, 0, other, x, 0, 0, 4000);
  std::string wrong = difference(s.download<int64_t>(y, 500, other), values);
  s.synchronize();
  s.table().queue_destroy(s.self(), 0, other);
  return wrong;
}

std::string copies_between_devices(Session& s) {
  const Integers values = counting(500, 3, 2);
  const ts_buffer x = s.upload(values), y = s.allocate(4000, 1);
  s.copy(y, 0, 0, x, 0, 0, 4000);
  std::string wrong = difference(s.download<int64_t>(y, 500, 0, 1), values);
  s.synchronize();
  return wrong;
}

// More than the ring of pinned memory holds.
std::string long_copies(Session& s) {
  static const Integers values = counting(9 << 19);
  return difference(s.download<int64_t>(s.upload(values), values.size()), values);
}

std::string events(Session& s) {
  const ts_queue other = s.create_queue();
  const Integers values = counting(64);
  const ts_buffer x = s.upload(values), z = s.allocate(512);
  ts_event event = 0;
  ts_error error = fresh_error();
  if (const ts_status status = s.table().record(s.self(), 0, 0, &event, &error); status != TS_OK)
    throw Failed(status, error.message);
  if (const ts_status status = s.table().wait(s.self(), 0, other, event, &error); status != TS_OK)
    throw Failed(status, error.message);
  CallBuilder add(TS_OP_ADD);
  s.call(TS_FAMILY_ELEMENTWISE, add.out(i64(z, {64})).in(i64(x, {64})).in(i64(x, {64})), other);
  return difference(s.download<int64_t>(z, 64, other), counting(64, 0, 2));
}

std::string polling(Session& s) {
  const ts_buffer z = s.allocate(512);
  CallBuilder fill(TS_OP_FILL);
  s.call(TS_FAMILY_FILL, fill.integer(5).out(i64(z, {64})));
  for (int k = 0; k < 10; ++k) {
    ts_error error = fresh_error();
    if (const ts_status status = s.table().poll(s.self(), 0, 0, &error); status != TS_OK)
      throw Failed(status, error.message);
  }
  return difference(s.download<int64_t>(z, 64), Integers(64, 5));
}

std::string adds(Session& s) {
  const ts_buffer x = s.upload(counting(1000)), y = s.upload(counting(1000, 5, 3)), z = s.allocate(8000);
  CallBuilder add(TS_OP_ADD);
  s.call(TS_FAMILY_ELEMENTWISE, add.out(i64(z, {1000})).in(i64(x, {1000})).in(i64(y, {1000})));
  return difference(s.download<int64_t>(z, 1000), counting(1000, 5, 4));
}

std::string adds_turned(Session& s) {
  const ts_buffer x = s.upload(counting(21)), z = s.allocate(168);
  CallBuilder add(TS_OP_ADD);
  const ts_view turned = view_of(x, TS_DTYPE_I64, {7, 3}, {1, 7});
  s.call(TS_FAMILY_ELEMENTWISE, add.out(i64(z, {7, 3})).in(turned).in(turned));
  Integers expected;
  for (int64_t row = 0; row < 7; ++row)
    for (int64_t column = 0; column < 3; ++column) expected.push_back(2 * (row + 7 * column));
  return difference(s.download<int64_t>(z, 21), expected);
}

std::string adds_squares(Session& s) {
  constexpr int64_t kRows = 20, kColumns = 18;
  const ts_buffer x = s.upload(counting(kRows * kColumns)), z = s.allocate(kRows * kColumns * 8);
  CallBuilder add(TS_OP_ADD);
  s.call(TS_FAMILY_ELEMENTWISE, add.out(i64(z, {kRows, kColumns}))
                                    .in(view_of(x, TS_DTYPE_I64, {kRows, kColumns}, {1, kRows}))
                                    .in(i64(x, {kRows, kColumns})));
  Integers expected;
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t column = 0; column < kColumns; ++column)
      expected.push_back(row + kRows * column + kColumns * row + column);
  return difference(s.download<int64_t>(z, kRows * kColumns), expected);
}

// Rows of two chunks, which a block takes whole.
std::string sums_long_rows(Session& s) {
  constexpr int64_t kRows = 3, kColumns = 5000;
  const ts_buffer x = s.upload(counting(kRows * kColumns)), z = s.allocate(kRows * 8);
  CallBuilder total(TS_OP_SUM);
  s.call(TS_FAMILY_REDUCE, total.integer(2).out(i64(z, {kRows, 1})).in(i64(x, {kRows, kColumns})));
  Integers expected;
  for (int64_t row = 0; row < kRows; ++row)
    expected.push_back(row * kColumns * kColumns + kColumns * (kColumns - 1) / 2);
  return difference(s.download<int64_t>(z, kRows), expected);
}

// Copies of a matrix: turned in tiles, and by lines of 16 bytes.
std::string moves(Session& s) {
  constexpr int64_t kSide = 48;
  const ts_buffer x = s.upload(counting(kSide * kSide)), z = s.allocate(kSide * kSide * 8);
  CallBuilder turn(TS_OP_CONVERT), lines(TS_OP_CONVERT);
  const ts_view source = view_of(x, TS_DTYPE_I64, {kSide, kSide}, {1, kSide});
  s.call(TS_FAMILY_CONVERT, turn.out(i64(z, {kSide, kSide})).in(source));
  Integers expected;
  for (int64_t row = 0; row < kSide; ++row)
    for (int64_t column = 0; column < kSide; ++column) expected.push_back(row + kSide * column);
  if (std::string wrong = difference(s.download<int64_t>(z, kSide * kSide), expected); !wrong.empty()) return wrong;
  const ts_view left = view_of(x, TS_DTYPE_I64, {kSide, 4}, {kSide, 1});
  s.call(TS_FAMILY_CONVERT, lines.out(i64(z, {kSide, 4})).in(left));
  expected.clear();
  for (int64_t row = 0; row < kSide; ++row)
    for (int64_t column = 0; column < 4; ++column) expected.push_back(row * kSide + column);
  return difference(s.download<int64_t>(z, kSide * 4), expected);
}

// A sum over one axis; long enough for partial sums.
std::string sum(Session& s, int64_t axis) {
  constexpr int64_t kRows = 3, kColumns = 20000;
  const Shape shape = axis == 1 ? Shape{kRows, kColumns} : Shape{kColumns, kRows};
  const ts_buffer x = s.upload(Integers(kRows * kColumns, 2)), z = s.allocate(kRows * 8);
  CallBuilder total(TS_OP_SUM);
  const Shape reduced = axis == 1 ? Shape{kRows, 1} : Shape{1, kRows};
  s.call(TS_FAMILY_REDUCE, total.integer(1 << axis).out(i64(z, reduced)).in(i64(x, shape)));
  return difference(s.download<int64_t>(z, kRows), Integers(kRows, 2 * kColumns));
}
std::string sums_rows(Session& s) { return sum(s, 1); }
std::string sums_columns(Session& s) { return sum(s, 0); }

std::string finds_maximum(Session& s) {
  const ts_buffer x = s.upload(mixed(20000)), z = s.allocate(8);
  CallBuilder largest(TS_OP_ARGMAX);
  s.call(TS_FAMILY_ARG_REDUCE, largest.integer(0).out(i64(z, {1})).in(i64(x, {20000})));
  const Integers values = mixed(20000);
  const int64_t expected = std::max_element(values.begin(), values.end()) - values.begin();
  return difference(s.download<int64_t>(z, 1), Integers{expected});
}

std::string scan(Session& s, int64_t axis, int64_t lines, int64_t length) {
  const Shape shape = axis == 1 ? Shape{lines, length} : Shape{length, lines};
  const auto count = static_cast<size_t>(lines * length);
  const ts_buffer x = s.upload(Integers(count, 1)), z = s.allocate(count * 8);
  CallBuilder sums(TS_OP_CUMSUM);
  s.call(TS_FAMILY_SCAN, sums.integer(axis).out(i64(z, shape)).in(i64(x, shape)));
  Integers expected;
  for (int64_t k = 0; k < lines * length; ++k) expected.push_back(axis == 1 ? k % length + 1 : k / lines + 1);
  return difference(s.download<int64_t>(z, count), expected);
}
std::string scans_rows(Session& s) { return scan(s, 1, 2, 3000); }
std::string scans_columns(Session& s) { return scan(s, 0, 3, 3000); }
std::string scans_a_long_row(Session& s) { return scan(s, 1, 1, 200000); }

template <class T> std::string multiplies(Session& s, ts_view (*matrix)(ts_buffer, const Shape&)) {
  constexpr int64_t kM = 20, kK = 33, kN = 17;
  const ts_buffer x = s.upload(std::vector<T>(kM * kK, 3)), y = s.upload(std::vector<T>(kK * kN, 2));
  const ts_buffer z = s.allocate(kM * kN * sizeof(T));
  CallBuilder product(TS_OP_MATMUL);
  s.call(TS_FAMILY_MATMUL, product.out(matrix(z, {kM, kN})).in(matrix(x, {kM, kK})).in(matrix(y, {kK, kN})));
  return difference(s.download<T>(z, kM * kN), std::vector<T>(kM * kN, T{6 * kK}));
}
std::string multiplies_integers(Session& s) { return multiplies<int64_t>(s, i64); }
// Which a vendor's library multiplies where there is one.
std::string multiplies_floats(Session& s) { return multiplies<float>(s, f32); }

std::string gathers(Session& s) {
  constexpr int64_t kCount = 100;
  const ts_buffer x = s.upload(counting(kCount, 10)), index = s.upload(mixed(kCount)), z = s.allocate(kCount * 8);
  CallBuilder gather(TS_OP_GATHER);
  s.call(TS_FAMILY_GATHER, gather.integer(0).out(i64(z, {kCount})).in(i64(x, {kCount})).in(i64(index, {kCount})));
  Integers expected = mixed(kCount);
  for (int64_t& value : expected) value += 10;
  return difference(s.download<int64_t>(z, kCount), expected);
}

// An index out of range is told by the next synchronize with its place and value, and once.
std::string refuses_an_index(Session& s) {
  const ts_buffer x = s.upload(counting(4)), index = s.upload(Integers{0, 9, 1}), z = s.allocate(24);
  CallBuilder gather(TS_OP_GATHER, 77);
  s.call(TS_FAMILY_GATHER, gather.integer(0).out(i64(z, {3})).in(i64(x, {4})).in(i64(index, {3})));
  ts_error error = fresh_error();
  const ts_status status = s.table().synchronize(s.self(), 0, 0, &error);
  if (status == TS_OK) return "nobody was told of index 9";
  if (status != TS_INDEX_OUT_OF_RANGE) throw Failed(status, error.message);
  if (error.value != 9 || error.bound != 4 || error.element != 1 || error.serial != 77)
    return std::string("another error: ") + error.message;
  return gathers(s);
}

std::string scatters(Session& s) {
  constexpr int64_t kCount = 50;
  const Shape shape{kCount};
  const ts_buffer x = s.upload(Integers(kCount, -1)), index = s.upload(mixed(kCount)),
                  from = s.upload(counting(kCount));
  CallBuilder scatter(TS_OP_SCATTER), add(TS_OP_SCATTER_ADD);
  s.call(TS_FAMILY_SCATTER, scatter.integer(0).out(i64(x, shape)).in(i64(index, shape)).in(i64(from, shape)));
  Integers expected(kCount);
  const Integers places = mixed(kCount);
  for (int64_t k = 0; k < kCount; ++k) expected[static_cast<size_t>(places[static_cast<size_t>(k)])] = k;
  if (std::string wrong = difference(s.download<int64_t>(x, kCount), expected); !wrong.empty()) return wrong;
  s.call(TS_FAMILY_SCATTER, add.integer(0).out(i64(x, shape)).in(i64(index, shape)).in(i64(from, shape)));
  for (int64_t& value : expected) value *= 2;
  return difference(s.download<int64_t>(x, kCount), expected);
}

std::string sort(Session& s, int64_t count) {
  const ts_buffer x = s.upload(mixed(count));
  const auto bytes = static_cast<uint64_t>(count) * 8;
  const ts_buffer values = s.allocate(bytes), indices = s.allocate(bytes);
  CallBuilder sorted(TS_OP_SORT);
  const Shape shape{count};
  s.call(TS_FAMILY_SORT,
         sorted.integer(0).integer(0).out(i64(values, shape)).out(i64(indices, shape)).in(i64(x, shape)));
  const Integers input = mixed(count);
  if (std::string wrong = difference(s.download<int64_t>(values, input.size()), counting(count)); !wrong.empty())
    return wrong;
  Integers expected(input.size());
  for (size_t k = 0; k < input.size(); ++k) expected[static_cast<size_t>(input[k])] = static_cast<int64_t>(k);
  return difference(s.download<int64_t>(indices, input.size()), expected);
}
std::string sorts(Session& s) { return sort(s, 300); }
std::string sorts_much(Session& s) { return sort(s, 9000); }

// Equal numbers; a power of two of them, so that no rounding is left.
std::string softmax(Session& s, int64_t length) {
  const auto count = static_cast<size_t>(length);
  const ts_buffer x = s.upload(Floats(count, 3)), z = s.allocate(count * sizeof(float));
  CallBuilder call(TS_OP_SOFTMAX);
  s.call(TS_FAMILY_SOFTMAX, call.integer(0).out(f32(z, {length})).in(f32(x, {length})));
  return difference(s.download<float>(z, count), Floats(count, 1.0F / static_cast<float>(length)));
}
std::string softmax_of_a_row(Session& s) { return softmax(s, 64); }
std::string softmax_of_a_long_row(Session& s) { return softmax(s, 65536); }

std::string releases(Session& s) {
  const ts_buffer x = s.upload(counting(1000));
  const Integers seen = s.download<int64_t>(x, 1000);
  s.release(x);
  s.synchronize();
  return difference(seen, counting(1000));
}

} // namespace

const std::vector<Work>& works() {
#define TS_WORK(name)                                                                                                  \
  { #name, name }
  static const std::vector<Work> all{TS_WORK(copies),
                                     TS_WORK(copies_that_overlap),
                                     TS_WORK(copies_between_queues),
                                     TS_WORK(long_copies),
                                     TS_WORK(events),
                                     TS_WORK(copies_between_devices),
                                     TS_WORK(polling),
                                     TS_WORK(adds),
                                     TS_WORK(adds_turned),
                                     TS_WORK(adds_squares),
                                     TS_WORK(sums_long_rows),
                                     TS_WORK(moves),
                                     TS_WORK(sums_rows),
                                     TS_WORK(sums_columns),
                                     TS_WORK(finds_maximum),
                                     TS_WORK(scans_rows),
                                     TS_WORK(scans_columns),
                                     TS_WORK(multiplies_integers),
                                     TS_WORK(scans_a_long_row),
                                     TS_WORK(multiplies_floats),
                                     TS_WORK(gathers),
                                     TS_WORK(refuses_an_index),
                                     TS_WORK(scatters),
                                     TS_WORK(sorts),
                                     TS_WORK(sorts_much),
                                     TS_WORK(softmax_of_a_row),
                                     TS_WORK(softmax_of_a_long_row),
                                     TS_WORK(releases)};
#undef TS_WORK
  return all;
}

} // namespace ts::standin
