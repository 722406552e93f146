#include "http/server/origins.hpp"

#include <algorithm>
#include <boost/beast/core/string.hpp>

#include "http/server/client_keys.hpp"

namespace tidegate::http {
namespace {

bool same_text(std::string_view a, std::string_view b) {
  return boost::beast::iequals({a.data(), a.size()}, {b.data(), b.size()});
}

bool is_port(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool is_foreign_origin(std::string_view origin) {
  if (same_text(origin, "null")) return true;
  const auto scheme = origin.substr(0, origin.find(':'));
  if (!same_text(scheme, "http") && !same_text(scheme, "https")) return false;
  auto rest = origin.substr(scheme.size());
  if (!rest.starts_with("://")) return true;
  rest.remove_prefix(3);
  const auto bracket = rest.starts_with('[') ? rest.find(']') : std::string_view::npos;
  const auto end = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (end != std::string_view::npos && !is_port(rest.substr(end + 1))) return true;
  return !is_loopback_host(rest.substr(0, end));
}

bool is_from_another_site(const request& call) {
  const auto [first, last] = call.headers.equal_range("Origin");
  return std::any_of(first, last, [](const auto& line) {
    return is_foreign_origin({line.value().data(), line.value().size()});
  });
}

}  // namespace tidegate::http
