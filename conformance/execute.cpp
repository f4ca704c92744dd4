#include "conformance/execute.h"

#include "conformance/compare.h"
#include "conformance/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace ts::conformance {

namespace {

using Failure = DoorFault;

// Same bits, where a NaN that arithmetic made may be any NaN.
std::string bits_differ(const Array& got, const Array& want, const judge::Bounds& bounds, const std::string& other) {
  Array a = got, b = want;
  if (!bounds.payload && judge::is_floating(a.dtype)) {
    for (int64_t e = 0; e < a.count(); ++e) {
      if (a.real(e) != a.real(e) && b.real(e) != b.real(e)) b.set_bits(e, a.bits(e));
      // Where no value is judged there is none to repeat.
      if (!bounds.excluded.empty() && bounds.excluded[static_cast<size_t>(e)] != 0) b.set_bits(e, a.bits(e));
    }
  }
  const judge::Comparison compared = judge::compare_bits(a, b, other);
  if (compared.pass) return {};
  return compared.why;
}

// A hash of bits in which any NaN that arithmetic made is one NaN, and values that nobody judges are none. Its last bit says
// whether other backends are to have the same. Never 0.
void hash_bits(const Array& got, const judge::Bounds& bounds, bool cross, uint64_t& hash) {
  const bool any_nan = !bounds.payload && judge::is_floating(got.dtype);
  for (int64_t e = 0; e < got.count(); ++e) {
    uint64_t bits = any_nan && got.real(e) != got.real(e) ? ~uint64_t{0} : got.bits(e);
    if (!bounds.excluded.empty() && bounds.excluded[static_cast<size_t>(e)] != 0) bits = 0;
    hash = (hash ^ bits) * 0x100000001b3ULL;
    hash ^= hash >> 29;
  }
  hash = (hash & ~uint64_t{1}) | (cross ? 1 : 0);
  if (hash == 0) hash = 2;
}

class Execution {
public:
  Execution(const Prepared& prepared, Device& device, const Watcher& watch)
      : p_(prepared), device_(device), watch_(watch) {}
  Execution(const Prepared& prepared, Device& device, Poison poison)
      : p_(prepared), device_(device), watch_(kNobody), poison_(poison), once_(true) {}

  Outcome operator()() {
    if (!once_) outcome_.name = p_.c.name();
    outcome_.cites = p_.cites;
    try {
      run_all();
    } catch (const DoorFault& fault) {
      fail(fault);
    }
    return std::move(outcome_);
  }

private:
  void fail(const DoorFault& fault) {
    outcome_.verdict = Verdict::fail;
    outcome_.check = fault.check;
    outcome_.message = fault.message;
    // An error that still waits in the queue is this case's, not the next one's.
    ts_error error = make_error();
    device_.drain(error);
  }

  void run_all();
  void run_refused(Run& run, ts_status status, const char* reason);
  void run_index_error(const Arrangement& arrangement, uint64_t workspace_bytes);
  void check_index_error(const ts_error& error, const Run& run) const;
  void complete(Run& run, uint64_t workspace_bytes);
  std::unique_ptr<Run> run_once(const Arrangement& arrangement, Poison poison);
  void check_values(Run& run);
  bool keeps_its_bytes(const Run& run, size_t output, int64_t element);
  void check_same(const Run& run, const Run& other, const char* check, const std::string& name);
  bool owes_same_bits(size_t output) const;

  const Prepared& p_;
  Device& device_;
  static inline const Watcher kNobody;
  const Watcher& watch_;
  Poison poison_ = Poison::ones;
  bool once_ = false;
  Outcome outcome_;
};

void Execution::complete(Run& run, uint64_t workspace_bytes) {
  run.upload(workspace_bytes);
  ts_error error = make_error();
  if (const ts_status status = run.enqueue(error); status != TS_OK)
    throw Failure{"query",
                  fmt::format("the query said TS_OK, the call returned {}: {}", status_name(status), error.message)};
  device_.synchronize();
  run.download();
}

std::unique_ptr<Run> Execution::run_once(const Arrangement& arrangement, Poison poison) {
  auto run = std::make_unique<Run>(p_, arrangement, poison, device_);
  const ts_answer answer = run->query();
  if (answer.status != TS_OK)
    throw Failure{"query", fmt::format("the query of the same call in another layout returned {}: {}",
                                       status_name(answer.status), answer.reason)};
  complete(*run, answer.workspace_bytes);
  return run;
}

// Whether an element of an output is what it was before the call, whatever that is: what is read in the wrong place may be
// the same poison.
bool Execution::keeps_its_bytes(const Run& run, size_t output, int64_t element) {
  if (!run.memory().untouched(output, element)) return false;
  if (once_) return true;
  once_ = true;
  const Poison other = poison_ == Poison::ones ? Poison::pattern : Poison::ones;
  return run_once(arrangement_of(p_.c), other)->memory().untouched(output, element);
}

void Execution::check_values(Run& run) {
  for (size_t k = 0; k < p_.expected.outputs.size(); ++k) {
    const Array got = run.memory().gather(k);
    const judge::Comparison compared = judge::compare(got, p_.expected, k);
    outcome_.elements += compared.count;
    outcome_.worst_ulp = std::max(outcome_.worst_ulp, compared.worst_ulp);
    const std::string& promise = p_.c.op->bits;
    if (promise != "none") hash_bits(got, p_.expected.bounds[k], promise == "cross", outcome_.bits);
    if (compared.pass) continue;
    const bool unwritten = compared.first >= 0 && keeps_its_bytes(run, k, compared.first);
    throw Failure{"values", fmt::format("{}: {}{}", run.memory().outputs()[k].name, compared.why,
                                        unwritten ? "; this one still holds its bytes from before the call" : "")};
  }
}

// A row whose bits are `none` owes nothing but its tolerance, and a vendor's matrix product the same for one layout only.
bool Execution::owes_same_bits(size_t output) const {
  if (!judge::is_floating(p_.expected.outputs[output].dtype)) return true;
  return p_.c.op->bits != "none" && !(p_.c.op->bits == "run" && p_.c.op->family == "matmul");
}

void Execution::check_same(const Run& run, const Run& other, const char* check, const std::string& name) {
  for (size_t k = 0; k < p_.expected.outputs.size(); ++k) {
    if (!owes_same_bits(k)) continue;
    const std::string why = bits_differ(other.memory().gather(k), run.memory().gather(k), p_.expected.bounds[k], name);
    if (!why.empty()) throw Failure{check, fmt::format("{}: {}", run.memory().outputs()[k].name, why)};
  }
}

void Execution::run_refused(Run& run, ts_status status, const char* reason) {
  run.upload(0);
  ts_error error = make_error();
  const ts_status called = run.enqueue(error);
  device_.synchronize();
  run.download();
  if (called != status)
    throw Failure{"query", fmt::format("the query said {} ({}), the call returned {}", status_name(status), reason,
                                       status_name(called))};
  if (const std::string damage = run.damage(true); !damage.empty()) throw Failure{"refusal", damage};
}

void Execution::check_index_error(const ts_error& error, const Run& run) const {
  const auto operand = static_cast<size_t>(index_operand(*p_.c.op));
  const Array& index = p_.inputs[operand];
  const auto axis = static_cast<size_t>(p_.c.attributes.at("axis").integer);
  const int64_t extent = p_.c.shapes.front()[axis];
  int64_t element = 0;
  while (index.integer(element) >= 0 && index.integer(element) < extent) ++element;
  int32_t number = static_cast<int32_t>(operand);
  if (inout_operand(*p_.c.op) >= 0) --number;
  const auto hold = [](const char* what, int64_t got, int64_t want) {
    if (got != want) throw Failure{"index error", fmt::format("the error names {} {}, expected {}", what, got, want)};
  };
  hold("op", error.op, p_.c.op->id);
  hold("input", error.operand, number);
  hold("element", error.element, element);
  hold("value", error.value, index.integer(element));
  hold("extent", error.bound, extent);
  hold("serial", static_cast<int64_t>(error.serial), static_cast<int64_t>(run.serial()));
}

void Execution::run_index_error(const Arrangement& arrangement, uint64_t workspace_bytes) {
  Run run(p_, arrangement, Poison::ones, device_);
  run.upload(workspace_bytes);
  ts_error error = make_error();
  ts_status status = run.enqueue(error);
  if (status == TS_OK) status = device_.drain(error);
  if (status != TS_INDEX_OUT_OF_RANGE)
    throw Failure{"index error",
                  fmt::format("{}: expected TS_INDEX_OUT_OF_RANGE, got {}", p_.expected.reason, status_name(status))};
  check_index_error(error, run);
  run.download();
  if (const std::string damage = run.damage(); !damage.empty()) throw Failure{"gaps", damage};
  outcome_.elements = 1;
  outcome_.telling = true;

  // The device is usable: the same call with every index 0, where 0 is an index.
  if (judge::count_of(p_.c.shapes.front()) == 0) return;
  Prepared healed = p_;
  Array& index = healed.inputs[static_cast<size_t>(index_operand(*p_.c.op))];
  std::fill(index.bytes.begin(), index.bytes.end(), std::byte{0});
  Run again(healed, arrangement, Poison::ones, device_);
  again.upload(workspace_bytes);
  error = make_error();
  status = again.enqueue(error);
  if (status == TS_OK) status = device_.drain(error);
  if (status != TS_OK)
    throw Failure{"index error",
                  fmt::format("after the error a valid call returned {}: {}", status_name(status), error.message)};
  again.download();
  const judge::Expected expected = expected_of(healed.c, healed.inputs);
  for (size_t k = 0; k < expected.outputs.size(); ++k)
    if (const judge::Comparison compared = judge::compare(again.memory().gather(k), expected, k); !compared.pass)
      throw Failure{"index error", fmt::format("a valid call after the error gives other values: {}", compared.why)};
  if (const std::string damage = again.damage(); !damage.empty()) throw Failure{"gaps", damage};
}

void Execution::run_all() {
  const Arrangement arrangement = arrangement_of(p_.c);
  Run run(p_, arrangement, poison_, device_);
  const ts_answer answer = run.query();
  const std::string& error = p_.expected.error;
  if (answer.status == TS_UNSUPPORTED || (answer.status == TS_INVALID_ARGUMENT && error == "ValueError")) {
    run_refused(run, answer.status, answer.reason);
    const bool unsupported = answer.status == TS_UNSUPPORTED;
    outcome_.verdict = unsupported ? Verdict::unsupported : Verdict::pass;
    outcome_.message = unsupported ? answer.reason : "";
    outcome_.check = unsupported ? "" : "refusal";
    outcome_.telling = !unsupported;
    outcome_.elements = unsupported ? 0 : 1;
    return;
  }
  if (answer.status != TS_OK || error == "ValueError" || error == "TypeError")
    throw Failure{"query", fmt::format("expected {}{}, the query returned {}: {}", error.empty() ? "TS_OK" : error,
                                       p_.expected.reason.empty() ? "" : " (" + p_.expected.reason + ")",
                                       status_name(answer.status), answer.reason)};
  device_.take_census();
  if (error == "IndexError") {
    run_index_error(arrangement, answer.workspace_bytes);
    outcome_.launches = device_.take_census();
    outcome_.verdict = Verdict::pass;
    return;
  }

  complete(run, answer.workspace_bytes);
  outcome_.launches = device_.take_census();
  if (watch_) watch_(run.memory());
  check_values(run);
  if (const std::string damage = run.damage(); !damage.empty()) throw Failure{"gaps", damage};
  if (device_.counts() && p_.promise != Promise::empty && outcome_.launches.empty())
    throw Failure{"census", "the result is right, but the census saw no kernel: something else computed it"};
  outcome_.telling = p_.telling;
  outcome_.verdict = p_.trivial && p_.promise == Promise::telling ? Verdict::mistrusted : Verdict::pass;
  if (once_) return;

  const std::unique_ptr<Run> again = run_once(arrangement, Poison::pattern);
  if (const std::string damage = again->damage(); !damage.empty()) throw Failure{"gaps", damage};
  check_same(run, *again, "poison", "the run over other bytes in gaps and outputs");
  if (const Arrangement dense = dense_arrangement(p_.c); !is_dense(arrangement)) {
    const std::unique_ptr<Run> twin = run_once(dense, Poison::ones);
    if (const std::string damage = twin->damage(); !damage.empty()) throw Failure{"gaps", damage};
    check_same(run, *twin, "dense twin", "the same values laid out densely");
  }
  for (const auto& [route, count] : device_.take_census()) outcome_.launches[route] += count;
  if (outcome_.verdict == Verdict::mistrusted)
    outcome_.message = "every expected value is the same, so a constant would pass, and the case does not say so";
}

} // namespace

Outcome execute_once(const Prepared& prepared, Device& device, bool pattern) {
  return Execution(prepared, device, pattern ? Poison::pattern : Poison::ones)();
}

Outcome execute(const Prepared& prepared, Device& device) { return execute(prepared, device, {}); }

Outcome execute(const Prepared& prepared, Device& device, const Watcher& watch) {
  return Execution(prepared, device, watch)();
}

} // namespace ts::conformance
