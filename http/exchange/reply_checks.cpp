#include "http/exchange/reply_checks.hpp"

#include "base/text.hpp"
#include "protocol/canonical/error_words.hpp"
#include "provider/error_body.hpp"

namespace tidegate::http {
namespace {

/// How far into a body its error is looked for.
constexpr std::size_t error_key_within = 256;
/// What a server says of itself when it says nothing: no answer came.
constexpr int internal_error = 500;

/// Whether a value other than null follows a key.
bool has_value(std::string_view behind_key) {
  const auto text = trimmed(behind_key);
  if (!text.starts_with(':')) return false;
  const auto value = trimmed(text.substr(1));
  return value.starts_with('{') || value.starts_with('"');
}

/// Whether the beginning has a member `error` with something in it.
bool mentions_error(std::string_view body) {
  constexpr std::string_view key = "\"error\"";
  const auto begin = body.substr(0, error_key_within);
  for (auto at = begin.find(key); at != std::string_view::npos; at = begin.find(key, at + 1)) {
    if (has_value(body.substr(at + key.size()))) return true;
  }
  return false;
}

constexpr std::string_view mark = "\xEF\xBB\xBF";

std::string_view without_mark(std::string_view text) {
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

}  // namespace

void drop_mark(std::string& body) {
  if (body.starts_with(mark)) body.erase(0, mark.size());
}

bool looks_like_json(std::string_view body) {
  const auto text = trimmed(without_mark(body));
  return text.size() > 2 && ((text.front() == '{' && text.back() == '}') ||
                              (text.front() == '[' && text.back() == ']'));
}

bool begins_like_json(std::string_view body) {
  const auto text = trimmed(without_mark(body));
  return text.starts_with('{') || text.starts_with('[');
}

std::optional<int> error_status_of(std::string_view body) {
  if (body.size() > provider::error_body_bytes_max || !mentions_error(body)) return std::nullopt;
  const provider::error_body read{body};
  const auto& root = read.root();
  if (!root.contains("error") || root["error"].is_null()) return std::nullopt;
  for (const char* key : {"status", "code"}) {
    const auto number = provider::whole_number_of(read.error(), key);
    if (number && *number >= 400 && *number <= 599) return static_cast<int>(*number);
  }
  const auto type = read.first("type");
  if (type == "overloaded_error") return 529;
  const int told = protocol::status_of_words(type, read.first("code"));
  return told != 0 && told != internal_error ? told : 502;
}

}  // namespace tidegate::http
