#include "backends/emulator/checked/call_tasks.h"

#include "backends/kernels/host_launcher.h"

namespace ts::emulator::checked {
namespace {

Wrong chosen = Wrong::nothing;

struct Copy {
  const float* x;
  float* z;
  void operator()(int64_t i) const { z[i] = x[i]; }
};
struct Add {
  const float* x;
  float* z;
  void operator()(int64_t i) const { z[i] += x[i]; }
};
struct CopyTwice {
  const float* x;
  float* z;
  int64_t count;
  void operator()(int64_t i) const {
    z[i] = x[i];
    z[(i + 1) % count] = x[i];
  }
};
struct Ones {
  float* z;
  void operator()(int64_t i) const { z[i] = 1; }
};

void run(const kernels::Call& call, kernels::HostLauncher& launcher) {
  const auto* x = reinterpret_cast<const float*>(call.inputs[0].view.data);
  auto* z = reinterpret_cast<float*>(call.outputs[0].data);
  const int64_t count = call.outputs[0].shape[0];
  switch (chosen) {
    case Wrong::nothing: launcher.flat("copy", "right", count, Copy{x, z}); return;
    case Wrong::past_the_end: launcher.flat("ones", "wrong", count + 1, Ones{z}); return;
    case Wrong::leaves_element: launcher.flat("copy", "wrong", count - 1, Copy{x, z}); return;
    case Wrong::adds_to_output: launcher.flat("add", "wrong", count, Add{x, z}); return;
    case Wrong::neighbours: launcher.flat("copy_twice", "wrong", count, CopyTwice{x, z, count}); return;
  }
}

uint64_t no_workspace(const kernels::Call&) { return 0; }

} // namespace

void choose(Wrong wrong) { chosen = wrong; }

const kernels::HostFamily* copying_family(int32_t) {
  static constexpr kernels::HostFamily kCopying{run, no_workspace};
  return &kCopying;
}

} // namespace ts::emulator::checked
