#include "base/error.hpp"

#include <cstdio>

namespace tidegate {

std::string_view to_string(errc code) {
  switch (code) {
    case errc::invalid_input: return "invalid_input";
    case errc::limit_exceeded: return "limit_exceeded";
    case errc::not_found: return "not_found";
    case errc::io_failure: return "io_failure";
    case errc::timed_out: return "timed_out";
    case errc::connection_closed: return "connection_closed";
    case errc::tls_failure: return "tls_failure";
    case errc::cancelled: return "cancelled";
    case errc::unavailable: return "unavailable";
  }
  return "unknown";
}

void assertion_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, expression);
  std::abort();
}

}  // namespace tidegate
