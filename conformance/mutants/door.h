// What a fault at the door works with: the call that it sees, the backend behind it, and memory of its own.
#pragma once

#include "conformance/mutants/views.h"
#include "runtime/backend/registry.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace ts::conformance::mutants {

/// A call with arrays of its own, to be changed.
struct CallCopy {
  explicit CallCopy(const ts_call& call);
  ts_call call() const;

  ts_call header;
  std::vector<ts_view> outputs;
  std::vector<ts_operand> inputs;
  std::vector<ts_attribute> attributes;
};

/// Bytes of live buffers by handle.
using BufferSizes = std::map<ts_buffer, uint64_t>;

/// One call on its way in. Temporaries live as long as this does.
class Door {
public:
  Door(const Backend& backend, const BufferSizes& sizes, int32_t family, const ts_call& call, ts_error* error);
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  const Backend& backend() const { return backend_; }
  const BufferSizes& sizes() const { return sizes_; }

  /// The call as given, on the backend behind.
  ts_status pass(const ts_call& call);
  /// A changed call. Nothing where the backend refuses it as no valid call: there the fault has no place.
  std::optional<ts_status> attempt(const ts_call& call);
  /// Gives a status of its own, with a message.
  ts_status refuse(ts_status status, const char* message);

  int64_t elements_of(ts_buffer buffer, int32_t dtype) const;
  /// A dense view of the same shape in new memory.
  ts_view temporary(const ts_view& like, int32_t dtype);
  ts_view temporary(const ts_view& like) { return temporary(like, like.dtype); }

  /// Copies or converts elements; false where the backend refuses.
  bool move(const ts_view& from, const ts_view& to);
  /// A dense copy of a view.
  ts_view saved(const ts_view& view);

  /// Makes a view that reads outside its buffer, or shares one with an output, read a longer copy of it; false where that
  /// would be too large.
  bool make_readable(ts_view& view);

  /// The bytes of a buffer, on the host, and back.
  std::vector<std::byte> download(ts_buffer buffer);
  void upload(ts_buffer buffer, const std::vector<std::byte>& bytes);

private:
  ts_buffer allocate(uint64_t bytes);

  const Backend& backend_;
  const BufferSizes& sizes_;
  int32_t family_;
  const ts_call& call_;
  ts_error* error_;
  std::vector<ts_buffer> temporaries_;
  BufferSizes own_sizes_;
};

/// A changed call under way: operands that are misread, results that land in the wrong place.
class Alteration {
public:
  using Change = std::function<bool(ts_view&)>;

  Alteration(Door& door, const ts_call& call) : door_(door), altered_(call) {}

  /// Changes the view of an input; immediates and views of nothing stay as they are.
  Alteration& input(int k, const Change& change);
  /// Computes output k in memory of its own and puts it where the changed view says.
  Alteration& output(int k, const Change& change);

  CallCopy& call() { return altered_; }

  /// Makes the call; nothing where no change took place or none is possible.
  std::optional<ts_status> run();

private:
  struct Landing {
    ts_view temporary, target;
  };

  Door& door_;
  CallCopy altered_;
  std::vector<Landing> landings_;
  bool changed_ = false;
  bool possible_ = true;
};

/// Runs the call and then puts back what part of an output held before: that part is never written.
std::optional<ts_status> leave_unwritten(Door& door, const ts_call& call, const ts_view& part);

} // namespace ts::conformance::mutants
