#pragma once
/// Text that came as base64.

#include <string>
#include <string_view>

namespace tidegate::protocol::messages {

/// Decodes either alphabet up to the first other character.
std::string base64_bytes(std::string_view base64);

/// The same as text: bytes that are no UTF-8 become U+FFFD.
std::string base64_text(std::string_view base64);

}  // namespace tidegate::protocol::messages
