#include "provider/vertex/private_key.hpp"

#include <array>

namespace tidegate::provider::vertex {
namespace {

constexpr std::size_t line_characters = 64;
constexpr std::array<std::string_view, 2> labels{"PRIVATE KEY", "RSA PRIVATE KEY"};

bool is_base64(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '/' || c == '=';
}

/// Bytes of the blank or line break at the start, which may be spelled `\n` or `\r`; 0: none.
std::size_t blank_size(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  if (text.starts_with("\\n") || text.starts_with("\\r")) return 2;
  return !text.empty() && blanks.find(text.front()) != std::string_view::npos ? 1 : 0;
}

std::string_view without_blanks(std::string_view text) {
  while (const auto blank = blank_size(text)) text.remove_prefix(blank);
  return text;
}

std::optional<std::string> digits_of(std::string_view body) {
  std::string out;
  for (body = without_blanks(body); !body.empty(); body = without_blanks(body)) {
    if (!is_base64(body.front())) return std::nullopt;
    out.push_back(body.front());
    body.remove_prefix(1);
  }
  if (out.empty()) return std::nullopt;
  return out;
}

std::optional<std::string> restored(std::string_view text, std::string_view label) {
  const std::string head = "-----BEGIN " + std::string{label} + "-----";
  const std::string foot = "-----END " + std::string{label} + "-----";
  const auto begin = text.find(head);
  const auto end = text.find(foot);
  if (begin == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  const auto inside = begin + head.size();
  if (end < inside || !without_blanks(text.substr(0, begin)).empty() ||
      !without_blanks(text.substr(end + foot.size())).empty()) {
    return std::nullopt;
  }
  const auto digits = digits_of(text.substr(inside, end - inside));
  if (!digits) return std::nullopt;
  std::string out = head + '\n';
  for (std::size_t i = 0; i < digits->size(); i += line_characters) {
    out.append(*digits, i, line_characters).push_back('\n');
  }
  return out + foot + '\n';
}

}  // namespace

std::optional<std::string> restored_private_key(std::string_view text) {
  if (text.size() > private_key_bytes_max) return std::nullopt;
  for (const auto label : labels) {
    if (auto key = restored(text, label)) return key;
  }
  return std::nullopt;
}

}  // namespace tidegate::provider::vertex
