#include "base/time_text.hpp"
#include "http/management/endpoint.hpp"
#include "http/management/explain_entry.hpp"
#include "provider/provider.hpp"

#include <algorithm>
#include <array>

namespace tidegate::http::management {
namespace {

using protocol::surface;

constexpr std::array<surface, 9> surfaces{surface::responses,
                                          surface::responses_compact,
                                          surface::chat_completions,
                                          surface::completions,
                                          surface::messages,
                                          surface::count_tokens,
                                          surface::gemini_generate,
                                          surface::gemini_stream_generate,
                                          surface::gemini_count_tokens};

std::optional<surface> surface_named(std::string_view name) {
  const auto found = std::ranges::find_if(
      surfaces, [&](surface one) { return protocol::to_string(one) == name; });
  return found == surfaces.end() ? std::nullopt : std::optional{*found};
}

std::string unknown_surface() {
  std::string out = "unknown surface; known are";
  for (const auto one : surfaces) {
    out += one == surfaces.front() ? " " : ", ";
    out += protocol::to_string(one);
  }
  return out;
}

struct question {
  std::string model;
  std::optional<surface> only;
};

result<question> question_of(const request& in) {
  auto model = query_value(in.query, "model");
  if (!model) return std::unexpected{model.error()};
  const auto name = query_value(in.query, "surface");
  if (!name) return std::unexpected{name.error()};
  if (model->value_or("").empty()) return failed(errc::invalid_input, "model is required");
  question out{std::move(**model), std::nullopt};
  if (!*name) return out;
  out.only = surface_named(**name);
  if (!out.only) return failed(errc::invalid_input, unknown_surface());
  return out;
}

/// Every surface that a provider of the route speaks; `responses` when there is none.
std::vector<surface> surfaces_of(const std::optional<provider::route>& route) {
  std::vector<surface> out;
  for (const auto one : surfaces) {
    const auto speaks = [one](const auto& member) {
      return provider::can_serve(provider::descriptor_of(member.credential->provider), one);
    };
    if (route && std::ranges::any_of(route->members, speaks)) out.push_back(one);
  }
  if (out.empty()) out.push_back(surface::responses);
  return out;
}

/// Credentials that would serve the model if the operator had not switched them off.
std::vector<provider::credential_ptr> switched_off(const std::vector<credential_view>& all,
                                                   const quota::routing_options& routing,
                                                   const std::string& model) {
  std::vector<provider::credential_ptr> off;
  for (const auto& view : all) {
    if (!view.record->disabled) continue;
    auto copy = std::make_shared<provider::credential>(*view.record);
    copy->disabled = false;
    off.push_back(std::move(copy));
  }
  if (off.empty()) return off;
  const auto route = provider::catalog{std::move(off), routing}.find(model);
  std::vector<provider::credential_ptr> out;
  if (!route) return out;
  for (const auto& member : route->members) out.push_back(member.credential);
  return out;
}

void append(ordered_json& list, const std::vector<provider::credential_ptr>& off) {
  for (const auto& who : off) list.push_back(bystander_entry(*who, "disabled by the operator"));
}

protocol::reply unserved(const question& asked, const std::vector<provider::credential_ptr>& off,
                         instant now) {
  protocol::failure what;
  what.kind = protocol::failure_kind::model_not_found;
  what.model = asked.model;
  const auto form = protocol::wire_of(asked.only.value_or(surface::responses));
  ordered_json body{{"error", "no enabled credential serves this model"}, {"model", asked.model}};
  body["answer"] = answer_entry(protocol::encode_failure(form, what, now));
  auto& list = body["credentials"] = ordered_json::array();
  append(list, off);
  return json_reply(404, body);
}

}  // namespace

awaitable<protocol::reply> explain_model(services& with, const request& in) {
  const auto asked = question_of(in);
  if (!asked) co_return mistake(asked.error());
  const auto snapshot = with.plane.config();
  const auto catalog = with.plane.catalog();
  if (!snapshot || !catalog) co_return mistake(503, "no configuration in force");
  const auto views = co_await with.plane.credentials();
  if (!views) co_return mistake(views.error());
  const auto off = switched_off(*views, snapshot->routing, asked->model);
  const auto route = catalog->find(asked->model);
  std::map<std::string, std::vector<std::string>> upstream;
  if (route) {
    for (const auto& member : route->members) {
      upstream[member.credential->id.value] = member.upstream_models;
    }
  }
  const bool final_answers = snapshot->routing.cooldown.mode == quota::response_mode::usage_limit;
  ordered_json body{{"model", asked->model},
                    {"at", format_rfc3339(with.plane.now())},
                    {"quota_response_mode", final_answers ? "usage-limit" : "retryable"}};
  auto& list = body["surfaces"] = ordered_json::array();
  const auto wanted = asked->only ? std::vector{*asked->only} : surfaces_of(route);
  for (const auto one : wanted) {
    const auto told = co_await with.plane.explain(asked->model, one);
    const auto now = with.plane.now();
    if (!told && told.error().code == errc::not_found) co_return unserved(*asked, off, now);
    if (!told) co_return mistake(told.error());
    const explain_facts facts{*told, one, asked->model, *views, upstream, now};
    auto entry = explain_entry(facts);
    append(entry["credentials"], off);
    list.push_back(std::move(entry));
  }
  co_return json_reply(200, body);
}

}  // namespace tidegate::http::management
