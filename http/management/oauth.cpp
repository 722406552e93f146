/// Account logins begun over management, and what ends them. Wire facts:
/// spec/config-management.md 4.2, 4.3 and 5.1.

#include "base/log.hpp"
#include "base/text.hpp"
#include "http/management/endpoint.hpp"
#include "http/management/login_store.hpp"
#include "http/management/state.hpp"
#include "provider/login/callback.hpp"
#include "provider/login/code_login.hpp"
#include "provider/token_request.hpp"

#include <array>

namespace tidegate::http::management {
namespace {

using provider::kind;
using provider::login::device_session;

/// What a call may say for a provider.
struct login_name {
  std::string_view path;  ///< its own endpoint
  std::string_view name;
  std::optional<kind> of;  ///< nullopt: `refusal` says why not
  std::string_view refusal = {};
};

constexpr std::string_view claude_refusal =
    "Anthropic keeps logins of Claude accounts to its own tools: use an API key, or upload a "
    "credential file that you may use here";
constexpr std::string_view antigravity_refusal =
    "Google keeps logins of Antigravity accounts to its own tools: use an API key, or upload a "
    "credential file that you may use here";

constexpr std::array names{
    login_name{"codex-auth-url", "codex", kind::codex},
    login_name{"kimi-auth-url", "kimi", kind::kimi},
    login_name{"xai-auth-url", "xai", kind::xai},
    login_name{"anthropic-auth-url", "anthropic", std::nullopt, claude_refusal},
    login_name{"", "claude", std::nullopt, claude_refusal},
    login_name{"antigravity-auth-url", "antigravity", std::nullopt, antigravity_refusal},
};

struct login_choice {
  kind of = kind::codex;
  bool device = false;
};

/// Which login is meant, or the answer that says why none is.
std::expected<login_choice, protocol::reply> choice_of(const request& in) {
  std::string_view path = in.route.tail;
  std::string name;
  if (path == "oauth/auth-url") {
    path = {};
    const auto given = query_value(in.query, "provider");
    if (!given) return std::unexpected{mistake(given.error())};
    name = lower(given->value_or(""));
    if (name.empty()) return std::unexpected{mistake(400, "provider is required")};
  }
  const auto flow = query_value(in.query, "flow");
  if (!flow) return std::unexpected{mistake(flow.error())};
  for (const auto& known : names) {
    if (path.empty() ? known.name != name : known.path != path) continue;
    if (!known.of) return std::unexpected{mistake(501, known.refusal)};
    const auto word = flow->value_or("");
    const bool has_code = provider::login::has_code_login(*known.of);
    if (!word.empty() && word != "device" && !(word == "code" && has_code)) {
      return std::unexpected{mistake(
          400, has_code ? "flow is code or device" : "flow is device: this provider has no other")};
    }
    const bool device = word == "device" || !has_code;
    return login_choice{*known.of, device};
  }
  return std::unexpected{mistake(404, "provider_not_found")};
}

login::login_terms terms_of(services& with, const request& in, kind of) {
  login::login_terms terms;
  terms.through = &with.upstream;
  terms.options = {in.config, &in.config->requests};
  terms.proxy = in.config->requests.proxy_url;
  terms.of = of;
  terms.oauth = provider::oauth_client_of(in.config->credentials, of);
  terms.device_id = login::new_device_id();
  terms.now = [plane = &with.plane] { return plane->now(); };
  return terms;
}

/// What the person at the panel needs of a login on another device.
void add_device(ordered_json& body, const device_session& session, instant now) {
  using std::chrono::seconds;
  body["flow"] = "device";
  body["user_code"] = session.user_code;
  body["expires_in"] = std::chrono::floor<seconds>(session.expires_at - now).count();
}

result<provider::login::callback> callback_of(const request& in) {
  std::array<std::optional<std::string>, 4> found;
  constexpr std::array<const char*, 4> members{"redirect_url", "code", "state", "error"};
  if (in.method == "POST") {
    const auto body = body_object(in);
    if (!body) return std::unexpected{body.error()};
    for (std::size_t i = 0; i < members.size(); ++i) {
      auto text = text_member(*body, members[i]);
      if (!text) return std::unexpected{text.error()};
      found[i] = std::move(*text);
    }
  } else {
    for (std::size_t i = 0; i < members.size(); ++i) {
      auto text = query_value(in.query, members[i]);
      if (!text) return std::unexpected{text.error()};
      found[i] = std::move(*text);
    }
  }
  if (!found[0].value_or("").empty()) return provider::login::parse_callback(*found[0]);
  provider::token_fields fields;
  for (std::size_t i = 1; i < members.size(); ++i) {
    if (found[i]) fields.emplace_back(members[i], *found[i]);
  }
  return provider::login::parse_callback(provider::form_text(fields));
}

/// The provider that a callback names; empty when it names none.
result<std::string> named_provider(const request& in) {
  if (in.method != "POST") {
    auto given = query_value(in.query, "provider");
    if (!given) return std::unexpected{given.error()};
    return lower(given->value_or(""));
  }
  const auto body = body_object(in);
  if (!body) return std::unexpected{body.error()};
  const auto given = text_member(*body, "provider");
  if (!given) return std::unexpected{given.error()};
  return lower(given->value_or(""));
}

result<std::string> state_of(const request& in) {
  auto state = query_value(in.query, "state");
  if (!state) return std::unexpected{state.error()};
  if (state->value_or("").empty()) return failed(errc::invalid_input, "state is required");
  return std::move(**state);
}

/// Room comes when a login ends and is forgotten, a minute later.
protocol::reply too_many(const error& why) {
  constexpr std::chrono::seconds wait{60};
  auto reply = mistake(429, why.detail);
  reply.headers.emplace_back("Retry-After", std::to_string(wait.count()));
  return reply;
}

/// One question about a device login whose time for one has come.
awaitable<void> ask_once(services& with, std::string state, std::string peer) {
  auto& logins = with.management->logins;
  auto session = co_await logins.take(state, login_way::device, with.plane.now());
  if (!session) co_return;
  auto& device = std::get<device_session>(session->how);
  auto asked = co_await login::ask_device_login(session->with, device);
  if (!asked) {
    co_await logins.finish(state, asked.error().detail, with.plane.now());
  } else if (*asked) {
    login_end end{std::move(state), std::move(peer), session->with, std::move(**asked)};
    co_await end_login(with, std::move(end));
  } else {
    session->next_ask = with.plane.now() + device.interval;
    co_await logins.put_back(std::move(state), std::move(*session));
  }
}

}  // namespace

awaitable<protocol::reply> begin_login(services& with, const request& in) {
  if (in.method != "GET") co_return mistake(405, "method not allowed");
  const auto choice = choice_of(in);
  if (!choice) co_return choice.error();
  login_session session;
  session.with = terms_of(with, in, choice->of);
  const auto now = with.plane.now();
  session.ends_at = now + login_lifetime;
  ordered_json body{{"status", "ok"}};
  std::string state;
  if (choice->device) {
    auto begun = co_await login::begin_device_login(session.with);
    if (!begun) co_return mistake(502, begun.error().detail);
    state = login::new_device_id();
    session.ends_at = begun->expires_at;
    session.next_ask = now + begun->interval;
    body["url"] = begun->verification_url;
    add_device(body, *begun, now);
    session.how = std::move(*begun);
  } else {
    auto begun = login::begin_code_login(session.with);
    if (!begun) co_return mistake(begun.error());
    state = begun->state.reveal();
    body["url"] = begun->url;
    session.how = std::move(*begun);
  }
  body["state"] = state;
  const auto kept = co_await with.management->logins.add(state, std::move(session), now);
  if (!kept) co_return too_many(kept.error());
  log::info("management: a login of {} begun from {}", provider::to_string(choice->of), in.peer);
  co_return json_reply(200, body);
}

awaitable<protocol::reply> show_login(services& with, const request& in) {
  auto state = state_of(in);
  if (!state) co_return mistake(state.error());
  co_await ask_once(with, *state, in.peer);
  const auto how = co_await with.management->logins.status(std::move(*state), with.plane.now());
  if (!how) {
    co_return json_reply(404, {{"status", "error"}, {"error", "unknown or expired state"}});
  }
  switch (how->phase) {
    case login_phase::waiting:
    case login_phase::busy:
      break;
    case login_phase::done:
      co_return json_reply(200, {{"status", "ok"}});
    case login_phase::failed:
      co_return json_reply(200, {{"status", "error"}, {"error", how->error}});
  }
  co_return json_reply(200, {{"status", "wait"}});
}

awaitable<protocol::reply> cancel_login(services& with, const request& in) {
  auto state = state_of(in);
  if (!state) co_return mistake(state.error());
  const bool was = co_await with.management->logins.cancel(std::move(*state), with.plane.now());
  co_return json_reply(200, {{"status", "ok"}, {"cancelled", was}});
}

awaitable<protocol::reply> take_callback(services& with, const request& in) {
  if (in.method == "HEAD") co_return mistake(405, "method not allowed");
  const auto answer = callback_of(in);
  if (!answer) co_return mistake(400, answer.error().detail);
  const auto named = named_provider(in);
  if (!named) co_return mistake(named.error());
  if (answer->state.empty()) co_return mistake(400, "state is required");
  auto& logins = with.management->logins;
  auto session = co_await logins.take(answer->state, login_way::code, with.plane.now());
  if (!session) {
    const bool unknown = session.error().code == errc::not_found;
    co_return mistake(unknown ? 404 : 409, session.error().detail);
  }
  if (!named->empty() && *named != provider::to_string(session->with.of)) {
    co_await logins.put_back(answer->state, std::move(*session));
    co_return mistake(400, "the state belongs to another provider");
  }
  auto& login = std::get<login::code_login>(session->how);
  auto code = provider::login::code_of(*answer, login.state);
  if (!code) {
    co_await logins.finish(answer->state, code.error().detail, with.plane.now());
    co_return json_reply(200, {{"status", "ok"}});
  }
  auto tokens = co_await login::exchange_code(session->with, std::move(login), std::move(*code));
  if (!tokens) {
    co_await logins.finish(answer->state, tokens.error().detail, with.plane.now());
    co_return mistake(502, "the login failed: " + tokens.error().detail);
  }
  login_end end{answer->state, in.peer, session->with, std::move(*tokens)};
  const auto stored = co_await end_login(with, std::move(end));
  if (!stored) co_return mistake(stored.error());
  co_return json_reply(200, {{"status", "ok"}});
}

}  // namespace tidegate::http::management
