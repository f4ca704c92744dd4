// The open backends of one process, and cases run on them one at a time.
#pragma once

#include "conformance/device.h"
#include "conformance/execute.h"
#include "conformance/outcome.h"
#include "conformance/tally.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ts::conformance {

/// What a run is made with, the same in every process of it.
struct Settings {
  std::vector<std::string> backends; ///< as the user wrote them
  std::vector<std::string> layers;   ///< outermost first
  uint64_t seed = 0;
};

/// Throws ValueError, and says what is wrong, where no tier has a case of the name.
void check_name(const std::string& name, const judge::Spec& spec);

/// Runs a case of any tier on a device; `prepared` gives the values of a case of the kernel tier.
Outcome run_of_any_tier(const std::string& name, Device& device,
                        const std::function<const Prepared&(const std::string&)>& prepared, const Watcher& watch = {});

class Bench {
public:
  /// Opens every backend, wrapped in the layers, and tells the name of each before: it may never come back. Throws
  /// BackendError with the reason.
  explicit Bench(const Settings& settings, const std::function<void(const std::string&)>& opening = {});

  /// Runs a case by its name. A fault of the spec, of a golden file or of the harness is a fail with check "spec"; buffers
  /// and queues that outlive the case are one with check "heap".
  Outcome run(size_t backend, const std::string& name);
  Outcome run(size_t backend, const std::string& name, const Watcher& watch);

  size_t backends() const { return places_.size(); }
  Device& device(size_t backend) { return *places_[backend].device; }

private:
  struct Place {
    std::unique_ptr<Device> device;
    const TallyLayer* tally; ///< right in front of the backend, behind every other layer
  };
  const Prepared& prepared(const std::string& name);

  uint64_t seed_;
  std::vector<Place> places_;
  std::string last_name_; ///< the same case runs on one backend after the other
  std::unique_ptr<Prepared> last_;
};

} // namespace ts::conformance
