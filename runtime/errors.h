// The typed errors that callers of the library can catch. Each message begins with the clause it enforces, in brackets,
// and names op, operand and values.
#pragma once

#include <stdexcept>
#include <string>

namespace ts {

/// Base of every error a caller can cause or meet.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An index lies outside its axis.
struct IndexError : Error {
  using Error::Error;
};
/// A dtype is not one the operation takes.
struct TypeError : Error {
  using Error::Error;
};
/// A shape, stride, attribute or name is not one the operation takes.
struct ValueError : Error {
  using Error::Error;
};
/// Operands live on different devices, or a device is unknown, absent or not reachable by the host.
struct DeviceError : Error {
  using Error::Error;
};
/// A device has no room left.
struct OutOfMemoryError : Error {
  using Error::Error;
};
/// A backend could not be loaded, or broke its contract.
struct BackendError : Error {
  using Error::Error;
};

/// Our own fault: an invariant of this library does not hold.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

} // namespace ts

#define TS_CHECK(condition) ((condition) ? void() : ::ts::check_failed(#condition, __FILE__, __LINE__))
