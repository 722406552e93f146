#pragma once
/// base64url (RFC 4648 section 5), as JSON web tokens and PKCE write it.

#include <optional>
#include <string>
#include <string_view>

namespace tidegate {

/// Without padding.
std::string base64url(std::string_view bytes);

/// Padding may be there or not; nullopt on any other character and on a length that no bytes have.
std::optional<std::string> parse_base64url(std::string_view text);

}  // namespace tidegate
