// A tensor's buffer drawn as a row of elements: which logical element lies where, and what it holds.
#pragma once

#include "conformance/memory.h"

#include <string>

namespace ts::tool {

/// An operand: header with dtype, shape, strides, offset; positions, coordinates and values, gaps as dots. Long buffers
/// are cut around `element`, or the first elements where that is -1.
std::string picture_of_operand(const conformance::Memory::Tensor& tensor, const conformance::Array& values,
                               int64_t element = -1);

/// An output: the same with what was expected and what came back; elements that differ are marked.
std::string picture_of_output(const conformance::Memory::Tensor& tensor, const conformance::Array& got,
                              const conformance::Array& want, int64_t element = -1);

} // namespace ts::tool
