#include "conformance/examples/examples.h"

#include "conformance/compare.h"
#include "conformance/examples/planners.h"
#include "conformance/examples/scene.h"
#include "runtime/errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace ts::conformance {

using nlohmann::json;

namespace {

std::string group_of(const judge::Example& example) {
  if (!example.op.empty()) return example.op;
  const size_t slash = example.file.rfind('/'), dot = example.file.rfind('.');
  return example.file.substr(slash + 1, dot - slash - 1);
}

std::vector<std::string> named(const judge::Spec& spec) {
  std::map<std::string, int> seen;
  std::vector<std::string> names;
  for (const judge::Example& example : spec.examples)
    names.push_back(fmt::format("example/{0}/{1}", group_of(example), ++seen[group_of(example)]));
  return names;
}

class Performance {
public:
  Performance(const judge::Example& example, const judge::Spec& spec, ts::Device device)
      : statements_(*example.statements), spec_(spec), scene_(spec, device) {}

  int64_t checks() const { return checks_; }

  void operator()() {
    for (size_t k = 0; k < statements_.size(); ++k) {
      try {
        perform(k);
      } catch (const ExampleFault& fault) {
        throw ExampleFault{fault.check, fmt::format("statement {}: {}", k + 1, fault.message)};
      } catch (const Error& error) {
        throw ExampleFault{"error", fmt::format("statement {} {}: {}", k + 1, statements_[k].dump(), error.what())};
      }
    }
  }

private:
  void perform(size_t k);
  void has(const json& statement) const;
  void is(const json& statement) const;
  void values(const json& subject, const json& results) const;
  void raises(const json& statement) const;
  void reads(size_t k) const;
  void plans(const json& statement) const;
  [[noreturn]] static void fail(const char* check, const std::string& message) { throw ExampleFault{check, message}; }

  const json& statements_;
  const judge::Spec& spec_;
  Scene scene_;
  int64_t checks_ = 0;
};

void Performance::perform(size_t k) {
  const json& s = statements_[k];
  const auto kind = s.at("kind").get<std::string>();
  if (kind == "tensor" || kind == "view") return scene_.make(s);
  if (kind == "assign") return scene_.assign(s.at("name").get<std::string>(), scene_.tensor(s.at("call")));
  ++checks_;
  if (kind == "has") return has(s);
  if (kind == "is") return is(s);
  if (kind == "values") return values(s.at("subject"), json::array({s}));
  if (kind == "call") return values(s.at("call"), s.at("results"));
  if (kind == "raises") return raises(s);
  if (kind == "reads") return reads(k);
  if (kind == "plan" || kind == "element" || kind == "planner") return plans(s);
  throw judge::InputError(fmt::format("there is no statement of kind {}", kind));
}

void Performance::has(const json& statement) const {
  const Tensor tensor = scene_.tensor(statement.at("subject"));
  const auto hold = [&](const char* key, const judge::Shape& got) {
    if (!statement.contains(key)) return;
    const json& want = statement.at(key);
    const judge::Shape wanted = want.is_array() ? want.get<judge::Shape>() : judge::Shape{want.get<int64_t>()};
    if (got != wanted)
      fail("has", fmt::format("{} is {}, the example says {}", key, fmt::join(got, " "), fmt::join(wanted, " ")));
  };
  hold("shape", shape_of(tensor.shape()));
  hold("strides", shape_of(tensor.strides()));
  hold("offset", {tensor.offset()});
  if (!statement.contains("storage")) return;
  const json& texts = statement.at("storage");
  const auto elements = static_cast<int64_t>(tensor.storage()->bytes()) / itemsize(tensor.dtype());
  const Tensor whole(tensor.storage(), ts::Layout{{elements}, {1}, 0}, tensor.dtype());
  const std::string dtype(name(tensor.dtype()));
  const judge::Array want = array_of_texts(dtype, {static_cast<int64_t>(texts.size())}, texts);
  const judge::Comparison compared = judge::compare(array_of(whole), want, {});
  if (!compared.pass) fail("has", "storage: " + compared.why);
}

void Performance::is(const json& statement) const {
  const Tensor tensor = scene_.tensor(statement.at("subject"));
  const auto property = statement.at("property").get<std::string>();
  const bool holds = property == "compact" ? tensor.is_compact() : tensor.is_contiguous();
  if (holds != statement.at("holds").get<bool>()) fail("is", fmt::format("{} is {}", property, holds));
}

void Performance::values(const json& subject, const json& wanted) const {
  Results results;
  if (subject.contains("name"))
    results[0] = scene_.tensor(subject);
  else
    results = scene_.results(subject);
  for (size_t k = 0; k < wanted.size(); ++k) {
    const json& w = wanted[k];
    const judge::Array want =
        array_of_texts(w.at("dtype").get<std::string>(), w.at("shape").get<judge::Shape>(), w.at("values"));
    const judge::Comparison compared = judge::compare(array_of(results.at(k)), want, {});
    if (!compared.pass) fail("values", compared.why);
  }
}

void Performance::raises(const json& statement) const {
  const auto want = statement.at("error").get<std::string>();
  const Thrown thrown = caught(scene_.device(), [&] { scene_.results(statement.at("call")); });
  if (thrown.type != want)
    fail("raises",
         fmt::format("expected {}, got {}: {}", want, thrown.type.empty() ? "a result" : thrown.type, thrown.message));
}

// The first operand is the result; where no statement made it, it is dense.
void Performance::plans(const json& statement) const {
  const auto kind = statement.at("kind").get<std::string>();
  std::string difference;
  if (kind == "planner") {
    difference = check_planner(statement);
  } else {
    PlanOperands operands;
    Dims shape;
    for (const json& name : statement.at("operands")) {
      if (!scene_.has(name.get<std::string>())) continue;
      const Tensor& tensor = scene_.named(name.get<std::string>());
      shape = broadcast_shapes(shape, tensor.shape(), "plan");
      operands.itemsize = static_cast<int>(itemsize(tensor.dtype()));
    }
    operands.shape = shape_of(shape);
    for (const json& name : statement.at("operands")) {
      const bool made = scene_.has(name.get<std::string>());
      operands.strides.push_back(shape_of(
          made ? broadcast(scene_.named(name.get<std::string>()).layout(), shape, "plan").strides : row_major(shape)));
    }
    difference = kind == "plan" ? check_plan(statement, operands) : check_element(statement, operands);
  }
  if (!difference.empty()) fail("plan", difference);
}

// Which positions a call reads shows in its values: the storage of the name holds its own positions, and all is done again.
void Performance::reads(size_t k) const {
  const json& statement = statements_[k];
  const auto name = statement.at("name").get<std::string>();
  Scene scene(spec_, scene_.device());
  constexpr int64_t kMark = 64; // away from the values that examples hold
  judge::Array moved;
  for (size_t at = 0; at < k; ++at) {
    const json& s = statements_[at];
    const auto kind = s.at("kind").get<std::string>();
    if (kind == "tensor" || kind == "view") {
      json marked = s;
      json& values = marked[kind == "view" ? "buffer" : "values"];
      for (size_t p = 0; s.at("name") == name && p < values.size(); ++p)
        values[p] = std::to_string(kMark + static_cast<int64_t>(p));
      scene.make(marked);
    } else if (kind == "assign") {
      scene.assign(s.at("name").get<std::string>(), scene.tensor(s.at("call")));
      moved = array_of(scene.named(s.at("name").get<std::string>()));
    } else if (kind == "call") {
      moved = array_of(scene.results(s.at("call"))[0]);
    } else if (kind == "values") {
      moved = array_of(scene.tensor(s.at("subject")));
    }
  }
  judge::Shape got;
  for (int64_t e = 0; e < moved.count(); ++e) got.push_back(static_cast<int64_t>(moved.real(e)) - kMark);
  const auto want = statement.at("positions").get<judge::Shape>();
  if (got != want)
    fail("reads",
         fmt::format("{} is read at {}, the example says {}", name, fmt::join(got, " "), fmt::join(want, " ")));
}

} // namespace

std::vector<std::string> example_names(const judge::Spec& spec) { return named(spec); }

Outcome run_example(const std::string& name, const judge::Spec& spec, Device& device) {
  const std::vector<std::string> names = named(spec);
  const judge::Example* example = nullptr;
  for (size_t k = 0; k < names.size(); ++k)
    if (names[k] == name) example = &spec.examples[k];
  if (example == nullptr) throw ValueError(fmt::format("there is no example '{}'", name));
  Outcome outcome;
  outcome.name = name;
  outcome.cites = example->cites;
  device.take_census();
  const ts::Device library = library_device(device);
  const FallbackWatch watch(library);
  Performance performance(*example, spec, library);
  try {
    performance();
    outcome.verdict = Verdict::pass;
    outcome.elements = performance.checks();
    outcome.telling = performance.checks() > 0;
  } catch (const ExampleFault& fault) {
    outcome.verdict = Verdict::fail;
    outcome.check = fault.check;
    outcome.message = fmt::format("{}:{}: {}", example->file, example->line, fault.message);
  }
  outcome.launches = device.take_census();
  if (const std::string fallen = watch.names(); !fallen.empty() && outcome.verdict == Verdict::pass) {
    outcome.verdict = Verdict::unsupported;
    outcome.message = fmt::format("computed on the host: {}", fallen);
    outcome.telling = false;
  }
  return outcome;
}

} // namespace ts::conformance
