#include "app/cooldown_reset.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/bounded_json.hpp"
#include "http/client/fetch.hpp"
#include "http/management/key_secret.hpp"
#include "persistence/store.hpp"
#include "provider/token_request.hpp"

namespace tidegate::app {
namespace {

using nlohmann::json;
namespace asio = boost::asio;

constexpr json_bounds reply_bounds{.bytes_max = provider::plain_reply_bytes_max, .depth_max = 32};

/// Where a gateway of this machine is reached when it listens on every address.
std::string host_of(const http::server_options& server) {
  if (server.host.empty() || server.host == "0.0.0.0") return "127.0.0.1";
  return server.host == "::" ? "::1" : server.host;
}

/// Whether anybody accepts connections there.
bool listens(const http::server_options& server) {
  asio::io_context io;
  boost::system::error_code ec;
  asio::ip::tcp::resolver resolver{io};
  const auto found = resolver.resolve(host_of(server), std::to_string(server.port), ec);
  if (ec) return false;
  asio::ip::tcp::socket socket{io};
  asio::connect(socket, found, ec);
  return !ec;
}

std::string base_of(const http::server_options& server) {
  auto host = host_of(server);
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return std::string{server.tls.enable ? "https" : "http"} + "://" + host + ":" +
         std::to_string(server.port) + "/v0/management/";
}

class management_client {
 public:
  management_client(const config::snapshot_ptr& settings, const secret_string& key)
      : settings_(settings), key_(key) {}

  result<json> call(const std::string& method, const std::string& target, std::string body) {
    provider::upstream_request what;
    what.method = method;
    what.url = base_of(settings_->server) + target;
    what.headers.push_back({"X-Management-Key", std::string{key_.reveal()}, true});
    if (!body.empty()) what.body.push_back(body);
    const auto reply = send(std::move(what));
    if (!reply)
      return failed(errc::unavailable, "the gateway does not answer: " + reply.error().detail);
    auto parsed = parse_bounded_json(reply->body.reveal(), reply_bounds);
    if (reply->status == 200 && parsed) return std::move(*parsed);
    if (reply->status == 404 && reply->body.empty()) {
      return failed(errc::unavailable, "a gateway is running, but its management is off");
    }
    const bool told = parsed && parsed->is_object() && parsed->contains("error") &&
                      (*parsed)["error"].is_string();
    return failed(errc::unavailable,
                  "a gateway is running and answers " + std::to_string(reply->status) +
                      (told ? ": " + (*parsed)["error"].get<std::string>() : std::string{}));
  }

 private:
  result<provider::plain_reply> send(provider::upstream_request what) const {
    http::fetch_job job;
    job.what = std::move(what);
    job.options = {settings_, &settings_->requests};
    return http::fetch_alone(std::move(job));
  }

  const config::snapshot_ptr& settings_;
  const secret_string& key_;
};

/// The credential's stable handle, as the gateway lists it.
result<std::string> index_of(const json& list, const std::string& name) {
  const auto files = list.find("files");
  if (files != list.end() && files->is_array()) {
    for (const auto& entry : *files) {
      const auto index = entry.find("auth_index");
      if (index != entry.end() && index->is_string()) return index->get<std::string>();
    }
  }
  return failed(errc::not_found, "the running gateway has no credential " + name);
}

}  // namespace

secret_string management_key(const config::snapshot& settings) {
  const char* given = std::getenv("TIDEGATE_MANAGEMENT_KEY");
  if (given != nullptr && *given != '\0') return secret_string{given};
  const auto& configured = settings.management.secret_key;
  const bool plain = http::form_of(configured.reveal()) == http::secret_form::plain;
  return plain ? configured : secret_string{};
}

result<reset_way> reset_cooldowns(const config::snapshot_ptr& settings, const std::string& name,
                                  const secret_string& key) {
  if (!listens(settings->server)) {
    persistence::cooldown_store store{settings->credentials.auth_dir};
    const auto file = name.ends_with(".json") ? name : std::string{};
    if (auto gone = store.remove({name}, file); !gone) return std::unexpected{gone.error()};
    return reset_way::in_file;
  }
  if (key.empty()) {
    return failed(errc::unavailable,
                  "a gateway is running: its management key is needed in TIDEGATE_MANAGEMENT_KEY");
  }
  management_client gateway{settings, key};
  const auto list = gateway.call("GET", "auth-files?" + provider::form_text({{"name", name}}), {});
  if (!list) return std::unexpected{list.error()};
  const auto index = index_of(*list, name);
  if (!index) return std::unexpected{index.error()};
  const auto done = gateway.call("POST", "reset-quota", json{{"auth_index", *index}}.dump());
  if (!done) return std::unexpected{done.error()};
  return reset_way::by_gateway;
}

}  // namespace tidegate::app
