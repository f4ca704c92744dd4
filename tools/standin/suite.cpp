// The small suite of works.h on one backend: standin_suite LIBRARY [OPTIONS]. What tools/trace-diff traces.
#include "tools/standin/works.h"

#include <cstdio>
#include <dlfcn.h>

namespace {

const ts_backend* load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const auto table =
      library == nullptr ? nullptr : reinterpret_cast<const ts_backend* (*)()>(dlsym(library, "ts_backend_table"));
  if (table == nullptr) std::fprintf(stderr, "standin_suite: %s\n", dlerror());
  return table == nullptr ? nullptr : table();
}

// "" or what went wrong.
std::string run(const ts::standin::Work& work, const ts_backend* table, const char* options) {
  try {
    ts::standin::Session session(table, options);
    return work.run(session);
  } catch (const ts::standin::Failed& error) {
    return error.what();
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: standin_suite LIBRARY [OPTIONS]\n");
    return 2;
  }
  const ts_backend* table = load(argv[1]);
  if (table == nullptr) return 2;
  int failures = 0;
  for (const ts::standin::Work& work : ts::standin::works()) {
    const std::string wrong = run(work, table, argc > 2 ? argv[2] : "");
    std::printf("%-4s %s %s\n", wrong.empty() ? "ok" : "FAIL", work.name, wrong.c_str());
    failures += wrong.empty() ? 0 : 1;
  }
  return failures == 0 ? 0 : 1;
}
