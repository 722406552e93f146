#pragma once
/// A provider's login endpoints in literal bytes: answers by path, in their order, the last one
/// again and again.

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "provider/options.hpp"
#include "tests/support/script_server.hpp"

namespace tidegate::test {

/// A whole answer with this body.
inline std::string reply(int status, std::string_view body) {
  return fmt::format(
      "HTTP/1.1 {} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", status,
      body.size(), body);
}

class login_endpoints {
 public:
  explicit login_endpoints(std::map<std::string, std::vector<std::string>> replies)
      : replies_(std::move(replies)), server_([this](peer& at, int) { play(at); }) {}

  /// Every address here: `/authorize`, `/token`, `/device`.
  provider::oauth_client client() const {
    return {.client_id = "client-1",
            .client_secret = {},
            .authorize_url = server_.url("/authorize"),
            .token_url = server_.url("/token"),
            .device_url = server_.url("/device")};
  }
  std::string url(std::string_view target) const { return server_.url(target); }
  /// Whole requests to one path so far.
  std::vector<std::string> seen(const std::string& path) const {
    std::vector<std::string> out;
    for (auto& request : seen_.all()) {
      if (path_of(request) == path) out.push_back(std::move(request));
    }
    return out;
  }

 private:
  static std::string path_of(const std::string& request) {
    const auto from = request.find(' ') + 1;
    return request.substr(from, request.find(' ', from) - from);
  }

  void play(peer& at) {
    for (auto request = at.read_request(); !request.empty(); request = at.read_request()) {
      const auto path = path_of(request);
      const auto before = seen(path).size();
      seen_.add(std::move(request));
      const auto known = replies_.find(path);
      if (known == replies_.end()) return;
      const auto& list = known->second;
      const auto& bytes = list[std::min(before, list.size() - 1)];
      at.send(bytes);
      // A cut answer needs its end.
      if (!bytes.ends_with('}') && !bytes.ends_with("\r\n\r\n")) return;
    }
  }

  std::map<std::string, std::vector<std::string>> replies_;
  transcript seen_;
  script_server server_;
};

}  // namespace tidegate::test
