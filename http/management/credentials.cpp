#include "base/log.hpp"
#include "http/management/credential_entry.hpp"
#include "http/management/endpoint.hpp"

#include <algorithm>
#include <set>

namespace tidegate::http::management {
namespace {

using views = std::vector<credential_view>;

/// Which credential a call means; an empty optional matches every one.
struct selector {
  std::optional<std::string> name;
  std::optional<std::string> auth_index;

  bool matches(const credential_view& view) const {
    const auto& who = *view.record;
    if (auth_index && *auth_index != who.auth_index) return false;
    return !name || *name == name_of(who) || *name == who.id.value;
  }
};

const credential_view* find(const views& all, const selector& wanted) {
  const auto found =
      std::ranges::find_if(all, [&](const auto& view) { return wanted.matches(view); });
  return found == all.end() ? nullptr : &*found;
}

std::set<std::string> cooled_models(const credential_view& view) {
  std::set<std::string> out;
  for (const auto& entry : view.blocks) {
    if (!entry.model.empty()) out.insert(entry.model);
  }
  return out;
}

/// Models that had a cooldown of their own and have none now.
ordered_json lifted_models(const credential_view& before, const credential_view& after) {
  const auto still = cooled_models(after);
  auto out = ordered_json::array();
  for (const auto& model : cooled_models(before)) {
    if (!still.contains(model)) out.push_back(model);
  }
  return out;
}

result<selector> selector_of(const json& body) {
  auto name = text_member(body, "name");
  auto index = text_member(body, "auth_index");
  if (!name) return std::unexpected{name.error()};
  if (!index) return std::unexpected{index.error()};
  return selector{std::move(*name), std::move(*index)};
}

struct switch_order {
  selector who;
  bool disabled = false;
};

result<switch_order> switch_order_of(const request& in) {
  const auto body = body_object(in);
  if (!body) return std::unexpected{body.error()};
  auto who = selector_of(*body);
  if (!who) return std::unexpected{who.error()};
  const bool named = !who->name.value_or("").empty() || !who->auth_index.value_or("").empty();
  if (!named) return failed(errc::invalid_input, "name or auth_index is required");
  const auto disabled = body->find("disabled");
  if (disabled == body->end()) return failed(errc::invalid_input, "disabled is required");
  if (!disabled->is_boolean()) return failed(errc::invalid_input, "invalid request body");
  return switch_order{std::move(*who), disabled->get<bool>()};
}

struct reset_order {
  selector who;
  std::string model;  ///< empty = everything
};

result<reset_order> reset_order_of(const request& in) {
  const auto body = body_object(in);
  if (!body) return std::unexpected{body.error()};
  auto index = text_member(*body, "auth_index");
  if (!index) return std::unexpected{index.error()};
  const auto model = text_member(*body, "model");
  if (!model) return std::unexpected{model.error()};
  if (index->value_or("").empty()) return failed(errc::invalid_input, "auth_index is required");
  // An empty name would silently reset more than was meant.
  if (*model && (*model)->empty()) return failed(errc::invalid_input, "model is empty");
  return reset_order{{std::nullopt, std::move(*index)}, model->value_or("")};
}

}  // namespace

awaitable<protocol::reply> list_credentials(services& with, const request& in) {
  auto name = query_value(in.query, "name");
  if (!name) co_return mistake(name.error());
  auto index = query_value(in.query, "auth_index");
  if (!index) co_return mistake(index.error());
  const selector wanted{std::move(*name), std::move(*index)};
  const auto all = co_await with.plane.credentials();
  if (!all) co_return mistake(all.error());
  auto files = ordered_json::array();
  for (const auto& view : *all) {
    if (wanted.matches(view)) files.push_back(credential_entry(view, with.plane.now()));
  }
  ordered_json body;
  body["files"] = std::move(files);
  co_return json_reply(200, body);
}

awaitable<protocol::reply> switch_credential(services& with, const request& in) {
  const auto order = switch_order_of(in);
  if (!order) co_return mistake(order.error());
  const auto all = co_await with.plane.credentials();
  if (!all) co_return mistake(all.error());
  const auto* meant = find(*all, order->who);
  if (meant == nullptr) co_return mistake(404, "auth not found");
  const auto id = meant->record->id;
  const auto after = co_await with.plane.set_disabled(id, order->disabled);
  if (!after && after.error().code == errc::not_found) co_return mistake(404, "auth not found");
  if (!after) co_return mistake(after.error());
  log::info("management: {} {} from {}", id.value, order->disabled ? "disabled" : "enabled",
            in.peer);
  ordered_json body{{"status", "ok"}, {"disabled", after->record->disabled}};
  co_return json_reply(200, body);
}

awaitable<protocol::reply> reset_quota(services& with, const request& in) {
  const auto order = reset_order_of(in);
  if (!order) co_return mistake(order.error());
  const auto all = co_await with.plane.credentials();
  if (!all) co_return mistake(all.error());
  const auto* before = find(*all, order->who);
  if (before == nullptr) co_return mistake(404, "auth not found");
  const auto id = before->record->id;
  const auto after = co_await with.plane.reset(id, order->model);
  if (!after && after.error().code == errc::not_found) co_return mistake(404, "auth not found");
  if (!after) co_return mistake(after.error());
  log::info("management: quota of {} reset from {}", id.value, in.peer);
  ordered_json body{{"status", "ok"},
                    {"auth_index", before->record->auth_index},
                    {"models", lifted_models(*before, *after)}};
  co_return json_reply(200, body);
}

}  // namespace tidegate::http::management
