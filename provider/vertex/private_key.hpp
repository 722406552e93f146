#pragma once
/// A PEM private key as people hand it on: with its line breaks spelled out, lost or doubled. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tidegate::provider::vertex {

inline constexpr std::size_t private_key_bytes_max = 16 * 1024;

/// The key with lines of 64 characters. nullopt: it has not exactly one pair of the lines that
/// enclose a private key, what is between them is not base64, or it is too long. The key itself
/// is not looked into.
std::optional<std::string> restored_private_key(std::string_view text);

}  // namespace tidegate::provider::vertex
