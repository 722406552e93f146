#include "protocol/canonical/messages/token_form.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "protocol/canonical/messages/base64_text.hpp"

namespace tidegate::protocol::messages {
namespace {

constexpr std::string_view own_envelope = "v1.";
constexpr std::string_view gemini_carrier = "cpa-gemini-carrier-v1:";
constexpr std::string_view skip_sentinels[] = {"skip_thought_signature_validator",
                                               "context_engineering_is_the_way_to_go"};
constexpr std::size_t head_bytes = 12;

template <class Value>
using words = std::pair<std::string_view, Value>;

constexpr words<token_owner> owners[] = {{"unknown", token_owner::unknown},
                                         {"claude", token_owner::claude},
                                         {"gpt", token_owner::gpt},
                                         {"gemini", token_owner::gemini},
                                         {"grok", token_owner::grok},
                                         {"kimi", token_owner::kimi}};
constexpr words<token_bind> binds[] = {{"standalone", token_bind::standalone},
                                       {"next", token_bind::next},
                                       {"previous", token_bind::previous}};
constexpr words<token_target> targets[] = {{"any", token_target::any},
                                           {"text", token_target::text},
                                           {"function", token_target::function}};

template <class Table, class Value>
bool find_word(const Table& table, std::string_view word, Value& out) {
  for (const auto& [name, value] : table) {
    if (name == word) {
      out = value;
      return true;
    }
  }
  return false;
}

template <class Table, class Value>
std::string_view word_of(const Table& table, Value wanted) {
  for (const auto& [name, value] : table) {
    if (value == wanted) return name;
  }
  return {};
}

/// The text before the next separator; takes both off.
std::optional<std::string_view> take(std::string_view& rest, char separator) {
  const auto end = rest.find(separator);
  if (end == std::string_view::npos) return std::nullopt;
  const auto out = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return out;
}

std::optional<opaque_token> read_own(std::string_view rest) {
  opaque_token out;
  const auto owner = take(rest, '.');
  const auto bind = take(rest, '.');
  const auto target = take(rest, '.');
  if (!owner || !bind || !target || rest.empty()) return std::nullopt;
  if (!find_word(owners, *owner, out.owner) || !find_word(binds, *bind, out.bind) ||
      !find_word(targets, *target, out.target)) {
    return std::nullopt;
  }
  out.bytes = {rest};
  return out;
}

std::optional<opaque_token> read_carrier(std::string_view rest) {
  opaque_token out;
  out.owner = token_owner::gemini;
  const auto bind = take(rest, ':');
  const auto target = take(rest, ':');
  if (!bind || !target || rest.empty() || rest.starts_with(gemini_carrier)) return std::nullopt;
  if (!find_word(binds, *bind, out.bind) || !find_word(targets, *target, out.target)) {
    return std::nullopt;
  }
  out.bytes = {rest};
  return out;
}

/// The first decoded bytes; zeros behind the end.
std::array<std::uint8_t, head_bytes> head_of(std::string_view base64) {
  std::array<std::uint8_t, head_bytes> out{};
  const std::string bytes = base64_bytes(base64.substr(0, head_bytes / 3 * 4));
  for (std::size_t i = 0; i < bytes.size(); ++i) out[i] = static_cast<std::uint8_t>(bytes[i]);
  return out;
}

/// Protobuf field 2 that holds field 1 whose first byte is 0x01.
bool is_gemini(std::string_view token) {
  const auto head = head_of(token);
  std::size_t at = 0;
  for (const int tag : {0x12, 0x0A}) {
    if (head[at++] != tag) return false;
    while (at + 2 < head.size() && (head[at] & 0x80) != 0) ++at;
    ++at;
    if (at >= head.size()) return false;
  }
  return head[at] == 0x01;
}

token_owner owner_of(std::string_view token) {
  constexpr std::size_t claude_bytes_min = 16;
  for (const auto sentinel : skip_sentinels) {
    if (token == sentinel) return token_owner::gemini;
  }
  if (token.starts_with("gAAAA")) return token_owner::gpt;
  if (is_gemini(token)) return token_owner::gemini;
  const char first = token.empty() ? '\0' : token.front();
  const bool protobuf = first == 'E' || first == 'R' || first == 'C';
  return protobuf && token.size() >= claude_bytes_min ? token_owner::claude : token_owner::unknown;
}

}  // namespace

opaque_token read_token(std::string_view token) {
  std::optional<opaque_token> found;
  if (token.starts_with(own_envelope)) found = read_own(token.substr(own_envelope.size()));
  if (token.starts_with(gemini_carrier)) found = read_carrier(token.substr(gemini_carrier.size()));
  if (found) return *found;
  opaque_token out;
  out.owner = owner_of(token);
  out.bytes = {token};
  return out;
}

std::string write_token(token_owner owner, token_bind bind, token_target target,
                        std::string_view token) {
  const bool as_it_is = owner == token_owner::claude || owner == token_owner::gpt ||
                        owner == token_owner::unknown;
  if (as_it_is) return std::string{token};
  std::string out{own_envelope};
  out.append(word_of(owners, owner)).append(1, '.').append(word_of(binds, bind)).append(1, '.');
  return out.append(word_of(targets, target)).append(1, '.').append(token);
}

}  // namespace tidegate::protocol::messages
