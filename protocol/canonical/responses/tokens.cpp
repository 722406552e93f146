#include "protocol/canonical/responses/tokens.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace tidegate::protocol::responses {
namespace {

constexpr std::string_view gemini_carrier = "cpa-gemini-responses-carrier-v1:";
constexpr std::string_view claude_redacted = "claude-redacted-thinking:";
constexpr std::size_t gpt_chars_min = 98;  ///< 73 bytes

struct bind_word {
  token_bind bind;
  std::string_view word;
};
constexpr std::array binds{bind_word{token_bind::next, "next"},
                           bind_word{token_bind::previous, "previous"},
                           bind_word{token_bind::standalone, "standalone"}};

struct target_word {
  token_target target;
  std::string_view word;
};
constexpr std::array targets{target_word{token_target::any, "any"},
                             target_word{token_target::text, "text"},
                             target_word{token_target::function, "function"}};

int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  if (c == '/' || c == '_') return 63;
  return -1;
}

/// The first six bytes of a base64 text; nullopt when it is shorter or no base64.
std::optional<std::array<std::uint8_t, 6>> head_of(std::string_view text) {
  if (text.size() < 8) return std::nullopt;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const int digit = digit_of(text[i]);
    if (digit < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint64_t>(digit);
  }
  std::array<std::uint8_t, 6> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::uint8_t>(bits >> (40 - 8 * i) & 0xFF);
  }
  return out;
}

/// A protobuf message that begins with a length-delimited field 2 that fits into it.
bool is_claude_tree(std::string_view text) {
  const auto head = head_of(text);
  if (!head || (*head)[0] != 0x12) return false;
  std::size_t length = 0;
  std::size_t at = 1;
  for (unsigned shift = 0; at < head->size(); shift += 7) {
    const std::uint8_t byte = (*head)[at++];
    length |= static_cast<std::size_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return length > 0 && at + length <= text.size() / 4 * 3 + 3;
  }
  return false;
}

bool is_claude(std::string_view text) {
  if (is_claude_tree(text)) return true;
  const auto head = head_of(text);
  if (!head) return false;
  if ((*head)[0] == 0x08) return (*head)[2] == 0x12;
  return (*head)[0] == 'E' && (*head)[1] >= 'g' && (*head)[1] <= 'v';
}

std::string_view take_word(std::string_view& rest) {
  const auto colon = rest.find(':');
  const auto word = rest.substr(0, colon);
  rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  return word;
}

carried_token gemini_of(std::string_view rest) {
  carried_token out;
  out.token.owner = token_owner::gemini;
  const auto bind = take_word(rest);
  const auto target = take_word(rest);
  for (const auto& one : binds) {
    if (one.word == bind) out.token.bind = one.bind;
  }
  for (const auto& one : targets) {
    if (one.word == target) out.token.target = one.target;
  }
  out.token.bytes = {rest};
  return out;
}

}  // namespace

carried_token token_of(raw_text encrypted) {
  const auto text = encrypted.escaped;
  if (text.starts_with(gemini_carrier)) return gemini_of(text.substr(gemini_carrier.size()));
  carried_token out;
  out.token.bytes = encrypted;
  if (text.starts_with(claude_redacted)) {
    out.token.owner = token_owner::claude;
    out.token.bytes = {text.substr(claude_redacted.size())};
    out.redacted = true;
  } else if (text.starts_with("gAAAA") && text.size() >= gpt_chars_min) {
    out.token.owner = token_owner::gpt;
  } else if (is_claude(text)) {
    out.token.owner = token_owner::claude;
  }
  return out;
}

std::string carrier_prefix(token_owner owner, bool redacted, token_bind bind, token_target target) {
  if (owner == token_owner::claude && redacted) return std::string{claude_redacted};
  if (owner != token_owner::gemini) return {};
  std::string out{gemini_carrier};
  for (const auto& one : binds) {
    if (one.bind == bind) out.append(one.word).append(1, ':');
  }
  for (const auto& one : targets) {
    if (one.target == target) out.append(one.word).append(1, ':');
  }
  return out;
}

}  // namespace tidegate::protocol::responses
