#include "base/log.hpp"
#include "base/time_text.hpp"
#include "base/version.hpp"
#include "http/management/endpoint.hpp"

namespace tidegate::http::management {
namespace {

ordered_json reload_entry(const reload_view& view) {
  ordered_json out{{"ok", view.ok}, {"changed", view.changed}};
  if (view.at != instant{}) out["at"] = format_rfc3339(view.at);
  out["changes"] = view.changes;
  out["restart_required"] = view.restart_required;
  out["problems"] = view.problems;
  return out;
}

}  // namespace

awaitable<protocol::reply> run_reload(services& with, const request& in) {
  log::info("management: reload from {}", in.peer);
  const auto view = co_await with.plane.reload();
  if (!view) co_return mistake(view.error());
  co_return json_reply(view->ok ? 200 : 422, reload_entry(*view));
}

awaitable<protocol::reply> show_reload(services& with, const request&) {
  const auto view = co_await with.plane.last_reload();
  if (!view) co_return mistake(view.error());
  co_return json_reply(200, reload_entry(*view));
}

awaitable<protocol::reply> show_actors(services& with, const request&) {
  auto tree = co_await with.plane.tree();
  if (!tree) co_return mistake(tree.error());
  protocol::reply reply;
  reply.status = 200;
  reply.headers.emplace_back("Content-Type", "application/json");
  reply.body = std::move(*tree);
  co_return reply;
}

awaitable<protocol::reply> show_version(services&, const request&) {
  co_return json_reply(200, {{"name", "tidegate"}, {"version", version}});
}

}  // namespace tidegate::http::management
