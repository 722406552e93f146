/// Management of credential files: up and down, away, their settings, their models.

#include "base/bounded_json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "http/management/multipart.hpp"
#include "http/management/selector.hpp"
#include "provider/credential_mask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace tidegate::http::management {
namespace {

constexpr json_bounds patch_bounds{
    .bytes_max = body_bytes_max, .depth_max = 16, .names_once = true};
constexpr std::size_t names_max = 10'000;

struct upload {
  std::string name;
  std::string_view text;
};

result<std::vector<upload>> uploads_of(const request& in) {
  const auto type = in.header("Content-Type").value_or("");
  if (!lower(type).starts_with("multipart/form-data")) {
    const auto name = query_value(in.query, "name");
    if (!name) return std::unexpected{name.error()};
    if (name->value_or("").empty()) return failed(errc::invalid_input, "name is required");
    return std::vector{upload{**name, in.body}};
  }
  if (const auto name = query_value(in.query, "name"); !name || *name) {
    return failed(errc::invalid_input, "name is for a body that is the file; a form names its own");
  }
  const auto parts = form_parts(type, in.body);
  if (!parts) return std::unexpected{parts.error()};
  std::vector<upload> out;
  for (const auto& part : *parts) {
    if (part.file_name.empty()) continue;
    if (std::ranges::find(out, part.file_name, &upload::name) != out.end()) {
      return failed(errc::invalid_input,
                    "the form has " + escaped_name(part.file_name) + " twice; send it once");
    }
    out.push_back({part.file_name, part.body});
  }
  if (out.empty()) return failed(errc::invalid_input, "the form has no file");
  return out;
}

struct batch {
  std::vector<std::string> done;
  std::vector<std::pair<std::string, error>> failed;

  void add(const std::string& name, const result<void>& how) {
    if (how) {
      done.push_back(name);
    } else {
      failed.emplace_back(name, how.error());
    }
  }
};

/// One call's outcome keeps the status of a single mistake; of several some may have worked, and
/// where none has, the gravest counts.
protocol::reply batch_reply(const batch& all, const char* count_name) {
  if (all.failed.empty() && all.done.size() == 1 && std::string_view{count_name} == "uploaded") {
    return json_reply(200, {{"status", "ok"}});
  }
  if (all.done.empty() && all.failed.size() == 1) return mistake(all.failed.front().second);
  const bool in_vain = all.done.empty() && !all.failed.empty();
  ordered_json body{{"status", all.failed.empty() ? "ok" : in_vain ? "error" : "partial"}};
  if (in_vain) body["error"] = fmt::format("no file was {}", count_name);
  body[count_name] = all.done.size();
  body["files"] = all.done;
  if (all.failed.empty()) return json_reply(200, body);
  auto& list = body["failed"] = ordered_json::array();
  int worst = 0;
  for (const auto& [name, why] : all.failed) {
    list.push_back(
        {{"name", name}, {"error", why.detail.empty() ? to_string(why.code) : why.detail}});
    worst = std::max(worst, mistake(why).status);
  }
  return failure_reply(in_vain ? worst : 207, body);
}

/// Names from the query, or a list in the body (`["a.json"]`, `{"names": [...]}`).
result<std::vector<std::string>> names_of(const request& in) {
  const auto name = query_value(in.query, "name");
  if (!name) return std::unexpected{name.error()};
  const auto body = parse_bounded_json(in.body, {body_bytes_max, body_depth_max, true});
  if (!name->value_or("").empty()) {
    if (!body || body->empty()) return std::vector{**name};
    return failed(errc::invalid_input, "name and a body exclude each other");
  }
  if (!body) {
    return failed(errc::invalid_input, in.body.empty() ? std::string{"name is required"}
                                                       : "invalid request body: " +
                                                             body.error().detail);
  }
  const auto* list = body->is_array()                               ? &*body
                     : body->is_object() && body->contains("names") ? &(*body)["names"]
                                                                    : nullptr;
  if (!list || !list->is_array() || list->empty() || list->size() > names_max) {
    return failed(errc::invalid_input,
                  "name is required: ?name=a.json, or a body that is [\"a.json\"] or "
                  "{\"names\": [\"a.json\"]}, at most 10000 names");
  }
  std::vector<std::string> out;
  std::unordered_set<std::string> seen;
  for (const auto& one : *list) {
    if (!one.is_string()) return failed(errc::invalid_input, "names are texts");
    auto text = one.get<std::string>();
    if (seen.insert(text).second) out.push_back(std::move(text));
  }
  return out;
}

result<bool> asks_for_all(const request& in) {
  const auto all = query_flag(in.query, "all");
  if (!all || !*all) return all;
  const auto name = query_value(in.query, "name");
  if (!name) return std::unexpected{name.error()};
  if (!*name && in.body.empty()) return true;
  return failed(errc::invalid_input, "all and names exclude each other; nothing was deleted");
}

/// The files of all credentials, and those that cannot be used.
awaitable<result<std::vector<std::string>>> all_files(services& with) {
  const auto known = co_await with.plane.credentials();
  if (!known) co_return std::unexpected{known.error()};
  const auto report = co_await with.plane.last_reload();
  if (!report) co_return std::unexpected{report.error()};
  std::vector<std::string> names;
  for (const auto& view : *known) {
    if (!view.record->file.empty()) names.push_back(view.record->file);
  }
  for (const auto& file : report->unusable_files) {
    if (!file.name.empty() && !file.earlier_holds) names.push_back(file.name);
  }
  co_return names;
}

/// What a change of settings says of the credential's switch.
std::optional<bool> switch_in(const json& changes) {
  const auto found = changes.find("disabled");
  if (found == changes.end()) return std::nullopt;
  return found->is_boolean() && found->get<bool>();
}

/// An operator's switch wins over the file: one that says otherwise follows.
awaitable<result<void>> follow_switch(services& with, credential_id who, bool disabled) {
  const auto all = co_await with.plane.credentials();
  if (!all) co_return std::unexpected{all.error()};
  const auto found = std::ranges::find_if(
      *all, [&](const auto& view) { return view.record->id == who; });
  if (found == all->end() || found->record->disabled == disabled) co_return result<void>{};
  const auto after = co_await with.plane.set_disabled(std::move(who), disabled);
  if (!after) co_return std::unexpected{after.error()};
  co_return result<void>{};
}

protocol::reply file_reply(std::string text) {
  protocol::reply reply;
  reply.status = 200;
  reply.headers.emplace_back("Content-Type", "application/json");
  reply.body = std::move(text);
  return reply;
}

}  // namespace

awaitable<protocol::reply> upload_files(services& with, const request& in) {
  const auto wanted = uploads_of(in);
  if (!wanted) co_return mistake(wanted.error());
  batch all;
  for (const auto& one : *wanted) {
    const auto how = co_await with.plane.desk().put(one.name, secret_string{std::string{one.text}});
    if (how) log::info("management: {} uploaded from {}", one.name, in.peer);
    all.add(one.name, how);
  }
  co_return batch_reply(all, "uploaded");
}

awaitable<protocol::reply> delete_files(services& with, const request& in) {
  std::vector<std::string> names;
  const auto everything = asks_for_all(in);
  if (!everything) co_return mistake(everything.error());
  if (*everything) {
    auto known = co_await all_files(with);
    if (!known) co_return mistake(known.error());
    names = std::move(*known);
  } else {
    auto named = names_of(in);
    if (!named) co_return mistake(named.error());
    names = std::move(*named);
  }
  batch all;
  std::vector<std::string> present;
  for (const auto& name : names) {
    const auto there = co_await with.plane.desk().read(name);
    if (!there && there.error().code == errc::not_found) {
      all.add(name, failed(errc::not_found, "file not found"));
    } else {
      present.push_back(name);
    }
  }
  const auto ends = co_await with.plane.desk().remove(present);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i]) log::info("management: {} deleted from {}", present[i], in.peer);
    all.add(present[i], ends[i]);
  }
  if (!all.failed.empty()) co_return batch_reply(all, "deleted");
  co_return json_reply(200, {{"status", "ok"}, {"deleted", all.done.size()}});
}

awaitable<protocol::reply> download_file(services& with, const request& in) {
  const auto name = query_value(in.query, "name");
  if (!name) co_return mistake(name.error());
  if (name->value_or("").empty()) co_return mistake(400, "name is required");
  const auto reveal = query_flag(in.query, "reveal");
  if (!reveal) co_return mistake(reveal.error());
  const auto text = co_await with.plane.desk().read(**name);
  if (!text && text.error().code == errc::not_found) co_return mistake(404, "file not found");
  if (!text) co_return mistake(text.error());
  if (*reveal) {
    log::warn("management: {} read with its secrets from {}", **name, in.peer);
    co_return file_reply(std::string{text->reveal()});
  }
  auto shown = provider::masked_file(text->reveal());
  if (!shown) {
    co_return mistake(422, "the file cannot be masked (" + shown.error().detail +
                               "); with reveal=true it is sent as it is");
  }
  co_return file_reply(std::move(*shown));
}

awaitable<protocol::reply> change_fields(services& with, const request& in) {
  auto body = body_object(in, patch_bounds);
  if (!body) co_return mistake(body.error());
  const auto who = selector_of(*body);
  if (!who) co_return mistake(who.error());
  if (!who->names_one()) co_return mistake(400, "name or auth_index is required");
  for (const char* key : {"name", "auth_index", "authIndex", "AuthIndex"}) body->erase(key);
  if (body->empty()) co_return mistake(400, "no fields to change");
  const auto all = co_await with.plane.credentials();
  if (!all) co_return mistake(all.error());
  const auto* meant = find(*all, *who);
  if (meant == nullptr) co_return mistake(404, "auth not found");
  const auto id = meant->record->id;
  const auto file = meant->record->file;
  if (file.empty()) co_return mistake(409, "this credential is part of the configuration file");
  const auto how = co_await with.plane.desk().change(file, body->dump());
  if (!how) co_return mistake(how.error());
  if (const auto disabled = switch_in(*body)) {
    const auto followed = co_await follow_switch(with, id, *disabled);
    if (!followed) co_return mistake(followed.error());
  }
  log::info("management: settings of {} changed from {}", file, in.peer);
  co_return json_reply(200, {{"status", "ok"}});
}

awaitable<protocol::reply> list_models_of(services& with, const request& in) {
  const auto name = query_value(in.query, "name");
  if (!name) co_return mistake(name.error());
  if (name->value_or("").empty()) co_return mistake(400, "name is required");
  const auto all = co_await with.plane.credentials();
  if (!all) co_return mistake(all.error());
  const auto* meant = find(*all, {*name, std::nullopt});
  if (meant == nullptr) co_return mistake(404, "auth not found");
  auto models = ordered_json::array();
  const auto catalog = with.plane.catalog();
  for (const auto& model : catalog->models()) {
    const auto route = catalog->find(model.id);
    const auto serves = [&](const auto& member) {
      return member.credential->id == meant->record->id;
    };
    if (!route || std::ranges::none_of(route->members, serves)) continue;
    ordered_json entry{{"id", model.id}, {"owned_by", model.owned_by}};
    if (!model.behind.display_name.empty()) entry["display_name"] = model.behind.display_name;
    models.push_back(std::move(entry));
  }
  co_return json_reply(200, {{"models", std::move(models)}});
}

}  // namespace tidegate::http::management
