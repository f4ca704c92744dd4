#include "conformance/tensor/tensor_case.h"

#include "conformance/compare.h"
#include "conformance/run.h"
#include "conformance/tensor/library.h"
#include "runtime/tensor/factories.h"
#include "runtime/tensor/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace ts::conformance {

namespace {

// The call of one arrangement: its buffers as storages, its tensors as views of them.
class TensorRun {
public:
  TensorRun(const Prepared& prepared, const Arrangement& arrangement, Poison poison, ts::Device device, bool fresh)
      : p_(prepared), device_(device), memory_(prepared, arrangement, poison), route_(arrangement.route),
        in_place_(arrangement.in_place), fresh_(fresh || arrangement.route == Route::fresh) {
    for (const Memory::Region& region : memory_.regions()) {
      const Dims size{static_cast<int64_t>(region.before.size())};
      storages_.push_back(from_host(region.before.data(), size, DType::kU8, device_));
    }
  }

  Thrown call() {
    return caught(device_, [&] { run(); });
  }

  // What the library reads through views of the operands, or of results in given tensors: one line, or nothing.
  std::string misread_operands() const;
  std::string misread_results() const;

  void download() {
    for (size_t r = 0; r < storages_.size(); ++r) {
      Memory::Region& region = memory_.regions()[r];
      region.after.assign(region.before.size(), std::byte{0});
      if (!region.after.empty()) storages_[r].read(region.after.data());
    }
  }

  const Memory& memory() const { return memory_; }

  Array result(size_t k) const { return fresh_ ? array_of(results_[k]) : memory_.gather(k); }

  // What changed and may not: a new result has memory of its own.
  std::string damage(bool frozen) const {
    for (size_t k = 0; fresh_ && !frozen && k < p_.expected.outputs.size(); ++k)
      if (!results_[k].is_contiguous() || results_[k].offset() != 0) return "the new result is not dense";
    return memory_.damage(frozen || fresh_);
  }

private:
  void run();
  Tensor view(const Memory::Tensor& tensor) const;
  std::vector<Input> inputs() const;

  const Prepared& p_;
  ts::Device device_;
  Memory memory_;
  Route route_;
  int in_place_;
  bool fresh_;
  std::vector<Tensor> storages_; ///< bytes of each region
  Results results_;
};

// Repeated axes come from expand, everything else from the strides of the placement.
Tensor TensorRun::view(const Memory::Tensor& tensor) const {
  const Tensor& bytes = storages_[static_cast<size_t>(tensor.region)];
  const Placement& at = tensor.placement;
  const Dims shape(at.shape), strides(at.stride);
  const auto dtype = static_cast<DType>(tensor.dtype);
  const Tensor whole(bytes.storage(), ts::Layout{{bytes.numel() / itemsize(dtype)}, {1}, 0}, dtype);
  Dims stored = shape;
  bool repeats = false;
  for (size_t a = 0; a < at.shape.size(); ++a) {
    if (at.stride[a] != 0 || at.shape[a] < 2) continue;
    stored[a] = 1;
    repeats = true;
  }
  const Tensor view = as_strided(whole, stored, strides, at.offset);
  return repeats ? expand(view, shape) : view;
}

// A number stands for a value in no buffer, where a tensor of its group says which dtype it takes.
std::vector<Input> TensorRun::inputs() const {
  const ops::OpRow& row = ops::row(p_.c.op->name);
  const std::vector<Memory::Tensor>& operands = memory_.operands();
  std::vector<Input> inputs;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].region >= 0) {
      inputs.emplace_back(view(operands[k]));
      continue;
    }
    bool led = false;
    for (size_t j = 0; j < operands.size(); ++j) led = led || (operands[j].region >= 0 && row.group[j] == row.group[k]);
    const auto dtype = static_cast<DType>(operands[k].dtype);
    if (led) {
      inputs.emplace_back(Scalar::decode(dtype, operands[k].bits));
    } else {
      const Tensor one = from_host(&operands[k].bits, {}, dtype, device_);
      inputs.emplace_back(expand(one, Dims(p_.c.shapes[k])));
    }
  }
  return inputs;
}

void TensorRun::run() {
  const judge::Op& op = *p_.c.op;
  const std::vector<Input> operands = inputs();
  const std::vector<Attribute> attributes = library_attributes(op, p_.c.attributes);
  std::vector<Tensor> outs;
  ops::Options options;
  const bool movement = op.family == "fill" || op.family == "convert";
  for (size_t k = 0; k < memory_.outputs().size(); ++k) {
    if (fresh_ && movement) {
      const Memory::Tensor& output = memory_.outputs()[k];
      outs.push_back(empty(Dims(output.placement.shape), static_cast<DType>(output.dtype), device_));
    } else if (!fresh_) {
      const bool shared = k == 0 && route_ == Route::in_place && in_place_ >= 0;
      outs.push_back(shared ? operands[static_cast<size_t>(in_place_)].tensor() : view(memory_.outputs()[k]));
    }
  }
  for (size_t k = 0; k < outs.size(); ++k) options.out[k] = &outs[k];
  results_ = library_call(op, operands, attributes, options);
}

// A bool is true whatever byte says so.
Array with_truth_as_one(Array array) {
  for (int64_t e = 0; array.dtype == TS_DTYPE_BOOL && e < array.count(); ++e) array.set_integer(e, array.integer(e));
  return array;
}

std::string misread(const std::string& name, const Tensor& view, const Array& held) {
  const judge::Comparison compared =
      judge::compare_bits(with_truth_as_one(array_of(view)), with_truth_as_one(held), "what its storage holds", true);
  return compared.pass ? "" : fmt::format("{}: {}", name, compared.why);
}

std::string TensorRun::misread_operands() const {
  std::string found;
  for (size_t k = 0; k < memory_.operands().size() && found.empty(); ++k)
    if (memory_.operands()[k].region >= 0)
      found = misread(memory_.operands()[k].name, view(memory_.operands()[k]), p_.inputs[k]);
  return found;
}

std::string TensorRun::misread_results() const {
  std::string found;
  for (size_t k = 0; !fresh_ && k < memory_.outputs().size() && found.empty(); ++k)
    found = misread(memory_.outputs()[k].name, view(memory_.outputs()[k]), memory_.gather(k));
  return found;
}

class TensorExecution {
public:
  TensorExecution(const Prepared& prepared, Device& device)
      : p_(prepared), door_(device), device_(library_device(device)) {}

  Outcome operator()() {
    outcome_.cites = p_.cites;
    try {
      run_all();
    } catch (const DoorFault& fault) {
      outcome_.verdict = Verdict::fail;
      outcome_.check = fault.check;
      outcome_.message = fault.message;
      ts_error error = make_error();
      door_.drain(error);
    }
    return std::move(outcome_);
  }

private:
  void run_all();
  void run_error();
  void run_values();
  std::unique_ptr<TensorRun> run_once(const Arrangement& arrangement, Poison poison, bool fresh);
  void check_same(const TensorRun& run, const TensorRun& other, const char* check, const char* name) const;

  const Prepared& p_;
  Device& door_;
  ts::Device device_;
  Outcome outcome_;
};

std::unique_ptr<TensorRun> TensorExecution::run_once(const Arrangement& arrangement, Poison poison, bool fresh) {
  auto run = std::make_unique<TensorRun>(p_, arrangement, poison, device_, fresh);
  // One run of a case reads before and after: what a host read once may be out of date. // layout.26
  const bool reads = poison == Poison::ones && !fresh;
  const auto hold = [&](const std::string& found) {
    if (reads && !found.empty()) throw DoorFault{"read", found};
  };
  if (reads) hold(run->misread_operands());
  if (const Thrown thrown = run->call(); !thrown.type.empty())
    throw DoorFault{"error", fmt::format("the library threw {}: {}", thrown.type, thrown.message)};
  run->download();
  if (const std::string damage = run->damage(false); !damage.empty()) throw DoorFault{"gaps", damage};
  if (reads) hold(run->misread_results());
  return run;
}

void TensorExecution::check_same(const TensorRun& run, const TensorRun& other, const char* check,
                                 const char* name) const {
  for (size_t k = 0; k < p_.expected.outputs.size(); ++k) {
    const bool floating = judge::is_floating(p_.expected.outputs[k].dtype);
    if (floating && (p_.c.op->bits == "none" || (p_.c.op->bits == "run" && p_.c.op->family == "matmul"))) continue;
    const judge::Bounds& bounds = p_.expected.bounds[k];
    Array got = other.result(k), want = run.result(k);
    for (size_t e = 0; e < bounds.excluded.size(); ++e)
      if (bounds.excluded[e] != 0) got.set_bits(static_cast<int64_t>(e), want.bits(static_cast<int64_t>(e)));
    const judge::Comparison compared = judge::compare_bits(got, want, name, bounds.payload);
    if (!compared.pass) throw DoorFault{check, compared.why};
  }
}

void TensorExecution::run_error() {
  TensorRun run(p_, arrangement_of(p_.c), Poison::ones, device_, false);
  const Thrown thrown = run.call();
  if (thrown.type != p_.expected.error)
    throw DoorFault{"error", fmt::format("expected {} ({}), got {}: {}", p_.expected.error, p_.expected.reason,
                                         thrown.type.empty() ? "a result" : thrown.type, thrown.message)};
  if (thrown.message.find(p_.c.op->name) == std::string::npos)
    throw DoorFault{"error", fmt::format("the message does not name the op: {}", thrown.message)};
  run.download();
  // Of a deferred error the outputs hold anything.
  const bool frozen = p_.expected.error != "IndexError";
  if (const std::string damage = run.memory().damage(frozen); !damage.empty()) throw DoorFault{"gaps", damage};
  outcome_.elements = 1;
  outcome_.telling = true;
  outcome_.check = "refusal"; // which the library may give by itself: nothing that the backend supports
}

void TensorExecution::run_values() {
  const Arrangement arrangement = arrangement_of(p_.c);
  const std::unique_ptr<TensorRun> run = run_once(arrangement, Poison::ones, false);
  for (size_t k = 0; k < p_.expected.outputs.size(); ++k) {
    const judge::Comparison compared = judge::compare(run->result(k), p_.expected, k);
    outcome_.elements += compared.count;
    outcome_.worst_ulp = std::max(outcome_.worst_ulp, compared.worst_ulp);
    if (!compared.pass) throw DoorFault{"values", fmt::format("{}: {}", p_.c.op->outputs[k], compared.why)};
  }
  const std::unique_ptr<TensorRun> again = run_once(arrangement, Poison::pattern, false);
  check_same(*run, *again, "poison", "the run over other bytes in gaps and outputs");
  const std::unique_ptr<TensorRun> fresh = run_once(dense_arrangement(p_.c), Poison::ones, true);
  check_same(*run, *fresh, "dense twin", "a new result from dense operands");
  outcome_.telling = p_.telling;
  outcome_.cites.emplace_back("layout.26");
}

void TensorExecution::run_all() {
  const ts_answer answer = Run(p_, arrangement_of(p_.c), Poison::ones, door_).query();
  door_.take_census();
  const FallbackWatch watch(device_);
  outcome_.verdict = Verdict::pass;
  if (p_.expected.error.empty())
    run_values();
  else
    run_error();
  outcome_.launches = door_.take_census();
  // How the library reads views and moves values is no matter of the op under test: moves have cases of their own.
  const std::string fallen = watch.names(p_.c.op->id);
  if (!fallen.empty() && answer.status == TS_OK)
    throw DoorFault{"fallback", fmt::format("the backend takes the call, yet the host computed {}", fallen)};
  if (!fallen.empty() || answer.status == TS_UNSUPPORTED) {
    // Right, but nothing that this backend did: an error or an empty result that the library gives of its own says nothing
    // of a backend that does not take the call.
    outcome_.verdict = Verdict::unsupported;
    outcome_.message = fallen.empty() ? fmt::format("the library answered by itself; the backend: {}", answer.reason)
                                      : fmt::format("computed on the host: {}", fallen);
    outcome_.telling = false;
    return;
  }
  if (door_.counts() && p_.expected.error.empty() && p_.promise != Promise::empty && outcome_.launches.empty())
    throw DoorFault{"census", "the result is right, but the census saw no kernel: something else computed it"};
}

} // namespace

Outcome execute_tensor(const Prepared& prepared, Device& device) { return TensorExecution(prepared, device)(); }

} // namespace ts::conformance
