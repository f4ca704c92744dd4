// What every backend of this house keeps to at its door: memory, copies, queues, refusals. The body once, the backends a
// parameter.
#include "backends/testing/table.h"

#include <algorithm>
#include <numeric>

namespace ts::testing {
namespace {

class Door : public ::testing::TestWithParam<std::string> {
protected:
  Instance backend{load_table(built_backend(GetParam()))};
  bool has(int family) const { return backend.table()->kernels[family] != nullptr; }
};

INSTANTIATE_TEST_SUITE_P(Backends, Door, ::testing::Values("cpu", "emulator", "skeleton"),
                         [](const auto& each) { return each.param; });

TEST_P(Door, NamesItselfAndItsDevice) {
  EXPECT_EQ(backend.table()->name, GetParam());
  EXPECT_EQ(backend.table()->device_count(backend.self()), 1);
  ts_device_info info{};
  info.size = sizeof info;
  EXPECT_EQ(backend.table()->device_info(backend.self(), 0, &info, nullptr), TS_OK);
  EXPECT_GE(info.alignment, 8U);
  EXPECT_STRNE(info.name, "");
  EXPECT_EQ(backend.table()->device_info(backend.self(), 1, &info, &backend.error), TS_INVALID_ARGUMENT);
}

TEST(Door, WithoutHardwareOpensAndCountsNoDevice) {
  // TS_CITES(backend.7)
  Instance none(load_table(built_backend("emulator")), "devices=0");
  ASSERT_NE(none.self(), nullptr);
  EXPECT_EQ(none.table()->device_count(none.self()), 0);
  ts_buffer buffer = 0;
  EXPECT_EQ(none.table()->allocate(none.self(), 0, 16, &buffer, &none.error), TS_INVALID_ARGUMENT);
}

TEST_P(Door, RefusesUnknownOptions) {
  ts_instance* self = nullptr;
  ts_error error = fresh_error();
  EXPECT_EQ(backend.table()->open("nonsense=1", &self, &error), TS_INVALID_ARGUMENT);
  EXPECT_EQ(self, nullptr);
  EXPECT_STRNE(error.message, "");
}

TEST_P(Door, KeepsBytesAndTakesParts) {
  std::vector<uint8_t> bytes(1000);
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  const ts_buffer a = backend.upload(bytes), b = backend.allocate(1000);
  EXPECT_NE(a, b);
  EXPECT_EQ(backend.table()->copy(backend.self(), 0, b, 10, 0, a, 20, 900, nullptr), TS_OK);
  const std::vector<uint8_t> found = backend.download<uint8_t>(b, 1000);
  EXPECT_TRUE(std::equal(found.begin() + 10, found.begin() + 910, bytes.begin() + 20));
  // Within one buffer, onto itself.
  EXPECT_EQ(backend.table()->copy(backend.self(), 0, a, 1, 0, a, 0, 999, nullptr), TS_OK);
  const std::vector<uint8_t> moved = backend.download<uint8_t>(a, 1000);
  EXPECT_TRUE(std::equal(moved.begin() + 1, moved.end(), bytes.begin()));
}

TEST_P(Door, CopyInHasReadItsSourceWhenItReturns) {
  std::vector<int32_t> values{1, 2, 3};
  const ts_buffer buffer = backend.upload(values);
  values.assign({9, 9, 9});
  EXPECT_EQ(backend.download<int32_t>(buffer, 3), (std::vector<int32_t>{1, 2, 3}));
}

TEST_P(Door, ZeroBytesAreABuffer) {
  const ts_buffer a = backend.allocate(0), b = backend.allocate(0);
  EXPECT_NE(a, 0U);
  EXPECT_NE(a, b);
  EXPECT_EQ(backend.copy_in(a, nullptr, 0), TS_OK);
  EXPECT_EQ(backend.copy_in(a, "x", 1), TS_INVALID_ARGUMENT);
  backend.table()->release(backend.self(), a, 0);
  EXPECT_EQ(backend.synchronize(), TS_OK);
}

TEST_P(Door, RefusesCopiesOutsideABuffer) {
  const ts_buffer buffer = backend.allocate(16);
  char byte = 0;
  const auto* table = backend.table();
  EXPECT_EQ(table->copy_in(backend.self(), 0, buffer, 16, &byte, 1, &backend.error), TS_INVALID_ARGUMENT);
  EXPECT_EQ(table->copy_in(backend.self(), 0, buffer, UINT64_MAX, &byte, 1, nullptr), TS_INVALID_ARGUMENT);
  EXPECT_EQ(table->copy_out(backend.self(), 0, &byte, buffer, 1, UINT64_MAX, nullptr), TS_INVALID_ARGUMENT);
  EXPECT_EQ(table->copy(backend.self(), 0, buffer, 8, 0, buffer, 0, 9, nullptr), TS_INVALID_ARGUMENT);
  EXPECT_EQ(table->copy_in(backend.self(), 77, buffer, 0, &byte, 1, nullptr), TS_INVALID_ARGUMENT);
}

TEST_P(Door, RefusesBuffersThatWereReleasedOrNeverWere) {
  const ts_buffer buffer = backend.allocate(16);
  backend.table()->release(backend.self(), buffer, 0);
  backend.table()->release(backend.self(), buffer, 0); // harmless
  backend.table()->release(backend.self(), 0, 0);
  backend.table()->release(backend.self(), 123456789, 0);
  char byte = 0;
  EXPECT_EQ(backend.copy_in(buffer, &byte, 1), TS_INVALID_ARGUMENT);
  EXPECT_EQ(backend.copy_in(123456789, &byte, 1), TS_INVALID_ARGUMENT);
  EXPECT_EQ(backend.copy_in(0, &byte, 1), TS_INVALID_ARGUMENT);
}

TEST_P(Door, MoreThanThereIsIsOutOfMemory) {
  ts_buffer buffer = 0;
  for (const uint64_t bytes : {uint64_t{1} << 62, UINT64_MAX})
    EXPECT_EQ(backend.table()->allocate(backend.self(), 0, bytes, &buffer, &backend.error), TS_OUT_OF_MEMORY);
  EXPECT_EQ(buffer, 0U);
  EXPECT_EQ(backend.table()->allocate(backend.self(), 1, 1, &buffer, nullptr), TS_INVALID_ARGUMENT);
}

TEST_P(Door, FillsAnErrorOnlyAsFarAsItsSize) {
  struct {
    ts_error error;
    char after;
  } small{};
  memset(&small, 0x55, sizeof small);
  small.error.size = offsetof(ts_error, operand);
  char byte = 0;
  EXPECT_EQ(backend.table()->copy_in(backend.self(), 0, 0, 0, &byte, 1, &small.error), TS_INVALID_ARGUMENT);
  EXPECT_EQ(small.error.operand, 0x55555555);
}

TEST_P(Door, QueuesAndEvents) {
  const auto* table = backend.table();
  ts_queue queue = 0;
  ASSERT_EQ(table->queue_create(backend.self(), 0, &queue, nullptr), TS_OK);
  EXPECT_NE(queue, 0U);
  const ts_buffer a = backend.upload(std::vector<int32_t>{7}, queue), b = backend.allocate(4);
  ts_event event = 0;
  ASSERT_EQ(table->record(backend.self(), 0, queue, &event, nullptr), TS_OK);
  EXPECT_EQ(table->wait(backend.self(), 0, 0, event, nullptr), TS_OK);
  EXPECT_EQ(table->wait(backend.self(), 0, 0, event + 100, &backend.error), TS_INVALID_ARGUMENT);
  EXPECT_EQ(table->copy(backend.self(), 0, b, 0, queue, a, 0, 4, nullptr), TS_OK);
  EXPECT_EQ(backend.download<int32_t>(b, 1), std::vector<int32_t>{7}); // queue 0 alone is waited for
  EXPECT_EQ(table->synchronize(backend.self(), 0, queue, nullptr), TS_OK);
  EXPECT_EQ(table->poll(backend.self(), 0, queue, nullptr), TS_OK);
  table->queue_destroy(backend.self(), 0, queue);
  EXPECT_EQ(table->synchronize(backend.self(), 0, 99, nullptr), TS_INVALID_ARGUMENT);
}

TEST_P(Door, FillsStridedViewsAndNothingBetween) {
  const ts_buffer buffer = backend.upload(std::vector<int64_t>(10, -1));
  CallBuilder fill(TS_OP_FILL);
  fill.out(view_of(buffer, TS_DTYPE_I64, {2, 2}, {-5, 2}, 6)).integer((int64_t{1} << 53) + 1);
  ASSERT_EQ(backend.call(TS_FAMILY_FILL, fill), TS_OK) << backend.error.message;
  std::vector<int64_t> wanted(10, -1);
  for (const size_t at : {6, 8, 1, 3}) wanted[at] = (int64_t{1} << 53) + 1;
  EXPECT_EQ(backend.download<int64_t>(buffer, 10), wanted);
}

TEST_P(Door, ConvertsFromAnImmediateAndFromAView) {
  const ts_buffer z = backend.allocate(12);
  const float value = 2.5F;
  uint64_t bits = 0;
  memcpy(&bits, &value, 4);
  CallBuilder convert(TS_OP_CONVERT);
  convert.out(dense_view(z, TS_DTYPE_I32, {3})).immediate(TS_DTYPE_F32, {3}, bits);
  ASSERT_EQ(backend.call(TS_FAMILY_CONVERT, convert), TS_OK) << backend.error.message;
  EXPECT_EQ(backend.download<int32_t>(z, 3), (std::vector<int32_t>{2, 2, 2}));
  const ts_buffer x = backend.upload(std::vector<uint8_t>{0, 7, 255});
  CallBuilder from_bool(TS_OP_CONVERT);
  from_bool.out(dense_view(z, TS_DTYPE_I32, {3})).in(view_of(x, TS_DTYPE_BOOL, {3}, {-1}, 2));
  ASSERT_EQ(backend.call(TS_FAMILY_CONVERT, from_bool), TS_OK) << backend.error.message;
  EXPECT_EQ(backend.download<int32_t>(z, 3), (std::vector<int32_t>{1, 1, 0}));
}

TEST_P(Door, QueryAnswersWithoutBuffersAndAgreesWithTheCall) {
  CallBuilder good(TS_OP_FILL), bad(TS_OP_FILL), unknown(1 << 20);
  good.out(dense_view(0, TS_DTYPE_F32, {3})).real(1);
  bad.out(dense_view(0, TS_DTYPE_F32, {3})).integer(1);
  EXPECT_EQ(backend.query(good).status, TS_OK);
  EXPECT_EQ(backend.query(bad).status, TS_INVALID_ARGUMENT);
  EXPECT_STRNE(backend.query(bad).reason, "");
  EXPECT_EQ(backend.query(unknown).status, TS_UNSUPPORTED);
  CallBuilder other(TS_OP_CONVERT); // through the entry of another family
  other.out(dense_view(backend.allocate(4), TS_DTYPE_F32, {1})).immediate(TS_DTYPE_F32, {1}, 0);
  EXPECT_EQ(backend.call(TS_FAMILY_FILL, other), TS_INVALID_ARGUMENT);
}

TEST_P(Door, RefusesViewsThatLeaveTheirBuffer) {
  const ts_buffer buffer = backend.allocate(16);
  const auto status = [&](const ts_view& view) {
    CallBuilder fill(TS_OP_FILL);
    fill.out(view).real(0);
    return backend.call(TS_FAMILY_FILL, fill);
  };
  EXPECT_EQ(status(dense_view(buffer, TS_DTYPE_F32, {4})), TS_OK);
  EXPECT_EQ(status(dense_view(buffer, TS_DTYPE_F32, {5})), TS_INVALID_ARGUMENT);
  EXPECT_EQ(status(view_of(buffer, TS_DTYPE_F32, {4}, {1}, 1)), TS_INVALID_ARGUMENT);
  EXPECT_EQ(status(view_of(buffer, TS_DTYPE_F32, {4}, {-1}, 2)), TS_INVALID_ARGUMENT);
  EXPECT_EQ(status(view_of(buffer, TS_DTYPE_F32, {1, 4}, {1 << 30, 1})), TS_OK); // an axis of extent 1 goes nowhere
  EXPECT_EQ(status(dense_view(999, TS_DTYPE_F32, {1})), TS_INVALID_ARGUMENT);
  EXPECT_EQ(status(dense_view(0, TS_DTYPE_F32, {1})), TS_INVALID_ARGUMENT);
  EXPECT_EQ(status(dense_view(buffer, TS_DTYPE_F32, {3, 0})), TS_OK);
}

// The rest is for backends that have elementwise kernels.

class Kernels : public Door {};
INSTANTIATE_TEST_SUITE_P(Backends, Kernels, ::testing::Values("cpu", "emulator"),
                         [](const auto& each) { return each.param; });

TEST_P(Kernels, AddEveryMixtureOfLayouts) {
  std::vector<int32_t> x(64), y(64);
  std::iota(x.begin(), x.end(), 0);
  std::iota(y.begin(), y.end(), 1000);
  const ts_buffer a = backend.upload(x), b = backend.upload(y), z = backend.allocate(uint64_t{64} * 4);
  const struct {
    const char* route;
    Shape x, y, z;
  } cases[] = {{"vector", {8, 1}, {8, 1}, {8, 1}},  {"vector", {1, 8}, {1, 8}, {1, 8}},
               {"strided", {1, 8}, {8, 1}, {8, 1}}, {"strided", {8, 1}, {0, 1}, {8, 1}},
               {"vector", {8, 1}, {0, 0}, {8, 1}},  {"strided", {8, 1}, {8, 1}, {1, 8}}};
  for (const auto& each : cases) {
    CallBuilder add(TS_OP_ADD);
    add.out(view_of(z, TS_DTYPE_I32, {8, 8}, each.z))
        .in(view_of(a, TS_DTYPE_I32, {8, 8}, each.x))
        .in(view_of(b, TS_DTYPE_I32, {8, 8}, each.y));
    backend.census(true);
    ASSERT_EQ(backend.call(TS_FAMILY_ELEMENTWISE, add), TS_OK) << backend.error.message;
    const std::vector<int32_t> found = backend.download<int32_t>(z, 64);
    EXPECT_EQ(backend.census(), (std::map<std::string, uint64_t>{{std::string("add/") + each.route, 1}}));
    for (int64_t i = 0; i < 8; ++i)
      for (int64_t j = 0; j < 8; ++j) {
        const auto at = [&](const Shape& stride) { return static_cast<size_t>(i * stride[0] + j * stride[1]); };
        ASSERT_EQ(found[at(each.z)], x[at(each.x)] + y[at(each.y)]);
      }
  }
}

TEST_P(Kernels, UnalignedTailsImmediatesAndInPlace) {
  for (const int64_t count : {0, 1, 3, 4, 5, 255, 256, 257, 1000, 70'000}) {
    std::vector<float> x(static_cast<size_t>(count) + 1);
    std::iota(x.begin(), x.end(), 0.0F);
    const ts_buffer buffer = backend.upload(x);
    const ts_view shifted = view_of(buffer, TS_DTYPE_F32, {count}, {1}, 1);
    const float two = 2;
    uint64_t bits = 0;
    memcpy(&bits, &two, 4);
    CallBuilder multiply(TS_OP_MULTIPLY);
    multiply.out(shifted).in(shifted).immediate(TS_DTYPE_F32, {count}, bits);
    ASSERT_EQ(backend.call(TS_FAMILY_ELEMENTWISE, multiply), TS_OK) << backend.error.message;
    const std::vector<float> found = backend.download<float>(buffer, x.size());
    EXPECT_EQ(found[0], 0);
    for (size_t i = 1; i < x.size(); ++i) ASSERT_EQ(found[i], 2 * x[i]) << count;
  }
}

TEST_P(Kernels, TransposingCopiesTakeTheTiledRoute) {
  const int64_t rows = 70, columns = 45, planes = 3;
  std::vector<int16_t> x(static_cast<size_t>(rows * columns * planes));
  std::iota(x.begin(), x.end(), int16_t{0});
  const ts_buffer a = backend.upload(x), z = backend.allocate(x.size() * 2);
  CallBuilder copy(TS_OP_CONVERT);
  copy.out(dense_view(z, TS_DTYPE_F16, {planes, columns, rows}))
      .in(view_of(a, TS_DTYPE_F16, {planes, columns, rows}, {rows * columns, 1, columns}));
  backend.census(true);
  ASSERT_EQ(backend.call(TS_FAMILY_CONVERT, copy), TS_OK) << backend.error.message;
  const std::vector<int16_t> found = backend.download<int16_t>(z, x.size());
  EXPECT_EQ(backend.census(), (std::map<std::string, uint64_t>{{"convert/tiled", 1}}));
  for (int64_t p = 0; p < planes; ++p)
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t r = 0; r < rows; ++r)
        ASSERT_EQ(found[static_cast<size_t>((p * columns + c) * rows + r)],
                  x[static_cast<size_t>((p * rows + r) * columns + c)]);
}

TEST_P(Kernels, RefuseOverlapThatTheRowDoesNotAllow) {
  const ts_buffer buffer = backend.upload(std::vector<float>(64, 1));
  const auto status = [&](const ts_view& z, const ts_view& x) {
    CallBuilder negative(TS_OP_NEGATIVE);
    negative.out(z).in(x);
    return backend.call(TS_FAMILY_ELEMENTWISE, negative);
  };
  const auto part = [&](int64_t offset, int64_t stride) {
    return view_of(buffer, TS_DTYPE_F32, {16}, {stride}, offset);
  };
  EXPECT_EQ(status(part(0, 1), part(0, 1)), TS_OK);
  EXPECT_EQ(status(part(0, 2), part(1, 2)), TS_OK); // interleaved, apart
  EXPECT_EQ(status(part(0, 1), part(1, 1)), TS_INVALID_ARGUMENT);
  EXPECT_EQ(backend.error.operand, 0);
  EXPECT_EQ(status(part(15, -1), part(0, 1)), TS_INVALID_ARGUMENT);
  EXPECT_EQ(status(part(0, 0), part(20, 1)), TS_INVALID_ARGUMENT); // z onto itself
}

TEST_P(Kernels, RefuseWhatTheRowDoesNotSay) {
  const ts_buffer a = backend.allocate(64), z = backend.allocate(64);
  CallBuilder shapes(TS_OP_ADD, 31), dtypes(TS_OP_ADD), count(TS_OP_ADD), axis(TS_OP_CUMSUM), empty(TS_OP_MAX);
  shapes.out(dense_view(z, TS_DTYPE_F32, {4}))
      .in(dense_view(a, TS_DTYPE_F32, {4}))
      .in(dense_view(a, TS_DTYPE_F32, {3}));
  EXPECT_EQ(backend.call(TS_FAMILY_ELEMENTWISE, shapes), TS_INVALID_ARGUMENT);
  EXPECT_EQ(backend.error.op, TS_OP_ADD);
  EXPECT_EQ(backend.error.serial, 31U);
  EXPECT_EQ(backend.error.operand, 1);
  EXPECT_STREQ(backend.error.message, "add: input 1 has shape (3), not (4)");
  dtypes.out(dense_view(z, TS_DTYPE_F32, {4}))
      .in(dense_view(a, TS_DTYPE_F32, {4}))
      .in(dense_view(a, TS_DTYPE_I32, {4}));
  EXPECT_EQ(backend.call(TS_FAMILY_ELEMENTWISE, dtypes), TS_UNSUPPORTED);
  EXPECT_EQ(backend.query(dtypes).status, TS_UNSUPPORTED);
  count.out(dense_view(z, TS_DTYPE_F32, {4})).in(dense_view(a, TS_DTYPE_F32, {4}));
  EXPECT_EQ(backend.call(TS_FAMILY_ELEMENTWISE, count), TS_INVALID_ARGUMENT);
  axis.out(dense_view(z, TS_DTYPE_F32, {4})).in(dense_view(a, TS_DTYPE_F32, {4})).integer(1);
  EXPECT_EQ(backend.call(TS_FAMILY_SCAN, axis), TS_INVALID_ARGUMENT);
  EXPECT_EQ(backend.error.value, 1);
  EXPECT_EQ(backend.error.bound, 1);
  empty.out(dense_view(z, TS_DTYPE_F32, {1})).in(dense_view(a, TS_DTYPE_F32, {0})).integer(1);
  EXPECT_EQ(backend.call(TS_FAMILY_REDUCE, empty), TS_INVALID_ARGUMENT);
}

TEST_P(Kernels, SurfaceTheFirstIndexErrorAtSynchronize) {
  const ts_buffer x = backend.upload(std::vector<float>{1, 2, 3}), z = backend.allocate(16);
  const ts_buffer good = backend.upload(std::vector<int32_t>{0, 1, 2, 0});
  const ts_buffer bad = backend.upload(std::vector<int32_t>{0, 3, -1, 7}),
                  worse = backend.upload(std::vector<int32_t>{9, 9, 9, 9});
  const auto gather = [&](ts_buffer index, uint64_t serial) {
    CallBuilder call(TS_OP_GATHER, serial);
    call.out(dense_view(z, TS_DTYPE_F32, {4}))
        .in(dense_view(x, TS_DTYPE_F32, {3}))
        .in(dense_view(index, TS_DTYPE_I32, {4}))
        .integer(0);
    EXPECT_EQ(backend.call(TS_FAMILY_GATHER, call), TS_OK) << backend.error.message;
  };
  gather(good, 4);
  gather(bad, 5);
  gather(worse, 6);
  ASSERT_EQ(backend.synchronize(), TS_INDEX_OUT_OF_RANGE);
  EXPECT_EQ(backend.error.op, TS_OP_GATHER);
  EXPECT_EQ(backend.error.serial, 5U);
  EXPECT_EQ(backend.error.operand, 1);
  EXPECT_EQ(backend.error.element, 1);
  EXPECT_EQ(backend.error.value, 3);
  EXPECT_EQ(backend.error.bound, 3);
  EXPECT_EQ(backend.synchronize(), TS_OK); // surfaced once
  gather(good, 7);
  EXPECT_EQ(backend.download<float>(z, 4), (std::vector<float>{1, 2, 3, 1})); // and the device is usable
}

TEST_P(Kernels, AskForWorkspaceAndHoldTheCallToIt) {
  const int64_t count = 100'000;
  const ts_buffer x = backend.upload(std::vector<float>(static_cast<size_t>(count), 1)), z = backend.allocate(4);
  CallBuilder sum(TS_OP_SUM);
  sum.out(dense_view(z, TS_DTYPE_F32, {1})).in(dense_view(x, TS_DTYPE_F32, {count})).integer(1);
  const ts_answer answer = backend.query(sum);
  ASSERT_EQ(answer.status, TS_OK) << answer.reason;
  ASSERT_GT(answer.workspace_bytes, 0U);
  EXPECT_EQ(backend.call(TS_FAMILY_REDUCE, sum), TS_INVALID_ARGUMENT);
  const ts_buffer workspace = backend.allocate(answer.workspace_bytes);
  sum.workspace(workspace, answer.workspace_bytes - 1);
  EXPECT_EQ(backend.call(TS_FAMILY_REDUCE, sum), TS_INVALID_ARGUMENT);
  sum.workspace(workspace, answer.workspace_bytes);
  ASSERT_EQ(backend.call(TS_FAMILY_REDUCE, sum), TS_OK) << backend.error.message;
  EXPECT_EQ(backend.download<float>(z, 1), std::vector<float>{static_cast<float>(count)});
}

} // namespace
} // namespace ts::testing
