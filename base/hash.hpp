#pragma once
/// SHA-256, for stable identifiers and change detection; not for passwords.

#include <string>
#include <string_view>

namespace tidegate {

/// The 32 bytes themselves.
std::string sha256(std::string_view bytes);

/// 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace tidegate
