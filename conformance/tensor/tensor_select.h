// Which cases of the kernel tier run through the library as well, and their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ts::conformance {

/// `tensor/` and the name of the kernel tier.
inline bool is_tensor_case(std::string_view name) { return name.starts_with("tensor/"); }
inline std::string kernel_name(const std::string& name) { return name.substr(std::string_view("tensor/").size()); }

/// Of each op the same number, and of each of its tuples of dtypes at least one, drawn by a hash that never changes: any
/// layout and source is as likely as another.
std::vector<std::string> tensor_names(const std::vector<std::string>& kernel_names);

} // namespace ts::conformance
