// The buffers of one run as the host sees them: values scattered by coordinates, poison everywhere else, and afterwards
// the proof that nothing but the outputs changed.
#pragma once

#include "backends/abi/backend.h"
#include "conformance/prepare.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ts::conformance {

/// Which layouts a run uses: those of the case, or its dense twin.
struct Arrangement {
  std::vector<Layout> operands, outputs;
  Route route = Route::fresh;
  int in_place = -1;
  Alias alias = Alias::none;
};
Arrangement arrangement_of(const Case& c);
Arrangement dense_arrangement(const Case& c);
bool is_dense(const Arrangement& arrangement);

/// Two fillings of what holds no value: a result that depends on one differs between them.
enum class Poison : uint8_t { ones, pattern };

class Memory {
public:
  struct Region {
    std::vector<std::byte> before, after;
    std::vector<bool> writable; ///< bytes of output elements
    ts_buffer handle = 0;
  };
  /// A tensor in a region: an operand of the row, or an output.
  struct Tensor {
    std::string name;
    int region = -1; ///< -1 for an immediate
    int32_t dtype = 0;
    Placement placement;
    uint64_t bits = 0; ///< of an immediate
  };

  Memory(const Prepared& prepared, const Arrangement& arrangement, Poison poison);

  std::vector<Region>& regions() { return regions_; }
  const std::vector<Tensor>& operands() const { return operands_; }
  const std::vector<Tensor>& outputs() const { return outputs_; }

  /// The descriptors of the call, once regions have handles; with handles 0 those of a query.
  std::vector<ts_operand> door_inputs() const;
  std::vector<ts_view> door_outputs() const;

  /// An output as logical values, from the bytes that came back.
  Array gather(size_t output) const;

  /// Whether element `e` of an output still holds the bytes from before.
  bool untouched(size_t output, int64_t e) const;

  /// What changed outside the outputs: empty, or one line that names tensor, byte and both values. With `frozen` the
  /// outputs count too.
  std::string damage(bool frozen = false) const;

private:
  void place_all(const Prepared& prepared, const Arrangement& arrangement);
  void make_regions(bool one_buffer, Poison poison);
  void write(const Tensor& tensor, const Array& values);
  std::vector<Tensor*> distinct();

  std::vector<Region> regions_;
  std::vector<Tensor> operands_, outputs_;
  std::vector<int> shares_; ///< per operand: which earlier operand's place it takes, or -1
  const Case& case_;
  bool output_shares_ = false;
};

} // namespace ts::conformance
