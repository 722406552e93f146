#pragma once
/// SHA-256 in hexadecimal, for stable identifiers and change detection; not for passwords.

#include <string>
#include <string_view>

namespace tidegate {

/// 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace tidegate
