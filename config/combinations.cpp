#include "base/endpoint.hpp"
#include "config/codec.hpp"
#include "config/resolve.hpp"

#include <charconv>

namespace tidegate::config {
namespace {

position place_of(const origins& where, std::initializer_list<std::string_view> paths) {
  for (const auto path : paths) {
    if (const auto it = where.find(path); it != where.end()) return it->second;
  }
  return {};
}

void check_version(const node& root, report& out) {
  const member* m = root.find("config-version");
  if (m == nullptr) return;
  int version = 0;
  const auto text = m->value->view();
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), version);
  const bool number = m->value->is(node::kind::scalar) && m->value->plain && code == std::errc{} &&
                      end == text.data() + text.size();
  if (!number || version != 8) {
    out.error("config-version", m->value->at, "must be the number 8, or be left out");
  }
}

}  // namespace

void check_combinations(const snapshot& s, const node& root, const origins& where, report& out) {
  check_version(root, out);
  if (s.server.tls.enable && s.server.tls.cert.empty()) {
    out.error("server.tls.cert", place_of(where, {"server.tls.enable"}),
              "is needed when server.tls.enable is true");
  }
  if (s.server.tls.enable && s.server.tls.key.empty()) {
    out.error("server.tls.key", place_of(where, {"server.tls.enable"}),
              "is needed when server.tls.enable is true");
  }
  if (s.access.api_keys.empty() && !s.server.allow_anonymous && !is_loopback_host(s.server.host)) {
    out.error("access.api-keys", place_of(where, {"access.api-keys", "server.host"}),
              "no client key is set and the address is not a loopback one, so that anyone could "
              "use the credentials; set client keys, listen on 127.0.0.1, or set "
              "access.allow-anonymous to true");
  }
}

}  // namespace tidegate::config
