#pragma once
/// Percent-decoding of request targets (RFC 3986 2.1). A `%` that two hex digits do not follow
/// stays as it is: the text then simply matches nothing.

#include <string>
#include <string_view>

namespace tidegate::http {

std::string percent_decode(std::string_view text, bool plus_is_space);

}  // namespace tidegate::http
