// Queue 0 on a stream of the caller's: what others enqueue there and what the backend enqueues take turns, and it stays the caller's.
#include "tools/standin/control.h"
#include "tools/standin/works.h"

#include <gmock/gmock.h>

#include <cuda_runtime_api.h>

namespace ts::standin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ts_backend* cuda() {
  static const ts_backend* table = testing::load_table(testing::built_backend("cuda"));
  return table;
}

void add(Session& session, ts_buffer z, ts_buffer x, ts_buffer y) {
  testing::CallBuilder call(TS_OP_ADD);
  call.out(testing::dense_view(z, TS_DTYPE_F32, {3}));
  call.in(testing::dense_view(x, TS_DTYPE_F32, {3})).in(testing::dense_view(y, TS_DTYPE_F32, {3}));
  session.call(TS_FAMILY_ELEMENTWISE, call);
}

TEST(CudaStreamOfCaller, TakesTurnsWithWhatTheCallerEnqueues) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  const ts_standin_holdings before = ts_standin_held();
  {
    Session session(cuda(), "stream=" + std::to_string(reinterpret_cast<uintptr_t>(stream)));
    const std::vector<float> one{1, 2, 3};
    const ts_buffer x = session.upload(one), z = session.allocate(sizeof(float) * 3);
    void* data = nullptr;
    ts_error error = testing::fresh_error();
    ASSERT_EQ(session.table().native_handle(session.self(), x, &data, &error), TS_OK) << error.message;
    float* pinned = nullptr;
    ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&pinned), sizeof(float) * 6), cudaSuccess);
    std::fill(pinned, pinned + 3, 10.0F);
    // The caller's copy comes between two additions, and only the caller's stream is waited for.
    add(session, z, x, x);
    ASSERT_EQ(cudaMemcpyAsync(data, pinned, sizeof(float) * 3, cudaMemcpyHostToDevice, stream), cudaSuccess);
    add(session, z, z, x);
    ASSERT_EQ(session.table().native_handle(session.self(), z, &data, &error), TS_OK) << error.message;
    ASSERT_EQ(cudaMemcpyAsync(pinned + 3, data, sizeof(float) * 3, cudaMemcpyDeviceToHost, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_THAT(std::vector<float>(pinned + 3, pinned + 6), ElementsAre(12, 14, 16));
    EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
    session.release(x);
    session.release(z);
  }
  EXPECT_EQ(ts_standin_held().streams, before.streams);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(CudaStreamOfCaller, IsANumber) {
  for (const std::string value : {"", "main", "-1", "0x10"}) {
    try {
      Session session(cuda(), "stream=" + value);
      ADD_FAILURE() << value;
    } catch (const Failed& error) {
      EXPECT_EQ(error.status, TS_INVALID_ARGUMENT);
      EXPECT_THAT(error.what(), HasSubstr("'stream' takes a whole number"));
    }
  }
}

} // namespace
} // namespace ts::standin
