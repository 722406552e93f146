#include "http/front.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/version.hpp"
#include "http/exchange/model_call.hpp"
#include "http/management/endpoint.hpp"
#include "http/management/management.hpp"
#include "http/model_list.hpp"
#include "http/server/client_keys.hpp"
#include "http/server/origins.hpp"
#include "http/server/refusal.hpp"
#include "http/server/routes.hpp"

namespace tidegate::http {
namespace {

using nlohmann::json;
using protocol::failure_kind;

/// Of requests that are no model call.
constexpr std::size_t small_body_bytes_max = 64 * 1024;

protocol::reply json_reply(int status, const json& body) {
  protocol::reply reply;
  reply.status = status;
  reply.headers.emplace_back("Content-Type", "application/json");
  reply.body = body.dump(-1, ' ', false, json::error_handler_t::replace);
  return reply;
}

protocol::reply banner() {
  return json_reply(
      200, {{"message", "Tidegate, a gateway in front of LLM providers"},
            {"version", version},
            {"endpoints",
             {"POST /v1/responses", "POST /v1/responses/compact", "POST /v1/chat/completions",
              "POST /v1/completions", "POST /v1/messages", "POST /v1/messages/count_tokens",
              "POST /v1beta/models/{model}:{method}", "GET /v1/models", "GET /healthz",
              "GET /readyz"}}});
}

/// Ready: accepting, and at least one credential could be asked.
awaitable<protocol::reply> readiness(services& with) {
  json body{{"status", "ready"}};
  bool ready = true;
  const auto say_not = [&](std::string why) {
    ready = false;
    body["status"] = "not ready";
    body["reasons"].push_back(std::move(why));
  };
  if (with.listener->draining()) say_not("draining");
  const auto catalog = with.plane.catalog();
  if (!catalog) {
    say_not("no configuration in force");
  } else {
    const auto usable = std::ranges::count_if(catalog->credentials(),
                                              [](const auto& one) { return !one->disabled; });
    body["credentials"] = usable;
    if (usable == 0) say_not("no enabled credential");
  }
  const auto reload = co_await with.plane.last_reload();
  if (reload && !reload->ok) {
    body["last_reload"] = {{"ok", false}, {"problems", reload->problems}};
  }
  co_return json_reply(ready ? 200 : 503, body);
}

protocol::reply refused_key(key_check why, protocol::wire form, instant now) {
  protocol::failure what;
  what.kind = why == key_check::missing ? failure_kind::missing_key : failure_kind::invalid_key;
  return protocol::encode_failure(form, what, now);
}

protocol::reply refused_origin(const route_match& route) {
  constexpr std::string_view text =
      "pages of other sites may call this gateway only with a client key; configure api-keys";
  if (route.id == route_id::management) return management::mistake(403, text);
  return refusal(403, text, route.form, failure_kind::forbidden);
}

class front {
 public:
  explicit front(services& with) : with_(with) {}

  admission admit(const request& in) const {
    admission out;
    const auto& route = in.route;
    if (in.config->access.api_keys.empty() && is_from_another_site(in)) {
      out.any_origin = false;
      out.refusal = refused_origin(route);
      return out;
    }
    if (route.id != route_id::surface) out.body_bytes_max = small_body_bytes_max;
    if (route.result == route_result::found && route.id == route_id::management) {
      return admit_management(with_, in);
    }
    if (needs_key(route)) {
      const bool anonymous = serves_anonymous(in.config->server, with_.listener->host());
      const auto checked = check_client_key(in, in.config->access, anonymous);
      if (checked != key_check::ok) {
        const auto form = route.form.value_or(protocol::wire::openai_chat);
        out.refusal = refused_key(checked, form, with_.plane.now());
        return out;
      }
    }
    out.refusal = refuse_route(route);
    return out;
  }

  awaitable<void> serve(request& in, responder& out, session_context& session) {
    auto& route = in.route;
    if (route.id == route_id::surface) {
      model_call call{with_, in, out, session, *route.surface, std::move(route.model)};
      co_await call.run();
      co_return;
    }
    auto reply = co_await small_answer(route, in);
    co_await out.send(std::move(reply));
  }

 private:
  static bool needs_key(const route_match& route) {
    if (route.result != route_result::found) return false;
    switch (route.id) {
      case route_id::surface:
      case route_id::responses_socket:
      case route_id::models:
      case route_id::model:
      case route_id::gemini_models:
      case route_id::gemini_model: return true;
      case route_id::health:
      case route_id::ready:
      case route_id::root:
      case route_id::management: return false;
    }
    return true;
  }

  awaitable<protocol::reply> small_answer(const route_match& route, request& in) {
    switch (route.id) {
      case route_id::health: co_return json_reply(200, {{"status", "ok"}});
      case route_id::ready: co_return co_await readiness(with_);
      case route_id::root: co_return banner();
      case route_id::management: co_return co_await serve_management(with_, in);
      case route_id::models:
      case route_id::model:
      case route_id::gemini_models:
      case route_id::gemini_model: co_return list_models(with_.plane.catalog(), in, route);
      case route_id::surface:
      case route_id::responses_socket: break;
    }
    co_return json_reply(404, {{"error", {{"message", "not found"}}}});
  }

  services& with_;
};

}  // namespace

service make_front(services& with) {
  auto shared = std::make_shared<front>(with);
  service out;
  out.admit = [shared](const request& in) { return shared->admit(in); };
  out.serve = [shared](request& in, responder& to, session_context& session) {
    return shared->serve(in, to, session);
  };
  return out;
}

}  // namespace tidegate::http
