#include "protocol/canonical/gemini/tokens.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tidegate::protocol::gemini {
namespace {

constexpr std::size_t head_characters = 48;
/// A Claude token is longer than its own header.
constexpr std::size_t claude_characters_min = 64;

int sextet(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  return c == '/' || c == '_' ? 63 : -1;
}

/// The first bytes behind base64 or base64url, up to the first character that is neither.
std::string head_of(std::string_view token) {
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : token.substr(0, head_characters)) {
    const int six = sextet(c);
    if (six < 0) break;
    bits = bits << 6 | static_cast<std::uint32_t>(six);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out += static_cast<char>(bits >> held & 0xFF);
    }
  }
  return out;
}

/// Takes a protobuf field head with this tag and its length.
bool take_field(std::string_view& bytes, char tag) {
  if (bytes.empty() || bytes.front() != tag) return false;
  bytes.remove_prefix(1);
  while (!bytes.empty() && (static_cast<unsigned char>(bytes.front()) & 0x80) != 0) {
    bytes.remove_prefix(1);
  }
  if (bytes.empty()) return false;
  bytes.remove_prefix(1);
  return true;
}

bool is_gemini(std::string_view token) {
  const std::string head = head_of(token);
  std::string_view bytes = head;
  return take_field(bytes, 0x12) && take_field(bytes, 0x0A) && bytes.starts_with('\x01');
}

}  // namespace

bool is_sentinel(std::string_view token) {
  return token == skip_signature || token == "context_engineering_is_the_way_to_go";
}

token_owner owner_of(std::string_view token) {
  if (token.starts_with("gAAAA")) return token_owner::gpt;
  if (is_gemini(token)) return token_owner::gemini;
  const bool claude_head =
      token.starts_with('E') || token.starts_with('R') || token.starts_with('C');
  return claude_head && token.size() >= claude_characters_min ? token_owner::claude
                                                              : token_owner::unknown;
}

}  // namespace tidegate::protocol::gemini
