// touchstone faults: kernels with planted faults under every setting of the emulator, and under the compilers' sanitizers;
// prints who notices what. Each run is a process of its own, for some of them die.
#include "conformance/filter.h"
#include "runtime/errors.h"
#include "tools/touchstone/commands.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sys/wait.h>

namespace ts::tool {

namespace {

struct Fault {
  std::string name, what, says, also, missed;
};

struct Setting {
  const char* title;
  const char* program; ///< of the folder `faults`
  const char* options;
};

constexpr std::array<Setting, 12> kSettings{{{"loop", "emulator_faults_loop", "-"},
                                             {"forward", "emulator_faults", "schedule=forward"},
                                             {"backward", "emulator_faults", "schedule=backward"},
                                             {"shuffle", "emulator_faults", "shuffle=5"},
                                             {"tsan", "emulator_faults_thread", "threads=4"},
                                             {"asan", "emulator_faults_address", "schedule=backward"},
                                             {"race", "emulator_faults", "check=race"},
                                             {"bounds", "emulator_faults", "check=bounds"},
                                             {"init", "emulator_faults", "check=init"},
                                             {"host", "emulator_faults", "check=host"},
                                             {"all", "emulator_faults", "check=all"},
                                             {"h100", "emulator_faults", "profile=h100"}}};
constexpr size_t kAll = 10;

// What a run came to: the word of the table, and all that was said.
struct Result {
  std::string word, said;
};

std::string output_of(const std::string& command, int* status) {
  std::string text;
  FILE* lines = popen(command.c_str(), "r");
  if (lines == nullptr) throw ValueError("cannot run " + command);
  char part[4096];
  for (size_t got; (got = fread(part, 1, sizeof part, lines)) > 0;) text.append(part, got);
  *status = pclose(lines);
  return text;
}

Result run(const std::string& folder, const Setting& setting, const std::string& fault, bool wrong) {
  const std::string program = folder + "/" + setting.program;
  if (!std::filesystem::exists(program)) return {"?", "not built (target `faults`)"};
  int status = 0;
  Result result;
  result.said =
      output_of(fmt::format("TSAN_OPTIONS=report_bugs=1 ASAN_OPTIONS=detect_leaks=0 timeout 60 '{}' {} {} {} 2>&1",
                            program, fault, wrong ? "wrong" : "right", setting.options),
                &status);
  const auto said = [&](const char* words) { return result.said.find(words) != std::string::npos; };
  if (said("ThreadSanitizer:") || said("AddressSanitizer:") || said("caught\t"))
    result.word = "yes";
  else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    result.word = "dies";
  else
    result.word = said("nothing") ? "-" : "values";
  return result;
}

std::vector<Fault> faults_of(const std::string& folder) {
  const std::string program = folder + "/emulator_faults";
  if (!std::filesystem::exists(program))
    throw ValueError(fmt::format("{} is not built: cmake --build --preset release --target faults", program));
  int status = 0;
  const std::string text = output_of("'" + program + "' list", &status);
  std::vector<Fault> faults;
  for (size_t start = 0; start < text.size();) {
    const size_t end = text.find('\n', start);
    std::array<std::string, 5> parts;
    size_t from = start;
    for (std::string& part : parts) {
      const size_t tab = std::min(text.find('\t', from), end);
      part = text.substr(from, tab - from);
      from = tab + 1;
    }
    faults.push_back({parts[0], parts[1], parts[2], parts[3], parts[4]});
    start = end + 1;
  }
  return faults;
}

// What is wrong with a row: "" or a sentence.
std::string problem_of(const Fault& fault, const std::string& folder, const std::map<std::string, Result>& row) {
  const Result& all = row.at("all");
  if (all.word == "-") return "check=all says nothing";
  if (all.said.find(fault.says) == std::string::npos || all.said.find(fault.also) == std::string::npos)
    return fmt::format("check=all says '{}', not '{} .. {}'", all.said, fault.says, fault.also);
  // To die without a word is to miss it.
  const std::string weaker = fault.missed == "profile=h100" ? "h100" : fault.missed;
  if (const std::string& word = row.at(weaker).word; word != "-" && word != "dies")
    return fmt::format("{} was to miss it", weaker);
  const Result right = run(folder, kSettings[kAll], fault.name, false);
  return right.word == "-" ? "" : fmt::format("the right version is reported: {}", right.said);
}

// The table in the file of `path` between its marks is replaced.
void write_table(const std::string& path, const std::string& table) {
  const std::string begin = "<!-- faults -->", end = "<!-- /faults -->";
  std::ifstream in(path);
  std::string page((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const size_t from = page.find(begin), to = page.find(end);
  if (from == std::string::npos || to == std::string::npos || to < from)
    throw ValueError(fmt::format("{} has no '{}' with '{}' after it", path, begin, end));
  page.replace(from + begin.size(), to - from - begin.size(), "\n" + table);
  if (!(std::ofstream(path) << page)) throw ValueError(fmt::format("cannot write {}", path));
}

// What compute-sanitizer noticed on a GPU, by fault, as tools/bench/device_faults.py wrote it beside the faults.
std::map<std::string, std::string> device_results(const std::string& page) {
  std::map<std::string, std::string> words;
  std::ifstream in(std::filesystem::path(page).parent_path() / "faults" / "compute_sanitizer.txt");
  for (std::string fault, word; in >> fault >> word;) words[fault] = word;
  return words;
}

std::string table_head() {
  std::string head = "| fault |", line = "|---|";
  for (const Setting& setting : kSettings) {
    head += fmt::format(" {} |", setting.title);
    line += "---|";
  }
  return head + " compute-sanitizer |\n" + line + "---|\n";
}

} // namespace

int faults_command(const FaultsOptions& options) {
  const std::string folder = std::filesystem::read_symlink("/proc/self/exe").parent_path().string() + "/faults";
  const conformance::Filter filter(options.filter);
  std::vector<Fault> faults = faults_of(folder);
  std::erase_if(faults, [&](const Fault& fault) { return !filter.passes(fault.name); });
  if (faults.empty()) throw ValueError(fmt::format("no fault is called '{}'", options.filter));
  std::string head = fmt::format("{:<30}", "fault");
  for (const Setting& setting : kSettings) head += fmt::format(" {:<8}", setting.title);
  fmt::print("{}\n", head);
  std::string table = table_head();
  const std::map<std::string, std::string> device = device_results(options.table);
  int64_t bad = 0;
  for (const Fault& fault : faults) {
    std::map<std::string, Result> row;
    std::string line = fmt::format("{:<30}", fault.name), cells = fmt::format("| {} |", fault.name);
    for (const Setting& setting : kSettings) {
      row[setting.title] = run(folder, setting, fault.name, true);
      line += fmt::format(" {:<8}", row[setting.title].word);
      cells += fmt::format(" {} |", row[setting.title].word);
    }
    fmt::print("{}\n", line);
    const auto measured = device.find(fault.name);
    table += cells + (measured == device.end() ? (device.empty() ? " not measured |\n" : " host only |\n")
                                               : fmt::format(" {} |\n", measured->second));
    if (options.say) fmt::print("    {}\n    {}", fault.what, row["all"].said);
    const std::string problem = problem_of(fault, folder, row);
    if (problem.empty()) continue;
    ++bad;
    fmt::print("    WRONG: {}\n", problem);
  }
  if (!options.table.empty()) write_table(options.table, table);
  fmt::print("faults     {} planted, {} not as expected\n", faults.size(), bad);
  return bad == 0 ? kPassed : kFailed;
}

} // namespace ts::tool
