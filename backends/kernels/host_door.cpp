#include "backends/kernels/host_door.h"

#include "backends/kernels/mutate.h"

namespace ts::kernels {

bool choose_mutant(const Option& option) {
#if defined(TS_MUTANTS)
  if (option.name != "mutant") return false;
  active_mutant.store(option.value == "none" ? 0 : mutant_number(option.value.c_str()));
  mutant_reached.store(0);
  return true;
#else
  (void)option;
  return false;
#endif
}

} // namespace ts::kernels
