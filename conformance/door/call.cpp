// Calls that break the contract are refused before any effect; queries answer and change nothing.
#include "conformance/door/door.h"
#include "conformance/select/select.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>

namespace ts::conformance {

namespace {

// Breaks an uploaded call, and holds that it is refused with the status, names itself, and changes no byte.
template <class Break>
void refused(Device& device, const Prepared& prepared, ts_status want, const std::string& what, Break&& spoil) {
  Run run(prepared, arrangement_of(prepared.c), Poison::ones, device);
  run.upload(run.query().workspace_bytes);
  spoil(run);
  ts_error error = make_error();
  const ts_status status = run.enqueue(error);
  hold_status(status, want, what);
  hold(error.status == want, fmt::format("{}: the error's status is {}", what, status_name(error.status)));
  hold(error.message[0] != '\0', what + ": the error has no message");
  run.download();
  const std::string damage = run.damage(true);
  hold(damage.empty(), what + ": " + damage);
}

bool has_input(const Case& c) {
  return !c.operands.empty() && c.shapes.front().size() == 1 && inout_operand(*c.op) < 0;
}

void self_overlapping_output(Device& device) {
  refused(device, supported_case(device, has_input), TS_INVALID_ARGUMENT, "an output with stride 0",
          [](Run& run) { run.outputs()[0].stride[0] = 0; });
}

void view_outside_its_buffer(Device& device) {
  const Prepared prepared = supported_case(device, has_input);
  refused(device, prepared, TS_INVALID_ARGUMENT, "an output that leaves its buffer",
          [](Run& run) { run.outputs()[0].offset += 1 << 20; });
  refused(device, prepared, TS_INVALID_ARGUMENT, "an input before its buffer",
          [](Run& run) { run.inputs()[0].view.offset = -1; });
  refused(device, prepared, TS_INVALID_ARGUMENT, "an input whose reach overflows",
          [](Run& run) { run.inputs()[0].view.stride[0] = INT64_MAX / 2; });
}

void unknown_buffer(Device& device) {
  refused(device, supported_case(device, has_input), TS_INVALID_ARGUMENT, "an input in a buffer that does not exist",
          [](Run& run) { run.inputs()[0].view.buffer = ~ts_buffer{0} - 5; });
}

void output_overlaps_input(Device& device) {
  const Prepared prepared = supported_case(device, [](const Case& c) {
    return c.op->family == "elementwise" && c.instance->in.front() == c.instance->out.front();
  });
  refused(device, prepared, TS_INVALID_ARGUMENT, "an output one element past an input", [](Run& run) {
    run.outputs()[0].buffer = run.inputs()[0].view.buffer;
    run.outputs()[0].offset = run.inputs()[0].view.offset + 1;
  });
}

void shapes_that_disagree(Device& device) {
  const Prepared prepared =
      supported_case(device, [](const Case& c) { return c.op->family == "elementwise" || c.op->family == "convert"; });
  refused(device, prepared, TS_INVALID_ARGUMENT, "an input of another shape",
          [](Run& run) { run.inputs()[0].view.shape[0] -= 1; });
  refused(device, prepared, TS_INVALID_ARGUMENT, "a rank of 9",
          [](Run& run) { run.outputs()[0].rank = TS_RANK_MAX + 1; });
  refused(device, prepared, TS_INVALID_ARGUMENT, "a negative extent", [](Run& run) {
    run.outputs()[0].shape[0] = -3;
    run.inputs()[0].view.shape[0] = -3;
  });
}

void too_few_operands(Device& device) {
  refused(device, supported_case(device, has_input), TS_INVALID_ARGUMENT, "a call without its inputs",
          [](Run& run) { run.call().input_count = 0; });
}

void wrong_attributes(Device& device) {
  const Prepared prepared = supported_case(device, [](const Case& c) { return !c.op->attributes.empty(); });
  refused(device, prepared, TS_INVALID_ARGUMENT, "an attribute of the other kind", [](Run& run) {
    ts_attribute& first = run.attributes()[0];
    first.kind = first.kind == TS_ATTRIBUTE_REAL ? TS_ATTRIBUTE_INTEGER : TS_ATTRIBUTE_REAL;
  });
  refused(device, prepared, TS_INVALID_ARGUMENT, "a call without its attributes",
          [](Run& run) { run.call().attribute_count = 0; });
}

void wrong_dtypes(Device& device) {
  const Prepared prepared = supported_case(device, [](const Case& c) {
    return c.op->family == "elementwise" && c.instance->in.size() == 2 && c.instance->in[0] == TS_DTYPE_F32;
  });
  refused(device, prepared, TS_UNSUPPORTED, "dtypes that the row has not", [](Run& run) {
    run.inputs()[1].view.dtype = TS_DTYPE_I32; // as wide, so that the view stays inside
  });
}

// What no row has is claimed by nobody: every op, with one dtype for all its values.
void dtypes_of_no_row(Device& device) {
  for (const judge::Op& op : judge::spec().ops) {
    for (int32_t dtype = TS_DTYPE_BOOL; dtype < TS_DTYPE_COUNT; ++dtype) {
      judge::Instance instance = op.instances.front();
      for (size_t k = 0; k < instance.in.size(); ++k)
        if (op.operands[k].role != judge::Role::index) instance.in[k] = dtype;
      if (instance.in.empty() || op.instance(instance.in) != nullptr) continue;
      if (op.family != "convert") instance.out.front() = dtype;
      Prepared prepared;
      prepared.c = dense_case(op, instance, op.family == "matmul" ? Shape{5, 7} : Shape{35});
      for (size_t k = 0; k < instance.in.size(); ++k)
        prepared.inputs.emplace_back(instance.in[k], prepared.c.shapes[k]);
      Run run(prepared, arrangement_of(prepared.c), Poison::ones, device);
      hold_status(run.query().status, TS_UNSUPPORTED,
                  fmt::format("{} of {}, which its row has not", op.name, judge::name_of(dtype)));
    }
  }
}

void unknown_op(Device& device) {
  const Prepared prepared = supported_case(device);
  Run run(prepared, arrangement_of(prepared.c), Poison::ones, device);
  for (const int32_t op : {-1, 0, 1 << 20}) {
    run.call().op = op;
    hold_status(run.query().status, TS_UNSUPPORTED, fmt::format("the query for op {}", op));
  }
}

// A call that asks for a workspace: one line, longer than a block takes at once. Its values do not matter.
Prepared case_with_workspace(Device& device) {
  for (const judge::Op& op : judge::spec().ops) {
    Prepared prepared;
    prepared.c = dense_case(op, op.instances.front(), op.family == "matmul" ? Shape{5, 7} : Shape{5000});
    for (size_t k = 0; k < prepared.c.operands.size(); ++k)
      prepared.inputs.emplace_back(op.instances.front().in[k], prepared.c.shapes[k]);
    const ts_answer answer = Run(prepared, arrangement_of(prepared.c), Poison::ones, device).query();
    if (answer.status == TS_OK && answer.workspace_bytes > 0) return prepared;
  }
  throw NotApplicable{"no op asks for a workspace here"};
}

void workspace_too_small(Device& device) {
  refused(device, case_with_workspace(device), TS_INVALID_ARGUMENT, "a workspace one byte short",
          [](Run& run) { --run.call().workspace_bytes; });
}

// Nonsense in every field of a descriptor, one at a time: the entry and the query say no, and no exception comes out.
void nonsense_in_a_descriptor(Device& device) {
  const Prepared prepared = supported_case(device, has_input);
  struct Nonsense {
    const char* what;
    void (*put)(Run& run);
  };
  const Nonsense all[] = {
      {"rank -1", [](Run& run) { run.outputs()[0].rank = -1; }},
      {"rank 2^31-1", [](Run& run) { run.inputs()[0].view.rank = INT32_MAX; }},
      {"extent 2^63-1", [](Run& run) { run.outputs()[0].shape[0] = run.inputs()[0].view.shape[0] = INT64_MAX; }},
      {"extent -2^63", [](Run& run) { run.outputs()[0].shape[0] = run.inputs()[0].view.shape[0] = INT64_MIN; }},
      {"stride -2^63", [](Run& run) { run.inputs()[0].view.stride[0] = INT64_MIN; }},
      {"offset -2^63", [](Run& run) { run.outputs()[0].offset = INT64_MIN; }},
      {"offset 2^63-1", [](Run& run) { run.inputs()[0].view.offset = INT64_MAX; }},
      {"dtype 0", [](Run& run) { run.outputs()[0].dtype = 0; }},
      {"dtype -1", [](Run& run) { run.inputs()[0].view.dtype = -1; }},
      {"dtype 2^31-1", [](Run& run) { run.inputs()[0].view.dtype = INT32_MAX; }},
      {"-1 outputs", [](Run& run) { run.call().output_count = -1; }},
      {"-1 inputs", [](Run& run) { run.call().input_count = -1; }},
      {"-1 attributes", [](Run& run) { run.call().attribute_count = -1; }},
      {"op -2^31", [](Run& run) { run.call().op = INT32_MIN; }},
      {"device -1", [](Run& run) { run.call().device = -1; }},
      {"device 2^31-1", [](Run& run) { run.call().device = INT32_MAX; }},
  };
  for (const Nonsense& nonsense : all) {
    Run run(prepared, arrangement_of(prepared.c), Poison::ones, device);
    run.upload(run.query().workspace_bytes);
    nonsense.put(run);
    try {
      run.query();
      ts_error error = make_error();
      hold(run.enqueue(error) != TS_OK, fmt::format("a call with {} is accepted", nonsense.what));
    } catch (const std::exception& escaped) {
      hold(false, fmt::format("a call with {}: an exception crossed the door: {}", nonsense.what, escaped.what()));
    }
    run.download();
    const std::string damage = run.damage(true);
    hold(damage.empty(), fmt::format("a call with {}: {}", nonsense.what, damage));
  }
}

void buffers_of_another_device(Device& device) {
  if (device.backend().device_count() < 2) throw NotApplicable{"one device"};
  const Prepared prepared = supported_case(device, has_input);
  refused(device, prepared, TS_INVALID_ARGUMENT, "a call on another device than its buffers'",
          [&](Run& run) { run.call().device = 1 - device.index(); });
}

void query_changes_nothing(Device& device) {
  const Prepared prepared = supported_case(device);
  Run run(prepared, arrangement_of(prepared.c), Poison::ones, device);
  const ts_answer bare = run.query();
  run.upload(bare.workspace_bytes);
  const ts_answer full = run.query();
  hold_status(full.status, bare.status, "the query with buffers, against the one without");
  hold(full.workspace_bytes == bare.workspace_bytes, "the query asks for another workspace once it has buffers");
  run.download();
  const std::string damage = run.damage(true);
  hold(damage.empty(), "the query wrote: " + damage);
}

// A caller of an older minor version: its structs end early.
void sizes_are_kept(Device& device) {
  const Prepared prepared = supported_case(device);
  Run run(prepared, arrangement_of(prepared.c), Poison::ones, device);
  ts_answer answer{};
  std::memset(&answer, 0x77, sizeof answer);
  answer.size = offsetof(ts_answer, reason) + 16;
  device.backend().table().query(device.backend().instance(), &run.call(), &answer);
  for (size_t k = 16; k < TS_MESSAGE_BYTES; ++k)
    hold(answer.reason[k] == 0x77, "query wrote past the size of the answer");

  ts_error error{};
  std::memset(&error, 0x77, sizeof error);
  error.size = offsetof(ts_error, message) + 16;
  ts_buffer buffer = 0;
  device.backend().table().allocate(device.backend().instance(), -1, 16, &buffer, &error);
  for (size_t k = 16; k < TS_MESSAGE_BYTES; ++k)
    hold(error.message[k] == 0x77, "allocate wrote past the size of the error");
  hold_status(device.backend().table().allocate(device.backend().instance(), -1, 16, &buffer, nullptr),
              TS_INVALID_ARGUMENT, "allocate on device -1 without an error to fill");
}

void census_counts_and_resets(Device& device) {
  if (!device.counts()) throw NotApplicable{"no census"};
  const Prepared prepared = supported_case(device);
  device.take_census();
  Run run(prepared, arrangement_of(prepared.c), Poison::ones, device);
  run.upload(run.query().workspace_bytes);
  ts_error error = make_error();
  hold_status(run.enqueue(error), TS_OK, error.message);
  device.synchronize();
  hold(!device.take_census().empty(), "the census saw nothing of a call that ran");
  hold(device.take_census().empty(), "the census counts on after a reset");
}

} // namespace

std::vector<DoorCheck> call_checks() {
  return {{"door/call/self_overlapping_output", {"backend.25"}, self_overlapping_output},
          {"door/call/view_outside_its_buffer", {"backend.25"}, view_outside_its_buffer},
          {"door/call/unknown_buffer", {"backend.25"}, unknown_buffer},
          {"door/call/output_overlaps_input", {"backend.25"}, output_overlaps_input},
          {"door/call/shapes_that_disagree", {"backend.25"}, shapes_that_disagree},
          {"door/call/too_few_operands", {"backend.25"}, too_few_operands},
          {"door/call/wrong_attributes", {"backend.23"}, wrong_attributes},
          {"door/call/wrong_dtypes", {"backend.20"}, wrong_dtypes},
          {"door/call/unknown_op", {"backend.34"}, unknown_op},
          {"door/call/nonsense_in_a_descriptor", {"backend.44", "backend.25"}, nonsense_in_a_descriptor},
          {"door/call/workspace_too_small", {"backend.33"}, workspace_too_small},
          {"door/call/buffers_of_another_device", {"backend.30"}, buffers_of_another_device},
          {"door/query/dtypes_of_no_row", {"backend.20"}, dtypes_of_no_row},
          {"door/query/changes_nothing", {"backend.31"}, query_changes_nothing},
          {"door/query/sizes_are_kept", {"backend.6", "backend.42"}, sizes_are_kept},
          {"door/census/counts_and_resets", {"backend.48"}, census_counts_and_resets}};
}

} // namespace ts::conformance
