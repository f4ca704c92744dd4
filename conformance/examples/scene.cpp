#include "conformance/examples/scene.h"

#include "conformance/oracle/tokens.h"
#include "runtime/tensor/factories.h"
#include "runtime/tensor/view.h"

#include <fmt/format.h>

#include <cstdlib>

namespace ts::conformance {

using nlohmann::json;

namespace {

int64_t integer_of(const json& argument) {
  return std::strtoll(argument.at("number").get<std::string>().c_str(), nullptr, 10);
}

Dims dims_of_json(const json& argument) { return Dims(argument.at("shape").get<std::vector<int64_t>>()); }

// `true`, an integer, or a real.
Scalar number_of(const std::string& text) {
  if (text == "true" || text == "false") return Scalar(text == "true");
  char* end = nullptr;
  const int64_t integer = std::strtoll(text.c_str(), &end, 10);
  if (*end == '\0') return Scalar(integer);
  const double real = std::strtod(text.c_str(), &end);
  if (*end != '\0') throw judge::InputError(fmt::format("'{}' is no number", text));
  return Scalar(real);
}

ts_attribute attribute_of_text(const judge::AttributeRow& row, const std::string& text) {
  const Scalar number = number_of(text);
  if (row.kind == "real" || number.is_real()) return judge::real_attribute(number.real());
  return judge::integer_attribute(number.integer());
}

} // namespace

judge::Array array_of_texts(const std::string& dtype, const judge::Shape& shape, const json& values) {
  judge::Array array(judge::dtype_named(dtype), shape);
  if (static_cast<int64_t>(values.size()) != array.count())
    throw judge::InputError(fmt::format("{} values for shape {}", values.size(), judge::text_of(shape)));
  for (size_t e = 0; e < values.size(); ++e)
    judge::set_token(array, static_cast<int64_t>(e), values[e].get<std::string>());
  return array;
}

void Scene::make(const json& statement) {
  const auto dtype = statement.at("dtype").get<std::string>();
  const auto name = statement.at("name").get<std::string>();
  const auto shape = statement.at("shape").get<judge::Shape>();
  if (statement.at("kind") == "tensor") {
    assign(name, tensor_of(array_of_texts(dtype, shape, statement.at("values")), device_));
    return;
  }
  const json& values = statement.at("buffer");
  const judge::Array buffer = array_of_texts(dtype, {static_cast<int64_t>(values.size())}, values);
  const Tensor whole = tensor_of(buffer, device_);
  const ts::Layout layout{Dims(shape), Dims(statement.at("strides").get<judge::Shape>()),
                          statement.at("offset").get<int64_t>()};
  assign(name, Tensor(whole.storage(), layout, whole.dtype()));
}

const Tensor& Scene::named(const std::string& name) const {
  const auto found = names_.find(name);
  if (found == names_.end()) throw judge::InputError(fmt::format("nothing is named {}", name));
  return found->second;
}

Tensor Scene::tensor(const json& expression) const {
  if (expression.contains("name")) return named(expression.at("name").get<std::string>());
  return results(expression)[0];
}

Input Scene::input(const json& expression) const {
  if (expression.contains("number")) return number_of(expression.at("number").get<std::string>());
  return tensor(expression);
}

Results Scene::results(const json& expression) const {
  if (expression.contains("view")) {
    Results results;
    results[0] = view(expression.at("view").get<std::string>(), expression.at("arguments"));
    return results;
  }
  const judge::Op& op = spec_.op(expression.at("op").get<std::string>());
  std::vector<Input> operands;
  for (const judge::Operand& operand : op.operands)
    operands.push_back(input(expression.at("operands").at(operand.name)));
  judge::Attributes attributes;
  for (const judge::AttributeRow& row : op.attributes) {
    const json& given = expression.at("attributes");
    const std::string text =
        given.contains(row.name) ? given.at(row.name).get<std::string>() : row.default_text.value_or("0");
    attributes[row.name] = attribute_of_text(row, text);
  }
  return library_call(op, operands, library_attributes(op, attributes), {});
}

Tensor Scene::view(const std::string& operation, const json& a) const {
  const Tensor x = tensor(a.at(0));
  if (operation == "reshape") return reshape(x, dims_of_json(a.at(1)));
  if (operation == "permute") return permute(x, dims_of_json(a.at(1)));
  if (operation == "transpose") return transpose(x, integer_of(a.at(1)), integer_of(a.at(2)));
  if (operation == "expand") return expand(x, dims_of_json(a.at(1)));
  if (operation == "slice")
    return slice(x, integer_of(a.at(1)), {integer_of(a.at(2)), integer_of(a.at(3)), integer_of(a.at(4))});
  if (operation == "select") return select(x, integer_of(a.at(1)), integer_of(a.at(2)));
  if (operation == "flip") return flip(x, dims_of_json(a.at(1)));
  if (operation == "squeeze") return squeeze(x, {integer_of(a.at(1))});
  if (operation == "unsqueeze") return unsqueeze(x, integer_of(a.at(1)));
  if (operation == "diagonal") return diagonal(x);
  if (operation == "unfold") return unfold(x, integer_of(a.at(1)), integer_of(a.at(2)), integer_of(a.at(3)));
  if (operation == "as_strided")
    return as_strided(x, dims_of_json(a.at(1)), dims_of_json(a.at(2)), integer_of(a.at(3)));
  if (operation == "contiguous") return x.contiguous();
  throw judge::InputError(fmt::format("'{}' is no view operation", operation));
}

} // namespace ts::conformance
