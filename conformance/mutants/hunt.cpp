#include "conformance/mutants/hunt.h"

#include "conformance/mutants/layer.h"
#include "conformance/payload.h"
#include "conformance/runner/bench.h"
#include "conformance/runner/found.h"
#include "conformance/runner/supervisor.h"
#include "runtime/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

namespace ts::conformance::mutants {

namespace {

namespace fs = std::filesystem;

// What the target `mutants` built, in a folder beside the program or above it; empty where it did not.
std::string built(const std::string& file) {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  for (const fs::path& base : {program.parent_path(), program.parent_path().parent_path()})
    if (fs::exists(base / "mutants" / file)) return (base / "mutants" / file).string();
  return {};
}

// `cpu:threads=1` -> the plug-in with the mutants of its kernels, options apart. A path that names one already stays.
std::string mutant_plugin(const std::string& backend, std::string* options) {
  const size_t slash = backend.find_last_of('/');
  const size_t colon = backend.find(':', slash == std::string::npos ? 0 : slash);
  std::string name = backend.substr(0, colon);
  *options = colon == std::string::npos ? "" : backend.substr(colon + 1);
  if (name.ends_with("_mutant.so")) return name;
  std::string plugin = built(fs::path(name).stem().string() + "_mutant.so");
  if (!plugin.empty()) return plugin;
  throw BackendError(fmt::format("the kernels of '{}' were not built with mutants: configure with -DTS_MUTANTS=ON and "
                                 "build backend_{}_mutant",
                                 name, name));
}

// The command, linked with the library that has mutants.
std::string mutant_program() {
  std::string program = built("touchstone_mutant");
  if (program.empty())
    throw BackendError("the library was not built with mutants: configure with -DTS_MUTANTS=ON and build mutants");
  return program;
}

std::vector<std::string> layers_of(const Mutant& mutant) {
  if (mutant.how == Mutant::How::kernel) return {};
  return {(mutant.how == Mutant::How::door ? "mutant:" + mutant.id : "library:" + mutant.place)};
}

bool is_kill(const Outcome& outcome) {
  return outcome.verdict == Verdict::fail || outcome.verdict == Verdict::crash || outcome.verdict == Verdict::timeout;
}

} // namespace

KillHistory KillHistory::read(const std::string& path) {
  KillHistory history;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const size_t space = line.find(' ');
    if (space == std::string::npos) throw judge::InputError(fmt::format("{}: '{}' is not `ID CASE`", path, line));
    history.set(line.substr(0, space), line.substr(space + 1));
  }
  return history;
}

void KillHistory::write(const std::string& path) const {
  std::ofstream file(path);
  file << "# The case that killed each mutant last, tried first the next time. Written by `touchstone mutants "
          "--record`.\n";
  for (const auto& [id, name] : killers_) file << id << ' ' << name << '\n';
  if (!file.flush()) throw ValueError(fmt::format("the kill history '{}' cannot be written", path));
}

std::string KillHistory::killer(const std::string& id) const {
  const auto found = killers_.find(id);
  return found == killers_.end() ? std::string() : found->second;
}

Hunt::Hunt(HuntOptions options, const KillHistory& history, std::vector<std::string> names)
    : options_(std::move(options)), history_(history), names_(std::move(names)) {
  sound_[options_.backend] = std::make_unique<Device>(open_backend(options_.backend));
}

Hunt::~Hunt() = default;

const Prepared& Hunt::prepared(const std::string& name) {
  std::unique_ptr<Prepared>& found = prepared_[name];
  if (found == nullptr) found = std::make_unique<Prepared>(prepare_named(name, judge::spec(), options_.seed));
  return *found;
}

Outcome Hunt::run(Device& device, const std::string& name) {
  Outcome outcome;
  try {
    outcome =
        run_of_any_tier(name, device, [&](const std::string& wanted) -> const Prepared& { return prepared(wanted); });
  } catch (const std::exception& problem) {
    outcome.verdict = Verdict::fail;
    outcome.check = "spec";
    outcome.message = problem.what();
  }
  // A case that fails early leaves what it counted.
  for (const auto& [route, launches] : device.take_census()) outcome.launches[route] += launches;
  outcome.name = name;
  return outcome;
}

const Outcome& Hunt::unmutated(const Mutant& mutant, const std::string& name) {
  const std::string& backend = sound_backend_of(mutant);
  const auto found = unmutated_.find({backend, name});
  if (found != unmutated_.end()) return found->second;
  std::unique_ptr<Device>& device = sound_[backend];
  if (device == nullptr) device = std::make_unique<Device>(open_backend(backend));
  return unmutated_.emplace(std::pair(backend, name), run(*device, name)).first->second;
}

// Its own killer first, then killers of others among its ops, then the rest in an order that mixes what a case is made
// of but never changes.
std::vector<std::string> Hunt::order_for(const Mutant& mutant) const {
  std::vector<std::string> rest;
  for (const std::string& name : names_)
    if (concerns(mutant, name)) rest.push_back(name);
  const std::string own = history_.killer(mutant.id);
  std::set<std::string> killers;
  for (const auto& [id, name] : history_.killers()) killers.insert(name);
  const auto rank = [&](const std::string& name) { return name == own ? 0 : killers.count(name) != 0 ? 1 : 2; };
  std::sort(rest.begin(), rest.end(), [&](const std::string& a, const std::string& b) {
    return std::tuple(rank(a), stable_hash(a)) < std::tuple(rank(b), stable_hash(b));
  });
  if (options_.cases_max > 0 && rest.size() > static_cast<size_t>(options_.cases_max))
    rest.resize(static_cast<size_t>(options_.cases_max));
  return rest;
}

const std::string& Hunt::sound_backend_of(const Mutant& mutant) const {
  return mutant.on.empty() ? options_.backend : mutant.on;
}

std::string Hunt::backend_of(const Mutant& mutant) const {
  if (mutant.how != Mutant::How::kernel) return sound_backend_of(mutant);
  std::string given;
  const std::string library = mutant_plugin(sound_backend_of(mutant), &given);
  return fmt::format("{}:{}{}mutant={}", library, given, given.empty() ? "" : ",", mutant.place);
}

std::string Hunt::replay_line(const Mutant& mutant, const std::string& name) const {
  const fs::path here = fs::current_path();
  const auto shown = [&](const std::string& path) {
    const fs::path relative = fs::path(path).lexically_relative(here);
    return relative.empty() || relative.string().starts_with("..") ? path : relative.string();
  };
  std::string line = fmt::format("{} replay --backend {}",
                                 shown(mutant.how == Mutant::How::library ? mutant_program() : options_.program),
                                 mutant.how == Mutant::How::kernel ? shown(backend_of(mutant)) : backend_of(mutant));
  for (const std::string& layer : layers_of(mutant)) line += " --layer " + layer;
  return fmt::format("{} {}", line, name);
}

// A kill counts where the same case passes without the mutant, and the fault struck.
bool Hunt::kills(const std::string& name, const Outcome& outcome, Catch& found) {
  ++found.cases;
  found.reached = found.reached || outcome.launches.count("mutant/reached") != 0 || outcome.verdict == Verdict::crash;
  if (!is_kill(outcome)) return false;
  const Outcome& sound = unmutated(*found.mutant, name);
  if (sound.verdict != Verdict::pass) {
    found.red.push_back(name);
    return false;
  }
  if (!found.reached) return false;
  found.killed = true;
  found.killer = name;
  found.outcome = outcome;
  return true;
}

void Hunt::hunt_here(const std::vector<std::string>& order, Catch& found) {
  const Mutant& mutant = *found.mutant;
  std::shared_ptr<Backend> backend = open_backend(backend_of(mutant));
  if (mutant.how == Mutant::How::door) backend = add_mutant(std::move(backend), mutant.id);
  Device device(std::move(backend));
  for (const std::string& name : order)
    if (kills(name, run(device, name), found)) return;
}

void Hunt::hunt_in_workers(const std::vector<std::string>& order, Catch& found) {
  const Mutant& mutant = *found.mutant;
  SupervisorOptions workers;
  workers.program = mutant.how == Mutant::How::library ? mutant_program() : options_.program;
  workers.settings.backends = {backend_of(mutant)};
  workers.settings.layers = layers_of(mutant);
  workers.settings.seed = options_.seed;
  workers.timeout_s = options_.timeout_s;
  // A first step of one case, then larger ones: a death costs a worker.
  for (size_t begin = 0, step = 1; begin < order.size(); begin += step, step = 32) {
    const std::vector<std::string> part(order.begin() + static_cast<std::ptrdiff_t>(begin),
                                        order.begin() +
                                            static_cast<std::ptrdiff_t>(std::min(begin + step, order.size())));
    const RunResult result = Supervisor(workers, part).run();
    for (const Outcome& outcome : result.outcomes.front())
      if (kills(outcome.name, outcome, found)) return;
  }
}

Catch Hunt::hunt(const Mutant& mutant) {
  const auto begin = std::chrono::steady_clock::now();
  Catch found;
  found.mutant = &mutant;
  const std::vector<std::string> order = order_for(mutant);
  if (mutant.crashes || mutant.how == Mutant::How::library)
    hunt_in_workers(order, found);
  else
    hunt_here(order, found);
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return found;
}

} // namespace ts::conformance::mutants
