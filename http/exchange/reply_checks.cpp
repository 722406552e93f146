#include "http/exchange/reply_checks.hpp"

#include "base/text.hpp"
#include "provider/error_body.hpp"

namespace tidegate::http {
namespace {

/// Whether the first member of an object is `error` with something in it.
bool begins_with_error(std::string_view body) {
  constexpr std::string_view key = "\"error\"";
  auto text = trimmed(body);
  if (!text.starts_with('{')) return false;
  text = trimmed(text.substr(1));
  if (!text.starts_with(key)) return false;
  text = trimmed(text.substr(key.size()));
  if (!text.starts_with(':')) return false;
  text = trimmed(text.substr(1));
  return text.starts_with('{') || text.starts_with('"');
}

}  // namespace

bool looks_like_json(std::string_view body) {
  const auto text = trimmed(body);
  return text.size() >= 2 && ((text.front() == '{' && text.back() == '}') ||
                              (text.front() == '[' && text.back() == ']'));
}

bool begins_like_json(std::string_view body) {
  const auto text = trimmed(body);
  return text.starts_with('{') || text.starts_with('[');
}

std::optional<int> error_status_of(std::string_view body) {
  if (body.size() > provider::error_body_bytes_max || !begins_with_error(body)) return std::nullopt;
  const provider::error_body read{body};
  for (const char* key : {"status", "code"}) {
    const auto number = provider::whole_number_of(read.error(), key);
    if (number && *number >= 400 && *number <= 599) return static_cast<int>(*number);
  }
  return 502;
}

}  // namespace tidegate::http
