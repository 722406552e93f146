#include "http/exchange/upstream_headers.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"

namespace tidegate::http {
namespace {

constexpr std::array<std::string_view, 18> kept_back{
    "connection",        "keep-alive",       "proxy-authenticate", "proxy-authorization",
    "te",                "trailer",          "transfer-encoding",  "upgrade",
    "set-cookie",        "content-length",   "content-encoding",   "content-type",
    "date",              "server",           "alt-svc",            "x-cpa-trace-id",
    "x-should-retry",    "www-authenticate"};

/// Whether a comma-separated list of lower-case names has this one.
bool names(std::string_view list, std::string_view key) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    auto one = list.substr(0, comma);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (one == key) return true;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return false;
}

bool is_kept_back(std::string_view name, std::string_view named_by_connection) {
  const auto key = lower(name);
  if (key.starts_with("access-control-") || key.starts_with("x-tidegate-")) return true;
  if (std::ranges::find(kept_back, key) != kept_back.end()) return true;
  return names(lower(named_by_connection), key);
}

}  // namespace

std::vector<protocol::header> passed_headers(const upstream_response& reply, bool passthrough) {
  std::vector<protocol::header> passed;
  passed.emplace_back("Content-Type",
                      std::string{reply.header("Content-Type").value_or("application/json")});
  if (!passthrough) return passed;
  const auto connection = reply.header("Connection").value_or("");
  reply.each_header([&](std::string_view name, std::string_view value) {
    if (!is_kept_back(name, connection)) passed.emplace_back(name, value);
  });
  return passed;
}

}  // namespace tidegate::http
