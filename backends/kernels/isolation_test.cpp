// Work items of one launch do not meet (execution.14). Every item, or block, of every launch runs alone on the memory that
// the launch found. No byte is changed by two of them, and all changes together are what the launch as a whole makes: so
// none read what another wrote. Items that meet in an atomic operation are listed, and are seen to meet.
#include "backends/kernels/family_test.h"

#include <gtest/gtest-spi.h>

#include <set>

namespace ts::kernels::test {
namespace {

using Memory = std::vector<std::byte>;

// Stands between a call and its tasks.
class Isolating final : public HostLauncher {
public:
  explicit Isolating(std::vector<std::pair<std::byte*, size_t>> regions) : regions_(std::move(regions)) {
    regions_.emplace_back(reinterpret_cast<std::byte*>(&fault_), sizeof fault_);
  }

  void launch(const FlatKernel& kernel) override {
    isolate(kernel.kernel, kernel.route, kernel.count,
            [&](int64_t first, int64_t count) { kernel.walk(kernel.task, first, count, 1); });
  }
  void launch(const BlockKernel& kernel) override {
    std::vector<int32_t> shuffled(static_cast<size_t>(kernel.threads));
    std::iota(shuffled.begin(), shuffled.end(), 0);
    std::shuffle(shuffled.begin(), shuffled.end(), Random(9));
    const std::vector<ThreadOrder> orders = {{}, {kernel.threads - 1, -1, nullptr}, {0, 1, shuffled.data()}};
    for (size_t k = 1; k < orders.size(); ++k) {
      // Threads of a block do not meet within a phase: their order changes nothing.
      const Memory found = load();
      run_blocks(kernel, 0, kernel.count, orders[0]);
      const Memory wanted = load();
      store(found);
      run_blocks(kernel, 0, kernel.count, orders[k]);
      EXPECT_TRUE(load() == wanted) << kernel.kernel << "/" << kernel.route << " in another order of threads";
      store(found);
    }
    isolate(kernel.kernel, kernel.route, kernel.count,
            [&](int64_t first, int64_t count) { run_blocks(kernel, first, count, orders[0]); });
  }
  IndexFault* fault() override { return &fault_; }

  std::set<std::string> seen, met; ///< kernel/route of launches, and of those whose items meet

private:
  static void run_blocks(const BlockKernel& kernel, int64_t first, int64_t count, const ThreadOrder& order) {
    Memory memory(kernel.shared_bytes + kernel.local_bytes * static_cast<size_t>(kernel.threads) + 2 * kHostAlignment);
    const auto align = [](std::byte* p) {
      return p + (kHostAlignment - reinterpret_cast<uintptr_t>(p) % kHostAlignment) % kHostAlignment;
    };
    std::byte* shared = align(memory.data());
    std::byte* locals = align(shared + kernel.shared_bytes);
    for (int64_t block = first; block < first + count; ++block) {
      std::fill(memory.begin(), memory.end(), std::byte{0xcb});
      kernel.run(kernel.task, block, shared, locals, order);
    }
  }

  template <class Run> void isolate(const char* kernel, const char* route, int64_t count, Run&& run) {
    const std::string name = std::string(kernel) + "/" + route;
    seen.insert(name);
    const Memory before = load();
    run(0, count);
    const Memory whole = load();
    Memory sum = before;
    std::vector<int64_t> owner(before.size(), -1);
    for (int64_t item = 0; item < count; ++item) {
      store(before);
      run(item, 1);
      const Memory after = load();
      for (size_t k = 0; k < after.size(); ++k) {
        if (after[k] == before[k]) continue;
        if (owner[k] >= 0) met.insert(name);
        owner[k] = item;
        sum[k] = after[k];
      }
    }
    if (met.count(name) == 0) {
      EXPECT_TRUE(sum == whole) << name << ": an item read what another one wrote";
    }
    store(whole);
  }

  Memory load() const {
    Memory all;
    for (const auto& [data, bytes] : regions_) all.insert(all.end(), data, data + bytes);
    return all;
  }
  void store(const Memory& all) {
    size_t at = 0;
    for (const auto& [data, bytes] : regions_) {
      std::copy_n(all.data() + at, bytes, data);
      at += bytes;
    }
  }

  std::vector<std::pair<std::byte*, size_t>> regions_;
  IndexFault fault_{INT64_MAX, 0, 0, -1};
};

struct Program {
  int32_t family, op;
  std::vector<std::pair<int32_t, Shape>> outputs, inputs; ///< dtypes and shapes
  std::vector<ts_attribute> attributes;
  int64_t index_below = 0; ///< where an input holds indices, which are of i64
};

// Runs a program item by item, and adds what it saw.
void isolate(const Program& program, bool wild, std::set<std::string>& seen, std::set<std::string>& met) {
  Random random(7);
  std::vector<Tensor> outputs, inputs;
  const Layout layout = wild ? Layout::kWild : Layout::kDense;
  for (const auto& [dtype, shape] : program.outputs) outputs.emplace_back(dtype, shape, layout, random);
  for (const auto& [dtype, shape] : program.inputs) inputs.emplace_back(dtype, shape, layout, random);
  for (std::vector<Tensor>* tensors : {&outputs, &inputs})
    for (Tensor& tensor : *tensors) {
      const bool index = tensor.view().dtype == TS_DTYPE_I64 && program.index_below > 0;
      tensor.fill([&](int64_t) { return static_cast<double>(below(random, index ? program.index_below : 200)); });
    }
  std::vector<View> views;
  std::vector<Operand> operands;
  std::vector<std::pair<std::byte*, size_t>> regions;
  for (std::vector<Tensor>* tensors : {&outputs, &inputs})
    for (Tensor& tensor : *tensors) {
      tensors == &outputs ? views.push_back(tensor.view()) : operands.push_back(tensor.operand());
      auto& storage = const_cast<Memory&>(tensor.storage());
      regions.emplace_back(storage.data(), storage.size());
    }
  Call call{program.op,
            program.family,
            static_cast<int32_t>(views.size()),
            static_cast<int32_t>(operands.size()),
            static_cast<int32_t>(program.attributes.size()),
            views.data(),
            operands.data(),
            program.attributes.data(),
            nullptr,
            0};
  const HostFamily& kernels = *host_family(program.family);
  call.workspace_bytes = kernels.workspace(call);
  std::vector<uint64_t> workspace(call.workspace_bytes / 8 + 1, 0xd9d9d9d9d9d9d9d9ULL);
  call.workspace = reinterpret_cast<std::byte*>(workspace.data());
  regions.emplace_back(call.workspace, workspace.size() * 8);
  Isolating launcher(regions);
  kernels.run(call, launcher);
  seen.insert(launcher.seen.begin(), launcher.seen.end());
  met.insert(launcher.met.begin(), launcher.met.end());
}

std::vector<Program> programs() {
  // Keys of 64 bits where a key travels with its index: padding between the two would hold anything.
  constexpr int32_t kF32 = TS_DTYPE_F32, kF64 = TS_DTYPE_F64, kI64 = TS_DTYPE_I64, kI32 = TS_DTYPE_I32,
                    kU8 = TS_DTYPE_U8;
  const auto integer = integer_attribute;
  return {
      {TS_FAMILY_ELEMENTWISE, TS_OP_ADD, {{kF32, {5, 37}}}, {{kF32, {5, 37}}, {kF32, {5, 37}}}, {}},
      {TS_FAMILY_ELEMENTWISE, TS_OP_MAXIMUM, {{kU8, {300}}}, {{kU8, {300}}, {kU8, {300}}}, {}},
      {TS_FAMILY_CONVERT, TS_OP_CONVERT, {{kF32, {40, 70}}}, {{kU8, {40, 70}}}, {}},
      {TS_FAMILY_REDUCE, TS_OP_SUM, {{kF32, {1}}}, {{kF32, {9000}}}, {integer(1)}},
      {TS_FAMILY_REDUCE, TS_OP_SUM, {{kF32, {7, 1}}}, {{kF32, {7, 100}}}, {integer(2)}},
      {TS_FAMILY_REDUCE, TS_OP_SUM, {{kF32, {1, 5}}}, {{kF32, {300, 5}}}, {integer(1)}},
      {TS_FAMILY_ARG_REDUCE, TS_OP_ARGMAX, {{kI64, {1}}}, {{kF64, {9000}}}, {integer(0)}},
      {TS_FAMILY_SCAN, TS_OP_CUMSUM, {{kF32, {5000}}}, {{kF32, {5000}}}, {integer(0)}},
      {TS_FAMILY_SCAN, TS_OP_CUMSUM, {{kF32, {200, 3}}}, {{kF32, {200, 3}}}, {integer(0)}},
      {TS_FAMILY_SCAN, TS_OP_CUMMAX, {{kF64, {5000}}, {kI64, {5000}}}, {{kF64, {5000}}}, {integer(0)}},
      {TS_FAMILY_MATMUL, TS_OP_MATMUL, {{kF32, {70, 65}}}, {{kF32, {70, 33}}, {kF32, {33, 65}}}, {}},
      {TS_FAMILY_MATMUL, TS_OP_MATMUL, {{kF32, {2, 9, 3}}}, {{kF32, {2, 9, 5}}, {kF32, {2, 5, 3}}}, {}},
      {TS_FAMILY_GATHER, TS_OP_GATHER, {{kF32, {6, 7}}}, {{kF32, {6, 9}}, {kI64, {6, 7}}}, {integer(1)}, 9},
      {TS_FAMILY_GATHER, TS_OP_INDEX_SELECT, {{kF32, {6, 8}}}, {{kF32, {6, 9}}, {kI64, {8}}}, {integer(1)}, 9},
      {TS_FAMILY_SCATTER, TS_OP_SCATTER, {{kF32, {6, 9}}}, {{kI64, {6, 7}}, {kF32, {6, 7}}}, {integer(1)}, 5},
      {TS_FAMILY_SCATTER, TS_OP_SCATTER_ADD, {{kI32, {6, 9}}}, {{kI64, {6, 7}}, {kI32, {6, 7}}}, {integer(1)}, 5},
      {TS_FAMILY_SCATTER, TS_OP_INDEX_ADD, {{kI32, {6, 9}}}, {{kI64, {8}}, {kI32, {6, 8}}}, {integer(1)}, 5},
      {TS_FAMILY_SORT, TS_OP_SORT, {{kF32, {2500}}, {kI64, {2500}}}, {{kF32, {2500}}}, {integer(0), integer(0)}},
      {TS_FAMILY_SORT, TS_OP_SORT, {{kF32, {3, 20}}, {kI64, {3, 20}}}, {{kF32, {3, 20}}}, {integer(1), integer(1)}},
      {TS_FAMILY_SOFTMAX, TS_OP_SOFTMAX, {{kF32, {70, 5}}}, {{kF32, {70, 5}}}, {integer(1)}},
      {TS_FAMILY_SOFTMAX, TS_OP_SOFTMAX, {{kF32, {130, 3}}}, {{kF32, {130, 3}}}, {integer(0)}},
      {TS_FAMILY_SOFTMAX, TS_OP_LOG_SOFTMAX, {{kF64, {8200}}}, {{kF64, {8200}}}, {integer(0)}},
      {TS_FAMILY_NORMALIZE,
       TS_OP_RMS_NORM,
       {{kF32, {9, 40}}},
       {{kF32, {9, 40}}, {kF32, {9, 40}}},
       {integer(2), real_attribute(1)}},
      {TS_FAMILY_NORMALIZE,
       TS_OP_LAYER_NORM,
       {{kF32, {70, 3}}},
       {{kF32, {70, 3}}, {kF32, {70, 3}}, {kF32, {70, 3}}},
       {integer(1), real_attribute(1)}},
  };
}

TEST(Isolation, ItemsOfALaunchMeetInAtomicsOnly) {
  // TS_CITES(execution.14, execution.7)
  std::set<std::string> seen, met;
  for (const Program& program : programs())
    for (const bool wild : {false, true}) {
      SCOPED_TRACE(program.op);
      isolate(program, wild, seen, met);
    }
  EXPECT_EQ(met, (std::set<std::string>{"scatter/bid", "scatter/update_elements", "scatter/update_slices"}));
  EXPECT_GE(seen.size(), 20U);
}

// A task that reads its neighbour's place, and one whose items share a place: both are seen.
struct Neighbour {
  int64_t* data;
  void operator()(int64_t i) const { data[i] = i == 0 ? 1 : data[i - 1] + 1; }
};
struct Shared {
  int64_t* data;
  void operator()(int64_t i) const { data[0] += i + 1; }
};

TEST(Isolation, SeesItemsThatMeet) {
  std::vector<int64_t> data(20, 7);
  Isolating launcher({{reinterpret_cast<std::byte*>(data.data()), data.size() * sizeof(int64_t)}});
  launcher.flat("shared", "", 20, Shared{data.data()});
  EXPECT_EQ(launcher.met.count("shared/"), 1U);
  EXPECT_NONFATAL_FAILURE(launcher.flat("neighbour", "", 20, Neighbour{data.data()}), "read what another one wrote");
}

} // namespace
} // namespace ts::kernels::test
