#include "http/exchange/session_key.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace tidegate::http {
namespace {

constexpr std::size_t session_id_bytes_max = 256;

struct place {
  std::string_view header;
  std::string_view prefix;
};

constexpr std::array<place, 6> headers{{
    {"X-Claude-Code-Session-Id", "claude:"},
    {"Session-Id", "codex:"},
    {"Session_id", "codex:"},
    {"X-Session-ID", "header:"},
    {"X-Session-Affinity", "affinity:"},
    {"X-Client-Request-Id", "clientreq:"},
}};

bool is_usable(std::string_view id) {
  return !id.empty() && id.size() <= session_id_bytes_max &&
         std::ranges::none_of(id, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

std::string session_key(const request& call, const protocol::envelope& head) {
  for (const auto& [header, prefix] : headers) {
    const auto value = call.header(header);
    if (!value) continue;
    const auto id = trimmed(*value);
    if (is_usable(id)) return std::string{prefix}.append(id);
  }
  if (head.session && is_usable(*head.session)) return "body:" + *head.session;
  return {};
}

}  // namespace tidegate::http
