// Errors of calls that were accepted: where they surface, in which order, how often.
#include "conformance/door/door.h"

#include <fmt/format.h>

namespace ts::conformance {

namespace {

Prepared with_bad_index(Device& device) {
  Prepared prepared = supported_case(device, [](const Case& c) { return index_operand(*c.op) >= 0; });
  Array& index = prepared.inputs[static_cast<size_t>(index_operand(*prepared.c.op))];
  index.set_integer(3, 1000);
  index.set_integer(1, -2);
  return prepared;
}

void enqueue(Run& run) {
  run.upload(run.query().workspace_bytes);
  ts_error error = make_error();
  hold_status(run.enqueue(error), TS_OK,
              "a call whose index is out of range is accepted; its error comes at synchronize");
}

void surfaces_once(Device& device) {
  const Prepared prepared = with_bad_index(device);
  Run run(prepared, arrangement_of(prepared.c), Poison::ones, device);
  enqueue(run);
  ts_error error = make_error();
  hold_status(device.drain(error), TS_INDEX_OUT_OF_RANGE, "synchronize after a bad index");
  hold(error.element == 1, fmt::format("of two bad elements 1 and 3 the error names {}", error.element));
  hold_status(device.drain(error), TS_OK, "a second synchronize");
  const Prepared good = supported_case(device);
  Run after(good, arrangement_of(good.c), Poison::ones, device);
  after.upload(after.query().workspace_bytes);
  hold_status(after.enqueue(error), TS_OK, "a call after the error");
  after.download();
  hold_result(good, after);
}

void lowest_serial_first(Device& device) {
  const Prepared prepared = with_bad_index(device);
  Run first(prepared, arrangement_of(prepared.c), Poison::ones, device);
  Run second(prepared, arrangement_of(prepared.c), Poison::ones, device);
  enqueue(first);
  enqueue(second);
  ts_error error = make_error();
  hold_status(device.drain(error), TS_INDEX_OUT_OF_RANGE, "synchronize after two bad calls");
  hold(error.serial == first.serial(),
       fmt::format("of the calls {} and {} the error names {}", first.serial(), second.serial(), error.serial));
  device.drain(error);
}

void names_its_call(Device& device) {
  const Prepared prepared = with_bad_index(device);
  Run run(prepared, arrangement_of(prepared.c), Poison::ones, device);
  enqueue(run);
  ts_error error = make_error();
  hold_status(device.drain(error), TS_INDEX_OUT_OF_RANGE, "synchronize after a bad index");
  hold(error.op == prepared.c.op->id, fmt::format("the error names op {}, not {}", error.op, prepared.c.op->id));
  hold(error.serial == run.serial(), "the error names another serial");
  hold(error.value == -2, fmt::format("the error's value is {}, not -2", error.value));
  hold(error.bound == prepared.c.shapes.front().front(), fmt::format("the error's bound is {}", error.bound));
  hold(error.operand >= 0, "the error names no operand");
  hold(error.message[0] != '\0', "the error has no message");
}

} // namespace

std::vector<DoorCheck> error_checks() {
  return {{"door/error/surfaces_once", {"backend.39", "backend.40"}, surfaces_once},
          {"door/error/lowest_serial_first", {"backend.39"}, lowest_serial_first},
          {"door/error/names_its_call", {"backend.43"}, names_its_call}};
}

} // namespace ts::conformance
