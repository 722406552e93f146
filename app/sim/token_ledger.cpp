#include "app/sim/token_ledger.hpp"

#include <nlohmann/json.hpp>

#include "http/server/percent.hpp"

namespace tidegate::sim {
namespace {

/// A member of the form or of the JSON object; empty when there is none.
std::string member(std::string_view body, std::string_view name) {
  const auto object = nlohmann::json::parse(body, nullptr, false);
  if (object.is_object()) return object.value(std::string{name}, std::string{});
  while (!body.empty()) {
    const auto end = body.find('&');
    const auto pair = body.substr(0, end);
    const auto equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name) {
      return tidegate::http::percent_decode(pair.substr(equals + 1), true);
    }
    if (end == std::string_view::npos) break;
    body.remove_prefix(end + 1);
  }
  return {};
}

failure_spec refusal(const char* why) {
  failure_spec out;
  out.status = 400;
  out.body = nlohmann::json{{"error", "invalid_grant"}, {"error_description", why}}.dump();
  return out;
}

}  // namespace

token_ledger::known_token& token_ledger::find(const std::string& text) {
  if (tokens_.size() >= ledger_tokens_max) reset();
  const auto [at, fresh] = tokens_.try_emplace(text);
  if (fresh) at->second.login = ++logins_;
  return at->second;
}

failure_spec token_ledger::answer(std::string_view body, const token_gift& gift) {
  const auto refresh = member(body, "refresh_token");
  const bool signs = !member(body, "assertion").empty();
  nlohmann::json out{{"token_type", "Bearer"},
           {"expires_in", std::chrono::duration_cast<std::chrono::seconds>(gift.lifetime).count()}};
  if (!signs) {
    if (refresh.empty()) return refusal("no refresh token");
    auto& token = find(refresh);
    const auto login = token.login;
    if (void_logins_.contains(login)) return refusal("the login was revoked");
    if (token.used) {
      void_logins_.insert(login);
      return refusal("the refresh token was used before");
    }
    if (gift.rotate) {
      token.used = true;
      const auto next = gift.prefix + 'r' + std::to_string(given_ + 1);
      tokens_[next].login = login;
      out["refresh_token"] = next;
    }
  }
  out["access_token"] = gift.prefix + std::to_string(++given_);
  failure_spec gives;
  gives.status = 200;
  gives.body = out.dump();
  return gives;
}

void token_ledger::reset() {
  tokens_.clear();
  void_logins_.clear();
}

}  // namespace tidegate::sim
