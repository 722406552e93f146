#include "app/named_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>

#include "actors/config_source.hpp"
#include "config/check.hpp"
#include "config/load.hpp"
#include "config/parse.hpp"
#include "http/client/tls.hpp"
#include "http/net/tls_server.hpp"
#include "persistence/store.hpp"

namespace tidegate::app {
namespace {

struct finding {
  std::string_view key;  ///< v8 path
  std::string text;
};

std::string reason() { return std::generic_category().message(errno); }

/// A certificate that does not belong to its key is reported at the key.
std::optional<finding> listener_tls(const http::tls_options& tls) {
  for (const auto& [key, path] : {std::pair<std::string_view, const std::string&>{
                                      "server.tls.cert", tls.cert},
                                  {"server.tls.key", tls.key}}) {
    if (const auto why = unreadable(path)) return finding{key, fmt::format("{}: {}", path, *why)};
  }
  const auto loaded = http::tls_server::load(tls);
  if (loaded) return std::nullopt;
  const bool certificate = loaded.error().detail.starts_with(tls.cert + ":");
  return finding{certificate && tls.cert != tls.key ? "server.tls.cert" : "server.tls.key",
                 loaded.error().detail};
}

std::optional<finding> authorities(const std::string& path) {
  if (path.empty()) return std::nullopt;
  if (const auto why = unreadable(path)) {
    return finding{"requests.ca-file", fmt::format("{}: {}", path, *why)};
  }
  const auto loaded = http::upstream::tls_contexts{}.for_ca_file(path);
  if (loaded) return std::nullopt;
  return finding{"requests.ca-file", loaded.error().detail};
}

/// One that is not there yet is made by the gateway; one that cannot be written costs only the
/// memory of cooldowns.
std::optional<finding> credential_directory(const std::string& named) {
  const auto path = persistence::expand_home(named);
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return finding{"oauth.auth-dir", fmt::format("{}: {}", path, reason())};
  }
  if (!S_ISDIR(info.st_mode)) return finding{"oauth.auth-dir", path + ": is not a directory"};
  if (::access(path.c_str(), R_OK | X_OK) == 0) return std::nullopt;
  return finding{"oauth.auth-dir", fmt::format("{}: {}", path, reason())};
}

}  // namespace

std::optional<std::string> unreadable(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return reason();
  if (S_ISDIR(info.st_mode)) return "is a directory, not a file";
  if (::access(path.c_str(), R_OK) != 0) return reason();
  return std::nullopt;
}

std::vector<std::string> unusable_files(const std::string& config_path,
                                        const config::snapshot& snapshot) {
  std::vector<finding> found;
  const auto note = [&](std::optional<finding> one) {
    if (one) found.push_back(std::move(*one));
  };
  if (snapshot.server.tls.enable) note(listener_tls(snapshot.server.tls));
  note(authorities(snapshot.requests.ca_file));
  note(credential_directory(snapshot.credentials.auth_dir));
  std::vector<std::string> lines;
  if (found.empty()) return lines;
  const auto text = persistence::read_file(config_path, config::input_bytes_max);
  for (const auto& [key, what] : found) {
    auto at = config::locate(text ? *text : "", actors::process_environment(), key);
    lines.push_back(config::format_diagnostic(
        config_path, {config::severity::error, std::move(at.key), at.where.line, at.where.column,
                      what}));
  }
  return lines;
}

}  // namespace tidegate::app
