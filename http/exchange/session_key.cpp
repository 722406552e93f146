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

/// Codex names its conversation in it, others name each request.
constexpr std::string_view request_id = "X-Client-Request-Id";

constexpr std::array<place, 6> headers{{
    {"X-Claude-Code-Session-Id", "claude:"},
    {"Session-Id", "codex:"},
    {"Session_id", "codex:"},
    {"X-Session-ID", "header:"},
    {"X-Session-Affinity", "affinity:"},
    {request_id, "clientreq:"},
}};

bool is_usable(std::string_view id) {
  return !id.empty() && id.size() <= session_id_bytes_max &&
         std::ranges::none_of(id, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

/// The id in this header; empty when it has none that can be used.
std::string_view id_in(const request& call, std::string_view header) {
  const auto id = trimmed(call.header(header).value_or(std::string_view{}));
  return is_usable(id) ? id : std::string_view{};
}

}  // namespace

std::string_view header_session(const request& call) {
  for (const auto& [header, prefix] : headers) {
    const auto id = header == request_id ? std::string_view{} : id_in(call, header);
    if (!id.empty()) return id;
  }
  return {};
}

std::string session_key(const request& call, const protocol::envelope& head) {
  for (const auto& [header, prefix] : headers) {
    const auto id = id_in(call, header);
    if (!id.empty()) return std::string{prefix}.append(id);
  }
  if (head.session && is_usable(*head.session)) return "body:" + *head.session;
  return {};
}

}  // namespace tidegate::http
