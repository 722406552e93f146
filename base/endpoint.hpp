#pragma once
/// Where secrets may be sent: over TLS, or not off this machine.

#include <string_view>

namespace tidegate {

/// `localhost`, 127.0.0.0/8 and ::1, also in brackets.
bool is_loopback_host(std::string_view host);

/// An https URL, or an http URL of a loopback host; without user, blanks and control characters,
/// and at most 2,048 bytes long.
bool is_protected_url(std::string_view url);

/// scheme://host[:port] of a URL; empty when it is none.
std::string_view origin_of(std::string_view url);

}  // namespace tidegate
