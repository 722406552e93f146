#pragma once
/// Writes HTTP/1.1 request heads. Pure. Refuses what could end a line early (errc::invalid_input
/// names the header, never its value). Hop-by-hop headers of the request are left out: framing and
/// connection are ours. A `Host` header of the request replaces the address's own.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/secret_string.hpp"
#include "http/client/url.hpp"
#include "provider/provider.hpp"

namespace tidegate::http::upstream {

inline constexpr std::size_t request_head_bytes_max = 256 * 1024;

/// How the next hop wants to be addressed.
struct request_form {
  bool absolute = false;              ///< whole address in the request line: a proxy forwards it
  secret_string proxy_authorization;  ///< empty = none
};

/// Replaces `out`. Content-Length is the sum of the body's pieces and is left out only where an
/// empty body needs none (GET, HEAD).
result<void> write_head(std::string& out, const provider::upstream_request& request, const url& to,
                        const request_form& form);

}  // namespace tidegate::http::upstream
