// Hunts mutants: runs the cases that concern one until the first that fails, most promising ones first.
#pragma once

#include "conformance/device.h"
#include "conformance/mutants/table.h"
#include "conformance/outcome.h"
#include "conformance/prepare.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ts::conformance::mutants {

/// The case that killed a mutant the last time: a line `ID CASE` each.
class KillHistory {
public:
  /// A file that does not exist is an empty history. InputError for a line that is not understood.
  static KillHistory read(const std::string& path);
  /// Throws ValueError where the file cannot be written.
  void write(const std::string& path) const;

  /// Empty where there is none.
  std::string killer(const std::string& id) const;
  void set(const std::string& id, const std::string& name) { killers_[id] = name; }
  const std::map<std::string, std::string>& killers() const { return killers_; }

private:
  std::map<std::string, std::string> killers_;
};

/// What became of one mutant.
struct Catch {
  const Mutant* mutant = nullptr;
  bool reached = false; ///< the fault struck at least once
  bool killed = false;
  std::string killer; ///< name of the case
  Outcome outcome;    ///< of that case on the mutant
  int64_t cases = 0;  ///< run on the mutant
  double seconds = 0;
  std::vector<std::string> red; ///< cases that fail without any mutant, and so prove nothing
};

struct HuntOptions {
  std::string backend = "cpu"; ///< NAME, NAME:OPTIONS or PATH.so, of the backend without mutants in its kernels
  uint64_t seed = 0;
  int64_t cases_max = 0; ///< per mutant; 0: all that concern it
  double timeout_s = 60; ///< of a case of a mutant that may crash
  std::string program;   ///< that has the command `worker`
};

class Hunt {
public:
  /// `names`: the cases there are. Throws BackendError where a backend cannot be opened.
  Hunt(HuntOptions options, const KillHistory& history, std::vector<std::string> names);
  ~Hunt();

  /// The case without any mutant, from memory where it ran before.
  const Outcome& unmutated(const Mutant& mutant, const std::string& name);

  Catch hunt(const Mutant& mutant);

  /// The line that shows a kill in detail.
  std::string replay_line(const Mutant& mutant, const std::string& name) const;

private:
  std::vector<std::string> order_for(const Mutant& mutant) const;
  const std::string& sound_backend_of(const Mutant& mutant) const;
  std::string backend_of(const Mutant& mutant) const;
  void hunt_here(const std::vector<std::string>& order, Catch& found);
  void hunt_in_workers(const std::vector<std::string>& order, Catch& found);
  bool kills(const std::string& name, const Outcome& outcome, Catch& found);
  const Prepared& prepared(const std::string& name);
  Outcome run(Device& device, const std::string& name);

  HuntOptions options_;
  const KillHistory& history_;
  std::vector<std::string> names_;
  std::map<std::string, std::unique_ptr<Device>> sound_; ///< backends without a mutant, by name
  std::map<std::pair<std::string, std::string>, Outcome> unmutated_;
  std::map<std::string, std::unique_ptr<Prepared>> prepared_;
};

} // namespace ts::conformance::mutants
