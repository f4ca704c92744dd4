// Queues: order, independence, events, threads.
#include "conformance/door/door.h"

#include <fmt/format.h>

#include <thread>
#include <utility>

namespace ts::conformance {

namespace {

// A queue of its own, used by the device's helpers while this lives.
class OwnQueue {
public:
  explicit OwnQueue(Device& device) : device_(device) {
    ts_error error = make_error();
    const Backend& backend = device.backend();
    hold_status(backend.table().queue_create(backend.instance(), device.index(), &queue_, &error), TS_OK,
                "queue_create");
    hold(queue_ != 0, "queue_create gave 0, the default queue");
  }
  OwnQueue(const OwnQueue&) = delete;
  OwnQueue& operator=(const OwnQueue&) = delete;
  ~OwnQueue() {
    device_.use_queue(0);
    device_.backend().table().queue_destroy(device_.backend().instance(), device_.index(), queue_);
  }
  ts_queue id() const { return queue_; }

private:
  Device& device_;
  ts_queue queue_ = 0;
};

void enqueue(Run& run) {
  const ts_answer answer = run.query();
  run.upload(answer.workspace_bytes);
  ts_error error = make_error();
  hold_status(run.enqueue(error), TS_OK, error.message);
}

void calls_run_in_order(Device& device) {
  const Prepared prepared = supported_case(device);
  // Six calls and their copies without a wait between them.
  std::vector<std::unique_ptr<Run>> runs;
  for (int k = 0; k < 6; ++k) {
    runs.push_back(std::make_unique<Run>(prepared, arrangement_of(prepared.c),
                                         k % 2 == 0 ? Poison::ones : Poison::pattern, device));
    enqueue(*runs.back());
  }
  for (const auto& run : runs) run->download();
  for (const auto& run : runs) hold_result(prepared, *run);
}

void a_call_reads_what_was_there_when_its_turn_came(Device& device) {
  const Prepared prepared = supported_case(device, [](const Case& c) {
    return !c.operands.empty() && index_operand(*c.op) < 0 && inout_operand(*c.op) < 0;
  });
  Run run(prepared, arrangement_of(prepared.c), Poison::ones, device);
  enqueue(run);
  // Overwritten after the call in the same queue: too late to matter.
  for (size_t k = 0; k < run.memory().operands().size(); ++k) {
    const Memory::Region& region = run.memory().regions()[static_cast<size_t>(run.memory().operands()[k].region)];
    device.copy_in(region.handle, std::vector<std::byte>(region.before.size(), std::byte{0x55}));
  }
  run.download();
  hold_result(prepared, run);
}

void release_takes_its_turn(Device& device) {
  const Prepared prepared = supported_case(device);
  Run run(prepared, arrangement_of(prepared.c), Poison::ones, device);
  enqueue(run);
  for (Memory::Region& region : run.memory().regions()) {
    region.after.resize(region.before.size());
    device.copy_out(region.after, region.handle);
  }
  run.release();
  // Memory that is given back and taken again at once must not be the one the call still uses.
  const ts_buffer taken = device.allocate(4096);
  device.copy_in(taken, std::vector<std::byte>(4096, std::byte{0x66}));
  device.synchronize();
  device.release(taken);
  hold_result(prepared, run);
}

void operands_may_go_before_the_result_is_read(Device& device) {
  const Prepared prepared = supported_case(device, [](const Case& c) { return !c.operands.empty(); });
  Run run(prepared, arrangement_of(prepared.c), Poison::ones, device);
  enqueue(run);
  // Every buffer that is no result goes, and its memory is asked for again and filled: by then the call may not have begun.
  std::vector<Memory::Region>& regions = run.memory().regions();
  std::vector<bool> holds_result(regions.size(), false);
  for (const Memory::Tensor& output : run.memory().outputs()) holds_result[static_cast<size_t>(output.region)] = true;
  std::vector<ts_buffer> taken;
  for (size_t r = 0; r < regions.size(); ++r) {
    if (holds_result[r]) continue;
    device.release(std::exchange(regions[r].handle, 0));
    taken.push_back(device.allocate(regions[r].before.size()));
    device.copy_in(taken.back(), std::vector<std::byte>(regions[r].before.size(), std::byte{0x66}));
  }
  for (size_t r = 0; r < regions.size(); ++r) {
    regions[r].after = regions[r].before;
    if (holds_result[r]) device.copy_out(regions[r].after, regions[r].handle);
  }
  device.synchronize();
  for (const ts_buffer buffer : taken) device.release(buffer);
  hold(!taken.empty(), "no operand has a buffer of its own");
  hold_result(prepared, run);
}

void arrays_of_a_call_are_not_kept(Device& device) {
  const Prepared prepared = supported_case(device);
  Run run(prepared, arrangement_of(prepared.c), Poison::ones, device);
  enqueue(run);
  for (ts_view& view : run.outputs()) view = ts_view{};
  for (ts_operand& operand : run.inputs()) operand = ts_operand{};
  for (ts_attribute& attribute : run.attributes()) attribute = ts_attribute{};
  run.download();
  hold_result(prepared, run);
}

void own_queue_computes(Device& device) {
  const Prepared prepared = supported_case(device);
  const OwnQueue queue(device);
  device.use_queue(queue.id());
  Run run(prepared, arrangement_of(prepared.c), Poison::ones, device);
  enqueue(run);
  run.download();
  hold_result(prepared, run);
  run.release();
  device.synchronize();
}

void wait_joins_two_queues(Device& device) {
  const Backend& backend = device.backend();
  const ts_buffer buffer = device.allocate(64);
  const OwnQueue queue(device);
  device.copy_in(buffer, pattern(64, 1));
  ts_event event = 0;
  ts_error error = make_error();
  hold_status(backend.table().record(backend.instance(), device.index(), 0, &event, &error), TS_OK, "record");
  hold_status(backend.table().wait(backend.instance(), device.index(), queue.id(), event, &error), TS_OK, "wait");
  device.use_queue(queue.id());
  std::vector<std::byte> bytes(64);
  device.copy_out(bytes, buffer);
  device.synchronize();
  device.use_queue(0);
  device.synchronize();
  device.release(buffer);
  hold(bytes == pattern(64, 1), "a copy behind wait ran before what came before record");
}

// The source is written before in its queue and overwritten after in it, the target written before and read after in its own.
void hold_copy_between(Device& from, ts_queue source_queue, Device& to, ts_queue target_queue,
                       const std::string& what) {
  const Backend& backend = from.backend();
  const ts_buffer source = from.allocate(64), target = to.allocate(64);
  const auto on = [](Device& device, ts_queue queue, auto&& work) {
    device.use_queue(queue);
    work();
    device.use_queue(0);
  };
  on(from, source_queue, [&] { from.copy_in(source, pattern(64, 1)); });
  on(to, target_queue, [&] { to.copy_in(target, pattern(64, 2)); });
  ts_error error = make_error();
  hold_status(backend.table().copy(backend.instance(), target_queue, target, 0, source_queue, source, 0, 64, &error),
              TS_OK, what);
  std::vector<std::byte> found(64);
  on(from, source_queue, [&] { from.copy_in(source, pattern(64, 3)); });
  on(to, target_queue, [&] {
    to.copy_out(found, target);
    to.synchronize();
  });
  on(from, source_queue, [&] { from.synchronize(); });
  from.release(source);
  to.release(target);
  hold(found == pattern(64, 1), what + " did not take its turn in both");
}

void a_copy_takes_its_turn_in_both_queues(Device& device) {
  {
    const OwnQueue first(device), second(device);
    hold_copy_between(device, 0, device, first.id(), "a copy from the default queue to another");
    hold_copy_between(device, second.id(), device, first.id(), "a copy between two queues");
  }
  const int32_t devices = device.backend().device_count();
  if (devices < 2) return;
  Device other(device.share(), (device.index() + 1) % devices);
  hold_copy_between(device, 0, other, 0, "a copy from one device to another");
  hold_copy_between(other, 0, device, 0, "a copy from another device");
}

void poll_answers(Device& device) {
  const Backend& backend = device.backend();
  device.synchronize();
  ts_error error = make_error();
  hold_status(backend.table().poll(backend.instance(), device.index(), 0, &error), TS_OK, "poll of an idle queue");
}

void threads_use_their_own_queues(Device& device) {
  const Prepared prepared = supported_case(device);
  constexpr size_t kThreads = 4;
  std::vector<std::string> problems(kThreads);
  const auto work = [&](size_t which) {
    try {
      Device mine(device.share(), device.index());
      const OwnQueue queue(mine);
      mine.use_queue(queue.id());
      for (int k = 0; k < 8; ++k) {
        Run run(prepared, arrangement_of(prepared.c), Poison::ones, mine);
        enqueue(run);
        run.download();
        hold_result(prepared, run);
        run.release();
      }
      mine.synchronize();
    } catch (const DoorFault& fault) {
      problems[which] = fault.message;
    }
  };
  std::vector<std::thread> threads;
  for (size_t k = 0; k < kThreads; ++k) threads.emplace_back(work, k);
  for (std::thread& thread : threads) thread.join();
  for (const std::string& problem : problems) hold(problem.empty(), problem);
}

} // namespace

std::vector<DoorCheck> queue_checks() {
  return {{"door/queue/in_order", {"backend.36"}, calls_run_in_order},
          {"door/queue/reads_at_its_turn", {"backend.36"}, a_call_reads_what_was_there_when_its_turn_came},
          {"door/queue/release_takes_its_turn", {"backend.13"}, release_takes_its_turn},
          {"door/queue/operands_released_early", {"backend.13"}, operands_may_go_before_the_result_is_read},
          {"door/queue/arrays_not_kept", {"backend.26"}, arrays_of_a_call_are_not_kept},
          {"door/queue/own_queue", {"backend.37"}, own_queue_computes},
          {"door/queue/wait_for_event", {"backend.38"}, wait_joins_two_queues},
          {"door/queue/copy_between_two", {"backend.18"}, a_copy_takes_its_turn_in_both_queues},
          {"door/queue/poll", {"backend.41"}, poll_answers},
          {"door/queue/threads", {"backend.45"}, threads_use_their_own_queues}};
}

} // namespace ts::conformance
