// Deleting any one launch or copy from the CUDA backend makes a small suite fail: each place that makes one is lost in turn, and
// a place that the suite does not reach is a hole in it.
#include "tools/standin/control.h"
#include "tools/standin/works.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace ts::standin {
namespace {

using Sites = std::map<std::string, uint64_t>;

const ts_backend* cuda() {
  static const ts_backend* table = testing::load_table(testing::built_backend("cuda"));
  return table;
}

Sites visit(void (*all)(ts_standin_visitor, void*)) {
  Sites sites;
  all([](void* context, const char* site, uint64_t times) { (*static_cast<Sites*>(context))[site] += times; }, &sites);
  return sites;
}

// "" or the work that went wrong, and how.
std::string run_all() {
  for (const Work& work : works()) {
    try {
      Session session(cuda());
      if (const std::string wrong = work.run(session); !wrong.empty()) return std::string(work.name) + ": " + wrong;
    } catch (const Failed& error) {
      return std::string(work.name) + ": " + error.what();
    }
  }
  return "";
}

// In a process of its own: a kernel that finds no index where it should be one may do anything.
std::string run_without(const std::string& site) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    if (freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
    ts_standin_drop_site(site.c_str());
    const std::string wrong = run_all();
    const ssize_t written = write(ends[1], wrong.data(), wrong.size());
    _exit(written == static_cast<ssize_t>(wrong.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string wrong;
  char text[512];
  for (ssize_t size = read(ends[0], text, sizeof text); size > 0; size = read(ends[0], text, sizeof text))
    wrong.append(text, static_cast<size_t>(size));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? wrong : "the process died";
}

Sites sites_of_suite() {
  EXPECT_EQ(run_all(), "");
  return visit(ts_standin_sites);
}

TEST(CudaSites, LosingAnyMakesTheSuiteFail) {
  const Sites sites = sites_of_suite();
  EXPECT_GT(sites.size(), 10U);
  for (const auto& [site, times] : sites) {
    const std::string wrong = run_without(site);
    printf("%s (%llu times): %s\n", site.c_str(), static_cast<unsigned long long>(times), wrong.c_str());
    EXPECT_NE(wrong, "") << "nothing notices that this is lost: " << site;
  }
}

// `launch run_flat<Task` of a kernel's name; as many as there are tasks.
std::string site_of(const std::string& kernel) {
  const size_t first = kernel.find('<');
  return "launch " + (first == std::string::npos ? kernel : kernel.substr(0, kernel.find_first_of("<,>", first + 1)));
}

TEST(CudaSites, SuiteReachesEveryLaunchOfTheRegistration) {
  const Sites sites = sites_of_suite();
  std::set<std::string> missing;
  uint64_t kernels = 0;
  for (const auto& [kernel, launches] : visit(ts_standin_kernels)) {
    if (kernel.rfind("ts::cuda::", 0) != 0) continue; // the vendor's
    ++kernels;
    if (sites.count(site_of(kernel)) == 0) missing.insert(site_of(kernel));
  }
  EXPECT_GT(kernels, 1000U);
  for (const std::string& site : missing) ADD_FAILURE() << "no work launches " << site;
}

// Copies have no names: there are as many places as the sources have calls.
TEST(CudaSites, SuiteReachesEveryCopyOfTheSources) {
  std::set<std::string> reached;
  for (const auto& [site, times] : sites_of_suite())
    if (site.rfind("cudaMem", 0) == 0 && site.find("cuda.so") != std::string::npos) reached.insert(site);
  uint64_t written = 0;
  for (const char* file : {"backend", "device", "instance", "launcher", "queue", "staging"}) {
    std::ifstream source(std::string(TS_SOURCE_ROOT) + "/backends/cuda/" + file + ".cpp");
    std::stringstream text;
    text << source.rdbuf();
    const std::string code = text.str();
    EXPECT_NE(code, "") << file;
    const std::regex call("cudaMem(cpy|set)[A-Za-z]*\\(");
    written += static_cast<uint64_t>(
        std::distance(std::sregex_iterator(code.begin(), code.end(), call), std::sregex_iterator()));
  }
  EXPECT_EQ(reached.size(), written);
}

} // namespace
} // namespace ts::standin
