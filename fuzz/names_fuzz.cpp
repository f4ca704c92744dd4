// Fuzzes the readers of what a person types: the name of a case, a filter, a part of a run. Any text is read or refused with
// a typed error, and a name that is read names one case.
#include "conformance/case.h"
#include "conformance/filter.h"
#include "runtime/errors.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

template <class Body> void refused_or(Body&& body) {
  try {
    body();
  } catch (const ts::Error&) {
  } catch (const ts::judge::InputError&) {}
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  refused_or([&] {
    const std::string name = ts::conformance::parse_case(text, ts::judge::spec()).name();
    if (ts::conformance::parse_case(name, ts::judge::spec()).name() != name) std::abort();
  });
  refused_or([&] { ts::conformance::Filter(std::string(text)).apply({"elementwise/add/f32/17", "door/memory"}); });
  refused_or([&] { ts::conformance::Shard::parse(std::string(text)); });
  return 0;
}
