#include "runtime/errors.h"

#include <fmt/format.h>

namespace ts {

void check_failed(const char* condition, const char* file, int line) {
  throw std::logic_error(fmt::format("{}:{}: internal check failed: {}", file, line, condition));
}

} // namespace ts
