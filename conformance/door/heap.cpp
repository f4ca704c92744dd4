// What a backend keeps of calls that are over and of buffers that were given back: nothing.
#include "conformance/door/door.h"
#include "conformance/select/select.h"

#include <fmt/format.h>

#include <optional>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace ts::conformance {

namespace {

// Bytes of this process's heap that are in use, 0 where nobody knows. Under AddressSanitizer nobody does, and its own leak
// detector has the last word.
uint64_t heap_in_use() {
#if defined(__GLIBC__) && !defined(TS_SANITIZE) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

std::optional<Prepared> supported_case_of(const judge::Op& op, Device& device) {
  for (const judge::Instance& instance : op.instances) {
    const Case c = dense_case(op, instance, op.family == "matmul" ? Shape{5, 7} : Shape{35});
    Prepared prepared = prepare(c, judge::spec(), 0);
    if (!prepared.expected.error.empty()) continue;
    if (Run(prepared, arrangement_of(c), Poison::ones, device).query().status == TS_OK) return prepared;
  }
  return std::nullopt;
}

void call_once(const Prepared& prepared, Device& device) {
  Run run(prepared, arrangement_of(prepared.c), Poison::ones, device);
  run.upload(run.query().workspace_bytes);
  ts_error error = make_error();
  hold_status(run.enqueue(error), TS_OK, prepared.c.name());
  device.synchronize();
  run.release();
  device.synchronize(); // a release takes its turn in the queue
}

// What the first calls build up may stay, and so may what an allocator or a quarantine keeps at hand, which grows now and
// then; what grows from each few calls to the next is lost. One call tells nothing: malloc takes several pieces of a size
// at once and counts those it keeps for later as in use.
void calls_leave_nothing(Device& device) {
  constexpr int kCalls = 16, kRounds = 12;
  if (heap_in_use() == 0) throw NotApplicable{"the size of the heap is not known here"};
  bool any = false;
  for (const judge::Op& op : judge::spec().ops) {
    const std::optional<Prepared> prepared = supported_case_of(op, device);
    if (!prepared) continue;
    any = true;
    call_once(*prepared, device);
    const uint64_t first = heap_in_use();
    uint64_t before = first;
    bool still = false;
    for (int round = 0; round < kRounds && !still; ++round) {
      for (int call = 0; call < kCalls; ++call) call_once(*prepared, device);
      const uint64_t after = heap_in_use();
      still = after <= before;
      before = after;
    }
    hold(still, fmt::format("{}: each {} of {} calls left memory behind, {} bytes in all", prepared->c.name(), kCalls,
                            kCalls * kRounds, before - first));
  }
  if (!any) throw NotApplicable{"no op is supported"};
}

} // namespace

std::vector<DoorCheck> heap_checks() {
  return {{"door/heap/calls_leave_nothing", {"backend.54"}, calls_leave_nothing}};
}

} // namespace ts::conformance
