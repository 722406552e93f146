#pragma once
/// Operational failures as values: `result<T>` carries either a value or an `error`. Expected
/// endings of a request are not errors (see quota/outcome.hpp); bugs are TG_ASSERT.

#include <cstdlib>
#include <expected>
#include <string>
#include <string_view>

namespace tidegate {

enum class errc {
  invalid_input,     ///< bytes from outside do not have the promised form
  limit_exceeded,    ///< a named bound was reached
  not_found,         ///< the thing asked for does not exist
  io_failure,        ///< a file or socket operation failed
  timed_out,         ///< a bounded wait ended
  connection_closed, ///< the peer closed
  tls_failure,       ///< handshake or verification failed
  cancelled,         ///< given up by the owner
  unavailable,       ///< the part asked cannot serve now (draining, dead actor)
};

/// What went wrong, for people: `detail` names the thing and what to do, and holds no secret.
struct error {
  errc code = errc::invalid_input;
  std::string detail;
};

template <class T>
using result = std::expected<T, error>;

inline std::unexpected<error> failed(errc code, std::string detail) {
  return std::unexpected<error>{error{code, std::move(detail)}};
}

/// Stable lower-case name, for logs.
std::string_view to_string(errc code);

[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);

}  // namespace tidegate

/// States what must hold inside the process; a false one is a bug and ends it.
#define TG_ASSERT(expression)                                                \
  ((expression) ? static_cast<void>(0)                                       \
                : ::tidegate::assertion_failed(#expression, __FILE__, __LINE__))
